#pragma once

#include <treadle/algorithm/detail/algorithm.hpp>

#include <vector>

namespace treadle::detail {

// Copying what a predicate selects: how far the output is advanced is known to the part with the first elements only,
// so it copies at once. The other parts note one bit per element; when all counts are known, these elements are copied,
// in parallel too. The predicate is called once per element, and when nobody helps it is the serial algorithm.

/// Where elements go that are not wanted.
struct nowhere {};

template <class O>
inline constexpr bool is_random_access_output = std::random_access_iterator<O> || std::same_as<O, nowhere>;

constexpr nowhere nth(nowhere, std::uint64_t) noexcept { return {}; }

template <class I, class O>
void copy_one(const I& from, O& out) {
  if constexpr (!std::same_as<O, nowhere>) {
    *out = *from;
    ++out;
  }
}

/// Elements that await being copied.
struct split_chunk {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t selected; // how many; then: how many there are before these
  std::vector<std::uint64_t> bits;
};

struct split_state {
  bool copies = false;
  std::uint64_t selected = 0; // of those copied
  std::vector<split_chunk> awaiting;
};

template <class Select, class I>
split_chunk note_selection(Select& select, I first, std::uint64_t begin, std::uint64_t end) {
  split_chunk chunk{begin, end, 0, {}};
  chunk.bits.reserve((end - begin + 63) / 64);
  for (std::uint64_t i = begin; i != end;) {
    std::uint64_t word = 0;
    for (std::uint64_t bit = 1; bit != 0 && i != end; bit <<= 1, ++i) {
      if (select(nth(first, i))) word |= bit;
    }
    chunk.selected += static_cast<unsigned>(__builtin_popcountll(word));
    chunk.bits.push_back(word);
  }
  return chunk;
}

/// Copies the elements at which select(iterator) to `yes`, the others to `no`. Returns the ends of both.
template <class Policy, class Select, class I, class Yes, class No>
std::pair<Yes, No> split_copy(const Policy& policy, Select select, I first, I last, Yes yes, No no) {
  if constexpr (in_parallel<Policy, I, Yes> && is_random_access_output<No>) {
    const std::uint64_t n = count_of(first, last);
    split_state all{true, 0, {}};
    fold_ranges(
        policy, n, all,
        [&](split_state& part, std::uint64_t begin, std::uint64_t end) {
          if (!part.copies) {
            part.awaiting.push_back(note_selection(select, first, begin, end));
            return;
          }
          const Yes yes_begin = nth(yes, part.selected);
          Yes y = yes_begin;
          No m = nth(no, begin - part.selected);
          for (I it = nth(first, begin), stop = nth(first, end); it != stop; ++it) {
            if (select(it))
              copy_one(it, y);
            else
              copy_one(it, m);
          }
          part.selected += count_of(yes_begin, y);
        },
        [] { return split_state{}; },
        [](split_state& left, split_state& right) {
          left.awaiting.insert(left.awaiting.end(), std::move_iterator(right.awaiting.begin()),
                               std::move_iterator(right.awaiting.end()));
        });
    std::uint64_t selected = all.selected;
    for (split_chunk& chunk : all.awaiting) {
      const std::uint64_t before = selected;
      selected += std::exchange(chunk.selected, before);
    }
    for_parts(
        policy.with(auto_chunk_size{}),
        [&](auto chunk, auto end) {
          for (; chunk != end; ++chunk) {
            Yes y = nth(yes, chunk->selected);
            No m = nth(no, chunk->begin - chunk->selected);
            I it = nth(first, chunk->begin);
            for (std::uint64_t i = 0, count = chunk->end - chunk->begin; i != count; ++i, ++it) {
              if (chunk->bits[i / 64] >> (i % 64) & 1)
                copy_one(it, y);
              else
                copy_one(it, m);
            }
          }
        },
        all.awaiting.begin(), all.awaiting.end());
    return {nth(yes, selected), nth(no, n - selected)};
  } else {
    for (; first != last; ++first) {
      if (select(first))
        copy_one(first, yes);
      else
        copy_one(first, no);
    }
    return {yes, no};
  }
}

} // namespace treadle::detail
