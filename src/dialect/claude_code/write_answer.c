/* Answers on the lines of a session: the step at hand, a line for each block, and its id and tokens on each of them. */
#include "dialect/claude_code/own.h"
#include "dialect/claude_code/write.h"
#include "dialect/reading/original.h"
#include "dialect/reading/tool_name.h"
#include "dialect/record/field.h"
#include "model/words.h"

#define NOTHING str_of(NULL, 0)

static void session_put_figure(struct json_writer *j, const char *name, struct figure f)
{
	if (f.state != FIGURE_ABSENT)
		json_put_u64_or_null(j, name, f.n, figure_is_known(f));
}

static struct figure less(struct figure whole, struct figure part)
{
	if (figure_is_known(whole) && figure_is_known(part))
		whole.n = whole.n > part.n ? whole.n - part.n : 0;
	return whole;
}

/* As this service counts: what was cached is no part of the input. */
static void put_tokens(struct session_writer *x, struct json_writer *j, const struct usage *u, struct val rest)
{
	static const struct str names[] = {
		WORD("input_tokens"), WORD("output_tokens"), WORD("cache_read_input_tokens"),
		WORD("cache_creation_input_tokens"), WORD("cache_creation"), WORD("output_tokens_details"),
	};

	if (!usage_is_known(u))
		return;
	json_put_object(j, "usage");
	session_put_figure(j, "input_tokens", less(less(u->input, u->cache_read), u->cache_write));
	session_put_figure(j, "output_tokens", u->output);
	session_put_figure(j, "cache_read_input_tokens", u->cache_read);
	session_put_figure(j, "cache_creation_input_tokens", u->cache_write);
	if (figure_is_known(u->cache_write_1h)) {
		json_put_object(j, "cache_creation");
		if (figure_is_known(u->cache_write))
			session_put_figure(j, "ephemeral_5m_input_tokens", less(u->cache_write, u->cache_write_1h));
		session_put_figure(j, "ephemeral_1h_input_tokens", u->cache_write_1h);
		json_write_end_object(j);
	}
	if (figure_is_known(u->reasoning)) {
		json_put_object(j, "output_tokens_details");
		session_put_figure(j, "thinking_tokens", u->reasoning);
		json_write_end_object(j);
	}
	original_others(j, rest, names, COUNT(names), &x->scratch);
	json_write_end_object(j);
}

void claude_code_put_spoken(struct session_writer *x, struct session_line *l, const char *type, struct str text)
{
	static const struct str names[] = { WORD("type"), WORD("text"), WORD("thinking") };
	struct val kept = val_get(val_get(val_get(l->rest, STR("message")), STR("content")), STR("#0"));
	bool thought = type[1] == 'h';

	json_write_begin_object(&l->j);
	json_put_text(&l->j, "type", str_from(type));
	json_put_text(&l->j, type, text);
	if (thought && !val_has(kept, STR("signature")))
		json_put_text(&l->j, "signature", STR(""));
	original_others(&l->j, kept, names, COUNT(names), &x->scratch);
	json_write_end_object(&l->j);
}

/* Arguments as an object: what is none is {"raw": ...}, and *odd is set. */
static struct str input_of(struct session_writer *x, const struct event *e, bool *odd)
{
	struct str args = original_payload(x->inner, e, "args", e->args.n ? e->args : STR("{}"), &x->scratch);

	*odd = args.p[0] != '{' || (e->flags & (EVENT_RAW_ARGS | EVENT_WITHHELD));
	return args.p[0] == '{' ? args : ARENA_JOIN(&x->scratch, STR("{\"raw\":"), args, STR("}"));
}

static void put_call(struct session_writer *x, struct session_line *l, const struct event *e)
{
	static const struct str names[] = { WORD("type"), WORD("id"), WORD("name"), WORD("input") };
	struct val kept = val_get(l->rest, STR("block"));
	bool odd;

	json_write_begin_object(&l->j);
	original_text(&l->j, kept, STR("type"), STR("tool_use"));
	json_put_text(&l->j, "id", e->call);
	json_put_text(&l->j, "name", tool_name_full(&x->scratch, e));
	json_put_raw(&l->j, "input", input_of(x, e, &odd));
	original_others(&l->j, kept, names, COUNT(names), &x->scratch);
	json_write_end_object(&l->j);
}

void claude_code_put_answer(struct session_writer *x, struct session_line *l, const struct event *step,
			    struct session_said said)
{
	static const struct str names[] = {
		WORD("id"), WORD("type"), WORD("role"), WORD("model"), WORD("content"), WORD("stop_reason"),
		WORD("usage"),
	};
	struct val kept = val_get(l->rest, STR("message"));
	struct str id = step ? step->step : said.call ? said.call->step : str_of(NULL, 0);

