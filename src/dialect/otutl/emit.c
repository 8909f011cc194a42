/*
 * A record is written by walking its columns and the members that were kept of a foreign record, both in the order of
 * RFC 8785, as two sorted lists are merged: nothing is sorted but what was kept, and nothing is parsed.
 */
#include "dialect/otutl/emit.h"

#include <assert.h>

#include "base/num.h"

static const struct str null = { "null", 4 };

void otutl_emit_init(struct otutl_emit *w)
{
	*w = (struct otutl_emit){ .seq = 0 };
	arena_init(&w->arena);
}

void otutl_emit_free(struct otutl_emit *w)
{
	arena_free(&w->arena);
	otutl_pieces_free(&w->members);
	otutl_pieces_free(&w->ext);
	otutl_pieces_free(&w->ours);
	otutl_pieces_free(&w->inner);
}

/* A record being written: one struct, so that the writers of members have few parameters. */
struct job {
	struct otutl_emit *w;
	const struct event *e;
	struct buf *out;
	struct otutl_merge record;
	const struct otutl_column *column;
	const struct otutl_piece *kept; /* what a foreign record had in the column's place; NULL: nothing */
};

/* The name of the column at hand; its value is to follow. */
static void otutl_emit_put_name(struct job *j)
{
	otutl_merge_name(&j->record, j->column->lead);
}

static const void *otutl_emit_field(const struct job *j)
{
	return (const char *)j->e + j->column->offset;
}

static void put_string(struct job *j, struct str text)
{
	if (!text.p)
		return;
	otutl_emit_put_name(j);
	otutl_put_text(j->out, text);
}

static void otutl_emit_put_json(struct job *j, struct str json)
{
	if (json.n == 0)
		return;
	otutl_emit_put_name(j);
	buf_add_str(j->out, json);
}

static void put_bool(struct job *j, bool value)
{
	otutl_emit_put_json(j, value ? STR("true") : STR("false"));
}

/* ---- the simple columns ---- */

static void put_text_field(struct job *j)
{
	put_string(j, *(const struct str *)otutl_emit_field(j));
}

static void put_json_field(struct job *j)
{
	otutl_emit_put_json(j, *(const struct str *)otutl_emit_field(j));
}

static void otutl_emit_put_count(struct job *j)
{
	const struct figure *f = otutl_emit_field(j);

	if (f->state == FIGURE_ABSENT)
		return;
	otutl_emit_put_name(j);
	otutl_put_figure(j->out, *f);
}

/* A figure holds two's complement: what has its high bit set is negative. */
static void put_signed(struct job *j)
{
	const struct figure *f = otutl_emit_field(j);

	if (f->state == FIGURE_ABSENT)
		return;
	otutl_emit_put_name(j);
	if (f->state == FIGURE_KNOWN && (int64_t)f->n < 0)
		otutl_put_number(j->out, (double)(int64_t)f->n);
	else
		otutl_put_figure(j->out, *f);
}

static void otutl_emit_put_amount(struct job *j)
{
	const struct amount *f = otutl_emit_field(j);

	if (f->state == FIGURE_ABSENT)
		return;
	otutl_emit_put_name(j);
	if (f->state == FIGURE_KNOWN)
		otutl_put_number(j->out, f->n);
	else
		buf_add_str(j->out, null);
}

static void otutl_emit_put_truth(struct job *j)
{
	uint8_t truth = *(const uint8_t *)otutl_emit_field(j);

	if (truth == TRUTH_NULL)
		otutl_emit_put_json(j, null);
	else if (truth != TRUTH_ABSENT)
		put_bool(j, truth == TRUTH_TRUE);
}

static void put_flag(struct job *j)
{
	if (j->e->flags & j->column->flag)
		put_bool(j, true);
}

static void put_stream(struct job *j)
{
	if (j->e->flags & (EVENT_STREAM | EVENT_NO_STREAM))
		put_bool(j, j->e->flags & EVENT_STREAM);
}

/* Whether the time is the event's own: a message that inherits that of its record does not repeat it. */
static bool has_own_time(const struct event *e)
{
	return e->ts.text.p && (e->ts.source == MOMENT_VENDOR || e->ts.source == MOMENT_DERIVED);
}

static void put_moment(struct job *j)
{
	if (has_own_time(j->e))
		put_string(j, j->e->ts.text);
}

