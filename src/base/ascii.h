/*
 * Classes of bytes, whatever the locale. Only ASCII has any: a byte of 0x80 or above is in none of them, and is its own
 * lower and upper case.
 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>
#include <string.h>

static inline bool ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_alpha(char c)
{
	return ascii_is_lower(c) || ascii_is_upper(c);
}

static inline bool ascii_is_alnum(char c)
{
	return ascii_is_alpha(c) || ascii_is_digit(c);
}

/* A letter, a digit or '_': what a regular expression calls \w. */
static inline bool ascii_is_word(char c)
{
	return ascii_is_alnum(c) || c == '_';
}

/* What is safe in the name of a file: \w, '.' and '-'. */
static inline bool ascii_is_name(char c)
{
	return ascii_is_word(c) || c == '.' || c == '-';
}

static inline bool ascii_is_hex(char c)
{
	return ascii_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* A space or a tab. */
static inline bool ascii_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The white space of JSON: a blank, CR or LF, not VT or FF. */
static inline bool ascii_is_space(char c)
{
	return ascii_is_blank(c) || c == '\r' || c == '\n';
}

/* Whether the byte stands in a terminated text; a NUL never does, though strchr finds it. */
static inline bool ascii_is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static inline char ascii_lower(char c)
{
	return ascii_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

static inline char ascii_upper(char c)
{
	return ascii_is_lower(c) ? (char)(c - ('a' - 'A')) : c;
}

#endif
