#pragma once

#include <treadle/localities/action.hpp>
#include <treadle/when.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

/// Objects that live in one locality and are reached from all of them: components, in HPX's words.
namespace treadle {

template <class T>
class remote;

namespace detail {

/// The name of an object in the whole program: where it lives, and its number there, which is never used again.
struct object_id {
  std::uint32_t home = 0;
  std::uint64_t number = 0; ///< 0: none
  friend bool operator==(const object_id&, const object_id&) = default;
};

class object_proxy;

/// A part of an object of which others wait for something: told when a locality has died, as that may not come then.
class awaited_object {
 public:
  virtual void give_up(const std::exception_ptr& why) noexcept = 0;

 protected:
  ~awaited_object() = default;
};
template <class T>
awaited_object* awaited_part(T* object) noexcept {
  if constexpr (std::is_base_of_v<awaited_object, T>)
    return object;
  else
    return nullptr;
}

/// A reference to an object of any type. An object has credit, all of which is somewhere: with the references of
/// processes, or on its way with one that is sent. What the last reference of a process had goes back, and the object
/// ends when it has all (weighted reference counting: Bevan, PARLE 1987; Watson and Watson, PARLE 1987).
class object_ref {
 public:
  object_ref() noexcept = default;
  object_ref(const object_ref& other) noexcept;
  object_ref(object_ref&& other) noexcept : m_proxy(std::exchange(other.m_proxy, nullptr)) {}
  object_ref& operator=(object_ref other) noexcept {
    std::swap(m_proxy, other.m_proxy);
    return *this;
  }
  ~object_ref();
  /// Of an object of this process, from now on.
  object_ref(std::shared_ptr<void> object, const std::type_info& type, awaited_object* awaited);

  object_id id() const noexcept;

  void save(output_archive& archive) const;
  void load(input_archive& archive);

 private:
  object_proxy* m_proxy = nullptr;
};

/// The object of this process with that number. Throws std::runtime_error where there is none, or one of another type.
std::shared_ptr<void> find_object(std::uint64_t number, const std::type_info& type);

/// An object whose member is called: by its number on the way, and then itself, so that it does not end before.
template <class T>
struct called_object {
  std::uint64_t number = 0;
  std::shared_ptr<T> object = nullptr; ///< in its locality

  void save(output_archive& archive) const { archive(number); }
  void load(input_archive& archive) {
    archive(number);
    object = std::static_pointer_cast<T>(find_object(number, typeid(T)));
  }
};

template <class T>
inline constexpr bool is_read_freely<called_object<T>> = true;

/// The function that calls the member F of an object of type T, which may have it from a base.
template <auto F, class T, class = decltype(F)>
struct member_call;
#define TREADLE_MEMBER_CALL(qualifiers)                                                                                \
  template <auto F, class T, class R, class Class, class... Args>                                                      \
  struct member_call<F, T, R (Class::*)(Args...) qualifiers> {                                                         \
    static_assert(std::is_base_of_v<Class, T>, "F is a member of another class");                                      \
    static_assert(!((std::is_lvalue_reference_v<Args> && !std::is_const_v<std::remove_reference_t<Args>>) || ...),     \
                  "arguments travel by value: what F writes to one is lost");                                          \
    static std::decay_t<R> call(called_object<T> target, std::decay_t<Args>... args) {                                 \
      return ((*target.object).*F)(static_cast<Args&&>(args)...);                                                      \
    }                                                                                                                  \
  }
TREADLE_MEMBER_CALL();
TREADLE_MEMBER_CALL(const);
TREADLE_MEMBER_CALL(noexcept);
TREADLE_MEMBER_CALL(const noexcept);
#undef TREADLE_MEMBER_CALL

/// The action of a member, which may be direct<&T::f>.
template <auto F, class T>
struct called_member {
  static constexpr auto function = &member_call<F, T>::call;
  static constexpr priority level = action_priority<F>;
};
template <auto F, class T>
constexpr auto member_action() noexcept {
  if constexpr (is_direct<decltype(F)>)
    return direct<&member_call<function_of<F>(), T>::call>;
  else
    return called_member<F, T>();
}

template <class>
struct class_of_member;
template <class Class, class Member>
struct class_of_member<Member Class::*> {
  using type = Class;
};
template <auto F>
  requires std::is_member_function_pointer_v<decltype(function_of<F>())>
struct action_of<F> {
  using type = action<member_action<F, typename class_of_member<decltype(function_of<F>())>::type>()>;
};

template <class T>
called_object<T> called(const remote<T>& target) {
  if (!target) throw std::logic_error("a call of a member of no object: the reference is none");
  return {target.id().number, target.here()};
}

template <class T, class... Args>
remote<T> make_object(Args... args) {
  return remote<T>(std::make_shared<T>(std::move(args)...));
}
/// What travels in place of an argument: text instead of a pointer to it.
template <class T>
using as_sent = std::conditional_t<std::is_convertible_v<T, const char*> && !std::is_null_pointer_v<std::decay_t<T>>,
                                   std::string, std::decay_t<T>>;

/// fold(fold(first, a), b) and so on over all results, when all are there. The first exception in their order.
template <class R, class T, class Fold>
future<T> folded(std::vector<future<R>> all, T first, Fold fold) {
  return when_all(std::move(all))
      .then(launch::sync, [first = std::move(first), fold](future<std::vector<future<R>>> done) mutable {
        for (future<R>& one : done.get()) first = fold(std::move(first), one.get());
        return std::move(first);
      });
}

object_ref find_named(const std::string& name, const std::string& type);
bool give_name(const std::string& name, const std::string& type, const object_ref& to);
bool drop_name(const std::string& name);
inline constexpr locality k_names_are_kept{0};

} // namespace detail

/// A reference to an object of type T in some locality, or to none. Copies are cheap in a process, and may be sent to
/// others, also inside of arguments and results; to send one may wait for the object's locality, after some ten
/// thousand without an answer from there. The object ends when there is no reference left anywhere, in a task of its
/// locality, and all that are left with the localities: references are none from then on. A reference that was written
/// into a parcel that could not be sent, or not be read, keeps its object until then. Any thread, one reference by one
/// thread at a time.
template <class T>
class remote {
 public:
  remote() noexcept = default;
  /// One of this locality, from now on reached from others, too; none where it is null.
  explicit remote(const std::shared_ptr<T>& object) : m_ref(object, typeid(T), detail::awaited_part(object.get())) {}
  explicit remote(detail::object_ref untyped) noexcept : m_ref(std::move(untyped)) {}

