/*
 * Keeps some sixty bytes of a row and numbers its names, then sorts once by target, prompt and repetition, so that the
 * rows of a target are one stretch of the list.
 */
#include "bench/compare/rows.h"

#include <assert.h>
#include <stdlib.h>

#include "bench/run/run_dir.h"
#include "bench/run/target.h"

#define ROWS_MAX UINT32_MAX

/* ---- names ---- */

void attempt_names_init(struct attempt_names *n, struct arena *a)
{
	n->arena = a;
	map_init(&n->target_map, a);
	map_init(&n->prompt_map, a);
	buf_init(&n->targets);
	buf_init(&n->prompts);
}

void attempt_names_free(struct attempt_names *n)
{
	buf_free(&n->targets);
	buf_free(&n->prompts);
}

size_t attempt_target_count(const struct attempt_names *n)
{
	return n->targets.n / sizeof(struct attempt_target);
}

struct attempt_target *attempt_target(const struct attempt_names *n, size_t i)
{
	assert(i < attempt_target_count(n));
	return (struct attempt_target *)(void *)n->targets.p + i;
}

size_t attempt_prompt_count(const struct attempt_names *n)
{
	return n->prompts.n / sizeof(struct attempt_prompt);
}

struct attempt_prompt *attempt_prompt(const struct attempt_names *n, size_t i)
{
	assert(i < attempt_prompt_count(n));
	return (struct attempt_prompt *)(void *)n->prompts.p + i;
}

/* The number of a row's target, a new one when it was never named. */
static uint32_t number_target(struct attempt_names *n, const struct result *r)
{
	struct str name = target_name(n->arena, r->provider, r->model, r->thinking);
	uint64_t next = attempt_target_count(n), *value;
	bool is_new;

	value = map_add(&n->target_map, name, &is_new);
	if (is_new) {
		struct attempt_target t = { .name = name,
					    .tag = target_tag(n->arena, r->provider, r->model, r->thinking),
					    .model = arena_copy(n->arena, r->model) };

		*value = next;
		buf_add(&n->targets, &t, sizeof(t));
	}
	return (uint32_t)*value;
}

/* The number of a row's prompt, and what the row says about the prompt. */
static uint32_t number_prompt(struct attempt_names *n, const struct result *r)
{
	uint64_t next = attempt_prompt_count(n), *value;
	struct attempt_prompt *p;
	bool is_new;

	value = map_add(&n->prompt_map, r->prompt_id, &is_new);
	if (is_new) {
		struct attempt_prompt one = { .id = arena_copy(n->arena, r->prompt_id) };

		*value = next;
		buf_add(&n->prompts, &one, sizeof(one));
	}
	p = attempt_prompt(n, (size_t)*value);
	p->judged = p->judged || r->pass != VERDICT_NULL;
	p->expects = p->expects || r->expects;
	return (uint32_t)*value;
}

/* ---- rows ---- */

struct intake {
	struct attempts *out;
	struct attempt_names *names;
	struct sha256 *hash;
	struct buf rows; /* struct attempt */
};

/* Keeps the figures of a row and numbers its names; the bytes of the row go into the seed. */
static bool compare_rows_take(void *own, const struct result *r, struct str line)
{
	struct intake *in = own;
	size_t place = in->rows.n / sizeof(struct attempt);
	struct attempt one = {
		.place = (uint32_t)place,
		.repetition = r->repetition,
		.ok = r->status == PROVIDER_OK,
		.success = r->status == PROVIDER_OK && r->success,
		.expects = r->expects,
		.tool_success = r->tool_success,
		.pass = r->pass,
		.e2e_ms = r->e2e_ms,
		.ttft_ms = r->ttft_ms,
		.usd = r->usd,
	};

	if (place == 0)
		in->out->run_id = arena_copy(in->names->arena, r->run_id);
	one.target = number_target(in->names, r);
	one.prompt = number_prompt(in->names, r);
	sha256_add(in->hash, line);
	sha256_add(in->hash, STR("\n"));
	buf_add(&in->rows, &one, sizeof(one));
	return place < ROWS_MAX;
}

/* Rows of the same key do not reach us (results_walk); the place makes the order certain all the same. */
static int by_key(const void *a, const void *b)
{
	const struct attempt *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->prompt != y->prompt)
		return x->prompt < y->prompt ? -1 : 1;
	if (x->repetition != y->repetition)
		return x->repetition < y->repetition ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

bool attempts_read(struct attempts *out, struct attempt_names *n, struct str path, struct sha256 *hash,
		   struct err *err)
{
	struct intake in = { .out = out, .names = n, .hash = hash };
	struct results_lost lost = { .skipped = 0 };
	bool done;

	*out = (struct attempts){ .run_id = STR("") };
	buf_init(&in.rows);
	done = results_walk(path, compare_rows_take, &in, &lost, err);
	out->skipped = lost.skipped;
	out->repeated = lost.repeated;
	if (done) {
		out->count = in.rows.n / sizeof(struct attempt);
		out->items = arena_move_array(n->arena, in.rows.p, out->count, out->count + 1, sizeof(*out->items));
		if (out->count)
			qsort(out->items, out->count, sizeof(out->items[0]), by_key);
	}
	buf_free(&in.rows);
	return done;
}

/* The first row of this target or a later one. */
static size_t first_of(const struct attempts *all, uint32_t target)
{
	size_t low = 0, high = all->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all->items[middle].target < target)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct attempt *attempts_of(const struct attempts *all, uint32_t target, size_t *count)
{
	size_t first = first_of(all, target);

	*count = (target == UINT32_MAX ? all->count : first_of(all, target + 1)) - first;
	return all->items + first;
}
