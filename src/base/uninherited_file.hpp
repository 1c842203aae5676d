#pragma once

namespace treadle::detail {

/// A file descriptor that the child of a fork closes although it executes nothing else. A lock on a file, or a socket
/// that others connect to, would outlive this process there.
class uninherited_file {
 public:
  /// `open` returns a descriptor, or -1, which is what this holds then; errno stays.
  template <class Open>
  explicit uninherited_file(Open open) {
    begin();
    end(open());
  }
  ~uninherited_file();
  uninherited_file(const uninherited_file&) = delete;
  uninherited_file& operator=(const uninherited_file&) = delete;

  int get() const noexcept { return m_descriptor; }
  explicit operator bool() const noexcept { return m_descriptor >= 0; }

 private:
  static void begin(); // nobody forks until
  void end(int descriptor);

  int m_descriptor = -1;
};

} // namespace treadle::detail
