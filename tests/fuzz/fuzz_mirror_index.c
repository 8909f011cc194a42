/*
 * Lines of a journal, which anybody may have written: what counts of them is an index, and that comes out again as it
 * went in. Each output has one owner, and none when its source was cleared.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "json/json.h"
#include "sink/mirror/index.h"

static bool collect(void *context, struct str bytes, struct err *err)
{
	(void)err;
	buf_add_str(context, bytes);
	return true;
}

static struct str padded(struct arena *a, struct str text)
{
	char *p = arena_array(a, char, text.n + JSON_PAD);

	if (text.n)
		memcpy(p, text.p, text.n);
	return str_of(p, text.n);
}

static struct str written(struct mirror_index *x, struct arena *a)
{
	struct buf out;
	struct err err;

	buf_init(&out);
	FUZZ_CHECK(mirror_index_write(x, collect, &out, &err));
	return padded(a, arena_take(a, &out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mirror_index first, second;
	struct str text;
	struct arena a;
	struct err err;

	arena_init(&a);
	mirror_index_init(&first, &a);
	FUZZ_CHECK(mirror_index_read(&first, padded(&a, str_of(data, size)), true, &err));
	text = written(&first, &a);
	mirror_index_init(&second, &a);
	FUZZ_CHECK(mirror_index_read(&second, text, false, &err));
	FUZZ_CHECK(str_eq(text, written(&second, &a)));
	for (size_t i = 0; i < second.count; i++) {
		for (const struct index_run *r = second.all[i]->first; r; r = r->next)
			FUZZ_CHECK(r->run >= 1 && r->run <= second.all[i]->count);
		mirror_index_clear(&second, second.all[i]);
	}
	FUZZ_CHECK(written(&second, &a).n == 0);
	arena_free(&a);
	return 0;
}
