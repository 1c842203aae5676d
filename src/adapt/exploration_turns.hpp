#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace treadle::detail {

/// One session of the process may try something at a time: what one tries is noise in what the others measure. Turns go
/// round among those that want one.
class exploration_turns {
 public:
  /// True: it is this one's turn, until done(). It may be taken away when the holder is not heard of any more.
  bool take(const void* session);
  void done(const void* session) noexcept;
  /// It will not ask again.
  void leave(const void* session) noexcept;

 private:
  static constexpr std::size_t k_patience = 256; // refusals

  std::mutex m_mutex;
  const void* m_holder = nullptr;
  std::size_t m_refused = 0;          // since the holder, or the first of the waiting ones, was heard of
  std::vector<const void*> m_waiting; // the first is next
};

exploration_turns& process_turns() noexcept;

} // namespace treadle::detail
