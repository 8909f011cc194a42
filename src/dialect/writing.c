/* Losses are kept in order of how often they came, so that nothing has to be sorted; there are few names. */
#include "dialect/writing.h"

#include <assert.h>

#include "base/crypto/sha256.h"
#include "json/text.h"

/* ---- what was left out ---- */

struct loss {
	const char *what;
	uint64_t times;
};

struct losses {
	struct loss *items; /* most often first */
	size_t count, cap;
};

struct losses *losses_open(void)
{
	struct losses *l = mem_alloc(sizeof(*l));

	*l = (struct losses){ NULL, 0, 0 };
	return l;
}

void losses_close(struct losses *l)
{
	if (l)
		mem_free(l->items);
	mem_free(l);
}

/* The loss of this name; l->count when it is new. */
static size_t find_loss(const struct losses *l, const char *what)
{
	size_t i = 0;

	while (i < l->count && l->items[i].what != what && strcmp(l->items[i].what, what) != 0)
		i++;
	return i;
}

/* `what` is compared by address first, then by its text: the same words may be constants of two files. */
void losses_add(struct losses *l, const char *what)
{
	struct loss moved;
	size_t i;

	if (!l)
		return;
	i = find_loss(l, what);
	if (i == l->count) {
		mem_grow(l->items, l->count, l->cap, 16);
		l->items[l->count++] = (struct loss){ what, 0 };
	}
	moved = l->items[i];
	moved.times++;
	for (; i && l->items[i - 1].times < moved.times; i--)
		l->items[i] = l->items[i - 1];
	l->items[i] = moved;
}

void losses_note(struct losses *l, bool is_lost, const char *what)
{
	if (is_lost)
		losses_add(l, what);
}

size_t losses_count(const struct losses *l)
{
	return l ? l->count : 0;
}

void losses_get(const struct losses *l, size_t i, const char **what, uint64_t *times)
{
	assert(i < l->count);
	*what = l->items[i].what;
	*times = l->items[i].times;
}

/* ---- ids ---- */

/* A UUIDv7 of a time and a digest; the time is 0 when it is not known. */
static struct id id_of_digest(struct sha256 *s, int64_t ns)
{
	struct digest d = sha256_end(s);

	return id_uuid7(ns > 0 ? (uint64_t)ns / 1000000 : 0, d.b);
}

/* Only a UUIDv7 is used as it is; any other id goes into the digest. */
struct id writing_run_id(struct str vendor, struct str run, int64_t first_ns)
{
	struct sha256 s;
	struct id id;

	if (id_parse_uuid(run, &id) && id_uuid_version(id) == 7 && id_uuid_variant_ok(id))
		return id;
	sha256_init(&s);
	sha256_add(&s, str_of("otutl-run", sizeof("otutl-run"))); /* with its NUL */
	sha256_add(&s, vendor);
	sha256_add(&s, str_of("", 1));
	sha256_add(&s, run);
	id = id_of_digest(&s, first_ns);
	sha256_free(&s);
	return id;
}

int64_t writing_first_ns(const struct event *start)
{
	return start->ts.source == MOMENT_LAID_OUT ? 0 : start->ts.ns;
}

struct id writing_id_of(const struct event *start)
{
	struct id id;

	for (const struct extra *x = start->extras; x; x = x->next)
		if (x->member && str_eq(x->key, STR("run_id")) && x->json.n == ID_UUID_TEXT + 2 &&
		    id_parse_uuid(str_of(x->json.p + 1, ID_UUID_TEXT), &id))
			return id;
	return writing_run_id(start->vendor.p ? start->vendor : STR("unknown"), start->run, writing_first_ns(start));
}

/* The digest is over the run's id too: nodes of two runs never share an id. */
struct id writing_node_id(struct id run, struct str name, int64_t ns)
{
	struct sha256 s;
	struct id id;

	sha256_init(&s);
	sha256_add(&s, str_of("trackway-node", sizeof("trackway-node")));
	sha256_add(&s, str_of(run.b, sizeof(run.b)));
	sha256_add(&s, name);
	id = id_of_digest(&s, ns);
	sha256_free(&s);
	return id;
}

/* ---- how a run ended ---- */

bool writing_tells_end(const struct event *end, bool unanswered)
{
	return end->status == STATUS_ERROR || end->status == STATUS_INTERRUPTED ||
	       (end->status == STATUS_SUCCESS && unanswered);
}

/* ---- looking into payloads ---- */

struct val writing_parse(struct json_parser *p, struct str json)
{
	struct val v;

	return json.n && json_parse_copy(p, json, &v, NULL) ? v : VAL_NONE;
}

struct str writing_plain(struct arena *a, struct str json)
{
	char *out;

	if (json.n < 2 || json.p[0] != '"' || json.p[json.n - 1] != '"')
		return json;
	json = str_of(json.p + 1, json.n - 2);
	if (!memchr(json.p, '\\', json.n))
		return json;
	out = arena_array(a, char, json.n + 1);
	return str_of(out, text_unescape(out, json));
}

struct val writing_rest(struct json_parser *p, const struct event *e, const char *key)
{
	return writing_parse(p, event_find_extra(e, str_from(key)));
}
