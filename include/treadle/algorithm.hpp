#pragma once

// All parallel algorithms (docs/guide/algorithms.md).

#include <treadle/algorithm/any_of.hpp>
#include <treadle/algorithm/compare.hpp>
#include <treadle/algorithm/copy.hpp>
#include <treadle/algorithm/copy_if.hpp>
#include <treadle/algorithm/count.hpp>
#include <treadle/algorithm/fill.hpp>
#include <treadle/algorithm/find.hpp>
#include <treadle/algorithm/for_each.hpp>
#include <treadle/algorithm/for_loop.hpp>
#include <treadle/algorithm/merge.hpp>
#include <treadle/algorithm/minmax.hpp>
#include <treadle/algorithm/nth_element.hpp>
#include <treadle/algorithm/partition.hpp>
#include <treadle/algorithm/reduce.hpp>
#include <treadle/algorithm/remove.hpp>
#include <treadle/algorithm/replace.hpp>
#include <treadle/algorithm/reverse.hpp>
#include <treadle/algorithm/scan.hpp>
#include <treadle/algorithm/search.hpp>
#include <treadle/algorithm/set_operations.hpp>
#include <treadle/algorithm/sort.hpp>
#include <treadle/algorithm/stable_sort.hpp>
#include <treadle/algorithm/transform.hpp>
