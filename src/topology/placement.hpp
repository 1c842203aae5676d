#pragma once

#include "topology/process_mask.hpp"

#include <treadle/topology.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace treadle::detail {

/// How workers are bound to hardware threads; none: they begin one after the other, and the operating system moves them
/// as it likes.
using binding = std::optional<mapping>;
/// By the name of a mapping or "none", which an empty name is, too. Throws std::invalid_argument that lists the names.
binding binding_from_name(std::string_view name);

/// The hardware threads of a mask, by the numbers of the operating system, for the workers of pools with so many each,
/// one pool after the other. A mapping reads the topology, which takes some milliseconds the first time; without one,
/// and where it cannot be read, they are all those of the mask, rising.
std::vector<unsigned> cpus_of_workers(binding how, const process_mask& within, std::span<const unsigned> pools);

/// Puts the calling thread there; where the system refuses it, it stays where it is.
void run_on(unsigned cpu) noexcept;

} // namespace treadle::detail
