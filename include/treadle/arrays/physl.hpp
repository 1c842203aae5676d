// Compiles and runs PhySL, the language of execution trees: every function application is a primitive instance, every
// primitive instance is a potential task, and a policy decides per instance whether it runs inline or is spawned.
#pragma once

#include <treadle/arrays/value.hpp>
#include <treadle/tune/inlining.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::physl {
class program;
}
namespace treadle::tree {
struct placed_call;
struct placed_result;
placed_result execute_placed(const physl::program&, const placed_call&);
} // namespace treadle::tree

namespace treadle::physl {

struct trace_entry {
  std::string function;               // name of the PhySL function that was being called
  std::uint32_t line = 0, column = 0; // of the call
};

// A program that does not parse, compile or run. what() is the whole report:
//   als.physl(14, 8): __add: operands of shapes (3,) and (4,) cannot be broadcast
//       store(A, a + b)
//                  ^
//     called from als.physl(30, 1): als
class error : public std::runtime_error {
 public:
  struct parts {
    std::string file;
    std::uint32_t line = 0, column = 0; // 1-based; 0 when there is no place
    std::string message;
    std::string source_line;             // empty when the text is not known
    std::vector<trace_entry> back_trace; // innermost call first, at most 20
    std::size_t omitted_calls = 0;       // further calls left out of back_trace
    error_kind kind = error_kind::program;
  };
  explicit error(parts what_happened);

  const std::string& file() const noexcept { return m_parts->file; }
  std::uint32_t line() const noexcept { return m_parts->line; }
  std::uint32_t column() const noexcept { return m_parts->column; }
  const std::string& message() const noexcept { return m_parts->message; }
  std::span<const trace_entry> back_trace() const noexcept { return m_parts->back_trace; }
  std::size_t omitted_calls() const noexcept { return m_parts->omitted_calls; }
  error_kind kind() const noexcept { return m_parts->kind; }

