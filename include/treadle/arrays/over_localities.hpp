#pragma once

namespace treadle::physl {

/// While it lives, array programs of this process reach those of the other localities of the program: name{L#1}(...) is
/// computed there, and all_gather_d and its like exchange tiles of arrays (docs/guide/distributed-arrays.md). To be
/// made once, in main(), by every locality, and inside of the life of treadle::localities. Programs that exchange
/// something are run by all localities in the same order, one at a time. When it goes, others that still wait for
/// something from this locality get an error; calls that are placed here are computed until treadle::localities goes.
///
/// Throws std::logic_error where there is one already.
class over_localities {
 public:
  over_localities();
  ~over_localities();
  over_localities(const over_localities&) = delete;
  over_localities& operator=(const over_localities&) = delete;
};

} // namespace treadle::physl
