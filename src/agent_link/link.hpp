#pragma once

namespace treadle::detail {

/// From now on the program follows its agent's grants, when there is an agent; again for each runtime that begins,
/// which tells the agent how many workers there are. Throws std::invalid_argument for what is wrong in the environment
/// (TREADLE_AGENT, TREADLE_AGENT_KEYS, TREADLE_AGENT_WISH), std::system_error where a folder is not private.
void link_to_agent();

} // namespace treadle::detail