	json_put_object(&l->j, "message");
	json_put_text(&l->j, "id", id.n ? id : l->uuid);
	json_put_text(&l->j, "type", STR("message"));
	json_put_text(&l->j, "role", STR("assistant"));
	json_put_text(&l->j, "model", step && step->model.n ? step->model : STR("unknown"));
	json_put_array(&l->j, "content");
	if (said.type)
		claude_code_put_spoken(x, l, said.type, said.text);
	if (said.call)
		put_call(x, l, said.call);
	json_write_end_array(&l->j);
	json_put_text_or_null(&l->j, "stop_reason", step ? step->stop_reason : str_of(NULL, 0));
	if (step)
		put_tokens(x, &l->j, &step->usage, val_get(kept, STR("usage")));
	original_others(&l->j, kept, names, COUNT(names), &x->scratch);
	json_write_end_object(&l->j);
	if (step && step->request_id.p)
		json_put_text(&l->j, "requestId", step->request_id);
}

/* The time of a step that stands on the line of a call, where it is another. */
static void add_own_time(struct session_writer *x, struct buf *more, const struct event *call)
{
	const struct moment *ts = &x->step->ts;
	const char *source = otutl_moment_sources[ts->text.p ? ts->source : MOMENT_NONE];

	if (!call || !ts->text.p || (str_eq(ts->text, call->ts.text) && ts->source == call->ts.source))
		return;
	buf_add_str(more, more->n ? STR(",\"ts\":") : STR("\"ts\":"));
	otutl_put_text(more, ts->text);
	if (source)
		buf_printf(more, ",\"%s\":\"%s\"", CLAUDE_CODE_OWN_TIME, source);
}

/* `first`: on its first line; `call` is on the same line, or NULL. */
static void own_step(struct session_writer *x, bool native, bool first, const struct event *call)
{
	struct event left = *x->step;
	struct buf more = { 0 };

	left.text = left.reasoning = left.step = left.model = left.request_id = left.stop_reason = str_of(NULL, 0);
	if (!first)
		left.extras = NULL;
	if (!x->step->model.n)
		buf_add_str(&more, STR("\"" CLAUDE_CODE_OWN_NAMELESS "\":true"));
	add_own_time(x, &more, call);
	claude_code_write_own(x, left, native, false, buf_str(&more));
	buf_free(&more);
	if (first && x->cost)
		claude_code_write_own(x, *x->cost, false, false, NOTHING);
}

/* Which tool it is, is said where the name alone does not. */
static void session_own_call(struct session_writer *x, const struct event *e, bool native)
{
	struct str vendor = e->vendor.p ? e->vendor : x->vendor;
	struct str uri = vendor.n ? words_tool_uri(&x->scratch, vendor, e->server, e->tool) : e->tool;
	struct event left = *e;
	bool odd;

	input_of(x, e, &odd);
	left.call = left.step = str_of(NULL, 0);
	if (!odd)
		left.args = str_of(NULL, 0);
	if (!str_eq(uri, words_tool_uri(&x->scratch, x->vendor, NOTHING, tool_name_full(&x->scratch, e))))
		x->emit.tool = uri;
	claude_code_write_own(x, left, native, odd, NOTHING);
}

static void write_said(struct session_writer *x, struct session_said said, size_t piece, bool first)
{
	struct val rest = claude_code_find_rest(x, x->step, piece);
	struct session_line l;

	own_step(x, !val_is_none(rest), first, NULL);
	l = claude_code_begin_line(x, x->step, rest, STR("assistant"));
	claude_code_put_answer(x, &l, x->step, said);
	claude_code_end_line(x, &l);
}

/* A text that came on several lines stands on one of these `written`; what the others had besides it is lost. */
static void note_lines_left(struct session_writer *x, size_t written)
{
	bool native = !val_is_none(claude_code_find_rest(x, x->step, 0)); /* else our member has all of it */

	if (native && !val_is_none(claude_code_find_rest(x, x->step, written)))
		losses_add(x->w->losses, "members of lines that became one");
}

void claude_code_flush_step(struct session_writer *x)
{
	const struct event *e = x->step;
	bool thought = x->waits && e->reasoning.p;

	if (!x->waits)
		return;
	x->waits = false;
	if (thought)
		write_said(x, (struct session_said){ .type = "thinking", .text = e->reasoning }, 0, true);
	if (e->text.p)
		write_said(x, (struct session_said){ .type = "text", .text = e->text }, thought, !thought);
	if (!thought && !e->text.p)
		write_said(x, (struct session_said){ .type = NULL }, 0, true);
	note_lines_left(x, thought && e->text.p ? 2 : 1);
}

bool claude_code_is_at_hand(const struct session_writer *x, const struct event *e)
{
	return x->step && x->step->step.p && str_eq(x->step->step, e->step) && str_eq(x->step->branch, e->branch);
}

void claude_code_write_call(struct session_writer *x, const struct event *e)
{
	bool ours = claude_code_is_at_hand(x, e), both = ours && x->waits && !x->step->text.p && !x->step->reasoning.p;
	struct session_line l;
	struct val rest;

	otutl_pairs_open(&x->pairs, e->call);
	if (!both)
		claude_code_flush_step(x);
	if (both)
		own_step(x, false, true, e);
	x->waits = false;
	rest = claude_code_find_rest(x, e, 0);
	session_own_call(x, e, !val_is_none(rest));
	l = claude_code_begin_line(x, e, rest, STR("assistant"));
	claude_code_put_answer(x, &l, ours ? x->step : NULL, (struct session_said){ .call = e });
	claude_code_end_line(x, &l);
}
