#pragma once

#include "compat/ocr/delivery.hpp"

namespace treadle::ocr {

/// The arguments of ocrEdtCreate().
struct edt_request {
  ocrGuid_t* guid = nullptr;
  ocrGuid_t from;
  std::uint32_t paramc = 0;
  const std::uint64_t* paramv = nullptr;
  std::uint32_t depc = 0;
  const ocrGuid_t* depv = nullptr;
  unsigned props = 0;
  const ocrHint_t* hint = nullptr;
  ocrGuid_t* output = nullptr;
  ocrDbAccessMode_t mode = DB_DEFAULT_MODE; ///< of the slots that depv has sources for
  bool keeps_result = false;                ///< with EDT_PROP_FINISH, too
};
std::uint8_t create_edt(const char* call, const edt_request& request);

/// From a block, an event or 0 to a slot of an EDT or event, both of which are there. Returns an OCR code.
std::uint8_t add_dependence(std::uint64_t source, std::uint32_t source_slot, const target& to);

} // namespace treadle::ocr
