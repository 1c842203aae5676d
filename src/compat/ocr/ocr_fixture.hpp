#pragma once

#include "compat/ocr/guid.hpp"
#include "compat/ocr/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

/// Programs whose EDTs are functions of the test.
namespace treadle::ocr::testing {

using body = std::function<ocrGuid_t(u32, ocrEdtDep_t*)>;

/// Bodies of EDTs live until the program ends, because some never run.
struct bodies {
  std::mutex lock;
  std::deque<body> all;
  u64 add(body one) {
    const std::lock_guard guard(lock);
    all.push_back(std::move(one));
    return reinterpret_cast<u64>(&all.back());
  }
  static bodies& of_program() {
    static bodies current;
    return current;
  }
};

inline ocrGuid_t call_body(u32, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  return (*reinterpret_cast<body*>(paramv[0]))(depc, depv);
}

/// What ocrEdtCreate() is given beside the function.
struct how {
  u32 depc = 0;
  ocrGuid_t* depv = nullptr;
  u16 props = EDT_PROP_NONE;
  ocrGuid_t* output = nullptr;
  ocrHint_t* hint = nullptr;
};

inline ocrGuid_t make_edt(body one, const how& with = {}) {
  ocrGuid_t edt_template = NULL_GUID, edt = NULL_GUID;
  EXPECT_EQ(ocrEdtTemplateCreate_internal(&edt_template, call_body, 1, EDT_PARAM_UNK, "test"), 0);
  u64 parameter = bodies::of_program().add(std::move(one));
  EXPECT_EQ(ocrEdtCreate(&edt, edt_template, 1, &parameter, with.depc, with.depv, with.props, with.hint, with.output),
            0);
  EXPECT_EQ(ocrEdtTemplateDestroy(edt_template), 0);
  return edt;
}
/// The same for bodies that return nothing.
template <class F>
ocrGuid_t spawn(F one, const how& with = {}) {
  return make_edt(
      [one](u32 depc, ocrEdtDep_t* depv) mutable {
        if constexpr (std::is_same_v<decltype(one(depc, depv)), void>) {
          one(depc, depv);
          return NULL_GUID;
        } else {
          return one(depc, depv);
        }
      },
      with);
}

inline ocrGuid_t make(ocrEventTypes_t type, u16 props = EVT_PROP_NONE) {
  ocrGuid_t event = NULL_GUID;
  EXPECT_EQ(ocrEventCreate(&event, type, props), 0);
  return event;
}
inline ocrGuid_t make(ocrEventTypes_t type, const ocrEventParams_t& params, u16 props = EVT_PROP_TAKES_ARG) {
  ocrGuid_t event = NULL_GUID;
  ocrEventParams_t copy = params;
  EXPECT_EQ(ocrEventCreateParams(&event, type, props, &copy), 0);
  return event;
}

/// A block with one number in it, released.
inline ocrGuid_t make_block_of(u64 value, u16 flags = DB_PROP_NONE) {
  ocrGuid_t db = NULL_GUID;
  void* memory = nullptr;
  EXPECT_EQ(ocrDbCreate(&db, &memory, sizeof value, flags, NULL_HINT, NO_ALLOC), 0);
  if (memory) {
    *static_cast<u64*>(memory) = value;
    EXPECT_EQ(ocrDbRelease(db), 0);
  }
  return db;
}
inline u64 value_of(const ocrEdtDep_t& dep) { return dep.ptr ? *static_cast<u64*>(dep.ptr) : ~u64{0}; }
inline bool same(ocrGuid_t a, ocrGuid_t b) { return ocrGuidIsEq(a, b); }

/// Runs `main` as the program's first EDT.
template <class F>
outcome run_program(unsigned workers, F main, bool is_checked = false) {
  static std::function<void(ocrEdtDep_t*)> first;
  first = std::move(main);
  outcome result = run(
      [](u32, u64*, u32, ocrEdtDep_t* depv) {
        first(depv);
        return NULL_GUID;
      },
      0, nullptr, {.workers = workers, .is_checked = is_checked});
  first = nullptr;
  bodies::of_program().all.clear();
  return result;
}

/// With how many workers, more than this machine has cores too.
class ocr_test : public ::testing::TestWithParam<unsigned> {
 protected:
  template <class F>
  outcome run_main(F main, bool is_checked = false) {
    return run_program(GetParam(), std::move(main), is_checked);
  }
};

inline bool mentions(const std::vector<std::string>& reports, const std::string& what) {
  for (const std::string& one : reports) {
    if (one.find(what) != std::string::npos) return true;
  }
  return false;
}

#define OCR_WITH_WORKERS(Suite)                                                                                        \
  INSTANTIATE_TEST_SUITE_P(workers, Suite, ::testing::Values(1U, 2U, 4U), ::testing::PrintToStringParamName())

} // namespace treadle::ocr::testing
