#include "agent/settings.hpp"

#include "base/names.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace treadle::agent {
namespace {

using nlohmann::json;

constexpr std::string_view k_strategies[] = {
    "even",     "half-to-priority",     "stack",     "static", "producer-consumer",
    "weighted", "producer-consumer-pi", "efficiency"};
constexpr std::string_view k_boosts[] = {"none", "constant", "linear", "adaptive", "proportional"};

template <class T>
T number(const json& value, const std::string& name, double least, double most) {
  if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most) ||
      (std::is_integral_v<T> && !value.is_number_integer())) {
    json limits = {least, most};
    throw std::invalid_argument(name + ": expected a number from " + limits[0].dump() + " to " + limits[1].dump() +
                                ", got " + value.dump());
  }
  return value.get<T>();
}
const std::string& text(const json& value, const std::string& name) {
  if (!value.is_string()) throw std::invalid_argument(name + ": expected a text, got " + value.dump());
  return value.get_ref<const std::string&>();
}

constexpr unsigned k_cores_most = 1u << 20;

} // namespace

const char* name_of(strategy s) noexcept { return k_strategies[static_cast<int>(s)].data(); }
const char* name_of(boost b) noexcept { return k_boosts[static_cast<int>(b)].data(); }
strategy strategy_from_name(std::string_view name) {
  return detail::enumerator_from_name<strategy>(k_strategies, "strategy", name);
}
boost boost_from_name(std::string_view name) { return detail::enumerator_from_name<boost>(k_boosts, "boost", name); }

json to_json(const settings& s) {
  return {{"strategy", name_of(s.how)},
          {"granularity", s.granularity},
          {"target", s.target},
          {"boost", name_of(s.more)},
          {"boost_threads", s.boost_threads},
          {"boost_factor", s.boost_factor},
          {"period_s", s.period_s},
          {"turn_s", s.turn_s},
          {"lease_s", s.lease_s},
          {"cores", s.cores},
          {"minus_foreign", s.minus_foreign},
          {"static", s.fixed}};
}

void change(settings& s, const json& object) {
  if (!object.is_object()) throw std::invalid_argument("settings: expected an object");
  settings changed = s;
  for (const auto& [name, value] : object.items()) {
    if (name == "strategy")
      changed.how = strategy_from_name(text(value, name));
    else if (name == "granularity")
      changed.granularity = number<unsigned>(value, name, 1, 1024);
    else if (name == "target")
      changed.target = number<double>(value, name, 1, 1e9);
    else if (name == "boost")
      changed.more = boost_from_name(text(value, name));
    else if (name == "boost_threads")
      changed.boost_threads = number<unsigned>(value, name, 0, k_cores_most);
    else if (name == "boost_factor")
      changed.boost_factor = number<double>(value, name, 1, 1000);
    else if (name == "period_s")
      changed.period_s = number<double>(value, name, 0.01, 3600);
    else if (name == "turn_s")
      changed.turn_s = number<double>(value, name, 0.1, 3600);
    else if (name == "lease_s")
      changed.lease_s = number<double>(value, name, 0.05, 3600);
    else if (name == "cores")
      changed.cores = number<unsigned>(value, name, 0, k_cores_most);
    else if (name == "minus_foreign" && value.is_boolean())
      changed.minus_foreign = value.get<bool>();
    else if (name == "static" && value.is_object()) {
      changed.fixed.clear();
      for (const auto& [program, workers] : value.items())
        changed.fixed[program] = number<unsigned>(workers, "static: " + program, 0, k_cores_most);
    } else
      throw std::invalid_argument("settings: no '" + name + "' with the value " + value.dump() + "; there are " +
                                  to_json(s).dump());
  }
  if (changed.lease_s < 2 * changed.period_s)
    throw std::invalid_argument("lease_s: expected at least two periods, " + json(2 * changed.period_s).dump() +
                                ", or programs would be alone between them; got " + json(changed.lease_s).dump());
  s = std::move(changed);
}

} // namespace treadle::agent
