// By hand, on MPI: two ranks, a table of functions at the receiver.
#pragma once

#include "config.hpp"
#include "mpirun.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace parcels {

struct wire {
  std::uint32_t function, bytes;
  payload of;
};
using function = void (*)(std::uint64_t, std::uint64_t);
inline constexpr function k_table[] = {take_first, take_second};

/// `batch` parcels in a message, k_window messages at a time.
inline void send_all(int batch) {
  std::vector<std::vector<wire>> buffers(k_window, std::vector<wire>(static_cast<std::size_t>(batch)));
  std::vector<MPI_Request> requests(k_window, MPI_REQUEST_NULL);
  std::size_t slot = 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(k_parcels);) {
    MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
    std::size_t n = 0;
    for (; n < buffers[slot].size() && i < static_cast<std::uint64_t>(k_parcels); ++n, ++i)
      buffers[slot][n] = {static_cast<std::uint32_t>(i % 2), sizeof(payload), {i, 2 * i}};
    MPI_Isend(buffers[slot].data(), static_cast<int>(n * sizeof(wire)), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
              &requests[slot]);
    slot = (slot + 1) % k_window;
  }
  MPI_Waitall(static_cast<int>(k_window), requests.data(), MPI_STATUSES_IGNORE);
}
inline void receive_all(int batch) {
  std::vector<std::vector<wire>> buffers(k_window, std::vector<wire>(static_cast<std::size_t>(batch)));
  std::vector<MPI_Request> requests(k_window);
  const auto post = [&](std::size_t slot) {
    MPI_Irecv(buffers[slot].data(), static_cast<int>(buffers[slot].size() * sizeof(wire)), MPI_BYTE, 0, 0,
              MPI_COMM_WORLD, &requests[slot]);
  };
  const long messages = (k_parcels + batch - 1) / batch;
  for (std::size_t slot = 0; slot < k_window && static_cast<long>(slot) < messages; ++slot) post(slot);
  for (long m = 0; m < messages; ++m) {
    const std::size_t slot = static_cast<std::size_t>(m % k_window);
    MPI_Status status;
    MPI_Wait(&requests[slot], &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    for (std::size_t i = 0; i < static_cast<std::size_t>(bytes) / sizeof(wire); ++i)
      k_table[buffers[slot][i].function](buffers[slot][i].of.a, buffers[slot][i].of.b);
    if (m + k_window < messages) post(slot);
  }
}

/// Times `send` of rank 0 against `receive` of rank 1, which says at the end whether all is right; seconds at rank 0.
template <class Send, class Receive>
double time_between(int rank, bool& verified, Send send, Receive receive) {
  const auto once = [&] {
    std::uint64_t right = 0;
    if (rank == 0) {
      send();
      MPI_Recv(&right, 1, MPI_UINT64_T, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      so_far = {};
      right = receive() ? 1 : 0;
      MPI_Send(&right, 1, MPI_UINT64_T, 0, 9, MPI_COMM_WORLD);
    }
    verified &= right == 1;
  };
  once();
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch watch;
  once();
  return watch.seconds();
}
template <class Send, class Receive>
void between(const char* workload, long operations, int rank, Send send, Receive receive) {
  bool verified = true;
  const double seconds = time_between(rank, verified, send, receive);
  if (rank == 0) bench::print_record(workload, seconds, "s", operations, verified);
}

inline int run(int argc, char** argv, const char* mpirun, const char* mark) {
  if (!std::getenv(mark)) return start_two(mpirun, {}, argv); // not one of the ranks yet
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto is_right = [] {
    return so_far.count == static_cast<std::uint64_t>(k_parcels) && so_far.sum == expected_sum();
  };
  const auto one_way = [&](int batch, bool& verified) {
    return time_between(
        rank, verified, [&] { send_all(batch); },
        [&] {
          receive_all(batch);
          return is_right();
        });
  };
  bool verified = true;
  const double one_by_one = one_way(1, verified);
  if (rank == 0) bench::print_record("one_way", one_by_one, "s", k_parcels, verified);
  double best = HUGE_VAL;
  for (const int batch : k_batches) best = std::min(best, one_way(batch, verified));
  if (rank == 0) bench::print_record("batched", best, "s", k_parcels, verified);
  std::uint64_t number = 0;
  between(
      "ping_pong", k_pings, rank,
      [&] {
        number = 0;
        for (long i = 0; i < k_pings; ++i) {
          MPI_Send(&number, 1, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
          MPI_Recv(&number, 1, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
      },
      [&] {
        for (long i = 0; i < k_pings; ++i) {
          MPI_Recv(&number, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          ++number;
          MPI_Send(&number, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD);
        }
        return number == static_cast<std::uint64_t>(k_pings);
      });
  std::vector<double> array(k_array, 1.5);
  between(
      "large", k_arrays, rank,
      [&] {
        for (long i = 0; i < k_arrays; ++i)
          MPI_Send(array.data(), static_cast<int>(k_array), MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
      },
      [&] {
        for (long i = 0; i < k_arrays; ++i)
          MPI_Recv(array.data(), static_cast<int>(k_array), MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return array.back() == 1.5;
      });
  MPI_Finalize();
  return 0;
}

} // namespace parcels
