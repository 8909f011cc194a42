/* One walk over the names; where a value comes from is the callers' affair. */
#include "replay/versions.h"

#include "base/buf.h"
#include "capture/cassette_rules.h"

static void versions_begin(struct buf *out, struct str name)
{
	if (out->n)
		buf_add_str(out, STR("; "));
	buf_add_str(out, name);
	buf_add_str(out, STR(": "));
}

/* A header that comes again is joined as the cassette joins it. */
struct str versions_of_head(struct arena *a, const struct http_head *h)
{
	struct buf out;

	buf_init(&out);
	for (const struct cassette_rule *r = cassette_rules; r->name; r++) {
		bool begun = false;

		for (size_t i = 0; i < h->count && r->kind == CASSETTE_VERSION; i++) {
			if (!http_name_eq(h->headers[i].name, str_from(r->name)))
				continue;
			if (begun)
				buf_add_str(&out, STR(", "));
			else
				versions_begin(&out, str_from(r->name));
			buf_add_str(&out, h->headers[i].value);
			begun = true;
		}
	}
	return out.n ? arena_take(a, &out) : STR("");
}

struct str versions_of_recorded(struct arena *a, struct val headers)
{
	struct buf out;

	buf_init(&out);
	for (const struct cassette_rule *r = cassette_rules; r->name; r++) {
		struct val value = r->kind == CASSETTE_VERSION ? val_get(headers, str_from(r->name)) : VAL_NONE;

		if (!val_is(value, JSON_STRING))
			continue;
		versions_begin(&out, str_from(r->name));
		buf_add_str(&out, val_text(value, a));
	}
	return out.n ? arena_take(a, &out) : STR("");
}
