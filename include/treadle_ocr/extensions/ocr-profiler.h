#ifndef __OCR_PROFILER_H__
#define __OCR_PROFILER_H__

/* Marks for the reference implementation's profiler; Treadle has its own traces (docs/guide/observe.md). */
#include "ocr-profiler-internal.h"

#endif
