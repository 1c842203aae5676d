#ifndef __OCR_PROFILER_INTERNAL_H__
#define __OCR_PROFILER_INTERNAL_H__

#define START_PROFILE(id)
#define PAUSE_PROFILE
#define RESUME_PROFILE
#define EXIT_PROFILE
#define RETURN_PROFILE(value) return value;

#endif
