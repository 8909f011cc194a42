/*
 * The records of a group are copied, sorted when the group is over and hashed with their holes filled: only then has
 * every call of the group its place, and by that its name.
 */
#include "dialect/otutl/bh.h"

#include <assert.h>
#include <stdlib.h>

#include "base/num.h"

#define FLUSH ((size_t)64 << 10) /* bytes hashed in one go */
#define FOREIGN ((uint32_t)1 << 31) /* in a name: the log has no such call */
#define KEEP ((size_t)1 << 20)   /* a buffer that a large group made larger than this is given back */

enum part { PART_HEAD, PART_CALL, PART_ANSWER, PART_REST };

struct item {
	enum part part;
	uint32_t index; /* among the records of the group */
	uint32_t hole_count;
	size_t bytes, bytes_n; /* its projection in the group's bytes */
	size_t hole;
	uint32_t args, args_n, tool, tool_n; /* calls: in the projection */
	size_t key, key_n;                   /* calls: in the keys */
	struct otutl_key call;               /* answers */
	uint32_t name;                       /* answers: the number of their call */
	const char *keys;                    /* where the keys are, for the comparison */
};

void otutl_bh_init(struct otutl_bh *b, struct otutl_calls *calls, size_t limit)
{
	*b = (struct otutl_bh){ .calls = calls, .limit = limit };
	sha256_init(&b->sha);
	otutl_bh_restart(b);
}

void otutl_bh_free(struct otutl_bh *b)
{
	sha256_free(&b->sha);
	buf_free(&b->bytes);
	buf_free(&b->holes);
	buf_free(&b->items);
	buf_free(&b->keys);
	buf_free(&b->out);
}

/* Keeps a buffer of usual size for the next group. */
static void empty(struct buf *b)
{
	if (b->cap > KEEP)
		buf_free(b);
	buf_clear(b);
}

static void clear_group(struct otutl_bh *b)
{
	empty(&b->bytes);
	empty(&b->holes);
	empty(&b->items);
	empty(&b->keys);
}

void otutl_bh_restart(struct otutl_bh *b)
{
	clear_group(b);
	buf_clear(&b->out);
	buf_add_str(&b->out, STR("bh/v1\n"));
	sha256_restart(&b->sha);
	b->names = b->foreign_names = 0;
	b->is_over = false;
}

static void otutl_bh_flush(struct otutl_bh *b)
{
	sha256_add(&b->sha, buf_str(&b->out));
	buf_clear(&b->out);
}

/* Whether the log has a call of this id, or has named it already. */
static bool otutl_bh_is_known(const struct otutl_bh *b, struct otutl_key key)
{
	const struct otutl_id *id = otutl_calls_find(b->calls, key);

	return id && (id->state != OTUTL_ID_ONLY || id->name != 0);
}

/*
 * Adds the new name of a call id, in quotes. An id gets its name when it is first mentioned, and keeps it in the
 * table of the log's calls.
 */
static void otutl_bh_add_name(struct otutl_bh *b, const struct otutl_hole *hole)
{
	bool foreign = hole->kind == OTUTL_HOLE_NAMED && !otutl_bh_is_known(b, hole->key);
	struct otutl_id *id = otutl_calls_add(b->calls, hole->key);
	char digits[NUM_U64_MAX];

	if (id->name == 0)
		id->name = foreign ? FOREIGN | ++b->foreign_names : ++b->names;
	buf_add_str(&b->out, id->name & FOREIGN ? STR("\"x") : STR("\"c"));
	buf_add(&b->out, digits, num_format_u64(digits, (id->name & ~FOREIGN) - 1));
	buf_add_byte(&b->out, '"');
}

/* A projection with its holes filled. */
static void otutl_bh_put(struct otutl_bh *b, struct str proj, const struct otutl_hole *holes, size_t count)
{
	size_t from = 0;

	for (size_t i = 0; i < count; i++) {
		if (holes[i].kind == OTUTL_HOLE_MAYBE && !otutl_bh_is_known(b, holes[i].key))
			continue;
		assert(holes[i].at >= from && holes[i].at + holes[i].n <= proj.n); /* holes come in order */
		buf_add(&b->out, proj.p + from, holes[i].at - from);
		otutl_bh_add_name(b, &holes[i]);
		from = holes[i].at + holes[i].n;
	}
	buf_add(&b->out, proj.p + from, proj.n - from);
	if (b->out.n >= FLUSH)
		otutl_bh_flush(b);
}

