#pragma once

#include <treadle/algorithm/merge.hpp>
#include <treadle/algorithm/sort.hpp>
#include <treadle/localities/partitioned_pieces.hpp>

/// Sorting a partitioned vector: by regular sampling (Shi and Schaeffer, 1992), with samples that also bound how many
/// elements come before each of them, so that equal elements, however many, spread over the segments like others.
namespace treadle {

namespace detail {

/// A sorted segment of which every step-th element is a sample, beginning with the first.
struct sampled_segment {
  std::size_t size, step;
  /// How many of its elements come before an element, of any segment, before which so many of its samples are.
  std::size_t least_before(std::size_t samples) const noexcept { return samples == 0 ? 0 : (samples - 1) * step + 1; }
  std::size_t most_before(std::size_t samples) const noexcept { return samples * step < size ? samples * step : size; }
};

/// Goes through the samples of all segments in their order: by Less, and equal ones by their place in the vector, so
/// that no two are the same. Knows bounds of how many elements come before the sample at which it is.
class sample_walk {
 public:
  /// `order`: the segment of each sample.
  sample_walk(const std::vector<std::size_t>& order, const std::vector<sampled_segment>& segments)
      : m_order(order), m_segments(segments), m_passed(segments.size()) {}

  /// For each segment, how many of its elements are certainly among the `rank` first of all. Ranks do not fall.
  std::vector<std::size_t> certainly_before(std::size_t rank) {
    while (m_at < m_order.size() && m_most + step_of(&sampled_segment::most_before) <= rank) pass();
    return before(&sampled_segment::least_before);
  }
  /// And how many may be.
  std::vector<std::size_t> possibly_before(std::size_t rank) {
    while (m_at < m_order.size() && m_least < rank) pass();
    return before(&sampled_segment::most_before);
  }

 private:
  using bound = std::size_t (sampled_segment::*)(std::size_t) const noexcept;

  /// By how much a bound grows with the next sample.
  std::size_t step_of(bound of) const noexcept {
    const std::size_t k = m_order[m_at];
    return (m_segments[k].*of)(m_passed[k] + 1) - (m_segments[k].*of)(m_passed[k]);
  }
  void pass() noexcept {
    m_least += step_of(&sampled_segment::least_before);
    m_most += step_of(&sampled_segment::most_before);
    ++m_passed[m_order[m_at++]];
  }
  std::vector<std::size_t> before(bound of) const {
    std::vector<std::size_t> counts;
    for (std::size_t k = 0; k < m_segments.size(); ++k) counts.push_back((m_segments[k].*of)(m_passed[k]));
    return counts;
  }

  const std::vector<std::size_t>& m_order;
  const std::vector<sampled_segment>& m_segments;
  std::vector<std::size_t> m_passed; // samples of each segment
  std::size_t m_at = 0, m_least = 0, m_most = 0;
};

/// Every step-th of the sorted elements; none where step is 0.
template <auto Less, class T>
std::vector<T> sort_in(called_object<vector_segment<T>> in, std::size_t step) {
  std::vector<T>& values = in.object->values();
  treadle::sort(par, values, as_object<Less>());
  std::vector<T> samples;
  if (step == 0) return samples;
  for (std::size_t i = 0; i < values.size(); i += step) samples.push_back(values[i]);
  return samples;
}

/// Merges sorted parts that follow each other, from ends[k] to ends[k + 1]; of equal elements those of the first one
/// come first.
template <class Value, class Less>
void merge_parts(std::vector<Value>& all, const std::vector<std::size_t>& ends, Less less) {
  const std::size_t n = ends.size() - 1;
  const auto end_of = [&](std::size_t k) { return all.begin() + static_cast<std::ptrdiff_t>(ends[k < n ? k : n]); };
  for (std::size_t width = 1; width < n; width *= 2)
    for (std::size_t k = 0; k + width < n; k += 2 * width)
      treadle::inplace_merge(par, end_of(k), end_of(k + width), end_of(k + 2 * width), less);
}

/// `count` elements behind the first `skip` ones of these sorted pieces together. An object of this locality.
template <auto Less, class T>
remote<std::vector<T>> merged_pieces(std::vector<vector_piece<T>> pieces, std::size_t skip, std::size_t count) {
  std::vector<future<std::vector<T>>> coming;
  std::size_t size = 0;
  for (const vector_piece<T>& piece : pieces) {
    coming.push_back(async<&vector_segment<T>::get_range>(piece.segment, piece.first, piece.last));
    size += piece.last - piece.first;
  }
  std::vector<T> all;
  all.reserve(size);
  std::vector<std::size_t> ends{0};
  for (auto& one : coming) {
    std::vector<T> part = one.get();
    all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    ends.push_back(all.size());
  }
  merge_parts(all, ends, as_object<Less>());
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(skip + count), all.end());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(skip));
  return remote<std::vector<T>>(std::make_shared<std::vector<T>>(std::move(all)));
}
template <class T>
void take_merged(called_object<vector_segment<T>> into, remote<std::vector<T>> values) {
  into.object->set_range(0, std::move(*values.here()));
}
/// To each segment what was merged for it, when all is.
template <class T>
future<void> write_merged(const std::vector<vector_piece<T>>& segments,
                          std::vector<future<remote<std::vector<T>>>> merged) {
  return when_all(std::move(merged)).then([segments](future<std::vector<future<remote<std::vector<T>>>>> done) {
    std::vector<remote<std::vector<T>>> values;
    for (auto& one : done.get()) values.push_back(one.get());
    std::vector<future<void>> written;
    for (std::size_t k = 0; k < segments.size(); ++k)
      written.push_back(call_segment<&take_merged<T>>(segments[k].segment, values[k]));
    return all_done(std::move(written));
  });
}

