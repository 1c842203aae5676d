// The store of tuning results. One row of `search` for each key, and its points in `point`; a save replaces them in one
// transaction, so that a reader, or a process that starts after a crash, sees all of it or nothing.
#include <treadle/tune/tuning_store.hpp>

#include "base/fork.hpp"

#include <treadle/detail/atomic.hpp>

#include <sqlite3.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace treadle {
namespace {

constexpr int k_schema_version = 1;
constexpr int k_busy_ms = 3000;

constexpr const char* k_schema = R"(
CREATE TABLE search (
  id INTEGER PRIMARY KEY,
  session TEXT NOT NULL, knobs TEXT NOT NULL, context TEXT NOT NULL, machine TEXT NOT NULL,
  saved TEXT NOT NULL, windows INTEGER NOT NULL, epoch INTEGER NOT NULL, converged INTEGER NOT NULL,
  UNIQUE (session, knobs, context, machine));
CREATE TABLE point (
  search INTEGER NOT NULL REFERENCES search (id) ON DELETE CASCADE,
  number INTEGER NOT NULL, "values" TEXT NOT NULL, mean REAL NOT NULL, deviation REAL NOT NULL, windows INTEGER NOT NULL,
  PRIMARY KEY (search, number)) WITHOUT ROWID;
)";

/// An error of SQLite, or a file that is not ours.
struct store_error : std::runtime_error {
  store_error(const std::string& what, bool is_damaged) : std::runtime_error(what), damaged(is_damaged) {}
  bool damaged; // and so to be set aside
};

