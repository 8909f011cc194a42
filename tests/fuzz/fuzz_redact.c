/*
 * Redaction, held against what it promises: a word of content does not survive, what was JSON is JSON, twice is once,
 * the same key gives the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "json/json.h"
#include "transform/redact.h"

#define WORD "planted harbour words"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool good)
{
	if (!good)
		abort();
}

static bool is_json(struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct val v;
	bool good = json_parse_copy(p, text, &v, NULL);

	json_parser_close(p);
	return good;
}

/* The words in the place of each "X" that is a whole string. */
static void plant(struct buf *out, struct str text)
{
	for (size_t at; (at = str_find(text, STR("\"X\""))) != (size_t)-1; text = str_skip(text, at + 3)) {
		buf_add_str(out, str_of(text.p, at));
		buf_add_str(out, STR("\"" WORD "\""));
	}
	buf_add_str(out, text);
}

static void check(struct str text, enum redact_mode mode)
{
	static const uint8_t key[REDACT_KEY] = { 7 };
	struct redact *r, *other;
	struct buf once, twice, again;
	struct err err;

	r = redact_open(key, mode, &err);
	other = redact_open(key, mode, &err);
	expect(r && other);
	buf_init(&once);
	buf_init(&twice);
	buf_init(&again);
	redact_body(r, text, &once);
	redact_body(r, buf_str(&once), &twice);
	redact_body(other, text, &again);
	expect(str_eq(buf_str(&once), buf_str(&again)));
	expect(mode == REDACT_SECRETS || str_eq(buf_str(&once), buf_str(&twice)));
	expect(mode == REDACT_SECRETS || !str_has(buf_str(&once), STR(WORD)));
	if (text.n && (text.p[0] == '{' || text.p[0] == '[') && is_json(text))
		expect(is_json(buf_str(&once)) || str_has(buf_str(&once), STR("[tw:")));
	buf_free(&once);
	buf_free(&twice);
	buf_free(&again);
	redact_close(r);
	redact_close(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text;

	if (size == 0)
		return 0;
	buf_init(&text);
	plant(&text, str_of(data + 1, size - 1));
	check(buf_str(&text), data[0] & 1 ? REDACT_SECRETS : REDACT_CONTENT);
	buf_free(&text);
	return 0;
}
