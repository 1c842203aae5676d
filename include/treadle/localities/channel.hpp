#pragma once

#include <treadle/channel.hpp>
#include <treadle/localities/object.hpp>

namespace treadle {

namespace detail {

/// What a remote_channel holds, where that was made.
template <class T>
class channel_home final : public awaited_object {
 public:
  void set(T value) { m_values.set(std::move(value)); }
  void close() { m_values.close(); }
  future<T> get() { return m_values.get(); }
  void give_up(const std::exception_ptr& why) noexcept override { m_values.close(why); }

 private:
  channel<T> m_values;
};

} // namespace detail

/// Values from any number of senders to any number of receivers in all localities, first in, first out; as
/// treadle::channel without a capacity. What one thread sends stays in order. A value that may be sent to others, of
/// which all copies are one channel; what it holds is where it was made, as an object is (object.hpp), so a channel is
/// best made where its values are received. When a locality dies, nothing more comes: who waits gets that error. T as
/// for archives (archive.hpp). Any thread.
template <class T>
class remote_channel : public detail::reference_to_home<detail::channel_home<T>> {
 public:
  using object = detail::channel_home<T>;
  using detail::reference_to_home<object>::reference_to_home;
  /// A new one, in this locality.
  static remote_channel make() { return remote_channel(remote<object>(std::make_shared<object>())); }

  /// Does not wait for an answer. One that comes to a closed channel is lost, which is reported there
  /// (set_exit_report).
  void set(T value) const { post<direct<&object::set>>(this->home(), std::move(value)); }
  /// The next value. Throws remote_error, or here channel_closed, when the channel is closed and empty. One that comes
  /// for a future that was dropped is lost.
  [[nodiscard]] future<T> get() const { return async<direct<&object::get>>(this->home()); }
  /// No more values come, once those are gone that were sent before.
  void close() const { post<direct<&object::close>>(this->home()); }
};

} // namespace treadle
