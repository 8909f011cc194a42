/* What Gemini CLI prints: `-o stream-json`, a line for each thing that happens; `-o json`, one object at the end. */
#include "dialect/gemini_cli/gemini_cli.h"
#include "dialect/record/field.h"
#include "model/words.h"

static struct event *gemini_cli_print_add(struct reading *r, struct val v, enum event_kind kind)
{
	struct event *e = reading_add(r, kind);

	e->ts = reading_time(r, v, STR("timestamp"));
	return e;
}

static void gemini_cli_print_init(struct reading *r, struct val v)
{
	struct event *e = gemini_cli_print_add(r, v, EVENT_RUN_START);

	e->run = text_or_none(reading_text(r, v, STR("session_id")));
	e->agent = STR("gemini-cli");
	e->model = reading_text(r, v, STR("model"));
}

static void gemini_cli_print_message(struct reading *r, struct val v)
{
	bool asked = !val_text_is(val_get(v, STR("role")), STR("assistant"));
	struct event *e = gemini_cli_print_add(r, v, asked ? EVENT_MESSAGE : EVENT_STEP);
	struct str role = reading_text(r, v, STR("role"));

	if (asked) {
		e->role = role.n ? role : STR("user");
		e->content = reading_json(r, e, "content", v, STR("content"));
		if (!e->content.p)
			e->content = STR("null");
		return;
	}
	e->flags = EVENT_PIECE | EVENT_STREAM;
	e->text = reading_text(r, v, STR("content"));
	reading_take(r, val_get(v, STR("delta")));
}

static void gemini_cli_print_call(struct reading *r, struct val v)
{
	struct event *e = gemini_cli_print_add(r, v, EVENT_CALL);

	e->call = text_or_none(reading_text(r, v, STR("tool_id")));
	e->tool = reading_text(r, v, STR("tool_name"));
	if (!e->tool.n)
		e->tool = STR("unknown");
	e->args = reading_json(r, e, "args", v, STR("parameters"));
	if (!e->args.p)
		e->args = STR("{}");
}

static void gemini_cli_print_result(struct reading *r, struct val v)
{
	struct event *e = gemini_cli_print_add(r, v, EVENT_RESULT);
	struct val output = val_get(v, STR("output")), error = val_get(v, STR("error"));
	struct str status = reading_text(r, v, STR("status"));

	e->call = text_or_none(reading_text(r, v, STR("tool_id")));
	e->is_error = str_eq(status, STR("success")) ? TRUTH_FALSE : TRUTH_TRUE;
	e->content = reading_json_of(r, e, "result", val_is_none(output) ? error : output);
	if (!e->content.p)
		e->content = STR("null");
}

static void gemini_cli_print_error(struct reading *r, struct val v)
{
	struct event *e = gemini_cli_print_add(r, v, EVENT_ERROR);

	e->class = STR("harness");
	e->text = reading_text(r, v, STR("message"));
}

/* ---- the end ---- */

/* A count that is looked at and stays in the rest, or absent. */
static struct figure gemini_cli_print_count(struct val object, struct str name)
{
	int64_t n;

	if (!val_i64(val_get(object, name), &n) || n < 0)
		return (struct figure){ .state = FIGURE_ABSENT };
	return FIGURE((uint64_t)n);
}

/*
 * Of one model, in the names of either output: stream-json leaves the thoughts out, and they are what the total has
 * beside input and output. `stats` has the same figures for all models together.
 */
static void add_cost(struct reading *r, struct val v, struct val stats, struct str model)
{
	struct val tokens = val_get(stats, STR("tokens")), api = val_get(stats, STR("api"));
	struct figure thoughts = gemini_cli_print_count(tokens, STR("thoughts"));
	struct figure tool = gemini_cli_print_count(tokens, STR("tool")), total;
	bool whole = val_is(tokens, JSON_OBJECT);
	struct usage u = {
		.input = gemini_cli_print_count(whole ? tokens : stats, whole ? STR("prompt") : STR("input_tokens")),
		.output = gemini_cli_print_count(whole ? tokens : stats,
						 whole ? STR("candidates") : STR("output_tokens")),
		.cache_read = gemini_cli_print_count(whole ? tokens : stats, STR("cached")),
		.reasoning = thoughts,
	};
	struct event *e;
	double ms;

	total = gemini_cli_print_count(stats, STR("total_tokens"));
	if (figure_is_known(u.input) && figure_is_known(u.output) && !whole && total.n > u.input.n + u.output.n) {
		u.reasoning = FIGURE(total.n - u.input.n - u.output.n);
		u.reasoning.source = u.output.source = FIGURE_ESTIMATED;
	}
	u.input.n += tool.n;
	u.output.n += u.reasoning.n;
	if (!usage_is_known(&u))
		return;
	e = gemini_cli_print_add(r, v, EVENT_COST);
	e->scope = STR("run");
	e->model = model;
	e->usage = u;
	if (val_double(val_get(api, STR("totalLatencyMs")), &ms) && ms >= 0)
		e->latency_ms = AMOUNT(ms);
}

