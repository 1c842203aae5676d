#include "base/process_in_program.hpp"

#include "base/variable.hpp"

#include <treadle/detail/atomic.hpp>

#include <charconv>
#include <string_view>

namespace treadle::detail {
namespace {

constinit atomic<int> g_number{-1};

int number_among(std::string_view number, std::string_view size) {
  int found = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), found);
  return error == std::errc() && end == number.data() + number.size() && size != "1" ? found : -1;
}

int number_as_started() {
  const std::string_view place = variable("TREADLE_LOCALITIES"); // FILE:NUMBER:SIZE
  if (const std::size_t size_at = place.rfind(':'); size_at != place.npos && size_at > 0) {
    const std::size_t number_at = place.rfind(':', size_at - 1);
    if (number_at == place.npos) return -1;
    return number_among(place.substr(number_at + 1, size_at - number_at - 1), place.substr(size_at + 1));
  }
  const int number = number_among(variable("OMPI_COMM_WORLD_RANK"), variable("OMPI_COMM_WORLD_SIZE"));
  return number >= 0 ? number : number_among(variable("PMI_RANK"), variable("PMI_SIZE"));
}

} // namespace

int process_in_program() {
  const int number = g_number.load(order::relaxed);
  return number >= 0 ? number : number_as_started();
}
void set_process_in_program(unsigned number) { g_number.store(static_cast<int>(number), order::relaxed); }

} // namespace treadle::detail
