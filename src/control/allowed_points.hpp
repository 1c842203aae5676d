// Which points of a session's space the program allows.
#pragma once

#include "base/fork.hpp"
#include "loop/state.hpp"

#include <treadle/tune/session.hpp>

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace treadle::detail {

/// Asks the program, each time again, for what it allows may change. The session's mutex, `held`, is left meanwhile, so
/// whatever it protects may have changed after each call. What the program throws is thrown, with the mutex held.
class allowed_points {
 public:
  /// What is given must live as long. No constraint: everything is allowed.
  allowed_points(const std::string& session, const std::vector<knob_base*>& knobs, const tune::space& space,
                 std::unique_ptr<constraint> asked) noexcept
      : m_session(session), m_knobs(knobs), m_space(space), m_constraint(std::move(asked)) {}

  explicit operator bool() const noexcept { return m_constraint != nullptr; }

  using lock = std::unique_lock<yielding_mutex>;
  /// The nearest to a point, itself first. Throws std::invalid_argument when there is none.
  tune::arm nearest(tune::arm from, lock& held) const;
  std::vector<tuned_point> among(std::vector<tuned_point> points, lock& held) const;
  /// Until the best point of a search is allowed; the search begins again where it knows no other.
  tune::arm lead(loop::state& search, lock& held) const;
  /// Until what the search tries next is allowed, too; false: none was among the first thousand, so it should not try.
  bool clear(loop::state& search, lock& held) const;
  /// In which order to set the knobs, so that what is in them meanwhile is allowed, too: where less is always allowed
  /// it is, and where no order does it, as with a + b == 8, it is not. Not with the mutex held.
  std::array<std::size_t, tune::space::k_max_dimensions> order(tune::arm to) const noexcept;

 private:
  using positions = std::array<std::uint32_t, tune::space::k_max_dimensions>;
  positions positions_of(tune::arm at) const noexcept;
  bool ask(tune::arm at) const { return m_constraint->allows(positions_of(at).data()); }
  bool ask(tune::arm at, lock& held) const;
  [[noreturn]] void refuse_all(tune::arm from, bool asked_all) const;

  const std::string& m_session;
  const std::vector<knob_base*>& m_knobs;
  const tune::space& m_space;
  const std::unique_ptr<constraint> m_constraint;
};

} // namespace treadle::detail
