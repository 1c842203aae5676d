#include "producer_consumer/item.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

namespace items {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_half_cycle = 20;      // items from the least cost to the greatest
constexpr double k_least = 0.1, k_most = 4.1; // times the cost
constexpr std::uint64_t k_mark = 0x6d657469'65726f74;

fs::path file_of(const fs::path& folder, std::size_t iteration) {
  return folder / ("item-" + std::to_string(iteration));
}

} // namespace

std::uint64_t line::steps(std::size_t iteration) const noexcept {
  const auto whole = static_cast<double>(work) * 1000;
  if (!up_down) return static_cast<std::uint64_t>(whole);
  const std::size_t at = iteration % (2 * k_half_cycle);
  const std::size_t up = at < k_half_cycle ? at : 2 * k_half_cycle - 1 - at;
  const double factor = k_least + (k_most - k_least) * static_cast<double>(up) / (k_half_cycle - 1);
  return static_cast<std::uint64_t>(whole * factor + 0.5);
}

std::uint64_t compute(std::uint64_t seed, std::uint64_t steps) noexcept {
  std::uint64_t x = seed;
  for (std::uint64_t i = 0; i < steps; ++i) { // Marsaglia's xorshift: each step needs the one before
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

void write_item(const fs::path& folder, std::size_t iteration, const std::vector<std::uint64_t>& numbers) {
  const fs::path file = file_of(folder, iteration), unfinished = file.string() + ".part";
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  const std::uint64_t head[] = {k_mark, iteration, numbers.size()};
  out.write(reinterpret_cast<const char*>(head), sizeof head);
  out.write(reinterpret_cast<const char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size() * sizeof numbers[0]));
  out.close();
  if (!out) throw std::runtime_error(unfinished.string() + ": cannot be written");
  fs::rename(unfinished, file);
}

std::vector<std::uint64_t> take_item(const fs::path& folder, std::size_t iteration, std::size_t tasks,
                                     std::chrono::duration<double> patience) {
  using namespace std::chrono_literals;
  const fs::path file = file_of(folder, iteration);
  const auto end = std::chrono::steady_clock::now() + patience;
  std::error_code unknown;
  while (!fs::exists(file, unknown)) {
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error(file.string() + ": has not come within " + std::to_string(patience.count()) + " s");
    std::this_thread::sleep_for(1ms);
  }
  std::ifstream in(file, std::ios::binary);
  std::uint64_t head[3] = {};
  std::vector<std::uint64_t> numbers(tasks);
  in.read(reinterpret_cast<char*>(head), sizeof head);
  const bool is_item = in && head[0] == k_mark && head[1] == iteration && head[2] == tasks;
  if (is_item)
    in.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(tasks * sizeof numbers[0]));
  if (!is_item || !in)
    throw std::runtime_error(file.string() + ": is not item " + std::to_string(iteration) + " of " +
                             std::to_string(tasks) + " numbers");
  fs::remove(file);
  return numbers;
}

std::uint64_t serial_sum(const line& producer) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < producer.iterations; ++i)
    for (std::size_t k = 0; k < producer.tasks; ++k) sum += compute(seed_of(i, k), producer.steps(i));
  return sum;
}
std::uint64_t serial_sum(const line& producer, const line& consumer) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < consumer.iterations; ++i)
    for (std::size_t k = 0; k < consumer.tasks; ++k)
      sum += compute(compute(seed_of(i, k), producer.steps(i)), consumer.steps(i));
  return sum;
}

} // namespace items
