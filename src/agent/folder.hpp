// What an agent keeps in its folder.
#pragma once

#include "base/posix_file.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace treadle::agent {

/// The lock on a folder, which goes with the process. Throws std::runtime_error when another agent has it, which it
/// names; std::system_error.
detail::posix_file lock_folder(const std::string& folder);

/// Null when there is none. Throws std::invalid_argument that names the file, std::system_error.
nlohmann::json read_json_file(const std::string& file);
/// In place of what was there, at once: a reader finds the one or the other. Throws std::system_error.
void write_json_file(const std::string& file, const nlohmann::json& content);

} // namespace treadle::agent
