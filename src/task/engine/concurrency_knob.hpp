#pragma once

#include "observe/knob_list.hpp"

#include <treadle/detail/atomic.hpp>

#include <optional>
#include <string>

namespace treadle::detail {

/// runtime::set_concurrency() by name, for the current runtime; what is set while there is none is for the next ones.
class concurrency_knob final : public listed_knob {
 public:
  std::string_view knob_name() const noexcept override { return "runtime.concurrency"; }
  std::string knob_value() const override;
  std::string knob_values() const override;
  std::string_view knob_meaning() const noexcept override {
    return "How many workers may be active, in all pools; where there are fewer, all.";
  }
  void set_from_text(std::string_view text) override;

  /// By a runtime that starts, which may have fewer; none: all may be active.
  std::optional<unsigned> given() const noexcept;

 private:
  atomic<std::int64_t> m_given{-1}; // none
};
inline constinit concurrency_knob the_concurrency_knob{};

} // namespace treadle::detail
