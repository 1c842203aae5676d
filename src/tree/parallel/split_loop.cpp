// Protocol and why it is right: docs/design/parallel-tree.md.
#include "tree/parallel/split_loop.hpp"

#include "tree/kernels/slicing.hpp"
#include "tree/nodes/change.hpp"
#include "tree/parallel/overlap.hpp"

#include <algorithm>
#include <optional>

namespace treadle::tree {
namespace {

// Arrays that the iterations write in parts, for the time of the loop.
class arrays_in_place {
 public:
  arrays_in_place(frame& f, std::span<const std::uint32_t> positions) : m_frame(f) {
    for (auto p : positions) {
      auto& s = f.at(p);
      if (s.in_place) continue; // by the loop around
      own_elements(s.v);
      s.in_place = true;
      m_marked.push_back(p);
    }
  }
  ~arrays_in_place() {
    for (auto p : m_marked) m_frame.at(p).in_place = false;
  }
  arrays_in_place(const arrays_in_place&) = delete;
  arrays_in_place& operator=(const arrays_in_place&) = delete;

 private:
  frame& m_frame;
  std::vector<std::uint32_t> m_marked;
};

// What all parts share.
struct split {
  const independent_loop& loop;
  const loop_turns& turns;
  const node& body;
  frame& f;
  run_state& run;
  std::uint32_t depth;
};

// What one part has for itself; the first one has the frame and the context of the loop.
struct loop_part {
  loop_part(frame& f, context& outer) noexcept : variables(&f), c(&outer) {}
  explicit loop_part(const split& s)
      : own(std::in_place, s.run, s.depth), variables(frame::create_for_part(s.f, s.loop.inputs)), c(&*own) {}
  ~loop_part() {
    if (own) variables->release();
  }
  loop_part(const loop_part&) = delete;
  loop_part& operator=(const loop_part&) = delete;

  std::optional<context> own;
  frame* variables;
  context* c;
  value last;
};

bool run_part(void* shared, void* state, std::uint64_t begin, std::uint64_t end) {
  const auto& s = *static_cast<const split*>(shared);
  auto& part = *static_cast<loop_part*>(state);
  for (auto k = begin; k != end; ++k) part.last = s.turns.run(*part.variables, *part.c, k);
  if (part.own && part.c->local) part.c->local[s.body.index].spawned += end - begin;
  return true;
}

void append(void* shared, void* left, void* right) {
  auto &to = *static_cast<loop_part*>(left), &from = *static_cast<loop_part*>(right);
  for (auto p : static_cast<const split*>(shared)->loop.temporaries)
    std::swap(to.variables->at(p).v, from.variables->at(p).v);
  std::swap(to.last, from.last);
}

constexpr detail::loop_body k_table{
    run_part, [](void* shared) -> void* { return new loop_part(*static_cast<const split*>(shared)); }, append,
    [](void* part) noexcept { delete static_cast<loop_part*>(part); }};

// What the compiler cannot know of the arrays that are written in parts.
bool fit_for_parts(const independent_loop& loop, frame& f) {
  const auto fits = [&](auto p) {
    const auto& s = f.at(p);
    return s.v.is_array() && (!loop.needs_alone || s.in_place || is_alone(s.v));
  };
  return std::all_of(loop.arrays.begin(), loop.arrays.end(), fits) &&
         std::all_of(loop.kept.begin(), loop.kept.end(),
                     [&](const auto& k) { return f.at(k.first).v.as_array().rank() <= k.second; });
}

} // namespace

bool run_in_parts(const independent_loop& loop, const node& body, frame& f, context& c, std::uint64_t count,
                  const loop_turns& turns, value& last) {
  if (count < 2 || !c.overlaps() || !c.run.is_worth_a_task(body.index, count / 2, c.local)) return false;
  if (!fit_for_parts(loop, f)) {
    if (c.local) c.local[body.index].threshold = 0; // what it is worth did not matter
    return false;
  }
  on_worker(c, [&](context& here) {
    const arrays_in_place marked(f, loop.arrays);
    split s{loop, turns, body, f, here.run, here.depth};
    loop_part first(f, here);
    run_overlapping(k_table, &s, &first, count, here, loop.site);
    last = std::move(first.last);
  });
  return true;
}

} // namespace treadle::tree
