// Which of the processes that one command has started this one is: they are told the same names of files.
#pragma once

namespace treadle::detail {

/// From 0; -1 for a process that is alone. As was set, else as TREADLE_LOCALITIES or mpirun's variables say, also in a
/// program that makes no localities.
int process_in_program();
/// Stays when the localities have ended, and when the variables are changed for processes that this one starts.
void set_process_in_program(unsigned number);

} // namespace treadle::detail
