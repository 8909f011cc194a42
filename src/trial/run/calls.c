/*
 * The lines are parted into those of the agent and those of the advisor, and each part is read as a log of its own, by
 * the same code that reads any cassette.
 */
#include "trial/run/calls.h"

#include "base/file.h"
#include "dialect/formats.h"
#include "flow/trace_load.h"
#include "json/json.h"
#include "source/memory.h"

struct calls_part {
	struct buf lines; /* with the header's */
	uint64_t count, answers; /* requests, and those that a model began to answer: the lines */
	bool failed; /* the latest answer was an error, or broke off with one */
};

struct calls_reading {
	struct arena *arena;
	struct str advisor;
	const struct prices *prices;
	struct json_parser *parser;
	struct calls_part agent, helper;
	struct calls_part *part; /* at hand */
	const struct calls_part *last; /* that of the last request; NULL: nobody began to answer it */
	struct str where;        /* that request went to */
	uint64_t answers; /* of the agent, so far */
	struct calls *out;
};

/* ---- lines ---- */

static bool is_advisor(const struct calls_reading *r, struct val req)
{
	struct val headers = val_get(req, STR("headers")), body = val_get(val_get(req, STR("body")), STR("inline"));

	if (val_text_is(val_get(headers, STR("x-trackway-role")), STR("advisor")))
		return true;
	return r->advisor.p && val_text_is(val_get(body, STR("model")), r->advisor);
}

/*
 * A status that tells of the service or the account, and nothing of the agent. "Not found" is the answer to a model
 * that the service does not have: where no other one came, no model was tried.
 */
static bool is_service_fault(const struct calls_reading *r, int64_t status)
{
	return (status >= 401 && status <= 403) || status == 408 || status == 429 || status >= 500 ||
	       (status == 404 && r->agent.answers + r->helper.answers == 0);
}

/* Whether a model began to answer: otherwise nothing was used that anybody counts. */
static bool note_answer(struct calls_reading *r, struct val line)
{
	struct val resp = val_get(line, STR("resp"));
	struct str where = r->where = val_text_copy(val_get(line, STR("endpoint")), r->arena);
	struct str how = val_get_text(resp, STR("end"), r->arena);
	int64_t status = 0;

	r->out->failure = str_of(NULL, 0);
	r->out->waited = str_eq(how, STR("client_left"));
	if (val_i64(val_get(resp, STR("status")), &status)) {
		r->out->failed += status >= 400;
		if (is_service_fault(r, status))
			r->out->failure = arena_printf(r->arena, "%.*s answered %lld to the last request",
						       STR_ARG(where), (long long)status);
		else if (str_eq(how, STR("cut")))
			r->out->failure = arena_printf(r->arena, "%.*s broke off its last answer", STR_ARG(where));
		return status < 400;
	}
	r->out->failed++;
	if (!r->out->waited)
		r->out->failure = arena_printf(r->arena, "%.*s could not be reached, or gave no answer, at the last "
					       "request", STR_ARG(where));
	return false;
}

static void calls_add_line(struct calls_reading *r, struct str line, bool is_head)
{
	struct calls_part *to = &r->agent;
	struct val root, req;

	if (!json_parse_copy(r->parser, line, &root, NULL))
		return; /* torn: the trace tells of it */
	if (is_head) {
		for (int i = 0; i < 2; i++) {
			to = i ? &r->helper : &r->agent;
			buf_add_str(&to->lines, line);
			buf_add_byte(&to->lines, '\n');
		}
		return;
	}
	req = val_get(root, STR("req"));
	if (!val_text_is(val_get(root, STR("lane")), STR("model")) ||
	    !val_text_is(val_get(req, STR("method")), STR("POST")))
		return;
	if (is_advisor(r, req))
		to = &r->helper;
	to->count++;
	r->last = note_answer(r, root) ? to : NULL;
	if (!r->last)
		return;
	buf_add_str(&to->lines, line);
	buf_add_byte(&to->lines, '\n');
	to->answers++;
}

