#define OPENSSL_SUPPRESS_DEPRECATED // the one-block interface is several times faster than the general one
#include "uts/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <openssl/sha.h>

namespace {

// T1: geometric, fixed shape, -d 10 -b 4 -r 19. T3: binomial, -b 2000 -q 0.124875 -m 8 -r 42.
constexpr int k_t1_depth = 10;
constexpr double k_t1_branching = 4;
constexpr unsigned k_t1_seed = 19;
constexpr long k_t3_root_children = 2000;
constexpr double k_t3_probability = 0.124875;
constexpr long k_t3_children = 8;
constexpr unsigned k_t3_seed = 42;
constexpr long k_most_children = 100; // of any node but the root

void put(unsigned char* bytes, unsigned value) {
  for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<unsigned char>(value >> (24 - 8 * i));
}

uts_node hashed(const unsigned char* bytes, std::size_t count, int height) {
  uts_node node;
  node.height = height;
  SHA_CTX context;
  SHA1_Init(&context);
  SHA1_Update(&context, bytes, count);
  SHA1_Final(node.state, &context);
  return node;
}

/// In [0, 1), from the last four bytes of the state.
double random_of(const uts_node& node) {
  unsigned bits = 0;
  for (int i = 16; i < 20; ++i) bits = bits << 8 | node.state[i];
  return static_cast<double>(bits & 0x7fff'ffffU) / 2147483648.0;
}

} // namespace

uts_node uts_root(uts_tree tree) {
  unsigned char seed[20] = {};
  put(seed + 16, tree == uts_t1 ? k_t1_seed : k_t3_seed);
  return hashed(seed, sizeof seed, 0);
}

uts_node uts_child(const uts_node* parent, long number) {
  unsigned char bytes[24];
  std::copy(parent->state, parent->state + 20, bytes);
  put(bytes + 20, static_cast<unsigned>(number));
  return hashed(bytes, sizeof bytes, parent->height + 1);
}

long uts_children(uts_tree tree, const uts_node* node) {
  if (tree == uts_t3) {
    if (node->height == 0) return k_t3_root_children;
    return random_of(*node) < k_t3_probability ? k_t3_children : 0;
  }
  if (node->height >= k_t1_depth) return 0;
  constexpr double k_stop = 1 / (1 + k_t1_branching);
  static const double scale = std::log(1 - k_stop);
  return std::min(static_cast<long>(std::floor(std::log(1 - random_of(*node)) / scale)), k_most_children);
}
