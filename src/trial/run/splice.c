/* Values are spans of the text: the new ones are put in their places, from the first to the last. */
#include "trial/run/splice.h"

#include <stdlib.h>

#include "base/buf.h"
#include "json/json.h"
#include "json/write.h"

struct splice_place {
	size_t at, n;
	struct str json;
};

static int compare_places(const void *a, const void *b)
{
	const struct splice_place *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

bool splice_values(struct arena *a, struct str text, const struct splice *changes, size_t count, struct str *out,
		   struct err *err)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct splice_place *places = arena_array(a, struct splice_place, count + 1);
	bool good = true;
	struct val root;
	struct buf b;
	size_t at = 0;

	if (!json_parse_copy(p, text, &root, NULL))
		good = err_set(err, ERR_DATA, "the record is not JSON");
	for (size_t i = 0; i < count && good; i++) {
		struct val v = val_at(root, str_from(changes[i].pointer));

		if (val_is_none(v)) {
			good = err_set(err, ERR_DATA, "the record has no %s", changes[i].pointer);
			continue;
		}
		places[i] = (struct splice_place){ (size_t)(val_source(v).p - v.tape->text), val_source(v).n,
						   changes[i].json };
	}
	json_parser_close(p);
	if (!good)
		return false;
	qsort(places, count, sizeof(*places), compare_places);
	buf_init(&b);
	for (size_t i = 0; i < count; i++) {
		buf_add(&b, text.p + at, places[i].at - at);
		buf_add_str(&b, places[i].json);
		at = places[i].at + places[i].n;
	}
	buf_add(&b, text.p + at, text.n - at);
	*out = arena_take(a, &b);
	return true;
}

struct str splice_text(struct arena *a, struct str text)
{
	struct buf b;

	buf_init(&b);
	json_write_quoted(&b, text);
	return arena_take(a, &b);
}
