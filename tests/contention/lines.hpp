#pragma once

#include <cstdint>

// What an atomic operation of the running simulated core costs; nothing outside of the simulation.
namespace treadle::contention {

void read_line(const void* word);
void write_line(const void* word);
void change_line(const void* word);
void sleep_on(const void* word, std::int64_t timeout_ns);
void wake_from(const void* word, int count);

} // namespace treadle::contention
