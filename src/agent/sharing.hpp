// Who gets how many cores, as an agent decides it: the strategies of src/decide and what they know. Pure; what it knows
// can be written down, so that each decision can be made again from a log.
#pragma once

#include "agent/settings.hpp"
#include "decide/core_shares.hpp"
#include "decide/core_use.hpp"
#include "decide/producer_consumer.hpp"

#include <treadle/observe/agent.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace treadle::agent {

/// One program, as it is when cores are shared out. In the order in which programs came.
struct program_view {
  std::string program; ///< its number
  std::string name, group, role;
  unsigned workers = 1, least = 0, most = 0; ///< `most` 0: as many as workers
  double weight = 1, target = 0;
  bool is_preferred = false;
  bool is_idle = false;                  ///< none of its tasks could run
  bool is_paused = false;                ///< somebody wants it to have nothing
  bool is_silent = false;                ///< it does not answer: what it has it does not use
  double granted = 0;                    ///< workers, in the mean since the last sample
  double used_s = 0;                     ///< processor time since then
  std::optional<double> progress, total; ///< items made or used so far, and of all that it will make
};
/// Of a program that has this many workers and asks for that.
program_view view_of(std::string program, std::string name, unsigned workers, const core_wish& wish);

struct machine_view {
  unsigned cores = 1;             ///< to share out
  std::uint64_t turn = 0;         ///< which of the turns it is
  std::optional<double> sample_s; ///< this is a sample, so long after the last one; otherwise something happened
};
struct share {
  unsigned workers;
  std::string reason;
};

nlohmann::json to_json(const program_view& p);
nlohmann::json to_json(const machine_view& m);
program_view program_from_json(const nlohmann::json& object);
machine_view machine_from_json(const nlohmann::json& object);

class sharing {
 public:
  std::vector<share> decide(const settings& s, const machine_view& machine, std::span<const program_view> programs);

  /// What it knows. The other one: of what this has given; throws nlohmann's exceptions for anything else.
  nlohmann::json state() const;
  static sharing from_state(const nlohmann::json& state);

 private:
  /// What cores are shared out to: a program, or the two of a group between which items lie.
  struct unit {
    std::vector<std::size_t> members; // positions; of two the producer first
    decide::core_claim claim;
  };
  struct known {
    decide::core_use use;
    double progress = 0; // at the last sample
    unsigned cores = 0;  // that it got last
  };
  struct pair {
    decide::producer_consumer law;
    unsigned producer_cores = 0; // that the paper's law gave last
  };

  void forget_others(std::span<const program_view> programs);
  std::vector<unit> units_of(const settings& s, std::span<const program_view> programs) const;
  decide::core_shares share_out(const settings& s, const machine_view& machine, std::span<const unit> units,
                                std::span<const program_view> programs) const;
  unsigned producer_cores(const settings& s, const machine_view& machine, const program_view& producer,
                          const program_view& consumer, unsigned cores);
  unsigned threads_of(const settings& s, const program_view& p, unsigned cores, double in_proportion) const;

  std::map<std::string, known> m_programs; // by number
  std::map<std::string, pair> m_pairs;     // by number of the producer
};

} // namespace treadle::agent