  explicit operator bool() const noexcept { return m_ref.id().number != 0; }
  /// The locality where it lives.
  locality where() const noexcept { return locality(m_ref.id().home); }
  /// The object itself, in its locality; null in others.
  std::shared_ptr<T> here() const {
    if (!*this || where() != find_here()) return nullptr;
    return std::static_pointer_cast<T>(detail::find_object(m_ref.id().number, typeid(T)));
  }
  detail::object_id id() const noexcept { return m_ref.id(); }
  const detail::object_ref& untyped() const noexcept { return m_ref; }
  friend bool operator==(const remote& a, const remote& b) noexcept { return a.id() == b.id(); }

  void save(output_archive& archive) const { m_ref.save(archive); }
  void load(input_archive& archive) { m_ref.load(archive); }

 private:
  detail::object_ref m_ref;
};

namespace detail {

/// What has copies in all localities that mean one object.
template <class Home>
class reference_to_home {
 public:
  using object = Home;
  /// None, until another one is assigned: calls throw std::logic_error.
  reference_to_home() noexcept = default;
  explicit reference_to_home(remote<Home> home) noexcept : m_home(std::move(home)) {}
  explicit operator bool() const noexcept { return static_cast<bool>(m_home); }
  /// For register_name(), and find_name<object>().
  const remote<Home>& home() const noexcept { return m_home; }

  void save(output_archive& archive) const { m_home.save(archive); }
  void load(input_archive& archive) { m_home.load(archive); }

 private:
  remote<Home> m_home;
};

} // namespace detail

/// Makes T(args...) in that locality, as a task there.
template <class T, class... Args>
[[nodiscard]] future<remote<T>> make_remote(locality where, Args&&... args) {
  return async<&detail::make_object<T, detail::as_sent<Args>...>>(where, detail::as_sent<Args>(args)...);
}
/// Beside another object.
template <class T, class U, class... Args>
[[nodiscard]] future<remote<T>> make_remote(const remote<U>& beside, Args&&... args) {
  return make_remote<T>(beside.where(), std::forward<Args>(args)...);
}
/// One in each of these localities, in their order; see round_robin() and in_blocks().
template <class T, class... Args>
[[nodiscard]] future<std::vector<remote<T>>> make_remotes(const std::vector<locality>& where, const Args&... args) {
  std::vector<future<remote<T>>> all;
  for (const locality one : where) all.push_back(make_remote<T>(one, args...));
  return detail::folded(std::move(all), std::vector<remote<T>>(), [](auto made, remote<T> next) {
    made.push_back(std::move(next));
    return made;
  });
}
/// Where to make n objects: one after the other in all localities, again and again; or those that follow each other
/// together.
inline std::vector<locality> round_robin(std::size_t n) {
  std::vector<locality> where;
  for (std::size_t i = 0; i < n; ++i) where.emplace_back(static_cast<unsigned>(i % num_localities()));
  return where;
}
inline std::vector<locality> in_blocks(std::size_t n) {
  std::vector<locality> where;
  for (std::size_t i = 0; i < n; ++i) where.emplace_back(static_cast<unsigned>(i * num_localities() / n));
  return where;
}

/// Calls a member where the object lives, as a task or, as direct<&T::f>, without one: see async<F>(locality, args...).
/// Several members may run at a time, also of one object. The reference may end at once: the object does not end before
/// the member has returned. A member that returns a future, and uses the object afterwards, keeps it by
/// std::enable_shared_from_this. Throws std::logic_error where the reference is none.
template <auto F, class T, class... Args>
[[nodiscard]] auto async(const remote<T>& target, Args&&... args) {
  return async<detail::member_action<F, T>()>(target.where(), detail::called(target), std::forward<Args>(args)...);
}
/// The same without a result.
template <auto F, class T, class... Args>
void post(const remote<T>& target, Args&&... args) {
  post<detail::member_action<F, T>()>(target.where(), detail::called(target), std::forward<Args>(args)...);
}

/// Gives an object a name in the whole program, which keeps it until the name is dropped. False: there is one already.
/// Throws std::logic_error where the reference is none.
template <class T>
[[nodiscard]] future<bool> register_name(const std::string& name, const remote<T>& object) {
  if (!object) throw std::logic_error("a name, " + name + ", for no object: the reference is none");
  return async<&detail::give_name>(detail::k_names_are_kept, name, std::string(typeid(T).name()), object.untyped());
}
/// That of this name; none where there is none. The future throws std::runtime_error when it has another type.
template <class T>
[[nodiscard]] future<remote<T>> find_name(const std::string& name) {
  return async<&detail::find_named>(detail::k_names_are_kept, name, std::string(typeid(T).name()))
      .then(launch::sync, [](future<detail::object_ref> found) { return remote<T>(found.get()); });
}
/// False: there was none.
[[nodiscard]] inline future<bool> unregister_name(const std::string& name) {
  return async<&detail::drop_name>(detail::k_names_are_kept, name);
}

} // namespace treadle
