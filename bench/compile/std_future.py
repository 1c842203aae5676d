"""The standard library."""

from _compile import main

main("""
#include <future>
int main() { return std::async(std::launch::async, [] { return 42; }).get() - 42; }
""")
