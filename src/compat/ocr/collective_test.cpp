#include "compat/ocr/ocr_fixture.hpp"
#include "compat/ocr/reduction.hpp"

#include <cstring>
#include <limits>

namespace treadle::ocr::testing {

class ocr_collective : public ocr_test {};
OCR_WITH_WORKERS(ocr_collective);

template <class T>
T combined(redOp_t op, T a, T b) {
  EXPECT_TRUE(is_reduction(op));
  EXPECT_EQ(datum_bytes(op), sizeof(T));
  combine(op, reinterpret_cast<std::byte*>(&a), reinterpret_cast<const std::byte*>(&b), 1);
  return a;
}

TEST(ocr_reduction, operations_do_what_their_names_say) {
  EXPECT_EQ(combined<double>(REDOP_F8_ADD, 1.5, 2), 3.5);
  EXPECT_EQ(combined<double>(REDOP_F8_MULT, 1.5, 2), 3);
  EXPECT_EQ(combined<double>(REDOP_F8_MIN, 1.5, -2), -2);
  EXPECT_EQ(combined<float>(REDOP_F4_MAX, 1.5F, -2), 1.5F);
  EXPECT_EQ(combined<u64>(REDOP_U8_ADD, ~u64{0}, 2), 1U);
  EXPECT_EQ(combined<u64>(REDOP_U8_MAX, ~u64{0}, 2), ~u64{0});
  EXPECT_EQ(combined<u32>(REDOP_U4_BITAND, 6, 3), 2U);
  EXPECT_EQ(combined<u32>(REDOP_U4_BITOR, 6, 3), 7U);
  EXPECT_EQ(combined<u64>(REDOP_U8_BITXOR, 6, 3), 5U);
  EXPECT_EQ(combined<s64>(REDOP_S8_MIN, -1, 3), -1);
  EXPECT_EQ(combined<s32>(REDOP_S4_MAX, -1, 3), 3);
  EXPECT_EQ(combined<s32>(REDOP_SIGNED | REDOP_BS4 | REDOP_ADD, std::numeric_limits<s32>::max(), 1),
            std::numeric_limits<s32>::min());
  EXPECT_EQ(combined<u8>(REDOP_BS1 | REDOP_MULT, 20, 20), 144);
  EXPECT_EQ(combined<std::uint16_t>(REDOP_BS2 | REDOP_MULT, 65535, 65535), 1);
  EXPECT_FALSE(is_reduction(REDOP_REAL | REDOP_BS2));
  EXPECT_FALSE(is_reduction(REDOP_REAL | REDOP_BS8 | REDOP_BITAND));
  EXPECT_FALSE(is_reduction(7 << 7));
}

TEST_P(ocr_collective, every_generation_goes_to_every_contributor) {
  constexpr u32 k_contributors = 5, k_generations = 20;
  std::atomic<u32> ran = 0;
  for (const bool reuse : {false, true}) {
    ran = 0;
    run_main([&](ocrEdtDep_t*) {
      const ocrGuid_t event =
          make(OCR_EVENT_COLLECTIVE_T, {.EVENT_COLLECTIVE = {k_generations, k_contributors, k_contributors, 2, 2,
                                                             REDOP_U8_ADD, COL_ALLREDUCE, reuse}});
      for (u32 who = 0; who < k_contributors; ++who) {
        spawn([=, &ran](u32, ocrEdtDep_t*) {
          for (u64 g = 0; g < k_generations; ++g) {
            u64 data[2] = {g * who, 1};
            const auto wait_for = [=, &ran] {
              const ocrGuid_t edt = spawn(
                  [=, &ran](u32, ocrEdtDep_t* depv) {
                    const auto* const result = static_cast<u64*>(depv[0].ptr);
                    if (!reuse) {
                      EXPECT_EQ(result[0], g * 10);
                    }
                    EXPECT_EQ(result[1], k_contributors);
                    if (++ran == k_contributors * k_generations) ocrShutdown();
                  },
                  {.depc = 1});
              EXPECT_EQ(ocrAddDependenceSlot(event, who, edt, 0, DB_MODE_RO), 0);
            };
            if (g % 2 == 0) wait_for();
            EXPECT_EQ(ocrEventCollectiveSatisfySlot(event, data, who), 0);
            if (g % 2 == 1) wait_for();
          }
        });
      }
    });
    EXPECT_EQ(ran, k_contributors * k_generations);
    if (GetParam() > 1) break; // a block for all is overwritten while others read: only in turn
  }
}

TEST_P(ocr_collective, bounds_and_misuse_are_refused) {
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t event =
        make(OCR_EVENT_COLLECTIVE_T, {.EVENT_COLLECTIVE = {2, 2, 2, 1, 2, REDOP_F8_ADD, COL_REDUCE, false}});
    double one = 1;
    EXPECT_EQ(ocrEventSatisfy(event, NULL_GUID), OCR_EINVAL);
    EXPECT_EQ(ocrEventCollectiveSatisfySlot(event, nullptr, 0), OCR_EINVAL);
    EXPECT_EQ(ocrEventCollectiveSatisfySlot(event, &one, 0), 0);
    EXPECT_EQ(ocrEventCollectiveSatisfySlot(event, &one, 0), 0);
    EXPECT_EQ(ocrEventCollectiveSatisfySlot(event, &one, 0), OCR_ENOSPC);
    EXPECT_EQ(ocrEventCollectiveSatisfySlot(make(OCR_EVENT_ONCE_T), &one, 0), OCR_EINVAL);
    ocrGuid_t none = NULL_GUID;
    ocrEventParams_t params{};
    params.EVENT_COLLECTIVE = {1, 1, 2, 1, 2, REDOP_F8_ADD, COL_REDUCE, false};
    EXPECT_EQ(ocrEventCreateParams(&none, OCR_EVENT_COLLECTIVE_T, EVT_PROP_TAKES_ARG, &params), OCR_EINVAL);
    ocrShutdown();
  });
}

} // namespace treadle::ocr::testing