/// The segment of each sample in the order of all; `samples` are sorted in each segment.
template <auto Less, class T>
std::vector<std::size_t> order_of_samples(const std::vector<std::vector<T>>& samples) {
  struct sample {
    const T* value;
    std::size_t segment;
  };
  std::vector<sample> all;
  std::vector<std::size_t> ends{0};
  for (std::size_t k = 0; k < samples.size(); ++k) {
    for (const T& value : samples[k]) all.push_back({&value, k});
    ends.push_back(all.size());
  }
  merge_parts(all, ends, [](const sample& a, const sample& b) -> bool { return Less(*a.value, *b.value); });
  std::vector<std::size_t> order;
  for (const sample& one : all) order.push_back(one.segment);
  return order;
}

/// Sorted segments get the elements that they should have: each fetches what may belong to it, merges that, and leaves
/// out what belongs to others; when all have done so they write it.
template <auto Less, class T>
future<void> exchange_sorted(const std::vector<vector_piece<T>>& segments, const std::vector<std::size_t>& order,
                             const std::vector<sampled_segment>& sampled) {
  sample_walk begins(order, sampled), ends(order, sampled);
  std::vector<future<remote<std::vector<T>>>> merged;
  std::size_t first = 0;
  for (const vector_piece<T>& target : segments) {
    const std::vector<std::size_t> from = begins.certainly_before(first),
                                   to = ends.possibly_before(first + target.last);
    std::vector<vector_piece<T>> pieces;
    std::size_t skip = first;
    for (std::size_t k = 0; k < segments.size(); ++k) {
      skip -= from[k];
      if (from[k] < to[k]) pieces.push_back({segments[k].segment, from[k], to[k]});
    }
    merged.push_back(async<&merged_pieces<Less, T>>(target.segment.where(), pieces, skip, target.last));
    first += target.last;
  }
  return write_merged(segments, std::move(merged));
}

} // namespace detail

/// Sorts all elements by Less, a strict weak order. Not stable. Each segment keeps its place and its size.
///
/// Each of the p segments is sorted where it lies and sends 32 p samples here; then each gets, straight from all
/// others, the elements that belong to it and about a tenth more at most, however many are equal; and when all have
/// them they are written. So three messages go from here to each segment and back, and one from each segment to each
/// other one and back; memory is needed for all elements once more. What Less throws is the future's exception: then
/// the vector has all its elements in some order. Where Less is no strict weak order (or a number is NaN) some may be
/// there twice in the end, and others be lost.
template <auto Less = std::less<>{}, class T>
[[nodiscard]] future<void> sort(const partitioned_vector<T>& in) {
  constexpr std::size_t k_samples = 32;
  const std::vector<vector_piece<T>> segments = in.pieces(0, in.size());
  std::vector<detail::sampled_segment> sampled;
  std::vector<future<std::vector<T>>> sorted;
  for (const vector_piece<T>& one : segments) {
    const std::size_t step = segments.size() == 1 ? 0 : (one.last - 1) / (k_samples * segments.size()) + 1;
    sampled.push_back({one.last, step});
    sorted.push_back(detail::call_segment<&detail::sort_in<Less, T>>(one.segment, step));
  }
  return when_all(std::move(sorted)).then([segments, sampled](future<std::vector<future<std::vector<T>>>> done) {
    std::vector<std::vector<T>> samples;
    for (auto& one : done.get()) samples.push_back(one.get());
    if (segments.size() < 2) return make_ready_future();
    return detail::exchange_sorted<Less>(segments, detail::order_of_samples<Less>(samples), sampled);
  });
}

} // namespace treadle
