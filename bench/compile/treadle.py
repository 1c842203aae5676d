"""All of Treadle's tasks."""

from _compile import main

main("""
#include <treadle/treadle.hpp>
int main() { return treadle::async([] { return 42; }).get() - 42; }
""")
