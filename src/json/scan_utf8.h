/*
 * The tables of the UTF-8 check, for the variants that do it by look-ups; each repeats them over its
 * registers.
 */
#ifndef JSON_SCAN_UTF8_H
#define JSON_SCAN_UTF8_H

/*
 * UTF-8 by three table look-ups per byte (Keiser and Lemire, "Validating UTF-8 in less than one
 * instruction per byte"): the nibbles of the byte before and the high nibble of the byte itself each
 * allow a set of faults; a fault is real when all three allow it. Third and fourth bytes are then held
 * against the lead bytes two and three places before.
 */
enum {
	TOO_SHORT = 1,     /* a lead byte not followed by a continuation */
	TOO_LONG = 2,      /* a continuation after ASCII */
	OVERLONG_3 = 4,
	TOO_LARGE = 8,
	SURROGATE = 16,
	OVERLONG_2 = 32,
	TOO_LARGE_1000 = 64, /* also OVERLONG_4: the two never meet on the same lead byte */
	TWO_CONTS = 128,
	CARRY = TOO_SHORT | TOO_LONG | TWO_CONTS,
	LARGER = CARRY | TOO_LARGE | TOO_LARGE_1000,
	CONT = TOO_LONG | OVERLONG_2 | TWO_CONTS,
};

#define S8(x) ((char)(x))

#define UTF8_BY_PREV_HIGH \
	TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, \
	S8(TWO_CONTS), S8(TWO_CONTS), S8(TWO_CONTS), S8(TWO_CONTS), TOO_SHORT | OVERLONG_2, \
	TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE, TOO_SHORT | TOO_LARGE | TOO_LARGE_1000

#define UTF8_BY_PREV_LOW \
	S8(CARRY | OVERLONG_3 | OVERLONG_2 | TOO_LARGE_1000), S8(CARRY | OVERLONG_2), S8(CARRY), \
	S8(CARRY), S8(CARRY | TOO_LARGE), S8(LARGER), S8(LARGER), S8(LARGER), S8(LARGER), \
	S8(LARGER), S8(LARGER), S8(LARGER), S8(LARGER), S8(LARGER | SURROGATE), S8(LARGER), \
	S8(LARGER)

#define UTF8_BY_HIGH \
	TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, \
	S8(CONT | OVERLONG_3 | TOO_LARGE_1000), S8(CONT | OVERLONG_3 | TOO_LARGE), \
	S8(CONT | SURROGATE | TOO_LARGE), S8(CONT | SURROGATE | TOO_LARGE), TOO_SHORT, TOO_SHORT, \
	TOO_SHORT, TOO_SHORT

#endif
