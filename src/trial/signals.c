/* Events to counts: trajectories and conversations are counted line by line, other logs event by event. */
#include "trial/signals.h"

#include <math.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mask.h"
#include "base/utf8.h"
#include "dialect/writing.h"
#include "model/compaction.h"

#define SIGNALS_WAITING 64
#define SIGNALS_CALLS ((size_t)1 << 20) /* ids kept, to tell which tool a result is of */

struct signals_fold {
	struct arena *arena;
	struct signals *out;
	struct json_parser *parser;
	struct arena scratch;
	struct map names; /* of tools: place + 1 */
	struct map calls; /* by id: place of their tool + 1 */
	uint64_t waiting[SIGNALS_WAITING]; /* calls without an id since the last answer: place of their tool + 1 */
	size_t wait_count, wait_at;
	enum transcript_kind kind;
	uint64_t line;       /* the one at hand */
	bool line_assistant; /* it is counted as one of the assistant */
};

/* ---- results ---- */

/* The texts of blocks, with a space between them. */
static struct str signals_join_blocks(struct signals_fold *f, struct val blocks)
{
	struct val_iter it = val_begin(blocks);
	struct val block;
	struct buf all;

	buf_init(&all);
	while (all.n < SIGNALS_ERROR * 4 && val_next(&it, &block)) {
		struct str text = val_get_text(block, STR("text"), &f->scratch);

		if (all.n && text.n)
			buf_add_byte(&all, ' ');
		buf_add_str(&all, text);
	}
	return arena_take(&f->scratch, &all);
}

/* What a result says: the stream of errors first. p NULL or empty when it says nothing. */
static struct str signals_text_of(struct signals_fold *f, struct str json)
{
	static const struct str names[] = { { "stderr", 6 }, { "stdout", 6 }, { "content", 7 } };
	struct val v;

	if (!json.p || !json_parse_copy(f->parser, json, &v, NULL))
		return str_of(NULL, 0);
	if (val_is(v, JSON_ARRAY))
		return signals_join_blocks(f, v);
	for (size_t i = 0; i < COUNT(names) && val_is(v, JSON_OBJECT); i++) {
		struct str text = val_get_text(v, names[i], &f->scratch);

		if (text.n)
			return text;
	}
	return val_text_or_none(v, &f->scratch);
}

/* The first characters, keys hidden. */
static struct str signals_cut(struct arena *a, struct str text)
{
	struct buf shown;
	size_t n = 0;

	for (size_t count = 0; n < text.n && count < SIGNALS_ERROR; count++)
		for (n++; n < text.n && utf8_is_tail(text.p[n]);)
			n++;
	buf_init(&shown);
	mask_text(&shown, str_of(text.p, n), n < text.n ? MASK_CUT : 0, NULL, NULL);
	return arena_take(a, &shown);
}

/* The place of the tool + 1: by the id of the call; without ids results come in the order of the calls. Else NULL. */
static const uint64_t *signals_tool_of(struct signals_fold *f, const struct event *e)
{
	if (e->call.n)
		return map_find(&f->calls, e->call);
	return f->wait_at < f->wait_count ? &f->waiting[f->wait_at++] : NULL;
}

static void signals_add_result(struct signals_fold *f, const struct event *e)
{
	struct signals *s = f->out;
	const uint64_t *place = signals_tool_of(f, e);
	struct str text;

	s->tool_results++;
	if (amount_is_known(e->duration_ms) && isfinite(e->duration_ms.n)) {
		s->timed_results++;
		s->tool_seconds += e->duration_ms.n / 1000;
	}
	if (!transcript_is_error(f->kind, e))
		return;
	s->tool_errors++;
	if (place)
		s->tools[*place - 1].errors++;
	if (s->first_error.p)
		return;
	text = signals_text_of(f, e->content);
	if (text.n)
		s->first_error = signals_cut(f->arena, text);
	arena_reset(&f->scratch);
}

/* ---- calls ---- */

static bool signals_names_output(struct str args)
{
	return args.p && (str_has(args, STR("output.md")) || str_has(args, STR("output.jsonl")));
}

static void signals_add_call(struct signals_fold *f, const struct event *e)
{
	struct signals *s = f->out;
	struct str name = e->tool.n ? e->tool : STR("unknown");
	bool added, full = s->tool_count >= SIGNALS_TOOLS;
	uint64_t *place;

	s->tool_calls++;
	s->wrote_output = s->wrote_output || signals_names_output(e->args) || signals_names_output(e->args_text);
	if (e->server.n)
		name = ARENA_JOIN(&f->scratch, e->server, STR("."), name);
	place = map_find(&f->names, name);
	if (!place)
		place = map_add(&f->names, full ? STR("(others)") : name, &added);
	if (*place == 0) {
		arena_grow(f->arena, s->tools, s->tool_count, s->tool_cap, 8);
		s->tools[s->tool_count].name = full ? STR("(others)") : arena_copy(f->arena, name);
		*place = ++s->tool_count;
	}
	s->tools[*place - 1].calls++;
	if (e->call.n && f->calls.count < SIGNALS_CALLS)
		*map_add(&f->calls, e->call, &added) = *place;
	else if (e->call.n == 0 && f->wait_count < SIGNALS_WAITING)
		f->waiting[f->wait_count++] = *place;
	arena_reset(&f->scratch);
}

