// The record of what was decided and why, for all kinds of decisions.
#pragma once

#include "loop/decision.hpp"
#include "loop/memory.hpp"

#include <treadle/tune/explain.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace treadle::loop {

/// Something that can tell what it has decided.
class explained {
 public:
  virtual void explain(std::vector<decision_report>& to) = 0; ///< any thread

  /// Of all that explain() reads: a thread that forks has it, so that the child finds everything whole.
  virtual bool try_lock() noexcept = 0;
  virtual void unlock() noexcept = 0;
  /// In the child, while locked: the threads that were trying something do not exist here.
  virtual void begin_child() noexcept {}

  /// Where its results are kept; null: nowhere.
  memory* kept_in() const noexcept {
    memory* const own = m_memory.load(detail::order::acquire);  // pairs with keep_in()
    return own ? own : the_memory.load(detail::order::acquire); // pairs with where it is made
  }
  void keep_in(memory& own) noexcept { m_memory.store(&own, detail::order::release); }

 protected:
  ~explained() = default;

 private:
  detail::atomic<memory*> m_memory{nullptr};
};

/// While it lives, treadle::explain() asks; its destructor waits for a question that is being answered, and asks once
/// more, for explain_table(). The last member, so that what is asked is whole.
class explanation {
 public:
  explicit explanation(explained& of);
  ~explanation() { end(); }
  explanation(const explanation&) = delete;
  explanation& operator=(const explanation&) = delete;
  /// Now, where what is told does not live as long.
  void end() noexcept;

 private:
  explained& m_of;
  bool m_ended = false;
};

/// Reports of all that is kept there.
std::vector<decision_report> reports_for(const memory& kept_in);

/// What a state tells. Its `why` compares what was measured.
decision_report report(const decision& made, const context& of, const state& known, const choice_names& names);

} // namespace treadle::loop