/* ---- sums ---- */

static void calls_add(struct calls_sum *s, struct figure f)
{
	if (f.state == FIGURE_KNOWN && f.source == FIGURE_API)
		s->n += f.n;
	else
		s->unknown = true;
}

/* Services leave out what there was nothing of; one that never tells it does not know. */
static void calls_add_part(struct calls_sum *s, struct figure f, bool is_first)
{
	if (f.state == FIGURE_KNOWN && f.source == FIGURE_API)
		*s = (struct calls_sum){ .n = s->n + f.n };
	else if (is_first)
		s->unknown = true;
}

static void note_model(struct calls_reading *r, struct str model)
{
	struct calls *c = r->out;

	if (!model.n || r->part == &r->helper || str_is_one_of(model, c->models, c->model_count))
		return;
	arena_grow(r->arena, c->models, c->model_count, c->model_cap, 4);
	c->models[c->model_count++] = arena_copy(r->arena, model);
}

/* An answer that failed has used nothing that anybody counts. */
static void take_node(void *context, const struct trace_entry *e)
{
	struct calls_reading *r = context;
	const struct trace_row *row = &e->row;
	struct calls *c = r->out;

	if (row->type != TRACE_ROW_NODE || row->kind != AT_MODEL_CALL)
		return;
	r->part->failed = row->failed;
	c->failed += row->failed;
	if (row->failed)
		return;
	note_model(r, row->model);
	if (row->usd.state == FIGURE_KNOWN)
		c->usd += row->usd.n;
	else
		c->no_price = true;
	if (r->part == &r->helper) {
		calls_add(&c->advisor_in, row->usage.input);
		calls_add(&c->advisor_out, row->usage.output);
		return;
	}
	calls_add(&c->tokens_in, row->usage.input);
	calls_add(&c->tokens_out, row->usage.output);
	calls_add_part(&c->cache_read, row->usage.cache_read, !r->answers);
	calls_add_part(&c->cache_write, row->usage.cache_write, !r->answers);
	r->answers++;
}

static bool calls_sum_part(struct calls_reading *r, struct calls_part *part, struct err *err)
{
	struct memory_file file = { STR("cassette.jsonl"), buf_str(&part->lines) };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct log_flow f = { .as = &cassette_dialect, .jobs = 1, .prices = r->prices, .context = r };
	bool done;

	if (!part->answers)
		return true;
	r->part = part;
	f.from = source_open(r->arena, &file.path, 1, (struct source_options){ .shape = SOURCE_LINES, .io = &io,
			     .record_limit = SOURCE_RECORD_MAX }, err);
	if (!f.from)
		return false;
	done = trace_visit(&f, take_node, err);
	source_close(f.from);
	return done;
}

bool calls_read(struct arena *a, struct str cassette, struct str advisor, const struct prices *prices,
		struct calls *out, struct err *err)
{
	struct calls_reading r = { .arena = a, .advisor = advisor, .prices = prices, .out = out };
	struct str text, rest;
	bool done;

	*out = (struct calls){ .price_table = prices_hash(prices) };
	if (!file_map(cassette, &text, err))
		return false;
	r.parser = json_parser_open((struct json_options){ .max_depth = 0 });
	buf_init(&r.agent.lines);
	buf_init(&r.helper.lines);
	rest = text;
	for (bool is_head = true; rest.n; is_head = false)
		calls_add_line(&r, str_cut(rest, '\n', &rest), is_head);
	done = calls_sum_part(&r, &r.agent, err) && calls_sum_part(&r, &r.helper, err);
	if (r.last && r.last->failed && !out->failure.p && !out->waited)
		out->failure = arena_printf(a, "%.*s ended its last answer with an error", STR_ARG(r.where));
	out->agent = r.agent.count;
	out->advisor = r.helper.count;
	buf_free(&r.helper.lines);
	buf_free(&r.agent.lines);
	json_parser_close(r.parser);
	file_unmap(text);
	return done || err_context(err, "cassette.jsonl");
}
