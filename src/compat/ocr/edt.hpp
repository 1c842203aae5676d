#pragma once

#include "compat/ocr/delivery.hpp"
#include "compat/ocr/edt_template.hpp"
#include "compat/ocr/extras.hpp"
#include "compat/ocr/finish_scope.hpp"

#include <treadle/detail/future_state.hpp>

#include <string>

namespace treadle::ocr {

/// What an EDT keeps for a slot beside what the program sees, which it may change.
struct edt_slot {
  std::uint64_t given; ///< the block, as the program named it
  std::uint64_t real;  ///< its own GUID
  place* block;        ///< where it is, once all slots are satisfied; null: nothing is to be acquired
  std::uint32_t order; ///< of the k-th slot in the array: which one is the k-th to be acquired
  ocrDbAccessMode_t mode;
  bool is_satisfied, is_held;
  bool is_alias; ///< of another slot with the same block, which holds it
};

/// An event-driven task, which is a task of Treadle's once it can run. Its slots are protected by the lock of its place
/// until the last one is satisfied; from then on it has one user at a time: the one that acquires its blocks, then the
/// worker that runs it (docs/design/ocr.md).
class edt final : public detail::future_state {
 public:
  static constexpr std::uint64_t k_was_written = ~std::uint64_t{0};

  /// Not yet published, with one more unsatisfied slot than it has: the maker's own. Throws std::bad_alloc.
  static edt& make(const edt_shape& shape, const std::uint64_t* paramv, class label_claim& claim);
  /// By its maker, when that is not to be.
  void discard() noexcept;
  static edt& of(place& at) noexcept { return at.as<edt>(); }

  place& at() noexcept { return place::of(this); }
  /// By which the program knows it.
  std::uint64_t guid() noexcept { return visible_guid(at()); }
  ocrEdt_t function() const noexcept { return m_shape.function; }
  const char* given_name() const noexcept { return m_shape.name; }
  std::uint32_t depc() const noexcept { return m_shape.depc; }
  ocrEdtDep_t* depv() noexcept { return m_depv; }
  edt_slot& slot(std::uint32_t i) noexcept { return m_slots[i]; }
  std::uint32_t missing() const noexcept { return m_missing; }

  /// With the lock: one slot less is missing. True: the EDT is the caller's now, who starts it without the lock.
  bool satisfy(std::uint32_t slot, std::uint64_t db, ocrDbAccessMode_t mode) noexcept;
  /// The same for the slot that its maker has.
  bool satisfy_makers() noexcept { return --m_missing == 0; }
  /// From its hints.
  void set_priority() noexcept;
  /// All slots are satisfied.
  void start() noexcept;
  /// By who releases the block that it waits for: it holds that, too, now.
  void continue_acquiring() noexcept;
  /// Under the lock of that block.
  ocrDbAccessMode_t wanted_mode() noexcept { return m_slots[m_slots[m_next].order].mode; }
  void note_write_grants(std::uint64_t grants, bool has_writer) noexcept;

  /// Ends the hold of a block that the running EDT acquired or made. 0, or the code of ocrDbRelease().
  std::uint8_t release_held(ocrGuid_t db) noexcept;
  /// The same of ocrDbDowngradeRelease(): it goes on reading. False: it does not hold that.
  bool downgrade(ocrGuid_t db) noexcept;
  /// True while it holds that; `mode`: how.
  bool holds(ocrGuid_t db, ocrDbAccessMode_t& mode) noexcept;

  /// An EDT that never runs ends: its scope, its output event. It was unpublished, or is alone.
  void abandon(bool tells) noexcept;

  detail::task_name name() const noexcept override;
  bool belongs_to(const void* tag) const noexcept override { return tag == &k_tag; }
  static void operator delete(void* memory) noexcept { give_back(place::of(memory)); }

  edt* next_waiting = nullptr;    ///< in the queue of a block
  place* created = nullptr;       ///< the newest block that it has made and holds; of the running EDT
  finish_scope* scope = nullptr;  ///< that it is in
  std::uint64_t output = 0;       ///< its output event; 0: none, or the scope has it
  std::uint64_t shown_output = 0; ///< the same for ocrCurrentEdtOutputGet()
  bool makes_output = false;      ///< the event was made for it
  bool is_finish = false, keeps_result = false;
  bool is_urgent = false, is_idle_work = false; ///< as its priority hint says

  static const char k_tag;

 private:
  explicit edt(const edt_shape& shape) noexcept : m_shape(shape), m_missing(shape.depc + 1) {}
  ~edt() override;

  void execute(detail::sharing) noexcept override;
  void collect_blocks() noexcept;
  void merge_same() noexcept;
  void acquire() noexcept;
  void enqueue() noexcept;
  void take_current() noexcept;
  void forget_block(const place* gone) noexcept;
  void release_slot(edt_slot& held) noexcept;
  edt_slot* find_slot(ocrGuid_t db) noexcept;
  place* find_created(ocrGuid_t db) noexcept;
  void release_created(place& at) noexcept;
  void release_all() noexcept;
  std::uint64_t checked_result(ocrGuid_t result) noexcept;
  void satisfy_output(ocrGuid_t result) noexcept;
  void end(ocrGuid_t result) noexcept;
  void begin_checks() noexcept;
  void check_unwritten(const edt_slot& held) noexcept;

  edt_shape m_shape;
  std::uint32_t m_missing;    // slots, and one of the maker
  std::uint32_t m_needed = 0; // slots with a block to be acquired
  std::uint32_t m_next = 0;   // the next one to acquire, in the order
  bool m_has_label = false;
  std::uint32_t m_bytes = 0; // of the arrays, where they are not behind the object
  std::uint64_t* m_paramv = nullptr;
  ocrEdtDep_t* m_depv = nullptr;
  edt_slot* m_slots = nullptr;
  std::uint64_t* m_checks =
      nullptr; // with the checker: of each slot how often its block was lent for writing, and a hash
};

/// What runs on the calling stack; null outside of EDTs.
edt* current_edt() noexcept;

/// From outside: satisfies a slot, and starts the EDT when it was the last one. Returns an OCR code.
std::uint8_t satisfy_edt(const reference& what, std::uint32_t slot, std::uint64_t db, ocrDbAccessMode_t mode);

/// Names of templates that the program has given, kept until it ends.
const char* keep_name(const char* name);
void forget_names() noexcept;

} // namespace treadle::ocr
