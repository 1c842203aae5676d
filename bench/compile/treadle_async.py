"""Only the header that is needed."""

from _compile import main

main("""
#include <treadle/async.hpp>
int main() { return treadle::async([] { return 42; }).get() - 42; }
""")
