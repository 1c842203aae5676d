// What the program `parquet` prints, and its exit codes.
#include "common/localities_fixture.hpp"
#include "parquet/tensors.hpp"

TEST(parquet_tensors, crossing_exchanges_frequencies) {
  constexpr std::size_t k_n = 7;
  std::vector<int> met(k_n * k_n * k_n);
  for (std::size_t q = 0; q < k_n; ++q) {
    for (std::size_t k = 0; k < k_n; ++k) {
      for (std::size_t p = 0; p < k_n; ++p) {
        const parquet::place from = parquet::crossed(k_n, {k, p, q});
        ++met.at((from.q * k_n + from.k) * k_n + from.p);
      }
    }
  }
  for (const int times : met) EXPECT_EQ(times, 1);
}

TEST(parquet_program, has_the_bits_of_one_thread) {
  for (const unsigned localities : {1U, 2U, 3U}) {
    for (const char* arguments : {"--n 8 --iterations 3 --check", "--n 3 --iterations 5 --check"}) {
      const apps::finished done = apps::run_localities(PARQUET_PROGRAM, localities, arguments);
      EXPECT_EQ(done.code, 0) << done.text;
      EXPECT_NE(done.text.find("verified: the bits of one thread"), std::string::npos) << done.text;
    }
  }
  for (const char* how : {"off", "paper:4,5000", "paper-adaptive:every=50"}) {
    const apps::finished done = apps::run_localities(PARQUET_PROGRAM, 2, "--n 10 --iterations 2 --check --json",
                                                     std::string("TREADLE_COALESCING=") + how);
    EXPECT_EQ(done.code, 0) << done.text;
    EXPECT_NE(done.text.find("\"verified\": true"), std::string::npos) << done.text;
  }
}

TEST(parquet_program, says_what_is_wrong) {
  apps::expect_run(PARQUET_PROGRAM, "--n 0", 2, "--n");
  apps::expect_run(PARQUET_PROGRAM, "--help", 0, "parquet equations");
  const apps::finished done = apps::run_localities(PARQUET_PROGRAM, 3, "--n 2");
  EXPECT_EQ(done.code, 2) << done.text;
  EXPECT_NE(done.text.find("--n 2: fewer frequencies than localities, 3"), std::string::npos) << done.text;
}
