// One row of `search` for each key, and its points in `point`; a save replaces them in one transaction, so that a
// reader, or a process that starts after a crash, sees all of it or nothing.
#include "control/store_file.hpp"

#include "base/fork.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>
#include <sqlite3.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace treadle::detail {
namespace {

constexpr int k_schema_version = 2;
constexpr int k_busy_ms = 3000;

constexpr const char* k_schema = R"(
CREATE TABLE search (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL, instance TEXT NOT NULL, choices TEXT NOT NULL, context TEXT NOT NULL,
  program TEXT NOT NULL, machine TEXT NOT NULL,
  saved TEXT NOT NULL, windows INTEGER NOT NULL, epoch INTEGER NOT NULL, converged INTEGER NOT NULL,
  UNIQUE (kind, instance, choices, context, program, machine));
CREATE TABLE point (
  search INTEGER NOT NULL REFERENCES search (id) ON DELETE CASCADE,
  number INTEGER NOT NULL, "values" TEXT NOT NULL, mean REAL NOT NULL, deviation REAL NOT NULL, windows INTEGER NOT NULL,
  PRIMARY KEY (search, number)) WITHOUT ROWID;
)";

/// A file that is not ours.
struct foreign_file : std::runtime_error {
  using std::runtime_error::runtime_error;
};

int schema_version(SQLite::Database& db) { return db.execAndGet("PRAGMA user_version").getInt(); }

void prepare_schema(SQLite::Database& db, bool writable) {
  if (schema_version(db) == 0) {
    if (!writable) throw foreign_file("it cannot be written, and nothing is in it");
    SQLite::Transaction creating(db, SQLite::TransactionBehavior::IMMEDIATE);
    if (schema_version(db) == 0) { // nobody else was faster
      if (db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() != 0)
        throw foreign_file("it holds something else");
      db.exec(k_schema);
      db.exec("PRAGMA user_version = " + std::to_string(k_schema_version));
    }
    creating.commit();
  }
  if (const int version = schema_version(db); version != k_schema_version) // another program's, which may come back
    throw foreign_file("it is of version " + std::to_string(version) + ", and this is version " +
                       std::to_string(k_schema_version));
}

/// Opens for writing, and creates; only for reading where that is not possible.
std::unique_ptr<SQLite::Database> open_database(const std::string& path) {
  std::unique_ptr<SQLite::Database> db;
  bool writable = true;
  try {
    db = std::make_unique<SQLite::Database>(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, k_busy_ms);
  } catch (const SQLite::Exception&) {
    db = std::make_unique<SQLite::Database>(path, SQLite::OPEN_READONLY, k_busy_ms);
    writable = false;
  }
  db->exec("PRAGMA foreign_keys = ON");
  prepare_schema(*db, writable);
  return db;
}

template <class... Values>
void run(SQLite::Statement& what, const Values&... values) {
  what.reset();
  SQLite::bind(what, values...);
  what.exec();
}

/// Of all files: SQLite has locks of its own, which a child would find locked.
fork_safe_mutex& use_of_sqlite() {
  static auto& mutex = *new fork_safe_mutex;
  return mutex;
}

/// Which file a name stands for; none: there is no such file.
using file_identity = std::optional<std::pair<dev_t, ino_t>>;
file_identity identity(const std::string& path) {
  struct stat s{};
  if (::stat(path.c_str(), &s) != 0) return std::nullopt;
  return std::pair(s.st_dev, s.st_ino);
}