static void put_raw_args(struct job *j)
{
	if (j->e->flags & EVENT_RAW_ARGS)
		put_string(j, STR("raw"));
}

static void otutl_emit_put_status(struct job *j)
{
	static const char *const words[] = {
		[STATUS_UNKNOWN] = NULL,
		[STATUS_SUCCESS] = "success",
		[STATUS_ERROR] = "error",
		[STATUS_INTERRUPTED] = "interrupted",
	};

	put_string(j, str_from(words[j->e->status]).n ? str_from(words[j->e->status]) : str_of(NULL, 0));
}

/* ---- objects inside the record ---- */

/* The kept members of such an object, or NULL when the record had none of its own. */
static const struct otutl_pieces *kept_inside(struct job *j)
{
	if (!j->kept)
		return NULL;
	j->w->inner.count = 0;
	otutl_pieces_add_object(&j->w->inner, &j->w->arena, j->kept->json);
	return &j->w->inner;
}

static void put_inner_text(struct otutl_merge *m, struct str name, struct str lead, struct str text)
{
	if (!text.p)
		return;
	otutl_merge_reach(m, name);
	otutl_merge_name(m, lead);
	otutl_put_text(m->out, text);
}

static void otutl_emit_put_agent(struct job *j)
{
	const struct event *e = j->e;
	struct otutl_merge m;

	if (!e->agent.p && !e->agent_version.p && !j->kept)
		return;
	otutl_emit_put_name(j);
	m = otutl_merge_begin(j->out, kept_inside(j));
	put_inner_text(&m, STR("name"), STR(",\"name\":"), e->agent);
	put_inner_text(&m, STR("version"), STR(",\"version\":"), e->agent_version);
	otutl_merge_end(&m);
}

static void otutl_emit_put_usage(struct job *j)
{
	bool any = j->kept != NULL;

	for (size_t i = 0; i < OTUTL_USAGE_FIGURES && !any; i++)
		any = otutl_figure_of(&j->e->usage, &otutl_figures[i]).state != FIGURE_ABSENT;
	if (!any)
		return;
	otutl_emit_put_name(j);
	otutl_put_usage(j->out, &j->e->usage, kept_inside(j));
}

/* The waiting messages and what a foreign request had beside them; a `messages` of its own is replaced. */
static void put_request(struct job *j)
{
	struct otutl_merge m;

	if (j->w->request.n == 0 && !j->kept)
		return;
	otutl_emit_put_name(j);
	m = otutl_merge_begin(j->out, kept_inside(j));
	if (j->w->request.n) {
		otutl_merge_reach(&m, STR("messages"));
		otutl_merge_name(&m, STR(",\"messages\":["));
		buf_add_str(j->out, j->w->request);
		buf_add_byte(j->out, ']');
	}
	otutl_merge_end(&m);
}

/* The file a converted run came from; only its first record has it. */
static void otutl_emit_put_source(struct job *j)
{
	struct otutl_merge m;

	if (!j->w->source_format.p)
		return;
	otutl_emit_put_name(j);
	m = otutl_merge_begin(j->out, NULL);
	put_inner_text(&m, STR("file_sha256"), STR(",\"file_sha256\":"), j->w->source_sha256);
	put_inner_text(&m, STR("format"), STR(",\"format\":"), j->w->source_format);
	otutl_merge_end(&m);
}

static void put_version(struct job *j)
{
	put_string(j, STR("1"));
}

static void put_total_figure(struct otutl_merge *m, struct str lead, struct figure f)
{
	otutl_merge_name(m, lead);
	otutl_put_figure(m->out, f);
}

static void put_total_number(struct otutl_merge *m, struct str lead, bool known, double n)
{
	otutl_merge_name(m, lead);
	if (known)
		otutl_put_number(m->out, n);
	else
		buf_add_str(m->out, null);
}

/*
 * Sums of the run, in the order of their names. The price is null unless all of it is known (model/money.h).
 */
