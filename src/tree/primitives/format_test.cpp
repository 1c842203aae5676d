#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

TEST(format, writes_numbers_and_text_as_python) {
  check({
      {"format(\"{}, {}\", 1, \"two\")", "\"1, two\""},
      {"format(\"{1} {0}\", 1, 2)", "\"2 1\""},
      {"format(\"{{}} {:>6.2f}|{:<5}|{:^7}|\", 3.14159, 42, \"mid\")", "\"{}   3.14|42   |  mid  |\""},
      {"format(\"{:+d} {:#x} {:08.3f} {:,} {:.1%}\", 5, 255, -1.5, 1234567, 0.256)",
       "\"+5 0xff -001.500 1,234,567 25.6%\""},
      {"format(\"{:*^9} {:e} {:g} {:010,}\", 7, 12345.678, 1e-7, 1234)", "\"****7**** 1.234568e+04 1e-07 00,001,234\""},
      {"format(\"{:{}}\", 3, 5)", "\"    3\""},
      {"format(\"{} {}\", 1e16, 123456789.125)", "\"1e+16 123456789.125\""},
      {"format(\"{:,%} {:_.0%} {:0= 012,.0f} {:015,}\", inf, nan, inf, ninf)",
       "\"inf% nan%  00000000inf -00000000000inf\""},
  });
}

TEST(format, refuses_what_python_refuses) {
  for (const char* text : {"format(\"{:q}\", 1)", "format(\"{:.2f}\", \"text\")", "format(\"{:.2d}\", 1)",
                           "format(\"}\")", "format(\"{\")", "format(\"{0} {}\", 1, 2)", "format(\"{name}\", 1)",
                           "format(\"{1}\", 1)", "format(\"{:5}\", [1, 2])", "format(\"{:99999999999}\", 1)"})
    error_of(text);
}

} // namespace
} // namespace treadle::tree
