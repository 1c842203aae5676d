#pragma once

#include <treadle/async.hpp>
#include <treadle/localities/archive.hpp>
#include <treadle/localities/coalescing.hpp>
#include <treadle/localities/locality.hpp>
#include <treadle/promise.hpp>

#include <exception>
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

namespace detail {

/// A parcel that has arrived: what is left of its arguments, and where the result goes.
struct arrived_parcel {
  std::span<const std::byte> arguments;
  unsigned from = 0;
  std::uint64_t reply = 0; ///< 0: nobody waits for it
};

/// An action in this program, made before main(). Numbers are given when localities meet.
class action_entry {
 public:
  using handler = void (*)(const arrived_parcel&);
  action_entry(const char* symbol, handler handle) noexcept;

  const char* const symbol; ///< the mangled name of its type, which no other one has
  const handler handle;
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
};

/// The same of a size that is known, for values of which the bytes are the value.
template <std::size_t Bytes>
class small_parcel {
 public:
  small_parcel(std::uint32_t action, std::uint64_t reply) noexcept {
    const bool has_reply = reply != 0;
    const parcel_header header{action & 0x7fff'ffffU, has_reply ? 1U : 0U, static_cast<std::uint32_t>(Bytes)};
    add(header);
    if (has_reply) add(reply);
  }
  template <class T>
  void add(const T& value) noexcept {
    std::memcpy(m_bytes + m_size, &value, sizeof value);
    m_size += sizeof value;
  }
  std::span<const std::byte> bytes() const noexcept { return {m_bytes, m_size}; }

 private:
  std::byte m_bytes[sizeof(parcel_header) + sizeof(std::uint64_t) + Bytes];
  std::size_t m_size = 0;
};

void send_parcel(std::span<const std::byte> parcel, locality to);
/// May take the bytes away.
void send_parcel(new_parcel& parcel, locality to);

/// Somebody in this process who waits for a result from another one.
class awaited_reply {
 public:
  virtual ~awaited_reply() = default;
  virtual void arrived(std::span<const std::byte> value) = 0;
  virtual void failed(std::exception_ptr why) noexcept = 0;
};
/// Its number in the parcel. The reply, or end of the localities, deletes it.
std::uint64_t await_reply(std::unique_ptr<awaited_reply> who, locality from);
/// Where the parcel could not be sent.
void forget_reply(std::uint64_t number) noexcept;

/// The parcel of a reply; and instead of it the exception that is being handled.
inline constexpr std::uint32_t k_value_parcel = 0x7fff'ffff;
void send_exception(const action_entry& from, std::uint64_t reply, unsigned to) noexcept;

inline constexpr std::size_t k_most_on_stack = 512;

template <class>
inline constexpr std::size_t bitwise_bytes = 0;
template <class... Ts>
  requires(is_bitwise<Ts> && ...)
inline constexpr std::size_t bitwise_bytes<std::tuple<Ts...>> = (sizeof(Ts) + ... + 0);
/// All of them, and they are not many bytes: such parcels need no memory.
template <class Tuple>
inline constexpr bool are_bitwise = false;
template <class... Ts>
inline constexpr bool are_bitwise<std::tuple<Ts...>> =
    (is_bitwise<Ts> && ...) && (sizeof(Ts) + ... + 0) <= k_most_on_stack;

/// A parcel of values of these types, which write(add) gives to add(value) one after the other. Reply 0: none.
template <class Tuple, class Write>
void send_values(std::uint32_t action, std::uint64_t reply, locality to, Write write) {
  if constexpr (are_bitwise<Tuple>) {
    small_parcel<bitwise_bytes<Tuple>> parcel(action, reply);
    write([&](const auto& value) { parcel.add(value); });
    send_parcel(parcel.bytes(), to);
  } else {
    new_parcel parcel(action, reply);
    write([&](const auto& value) { write_value(parcel.bytes, value); });
    send_parcel(parcel, to);
  }
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
  if constexpr (is_direct<decltype(F)>)
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
  promise<T> result;
};

template <auto F>
class action {
  static constexpr auto function = function_of<F>();
  using types = signature<std::remove_cv_t<decltype(function)>>;

 public:
  using result = std::decay_t<typename types::result>;
  using arguments = typename types::arguments;
  static constexpr bool is_direct = detail::is_direct<decltype(F)>;