static void put_totals(struct job *j)
{
	const struct otutl_totals *t = j->w->totals;
	struct otutl_merge m;
	struct amount usd;

	if (!t)
		return;
	otutl_emit_put_name(j);
	usd = money_total(&t->money);
	m = otutl_merge_begin(j->out, NULL);
	put_total_figure(&m, STR(",\"cache_read_tokens\":"), t->usage.cache_read);
	put_total_figure(&m, STR(",\"cache_write_1h_tokens\":"), t->usage.cache_write_1h);
	put_total_figure(&m, STR(",\"cache_write_tokens\":"), t->usage.cache_write);
	put_total_number(&m, STR(",\"duration_ms\":"), t->timed, (double)(t->last_ns - t->first_ns) / 1e6);
	put_total_figure(&m, STR(",\"errors\":"), FIGURE(t->errors));
	put_total_number(&m, STR(",\"estimated_cost_usd\":"), amount_is_known(usd), usd.n);
	put_total_figure(&m, STR(",\"model_steps\":"), FIGURE(t->model_steps));
	put_total_figure(&m, STR(",\"reasoning_tokens\":"), t->usage.reasoning);
	put_total_figure(&m, STR(",\"tokens_in\":"), t->usage.input);
	put_total_figure(&m, STR(",\"tokens_out\":"), t->usage.output);
	put_total_figure(&m, STR(",\"tool_calls\":"), FIGURE(t->tool_calls));
	put_total_figure(&m, STR(",\"tool_results\":"), FIGURE(t->tool_results));
	otutl_merge_end(&m);
}

static void put_usage_source(struct job *j)
{
	put_string(j, otutl_usage_source(&j->e->usage));
}

static void put_usage_estimated(struct job *j)
{
	if (!str_eq(otutl_usage_source(&j->e->usage), STR("mixed")))
		return;
	otutl_emit_put_name(j);
	otutl_put_estimated(j->out, &j->e->usage, true);
}

static void put_usd_source(struct job *j)
{
	if (amount_is_known(j->e->usd))
		put_string(j, j->e->usd.source == FIGURE_API ? STR("api") : STR("estimated"));
}

/* ---- ext ---- */

/* Whether an amount was computed from others, which is said in ext. */
static bool is_derived(const struct event *e, const struct otutl_amount *row)
{
	const struct amount *a = (const struct amount *)(const void *)((const char *)e + row->offset);

	return a->state == FIGURE_KNOWN && a->source == FIGURE_ESTIMATED;
}

static bool has_derived(const struct event *e)
{
	for (size_t i = 0; i < OTUTL_AMOUNTS; i++)
		if (is_derived(e, &otutl_amounts[i]))
			return true;
	return false;
}

/* The word for where the time comes from, or NULL when nothing is to be said of it. */
static const char *time_source(const struct event *e)
{
	bool bare = otutl_columns[e->kind].type.n == 0;
	unsigned source = e->ts.text.p ? e->ts.source : MOMENT_NONE;

	return bare && !has_own_time(e) ? NULL : otutl_moment_sources[source];
}

/* Whether ext is to say this flag. A step says `partial` in a member of its own. */
static bool has_flag(const struct event *e, unsigned flag)
{
	return (e->flags & flag) && !(flag == EVENT_PARTIAL && e->kind == EVENT_STEP);
}

/* Whether "trackway/1" has anything to say; asked for every record, before its name is written. */
static bool has_ours(const struct job *j)
{
	const struct otutl_emit *w = j->w;
	const struct event *e = j->e;

	return e->branch.p || e->bignums || w->notes.n || w->moved_call.p || w->moved_parent.p || w->carrier ||
	       w->back || has_flag(e, EVENT_INFERRED) || has_flag(e, EVENT_PARTIAL) || has_flag(e, EVENT_TOTAL) ||
	       time_source(e) || has_derived(e);
}

/* A member of "trackway/1" is next, unless somebody else said it; then that is written. */
static bool begin_ours(struct otutl_merge *m, struct str name)
{
	const struct otutl_piece *given = otutl_merge_reach(m, name);

	if (m->begun)
		buf_add_byte(m->out, ',');
	m->begun = true;
	otutl_put_text(m->out, name);
	buf_add_byte(m->out, ':');
	if (given)
		buf_add_str(m->out, given->json);
	return !given;
}

static void put_bignums(struct otutl_merge *m, const struct bignum *b)
{
	char before = '[';

	if (!b || !begin_ours(m, STR("bigint")))
		return;
	for (; b; b = b->next) {
		buf_add_byte(m->out, before);
		otutl_put_text(m->out, b->pointer);
		before = ',';
	}
	buf_add_byte(m->out, ']');
}

