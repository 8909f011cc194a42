/* results.jsonl of a benchmark run: one call of one model with one prompt on each line. */
#include "dialect/bench/results.h"
#include "dialect/bench/rules.h"
#include "dialect/formats.h"
#include "dialect/identity.h"

#define RAW_OUTPUT_CUT (RESULT_OUTPUT_MAX - 3) /* a cut falls between characters, of four bytes at most */

enum result_field {
	RECORD_TYPE_NAME,
	RUN_ID,
	PROVIDER,
	MODEL,
	THINKING_LEVEL,
	PROMPT_ID,
	PROMPT_NAME,
	AVAILABILITY_STATUS,
	STARTED_AT_MS,
	ENDED_AT_MS,
	E2E_MS,
	TTFT_MS,
	SUCCESS,
	FAILURE_TYPE,
	OBJECTIVE_PASS,
	VIOLATION,
	INPUT_TOKENS,
	OUTPUT_TOKENS,
	RAW_OUTPUT,
	PARSED_OUTPUT,
	TOOL_CALLS,
	TOOL_CALL_COUNT,
	TOOL_USE_SUCCESS,
	ATTEMPTS,
	REPETITION,
	SCHEDULED_AT_MS,
	CACHE_READ_TOKENS,
	REASONING_TOKENS,
	TTFB_MS,
	TOOL_CALL_SOURCE,
	RAW_OUTPUT_TRUNCATED,
	EXPECTS_TOOLS,
	COST_USD,
	COST_ESTIMATED,
	RESULT_FIELDS,
};

static const struct field tool_name = { "tool", PLAIN(T_STRING, FIELD_REQUIRED), .about = "the name of a tool" };

#define AT(member) FIELD_AT(struct result, member)
#define AS(kind, member) FIELD_AS(kind, struct result, member)

static const struct str statuses[PROVIDER_STATUSES] = {
	WORD("ok"), WORD("skipped_unavailable"), WORD("auth_error"), WORD("rate_limited"), WORD("error"),
};
const struct words result_statuses = { statuses, PROVIDER_STATUSES };