/// Whether a file that SQLite cannot read was a store: another one is not ours to move.
bool was_store(const std::string& path) {
  constexpr std::string_view k_begins_with = "SQLite format 3";
  std::string head(k_begins_with.size(), '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == k_begins_with || std::filesystem::path(path).extension() == ".sqlite";
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

struct store_file::state {
  explicit state(std::string name) : path(std::move(name)) {
    const std::lock_guard guard(use_of_sqlite());
    open();
  }
  ~state() {
    const std::lock_guard guard(use_of_sqlite());
    if (generation != fork_generation()) static_cast<void>(db.release());
    db.reset();
  }

  void open() {
    std::error_code ignored; // opening fails, and says why
    if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
      std::filesystem::create_directories(folder, ignored);
    for (int attempt = 0; attempt < 2 && !db; ++attempt) {
      which = identity(path);
      try {
        db = open_database(path);
        if (!which) which = identity(path); // made just now
      } catch (const std::exception& e) {
        if (!which) which = identity(path);
        if (!survives(e)) return;
      }
    }
  }

  /// In the child of a fork: SQLite's connection is not to be used, nor closed.
  void leave_to_parent() {
    if (std::exchange(generation, fork_generation()) == fork_generation() || !db) return;
    static_cast<void>(db.release());
    open();
  }

  /// Notes an error. True: the file was damaged, and is out of the way.
  bool survives(const std::exception& e) {
    const auto* of_sqlite = dynamic_cast<const SQLite::Exception*>(&e);
    const int code = of_sqlite ? of_sqlite->getErrorCode() & 0xff : SQLITE_OK;
    const bool damaged = code == SQLITE_CORRUPT || (code == SQLITE_NOTADB && was_store(path));
    const std::string moved = damaged ? set_aside(path, which) : std::string();
    message = "tuning store " + path + ": " + e.what() + (moved.empty() ? "" : "; set aside as " + moved);
    return damaged;
  }

  /// f(database); after an error what `otherwise` is. What is damaged is replaced by an empty store.
  template <class R, class F>
  R attempt(R otherwise, F f) {
    const std::lock_guard guard(use_of_sqlite());
    leave_to_parent();
    if (db && identity(path) != which) { // somebody has moved or removed it: what is written there is lost
      db.reset();
      open();
    }
    if (!db) return otherwise;
    try {
      return f(*db);
    } catch (const SQLite::Exception& e) {
      if (survives(e)) {
        const std::string first = message;
        db.reset();
        open();
        message = first;
      }
      return otherwise;
    }
  }

  std::string path, message;
  std::unique_ptr<SQLite::Database> db;
  std::uint32_t generation = fork_generation();
  file_identity which; // of the open one
};

store_file::store_file(std::string path) : m_state(std::make_unique<state>(std::move(path))) {}
store_file::~store_file() = default;

const std::string& store_file::path() const noexcept { return m_state->path; }
std::string store_file::message() const {
  const std::lock_guard guard(use_of_sqlite());
  return m_state->message;
}

std::vector<loop::record> store_file::load(const place& here) {
  return m_state->attempt(std::vector<loop::record>(), [&](SQLite::Database& db) {
    SQLite::Statement query(
        db, "SELECT id, kind, instance, choices, context, number, mean, deviation, point.windows, \"values\" "
            "FROM search JOIN point ON search = id WHERE program = ? AND machine = ? ORDER BY id, number");
    SQLite::bind(query, here.program, here.machine);
    const auto text = [&](int column) { return query.getColumn(column).getString(); };
    std::vector<loop::record> records;
    for (std::int64_t id = -1; query.executeStep();) {
      if (const std::int64_t next = query.getColumn(0); next != id) {
        id = next;
        records.push_back({text(1), text(2), text(3), text(4)});
      }
      const double mean = query.getColumn(6), deviation = query.getColumn(7); // logarithms
      const std::int64_t windows = query.getColumn(8);
      const bool makes_sense = std::abs(mean) < 800 && deviation >= 0 && deviation < 800 && windows > 0 &&
                               windows <= std::numeric_limits<std::int32_t>::max();
      if (makes_sense) // a flipped bit is not noticed by SQLite
        records.back().points.push_back({static_cast<std::uint64_t>(query.getColumn(5).getInt64()), mean, deviation,
                                         static_cast<unsigned>(windows), text(9)});
    }
    return records;
  });
}

bool store_file::save(const place& here, const std::vector<loop::record>& records) {
  return m_state->attempt(false, [&](SQLite::Database& db) {
    SQLite::Transaction saving(db, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement remove(db, "DELETE FROM search WHERE kind = ? AND instance = ? AND choices = ? AND context = ? "
                                 "AND program = ? AND machine = ?");
    SQLite::Statement add(db,
                          "INSERT INTO search (kind, instance, choices, context, program, machine, saved, windows, "
                          "epoch, converged) VALUES (?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, "
                          "?)");
    SQLite::Statement add_point(db, "INSERT INTO point (search, number, \"values\", mean, deviation, windows) "
                                    "VALUES (?, ?, ?, ?, ?, ?)");
    for (const loop::record& r : records) {
      run(remove, r.kind, r.instance, r.choices, r.context, here.program, here.machine);
      run(add, r.kind, r.instance, r.choices, r.context, here.program, here.machine,
          static_cast<std::int64_t>(r.windows), r.epoch, int{r.converged});
      const std::int64_t id = db.getLastInsertRowid();
      for (const tuned_point& p : r.points)
        run(add_point, id, static_cast<std::int64_t>(p.at), p.values, p.mean, p.deviation, p.windows);
    }
    saving.commit();
    return true;
  });
}

} // namespace treadle::detail