  /// Reply 0: none.
  template <class... Args>
  static void send(locality where, std::uint64_t reply, const Args&... args) {
    send_values<arguments>(entry.number, reply, where, [&](const auto& add) { write_as<0>(add, args...); });
  }

  static void handle(const arrived_parcel& parcel) {
    arguments values;
    try {
      std::span<const std::byte> left = parcel.arguments;
      std::apply([&](auto&... each) { (read_value(left, each), ...); }, values);
      if (!left.empty()) throw archive_error("an archive goes on behind what it should hold");
    } catch (...) {
      send_exception(entry, parcel.reply, parcel.from);
      return;
    }
    if constexpr (is_direct) {
      execute(values, parcel.reply, parcel.from);
    } else {
      static_cast<void>(async([values = std::move(values), reply = parcel.reply, from = parcel.from]() mutable {
        execute(values, reply, from);
      }));
    }
  }

  static inline action_entry entry{typeid(action).name(), handle};

  template <class... Args>
  static void execute_here(Args&&... args) {
    arguments values(std::forward<Args>(args)...);
    if constexpr (is_direct)
      execute(values, 0, 0);
    else
      static_cast<void>(async([values = std::move(values)]() mutable { execute(values, 0, 0); }));
  }

 private:
  /// As the function's parameters, whatever the caller has given.
  template <std::size_t I, class Write>
  static void write_as(const Write&) {
    static_assert(I == std::tuple_size_v<arguments>, "the action has more parameters");
  }
  template <std::size_t I, class Write, class First, class... Rest>
  static void write_as(const Write& write, const First& first, const Rest&... rest) {
    static_assert(I < std::tuple_size_v<arguments>, "the action has fewer parameters");
    const std::tuple_element_t<I, arguments>& as = first;
    write(as);
    write_as<I + 1>(write, rest...);
  }

  template <class Tuple, class Write>
  static void answer(std::uint64_t reply, unsigned to, Write write) {
    send_values<Tuple>(k_value_parcel, reply, locality(to), write);
  }

  static void execute(arguments& values, std::uint64_t reply, unsigned from) {
    try {
      if constexpr (std::is_void_v<result>) {
        std::apply(function, std::move(values));
        if (reply != 0) answer<std::tuple<>>(reply, from, [](const auto&) {});
      } else {
        const result value = std::apply(function, std::move(values));
        if (reply != 0) answer<std::tuple<result>>(reply, from, [&](const auto& add) { add(value); });
      }
    } catch (...) {
      send_exception(entry, reply, from);
    }
  }
};

} // namespace detail

/// Executes the function F with these arguments in the locality `where`, as a task or, as direct<F>, without one, and
/// returns the future of its result. Arguments are converted to F's parameters and travel by value (archive.hpp); the
/// function runs here, as by async(F, args...), where `where` is this locality.
///
/// F: a function, or a lambda without captures. Does not wait for an answer; suspends the task while more than 16 MiB
/// for that locality wait to be sent. What F throws there arrives as remote_error. Any thread.
template <auto F, class... Args>
[[nodiscard]] auto async(locality where, Args&&... args) {
  using action = detail::action<F>;
  using T = typename action::result;
  if (where == find_here()) {
    constexpr auto function = detail::function_of<F>();
    return async(action::is_direct ? launch::sync : launch::async, function, std::forward<Args>(args)...);
  }
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

/// How parcels of F travel from this process, from now on; results as those of actions without a setting of their own.
/// What was found out for it begins again. Throws std::invalid_argument that names a number that cannot be. Any thread.
template <auto F>
void set_coalescing(const coalescing& how) {
  detail::set_coalescing(&detail::action<F>::entry, how);
}
/// The same of all actions without a setting of their own, and of results. At the start that is what the environment
/// says (TREADLE_COALESCING, see docs/guide/localities.md), or adaptive.
inline void set_coalescing(const coalescing& how) { detail::set_coalescing(nullptr, how); }
/// For coalescing_trigger::event: the next numbers are tried when the next parcels of F are sent.
template <auto F>
void coalescing_event() {
  detail::tell_coalescing_event(detail::action<F>::entry);
}

} // namespace treadle
