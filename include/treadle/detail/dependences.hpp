#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstdint>

// What traces are told about who depends on whom (docs/design/simulation.md). Costs one load as long as nobody records.

namespace treadle::detail {

class future_state;

/// A bit for each kind of event that somebody wants (observe/emit.hpp).
extern atomic<std::uint32_t> wanted_events;
/// That of event_kind::input_attached, which is recorded together with the others of its sort.
inline constexpr std::uint32_t k_dependence_bit = 1U << 15;

// relaxed: who begins to record finds the events from some moment on.
inline bool records_dependences() noexcept { return (wanted_events.load(order::relaxed) & k_dependence_bit) != 0; }

/// An input of the node that the calling thread makes or starts next.
void note_input(const future_state& node, const future_state& input) noexcept;
/// The state is completed by no task: a promise, for example.
void note_no_task(const future_state& state) noexcept;
/// The result of `outer`, which has run, is that of `inner`.
void note_forwarding(future_state& outer, const future_state& inner) noexcept;

} // namespace treadle::detail
