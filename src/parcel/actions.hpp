// The actions of this program, by numbers that all localities give them alike.
#pragma once

#include <treadle/localities/action.hpp>

#include <cstdint>

namespace treadle::detail {

/// Gives all actions their numbers, from 1 on, in the order of their names, and returns a digest of these. Throws
/// std::logic_error where two have one name.
std::uint64_t number_actions();
/// One that answers with an error where no action has that number.
const action_entry& find_action(std::uint32_t number) noexcept;

} // namespace treadle::detail
