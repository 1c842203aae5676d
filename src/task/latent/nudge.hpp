#pragma once

namespace treadle::detail {

/// Lets send_nudge() work in this process: from then on the signal makes a worker call
/// latent_promotion::answer_nudge(). False when the program uses the signal itself.
bool enable_nudges() noexcept;

/// Lets nudges reach the calling thread, which may have been started by a thread that blocks all signals.
void accept_nudges() noexcept;

/// Any thread, to the one with this kernel id; 0 is nobody.
void send_nudge(int thread_id) noexcept;

} // namespace treadle::detail
