#ifndef __OCR_REDUCTION_EVENT_H__
#define __OCR_REDUCTION_EVENT_H__

#include "../ocr-types.h"

#ifdef ENABLE_EXTENSION_COLLECTIVE_EVT

/* How a collective event combines values, 16 bits from the lowest: associative, commutative, bytes of a value minus 1
 * (3 bits), signed, real, operator (3 bits). An operator is in its place already, so that values are put together by |.
 */
typedef u16 redOp_t;

#define REDOP_BIT_COUNT 16
#define REDOP_ASSOCIATIVE_SIZE 1
#define REDOP_COMMUTATIVE_SIZE 1
#define REDOP_DATUM_SIZE_SIZE 3
#define REDOP_SIGNED_SIZE 1
#define REDOP_TYPE_SIZE 1
#define REDOP_OPERATOR_SIZE 3
#define REDOP_ASSOCIATIVE_SIDX 1
#define REDOP_COMMUTATIVE_SIDX 2
#define REDOP_DATUM_SIZE_SIDX 5
#define REDOP_SIGNED_SIDX 6
#define REDOP_TYPE_SIDX 7
#define REDOP_OPERATOR_SIDX 10
#define REDOP_SIZE(x) REDOP_##x##_SIZE
#define REDOP_SIDX(x) REDOP_##x##_SIDX
#define REDOP_EIDX(x) (REDOP_##x##_SIDX - REDOP_##x##_SIZE)

#define REDOP_ASSOCIATIVE ((redOp_t)0x1)
#define REDOP_COMMUTATIVE ((redOp_t)0x2)
#define REDOP_BS1 ((redOp_t)0)
#define REDOP_BS2 ((redOp_t)4)
#define REDOP_BS4 ((redOp_t)12)
#define REDOP_BS8 ((redOp_t)28)
#define REDOP_UNSIGNED ((redOp_t)0)
#define REDOP_SIGNED ((redOp_t)0x20)
#define REDOP_INTEGER ((redOp_t)0)
#define REDOP_REAL ((redOp_t)0x40)
#define REDOP_ADD ((redOp_t)(0 << 7))
#define REDOP_MULT ((redOp_t)(1 << 7))
#define REDOP_MIN ((redOp_t)(2 << 7))
#define REDOP_MAX ((redOp_t)(3 << 7))
#define REDOP_BITAND ((redOp_t)(4 << 7))
#define REDOP_BITOR ((redOp_t)(5 << 7))
#define REDOP_BITXOR ((redOp_t)(6 << 7))

#define REDOP_TREADLE_REAL(bytes, op)                                                                                  \
  ((redOp_t)(REDOP_ASSOCIATIVE | REDOP_COMMUTATIVE | REDOP_SIGNED | REDOP_REAL | REDOP_BS##bytes | REDOP_##op))
#define REDOP_TREADLE_UNSIGNED(bytes, op) ((redOp_t)(REDOP_UNSIGNED | REDOP_INTEGER | REDOP_BS##bytes | REDOP_##op))
#define REDOP_TREADLE_SIGNED(bytes, op) ((redOp_t)(REDOP_SIGNED | REDOP_INTEGER | REDOP_BS##bytes | REDOP_##op))

#define REDOP_F8_ADD REDOP_TREADLE_REAL(8, ADD)
#define REDOP_F8_MULT REDOP_TREADLE_REAL(8, MULT)
#define REDOP_F8_MIN REDOP_TREADLE_REAL(8, MIN)
#define REDOP_F8_MAX REDOP_TREADLE_REAL(8, MAX)
#define REDOP_F4_ADD REDOP_TREADLE_REAL(4, ADD)
#define REDOP_F4_MULT REDOP_TREADLE_REAL(4, MULT)
#define REDOP_F4_MIN REDOP_TREADLE_REAL(4, MIN)
#define REDOP_F4_MAX REDOP_TREADLE_REAL(4, MAX)
#define REDOP_U8_ADD REDOP_TREADLE_UNSIGNED(8, ADD)
#define REDOP_U8_MULT REDOP_TREADLE_UNSIGNED(8, MULT)
#define REDOP_U8_MIN REDOP_TREADLE_UNSIGNED(8, MIN)
#define REDOP_U8_MAX REDOP_TREADLE_UNSIGNED(8, MAX)
#define REDOP_U8_BITAND REDOP_TREADLE_UNSIGNED(8, BITAND)
#define REDOP_U8_BITOR REDOP_TREADLE_UNSIGNED(8, BITOR)
#define REDOP_U8_BITXOR REDOP_TREADLE_UNSIGNED(8, BITXOR)
#define REDOP_U4_ADD REDOP_TREADLE_UNSIGNED(4, ADD)
#define REDOP_U4_MULT REDOP_TREADLE_UNSIGNED(4, MULT)
#define REDOP_U4_MIN REDOP_TREADLE_UNSIGNED(4, MIN)
#define REDOP_U4_MAX REDOP_TREADLE_UNSIGNED(4, MAX)
#define REDOP_U4_BITAND REDOP_TREADLE_UNSIGNED(4, BITAND)
#define REDOP_U4_BITOR REDOP_TREADLE_UNSIGNED(4, BITOR)
#define REDOP_U4_BITXOR REDOP_TREADLE_UNSIGNED(4, BITXOR)
#define REDOP_S8_MIN REDOP_TREADLE_SIGNED(8, MIN)
#define REDOP_S8_MAX REDOP_TREADLE_SIGNED(8, MAX)
#define REDOP_S4_MIN REDOP_TREADLE_SIGNED(4, MIN)
#define REDOP_S4_MAX REDOP_TREADLE_SIGNED(4, MAX)

#endif

#endif
