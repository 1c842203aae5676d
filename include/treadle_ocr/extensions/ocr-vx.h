#ifndef __OCR_VX_H__
#define __OCR_VX_H__

#include "../ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What OCR-Vx adds. */

/* How far the program is; read by `treadle top` and by agents. */
u8 ocrProgressReport(u64 progress);
/* Programs of one group belong together for an agent. */
u8 ocrApplicationGroup(u64 group);

#ifdef __cplusplus
}
#endif

#endif