/* Names of the amounts that were worked out and not measured. */
static void put_derived(struct otutl_merge *m, const struct event *e)
{
	char before = '[';

	if (!has_derived(e) || !begin_ours(m, STR("derived")))
		return;
	for (size_t i = 0; i < OTUTL_AMOUNTS; i++) {
		if (!is_derived(e, &otutl_amounts[i]))
			continue;
		buf_add_byte(m->out, before);
		otutl_put_text(m->out, otutl_amounts[i].name);
		before = ',';
	}
	buf_add_byte(m->out, ']');
}

static void put_our_text(struct otutl_merge *m, struct str name, struct str text)
{
	if (text.p && begin_ours(m, name))
		otutl_put_text(m->out, text);
}

static void put_our_flag(struct otutl_merge *m, struct str name, bool is)
{
	if (is && begin_ours(m, name))
		buf_add_str(m->out, STR("true"));
}

/* In the order of the names. */
static void otutl_emit_put_ours(struct job *j)
{
	const struct otutl_emit *w = j->w;
	const struct event *e = j->e;
	const char *source = time_source(e);
	struct otutl_merge m;

	otutl_pieces_sort(&j->w->ours);
	m = otutl_merge_begin(j->out, &w->ours);
	put_bignums(&m, e->bignums);
	put_our_text(&m, STR("branch"), e->branch);
	put_our_text(&m, STR("call_id"), w->moved_call);
	put_our_flag(&m, STR("carrier"), w->carrier);
	put_derived(&m, e);
	put_our_flag(&m, STR("inferred"), has_flag(e, EVENT_INFERRED));
	if (w->notes.n && begin_ours(&m, STR("notes"))) {
		buf_add_byte(j->out, '[');
		buf_add_str(j->out, w->notes);
		buf_add_byte(j->out, ']');
	}
	put_our_text(&m, STR("parent_call_id"), w->moved_parent);
	put_our_flag(&m, STR("partial"), has_flag(e, EVENT_PARTIAL));
	put_our_flag(&m, STR("total_only"), has_flag(e, EVENT_TOTAL));
	put_our_flag(&m, STR("ts_back"), w->back);
	put_our_text(&m, STR("ts_source"), source ? str_from(source) : str_of(NULL, 0));
	otutl_merge_end(&m);
}

#define OURS STR("trackway/1")

/*
 * Writes `ext`: what the event has of others, and "trackway/1" in its place among them, when there is
 * anything to say.
 */
static void put_ext(struct job *j)
{
	struct otutl_emit *w = j->w;
	bool ours = has_ours(j);
	struct otutl_merge m;

	w->ext.count = w->ours.count = 0;
	for (const struct extra *x = j->e->extras; x; x = x->next) {
		if (x->member)
			continue;
		if (!str_eq(x->key, OURS)) {
			otutl_pieces_add(&w->ext, x->key, x->json);
			continue;
		}
		ours = true;
		otutl_pieces_add_object(&w->ours, &w->arena, x->json);
	}
	if (w->ext.count == 0 && !ours)
		return;
	otutl_pieces_sort(&w->ext);
	otutl_emit_put_name(j);
	m = otutl_merge_begin(j->out, &w->ext);
	if (ours) {
		otutl_merge_reach(&m, OURS);
		otutl_merge_name(&m, STR(",\"trackway/1\":"));
		otutl_emit_put_ours(j);
	}
	otutl_merge_end(&m);
}

/* ---- what the rules are about ---- */

/* A call must have args: {} when nobody knows them. */
static void otutl_emit_put_args(struct job *j)
{
	otutl_emit_put_json(j, j->e->args.n || j->w->bare ? j->e->args : STR("{}"));
}

static void otutl_emit_put_call(struct job *j)
{
	if (!j->w->moved_call.p)
		put_text_field(j);
}

static void put_parent(struct job *j)
{
	if (!j->w->moved_parent.p)
		put_text_field(j);
}

static void put_chunks(struct job *j)
{
	if (j->w->chunks)
		put_json_field(j);
}

static void otutl_emit_put_tool(struct job *j)
{
	put_string(j, j->w->tool);
}

static void put_run_id(struct job *j)
{
	otutl_emit_put_name(j);
	buf_add_byte(j->out, '"');
	j->w->run_id_at = j->out->n;
	buf_add(j->out, j->w->run_id, ID_UUID_TEXT);
	buf_add_byte(j->out, '"');
}

static void put_seq(struct job *j)
{
	otutl_emit_put_name(j);
	otutl_put_count(j->out, j->w->seq);
}

