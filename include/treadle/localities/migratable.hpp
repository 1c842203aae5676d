#pragma once

#include <treadle/detail/spinlock.hpp>
#include <treadle/localities/object.hpp>
#include <treadle/mutex.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

/// Objects that move from one locality to another while they are used.
namespace treadle {

namespace detail {

/// Of a call of an object that moves: whether it went to where the object was.
void count_resolution(bool was_right) noexcept;

template <class T>
class place_of_object;

/// What such a call gives, and where the object was where that was not known.
template <class T, class R>
struct placed_result {
  remote<place_of_object<T>> elsewhere;
  std::conditional_t<std::is_void_v<R>, std::monostate, R> value{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(elsewhere);
    if constexpr (!std::is_void_v<R>) archive(value);
  }
};

/// A place where such an object is, or was. The one where it was made is its home: references mean that one, which
/// always knows where the object is. Another one that the object has left knows its home.
template <class T>
class place_of_object : public std::enable_shared_from_this<place_of_object<T>> {
 public:
  using place = remote<place_of_object>;

  template <class... Args>
  explicit place_of_object(std::in_place_t, Args... args) : m_object(std::in_place, std::move(args)...) {}
  explicit place_of_object(T object) : m_object(std::move(object)) {}

  /// Calls a member of the object, wherever that is.
  template <auto F, class R, class... Args>
  future<placed_result<T, R>> call(Args... args) {
    static_assert(!is_future<R>, "who moves an object waits for calls, and could not wait for what the future is of");
    place next;
    {
      std::unique_lock held(m_lock);
      if (m_moves) {
        const shared_future<void> moved = m_moved;
        held.unlock();
        return moved.then([self = this->shared_from_this(), args = std::tuple(std::move(args)...)](auto) mutable {
          return std::apply([&](auto&... each) { return self->template call<F, R, Args...>(std::move(each)...); },
                            args);
        });
      }
      if (!m_object) next = m_elsewhere;
      if (m_object) ++m_calls;
    }
    if (next) {
      auto result = async<&place_of_object::template call<F, R, Args...>>(next, std::move(args)...);
      return std::move(result).then([next](auto done) { // in a task: who sends a reference may have to wait for credit
        placed_result<T, R> found = done.get();
        if (!found.elsewhere) found.elsewhere = next;
        return found;
      });
    }
    const ended_call ends{*this};
    placed_result<T, R> result;
    if constexpr (std::is_void_v<R>)
      ((*m_object).*F)(std::move(args)...);
    else
      result.value = R(((*m_object).*F)(std::move(args)...));
    return make_ready_future(std::move(result));
  }

  /// At its home.
  void migrate(unsigned to) {
    const std::lock_guard one_at_a_time(m_migrates);
    const unsigned here = find_here().number();
    if (to == (m_object ? here : m_elsewhere.where().number())) return;
    const move moves(*this); // what is called from now on waits here
    if (!m_object) {
      const place from = m_elsewhere;
      try {
        m_object = async<&place_of_object::lend>(from).get();
      } catch (...) { // it cannot be read here, say: it stays there
        async<&place_of_object::end_lending>(from, place()).get();
        throw;
      }
      set_elsewhere(place()); // from now on it is this one, also where the other one dies before it knows that
      async<&place_of_object::end_lending>(from, place(this->shared_from_this())).get();
    }
    if (to == here) return;
    set_elsewhere(make_remote<place_of_object>(locality(to), *m_object).get()); // or it stays here
    m_object.reset();
  }
  /// Where it is, if that is not here; of its home.
  place elsewhere() {
    const std::lock_guard held(m_lock);
    return m_elsewhere;
  }

 private:
  struct ended_call {
    place_of_object& of;
    ~ended_call() {
      promise<void> idle;
      {
        const std::lock_guard held(of.m_lock);
        if (--of.m_calls != 0 || !of.m_moves) return;
        idle = std::move(of.m_idle);
      }
      idle.set_value();
    }
  };
  /// From when no call is in progress to the end of its scope nothing is called here.
  class move {
   public:
    explicit move(place_of_object& of) : m_of(of) {
      future<void> idle;
      {
        const std::lock_guard held(of.m_lock);
        of.m_moves = true;
        of.m_moved = m_over.get_future().share();
        of.m_idle = promise<void>();
        if (of.m_calls != 0) idle = of.m_idle.get_future();
      }
      if (idle.valid()) idle.get();
    }
    ~move() {
      {
        const std::lock_guard held(m_of.m_lock);
        m_of.m_moves = false;
      }
      m_over.set_value();
    }
    move(const move&) = delete;
    move& operator=(const move&) = delete;

   private:
    place_of_object& m_of;
    promise<void> m_over;
  };

  /// At another place than its home: from now on nothing is called there, and who asks has a copy ...
  T lend() {
    m_lends.emplace(*this);
    return *m_object;
  }
  /// ... which is the object where `home` is given. Calls go on, there or here.
  void end_lending(place home) {
    if (!m_lends) return;
    if (home) {
      set_elsewhere(std::move(home));
      m_object.reset();
    }
    m_lends.reset();
  }
  void set_elsewhere(place next) {
    const std::lock_guard held(m_lock);
    std::swap(m_elsewhere, next); // what was there ends without the lock
  }