/* ---- messages ---- */

/* A line is a message, whatever it gives; a header, and what is no object or no JSON, is none. */
static void signals_add_line(struct signals_fold *f, const struct event *e)
{
	bool assistant = e->kind == EVENT_STEP || (e->kind == EVENT_CALL && f->kind == TRANSCRIPT_CONVERSATION);

	if (e->line != f->line) {
		f->out->total_messages++;
		f->line_assistant = false;
	}
	f->line = e->line;
	if (assistant && !f->line_assistant) {
		f->out->assistant_messages++;
		f->line_assistant = true;
	}
}

static bool signals_is_message(const struct event *e)
{
	if (e->kind == EVENT_NOTE) {
		for (const struct extra *x = e->extras; x; x = x->next)
			if (str_has(x->json, STR("\"#value\"")))
				return false;
	}
	return e->kind != EVENT_RUN_START && e->kind != EVENT_ERROR;
}

/* What the model could no longer see, as the assembler notes it; false for any other event. */
static bool signals_see_compaction(struct signals_fold *f, const struct event *e)
{
	bool hidden = str_eq(e->role, STR(COMPACTION_ROLE)), again = str_eq(e->role, STR(COMPACTION_AGAIN));
	struct val content;
	int64_t n = 0;

	if (e->kind != EVENT_NOTE || (!hidden && !again))
		return false;
	content = writing_parse(f->parser, e->content);
	if (!val_has(content, hidden ? STR(COMPACTION_HIDDEN) : STR(COMPACTION_CALLS)))
		return false;
	val_i64(val_get(content, hidden ? STR(COMPACTION_HIDDEN) : STR(COMPACTION_CALLS)), &n);
	f->out->compactions += hidden;
	*(hidden ? &f->out->results_hidden : &f->out->refetched) += n > 0 ? (uint64_t)n : 0;
	return true;
}

void signals_add(struct signals_fold *f, const struct event *e)
{
	struct signals *s = f->out;
	bool by_line = f->kind == TRANSCRIPT_TRAJECTORY || f->kind == TRANSCRIPT_CONVERSATION;
	bool says = e->kind == EVENT_MESSAGE || e->kind == EVENT_STEP || e->kind == EVENT_RESULT;

	if (f->kind == TRANSCRIPT_NONE || !signals_is_message(e))
		return;
	s->has_transcript = true;
	if (signals_see_compaction(f, e))
		return;
	if (e->branch.p && str_eq(e->branch, STR("warmup")))
		return;
	if (by_line)
		signals_add_line(f, e);
	s->total_messages += !by_line && says;
	s->assistant_messages += !by_line && e->kind == EVENT_STEP;
	s->turns += e->kind == EVENT_STEP;
	if (e->kind == EVENT_STEP)
		f->wait_count = f->wait_at = 0;
	if (e->kind == EVENT_CALL)
		signals_add_call(f, e);
	else if (e->kind == EVENT_RESULT)
		signals_add_result(f, e);
}

static void signals_take_event(void *own, const struct event *e)
{
	signals_add(own, e);
}

/* ---- inputs ---- */

static void signals_begin_kind(void *own, enum transcript_kind kind)
{
	struct signals_fold *f = own;

	f->kind = kind;
	f->line = 0;
	f->line_assistant = false;
}

void signals_begin(struct signals_fold *f, const struct dialect *from)
{
	signals_begin_kind(f, transcript_kind_of(from));
}

struct signals_fold *signals_open(struct arena *a, struct signals *out)
{
	struct signals_fold *f = arena_new(a, struct signals_fold);

	*out = (struct signals){ .has_transcript = false };
	*f = (struct signals_fold){ .arena = a, .out = out, .kind = TRANSCRIPT_OTHER };
	f->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	arena_init(&f->scratch);
	map_init(&f->names, a);
	map_init(&f->calls, a);
	return f;
}

struct transcript_taker signals_taker(struct signals_fold *f)
{
	return (struct transcript_taker){ .begin = signals_begin_kind, .event = signals_take_event, .own = f };
}

void signals_end(struct signals_fold *f, const struct transcript *from)
{
	f->out->unreadable = from->unreadable;
	if (!f->out->has_transcript || !from->path.p)
		return;
	f->out->path = from->path;
	f->out->format = from->from->name;
}

void signals_close(struct signals_fold *f)
{
	arena_free(&f->scratch);
	json_parser_close(f->parser);
}

bool signals_load(struct arena *a, struct str path, const struct transcript_how *how, struct signals *out,
		  struct err *err)
{
	struct signals_fold *f = signals_open(a, out);
	struct transcript_taker taker = signals_taker(f);
	struct transcript from;
	bool done = transcript_load(a, path, how, &taker, &from, err);

	signals_end(f, &from);
	signals_close(f);
	return done;
}
