#pragma once

// The whole interface, with all extensions: programs enable those that they use.
#define ENABLE_EXTENSION_AFFINITY
#define ENABLE_EXTENSION_CHANNEL_EVT
#define ENABLE_EXTENSION_COLLECTIVE_EVT
#define ENABLE_EXTENSION_COUNTED_EVT
#define ENABLE_EXTENSION_DB_INFO
#define ENABLE_EXTENSION_LABELING
#define ENABLE_EXTENSION_LEGACY
#define ENABLE_EXTENSION_MULTI_OUTPUT_SLOT
#define ENABLE_EXTENSION_PARAMS_EVT
#define ENABLE_EXTENSION_PAUSE
#define ENABLE_EXTENSION_RTITF

#include <treadle_ocr/ocr.h>

#include <treadle_ocr/extensions/ocr-affinity.h>
#include <treadle_ocr/extensions/ocr-db-info.h>
#include <treadle_ocr/extensions/ocr-labeling.h>
#include <treadle_ocr/extensions/ocr-legacy.h>
#include <treadle_ocr/extensions/ocr-pause.h>
#include <treadle_ocr/extensions/ocr-runtime-itf.h>
#include <treadle_ocr/extensions/ocr-vx.h>
