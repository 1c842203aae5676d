// src/compat/ocr: finish scopes end once, after all members; who waits for a label gets it; who pauses runs alone; a
// template is read whole or not at all.
#include "base/sync/park.hpp"
#include "compat/ocr/edt_template.hpp"
#include "compat/ocr/finish_scope.hpp"
#include "compat/ocr/label_word.hpp"
#include "compat/ocr/pause_gate.hpp"
#include "model/protocols.hpp"
#include "model/support.hpp"

#include <treadle/detail/spinlock.hpp>

#include <mutex>

namespace treadle::check {
namespace {

/// What treadle::mutex and treadle::condition_variable are for tasks, for threads.
struct small_condition {
  void notify_all() {
    changes.fetch_add(1, order::release);
    detail::futex_wake(changes, 99);
  }
  template <class Lock, class F>
  void wait(Lock& guard, F is_so) {
    while (!is_so()) {
      const std::uint32_t seen = changes.load(order::acquire);
      guard.unlock();
      detail::futex_wait(changes, seen);
      guard.lock();
    }
  }
  atomic<std::uint32_t> changes{0};
};

// --- finish scopes ----------------------------------------------------------------------------------------------

/// Members of two scopes, one in the other, that end at the same time.
void finish_nested() {
  ocr::finish_scope outer(nullptr, 0), inner(&outer, 0);
  plain<int> did[3] = {0, 0, 0}, inner_ends = 0, outer_ends = 0;
  const auto end = [&](ocr::finish_scope& scope) {
    if (&scope == &inner) {
      require(did[0] + did[1] == 2, "the inner scope ends after all its members");
      inner_ends = inner_ends + 1;
    } else {
      require(did[0] + did[1] + did[2] == 3 && inner_ends == 1, "the outer scope ends after the inner one");
      outer_ends = outer_ends + 1;
    }
  };
  inner.add();
  thread child([&] {
    did[1] = 1;
    leave_scopes(&inner, end);
  });
  thread sibling([&] {
    did[2] = 1;
    leave_scopes(&outer, end); // of the outer one's own EDT
  });
  did[0] = 1;
  leave_scopes(&inner, end);
  child.join();
  sibling.join();
  require(inner_ends == 1 && outer_ends == 1, "each scope ends once");
}

/// The scope's own EDT and the one that it has made end at the same time.
void finish_two() {
  ocr::finish_scope scope(nullptr, 0);
  plain<int> did[2] = {0, 0}, ends = 0;
  const auto end = [&](ocr::finish_scope&) {
    require(did[0] == 1 && did[1] == 1, "what all members did is seen");
    ends = ends + 1;
  };
  scope.add();
  thread child([&] {
    did[0] = 1;
    leave_scopes(&scope, end);
  });
  did[1] = 1;
  leave_scopes(&scope, end);
  child.join();
  require(ends == 1, "the scope ends once");
}

// --- labels -----------------------------------------------------------------------------------------------------

struct labelled {
  ocr::label_word word;
  ocr::label_waiters<detail::spinlock, small_condition> waiters;
  atomic<std::uint32_t> stopping{0};
  plain<int> object = 0; ///< changed by the thread that has the label

