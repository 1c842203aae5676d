// Loops whose iterations may run in any order, and at the same time.
#pragma once

#include "tree/nodes/leaves.hpp"

#include <treadle/detail/loop.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace treadle::tree {

class primitive_node;
class closure_node;

// What has to be known to run iterations of one in several tasks. Positions are slots of the frame that the loop runs
// in.
struct independent_loop {
  std::uint32_t variable = 0; // which counts
  // while and for go on as long as variable < bound (inclusive: <=), and add `step` at the end of every iteration.
  const node* bound = nullptr; // a leaf that the loop does not write; null: for_in
  bool inclusive = false;
  std::int64_t step = 0;

  std::vector<std::uint32_t> inputs;      // read, never written; arrays that are written in parts are among them
  std::vector<std::uint32_t> temporaries; // written by every iteration before it reads them; `variable` is among them
  std::vector<std::uint32_t> arrays;      // each iteration writes a part of its own:
  std::int64_t lowest = 0, width = 0;     // of one axis, at most the indices from variable + lowest on, `width` of them
  // Changes as Python means them are refused where somebody else holds an array, so it must be alone before the loop is
  // split; and what is kept of one must be elements: a view would show the changes, and be refused, too.
  bool needs_alone = false;
  std::vector<std::pair<std::uint32_t, std::size_t>> kept; // array, and how many axes it may have at most

  mutable detail::loop_site site; // what iterations cost, by measurement
};

struct loop_verdict {
  std::unique_ptr<independent_loop> independent; // or
  std::string reason;                            // why not
  std::vector<primitive_node*> part_reads;       // they read what is written in place
};

// Judges a while, for or for_in. `written`: what one turn of it writes, sorted.
loop_verdict judge_loop(node& loop, const std::vector<variable_use>& written);

bool is_loop(const node& n) noexcept; // of the three kinds

// The lambda that fmap and the like call where it stands, without making a closure of it; null when there is none.
const closure_node* called_in_place(const node& n) noexcept;

} // namespace treadle::tree
