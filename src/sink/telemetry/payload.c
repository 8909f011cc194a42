/* Sums over nodes, then a document of buckets that is held against the blocklist before anybody sees it. */
#include "sink/telemetry/payload.h"

#include <assert.h>
#include <math.h>

#include "base/ascii.h"
#include "dialect/agent_trace/fields.h"
#include "dialect/record/blocklist.h"
#include "json/put.h"

#define COUNT_MOST 1000000000

/* How long a run took: by its summary, else by its nodes. */
struct payload_run {
	double total; /* of the summary; negative: not known */
	bool has_node;
	int64_t from_us, to_us;
};

void payload_init(struct payload *p)
{
	*p = (struct payload){ .gpus = NULL };
	quantile_init(&p->ttft, PAYLOAD_VALUES);
	arena_init(&p->arena);
	map_init(&p->runs, &p->arena);
}

void payload_free(struct payload *p)
{
	quantile_free(&p->ttft);
	arena_free(&p->arena);
}

/* ---- adding ---- */

static struct payload_run *payload_run_of(struct payload *p, struct str trace)
{
	bool added;
	uint64_t *place = map_add(&p->runs, trace.p ? trace : STR(""), &added);

	if (!added)
		return &p->list[*place - 1];
	arena_grow(&p->arena, p->list, p->count, p->cap, 4);
	p->list[p->count] = (struct payload_run){ .total = -1 };
	*place = ++p->count;
	return &p->list[p->count - 1];
}

/* Only a word of the table is taken: whatever else stands there could be anything. */
static void payload_take_word(struct payload_word *w, enum summary_field field, struct str said)
{
	const struct words *words = at_summary.fields[field].words;

	for (size_t i = 0; i < words->count; i++) {
		if (!str_eq(words->items[i], said) || str_eq(said, STR("auto")))
			continue;
		w->differs = w->differs || (w->word.p && !str_eq(w->word, said));
		w->word = words->items[i];
	}
}

static void payload_add_node(struct payload *p, struct payload_run *run, const struct trace_row *r)
{
	assert(r->kind < AT_KINDS);
	p->nodes++;
	p->counts[r->kind]++;
	run->from_us = run->has_node && run->from_us < r->from_us ? run->from_us : r->from_us;
	run->to_us = run->has_node && run->to_us > r->to_us ? run->to_us : r->to_us;
	run->has_node = true;
	if (r->kind == AT_MODEL_CALL && !r->total_only && r->ttft >= 0)
		quantile_add(&p->ttft, r->ttft);
	if (r->kind == AT_TOOL_CALL && r->stall >= 0) {
		p->stalls++;
		p->stall += r->stall;
	}
}

void payload_add(struct payload *p, const struct trace_entry *e)
{
	const struct trace_row *r = &e->row;
	struct payload_run *run = payload_run_of(p, r->trace);

	if (r->type == TRACE_ROW_NODE) {
		payload_add_node(p, run, r);
		return;
	}
	if (run->total < 0)
		run->total = r->total;
	payload_take_word(&p->rig, SM_RIG, r->rig);
	payload_take_word(&p->engine, SM_ENGINE, r->engine);
}

void payload_end_input(struct payload *p)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct payload_run *run = &p->list[i];

		p->total += run->total >= 0 ? run->total : (double)(run->to_us - run->from_us) / 1e6;
	}
	arena_reset(&p->arena);
	map_init(&p->runs, &p->arena);
	p->list = NULL;
	p->count = p->cap = 0;
}

/* ---- buckets ---- */

double payload_bucket_seconds(double seconds)
{
	static const double steps[] = { 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5,
					1, 2, 5, 10, 20, 50, 100, 200, 500, 1000 };
	size_t i = 0;

	if (!(seconds >= 0))
		return NAN;
	while (i + 1 < COUNT(steps) && steps[i] < seconds)
		i++;
	return steps[i];
}

double payload_bucket_share(double share)
{
	if (isnan(share))
		return NAN;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return floor(share * 20 + 0.5) / 20;
}

uint64_t payload_bucket_count(uint64_t count)
{
	for (uint64_t ten = 1; ten < COUNT_MOST; ten *= 10)
		for (uint64_t step = 1; step <= 5; step += step == 1 ? 1 : 3)
			if (count <= step * ten)
				return count ? step * ten : 0;
	return COUNT_MOST;
}

