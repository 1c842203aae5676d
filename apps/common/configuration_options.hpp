#pragma once

#include "common/arguments.hpp"
#include "common/configuration.hpp"

#include <string>
#include <string_view>

namespace apps {

/// --configuration, --workers and --critical.
struct configuration_options {
  std::string name = "default";
  pool_sizes sizes{0, 0};

  void add_to(CLI::App& app) {
    app.add_option("--configuration", name, "pools, priorities and mapping, see below")->type_name("NAME");
    add_number(app, "--workers", sizes.workers, 0, 1024, "threads of all pools; 0: one per core");
    add_number(app, "--critical", sizes.critical, 0, 1023,
               "of these, those of the pool 'critical', where the configuration has one; 0: half of them, or as found "
               "out by auto");
  }
  /// What --help says of them.
  static std::string list() {
    std::string text = "The configurations:\n";
    for (const configuration& one : configurations()) {
      text += "  " + std::string(one.name);
      text.append(19 - std::string_view(one.name).size(), ' ');
      text += std::string(one.about) + "\n";
    }
    return text;
  }
  /// Throws std::invalid_argument as find_configuration() and apply() do.
  const configuration& apply_to(treadle::runtime_options& options) const {
    const configuration& chosen = find_configuration(name);
    apply(chosen, sizes, options);
    return chosen;
  }
};

} // namespace apps
