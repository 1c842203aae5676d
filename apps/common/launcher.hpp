#pragma once

#include <treadle/async.hpp>
#include <treadle/dataflow.hpp>
#include <treadle/executors.hpp>

#include <utility>
#include <variant>

namespace apps {

/// How the tasks of one kernel are made: by the default policy, with a priority, or in a pool. A value that is chosen
/// when the program runs, where an executor's type would be chosen when it is compiled.
class launcher {
 public:
  launcher() noexcept = default;
  explicit launcher(treadle::parallel_executor executor) noexcept : m_how(executor) {}
  explicit launcher(treadle::pool_executor executor) noexcept : m_how(executor) {}

  /// As treadle::async(f, args...), there.
  template <class F, class... Args>
  auto async(F&& f, Args&&... args) const {
    return std::visit(
        [&](const auto& how) { return treadle::async(how, std::forward<F>(f), std::forward<Args>(args)...); }, m_how);
  }
  /// As treadle::dataflow(f, args...), there.
  template <class F, class... Args>
  auto dataflow(F&& f, Args&&... args) const {
    return std::visit(
        [&](const auto& how) { return treadle::dataflow(how, std::forward<F>(f), std::forward<Args>(args)...); },
        m_how);
  }

 private:
  std::variant<treadle::launch, treadle::parallel_executor, treadle::pool_executor> m_how = treadle::launch::async;
};

} // namespace apps
