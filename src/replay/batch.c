/* As many children as there are jobs, on one loop; a timer asks whether we are to stop. */
#include "replay/batch.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "proc/piped.h"

#define DOCUMENT_MOST ((uint64_t)64 << 20)
#define TICK_MS 100

struct batch;

struct slot {
	struct batch *batch;
	struct piped *piped; /* NULL: it is free */
	struct batch_row *row;
	struct buf document;
	uint64_t began_ns;
};

struct batch {
	struct arena *arena;
	const struct batch_options *o;
	struct batch_row *rows;
	size_t count, next, running, started;
	struct slot *slots;
	size_t slot_count;
	uv_loop_t loop;
	uv_timer_t timer;
	bool stopping;
	struct err failure; /* of starting */
};

/* ---- the command of one run ---- */

static struct str fill_in(struct arena *a, struct str word, const struct batch_row *r)
{
	const struct { struct str mark, value; } marks[] = {
		{ STR("{dir}"), r->dir },
		{ STR("{name}"), r->name },
		{ STR("{run}"), r->run_id.p ? r->run_id : r->name },
	};
	struct buf out;

	buf_init(&out);
	while (word.n) {
		size_t i = 0;

		while (i < COUNT(marks) && !str_starts(word, marks[i].mark))
			i++;
		if (i < COUNT(marks))
			buf_add_str(&out, marks[i].value);
		else
			buf_add_byte(&out, word.p[0]);
		word = str_skip(word, i < COUNT(marks) ? marks[i].mark.n : 1);
	}
	return arena_take(a, &out);
}

/* Two runs may have directories of one name, so their files are kept by the whole path. */
static struct str keep_word(struct batch *b, const struct batch_row *r)
{
	struct buf path;

	buf_init(&path);
	for (size_t i = 0; i < r->dir.n; i++)
		buf_add_byte(&path, r->dir.p[i] == '/' ? '_' : r->dir.p[i]);
	return ARENA_JOIN(b->arena, b->o->keep, arena_take(b->arena, &path));
}

static const char *const *make_argv(struct batch *b, const struct batch_row *r)
{
	const struct batch_options *o = b->o;
	size_t n = 0, words = 0;
	const char **argv;

	while (o->argv[words])
		words++;
	argv = arena_array(b->arena, const char *, o->word_count + words + 5);
	argv[n++] = o->program;
	for (size_t i = 0; i < o->word_count; i++)
		argv[n++] = o->words[i].p;
	if (o->keep.p)
		argv[n++] = keep_word(b, r).p;
	argv[n++] = r->dir.p;
	argv[n++] = "--";
	for (size_t i = 0; i < words; i++)
		argv[n++] = fill_in(b->arena, str_from(o->argv[i]), r).p;
	return argv;
}

/* ---- the children ---- */

static void start_some(struct batch *b);

static void take(void *own, struct str bytes)
{
	struct slot *s = own;

	buf_add_str(&s->document, bytes);
}

static void ended(void *own, const struct piped_end *end)
{
	struct slot *s = own;
	struct batch *b = s->batch;
	struct batch_left left = { buf_str(&s->document), end->complaint, end->status, end->signal, b->stopping };

	batch_read(b->arena, &left, s->row);
	s->row->seconds = (double)(clock_mono_ns() - s->began_ns) / 1e9;
	s->piped = NULL;
	buf_clear(&s->document);
	b->running--;
	start_some(b);
}

static bool start_one(struct batch *b, struct slot *s)
{
	struct piped_options o = { .limit = DOCUMENT_MOST, .data = take, .ended = ended, .own = s };
	struct err err = { .kind = ERR_NONE };

	s->row = &b->rows[b->next++];
	s->began_ns = clock_mono_ns();
	o.argv = make_argv(b, s->row);
	s->piped = piped_start(&b->loop, &o, &err);
	if (s->piped) {
		b->running++;
		b->started++;
		return true;
	}
	s->row->end = BATCH_UNABLE;
	s->row->why = arena_copy(b->arena, str_from(err.text));
	b->failure = err;
	return false;
}

static void start_some(struct batch *b)
{
	for (size_t i = 0; i < b->slot_count; i++)
		while (!b->slots[i].piped && b->next < b->count && !b->stopping && !start_one(b, &b->slots[i]))
			;
	if (!b->running && !uv_is_closing((uv_handle_t *)&b->timer))
		uv_close((uv_handle_t *)&b->timer, NULL);
}

static void on_tick(uv_timer_t *t)
{
	struct batch *b = t->data;

	if (stop_signal() && !b->stopping) {
		b->stopping = true;
		for (size_t i = 0; i < b->slot_count; i++)
			if (b->slots[i].piped)
				piped_stop(b->slots[i].piped);
	}
	if (b->o->tick)
		b->o->tick(b->o->own, b->rows, b->count);
}

static size_t count_slots(unsigned jobs, size_t count)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = jobs ? jobs : cores > 0 ? (size_t)cores : 1;

	return n < count ? n : count;
}

bool batch_play(struct arena *a, const struct batch_options *o, struct batch_row *rows, size_t count, struct err *err)
{
	struct batch b = { .arena = a, .o = o, .rows = rows, .count = count };

	b.slot_count = count_slots(o->jobs, count);
	b.slots = arena_array(a, struct slot, b.slot_count);
	uv_loop_init(&b.loop);
	uv_timer_init(&b.loop, &b.timer);
	b.timer.data = &b;
	uv_timer_start(&b.timer, on_tick, TICK_MS, TICK_MS);
	for (size_t i = 0; i < b.slot_count; i++) {
		b.slots[i].batch = &b;
		buf_init(&b.slots[i].document);
	}
	b.stopping = stop_signal() != 0;
	start_some(&b);
	uv_run(&b.loop, UV_RUN_DEFAULT);
	uv_loop_close(&b.loop);
	for (size_t i = 0; i < b.slot_count; i++)
		buf_free(&b.slots[i].document);
	if (!b.started && b.failure.kind != ERR_NONE)
		*err = b.failure;
	return b.started || b.failure.kind == ERR_NONE;
}