  bool is_stopping() { return stopping.load(order::seq_cst) != 0; }
  void free() {
    word.free();
    waiters.wake();
  }
  /// Makes an object with the label, and ends it.
  void use() {
    object = object + 1;
    word.complete(7);
    free();
  }
};

/// Who waits gets the label from who frees it, and from the other one that waits.
void label_passed_on(int waiting) {
  labelled l;
  require(l.word.take(), "a new label is free");
  std::vector<thread> others;
  for (int i = 0; i < waiting; ++i) {
    others.emplace_back([&] {
      require(l.waiters.take(l.word, [&] { return l.is_stopping(); }), "who waits gets it");
      l.use();
    });
  }
  l.use();
  for (thread& one : others) one.join();
  require(l.object == waiting + 1, "each had it once");
  require(!l.word.is_used(), "it is free in the end");
}

/// Two that do not wait: the loser may see the winner's object, in order.
void label_contended() {
  labelled l;
  plain<int> made = 0;
  const auto create = [&] {
    if (l.word.take()) {
      made = made + 1;
      l.word.complete(7);
    } else if (l.word.object() != 0) {
      require(l.word.object() == 7 && made == 1, "the object is in order");
    }
  };
  thread other(create);
  create();
  other.join();
  require(made == 1, "one of them has made it");
}

/// Two that have it one after the other, if they come so, without waiting.
void label_in_turn() {
  labelled l;
  atomic<std::uint32_t> had{0};
  const auto use_if_free = [&] {
    if (!l.word.take()) return;
    l.use();
    had.fetch_add(1, order::relaxed);
  };
  thread other(use_if_free);
  use_if_free();
  other.join();
  require(had.load(order::relaxed) != 0 && !l.word.is_used(), "one of them had it at least, and it is free in the end");
}

/// The program ends while somebody waits for a label that does not become free.
void label_given_up() {
  labelled l;
  require(l.word.take(), "a new label is free");
  thread waiter([&] { require(!l.waiters.take(l.word, [&] { return l.is_stopping(); }), "it is given up"); });
  l.stopping.store(1, order::seq_cst);
  l.waiters.wake();
  waiter.join();
}

// --- pauses -----------------------------------------------------------------------------------------------------

/// Who pauses sees what has run, and what runs later sees what was done in the pause.
void pause_alone(int threads, int runs) {
  using gate_type = ocr::pause_gate<detail::spinlock, small_condition>;
  gate_type gate;
  gate_type::counts counts[2];
  plain<int> world[2] = {0, 0};
  const auto never = [] { return false; };
  const auto no_counts = [&]() -> gate_type::counts& { return counts[0]; }; // who pauses does not run itself
  std::vector<thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      gate.add(counts[t]);
      for (int i = 0; i < runs; ++i) {
        gate.begin([&]() -> gate_type::counts& { return counts[t]; }, never);
        world[t] = world[t] + 1;
        gate.end(counts[t]);
      }
    });
  }
  require(gate.close(false, true, no_counts, never), "nobody else pauses");
  for (int t = 0; t < threads; ++t) world[t] = world[t] + 10;
  gate.open();
  for (thread& one : running) one.join();
  for (int t = 0; t < threads; ++t) require(world[t] == 10 + runs, "each has run, and the pause too");
}

// --- templates --------------------------------------------------------------------------------------------------

ocrGuid_t one_function(u32, u64*, u32, ocrEdtDep_t[]) { return NULL_GUID; }
ocrGuid_t other_function(u32, u64*, u32, ocrEdtDep_t[]) { return NULL_GUID; }

/// One that is destroyed, with another one made in its place, while another thread makes EDTs from the first.
void template_replaced() {
  static constexpr const char *k_one = "one", *k_other = "other";
  constexpr std::uint64_t k_first = 1, k_gone = 2, k_second = 3;
  atomic<std::uint64_t> lives{k_first}; // as the word of a place
  ocr::edt_template made({one_function, k_one, 1, 10});
  thread program([&] {
    lives.store(k_gone, order::release);
    made.set({other_function, k_other, 2, 20});
    lives.store(k_second, order::release);
  });
  if (lives.load(order::acquire) == k_first) {
    ocr::edt_shape shape;
    if (made.read(shape, [&] { return lives.load(order::relaxed) == k_first; }))
      require(shape.function == one_function && shape.name == k_one && shape.paramc == 1 && shape.depc == 10,
              "the template that was asked for");
  }
  program.join();
}

} // namespace

std::vector<scenario> ocr_scenarios() {
  return {
      {"ocr_finish_nested", finish_nested},
      {"ocr_finish_two", finish_two},
      {"ocr_label_passed_on", [] { label_passed_on(1); }},
      {"ocr_label_two_wait", [] { label_passed_on(2); }},
      {"ocr_label_contended", label_contended},
      {"ocr_label_in_turn", label_in_turn},
      {"ocr_label_given_up", label_given_up},
      {"ocr_pause", [] { pause_alone(1, 1); }},
      {"ocr_pause_runs_twice", [] { pause_alone(1, 2); }},
      {"ocr_pause_two_threads", [] { pause_alone(2, 1); }},
      {"ocr_template_replaced", template_replaced},
  };
}

} // namespace treadle::check
