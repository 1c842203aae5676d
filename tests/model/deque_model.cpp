// src/task/queue/deque.hpp: every job is taken once, by the owner or a thief, who sees what the job points to.
#include "model/protocols.hpp"
#include "model/support.hpp"
#include "task/queue/deque.hpp"

namespace treadle::check {
namespace {

using small_deque = detail::basic_deque<2>;

/// Runs `script` on the owner ('p' push, 'o' pop, 's' steal, 'i' pop if it is the job that was pushed last) while
/// thieves try to steal so often each; in the end every job that was pushed has run once.
void owner_and_thieves(const char* script, std::initializer_list<int> thieves) {
  small_deque tested;
  std::vector<std::unique_ptr<once>> jobs;
  std::vector<thread> running;
  for (int attempts : thieves) {
    running.emplace_back([&tested, attempts] {
      for (int i = 0; i < attempts; ++i) {
        if (detail::job* j = tested.steal()) j->run();
      }
    });
  }
  for (const char* operation = script; *operation; ++operation) {
    if (*operation == 'p') {
      jobs.push_back(std::make_unique<once>(1));
      tested.push(jobs.back().get());
    } else if (*operation == 'i') {
      if (tested.pop_if(jobs.back().get())) jobs.back()->run();
    } else if (detail::job* j = *operation == 's' ? tested.steal() : tested.pop()) {
      j->run();
    }
  }
  for (thread& t : running) t.join();
  while (detail::job* j = tested.pop()) j->run();
  for (const auto& j : jobs) require(j->was_run(), "no job is lost");
}

/// A thief that sees the deque empty sees everything that the one that emptied it did before.
void empty_is_a_statement() {
  small_deque tested;
  once one(1), two(2);
  tested.push(&one);
  in_parallel({[&] {
                 if (detail::job* j = tested.steal()) j->run();
               },
               [&] {
                 require(tested.size() <= 1, "never more than was pushed");
                 if (detail::job* j = tested.steal()) j->run();
               }});
  while (detail::job* j = tested.pop()) j->run();
  require(one.was_run(), "no job is lost");
}

} // namespace

std::vector<scenario> deque_scenarios() {
  return {
      {"deque_last_item", [] { owner_and_thieves("po", {1}); }},
      {"deque_last_item_two_thieves", [] { owner_and_thieves("po", {1, 1}); }},
      {"deque_last_item_if", [] { owner_and_thieves("pii", {1}); }},
      {"deque_newest_if", [] { owner_and_thieves("ppio", {2}); }},
      {"deque_wrap_if", [] { owner_and_thieves("ppopipi", {2}); }},
      {"deque_pop_pop", [] { owner_and_thieves("ppoo", {1, 1}); }},
      {"deque_pop_pop_push", [] { owner_and_thieves("ppoop", {2}); }},
      {"deque_owner_steals", [] { owner_and_thieves("ppso", {1, 1}); }},
      {"deque_two_for_one", [] { owner_and_thieves("ppo", {2}); }},
      {"deque_wrap", [] { owner_and_thieves("ppopopp", {2}); }},
      {"deque_grow", [] { owner_and_thieves("ppp", {1}); }},
      {"deque_grow_twice", [] { owner_and_thieves("pppppo", {2}); }},
      {"deque_grow_and_reuse", [] { owner_and_thieves("pppopo", {1, 1}); }},
      {"deque_two_thieves", empty_is_a_statement},
  };
}

} // namespace treadle::check