static const struct field result_fields[RESULT_FIELDS] = {
	[RECORD_TYPE_NAME] = { "record_type", T_STRING, FIELD_REQUIRED, CHECK_WORD, BENCH_RECORD_TYPE, KIND_CONST,
			       .words = WORDS(WORD("result")), .about = "what the line is" },
	[RUN_ID] = { "run_id", NAME, AT(run_id), .about = "the run, the same on every line" },
	[PROVIDER] = { "provider", NAME, AT(provider), .about = "who served the model" },
	[MODEL] = { "model", NAME, AT(model), .about = "the model's name there" },
	[THINKING_LEVEL] = { "thinking_level", T_STRING | T_NULL, FIELD_REQUIRED, CHECK_WORD, BENCH_THINKING,
			     AT(thinking), .words = BENCH_THINKING_LEVELS,
			     .about = "how much the model was asked to think" },
	[PROMPT_ID] = { "prompt_id", NAME, AT(prompt_id), .about = "the prompt in its suite" },
	[PROMPT_NAME] = { "prompt_name", PLAIN(T_STRING, FIELD_REQUIRED), AT(prompt_name),
			  .about = "the prompt's name for people" },
	[AVAILABILITY_STATUS] = { "availability_status", T_STRING, FIELD_REQUIRED, CHECK_WORD, BENCH_STATUS,
				  AT(status), .words = &result_statuses, .about = "whether the model could be asked" },
	[STARTED_AT_MS] = { "started_at_ms", A_COUNT, AT(started_at_ms),
			    .about = "wall clock at the first send, since 1970" },
	[ENDED_AT_MS] = { "ended_at_ms", A_COUNT, AT(ended_at_ms), .about = "wall clock at the end, since 1970" },
	[E2E_MS] = { "e2e_ms", A_COUNT, AT(e2e_ms), .about = "duration of the last attempt, by a monotonic clock" },
	[TTFT_MS] = { "ttft_ms", COUNT_OR_NULL, AT(ttft_ms), .about = "until the first token" },
	[SUCCESS] = { "success", PLAIN(T_BOOL, FIELD_REQUIRED), AT(success), .about = "the model answered" },
	[FAILURE_TYPE] = { "failure_type", T_STRING | T_NULL, FIELD_REQUIRED, CHECK_NOT_BLANK, BENCH_EMPTY,
			   AT(failure), .about = "why it did not" },
	[OBJECTIVE_PASS] = { "objective_pass", PLAIN(T_BOOL | T_NULL, FIELD_REQUIRED), AS(KIND_TRUTH, pass),
			     .about = "what the prompt's validator said" },
	[VIOLATION] = { "violation", PLAIN(T_STRING | T_NULL, FIELD_REQUIRED), AT(violation),
			.about = "why the validator said no" },
	[INPUT_TOKENS] = { "input_tokens", COUNT_OR_NULL, AT(input_tokens), .about = "as the provider counts them" },
	[OUTPUT_TOKENS] = { "output_tokens", COUNT_OR_NULL, AT(output_tokens), .about = "as the provider counts them" },
	[RAW_OUTPUT] = { "raw_output", PLAIN(T_STRING, FIELD_REQUIRED), AT(output),
			 .about = "the answer, " RESULT_OUTPUT_MAX_TEXT " bytes at most" },
	[PARSED_OUTPUT] = { "parsed_output", PLAIN(T_OBJECT | T_NULL, FIELD_REQUIRED), AS(KIND_JSON, parsed),
			    .about = "what the validator read in it" },
	[TOOL_CALLS] = { "tool_calls", PLAIN(T_ARRAY, FIELD_REQUIRED),
			 FIELD_LIST(KIND_TEXTS, struct result, tools, tool_count), .each = &tool_name,
			 .about = "the tools called, in order" },
	[TOOL_CALL_COUNT] = { "tool_call_count", A_COUNT, AS(KIND_LENGTH, tool_count),
			      .about = "the length of tool_calls" },
	[TOOL_USE_SUCCESS] = { "tool_use_success", PLAIN(T_BOOL, FIELD_REQUIRED), AT(tool_success),
			       .about = "an expected tool was called" },
	[ATTEMPTS] = { "attempts", EXTRA_COUNT, AT(attempts), .about = "sends, retries included" },
	[REPETITION] = { "repetition", EXTRA_COUNT, AT(repetition), .about = "which time this prompt was asked" },
	[SCHEDULED_AT_MS] = { "scheduled_at_ms", EXTRA_COUNT, AT(scheduled_at_ms),
			      .about = "wall clock when the call was due" },
	[CACHE_READ_TOKENS] = { "cache_read_tokens", EXTRA_COUNT, AT(cache_read_tokens),
				.about = "input tokens read from a cache" },
	[REASONING_TOKENS] = { "reasoning_tokens", EXTRA_COUNT, AT(reasoning_tokens),
			       .about = "output tokens spent on thinking" },
	[TTFB_MS] = { "ttfb_ms", EXTRA_COUNT, AT(ttfb_ms), .about = "until the first byte" },
	[TOOL_CALL_SOURCE] = { "tool_call_source", T_STRING, FIELD_EXTRA, CHECK_WORD, BENCH_TOOL_SOURCE,
			       AT(tool_source), .words = WORDS(WORD("api"), WORD("text")),
			       .about = "where tool_calls were seen" },
	[RAW_OUTPUT_TRUNCATED] = { "raw_output_truncated", PLAIN(T_BOOL, FIELD_EXTRA), AT(truncated),
				   .unknown = UNKNOWN_ABSENT, .about = "raw_output was cut" },
	[EXPECTS_TOOLS] = { "expects_tools", PLAIN(T_BOOL, FIELD_EXTRA), AT(expects),
			    .about = "the prompt expects tools" },
	[COST_USD] = { "cost_usd", T_NUMBER, FIELD_EXTRA, CHECK_NOT_NEGATIVE, BENCH_NEGATIVE, AT(usd),
		       .unknown = UNKNOWN_ABSENT, .about = "what the call cost, in US dollars" },
	[COST_ESTIMATED] = { "cost_estimated", PLAIN(T_BOOL, FIELD_EXTRA), AT(usd_estimated),
			     .unknown = UNKNOWN_AS_BEFORE,
			     .about = "cost_usd comes from a table of prices, not from the service" },
};

const struct record_type result_type = {
	.name = "result",
	RECORD_TYPE(result_fields),
	.about = "one call of a model with a prompt of the suite",
	.schema = "\"allOf\":["
		  "{\"$comment\":\"BR014\","
		  "\"if\":{\"properties\":{\"success\":{\"const\":true}}},"
		  "\"then\":{\"properties\":{\"availability_status\":{\"const\":\"ok\"},"
		  "\"failure_type\":{\"const\":null}}}},"
		  "{\"$comment\":\"BR015\","
		  "\"if\":{\"properties\":{\"success\":{\"const\":false}}},"
		  "\"then\":{\"properties\":{\"failure_type\":{\"type\":\"string\"}}}},"
		  "{\"$comment\":\"BR017\","
		  "\"if\":{\"properties\":{\"success\":{\"const\":true},\"violation\":{\"type\":\"string\"}}},"
		  "\"then\":{\"properties\":{\"objective_pass\":{\"const\":false}}}}]",
};

/* ---- one result ---- */

