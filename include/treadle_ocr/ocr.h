/* The Open Community Runtime's C interface, versions 1.1 and 1.2, on Treadle: docs/guide/ocr.md. */
#ifndef __OCR_H__
#define __OCR_H__

#ifdef __cplusplus
extern "C" {
#endif

/* OCR_TYPE_H=x86.h on the command line selects ocr-options_x86.h. */
#ifdef OCR_TYPE_H
#define OCR_TREADLE_TEXT_OF(x) #x
/* clang-format off */
#define OCR_TREADLE_OPTIONS(name) OCR_TREADLE_TEXT_OF(ocr-options_##name)
/* clang-format on */
#define OCR_TREADLE_OPTIONS_OF(name) OCR_TREADLE_OPTIONS(name)
#include OCR_TREADLE_OPTIONS_OF(OCR_TYPE_H)
#endif

#include "ocr-types.h"

#include "ocr-db.h"
#include "ocr-edt.h"
#include "ocr-errors.h"
#include "ocr-guid-functions.h"
#include "ocr-std.h"
#include "ocr-version.h"

#include "extensions/ocr-hints.h"

#ifdef __cplusplus
}
#endif

#endif
