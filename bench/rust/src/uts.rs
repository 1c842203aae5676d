use crate::measure::{report, sum_by_halves_chili, sum_by_halves_rayon, with_chili, with_rayon};

/// As in bench/uts/kernel.hpp.
#[repr(C)]
#[derive(Clone, Copy)]
struct Node {
    state: [u8; 20],
    height: i32,
}

extern "C" {
    fn uts_root(tree: u32) -> Node;
    fn uts_child(parent: *const Node, number: i64) -> Node;
    fn uts_children(tree: u32, node: *const Node) -> i64;
}

const TREES: [(&str, u32, u64); 2] = [("uts_t1", 1, 4_130_071), ("uts_t3", 3, 4_112_897)];

fn children(tree: u32, node: &Node) -> u64 {
    unsafe { uts_children(tree, node) }.try_into().expect("a number of children")
}

fn child(parent: &Node, number: u64) -> Node {
    unsafe { uts_child(parent, number as i64) }
}

fn count_rayon(tree: u32, node: Node) -> u64 {
    match children(tree, &node) {
        0 => 1,
        n => 1 + sum_by_halves_rayon(0..n, &|i| count_rayon(tree, child(&node, i))),
    }
}

fn count_chili(scope: &mut chili::Scope<'_>, tree: u32, node: Node) -> u64 {
    match children(tree, &node) {
        0 => 1,
        n => 1 + sum_by_halves_chili(scope, 0..n, &|s, i| count_chili(s, tree, child(&node, i))),
    }
}

pub fn rayon(workers: usize) {
    for (name, tree, nodes) in TREES {
        let root = unsafe { uts_root(tree) };
        with_rayon(workers, || report(name, nodes, || count_rayon(tree, root), |count| count == nodes));
    }
}

pub fn chili(workers: usize) {
    for (name, tree, nodes) in TREES {
        let root = unsafe { uts_root(tree) };
        with_chili(workers, |s| report(name, nodes, || count_chili(s, tree, root), |count| count == nodes));
    }
}
