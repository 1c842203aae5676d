#pragma once

#include "measure.hpp"

#include <atomic>

/// What an EDT of the OCR interface costs, beside the same by Treadle's own interface where it has such a thing.
///   create_run   a task without inputs
///   slot_run     an EDT with a slot that is satisfied without an event
///   satisfy_run  a task with an input that becomes ready when it is there; event, or promise, made and satisfied, too
///   block_run    an EDT with a block, read only
///   chain        each task makes the next one and hands on a block, or a value
namespace ocr_bench {

constexpr long k_tasks = 100'000;

/// Each of them counts itself.
inline std::atomic<long> tasks_run{0};
inline void count_one_more() { tasks_run.fetch_add(1, std::memory_order_relaxed); }

} // namespace ocr_bench
