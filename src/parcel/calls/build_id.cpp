#include "parcel/calls/build_id.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <elf.h>
#include <link.h>

namespace treadle::detail {
namespace {

struct search {
  std::uintptr_t address;
  std::string found;
};

bool contains(const dl_phdr_info& object, std::uintptr_t address) {
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && address - (object.dlpi_addr + part.p_vaddr) < part.p_memsz) return true;
  }
  return false;
}

/// In notes: a header, the name "GNU" and the digest, each padded to four bytes.
std::string build_id_in(const std::byte* at, std::size_t bytes) {
  const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
  ElfW(Nhdr) note;
  while (bytes >= sizeof note) {
    std::memcpy(&note, at, sizeof note);
    const std::size_t name = padded(note.n_namesz), size = sizeof note + name + padded(note.n_descsz);
    if (size > bytes) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(at + sizeof note, "GNU", 4) == 0)
      return {reinterpret_cast<const char*>(at + sizeof note + name), note.n_descsz};
    at += size;
    bytes -= size;
  }
  return {};
}

int look(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  search& wanted = *static_cast<search*>(data);
  if (!contains(*object, wanted.address)) return 0;
  for (std::size_t i = 0; i < object->dlpi_phnum && wanted.found.empty(); ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_NOTE)
      wanted.found = build_id_in(reinterpret_cast<const std::byte*>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return 1;
}

} // namespace

std::string build_id_of(const void* address) {
  search wanted{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(&look, &wanted);
  return wanted.found;
}

} // namespace treadle::detail
