#pragma once

#include <cstddef>

namespace fake_papi {

/// Each running event of each thread occurs so often.
void count(long long n);
std::size_t sets_alive();

} // namespace fake_papi
