/*
 * Lists of pairs in variables: what was taken reads the same when it is encoded again, and a refusal never shows the
 * text. Also as the resource of an export and as headers, of which none could end its line.
 */
#include "fuzz.h"

#include "base/ascii.h"
#include "sink/push/pairs.h"
#include "sink/push/plan.h"

static const char *variable;

static const char *get(const char *name)
{
	return strstr(name, "HEADERS") || strstr(name, "ATTRIBUTES") ? variable : NULL;
}

static void encode(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (ascii_is_alnum(s.p[i]))
			buf_add_byte(out, s.p[i]);
		else
			buf_printf(out, "%%%02X", (unsigned char)s.p[i]);
	}
}

static void check_again(struct arena *a, const struct push_pair *list, size_t n)
{
	struct err err = { .kind = ERR_NONE };
	struct push_pair *again;
	struct buf text;
	size_t count;

	buf_init(&text);
	for (size_t i = 0; i < n; i++) {
		encode(&text, list[i].key);
		buf_add_byte(&text, '=');
		encode(&text, list[i].value);
		buf_add_byte(&text, ',');
	}
	FUZZ_CHECK(push_pairs_parse(a, buf_str(&text), "again", &again, &count, &err) && count == n);
	for (size_t i = 0; i < n; i++)
		FUZZ_CHECK(str_eq(again[i].key, list[i].key) && str_eq(again[i].value, list[i].value));
	buf_free(&text);
}

static void check_plan(struct arena *a)
{
	struct push_wish w = { .preset = NULL };
	struct export_options o = { .version = "" };
	struct err err = { .kind = ERR_NONE };
	struct push_plan p;

	if (push_plan_read(a, &w, PUSH_TRACES, get, &p, &err))
		for (size_t i = 0; i < p.header_count; i++)
			for (size_t k = 0; k < p.headers[i].value.n; k++)
				FUZZ_CHECK(p.headers[i].value.p[k] != '\r' && p.headers[i].value.p[k] != '\n');
	if (push_plan_export(a, NULL, get, &o, &err))
		FUZZ_CHECK(o.resource_count % 2 == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { .kind = ERR_NONE };
	struct push_pair *list;
	struct arena a;
	size_t n;

	arena_init(&a);
	if (push_pairs_parse(&a, str_of(data, size), "list", &list, &n, &err)) {
		FUZZ_CHECK(n <= PUSH_PAIRS && err.kind == ERR_NONE);
		check_again(&a, list, n);
	} else {
		FUZZ_CHECK(err.kind == ERR_USAGE && strncmp(err.text, "list: ", 6) == 0);
	}
	variable = arena_copy(&a, str_of(data, size)).p;
	check_plan(&a);
	arena_free(&a);
	return 0;
}
