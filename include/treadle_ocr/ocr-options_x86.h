/* What a build of OCR for this type of machine has chosen: nothing that a program has to know. */
#ifndef __OCR_OPTIONS_X86_H__
#define __OCR_OPTIONS_X86_H__
#endif