class database {
 public:
  /// Opens for writing, and creates; only for reading where that is not possible.
  explicit database(const std::string& path) {
    int code = sqlite3_open_v2(path.c_str(), &m_handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    if (code != SQLITE_OK) {
      sqlite3_close(m_handle);
      code = sqlite3_open_v2(path.c_str(), &m_handle, SQLITE_OPEN_READONLY, nullptr);
    }
    if (code != SQLITE_OK) {
      const std::string why = sqlite3_errmsg(m_handle);
      sqlite3_close(m_handle);
      throw store_error(why, false);
    }
    sqlite3_busy_timeout(m_handle, k_busy_ms);
    try {
      run("PRAGMA foreign_keys = ON");
      prepare_schema();
    } catch (...) {
      sqlite3_close(m_handle);
      throw;
    }
  }
  ~database() { sqlite3_close(m_handle); }
  database(const database&) = delete;
  database& operator=(const database&) = delete;

  void run(const char* sql) {
    if (sqlite3_exec(m_handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  [[noreturn]] void fail() {
    const int code = sqlite3_errcode(m_handle) & 0xff;
    throw store_error(sqlite3_errmsg(m_handle), code == SQLITE_CORRUPT || code == SQLITE_NOTADB);
  }
  sqlite3* handle() noexcept { return m_handle; }
  /// It is never closed.
  void abandon() noexcept { m_handle = nullptr; }

 private:
  void prepare_schema();

  sqlite3* m_handle = nullptr;
};

class statement {
 public:
  statement(database& in, const char* sql) : m_database(in) {
    if (sqlite3_prepare_v2(in.handle(), sql, -1, &m_handle, nullptr) != SQLITE_OK) in.fail();
  }
  ~statement() { sqlite3_finalize(m_handle); }
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;

  statement& bind(const std::string& text) {
    sqlite3_bind_text(m_handle, ++m_bound, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  statement& bind(std::int64_t number) {
    sqlite3_bind_int64(m_handle, ++m_bound, number);
    return *this;
  }
  statement& bind(double number) {
    sqlite3_bind_double(m_handle, ++m_bound, number);
    return *this;
  }
  statement& bind(const tuning_store::key& k) { return bind(k.session).bind(k.knobs).bind(k.context).bind(k.machine); }

  /// True: there is a row.
  bool step() {
    const int code = sqlite3_step(m_handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) m_database.fail();
    return code == SQLITE_ROW;
  }
  void again() {
    sqlite3_reset(m_handle);
    m_bound = 0;
  }
  std::int64_t integer(int column) { return sqlite3_column_int64(m_handle, column); }
  double real(int column) { return sqlite3_column_double(m_handle, column); }
  std::string text(int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_handle, column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_handle, column))) : std::string();
  }

 private:
  database& m_database;
  sqlite3_stmt* m_handle = nullptr;
  int m_bound = 0;
};

/// Undone unless committed.
class transaction {
 public:
  explicit transaction(database& in) : m_database(in) { in.run("BEGIN IMMEDIATE"); }
  ~transaction() {
    if (!m_committed) sqlite3_exec(m_database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;
  void commit() {
    m_database.run("COMMIT");
    m_committed = true;
  }

 private:
  database& m_database;
  bool m_committed = false;
};

std::int64_t schema_version(database& in) {
  statement version(in, "PRAGMA user_version");
  version.step();
  return version.integer(0);
}

void database::prepare_schema() {
  if (schema_version(*this) == 0) {
    if (sqlite3_db_readonly(m_handle, "main") != 0)
      throw store_error("it cannot be written, and nothing is in it", false);
    transaction creating(*this);
    if (schema_version(*this) == 0) { // nobody else was faster
      statement tables(*this, "SELECT count(*) FROM sqlite_master");
      tables.step();
      if (tables.integer(0) != 0) throw store_error("it holds something else", false); // not ours to move
      run(k_schema);
      run(("PRAGMA user_version = " + std::to_string(k_schema_version)).c_str());
    }
    creating.commit();
  }
  if (const auto version = schema_version(*this); version != k_schema_version)
    throw store_error("it is of version " + std::to_string(version) + ", and this is version " +
                          std::to_string(k_schema_version),
                      true);
}

/// Which file a name stands for; none: there is no such file.
using file_identity = std::optional<std::pair<dev_t, ino_t>>;
file_identity identity(const std::string& path) {
  struct stat s{};
  if (::stat(path.c_str(), &s) != 0) return std::nullopt;
  return std::pair(s.st_dev, s.st_ino);
}

/// Processes that find the same damage must move the file only once, and not the one that follows it.
std::string set_aside(const std::string& path, const file_identity& which) {
  const std::string to = path + ".set-aside-" + std::to_string(std::time(nullptr)) + "-" + std::to_string(::getpid());
  const int lock = ::open((path + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock >= 0) ::flock(lock, LOCK_EX);
  std::string moved;
  if (which && identity(path) == which && std::rename(path.c_str(), to.c_str()) == 0) {
    moved = to;
    std::rename((path + "-journal").c_str(), (to + "-journal").c_str());
  }
  if (lock >= 0) ::close(lock);
  return moved;
}

} // namespace

struct tuning_store::file {
  explicit file(std::string name) : path(std::move(name)) { open(); }
  ~file() {
    if (db && generation.load(detail::order::relaxed) != detail::fork_generation()) db->abandon();
  }

  void open() {
    std::error_code ignored; // opening fails, and says why
    if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
      std::filesystem::create_directories(folder, ignored);
    for (int attempt = 0; attempt < 2 && !db; ++attempt) {
      which = identity(path);
      try {
        db.emplace(path);
        if (!which) which = identity(path); // made just now
      } catch (const store_error& e) {
        tell(e, e.damaged ? set_aside(path, which ? which : identity(path)) : std::string());
        if (!e.damaged) return;
      }
    }
  }

  /// In the child of a fork: SQLite's connection is not to be used, nor closed; and a thread of the parent may have
  /// held the mutex.
  void leave_to_parent() {
    const std::uint32_t now = detail::fork_generation();
    if (generation.load(detail::order::acquire) == now) return; // pairs with the store below
    static auto& leaving = *new detail::fork_safe_mutex;
    const std::lock_guard one_at_a_time(leaving);
    if (generation.load(detail::order::relaxed) == now) return;
    new (&mutex) std::mutex;
    if (db) {
      db->abandon();
      db.reset();
      open();
    }
    generation.store(now, detail::order::release);
  }

  void tell(const store_error& e, const std::string& moved) {
    message = "tuning store " + path + ": " + e.what() + (moved.empty() ? "" : "; set aside as " + moved);
  }

  /// f(database); after an error what `otherwise` is. What is damaged is replaced by an empty store.
  template <class R, class F>
  R attempt(R otherwise, F f) {
    leave_to_parent();
    std::lock_guard guard(mutex);
    if (db && identity(path) != which) { // somebody has moved or removed it: what is written there is lost
      db.reset();
      open();
    }
    if (!db) return otherwise;
    try {
      return f(*db);
    } catch (const store_error& e) {
      if (e.damaged) {
        db.reset();
        tell(e, set_aside(path, which));
        const std::string first = message;
        open();
        message = first;
      } else {
        tell(e, {});
      }
      return otherwise;
    }
  }

  std::mutex mutex;
  std::string path, message;
  std::optional<database> db;
  detail::atomic<std::uint32_t> generation{detail::fork_generation()};
  file_identity which; // of the open one
};

std::string tuning_store::standard_path() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string given = variable("TREADLE_STORE"); !given.empty()) return given;
  std::string state = variable("XDG_STATE_HOME");
  if (state.empty()) state = variable("HOME") + "/.local/state";
  return state + "/treadle/tuning.sqlite";
}

tuning_store::tuning_store(std::string path) : m_file(std::make_unique<file>(std::move(path))) {}
tuning_store::tuning_store(tuning_store&&) noexcept = default;
tuning_store& tuning_store::operator=(tuning_store&&) noexcept = default;
tuning_store::~tuning_store() = default;

const std::string& tuning_store::path() const noexcept { return m_file->path; }
std::string tuning_store::message() const {
  m_file->leave_to_parent();
  std::lock_guard guard(m_file->mutex);
  return m_file->message;
}

std::vector<tuned_point> tuning_store::load(const key& of) const {
  return m_file->attempt(std::vector<tuned_point>(), [&](database& db) {
    statement query(db,
                    "SELECT number, mean, deviation, point.windows, \"values\" FROM point JOIN search ON search = id "
                    "WHERE session = ? AND knobs = ? AND context = ? AND machine = ?");
    query.bind(of);
    std::vector<tuned_point> points;
    while (query.step()) {
      const double mean = query.real(1), deviation = query.real(2); // logarithms
      const std::int64_t windows = query.integer(3);
      const bool makes_sense = std::abs(mean) < 800 && deviation >= 0 && deviation < 800 && windows > 0 &&
                               windows <= std::numeric_limits<std::int32_t>::max();
      if (makes_sense) // a flipped bit is not noticed by SQLite
        points.push_back({static_cast<std::uint64_t>(query.integer(0)), mean, deviation, static_cast<unsigned>(windows),
                          query.text(4)});
    }
    return points;
  });
}

bool tuning_store::save(const key& of, const summary& about, const std::vector<tuned_point>& points) {
  return m_file->attempt(false, [&](database& db) {
    transaction saving(db);
    statement remove(db, "DELETE FROM search WHERE session = ? AND knobs = ? AND context = ? AND machine = ?");
    remove.bind(of).step();
    statement add(db, "INSERT INTO search (session, knobs, context, machine, saved, windows, epoch, converged) "
                      "VALUES (?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?)");
    add.bind(of).bind(static_cast<std::int64_t>(about.windows)).bind(std::int64_t{about.epoch});
    add.bind(std::int64_t{about.converged}).step();
    const std::int64_t id = sqlite3_last_insert_rowid(db.handle());
    statement add_point(db, "INSERT INTO point (search, number, \"values\", mean, deviation, windows) "
                            "VALUES (?, ?, ?, ?, ?, ?)");
    for (const tuned_point& p : points) {
      add_point.bind(id).bind(static_cast<std::int64_t>(p.at)).bind(p.values).bind(p.mean).bind(p.deviation);
      add_point.bind(std::int64_t{p.windows}).step();
      add_point.again();
    }
    saving.commit();
    return true;
  });
}

} // namespace treadle