struct result_fact {
	struct str run_id; /* p is NULL when there is none */
	size_t run_id_at, run_id_length; /* in the line */
	struct identity row;
};

/* Where a value's text begins and ends in the record. */
static size_t offset_of(const struct record_scan *s, struct val v)
{
	return (size_t)(val_source(v).p - s->text.p);
}

/* The value of a field that has one: null is none. */
static struct val value_at(const struct record_scan *s, const uint32_t *at, enum result_field f)
{
	struct val v = record_at(s, at[f]);

	return val_is(v, JSON_NULL) ? VAL_NONE : v;
}

static bool results_is_true(struct val v)
{
	return val_is(v, JSON_TRUE);
}

/* An end before the start, and a first token after the end. */
static void results_check_times(struct record_scan *s, const uint32_t *at)
{
	double start, end, e2e, ttft;

	if (val_double(value_at(s, at, STARTED_AT_MS), &start) && val_double(value_at(s, at, ENDED_AT_MS), &end) &&
	    end < start)
		record_note(s, BENCH_ENDED, value_at(s, at, ENDED_AT_MS),
			    "ended_at_ms is %.0f ms before started_at_ms", start - end);
	if (val_double(value_at(s, at, E2E_MS), &e2e) && val_double(value_at(s, at, TTFT_MS), &ttft) && ttft > e2e)
		record_note(s, BENCH_TTFT, value_at(s, at, TTFT_MS), "ttft_ms %.0f is more than e2e_ms %.0f", ttft,
			    e2e);
}

/*
 * What success, availability_status, failure_type, objective_pass and violation must say of each other. A null counts
 * as none of them.
 */
static void check_outcome(struct record_scan *s, const uint32_t *at)
{
	struct val success = value_at(s, at, SUCCESS), status = value_at(s, at, AVAILABILITY_STATUS);
	struct val failure = value_at(s, at, FAILURE_TYPE), pass = value_at(s, at, OBJECTIVE_PASS);
	struct val violation = value_at(s, at, VIOLATION);
	/* a value of the wrong type is told as such, and not a second time as an absent one */
	bool no_failure = val_is(val_get(s->root, STR("failure_type")), JSON_NULL);

	if (results_is_true(success)) {
		if (!val_is_none(status) && !val_text_is(status, STR("ok")))
			record_note(s, BENCH_SUCCESS, status, "success is true, but availability_status is not ok");
		if (!val_is_none(failure))
			record_note(s, BENCH_SUCCESS, failure, "success is true, but there is a failure_type");
	} else if (!val_is_none(success)) {
		if (no_failure)
			record_note(s, BENCH_FAILURE, val_get(s->root, STR("failure_type")),
				    "success is false, but failure_type is null");
		if (!val_is_none(pass))
			record_note(s, BENCH_FAILED_JUDGED, pass, "success is false, but objective_pass is not null");
		if (!val_is_none(violation))
			record_note(s, BENCH_FAILED_JUDGED, violation, "success is false, but there is a violation");
	}
	if (!val_is_none(violation) && results_is_true(success) && !val_is(pass, JSON_FALSE))
		record_note(s, BENCH_VIOLATION, violation, "violation is set, but objective_pass is %s",
			    results_is_true(pass) ? "true" : "null");
}

/* Texts are unescaped only when they must be measured: most are far below the limit. */
static void check_output(struct record_scan *s, const uint32_t *at)
{
	struct val output = value_at(s, at, RAW_OUTPUT);
	size_t n;

	if (val_is_none(output))
		return;
	/* an escape is never shorter than what it stands for */
	n = val_raw(output).n;
	if (n > RESULT_OUTPUT_MAX)
		n = val_text(output, s->arena).n;
	if (n > RESULT_OUTPUT_MAX)
		record_note(s, BENCH_RAW_OUTPUT, output, "raw_output has %zu bytes, more than " RESULT_OUTPUT_MAX_TEXT,
			    n);
	else if (results_is_true(value_at(s, at, RAW_OUTPUT_TRUNCATED)) &&
		 val_text(output, s->arena).n < RAW_OUTPUT_CUT)
		record_note(s, BENCH_TRUNCATED, value_at(s, at, RAW_OUTPUT_TRUNCATED),
			    "raw_output_truncated is true, but raw_output has only %zu bytes",
			    val_text(output, s->arena).n);
}

/* tool_call_count is there for tables and must be the length of tool_calls. */
static void check_tools(struct record_scan *s, const uint32_t *at)
{
	struct val calls = value_at(s, at, TOOL_CALLS), count = value_at(s, at, TOOL_CALL_COUNT);
	double n;

	if (!val_is_none(calls) && val_double(count, &n) && n != (double)val_count(calls))
		record_note(s, BENCH_TOOL_COUNT, count, "tool_call_count is %.0f, but tool_calls has %zu", n,
			    val_count(calls));
}

