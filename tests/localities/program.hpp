// What the parts of localities_program have in common.
#pragma once

#include <treadle/localities/locality.hpp>
#include <treadle/this_task.hpp>

#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: Failure: %s in locality %u\n", __FILE__, __LINE__, #condition,                      \
                   treadle::find_here().number());                                                                     \
      std::exit(3);                                                                                                    \
    }                                                                                                                  \
  } while (false)

namespace treadle::testing {

template <class F>
void until(F is_so) {
  while (!is_so()) this_task::sleep_for_ns(1'000'000);
}

// Cases of coordination.cpp.
void futures_of_actions();
void latches_and_channels();
void priorities();
void migrations();

// Of large_arguments.cpp.
void large_arguments();
void large_survives();

// Of faults.cpp.
void parcels_that_mean_nothing();
void stopped_receiver();
void dies();
void throws();

// Of arrays.cpp.
void placed_calls();
void random_placements();
void distributed_arrays();
void distributed_products();
void distributed_diagonals();
void distributed_convolutions();
void array_faults();
void array_programs_without_others();

// Of partitioned.cpp.
void partitioned_vectors();
void partitioned_maps();
void partitioned_algorithms();
void partitioned_faults();
void partitioned_entries();

// Of partitioned_order.cpp.
void partitioned_scans();
void partitioned_sorts();

// Of observation.cpp.
void traced_parcels();

} // namespace treadle::testing
