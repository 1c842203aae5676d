// Variables that are read for the last time give their value away: who computes with it may then use its memory again.
#pragma once

namespace treadle::tree {

struct compiled;

// Marks those reads of a linked program whose parallelism is known. Why this is right: docs/design/tree.md.
void find_last_reads(compiled& program);

} // namespace treadle::tree
