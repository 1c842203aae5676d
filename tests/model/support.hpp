#pragma once

#include "model/check/explore.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/job.hpp>

namespace treadle::check {

using detail::atomic;
using detail::plain;

/// A job that fails the execution when it is run twice, and whose argument must be visible to the one that runs it.
struct once final : detail::job {
  explicit once(int id = 0) : argument(id) {}
  void run() noexcept override {
    require(argument >= 0, "the job is run once");
    argument = -1;
  }
  bool was_run() const { return argument < 0; }

  plain<int> argument;
};

} // namespace treadle::check
