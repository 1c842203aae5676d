#pragma once

// Everything about tasks. Loops and algorithms are in <treadle/algorithm.hpp>, coroutines in <treadle/coroutine.hpp>,
// the array language in <treadle/arrays/physl.hpp>.

#include <treadle/async.hpp>
#include <treadle/barrier.hpp>
#include <treadle/blocking_region.hpp>
#include <treadle/channel.hpp>
#include <treadle/condition_variable.hpp>
#include <treadle/dataflow.hpp>
#include <treadle/executors.hpp>
#include <treadle/future.hpp>
#include <treadle/latch.hpp>
#include <treadle/mutex.hpp>
#include <treadle/parallel_invoke.hpp>
#include <treadle/promise.hpp>
#include <treadle/runtime.hpp>
#include <treadle/semaphore.hpp>
#include <treadle/task_group.hpp>
#include <treadle/this_task.hpp>
#include <treadle/unwrapping.hpp>
#include <treadle/when.hpp>
