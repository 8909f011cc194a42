/*
 * Opens and closes a trace and writes its lines. Every public call takes the lock with emitter_enter, makes its line in
 * memory that is used again for the next one, and leaves. The sums for the summary are kept in the outlet, where forked
 * processes add to them.
 */
#include "lib/emitter.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/mask.h"
#include "base/utf8.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/record/leak.h"

#define MEMORY_ROOM ((size_t)120 << 10) /* more than a line takes while it is made */
#define ERROR_MAX 201

/* ---- what all functions need ---- */

bool emitter_enter(struct tw_trace *t)
{
	enum outlet_entry entry;

	if (!t)
		return false;
	entry = outlet_enter(&t->outlet);
	if (entry == OUTLET_SAME)
		return true;
	emitter_drop_calls(t, entry == OUTLET_FORKED);
	if (entry == OUTLET_BROKEN) { /* by a thread that was using them: left to whoever had them */
		arena_init(&t->scratch);
		buf_init(&t->line);
	}
	return true;
}

void emitter_leave(struct tw_trace *t)
{
	outlet_leave(&t->outlet);
}

int64_t emitter_now_us(const struct tw_trace *t)
{
	return clock_line_ns(&t->clock) / 1000;
}

/* The system's random bytes; something that does not repeat either where there are none. */
static void draw(struct tw_trace *t, uint8_t out[10])
{
	uint64_t mix[2] = { clock_mono_ns() * UINT64_C(0x9e3779b97f4a7c15), (uint64_t)t->outlet.self << 32 };

	t->made++;
	if (getrandom(out, 10, GRND_NONBLOCK) == 10)
		return;
	mix[0] ^= (uint64_t)(uintptr_t)t;
	mix[1] ^= t->made;
	memcpy(out, mix, 5);
	memcpy(out + 5, &mix[1], 5);
}

struct id emitter_new_id(struct tw_trace *t)
{
	uint8_t random[10];

	draw(t, random);
	return id_uuid7((uint64_t)(emitter_now_us(t) / 1000) & UINT64_C(0xffffffffffff), random);
}

bool emitter_is_ready(struct tw_trace *t)
{
	void *room = mem_try_alloc(MEMORY_ROOM);

	mem_free(room);
	if (room)
		return true;
	outlet_note(&t->outlet, "there is no memory for a line");
	outlet_lose(&t->outlet);
	return false;
}

bool emitter_take(struct tw_trace *t, void *ours, size_t size, const void *theirs)
{
	size_t given = 0;

	memset(ours, 0, size);
	if (!theirs)
		return true;
	memcpy(&given, theirs, sizeof(given));
	if (given < sizeof(given) || given > (1 << 16)) {
		if (t)
			outlet_note(&t->outlet, "the member 'size' of a struct is %zu, which is no size of it", given);
		return false;
	}
	memcpy(ours, theirs, given < size ? given : size);
	return true;
}

struct str emitter_text(const char *text, size_t most)
{
	return text ? utf8_cut(str_of(text, strnlen(text, most + 4)), most) : str_of(NULL, 0);
}

size_t emitter_ids(struct tw_trace *t, struct id *out, const struct tw_node *nodes, size_t count)
{
	static const struct tw_node none;
	size_t n = 0;

	for (size_t i = 0; nodes && i < count; i++) {
		if (memcmp(&nodes[i], &none, sizeof(none)) == 0)
			continue;
		if (n == EMITTER_IDS_MAX) {
			outlet_note(&t->outlet, "a node has more than %d parents or siblings", EMITTER_IDS_MAX);
			break;
		}
		memcpy(out[n++].b, nodes[i].id, sizeof(nodes[i].id));
	}
	return n;
}

/* ---- lines ---- */

/* Begins the next line in t->line. The text of the line before is gone. The lock is held. */
static struct trace_line lines_of(struct tw_trace *t)
{
	arena_reset(&t->scratch);
	buf_clear(&t->line);
	buf_add_byte(&t->line, '\n'); /* the outlet's */
	return (struct trace_line){
		.scratch = &t->scratch,
		.trace_id = str_from(t->id),
		.framework = t->framework,
		.plain = t->plain,
	};
}

/*
 * What one node adds to the summary. Unknown figures add nothing. Dollars and seconds become whole billionths, since
 * only integers can be added by several processes without a lock.
 */
static struct outlet_sums sums_of(const struct trace_node *n)
{
	struct outlet_sums s = { .input = 0 };

	s.counts[n->kind] = 1;
	if (n->kind == AT_MODEL_CALL) {
		const struct trace_model *m = n->model;

		s.input = figure_is_known(m->usage.input) ? m->usage.input.n : 0;
		s.output = figure_is_known(m->usage.output) ? m->usage.output.n : 0;
		s.priced = amount_is_known(m->usd);
		s.nano_usd = s.priced ? (uint64_t)(m->usd.n * 1e9 + 0.5) : 0;
	} else if (n->kind == AT_TOOL_CALL && n->tool->stall >= 0) {
		s.stalls = 1;
		s.stall_ns = (uint64_t)(n->tool->stall * 1e9 + 0.5);
	}
	return s;
}

bool emitter_write(struct tw_trace *t, const struct trace_node *n)
{
	struct outlet_sums sums = sums_of(n);
	struct trace_line lines = lines_of(t);

	trace_line_add_node(&t->line, &lines, n);
	return outlet_write(&t->outlet, &t->line, &sums);
}

/* ---- opening ---- */

