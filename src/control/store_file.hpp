#pragma once

#include "loop/memory.hpp"

#include <memory>
#include <string>
#include <vector>

namespace treadle::detail {

/// A file of SQLite with records. Any thread; takes some milliseconds, or seconds while another process writes. Nothing
/// here throws for what is wrong with the file: message() says it.
class store_file {
 public:
  /// Records of one program and machine are not mixed with those of others.
  struct place {
    std::string program, machine;
  };

  explicit store_file(std::string path);
  ~store_file();
  store_file(const store_file&) = delete;
  store_file& operator=(const store_file&) = delete;

  const std::string& path() const noexcept;
  /// The latest thing that went wrong; empty when nothing has.
  std::string message() const;

  /// All that there is; empty when it cannot be read.
  std::vector<loop::record> load(const place& here);
  /// Replaces what is there of these, all at once. False when that is not possible.
  bool save(const place& here, const std::vector<loop::record>& records);

 private:
  struct state;
  std::unique_ptr<state> m_state;
};

} // namespace treadle::detail
