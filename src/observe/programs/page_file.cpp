#include "observe/programs/page_file.hpp"

#include "observe/programs/text.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace treadle::detail {
namespace {

[[noreturn]] void fail(const std::string& path) { throw std::system_error(errno, std::generic_category(), path); }

program_page* map(int file) noexcept {
  void* const memory = mmap(nullptr, sizeof(program_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<program_page*>(memory);
}

constexpr struct flock whole_file(short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Another process has locked it. True where that cannot be found out.
bool is_locked(int file) noexcept {
  struct flock lock = whole_file(F_WRLCK);
  return fcntl(file, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/// Unless another file has got its name meanwhile.
void remove(const std::string& path, int file) noexcept {
  struct stat opened, named;
  if (fstat(file, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
      opened.st_dev == named.st_dev)
    unlink(path.c_str());
}

} // namespace

page_file page_file::create(const std::string& folder, const std::string& program) {
  const std::string number = std::to_string(getpid());
  // A reader may find it at any time: it gets its name when it is complete and locked.
  const std::string unfinished = folder + "/." + number;
  page_file made;
  made.m_file = ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made.m_file < 0) fail(unfinished);
  made.m_path = unfinished; // to be removed if something fails
  struct flock lock = whole_file(F_WRLCK);
  if (ftruncate(made.m_file, sizeof(program_page)) != 0 || fcntl(made.m_file, F_SETLK, &lock) != 0) fail(unfinished);
  made.m_page = map(made.m_file);
  if (!made) fail(unfinished);
  new (made.m_page) program_page;
  std::memcpy(made->magic, k_page_magic, sizeof k_page_magic);
  made->version = k_page_version;
  made->bytes = sizeof(program_page);
  made->pid = getpid();
  copy_text(program, made->name);
  const std::string path = folder + '/' + number;
  if (rename(unfinished.c_str(), path.c_str()) != 0) fail(unfinished);
  made.m_path = path;
  return made;
}

page_file page_file::open(const std::string& path) noexcept {
  page_file found;
  found.m_file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (found.m_file < 0) return found;
  if (!is_locked(found.m_file)) {
    remove(path, found.m_file);
    return found;
  }
  struct stat about;
  if (fstat(found.m_file, &about) != 0 || about.st_size < static_cast<off_t>(sizeof(program_page))) return found;
  found.m_page = map(found.m_file);
  close(std::exchange(found.m_file, -1)); // an agent reads many
  if (found && (std::memcmp(found->magic, k_page_magic, sizeof k_page_magic) != 0 || found->version != k_page_version))
    return {};
  return found;
}

page_file::~page_file() {
  if (!m_path.empty()) remove(m_path, m_file);
  if (m_page) munmap(m_page, sizeof(program_page));
  if (m_file >= 0) close(m_file);
}

} // namespace treadle::detail