  spinlock m_lock; // of all but the object, which is used by calls in progress, or else by who moves it
  std::optional<T> m_object;
  place m_elsewhere;
  std::size_t m_calls = 0; ///< in progress
  bool m_moves = false;
  shared_future<void> m_moved;
  promise<void> m_idle;
  mutex m_migrates;
  std::optional<move> m_lends;
};

template <class T, class... Args>
remote<place_of_object<T>> make_place(Args... args) {
  return remote<place_of_object<T>>(std::make_shared<place_of_object<T>>(std::in_place, std::move(args)...));
}

/// What references of this process that were copied from each other know of an object: its home, and where it was when
/// one of their calls came back.
template <class T>
class resolved_place {
 public:
  using place = remote<place_of_object<T>>;
  resolved_place(place home, place nearest) noexcept : m_home(std::move(home)), m_nearest(std::move(nearest)) {}
  const place& home() const noexcept { return m_home; }
  place nearest() const {
    const scoped_lock held(m_lock);
    return m_nearest;
  }
  /// What a call has found.
  void learn(place elsewhere) {
    count_resolution(!elsewhere);
    if (!elsewhere) return;
    const scoped_lock held(m_lock);
    std::swap(m_nearest, elsewhere); // what was there ends without the lock
  }

 private:
  const place m_home;
  mutable spinlock m_lock; // of the next
  place m_nearest;
};

/// The member F, called through a place.
template <auto F, class T, class Arguments = typename signature<decltype(&member_call<F, T>::call)>::arguments>
struct placed_call;
template <auto F, class T, class... Args>
struct placed_call<F, T, std::tuple<called_object<T>, Args...>> {
  using result = typename signature<decltype(&member_call<F, T>::call)>::result;
  static constexpr auto member = &place_of_object<T>::template call<F, result, Args...>;
};

} // namespace detail

/// A reference to an object of type T that moves: to the locality where it is used most, or where there is memory. It
/// is used like remote<T>, by async<&T::f>(reference, args...) and post, and means the same object wherever that is.
/// Its members may run at the same time, but none runs while it moves: calls wait then, and who moves it waits for
/// those in progress, so a member must not wait for a migration, or for another call, of its own object.
///
/// Calls go straight to where the object was when async() by this reference, or a copy of it, has come back, and from
/// there on where it has left that (/agas/count/cache/hits and /misses); at first by where it was made, which always
/// knows. Their results are archives, also those that are numbers or large vectors.
///
/// T: copyable, default-constructible, and known to archives (archive.hpp), with all that it is made of. Its members
/// return no futures. Any thread, one reference by one thread at a time.
template <class T>
class migratable {
 public:
  /// None: calls throw std::logic_error.
  migratable() noexcept = default;
  explicit operator bool() const noexcept { return m_known && m_known->home(); }

  /// Returns when it is in that locality. What goes wrong on its way leaves it where it is, or in its home.
  [[nodiscard]] future<void> migrate(locality to) const {
    if (to.number() >= num_localities())
      throw std::out_of_range("migrate: there is no locality " + std::to_string(to.number()));
    return async<&home::migrate>(made(), to.number());
  }
  /// Where it is at the moment.
  [[nodiscard]] future<locality> where() const {
    return async<&home::elsewhere>(made()).then(launch::sync, [here = made().where()](auto found) {
      const remote<home> at = found.get();
      return at ? at.where() : here;
    });
  }
  using home = detail::place_of_object<T>;
  explicit migratable(remote<home> made) : migratable(made, made) {}
  /// None where this is none.
  std::shared_ptr<detail::resolved_place<T>> known() const noexcept { return m_known; }
  remote<home> nearest() const { return m_known ? m_known->nearest() : remote<home>(); }

  void save(output_archive& archive) const { archive(made(), nearest()); }
  void load(input_archive& archive) {
    remote<home> made, nearest;
    archive(made, nearest);
    *this = made ? migratable(std::move(made), std::move(nearest)) : migratable();
  }

 private:
  migratable(remote<home> made, remote<home> nearest)
      : m_known(std::make_shared<detail::resolved_place<T>>(std::move(made), std::move(nearest))) {}
  remote<home> made() const noexcept { return m_known ? m_known->home() : remote<home>(); }

  std::shared_ptr<detail::resolved_place<T>> m_known;
};

/// Makes T(args...) in that locality, as a task there.
template <class T, class... Args>
[[nodiscard]] future<migratable<T>> make_migratable(locality where, Args&&... args) {
  return async<&detail::make_place<T, detail::as_sent<Args>...>>(where, detail::as_sent<Args>(args)...)
      .then(launch::sync, [](auto made) { return migratable<T>(made.get()); });
}

/// See async<F>(remote<T>, args...).
template <auto F, class T, class... Args>
[[nodiscard]] auto async(const migratable<T>& target, Args&&... args) {
  using result = typename detail::placed_call<F, T>::result;
  return async<detail::placed_call<F, T>::member>(target.nearest(), std::forward<Args>(args)...)
      .then(launch::sync, [known = target.known()](auto done) -> result {
        auto found = done.get();
        known->learn(std::move(found.elsewhere));
        if constexpr (!std::is_void_v<result>) return std::move(found.value);
      });
}
template <auto F, class T, class... Args>
void post(const migratable<T>& target, Args&&... args) {
  post<detail::placed_call<F, T>::member>(target.nearest(), std::forward<Args>(args)...);
}

} // namespace treadle
