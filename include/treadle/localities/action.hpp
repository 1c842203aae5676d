#pragma once

#include <treadle/async.hpp>
#include <treadle/detail/parcel_run.hpp>
#include <treadle/executors.hpp>
#include <treadle/localities/archive.hpp>
#include <treadle/localities/arriving.hpp>
#include <treadle/localities/coalescing.hpp>
#include <treadle/localities/locality.hpp>
#include <treadle/promise.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>

/// Actions: functions that another locality executes.
namespace treadle {

/// What a function has thrown in another locality: its message, with the type, the action and the place.
class remote_error : public std::runtime_error {
 public:
  remote_error(const std::string& what, locality origin) : std::runtime_error(what), m_origin(origin) {}
  locality origin() const noexcept { return m_origin; }

 private:
  locality m_origin;
};

/// async<direct<f>>, post<direct<f>>: f is executed where the message is read, without a task. For functions of less
/// than some microseconds, which must not wait; what waits inside throws std::system_error. That may be any thread that
/// waits, as the one that runs main() in a get(): F must not take a lock that somebody holds while waiting.
template <auto F>
struct direct_action {
  static constexpr auto function = F;
};
template <auto F>
inline constexpr direct_action<F> direct{};

/// With which priority tasks of the action F run, a function or a member; specialize it for an F in every source file
/// that calls it, before the call:
///
///     template <>
///     inline constexpr treadle::priority treadle::action_priority<&urgent> = treadle::priority::critical;
template <auto F>
inline constexpr priority action_priority = priority::normal;

namespace detail {

/// An action in this program, made before main(). Numbers are given when localities meet.
class action_entry {
 public:
  /// Of a parcel that has arrived. `reply`: where the result goes; 0: nobody waits for it.
  using handler = void (*)(std::span<const std::byte> arguments, unsigned from, std::uint64_t reply);
  action_entry(const char* symbol, handler handle, arriving_beginner begin = nullptr) noexcept;

