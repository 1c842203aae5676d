#include "tree/parallel/elementwise_chain.hpp"

#include "tree/parallel/overlap.hpp"

#include "tree/compile/compiler.hpp"
#include "tree/nodes/primitive_node.hpp"
#include "value/diagonal.hpp"

#include <treadle/algorithm/for_loop.hpp>

#include <algorithm>
#include <cstring>

namespace treadle::tree {
namespace {

// Elements of a block. A few operands of one fit into the second cache; memory is fetched ahead less well by short
// ones.
constexpr std::int64_t k_block = 32768;
constexpr std::int64_t k_least = 4 * k_block;
constexpr std::size_t k_most_steps = 32;

bool is_member(std::span<const primitive> family, const primitive& p) noexcept {
  return std::any_of(family.begin(), family.end(), [&](const auto& member) { return &member == &p; });
}

// Every element of its result depends on the elements of its operands at the same place, and on scalars.
bool is_elementwise(const primitive_node& n) {
  const auto& p = n.definition();
  if (!n.is_plain(p.name) || n.gives_copy) return false;
  constexpr std::string_view k_comparisons[] = {"__eq", "__ne", "__lt", "__le", "__gt", "__ge"};
  if (std::find(std::begin(k_comparisons), std::end(k_comparisons), p.name) != std::end(k_comparisons))
    return n.operands().size() == 2;
  return is_member(arithmetic_primitives(), p) || is_member(unary_primitives(), p) ||
         is_member(transcendental_primitives(), p);
}

bool is_private_leaf(const node& n) noexcept {
  if (!n.is_leaf()) return false;
  const auto* v = as<variable_node>(n);
  return !v || !v->address().shared;
}

} // namespace

std::int32_t elementwise_chain::add(const node& n) {
  if (n.is_leaf()) {
    m_inputs.push_back(&n);
    return ~static_cast<std::int32_t>(m_inputs.size() - 1);
  }
  step s{static_cast<const primitive_node*>(&n), {}};
  for (const node* operand : n.operands()) s.operands.push_back(add(*operand));
  m_steps.push_back(std::move(s));
  return static_cast<std::int32_t>(m_steps.size() - 1);
}

bool elementwise_chain::load(frame& f, std::vector<value>& inputs, extents& shape) const {
  const array* first = nullptr;
  for (const node* leaf : m_inputs) {
    const auto& v = peek(*leaf, f);
    if (v.is_scalar()) continue;
    if (!v.is_array()) return false;
    const auto& a = v.as_array();
    if (!first) first = &a;
    if (a.size() < k_least || a.shape() != first->shape() || !a.is_contiguous() || detail::is_diagonal(a)) return false;
  }
  if (!first) return false;
  shape = first->shape();
  for (const node* leaf : m_inputs) inputs.push_back(peek(*leaf, f));
  return true;
}

value elementwise_chain::compute_block(std::span<const value> inputs, std::int64_t at, std::int64_t length, context& c,
                                       std::span<std::int64_t> ticks) const {
  std::vector<value> results(m_steps.size()), args;
  for (std::size_t k = 0; k < m_steps.size(); ++k) {
    const auto start = ticks.empty() ? 0 : detail::ticks_now();
    const auto& s = m_steps[k];
    call_context call{&s.n->definition(), &c.run.services(), 0};
    args.clear();
    for (auto operand : s.operands) {
      if (operand >= 0) {
        call.owned |= args.size() < 32 ? 1u << args.size() : 0;
        args.push_back(std::move(results[static_cast<std::size_t>(operand)]));
      } else {
        const auto& input = inputs[static_cast<std::size_t>(~operand)];
        args.push_back(input.is_array() ? value(input.as_array().view(at, {length}, {1})) : input);
      }
    }
    results[k] = s.n->apply(call, args);
    if (!ticks.empty()) ticks[k] = detail::ticks_now() - start;
  }
  return std::move(results.back());
}

// One evaluation of each instance; the first block tells how the time is divided among the steps.
void elementwise_chain::count(context& c, std::span<const std::int64_t> ticks, std::int64_t total) const {
  std::int64_t sum = 1;
  for (auto t : ticks) sum += t;
  const auto share = static_cast<double>(total) / static_cast<double>(sum);
  std::vector<std::uint64_t> inclusive(m_steps.size());
  for (std::size_t k = 0; k < m_steps.size(); ++k) {
    const auto self = static_cast<std::uint64_t>(static_cast<double>(ticks[k]) * share);
    std::uint64_t below = 0;
    for (auto operand : m_steps[k].operands)
      if (operand >= 0) below += inclusive[static_cast<std::size_t>(operand)];
    inclusive[k] = self + below;
    if (k + 1 == m_steps.size()) { // the root: the one that evaluates it measures it
      c.children += static_cast<std::int64_t>(below);
      break;
    }
    auto& s = c.local[m_steps[k].n->index];
    ++s.count;
    s.self += self;
    s.inclusive += inclusive[k];
  }
  for (const node* leaf : m_inputs) ++c.local[leaf->index].count;
}

bool elementwise_chain::execute(frame& f, context& c, value& result) const {
  extents shape;
  std::vector<value> inputs;
  if (!c.run.is_worth_a_task(m_steps.back().n->index, 1, c.local) || !load(f, inputs, shape)) return false;
  const auto size = shape.product(), blocks = (size - 1) / k_block + 1;
  std::vector<std::int64_t> ticks(m_steps.size());
  try {
    const auto start = detail::ticks_now();
    const auto first = compute_block(inputs, 0, k_block, c, ticks).to_array();
    auto whole = array::uninitialized(first.type(), shape);
    auto* const to = static_cast<std::byte*>(whole.object()->data);
    const auto bytes = static_cast<std::int64_t>(item_bytes(first.type()));
    const auto keep = [&](const array& block, std::int64_t at) {
      std::memcpy(to + at * bytes, block.contiguous().raw_data(), static_cast<std::size_t>(block.size() * bytes));
    };
    keep(first, 0);
    const auto compute = [&](std::int64_t block) {
      const auto at = block * k_block;
      keep(compute_block(inputs, at, std::min(k_block, size - at), c, {}).to_array(), at);
    };
    on_worker(c, [&](context&) { treadle::for_loop(treadle::par, std::int64_t{1}, blocks, compute); });
    const auto end = detail::ticks_now();
    if (auto* timeline = c.run.timeline())
      for (const auto& s : m_steps) timeline->add(s.n->index, start, end);
    count(c, ticks, end - start);
    result = std::move(whole);
    return true;
  } catch (...) {
    return false;
  }
}

void find_chains(compiled& program) {
  // By node: how many steps a chain with this root has; 0: it is none.
  std::vector<std::size_t> steps(program.nodes.size());
  for (const auto& n : program.nodes) { // operands first
    const auto* p = as<primitive_node>(*n);
    if (!p || !is_elementwise(*p)) continue;
    std::size_t count = 1;
    for (const node* operand : n->operands()) {
      const auto below = steps[operand->index];
      if (below == 0 && !is_private_leaf(*operand)) count = k_most_steps + 1;
      count += below;
    }
    if (count <= k_most_steps) steps[n->index] = count;
  }
  for (const auto& n : program.nodes) {
    const auto parent = program.parents[n->index];
    if (steps[n->index] == 0 || (parent >= 0 && steps[static_cast<std::size_t>(parent)] != 0)) continue;
    program.chains.push_back(std::make_unique<elementwise_chain>(*n));
    n->chain = program.chains.back().get();
    n->may_overlap = true;
  }
}

} // namespace treadle::tree
