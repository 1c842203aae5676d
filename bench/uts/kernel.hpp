#pragma once

/// The trees of the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006): the state of a child is the SHA-1 of
/// its parent's state and its number, and a node's number of children depends on its state. Compiled once for all
/// rivals, those in Rust included, so that only the tasking differs.
extern "C" {

struct uts_node {
  unsigned char state[20];
  int height;
};

enum uts_tree { uts_t1 = 1, uts_t3 = 3 };

uts_node uts_root(uts_tree tree);
uts_node uts_child(const uts_node* parent, long number);
long uts_children(uts_tree tree, const uts_node* node);
}
