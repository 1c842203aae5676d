// What the program `distributed_cholesky` prints, and its exit codes.
#include "common/localities_fixture.hpp"
#include "distributed_cholesky/block_cyclic.hpp"

#include <map>

TEST(block_cyclic, is_as_square_as_it_can_be) {
  const std::map<std::size_t, std::pair<std::size_t, std::size_t>> grids{{1, {1, 1}}, {2, {1, 2}},  {3, {1, 3}},
                                                                         {4, {2, 2}}, {6, {2, 3}},  {7, {1, 7}},
                                                                         {9, {3, 3}}, {12, {3, 4}}, {16, {4, 4}}};
  for (const auto& [localities, shape] : grids) {
    const distributed_cholesky::block_cyclic grid(localities);
    EXPECT_EQ(std::pair(grid.rows(), grid.columns()), shape);
    std::map<unsigned, int> tiles;
    for (std::size_t i = 0; i < 144; ++i)
      for (std::size_t j = 0; j < 144; ++j) ++tiles[grid.owner(i, j)];
    EXPECT_EQ(tiles.size(), localities);
    for (const auto& [owner, count] : tiles) EXPECT_LT(owner, localities) << count;
  }
}

TEST(distributed_cholesky_program, has_the_bits_of_one_thread) {
  for (const unsigned localities : {1U, 2U, 3U, 4U}) {
    for (const char* arguments : {"--n 200 --tile 16", "--n 130 --tile 32 --seed 7", "--n 50 --tile 64", "--n 1"}) {
      const apps::finished done =
          apps::run_localities(DISTRIBUTED_CHOLESKY_PROGRAM, localities, std::string(arguments) + " --check");
      EXPECT_EQ(done.code, 0) << arguments << done.text;
      EXPECT_NE(done.text.find("verified: the bits of one thread"), std::string::npos) << arguments << done.text;
    }
  }
  const apps::finished done = apps::run_localities(DISTRIBUTED_CHOLESKY_PROGRAM, 2, "--n 256 --tile 32 --check --json",
                                                   "TREADLE_COALESCING=paper:4,5000");
  EXPECT_EQ(done.code, 0) << done.text;
  EXPECT_NE(done.text.find("\"verified\": true"), std::string::npos) << done.text;
}

TEST(distributed_cholesky_program, says_which_tile_has_no_factor) {
  for (const unsigned localities : {1U, 2U, 4U}) {
    const apps::finished done =
        apps::run_localities(DISTRIBUTED_CHOLESKY_PROGRAM, localities, "--n 100 --tile 16 --spoil 39");
    EXPECT_EQ(done.code, 1) << done.text;
    EXPECT_NE(done.text.find("not positive definite: tile (2, 2), leading minor of order 40"), std::string::npos)
        << done.text;
  }
}

TEST(distributed_cholesky_program, says_what_is_wrong) {
  apps::expect_run(DISTRIBUTED_CHOLESKY_PROGRAM, "--n 0", 2, "--n");
  apps::expect_run(DISTRIBUTED_CHOLESKY_PROGRAM, "--n 10 --spoil 10", 2,
                   "--spoil 10: the last element of the diagonal is 9");
  apps::expect_run(DISTRIBUTED_CHOLESKY_PROGRAM, "--n 1000000", 2, "--n 1000000 --tile 128: needs up to");
  apps::expect_run(DISTRIBUTED_CHOLESKY_PROGRAM, "--help", 0, "dealt out over the localities");
}