  const char* const symbol; ///< the mangled name of its type, which no other one has
  const handler handle;
  const arriving_beginner begin; ///< null: parcels of it have to be whole
  std::uint32_t number = 0;
  action_entry* next;
  std::optional<coalescing> own_coalescing; ///< see coalescing_of()
};
/// Of parcels of an action; null: of all that have no setting of their own.
void set_coalescing(action_entry* of, const coalescing& how);
void tell_coalescing_event(const action_entry& of);

/// What stands before a parcel's arguments. With a reply its number follows.
struct parcel_header {
  std::uint32_t action : 31;
  std::uint32_t has_reply : 1;
  std::uint32_t bytes; ///< without header and number
};
static_assert(sizeof(parcel_header) == 8);

/// A parcel that is put together.
class new_parcel {
 public:
  new_parcel(std::uint32_t action, std::uint64_t reply);
  ~new_parcel();
  new_parcel(const new_parcel&) = delete;
  new_parcel& operator=(const new_parcel&) = delete;
  /// Throws std::length_error beyond 4 GiB.
  void finish();
  std::vector<std::byte> bytes;
  std::span<const std::byte> rest; ///< stands behind them, and is the caller's
};

/// Writes a parcel of values of which the bytes are the value, and returns its size.
template <class... Ts>
std::size_t write_parcel(std::byte* to, std::uint32_t action, std::uint64_t reply, const Ts&... values) noexcept {
  std::byte* at = to;
  const auto add = [&at](const auto& value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  };
  add(parcel_header{action & 0x7fff'ffffU, reply != 0 ? 1U : 0U, static_cast<std::uint32_t>((sizeof(Ts) + ... + 0))});
  if (reply != 0) add(reply);
  (add(values), ...);
  return static_cast<std::size_t>(at - to);
}
template <class... Ts>
constexpr std::size_t size_of_parcel(std::uint64_t reply) noexcept {
  return sizeof(parcel_header) + (reply != 0 ? sizeof reply : 0) + (sizeof(Ts) + ... + 0);
}
/// One such parcel.
template <class... Ts>
class small_parcel {
 public:
  explicit small_parcel(std::uint32_t action, std::uint64_t reply = 0, const Ts&... values) noexcept
      : m_size(write_parcel(m_bytes, action, reply, values...)) {}
  std::span<const std::byte> bytes() const noexcept { return {m_bytes, m_size}; }

 private:
  std::byte m_bytes[size_of_parcel<Ts...>(1)];
  std::size_t m_size;
};

void send_parcel(std::span<const std::byte> parcel, locality to);
/// Room for a parcel of a known size beside others that will leave with it: who has begun writes it there, which must
/// not wait or throw, and ends it. Nothing has begun where `at` is null: there is no room, for which send_parcel()
/// waits.
struct parcel_place {
  std::byte* at = nullptr;
  void* box = nullptr; ///< of the port
};
parcel_place begin_parcel(std::uint32_t action, std::size_t bytes, locality to);
void end_parcel(const parcel_place& written, std::uint32_t action, std::size_t bytes);
/// May take the bytes away.
void send_parcel(new_parcel& parcel, locality to);

/// Somebody in this process who waits for a result from another one.
class awaited_reply {
 public:
  virtual ~awaited_reply() = default;
  virtual void arrived(std::span<const std::byte> value) = 0;
  virtual void failed(std::exception_ptr why) noexcept = 0;
  /// Of a value that comes in pieces: it is for the one of that number, which take_reply() gives. Null: it has to be
  /// whole.
  virtual arriving_beginner beginner() const noexcept { return nullptr; }
};
/// Its number in the parcel. The reply, or end of the localities, deletes it.
std::uint64_t await_reply(std::unique_ptr<awaited_reply> who, locality from);
/// Of a reply that has come. Null: nobody waits for that number from there.
std::unique_ptr<awaited_reply> take_reply(std::uint64_t number, unsigned from) noexcept;
/// Where the parcel could not be sent.
void forget_reply(std::uint64_t number) noexcept;

/// The parcel of a reply; and instead of it the exception that is being handled.
inline constexpr std::uint32_t k_value_parcel = 0x7fff'ffff;
void send_exception(const action_entry& from, std::uint64_t reply, unsigned to) noexcept;

inline constexpr std::size_t k_most_on_stack = 512;

/// All of them, and they are not many bytes: such parcels need no memory.
template <class... Ts>
inline constexpr bool are_small = (is_bitwise<Ts> && ...) && (sizeof(Ts) + ... + 0) <= k_most_on_stack;

/// Of such values together, where any bytes are values of them; 0: of others, or of none.
template <class Tuple>
inline constexpr std::size_t bytes_of_small = 0;
template <class... Ts>
  requires(are_small<Ts...> && (!std::is_same_v<Ts, bool> && ...))
inline constexpr std::size_t bytes_of_small<std::tuple<Ts...>> = (sizeof(Ts) + ... + 0);

/// A parcel of these values, of which the bytes are the value.
template <class... Ts>
TREADLE_NOINLINE void send_bitwise_with_lock(std::uint32_t action, std::uint64_t reply, locality to,
                                             const Ts&... values) {
  const std::size_t bytes = size_of_parcel<Ts...>(reply);
  const parcel_place room = begin_parcel(action, bytes, to);
  if (TREADLE_LIKELY(room.at != nullptr)) {
    write_parcel(room.at, action, reply, values...);
    end_parcel(room, action, bytes);
  } else {
    send_parcel(small_parcel<Ts...>(action, reply, values...).bytes(), to);
  }
}
template <class... Ts>
[[gnu::always_inline]] inline void send_bitwise(std::uint32_t action, std::uint64_t reply, locality to,
                                                const Ts&... values) {
  const std::size_t bytes = size_of_parcel<Ts...>(reply);
  parcel_run* const run = run_for(to.number());
  std::byte* const at = run ? run->begin(to.number(), action, bytes) : nullptr;
  if (TREADLE_UNLIKELY(!at)) return send_bitwise_with_lock(action, reply, to, values...);
  write_parcel(at, action, reply, values...);
  run->end(action, bytes);
}
/// The contents of a large vector are not copied where they can be sent from there.
template <class T>
void add_value(new_parcel& to, const T& value, bool is_last) {
  constexpr std::size_t k_large = std::size_t{256} << 10U;
  if constexpr (is_bitwise_vector<T>) {
    if (const std::size_t size = value.size(); is_last && size * sizeof(value[0]) >= k_large) {
      write_value(to.bytes, size);
      to.rest = std::as_bytes(std::span(value));
      return;
    }
  }
  write_value(to.bytes, value);
}
enum class archive_use { written, read };
/// While values that are not copied as they are become a part of a parcel, or are read from one: measured now and then.
class archive_timer {
 public:
  explicit archive_timer(archive_use what) noexcept;
  ~archive_timer();
  archive_timer(const archive_timer&) = delete;
  archive_timer& operator=(const archive_timer&) = delete;

 private:
  const archive_use m_use;
  std::int64_t m_begun = 0; ///< 0: not this time
};

/// Of any values.
template <class... Ts>
void send_any(std::uint32_t action, std::uint64_t reply, locality to, const Ts&... values) {
  new_parcel parcel(action, reply);
  {
    const archive_timer measures(archive_use::written);
    std::size_t left = sizeof...(Ts);
    (add_value(parcel, values, --left == 0), ...);
  }
  send_parcel(parcel, to);
}

template <class T>
struct signature;
template <class R, class... Args>
struct signature<R (*)(Args...)> {
  using result = R;
  using arguments = std::tuple<std::decay_t<Args>...>;
};
template <class R, class... Args>
struct signature<R (*)(Args...) noexcept> : signature<R (*)(Args...)> {};
template <class F, class R, class... Args>
struct signature<R (F::*)(Args...) const> : signature<R (*)(Args...)> {};
template <class F, class R, class... Args>
struct signature<R (F::*)(Args...) const noexcept> : signature<R (*)(Args...)> {};
template <class F>
  requires requires { &F::operator(); }
struct signature<F> : signature<decltype(&F::operator())> {};

template <class>
inline constexpr bool is_direct = false;
template <auto F>
inline constexpr bool is_direct<const direct_action<F>> = true;
template <auto F>
inline constexpr bool is_direct<direct_action<F>> = true;

/// The function of F, which may be direct<function>.
template <auto F>
constexpr auto function_of() noexcept {
  if constexpr (requires { F.function; })
    return F.function;
  else
    return F;
}

template <class T>
struct reply_of final : awaited_reply {
  void arrived(std::span<const std::byte> value) override {
    if constexpr (std::is_void_v<T>) {
      result.set_value();
    } else {
      T read{};
      read_value(value, read);
      result.set_value(std::move(read));
    }
  }
  void failed(std::exception_ptr why) noexcept override { result.set_exception(std::move(why)); }
  arriving_beginner beginner() const noexcept override {
    if constexpr (is_bitwise_vector<T>) {
      if constexpr (ends_in_vector<std::tuple<T>>) return arriving<std::tuple<T>, &reply_of::come>::begin;
    }
    return nullptr;
  }
  promise<T> result;

 private:
  static void come(std::tuple<T>& value, unsigned from, std::uint64_t number) {
    if (const std::unique_ptr<awaited_reply> who = take_reply(number, from))
      static_cast<reply_of&>(*who).result.set_value(std::move(std::get<0>(value)));
  }
};

/// f() as a task of that priority.
template <priority Level, class F>
auto async_with(F&& f) {
  if constexpr (Level == priority::normal)
    return async(std::forward<F>(f));
  else
    return async(parallel_executor(Level), std::forward<F>(f));
}

template <auto F>
constexpr priority priority_of() noexcept {
  if constexpr (requires { F.level; })
    return F.level; // of a member
  else
    return action_priority<F>;
}

/// T of future<T> and shared_future<T>.
template <class T>
struct awaited_value : unwrapped_future<T> {};
template <class T>
struct awaited_value<shared_future<T>> {
  using type = T;
};

template <auto F>
class action {
  static constexpr auto function = function_of<F>();
  using types = signature<std::remove_cv_t<decltype(function)>>;
  using returned = std::decay_t<typename types::result>;

 public:
  using result = typename awaited_value<returned>::type;
  static_assert(!std::is_reference_v<result>, "the future of a reference cannot travel");
  static_assert(std::is_same_v<typename awaited_value<result>::type, result>, "a future of a future cannot travel");
  using arguments = typename types::arguments;
  static constexpr bool is_direct = detail::is_direct<decltype(F)>;

  /// Reply 0: none. Arguments travel as the function's parameters, whatever the caller has given.
  template <class... Args>
  static void send(locality where, std::uint64_t reply, const Args&... args) {
    static_assert(sizeof...(Args) == std::tuple_size_v<arguments>, "the action has another number of parameters");
    send_as(static_cast<arguments*>(nullptr), where, reply, args...);
  }

  static void handle(std::span<const std::byte> archive, unsigned from, std::uint64_t reply) {
    constexpr std::size_t bytes = bytes_of_small<arguments>; // no check can fail behind that of the size
    if (bytes != 0 && TREADLE_LIKELY(archive.size() == bytes)) {
      arguments values;
      read_all({archive.data(), bytes}, values);
      return start(values, from, reply);
    }
    arguments values;
    try {
      read_all(archive, values);
    } catch (...) {
      send_exception(entry, reply, from);
      return;
    }
    start(values, from, reply);
  }

  static std::unique_ptr<arriving_parcel> begin(std::span<const std::byte> first, std::size_t bytes) {
    if constexpr (ends_in_vector<arguments>)
      return arriving<arguments, start>::begin(first, bytes);
    else
      return nullptr;
  }

  static inline action_entry entry{typeid(action).name(), handle, begin};

  /// Arguments are converted now, as those that travel are.
  template <class... Args>
  static future<result> call_here(Args&&... args) {
    auto call = [values = arguments(std::forward<Args>(args)...)]() mutable -> returned {
      return std::apply(function, std::move(values));
    };
    if constexpr (is_direct)
      return as_one_future(async(launch::sync, std::move(call)));
    else
      return as_one_future(async_with<level>(std::move(call)));
  }
  template <class... Args>
  static void execute_here(Args&&... args) {
    arguments values(std::forward<Args>(args)...);
    if constexpr (is_direct)
      execute(values, 0, 0);
    else
      static_cast<void>(async_with<level>([values = std::move(values)]() mutable { execute(values, 0, 0); }));
  }

 private:
  static constexpr priority level = priority_of<F>();

  static void read_all(std::span<const std::byte> archive, arguments& values) {
    std::optional<archive_timer> measures;
    if constexpr (std::tuple_size_v<arguments> != 0 && bytes_of_small<arguments> == 0)
      measures.emplace(archive_use::read);
    std::apply([&](auto&... each) { (read_value(archive, each), ...); }, values);
    if (!archive.empty()) throw archive_error("an archive goes on behind what it should hold");
  }
  static void start(arguments& values, unsigned from, std::uint64_t reply) {
    if constexpr (is_direct)
      execute(values, reply, from);
    else
      static_cast<void>(
          async_with<level>([values = std::move(values), reply, from]() mutable { execute(values, reply, from); }));
  }

  static future<result> as_one_future(future<returned> made) {
    if constexpr (std::is_same_v<returned, shared_future<result>>)
      return std::move(made).then(launch::sync, [](future<returned> done) {
        return done.get().then(launch::sync, [](shared_future<result> value) -> result { return value.get(); });
      });
    else
      return made; // of two futures one is made
  }

  template <class... Ts, class... Args>
  static void send_as(const std::tuple<Ts...>*, locality where, std::uint64_t reply, const Args&... args) {
    static_assert(((std::is_same_v<Args, Ts> || std::is_convertible_v<const Args&, Ts>) && ...),
                  "an argument of another type than the action's");
    if constexpr (are_small<Ts...>)
      send_bitwise<Ts...>(entry.number, reply, where, static_cast<Ts>(args)...); // converted before it begins
    else
      send_any(entry.number, reply, where, as_type<Ts>(args)...);
  }
  /// Without a copy where it is one already.
  template <class T, class Arg>
  static decltype(auto) as_type(const Arg& arg) {
    if constexpr (std::is_same_v<T, Arg>)
      return (arg);
    else
      return static_cast<T>(arg);
  }

  template <class... Ts>
  static void answer(std::uint64_t reply, unsigned to, const Ts&... values) {
    if constexpr (are_small<Ts...>)
      send_bitwise(k_value_parcel, reply, locality(to), values...);
    else
      send_any(k_value_parcel, reply, locality(to), values...);
  }

  /// Sends what get() returns, or throws.
  template <class Get>
  static void answer_with(Get get, std::uint64_t reply, unsigned to) noexcept {
    try {
      if constexpr (std::is_void_v<result>) {
        get();
        if (reply != 0) answer(reply, to);
      } else {
        const result& value = get();
        if (reply != 0) answer(reply, to, value);
      }
    } catch (...) {
      send_exception(entry, reply, to);
    }
  }

  static void execute(arguments& values, std::uint64_t reply, unsigned from) {
    const auto call = [&values]() -> returned { return std::apply(function, std::move(values)); };
    if constexpr (std::is_same_v<result, returned>) {
      answer_with(call, reply, from);
    } else {
      try { // when the future is ready, wherever that is
        static_cast<void>(call().then(launch::sync, [reply, from](returned done) {
          answer_with([&done]() -> decltype(auto) { return done.get(); }, reply, from);
        }));
      } catch (...) {
        send_exception(entry, reply, from);
      }
    }
  }
};

/// That which executes F, which may be a member of an object (object.hpp).
template <auto F>
struct action_of {
  using type = action<F>;
};

} // namespace detail

/// Executes the function F with these arguments in the locality `where`, as a task or, as direct<F>, without one, and
/// returns the future of its result. Arguments are converted to F's parameters and travel by value (archive.hpp); the
/// function runs here, as by async(F, args...), where `where` is this locality.
///
/// F: a function, or a lambda without captures. Where it returns a future<T> or shared_future<T>, that is a T here,
/// which is there when the future is ready; no task waits for it. What is to make it ready has to be a task or another
/// action: a program whose localities have nothing else to do ends. The arguments end when F returns. Who makes it
/// ready sends the result, and is suspended while much waits to be sent: it must not hold a lock.
///
/// Does not wait for an answer; suspends the task while more than 2 MiB for that locality wait to be sent. A vector of
/// numbers of 256 KiB or more, where it is the last argument or the result, is sent from where it is, without a copy:
/// the call returns, or who makes the result ready goes on, when it has left. The result of a direct action, which must
/// not wait, is copied. What F throws there arrives as remote_error. Any thread.
template <auto F, class... Args>
[[nodiscard]] auto async(locality where, Args&&... args) {
  using action = detail::action<F>;
  using T = typename action::result;
  if (where == find_here()) return action::call_here(std::forward<Args>(args)...);
  auto awaited = std::make_unique<detail::reply_of<T>>();
  future<T> result = awaited->result.get_future();
  const std::uint64_t reply = detail::await_reply(std::move(awaited), where);
  try {
    action::send(where, reply, args...);
  } catch (...) {
    detail::forget_reply(reply);
    throw;
  }
  return result;
}

/// The same without a result. What F throws there is reported by that process (set_exit_report).
template <auto F, class... Args>
void post(locality where, Args&&... args) {
  using action = detail::action<F>;
  if (where == find_here()) {
    action::execute_here(std::forward<Args>(args)...);
    return;
  }
  action::send(where, 0, args...);
}

namespace detail {
template <auto F, auto G, class Arguments>
struct continued;
template <auto F, auto G, class... Args>
struct continued<F, G, std::tuple<Args...>> {
  static auto call(unsigned number, Args... args) {
    const locality next(number);
    if constexpr (std::is_void_v<typename action<F>::result>)
      return action<F>::call_here(std::move(args)...).then(launch::sync, [next](future<void> done) {
        done.get();
        return async<G>(next);
      });
    else
      return action<F>::call_here(std::move(args)...).then(launch::sync, [next](auto done) {
        return async<G>(next, done.get());
      });
  }
};
} // namespace detail

/// F(args...) in the locality `where`, and then G of its result in `next`: the future of G's result, or of the first
/// exception. F's result goes straight from `where` to `next`; G's comes back through `where`.
template <auto F, auto G, class... Args>
[[nodiscard]] auto async_continue(locality where, locality next, Args&&... args) {
  using step = detail::continued<F, G, typename detail::action<F>::arguments>;
  return async<direct<&step::call>>(where, next.number(), std::forward<Args>(args)...);
}

/// How parcels of F travel from this process, from now on; results as those of actions without a setting of their own.
/// What was found out for it begins again. Throws std::invalid_argument that names a number that cannot be. Any thread.
template <auto F>
void set_coalescing(const coalescing& how) {
  detail::set_coalescing(&detail::action_of<F>::type::entry, how);
}
/// The same of all actions without a setting of their own, and of results. At the start that is what the environment
/// says (TREADLE_COALESCING, see docs/guide/localities.md), or adaptive.
inline void set_coalescing(const coalescing& how) { detail::set_coalescing(nullptr, how); }
/// For coalescing_trigger::event: the next numbers are tried when the next parcels of F are sent.
template <auto F>
void coalescing_event() {
  detail::tell_coalescing_event(detail::action_of<F>::type::entry);
}

} // namespace treadle
