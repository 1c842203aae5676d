#pragma once

/// What all rivals of the matrix product share, those in Rust included, so that only the tasking differs.
extern "C" {

/// c += a * b for tiles of matmul_tile x matmul_tile in row-major matrices of n columns.
void matmul_base(const double* a, const double* b, double* c, long n);

/// Room for a, b and c, which lie alike in all programs: each begins at an offset of its own in a page. Where each
/// program's allocator put them, a product of 1024 rows took 70 ms in some programs and 100 in others, because rows
/// whose addresses have the same last bits share few places in the first cache.
void matmul_take(long n, double* matrices[3]);
/// Gives it back.
void matmul_give(double* matrices[3]);

/// Small whole numbers, so that all results are exact.
void matmul_fill(double* matrix, long n, unsigned seed);

/// Whether c = a * b, by Freivalds' test: c * v = a * (b * v).
bool matmul_check(const double* a, const double* b, const double* c, long n);
}

constexpr long matmul_tile = 32;
