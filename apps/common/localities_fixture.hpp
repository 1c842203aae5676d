// Runs a program as several localities of one machine.
#pragma once

#include "common/program_fixture.hpp"

#include <cstdlib>
#include <string>
#include <unistd.h>

namespace apps {

/// By the shell: what all of them have said, and the exit code of locality 0.
inline finished run_localities(const std::string& program, unsigned localities, const std::string& arguments,
                               const std::string& environment = "") {
  std::string file = "/tmp/treadle-app-test-XXXXXX";
  close(mkstemp(file.data()));
  std::string line;
  for (unsigned rank = localities; rank-- > 0;)
    line += environment + " TREADLE_PUBLISH=0 TREADLE_WORKERS=1 TREADLE_LOCALITIES=" + file + ":" +
            std::to_string(rank) + ":" + std::to_string(localities) + " '" + program + "' " + arguments +
            (rank > 0 ? " & " : "; code=\\$?; wait; exit \\$code");
  const finished done = run("/bin/sh", "-c \"" + line + "\"");
  unlink(file.c_str());
  return done;
}

} // namespace apps
