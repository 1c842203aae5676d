// Items that one program makes and another uses up, in files; kernels without tasks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace items {

struct line {
  std::size_t iterations = 100; ///< items
  std::size_t tasks = 240;      ///< that make or use an item
  std::size_t work = 1000;      ///< what each of them costs, in thousands of steps
  bool up_down = false;         ///< the cost goes from 0.1 to 4.1 times that and back within 40 items

  std::uint64_t steps(std::size_t iteration) const noexcept; ///< of a task
};

/// What a task computes: this many steps of a random number generator.
std::uint64_t compute(std::uint64_t seed, std::uint64_t steps) noexcept;
/// Where a task of the producer begins.
constexpr std::uint64_t seed_of(std::size_t iteration, std::size_t task) noexcept {
  return iteration * 1'000'003 + task + 1;
}

/// The numbers of an item, one for each task. It is in its place whole or not at all. Throws std::runtime_error that
/// names the file.
void write_item(const std::filesystem::path& folder, std::size_t iteration, const std::vector<std::uint64_t>& numbers);
/// Waits until the item is there, and removes it. Throws std::runtime_error, which names the file, when it has not come
/// in time, or is not an item of `tasks` numbers.
std::vector<std::uint64_t> take_item(const std::filesystem::path& folder, std::size_t iteration, std::size_t tasks,
                                     std::chrono::duration<double> patience);

/// What all numbers of all items add up to when the producer makes them, or the consumer has used them: the reference.
std::uint64_t serial_sum(const line& producer);
std::uint64_t serial_sum(const line& producer, const line& consumer);

} // namespace items