 private:
  std::shared_ptr<const parts> m_parts;
};

// How instances are decided: always_inline is plain recursion on the calling thread and needs no runtime; adaptive is
// plain recursion, split only where measured work is worth it and may overlap; the others make nodes of futures.
using policy = inlining_policy;

struct run_options {
  physl::policy policy = physl::policy::adaptive;
  std::uint64_t count_threshold = 5; // paper_baseline
  std::uint64_t lower_ns = 350'000;  // mean <= lower: inline
  std::uint64_t upper_ns = 500'000;  // mean >= upper: spawn
  threshold_search thresholds = {};  // paper_adaptive
  // adaptive: work >= worth may run as a task of its own. Empty: found while the program runs, see splitting_report.
  std::optional<std::uint64_t> worth_ns = {};
  // diag, identity and eye give matrices with all their elements, and products with them multiply all of these. The
  // results have the same bits either way; the papers' programs are measured so.
  bool dense_diagonals = false;
  std::size_t max_call_depth = 100'000; // nested PhySL calls before a run fails
  std::size_t timeline_capacity = 0;    // records kept of this run; 0 = no timeline
  // Where cout() and debug() write, whole lines, one call at a time but from any thread; null: nowhere.
  void (*write)(void* context, std::string_view text) = nullptr;
  // Takes what Python's print() is given, values that nobody changes; null: it is written as text.
  void (*print)(void* context, std::span<const value> values) = nullptr;
  void* write_context = nullptr;
  // When it turns true, the run fails with "cancelled" at the next call or turn of a loop; may be null.
  const std::atomic<bool>* cancel = nullptr;
};

enum class inline_mode : std::int8_t { undecided = -1, spawned = 0, inlined = 1 }; // as Phylanx's eval_direct

// One primitive instance. All times include nothing of other instances unless said so.
struct node_profile {
  std::string name;    // /phylanx$0/access-variable$0$x/0$1$32
  std::string display; // access-variable/x/L#0(1, 32)
  std::string primitive;
  std::uint32_t line = 0, column = 0;
  std::int32_t parent = -1;       // index into the same vector, which is in pre-order; -1: a top-level expression
  std::uint64_t count = 0;        // evaluations
  std::uint64_t inclusive_ns = 0; // from the start of eval until the value is ready
  std::uint64_t self_ns = 0;      // own computation only
  std::uint64_t inlined = 0, spawned = 0; // evaluations by decision; their sum is count
  inline_mode mode = inline_mode::undecided;
  std::string why; // of the latest decision, as it was made: "inlined: 19.1 us against 350 and 500 us"
};

// What the compiler found out about a loop or a block, and what runs made of it.
struct parallelism_note {
  std::uint32_t node = 0; // index into profile()
  std::string form;       // "while", "for", "for_in", "block"
  std::uint32_t line = 0, column = 0;
  bool parallel = false;
  std::string text; // "parallel", or why not: "'x' is read before it is written"
  // Of one that is parallel and was executed, by the latest run: "inline: a part of 3.2 us, tasks from 19 us on".
  std::string decision = {};
};

// From which work on parts become tasks, under policy adaptive: tried on the time that a turn of the outermost loop
// takes, by one run at a time, for all runs of the program.
struct splitting_report {
  double threshold_ns = 0;   // 0: no run with several workers yet; infinite: no part is one
  std::uint64_t windows = 0; // of some turns, in which thresholds were compared
  double tuner_ns = 0;       // time spent to decide
};

struct timeline_record {
  std::uint32_t node = 0;                 // index into profile()
  std::int32_t worker = -1;               // -1: a thread outside the runtime
  std::uint64_t start_ns = 0, end_ns = 0; // own computation, since the start of the run
};

struct timeline {
  std::vector<timeline_record> records;
  std::uint64_t dropped = 0; // records beyond the capacity
};

// A compiled program; a handle that is cheap to copy. All members may be called concurrently, also several run()s;
// statistics are those of all runs together.
class program {
 public:
  // `text` is PhySL. Identifiers may be tagged name$line$col: then errors and profiles speak of that place in
  // `source_name` (1-based both), and nodes without a tag take the place of the tagged node around them. `source_text`,
  // when given, is the text those places refer to; it is quoted in errors. Untagged programs are quoted from `text`
  // itself. `instance` is what decisions are known by, source_name by default. Throws error.
  program(std::string_view text, std::string source_name, std::string_view source_text = {}, std::string instance = {});

  // The value of the last expression; if that is a function and the program did not just return a value, it is called
  // with `args`. `args` are also bound as list `sys_argv`. Blocks (a task is suspended). All policies but always_inline
  // need a runtime: the one of the calling task, else runtime::current(). Throws error; nothing of the run is left
  // running afterwards.
  value run(std::span<const value> args = {}, const run_options& options = {}) const;

  std::vector<node_profile> profile() const; // pre-order
  void reset_profile() const;                // also forgets decisions
  physl::timeline timeline() const;          // of the latest run that asked for one

  // As decision_report has it. The second program of one name that is there at the same time ends in " #2".
  const std::string& instance() const noexcept;
  splitting_report splitting() const;
  std::vector<parallelism_note> parallelism() const; // one per loop, and per block with parts that may overlap

  // In place of a run that does not come about, because of its arguments say: tells other localities that wait for it.
  void not_run(const char* why) const;
  // What it gives depends on which locality runs it, or it does something with others (over_localities.hpp).
  bool uses_localities() const;

  std::string text() const;         // canonical PhySL, tags kept
  std::string dot() const;          // graph "name" { "parent" -- "child"; }
  std::string newick() const;       // one line per top-level expression, (children) name;
  std::string counters_csv() const; // primitive_instance,display_name,count,time,eval_direct

  struct state;

 private:
  friend tree::placed_result tree::execute_placed(const program&, const tree::placed_call&);
  std::shared_ptr<state> m_state;
};

// Parses and prints in canonical form; parsing the result gives the same tree. Throws error.
std::string format(std::string_view text, std::string source_name);

// Every primitive and special form the compiler knows, sorted.
std::vector<std::string_view> primitive_names();

} // namespace treadle::physl
