// use_count.hpp, use_flag.hpp and src/task/latent/handover.hpp.
#include "base/sync/use_count.hpp"
#include "model/protocols.hpp"
#include "model/support.hpp"
#include "task/latent/handover.hpp"

#include <treadle/detail/spinlock.hpp>
#include <treadle/detail/use_flag.hpp>

#include <optional>

namespace treadle::check {
namespace {

/// Something that is used now and then, and is ruined when it is taken away.
struct used {
  explicit used(bool open) : users(open) {}

  detail::use_count users;
  plain<int> content = 1;

  bool use() {
    if (!users.enter()) return false;
    require(content != 0, "it is there while it is used");
    users.leave();
    return true;
  }
  void take_away() {
    users.close();
    while (users.is_used()) detail::cpu_relax();
    content = 0;
  }
};

void taken_away_while_it_is_used() {
  used u(true);
  in_parallel({[&] { u.use(); }, [&] { u.use(); }, [&] { u.take_away(); }});
  require(!u.use(), "and is not used afterwards");
}

/// The one that enters sees what was prepared, and again after it was changed.
void opened_and_opened_again() {
  used u(false);
  in_parallel({[&] {
                 if (u.users.enter()) {
                   const int found = u.content;
                   require(found == 2 || found == 3, "it is as it was made before it was opened");
                   u.users.leave();
                 }
               },
               [&] {
                 u.content = 2;
                 u.users.open();
                 u.take_away();
                 u.content = 3;
                 u.users.open();
               }});
  require(u.use(), "it is open at the end");
}

/// Two threads use what a pointer points to, each with a flag of its own; a third one puts it there and takes it away.
void pointed_to_while_it_is_used() {
  plain<int> content = 0;
  atomic<plain<int>*> pointer{nullptr};
  detail::use_flag flags[2];
  const auto use = [&](int i) {
    if (plain<int>* const found = flags[i].enter(pointer)) require(*found != 0, "it is there while it is used");
    flags[i].leave();
  };
  in_parallel({[&] { use(0); }, [&] { use(1); },
               [&] {
                 content = 1;
                 pointer.store(&content, order::release);
                 pointer.store(nullptr, order::relaxed);
                 detail::heavy_fence();
                 for (const auto& flag : flags)
                   while (flag.is_used()) detail::cpu_relax();
                 content = 0;
               }});
}

/// A task with its reference count, which is 1: the one that ends with it releases it.
struct parcel {
  plain<int> content = 1; // 1: empty, 2: filled, 0: gone
  void release() {
    require(content != 0, "it is released once");
    content = 0;
  }
};

/// Two threads leave an empty one, the worker's handler fills it, one of the others takes it or the worker takes it
/// back.
void handed_over_once() {
  std::optional<parcel> left[2];
  plain<int> runs = 0;
  {
    detail::handover<parcel> words;
    const auto leave = [&](int i) {
      if (words.lacks_empty()) words.leave_empty(&left[i].emplace());
    };
    const auto run = [&](parcel& task) {
      require(task.content == 2, "what the handler has put into it is seen");
      runs = runs + 1;
      task.release();
    };
    const auto ask = [&](int i) {
      leave(i);
      if (parcel* task = words.take()) run(*task);
    };
    bool was_filled = false, was_taken_back = false;
    in_parallel({[&] { ask(0); }, [&] { ask(1); },
                 [&] {
                   parcel* const task = words.empty();
                   if (!task) return;
                   require(task->content == 1, "it is in order, and empty");
                   task->content = 2;
                   words.hand_over(task);
                   was_filled = true;
                   was_taken_back = words.take_back(*task);
                   if (was_taken_back) run(*task);
                 }});
    if (parcel* task = words.take()) run(*task);
    require(runs == (was_filled ? 1 : 0), "what was handed over is run once");
    require(!words.is_full(), "and is gone");
  }
  for (const auto& one : left) require(!one || one->content == 0, "nothing is left behind");
}

} // namespace

std::vector<scenario> use_scenarios() {
  return {
      {"use_taken_away", taken_away_while_it_is_used},
      {"use_opened", opened_and_opened_again},
      {"use_pointed_to", pointed_to_while_it_is_used},
      {"handover", handed_over_once},
  };
}

} // namespace treadle::check