const char *payload_bucket_gpus(uint64_t count)
{
	if (count == 0)
		return NULL;
	return count <= 8 ? "8" : count <= 16 ? "16" : count <= 32 ? "32" : "64+";
}

bool payload_cut_version(struct str text, char out[PAYLOAD_VERSION])
{
	size_t n = 0, digits = 0, at = text.n && text.p[0] == 'v';

	for (unsigned part = 0; part < 2; part++) {
		for (digits = 0; digits < 5 && at < text.n && ascii_is_digit(text.p[at]); digits++)
			out[n++] = text.p[at++];
		if (digits == 0 || digits > 4)
			return false;
		if (part == 0 && (at >= text.n || text.p[at] != '.'))
			return false;
		if (part == 0)
			out[n++] = text.p[at++];
	}
	out[n] = '\0';
	return true;
}

/* ---- the document ---- */

/* Without any tool call there was no wait. Where no call says how long it waited, nobody knows. */
static double payload_stall_share(const struct payload *p)
{
	if (p->counts[AT_TOOL_CALL] == 0)
		return 0;
	return p->stalls && p->total > 0 ? payload_bucket_share(p->stall / p->total) : NAN;
}

static void payload_put(struct payload *p, struct json_writer *w)
{
	bool timed = p->ttft.seen > 0;

	json_write_begin_object(w);
	json_put_word(w, "schema", "trackway.telemetry-payload/1");
	json_put_text_or_null(w, "gpu_model", p->rig.differs ? str_of(NULL, 0) : p->rig.word);
	json_put_word(w, "gpu_count_bucket", p->gpus);
	json_put_text_or_null(w, "engine", p->engine.differs ? str_of(NULL, 0) : p->engine.word);
	json_put_word(w, "engine_version", p->engine_version[0] ? p->engine_version : NULL);
	json_put_double(w, "ttft_seconds_p50", timed ? payload_bucket_seconds(quantile_get(&p->ttft, 0.5)) : NAN);
	json_put_double(w, "ttft_seconds_p99", timed ? payload_bucket_seconds(quantile_get(&p->ttft, 0.99)) : NAN);
	json_put_double(w, "tool_stall_share", payload_stall_share(p));
	json_put_object(w, "node_counts");
	for (size_t i = 0; i < AT_KINDS; i++)
		json_put_u64(w, agent_trace_kinds[i].p, payload_bucket_count(p->counts[i]));
	json_write_end_object(w);
	json_write_end_object(w);
}

/* Whether the blocklist has nothing against the text. */
static bool payload_is_clean(struct str json)
{
	struct json_parser *parser = json_parser_open((struct json_options){ 0 });
	struct arena a;
	struct blocked_list list = { .arena = &a };
	struct val v;
	bool clean;

	arena_init(&a);
	clean = json_parse_copy(parser, json, &v, NULL);
	if (clean)
		blocklist_check(&list, v);
	arena_free(&a);
	json_parser_close(parser);
	return clean && list.total == 0;
}

bool payload_write(struct payload *p, struct buf *out, struct err *err)
{
	struct json_writer w;
	size_t before = out->n;

	assert(p->count == 0); /* every input is over */
	if (p->nodes == 0)
		return err_set(err, ERR_DATA, "there is no node to make a payload of");
	json_write_init(&w, out, JSON_COMPACT);
	payload_put(p, &w);
	if (payload_is_clean(str_of(out->p + before, out->n - before)))
		return true;
	out->n = before;
	return err_set(err, ERR_DATA, "the payload holds something that is on the blocklist; it is not shown");
}

/* ---- files that stay here ---- */

static bool payload_says_local(struct json_parser *parser, struct str text, bool *is_json)
{
	struct val v;

	*is_json = json_parse_copy(parser, text, &v, NULL);
	return *is_json && val_is(val_get(v, STR("local_only")), JSON_TRUE);
}

bool payload_is_local_only(struct str bytes)
{
	struct json_parser *parser = json_parser_open((struct json_options){
		.allow_duplicates = true, .allow_lone = true, .allow_bom = true });
	struct str rest, line = str_cut(str_trim(bytes), '\n', &rest);
	bool is_json, local = payload_says_local(parser, line, &is_json);

	if (!is_json)
		local = payload_says_local(parser, bytes, &is_json);
	json_parser_close(parser);
	return local;
}
