// The actions of this program, by numbers that all localities give them alike.
#pragma once

#include <treadle/localities/action.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace treadle::detail {

/// Gives all actions their numbers, from 1 on, in the order of their names, and returns a digest of these. Throws
/// std::logic_error where two have one name.
std::uint64_t number_actions();
/// For messages: "&(add(int, int))".
std::string name_of(const action_entry& action);
/// What a mangled name means.
std::string readable(const char* symbol);
/// All actions by their numbers. Number 0 answers with an error: no action has it.
extern constinit std::span<const action_entry* const> g_actions; ///< that one alone before the localities have met
inline const action_entry& find_action(std::uint32_t number) noexcept {
  return *g_actions[number < g_actions.size() ? number : 0];
}

/// What was set for the action, or for all that have nothing of their own. Any thread, as the next.
coalescing coalescing_of(const action_entry& action) noexcept;
/// Null: of all others. Throws std::invalid_argument.
void store_coalescing(action_entry* of, const coalescing& how);

} // namespace treadle::detail
