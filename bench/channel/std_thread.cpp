#include "channel/config.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace channel_bench;

namespace {

class channel {
 public:
  void set(long value) {
    {
      std::lock_guard guard(m_mutex);
      m_values.push_back(value);
    }
    m_filled.notify_one();
  }
  long get() {
    std::unique_lock guard(m_mutex);
    m_filled.wait(guard, [&] { return !m_values.empty(); });
    const long value = m_values.front();
    m_values.pop_front();
    return value;
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_filled;
  std::deque<long> m_values;
};

long play(long round_trips) {
  channel there, back;
  std::jthread partner([&] {
    for (long i = 0; i < round_trips; ++i) back.set(there.get() + 1);
  });
  long number = 0;
  for (long i = 0; i < round_trips; ++i) {
    there.set(number + 1);
    number = back.get();
  }
  return number;
}

} // namespace

int main() { report(play); }
