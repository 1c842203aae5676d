#ifndef __OCR_ERRORS_H__
#define __OCR_ERRORS_H__

#define OCR_EPERM 1
#define OCR_ENOENT 2
#define OCR_EINTR 4
#define OCR_EIO 5
#define OCR_ENXIO 6
#define OCR_E2BIG 7
#define OCR_ENOEXEC 8
#define OCR_EAGAIN 11
#define OCR_ENOMEM 12
#define OCR_EACCES 13
#define OCR_EFAULT 14
#define OCR_EBUSY 16
#define OCR_ENODEV 19
#define OCR_EINVAL 22
#define OCR_ENOSPC 28
#define OCR_ESPIPE 29
#define OCR_EROFS 30
#define OCR_EDOM 33
#define OCR_ERANGE 34
#define OCR_ENOSYS 38
#define OCR_ENOTEMPTY 39
#define OCR_ENOTSUP 95
#define OCR_EGUIDEXISTS 100
#define OCR_EACQ 101
#define OCR_EPEND 102
#define OCR_ENOP 103
#define OCR_ECANCELED 125

#endif
