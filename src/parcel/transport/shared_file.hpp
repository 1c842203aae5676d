#pragma once

#include "parcel/transport/shared_memory.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include <unistd.h>

namespace treadle::detail {

/// An empty file for the localities of one test, all of them in this process.
class shared_file {
 public:
  shared_file() { close(mkstemp(m_path.data())); }
  ~shared_file() { unlink(m_path.c_str()); }
  std::unique_ptr<transport> open(unsigned rank, unsigned size) const {
    return open_shared_memory({m_path, rank, size});
  }

 private:
  std::string m_path = "/tmp/treadle-parcel-test-XXXXXX";
};

} // namespace treadle::detail
