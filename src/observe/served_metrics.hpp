#pragma once

#include "base/metrics_socket.hpp"

#include <optional>
#include <string>

namespace treadle::detail {

/// The counters of this process on a socket, from here to its end. The second one of a process has FILE.2.sock, and so
/// on. A child of fork() has none, because all of them would want the same name, nor has a process for which another
/// one serves there, as the one that has started it; that is said on stderr.
class served_metrics {
 public:
  /// Throws std::invalid_argument for a name that does not end in .sock, std::system_error that names the file.
  explicit served_metrics(const std::string& file);

 private:
  std::optional<metrics_socket> m_socket;
};

} // namespace treadle::detail
