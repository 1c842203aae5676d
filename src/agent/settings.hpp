// How an agent shares cores: the strategy and its parameters.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <string_view>

namespace treadle::agent {

enum class strategy : unsigned char {
  even,
  half_to_priority,
  stack,
  fixed,
  producer_consumer,
  weighted,
  producer_consumer_pi,
  efficiency
};
/// Threads beyond the cores that a program gets. `proportional` is linear with the largest factor that leaves nobody
/// more threads than it has workers: who shares cores with others gets them by the numbers of threads, and nobody's
/// cores stay idle while it has a piece that is not parallel.
enum class boost : unsigned char { none, constant, linear, adaptive, proportional };

struct settings {
  strategy how = strategy::weighted;
  unsigned granularity = 1;   ///< of even and half-to-priority: cores that are given out together; the paper's is 2
  double target = 8;          ///< of producer-consumer: items between the two, where the program says nothing
  boost more = boost::none;   ///< threads beyond the cores that a program gets
  unsigned boost_threads = 2; ///< of the constant one
  double boost_factor = 1.5;  ///< of the linear one
  double period_s = 0.5;      ///< how often cores are shared out when nothing happens
  double turn_s = 1;          ///< how long a turn lasts where there are more programs than cores
  double lease_s = 1.5;       ///< how long a grant counts
  unsigned cores = 0;         ///< to share out; 0: those that the agent itself may use
  bool minus_foreign = true;  ///< what others than its programs use is taken off
  std::map<std::string, unsigned> fixed = {}; ///< of static: workers by name of the program
};

const char* name_of(strategy s) noexcept;
const char* name_of(boost b) noexcept;
/// Throw std::invalid_argument, which has all names.
strategy strategy_from_name(std::string_view name);
boost boost_from_name(std::string_view name);

nlohmann::json to_json(const settings& s);
/// Changes what the object has. Throws std::invalid_argument that names the field, and changes nothing.
void change(settings& s, const nlohmann::json& object);

} // namespace treadle::agent