/*
 * Fills in a new trace. False only without memory. A trace_id that is not a UUID gives a trace with an id of its own
 * and an error that tw_trace_error tells.
 */
static bool begin(struct tw_trace *t, const char *path, const struct tw_trace_options *options)
{
	struct str id = emitter_text(options->trace_id, ID_UUID_TEXT + 1);
	struct id joined;
	bool joins = id.p && id_parse_uuid(id, &joined);

	if (!outlet_open(&t->outlet, path, joins))
		return false;
	t->clock = clock_line_begin();
	t->from_us = emitter_now_us(t);
	t->joins = joins;
	t->plain = options->plain != 0;
	t->framework = clean_framework(emitter_text(options->framework, 64));
	id_format_uuid(t->id, joins ? joined : emitter_new_id(t));
	if (id.p && !joins)
		outlet_note(&t->outlet, "trace_id is no UUID: this is a trace of its own");
	arena_init(&t->scratch);
	buf_init(&t->line);
	return true;
}

struct tw_trace *tw_trace_open(const char *path, const struct tw_trace_options *options)
{
	struct tw_trace_options known;
	struct tw_trace *t;
	bool sized;

	if (!path)
		path = secure_getenv("TRACKWAY_TRACE");
	if (!path || !*path)
		return NULL;
	t = mem_try_alloc(sizeof(*t));
	if (!t)
		return NULL;
	memset(t, 0, sizeof(*t));
	sized = emitter_take(NULL, &known, sizeof(known), options);
	if (!begin(t, path, &known)) {
		mem_free(t);
		return NULL;
	}
	if (!sized)
		outlet_note(&t->outlet, "options.size is not sizeof(struct tw_trace_options)");
	return t;
}

const char *tw_trace_error(const struct tw_trace *t)
{
	if (!t)
		return "there is no trace";
	return __atomic_load_n(&t->outlet.has_error, __ATOMIC_ACQUIRE) ? t->outlet.error : NULL;
}

uint64_t tw_trace_lost(const struct tw_trace *t)
{
	return t ? outlet_lost(&t->outlet) : 0;
}

const char *tw_trace_id(const struct tw_trace *t)
{
	return t ? t->id : "";
}

/* ---- closing ---- */

/* One of the field's words, or none. */
static struct str word_of(const char *text, const char *const *words)
{
	for (; text && *words; words++)
		if (strcmp(text, *words) == 0)
			return str_from(*words);
	return str_of(NULL, 0);
}

/* A phrase without content; anything else is left out, rather than a part of it that says what it should not. */
static struct str clean_error(struct tw_trace *t, const char *text)
{
	struct str phrase = str_trim(emitter_text(text, ERROR_MAX));
	const char *what;
	struct buf shown;
	bool has_key;

	if (phrase.n == 0 || phrase.n >= ERROR_MAX || leak_error_text(phrase, &what))
		return str_of(NULL, 0);
	buf_init(&shown);
	has_key = mask_text(&shown, phrase, 0, NULL, NULL);
	buf_free(&shown);
	return has_key ? str_of(NULL, 0) : arena_copy(&t->scratch, phrase);
}

/* A number outside of the enum counts as an error: a run must not look better than it was. */
static const char *exit_of(enum tw_exit e)
{
	static const char *const words[] = { "success", "error", "interrupted" };

	return (unsigned)e < 3 ? words[e] : "error";
}

/* The last line. The sums are closed first, so that a process that still writes cannot make them wrong. */
static void write_summary(struct tw_trace *t, const struct tw_trace_end *end)
{
	static const char *const rigs[] = { "h200", "b200", "gb200", "h100", "auto", NULL };
	static const char *const engines[] = { "vllm", "sglang", "dynamo-vllm", NULL };
	const struct outlet_sums *sums = &t->outlet.page->sums;
	struct trace_line lines;
	struct trace_summary s;

	outlet_end(&t->outlet); /* the sums do not change from here on */
	if (!emitter_is_ready(t))
		return;
	lines = lines_of(t);
	s = (struct trace_summary){
		.from_us = t->from_us,
		.to_us = emitter_now_us(t),
		.input = (int64_t)sums->input,
		.output = (int64_t)sums->output,
		.stall = (double)sums->stall_ns / 1e9,
		.stalls = sums->stalls,
		.exit_status = exit_of(end->exit),
		.error = clean_error(t, end->error_message),
		.rig = word_of(end->rig_label, rigs),
		.engine = word_of(end->engine, engines),
	};
	memcpy(s.counts, sums->counts, sizeof(s.counts));
	if (sums->priced)
		s.usd = AMOUNT((double)sums->nano_usd / 1e9);
	trace_line_add_summary(&t->line, &lines, &s);
	outlet_write_last(&t->outlet, &t->line);
}

int tw_trace_close(struct tw_trace *t, const struct tw_trace_end *end)
{
	struct tw_trace_end known;
	int whole;

	if (!emitter_enter(t))
		return 0;
	if (!t->closed) {
		emitter_take(t, &known, sizeof(known), end);
		emitter_end_calls(t);
		if (!t->joins && t->outlet.is_opener)
			write_summary(t, &known);
		outlet_close(&t->outlet);
		t->closed = true;
	}
	whole = outlet_lost(&t->outlet) == 0;
	emitter_leave(t);
	return whole;
}

void tw_trace_free(struct tw_trace *t)
{
	if (!emitter_enter(t))
		return;
	emitter_drop_calls(t, true);
	arena_free(&t->scratch);
	buf_free(&t->line);
	outlet_free(&t->outlet);
	mem_free(t);
}
