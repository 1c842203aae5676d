#pragma once

#include "compat/ocr/guid.hpp"

namespace treadle::ocr {

class edt;

/// A data block: who may use it at the moment, and who waits for that. All of it protected by the lock of its place,
/// but for what is said to be constant. docs/design/ocr.md has the rules.
struct block {
  std::byte* data = nullptr; // constant
  std::uint64_t bytes = 0;   // constant
  std::uint16_t flags = 0;   // constant
  bool is_outside = false;   ///< made outside of EDTs, and not released there
  bool is_ending = false;    ///< to be freed by the last hold
  /// Holds of EDTs, by mode. Its creator's is one for reading and writing.
  std::uint32_t readers = 0, writers = 0, exclusive = 0, constants = 0;
  std::uint64_t write_grants = 0; ///< so far
  /// With the checker: a hash of the content since the last hold for writing ended.
  std::uint64_t resting_hash = 0;
  bool is_resting = false; ///< it has one
  edt *first_waiting = nullptr, *last_waiting = nullptr;
  /// Who has made it and holds it since then. Relaxed: others only compare it with themselves.
  detail::atomic<edt*> creator{nullptr};
  /// How, and its other ones; used by that EDT alone.
  ocrDbAccessMode_t creators_mode = DB_MODE_RW;
  place *newer = nullptr, *older = nullptr;
};

enum class grant { given, queued, gone };

inline bool is_writing(ocrDbAccessMode_t mode) noexcept { return mode == DB_MODE_EW || mode == DB_MODE_RW; }

/// A new block, published; held for `creator` unless that is null. Throws std::bad_alloc.
reference make_block(std::uint64_t bytes, std::uint16_t flags, edt* creator, class label_claim* claim = nullptr,
                     bool is_runtimes = false);
/// For the EDT's next slot. queued: it is continued by the one that releases the block, and must not be touched any
/// more.
grant acquire_block(const reference& wanted, ocrDbAccessMode_t mode, edt& by, std::uint64_t& write_grants) noexcept;
/// Ends a hold, and continues those EDTs that waited for that.
void release_block(place& at, ocrDbAccessMode_t mode) noexcept;
/// A hold for writing becomes one for reading, which keeps nobody off.
void downgrade_block(place& at, ocrDbAccessMode_t mode) noexcept;
/// Nobody finds it any more; it is freed with the last hold. False when somebody else was first.
bool destroy_block(const reference& what) noexcept;
/// With the checker: who is not an EDT has got its address, and may write whenever it likes.
void stop_watching(place& at) noexcept;
/// At the end of a program.
void free_block(place& at) noexcept;

/// A number that tells contents apart.
std::uint64_t hash_of(const block& what) noexcept;

} // namespace treadle::ocr