static void put_ts(struct job *j)
{
	put_string(j, j->e->ts.text.p ? j->e->ts.text : STR(OTUTL_NO_TIME));
}

static void otutl_emit_put_type(struct job *j)
{
	put_string(j, otutl_columns[j->e->kind].type);
}

/* By enum otutl_how: each writes the column at hand, name and value, or nothing when the event does not have it. */
static void (*const writers[])(struct job *) = {
	[OTUTL_TEXT] = put_text_field,
	[OTUTL_JSON] = put_json_field,
	[OTUTL_COUNT] = otutl_emit_put_count,
	[OTUTL_SIGNED] = put_signed,
	[OTUTL_AMOUNT] = otutl_emit_put_amount,
	[OTUTL_TRUTH] = otutl_emit_put_truth,
	[OTUTL_FLAG] = put_flag,
	[OTUTL_STREAM] = put_stream,
	[OTUTL_MOMENT] = put_moment,
	[OTUTL_AGENT] = otutl_emit_put_agent,
	[OTUTL_USAGE] = otutl_emit_put_usage,
	[OTUTL_USAGE_SOURCE] = put_usage_source,
	[OTUTL_USAGE_ESTIMATED] = put_usage_estimated,
	[OTUTL_USD_SOURCE] = put_usd_source,
	[OTUTL_REQUEST] = put_request,
	[OTUTL_RAW_ARGS] = put_raw_args,
	[OTUTL_STATUS] = otutl_emit_put_status,
	[OTUTL_EXT] = put_ext,
	[OTUTL_VERSION] = put_version,
	[OTUTL_SOURCE] = otutl_emit_put_source,
	[OTUTL_TOTALS] = put_totals,
	[OTUTL_RULED_ARGS] = otutl_emit_put_args,
	[OTUTL_RULED_CALL] = otutl_emit_put_call,
	[OTUTL_RULED_CHUNKS] = put_chunks,
	[OTUTL_RULED_PARENT] = put_parent,
	[OTUTL_RULED_TOOL] = otutl_emit_put_tool,
	[OTUTL_RULED_RUN_ID] = put_run_id,
	[OTUTL_RULED_SEQ] = put_seq,
	[OTUTL_RULED_TS] = put_ts,
	[OTUTL_RULED_TYPE] = otutl_emit_put_type,
};

/* Whether what was kept is completed by the event's members instead of standing for them. */
static bool merges(const struct otutl_column *c, const struct otutl_piece *kept)
{
	return (c->how == OTUTL_AGENT || c->how == OTUTL_USAGE || c->how == OTUTL_REQUEST) && kept->json.n &&
	       kept->json.p[0] == '{';
}

/* Whether the column is the log's business and not the event's. */
static bool is_of_log(const struct otutl_column *c)
{
	return (c->how >= OTUTL_VERSION && c->how < OTUTL_RULED) ||
	       (c->how >= OTUTL_RULED_RUN_ID && c->how <= OTUTL_RULED_TYPE) || c->how == OTUTL_MOMENT;
}

/* Writes one column. What a foreign record had in its place wins, but where the rules of OTUTL decide. */
static void put_column(struct job *j)
{
	j->kept = j->record.left ? otutl_merge_reach(&j->record, j->column->name) : NULL;
	if (!j->kept || j->column->how >= OTUTL_RULED || merges(j->column, j->kept))
		writers[j->column->how](j);
	else
		otutl_emit_put_json(j, j->kept->json);
}

void otutl_emit(struct otutl_emit *w, struct buf *out, const struct event *e)
{
	const struct otutl_columns *c = &otutl_columns[e->kind];
	struct job j = { .w = w, .e = e, .out = out };

	assert(e->kind < EVENT_KINDS && c->list);
	w->members.count = 0;
	w->run_id_at = 0;
	if (w->arena.used)
		arena_reset(&w->arena);
	for (const struct extra *x = w->bare ? NULL : e->extras; x; x = x->next)
		if (x->member)
			otutl_pieces_add(&w->members, x->key, x->json);
	if (w->members.count > 1)
		otutl_pieces_sort(&w->members);
	j.record = otutl_merge_begin(out, &w->members);
	for (size_t i = 0; i < c->count; i++) {
		j.column = &c->list[i];
		if (!w->bare || !is_of_log(j.column))
			put_column(&j);
	}
	otutl_merge_end(&j.record);
}
