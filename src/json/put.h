/*
 * Members of an object in one call: json_put_i64(w, "n", 7) is json_write_key and json_write_i64. An object must be
 * open and no name may wait for its value; the writer asserts both. The names are terminated strings, and a literal's
 * length is known to the compiler. For a name that is a struct str, call json_write_key.
 */
#ifndef JSON_PUT_H
#define JSON_PUT_H

#include <assert.h>
#include <string.h>

#include "base/crypto/sha256.h"
#include "json/write.h"

/* The name alone; its value is to be written next. */
static inline void json_put_key(struct json_writer *w, const char *name)
{
	assert(name);
	json_write_key(w, str_of(name, strlen(name)));
}

static inline void json_put_u64(struct json_writer *w, const char *name, uint64_t v)
{
	json_put_key(w, name);
	json_write_u64(w, v);
}

static inline void json_put_i64(struct json_writer *w, const char *name, int64_t v)
{
	json_put_key(w, name);
	json_write_i64(w, v);
}

/* null when v is not finite */
static inline void json_put_double(struct json_writer *w, const char *name, double v)
{
	json_put_key(w, name);
	json_write_double(w, v);
}

static inline void json_put_bool(struct json_writer *w, const char *name, bool v)
{
	json_put_key(w, name);
	json_write_bool(w, v);
}

static inline void json_put_null(struct json_writer *w, const char *name)
{
	json_put_key(w, name);
	json_write_null(w);
}

/* One value that is JSON already. */
static inline void json_put_raw(struct json_writer *w, const char *name, struct str json)
{
	json_put_key(w, name);
	json_write_raw(w, json);
}

/* An absent text is written as "". */
static inline void json_put_text(struct json_writer *w, const char *name, struct str text)
{
	json_put_key(w, name);
	json_write_string(w, text);
}

/* A digest as 64 lower-case hex digits. */
static inline void json_put_digest(struct json_writer *w, const char *name, struct digest d)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	json_put_text(w, name, str_of(hex, sizeof(hex)));
}

/* ---- what may be unknown, and is null then ---- */

/* A text alone, for those who wrote its name already: null when text.p is NULL. An empty text is "". */
static inline void json_write_string_or_null(struct json_writer *w, struct str text)
{
	if (text.p)
		json_write_string(w, text);
	else
		json_write_null(w);
}

static inline void json_put_text_or_null(struct json_writer *w, const char *name, struct str text)
{
	json_put_key(w, name);
	json_write_string_or_null(w, text);
}

/* A terminated string, often one of a few words; null when it is NULL. */
static inline void json_put_word(struct json_writer *w, const char *name, const char *word)
{
	json_put_key(w, name);
	json_write_string_or_null(w, str_of(word, word ? strlen(word) : 0));
}

/* null when v is negative */
static inline void json_put_i64_or_null(struct json_writer *w, const char *name, int64_t v)
{
	json_put_key(w, name);
	if (v >= 0)
		json_write_i64(w, v);
	else
		json_write_null(w);
}

static inline void json_put_u64_or_null(struct json_writer *w, const char *name, uint64_t v, bool is_known)
{
	json_put_key(w, name);
	if (is_known)
		json_write_u64(w, v);
	else
		json_write_null(w);
}

/* ---- containers, begun: json_write_end_object and json_write_end_array end them ---- */

static inline void json_put_object(struct json_writer *w, const char *name)
{
	json_put_key(w, name);
	json_write_begin_object(w);
}

static inline void json_put_array(struct json_writer *w, const char *name)
{
	json_put_key(w, name);
	json_write_begin_array(w);
}

/* A whole array of strings. */
static inline void json_put_texts(struct json_writer *w, const char *name, const struct str *texts, size_t count)
{
	json_put_array(w, name);
	for (size_t i = 0; i < count; i++)
		json_write_string(w, texts[i]);
	json_write_end_array(w);
}

#endif
