// For a program with a main() of its own.
#pragma once

#include <treadle/detail/config.hpp>

#if defined(TREADLE_TSAN)
// The reference count of std::exception_ptr is decremented inside libstdc++, which is not instrumented: ThreadSanitizer
// does not see that the last owner, who destroys an exception that travelled through futures, comes after all others.
// Visible, because the sanitizer's library looks for it.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:std::__exception_ptr::exception_ptr::_M_release\n"
         "race:__cxa_end_catch\n"
         "race:std::exception::~exception\n"
         "race:std::runtime_error::~runtime_error\n"
         "race:std::logic_error::~logic_error\n";
}
#endif
