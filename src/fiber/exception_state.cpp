#include "fiber/exception_state.hpp"

#include <cxxabi.h>

namespace treadle::detail {
namespace {

// The layout that the Itanium C++ ABI (section 2.2.2) fixes for __cxa_eh_globals.
struct eh_globals {
  void* caught_exceptions;
  unsigned uncaught_exceptions;
};

} // namespace

TREADLE_NOINLINE void exchange_exception_state(exception_state& save, const exception_state& load) noexcept {
  auto* globals = reinterpret_cast<eh_globals*>(abi::__cxa_get_globals());
  save.caught = globals->caught_exceptions;
  save.uncaught = globals->uncaught_exceptions;
  globals->caught_exceptions = load.caught;
  globals->uncaught_exceptions = load.uncaught;
}

} // namespace treadle::detail