/* A COST for each model, or one of all when they are not told apart. */
static void add_costs(struct reading *r, struct val v)
{
	struct val stats = val_get(v, STR("stats")), models = val_get(stats, STR("models")), name, figures;
	struct val_iter it = val_begin(models);
	size_t at = r->count;

	while (val_is(models, JSON_OBJECT) && val_next_member(&it, &name, &figures))
		add_cost(r, v, figures, val_text(name, r->arena));
	if (r->count == at)
		add_cost(r, v, stats, str_of(NULL, 0));
}

/* The figures stay in the rest of the RUN_END, which has more of them. */
static void gemini_cli_print_end(struct reading *r, struct val v)
{
	struct val error = val_get(v, STR("error"));
	struct str status = reading_text(r, v, STR("status"));
	struct event *e;

	if (val_is(error, JSON_OBJECT)) {
		e = gemini_cli_print_add(r, v, EVENT_ERROR);
		e->class = STR("harness");
		e->code = text_or_none(reading_text(r, error, STR("type")));
		e->text = reading_text(r, error, STR("message"));
	}
	add_costs(r, v);
	e = gemini_cli_print_add(r, v, EVENT_RUN_END);
	e->status = val_is(error, JSON_OBJECT) ? STATUS_ERROR : status.n ? words_fold_status(status) : STATUS_SUCCESS;
	e->output = reading_json(r, e, "output", v, STR("response"));
}

/* `-o json`: no more than how it ended. */
static void read_whole(struct reading *r, struct val v)
{
	gemini_cli_print_init(r, v);
	gemini_cli_print_end(r, v);
}

static const struct {
	struct str type, needs;
	void (*read)(struct reading *r, struct val v);
	int fit;
} gemini_cli_lines[] = {
	{ WORD("init"), WORD("session_id"), gemini_cli_print_init, 85 },
	{ WORD("message"), WORD("role"), gemini_cli_print_message, 80 },
	{ WORD("tool_use"), WORD("tool_name"), gemini_cli_print_call, 90 },
	{ WORD("tool_result"), WORD("tool_id"), gemini_cli_print_result, 90 },
	{ WORD("error"), WORD("severity"), gemini_cli_print_error, 60 },
	{ WORD("result"), WORD("stats"), gemini_cli_print_end, 85 },
	{ WORD("result"), WORD("status"), gemini_cli_print_end, 60 },
};

/* The row of a line; the number of rows when there is none. */
static size_t find_line(struct val v)
{
	struct val type = val_get(v, STR("type"));
	size_t i = 0;

	while (i < COUNT(gemini_cli_lines) &&
	       (!val_text_is(type, gemini_cli_lines[i].type) || !val_has(v, gemini_cli_lines[i].needs)))
		i++;
	return val_has(v, STR("timestamp")) ? i : COUNT(gemini_cli_lines);
}

static bool is_whole(struct val v)
{
	struct val stats = val_get(v, STR("stats"));

	return !val_has(v, STR("type")) && val_is(val_get(stats, STR("models")), JSON_OBJECT) &&
	       (val_is(val_get(v, STR("response")), JSON_STRING) || val_has(v, STR("error")) ||
		val_has(stats, STR("tools")));
}

void gemini_cli_print_read(struct reading *r, struct val v)
{
	size_t i = find_line(v);

	if (i == COUNT(gemini_cli_lines)) {
		read_whole(r, v);
	} else {
		gemini_cli_lines[i].read(r, v);
		reading_take(r, val_get(v, STR("type")));
	}
	reading_rest(r, &r->events[r->count - 1], v);
}

int gemini_cli_print_fits(struct val v)
{
	size_t i = find_line(v);

	if (is_whole(v))
		return 85;
	/* others say "message" too, and have their content in blocks */
	if (i == COUNT(gemini_cli_lines) || val_has(v, STR("id")) || val_has(v, STR("uuid")) ||
	    val_is(val_get(v, STR("content")), JSON_ARRAY))
		return 0;
	return gemini_cli_lines[i].fit;
}