static void put_item(struct otutl_bh *b, const struct item *it)
{
	const struct otutl_hole *holes = NULL;

	if (it->hole_count)
		holes = (const struct otutl_hole *)(const void *)b->holes.p + it->hole;
	otutl_bh_put(b, str_of(b->bytes.p + it->bytes, it->bytes_n), holes, it->hole_count);
}

/* Writes C({args, tool}) of a call, as far as it differs between calls. */
static void add_key(struct otutl_bh *b, struct item *it)
{
	const char *proj = b->bytes.p + it->bytes;

	it->key = b->keys.n;
	buf_add(&b->keys, proj + it->args, it->args_n);
	buf_add_str(&b->keys, STR(",\"tool\":"));
	buf_add(&b->keys, proj + it->tool, it->tool_n);
	it->key_n = b->keys.n - it->key;
}

/* The tie-break of every order: as they came, so that qsort need not be stable. */
static int by_part(const struct item *x, const struct item *y)
{
	int order = (int)x->part - (int)y->part;

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int calls_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = (int)x->part - (int)y->part;

	if (order == 0 && x->part == PART_CALL)
		order = str_cmp(str_of(x->keys + x->key, x->key_n), str_of(y->keys + y->key, y->key_n));
	return order ? order : by_part(x, y);
}

static int by_call(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->name == y->name ? by_part(x, y) : x->name < y->name ? -1 : 1;
}

static void sort(struct item *items, size_t count, int (*order)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, sizeof(*items), order);
}

/*
 * Hashes the group in its own order. Calls are put before their answers are sorted, because by being put a call gets
 * the number that its answers are sorted by.
 */
static void end_group(struct otutl_bh *b)
{
	struct item *items = (struct item *)(void *)b->items.p;
	size_t count = b->items.n / sizeof(*items), head = 0, calls, answers;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++)
		if (items[i].part == PART_CALL)
			add_key(b, &items[i]);
	for (size_t i = 0; i < count; i++)
		items[i].keys = b->keys.p;
	sort(items, count, calls_first);
	for (; head < count && items[head].part == PART_HEAD; head++)
		put_item(b, &items[head]);
	for (calls = head; calls < count && items[calls].part == PART_CALL; calls++)
		put_item(b, &items[calls]);
	/* only now has every call its name */
	for (answers = calls; answers < count && items[answers].part == PART_ANSWER; answers++)
		items[answers].name = otutl_calls_add(b->calls, items[answers].call)->name;
	sort(items + calls, answers - calls, by_call);
	for (size_t i = calls; i < count; i++)
		put_item(b, &items[i]);
	clear_group(b);
}

static enum part otutl_bh_part_of(const struct otutl_record *r, bool answers)
{
	switch (r->type) {
	case OTUTL_RUN_START:
	case OTUTL_MODEL_STEP:
	case OTUTL_RUN_END:
		return PART_HEAD;
	case OTUTL_TOOL_CALL:
		return PART_CALL;
	default:
		return answers ? PART_ANSWER : PART_REST;
	}
}

void otutl_bh_add(struct otutl_bh *b, struct otutl_view v, bool answers)
{
	const struct otutl_record *r = v.record;
	struct item it = {
		.part = otutl_bh_part_of(r, answers),
		.index = (uint32_t)(b->items.n / sizeof(it)),
		.hole_count = r->hole_count,
		.bytes = b->bytes.n,
		.bytes_n = v.proj.n,
		.hole = b->holes.n / sizeof(*v.holes),
		.args = r->args,
		.args_n = r->args_n,
		.tool = r->tool,
		.tool_n = r->tool_n,
		.call = r->call,
	};

	if (r->type == OTUTL_COST || b->is_over)
		return;
	if (it.part == PART_HEAD) {
		end_group(b);
		it.index = 0;
		it.bytes = it.hole = 0;
	}
	buf_add_str(&b->bytes, v.proj);
	buf_add(&b->holes, v.holes, r->hole_count * sizeof(*v.holes));
	buf_add(&b->items, &it, sizeof(it));
	if (b->bytes.n + b->items.n + b->holes.n > b->limit) {
		b->is_over = true;
		clear_group(b);
	}
}

bool otutl_bh_end(struct otutl_bh *b, struct digest *out)
{
	end_group(b);
	otutl_bh_flush(b);
	*out = sha256_end(&b->sha);
	return !b->is_over;
}
