#pragma once

/// What all rivals of the matrix product share, those in Rust included, so that only the tasking differs.
extern "C" {

/// c += a * b for tiles of matmul_tile x matmul_tile in row-major matrices of n columns.
void matmul_base(const double* a, const double* b, double* c, long n);

/// Small whole numbers, so that all results are exact.
void matmul_fill(double* matrix, long n, unsigned seed);

/// Whether c = a * b, by Freivalds' test: c * v = a * (b * v).
bool matmul_check(const double* a, const double* b, const double* c, long n);
}

constexpr long matmul_tile = 32;
