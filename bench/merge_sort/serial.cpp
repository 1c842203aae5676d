#include "merge_sort/config.hpp"

// std::stable_sort
int main() { merge_sort_bench::report(merge_sort::serial_sort<int>); }
