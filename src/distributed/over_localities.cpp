#include <treadle/arrays/over_localities.hpp>

#include <treadle/detail/spinlock.hpp>
#include <treadle/localities/action.hpp>
#include <treadle/localities/locality.hpp>
#include <treadle/semaphore.hpp>

#include "distributed/exchanged_values.hpp"
#include "distributed/placed_calls.hpp"
#include "tree/run/other_localities.hpp"
#include "value/bytes.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <utility>

namespace treadle::distributed {
namespace {

using bytes = std::vector<std::byte>;

// Others ask for what was given here, also when this process has left its main().
exchanged_values& own_values() {
  static auto& all = *new exchanged_values;
  return all;
}

// The error, or what is asked for, so that an error has its own words.
bytes take_value(std::uint64_t run, std::uint64_t number, std::uint64_t program, std::string name) {
  bytes answer;
  try {
    const bytes value = own_values().take({run, number}, program, name);
    detail::write_bytes(answer, treadle::value());
    answer.insert(answer.end(), value.begin(), value.end());
  } catch (const value_error& e) {
    detail::write_bytes(answer, e.what());
  }
  return answer;
}

// Calls of others that are computed here, so that they can be cancelled.
class computed_calls {
 public:
  using key = std::pair<unsigned, std::uint64_t>; // who has placed it, and the number it has there
  using flag = std::shared_ptr<std::atomic<bool>>;

  flag of(key k) {
    auto made = std::make_shared<std::atomic<bool>>(false);
    const detail::scoped_lock guard(m_lock); // also where messages are read, which must not wait
    return m_flags.try_emplace(k, std::move(made)).first->second;
  }
  void end(key k) {
    const detail::scoped_lock guard(m_lock);
    m_flags.erase(k);
  }

 private:
  detail::spinlock m_lock;
  std::map<key, flag> m_flags;
};
computed_calls& calls_of_others() {
  static auto& all = *new computed_calls;
  return all;
}

bytes compute_call(unsigned from, std::uint64_t number, const bytes& call) {
  const auto cancel = calls_of_others().of({from, number});
  bytes answer = computed(call, *cancel);
  calls_of_others().end({from, number});
  return answer;
}
// Where messages are read, because all workers may be busy with such calls. Also before the call has begun; the flag of
// one that has ended stays.
void cancel_call(unsigned from, std::uint64_t number) { calls_of_others().of({from, number})->store(true); }

// The value of a future that others make ready; it is left alone when the run is cancelled.
bytes get_unless_cancelled(future<bytes> answer, const std::atomic<bool>* cancel) {
  struct box {
    future<bytes> done;
    binary_semaphore is_done{0};
  };
  const auto shared = std::make_shared<box>();
  static_cast<void>(answer.then(launch::sync, [shared](future<bytes> done) { // where messages are read: must not wait
    shared->done = std::move(done);
    shared->is_done.release();
  }));
  while (!shared->is_done.try_acquire_for(std::chrono::milliseconds(50)))
    if (cancel && cancel->load(std::memory_order_relaxed)) throw value_error(error_kind::program, "cancelled");
  return shared->done.get();
}

class localities_of_trees final : public tree::other_localities {
 public:
  tree::placed_result call(unsigned at, const tree::placed_call& what) override {
    const unsigned here = find_here().number();
    const std::uint64_t number = m_calls.fetch_add(1, detail::order::relaxed);
    try {
      return result_of(
          get_unless_cancelled(async<compute_call>(locality(at), here, number, written(what)), what.options.cancel),
          at);
    } catch (...) {
      if (what.options.cancel && what.options.cancel->load()) post<direct<cancel_call>>(locality(at), here, number);
      throw;
    }
  }

  std::uint64_t begin_run(std::uint64_t program) override { return own_values().begin_run(program); }
  void end_run(std::uint64_t run, std::string why) noexcept override { own_values().end_run(run, std::move(why)); }

  std::vector<value> all_gather(std::uint64_t run, std::uint64_t number, std::string_view name, const value& own,
                                const std::atomic<bool>* cancel) override {
    offer(run, number, name, own);
    std::vector<future<bytes>> asked;
    for (const locality other : find_remote_localities()) asked.push_back(ask(other, run, number, name));
    std::vector<value> all;
    std::size_t next = 0;
    for (unsigned i = 0; i < num_localities(); ++i)
      all.push_back(i == find_here().number() ? own : answer(std::move(asked[next++]), cancel));
    own_values().passed({run, number});
    return all;
  }

  void offer(std::uint64_t run, std::uint64_t number, std::string_view name, const value& own) override {
    bytes mine;
    detail::write_bytes(mine, own);
    own_values().give({run, number}, std::string(name), std::move(mine));
  }
  value take(std::uint64_t run, std::uint64_t number, std::string_view name, unsigned from,
             const std::atomic<bool>* cancel) override {
    return answer(ask(locality(from), run, number, name), cancel);
  }

 private:
  static future<bytes> ask(locality other, std::uint64_t run, std::uint64_t number, std::string_view name) {
    return async<take_value>(other, run, number, own_values().program(), std::string(name));
  }
  static value answer(future<bytes> asked, const std::atomic<bool>* cancel) {
    const bytes answer = get_unless_cancelled(std::move(asked), cancel);
    std::span<const std::byte> left = answer;
    const value error = detail::read_bytes(left);
    if (!error.is_nil()) throw value_error(error_kind::program, std::string(error.to_string_view()));
    return detail::read_bytes(left);
  }

  detail::atomic<std::uint64_t> m_calls{0};
};

// Who asks a locality that leaves, and never had an object over_localities, is told so.
[[maybe_unused]] const bool k_told_of_departure =
    (detail::before_departure.store([] { own_values().close(); }, detail::order::relaxed), true);

} // namespace
} // namespace treadle::distributed

namespace treadle::physl {

over_localities::over_localities() {
  distributed::own_values().open();
  static auto& all =
      *new distributed::localities_of_trees; // calls that are placed here may place others, also at the end
  tree::others.store(&all, detail::order::release);
}

over_localities::~over_localities() { distributed::own_values().close(); }

} // namespace treadle::physl