/*
 * Which question it was: two rows of one run must not be the same. A repetition that is missing counts as one of its
 * own.
 */
static struct identity results_row_of(struct record_scan *s, const uint32_t *at)
{
	static const enum result_field parts[] = { PROVIDER, MODEL, THINKING_LEVEL, PROMPT_ID };
	struct identity row;
	struct buf text = { 0 };
	double repetition;

	for (size_t i = 0; i < COUNT(parts); i++) {
		struct val v = value_at(s, at, parts[i]);
		struct str part = val_is_none(v) ? STR("") : val_text(v, s->arena);

		/* with its length in front, no part can pass for two */
		buf_add(&text, &part.n, sizeof(part.n));
		buf_add_str(&text, part);
	}
	if (val_double(value_at(s, at, REPETITION), &repetition))
		buf_add(&text, &repetition, sizeof(repetition));
	row = identity_make(s, buf_str(&text), VAL_NONE);
	buf_free(&text);
	return row;
}

/* What the fold compares with other lines: the run, and which row it is. */
static void fill_fact(struct record_scan *s, const uint32_t *at, struct result_fact *fact)
{
	struct val run_id = value_at(s, at, RUN_ID);

	if (!val_is_none(run_id)) {
		fact->run_id = arena_copy(&s->out->arena, val_text(run_id, s->arena));
		fact->run_id_at = offset_of(s, run_id);
		fact->run_id_length = val_source(run_id).n;
	}
	if (at[PROVIDER] && at[MODEL] && at[PROMPT_ID])
		fact->row = results_row_of(s, at);
}

/* A line by itself; what must hold between lines is left to the fold, by *fact. */
static void check_result(struct record_scan *s, struct val root, void *fact)
{
	uint32_t at[RESULT_FIELDS];

	if (!record_check_object(s, root, &result_type, at))
		return;
	results_check_times(s, at);
	check_outcome(s, at);
	check_output(s, at);
	check_tools(s, at);
	fill_fact(s, at, fact);
}

/* ---- the file ---- */

struct results_state {
	struct identities rows; /* first, as identities_begin wants it */
	struct str run_id;
};

/* The first line that has an id decides for the file. */
static void fold_run_id(struct record_fold *f, const struct result_fact *fact, const struct record_place *place)
{
	struct results_state *state = f->state;

	if (!fact->run_id.p)
		return;
	if (!state->run_id.p)
		state->run_id = arena_copy(f->arena, fact->run_id);
	else if (!str_eq(state->run_id, fact->run_id))
		record_fold_note(f, BENCH_RUN_ID, place, fact->run_id_at, fact->run_id_length, STR("/run_id"),
				 "run_id differs from the first result's");
}

/* Rows without provider, model or prompt are not compared: that they lack them was told. */
static void add_results(struct record_fold *f, const struct record_batch *b)
{
	static const struct identity_kind kind = {
		BENCH_REPEATED, BENCH_LIMIT, "",
		"an earlier result has this provider, model, thinking_level, prompt and repetition",
	};
	const struct result_fact *facts = (const struct result_fact *)(const void *)b->facts.p;

	for (size_t i = 0; i < record_batch_count(b); i++) {
		fold_run_id(f, &facts[i], record_batch_place(b, i));
		identities_add(f, &facts[i].row, record_batch_place(b, i), &kind);
	}
}

/* ---- the format ---- */

/* A result says what it is; one that lost its record_type still has fields that nothing else has. */
static int results_fits(struct val v)
{
	bool prompt = !val_is_none(val_get(v, STR("prompt_id")));
	bool status = !val_is_none(val_get(v, STR("availability_status")));
	struct val type = val_get(v, STR("record_type"));

	if (val_is(type, JSON_STRING) && val_text_is(type, STR("result")))
		return prompt || status ? 100 : 60;
	return prompt && status ? 80 : 0;
}

static const struct record_format format = {
	BENCH_FILE,
	.on_blank = BENCH_BLANK,
	.on_torn = BENCH_TORN,
	.on_empty = BENCH_NONE,
	.on_secret = RECORD_NO_RULE,
	.fact_size = sizeof(struct result_fact),
	.check = check_result,
	.state_size = sizeof(struct results_state),
	.begin = identities_begin,
	.add = add_results,
};

static const struct record_type *const roots[] = { &result_type, NULL };

const struct dialect results_dialect = {
	.name = "results",
	.title = "the results of a benchmark run, one call per line",
	.file = "results.jsonl",
	.unit = "result",
	.forms = DIALECT_LINES,
	.rules = bench_rules,
	.fits = results_fits,
	.mark = "\"availability_status\"",
	DIALECT_RECORDS(format, roots),
};
