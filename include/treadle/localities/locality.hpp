#pragma once

#include <treadle/detail/own_locality.hpp>

#include <memory>
#include <vector>

namespace treadle {

/// A process of a program that runs as several. Compares and copies like its number.
class locality {
 public:
  constexpr explicit locality(unsigned number) noexcept : m_number(number) {}
  constexpr unsigned number() const noexcept { return m_number; }
  friend constexpr bool operator==(locality, locality) = default;
  friend constexpr auto operator<=>(locality, locality) = default;

 private:
  unsigned m_number;
};

/// Makes this process one of the localities that the program was started as (treadle run -n N -- COMMAND), or the only
/// one. To be made once, in main(), before anything is sent, and the same in all processes; the constructor waits for
/// the others. The destructor waits until all of them have come to theirs, no task runs and no parcel is on its way; in
/// between this process goes on to execute what others send. Where an exception destroys it, it waits for nobody: calls
/// of others fail as when the process had died, as soon as that has ended.
///
/// Throws std::invalid_argument where the process was started in a way that makes no sense, and std::runtime_error
/// where others do not come within a minute, or are other programs.
class localities {
 public:
  localities();
  ~localities();
  localities(const localities&) = delete;
  localities& operator=(const localities&) = delete;

 private:
  struct implementation;
  std::unique_ptr<implementation> m_is;
};

/// This process. Any thread; a load.
inline locality find_here() noexcept { return locality(detail::own_number.load(detail::order::relaxed)); }
/// How many there are: 1 while there is no object `localities`.
inline unsigned num_localities() noexcept { return detail::number_of_localities.load(detail::order::relaxed); }
/// All of them in the order of their numbers, or all others.
std::vector<locality> find_all_localities();
std::vector<locality> find_remote_localities();

} // namespace treadle
