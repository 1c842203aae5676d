#pragma once

#include <treadle/detail/config.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// A hardware thread (a processing unit, as hwloc says), and where it is. Cores, caches, domains and packages have
/// numbers through the whole machine, in its order.
struct processing_unit {
  unsigned os_index = 0; ///< the number that the operating system has for it
  unsigned thread = 0;   ///< among those of its core: 0 is the first
  unsigned core = 0;
  unsigned cache = 0;  ///< the largest that it shares with others; one of its own where it shares none
  unsigned domain = 0; ///< NUMA domain
  unsigned package = 0;

  friend bool operator==(const processing_unit&, const processing_unit&) = default;
};

/// The shape of a machine, this one or one that is only described. A value.
struct topology {
  std::vector<processing_unit> units; ///< neighbours follow each other
  unsigned domains = 0;
  /// From each domain (a row) to each other, in the units of the firmware's tables: 10 is a domain's distance to
  /// itself. Empty when they are not known.
  std::vector<double> distances;

  /// 1 within a domain. Throws std::invalid_argument when there is no such domain, or the distances are not known.
  double distance(unsigned domain, unsigned other) const;
  /// Only the hardware threads with these numbers of the operating system. Those of a core are counted anew; cores,
  /// caches, domains and packages keep their numbers.
  topology within(std::span<const unsigned> os_indices) const;

  /// With these distances: rows separated by ';' and numbers by ',', as in "10,21;21,10". Throws std::invalid_argument
  /// that names what is wrong with them.
  topology with_distances(std::string_view rows) const;

  /// That of this machine, with all hardware threads that its control group allows when it is first asked for, which
  /// takes some milliseconds. Throws std::runtime_error where it cannot be read. Any thread.
  static const topology& of_this_machine();
  /// The same, with the hardware threads that this process may use at the moment.
  static topology of_this_process();
  /// From a file in the format that `lstopo machine.xml` writes. Throws std::invalid_argument that names the file.
  static topology from_xml(const std::string& file);
  /// From a description in the syntax of hwloc, "numa:4 core:18 pu:4", which has no distances. Throws
  /// std::invalid_argument that says so when it is none.
  static topology from_description(const std::string& description);
};

/// How workers are placed on hardware threads (docs/guide/pools.md has pictures).
enum class mapping : unsigned char {
  packed,           ///< pools one after the other, each hardware thread after its neighbour
  compact,          ///< the same, but pools do not share a core as long as there are enough
  scatter,          ///< as far apart as possible: packages first, then domains, cores, hardware threads
  balanced,         ///< the same number of workers on each core, as far as possible
  numa_balanced,    ///< the same number in each domain, and there on each core, as far as possible
  numa_balanced_mtp ///< that for each pool by itself, the first pools first (Jiang et al., IPDPSW 2020)
};
std::string_view to_string(mapping how) noexcept;
/// By its name with '-' for '_'. Throws std::invalid_argument that lists the names.
mapping mapping_from_name(std::string_view name);

/// Where the workers of pools with this many workers each go: for each pool, the hardware threads of its workers, as
/// indices of topology::units. When there are more workers than hardware threads, these are given out again from the
/// first. Empty lists when the machine has none. Throws std::invalid_argument when a unit is in a domain that the
/// machine does not have.
std::vector<std::vector<unsigned>> map_workers(const topology& machine, mapping how, std::span<const unsigned> pools);

} // namespace treadle
