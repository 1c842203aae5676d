#include "compat/ocr/report.hpp"

#include "compat/ocr/block.hpp"
#include "compat/ocr/edt.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/program.hpp"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mutex>

namespace treadle::ocr {

using detail::order;

namespace {

constexpr std::size_t k_most_kept = 1000;
constexpr std::uint32_t k_most_printed = 20;

std::mutex lock; // of what follows
std::vector<std::string> kept;
std::uint64_t left_out = 0;
detail::atomic<std::uint32_t> printed{0};

std::string hex(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string line_of(const complaint& about, std::uint64_t target, std::uint64_t edt, const std::source_location& here) {
  const char* const slash = std::strrchr(here.file_name(), '/');
  std::string line = std::string("OCR: ") + about.call + ": " + error_name(about.code) + " (" +
                     std::to_string(about.code) + "): " + about.what + ": " + text_of(target);
  if (edt != 0) line += ", in " + text_of(edt);
  return line + " [" + (slash ? slash + 1 : here.file_name()) + ":" + std::to_string(here.line()) + "]";
}

std::uint64_t running_edt() noexcept {
  edt* const running = current_edt();
  return running ? running->guid() : 0;
}

const char* kind_name(const place& at) noexcept {
  switch (at.what.load(order::relaxed)) {
  case kind::edt:
    return "EDT";
  case kind::edt_template:
    return "template";
  case kind::event:
    return "event";
  case kind::block:
    return "block";
  case kind::range:
    return "range";
  case kind::label:
    return "label";
  default:
    return "object";
  }
}

} // namespace

std::string text_of(std::uint64_t guid) {
  if (guid == 0) return "NULL_GUID";
  if (guid == word_of(UNINITIALIZED_GUID)) return "UNINITIALIZED_GUID";
  if (guid == word_of(ERROR_GUID)) return "ERROR_GUID";
  const std::string text = hex(guid);
  const reference found = resolve(guid);
  if (!found) {
    const place* const was = place_of(guid);
    return text + (was && was->word.load(order::relaxed) == (guid | k_dead)
                       ? std::string(" (a former ") + kind_name(*was) + ")"
                       : std::string(" (nothing)"));
  }
  // The object may end at any moment, but not while its lock is held, and what is read of it is text.
  std::string what = kind_name(*found.at);
  const detail::scoped_lock guard(found.at->lock);
  if (!found.is_alive()) return text;
  if (found.what() == kind::edt)
    what += " " + function_name(edt::of(*found.at).function(), edt::of(*found.at).given_name());
  if (found.what() == kind::event) what = type_name(found.at->as<event>().type) + (" " + what);
  return text + " (" + what + ")";
}

std::string function_name(ocrEdt_t function, const char* name) {
  if (name) return name;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(function), &info) != 0 && info.dli_sname) return info.dli_sname;
  return "at " + hex(reinterpret_cast<std::uintptr_t>(function));
}

const char* error_name(std::uint8_t code) noexcept {
  switch (code) {
  case OCR_EPERM:
    return "OCR_EPERM";
  case OCR_ENOENT:
    return "OCR_ENOENT";
  case OCR_ENXIO:
    return "OCR_ENXIO";
  case OCR_EAGAIN:
    return "OCR_EAGAIN";
  case OCR_ENOMEM:
    return "OCR_ENOMEM";
  case OCR_EACCES:
    return "OCR_EACCES";
  case OCR_EFAULT:
    return "OCR_EFAULT";
  case OCR_EBUSY:
    return "OCR_EBUSY";
  case OCR_EINVAL:
    return "OCR_EINVAL";
  case OCR_ENOSPC:
    return "OCR_ENOSPC";
  case OCR_ENOTSUP:
    return "OCR_ENOTSUP";
  case OCR_EGUIDEXISTS:
    return "OCR_EGUIDEXISTS";
  default:
    return "error";
  }
}

void note(const std::string& line) noexcept {
  const std::lock_guard guard(lock);
  if (kept.size() < k_most_kept)
    kept.push_back(line);
  else
    ++left_out;
}

std::uint8_t refuse(const complaint& about, std::uint64_t target, std::source_location here) noexcept {
  if (is_checking()) note(line_of(about, target, running_edt(), here));
  return about.code;
}

std::uint8_t report(const complaint& about, std::uint64_t target, std::uint64_t edt,
                    std::source_location here) noexcept {
  if (!is_checking() && printed.fetch_add(1, order::relaxed) >= k_most_printed) return about.code;
  const std::string line = line_of(about, target, edt != 0 ? edt : running_edt(), here);
  if (is_checking())
    note(line);
  else if (prints_reports())
    std::fprintf(stderr, "%s\n", line.c_str());
  else
    note(line);
  return about.code;
}

std::vector<std::string> take_reports() {
  const std::lock_guard guard(lock);
  std::vector<std::string> taken = std::move(kept);
  kept.clear();
  if (left_out != 0) taken.push_back("OCR: " + std::to_string(std::exchange(left_out, 0)) + " more");
  printed.store(0, order::relaxed);
  return taken;
}

} // namespace treadle::ocr
