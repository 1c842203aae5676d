// Which of the processes that one command has started this one is: they are told the same names of files.
#pragma once

#include <algorithm>

namespace treadle::detail {

/// From 0; -1 for a process that is alone. As was set, else as TREADLE_LOCALITIES or mpirun's variables say, also in a
/// program that makes no localities.
int process_in_program();
/// The same, with 0 for a process that is alone.
inline unsigned number_in_program() { return static_cast<unsigned>(std::max(process_in_program(), 0)); }
/// Stays when the localities have ended, and when the variables are changed for processes that this one starts.
void set_process_in_program(unsigned number);

} // namespace treadle::detail
