/* The table of doc/import.md, row by row: what of a sample becomes which field of a trial record. */
#include "base/clock.h"
#include "dialect/verifiers/fields.h"
#include "json/put.h"
#include "trial/import_private.h"

#define HOSTED STR("prime-hosted")
#define LOCAL STR("local")
#define INSTRUCTION STR("Prime hosted evaluation sample")
#define OUTPUT STR("output.md")
#define TIME_MIN 1e9 /* seconds since 1970, and not those that something took */
#define TIME_MAX 8e9 /* with what something took, its nanoseconds still fit 64 bits */
#define COUNT_MAX 9007199254740992.0 /* whole numbers are doubles up to here */

static struct str sample_text(const struct prime_sample *s, struct val object, const char *name)
{
	return import_text(s->arena, val_get(object, str_from(name)));
}

static struct str source_of(const struct prime_sample *s)
{
	if (s->is_trace)
		return STR("verifiers-traces");
	return s->prime->source == PRIME_HOSTED ? STR("prime-eval-samples") : STR("verifiers-results");
}

/* ---- metrics ---- */

struct metrics {
	struct val_iter it;
	bool flat; /* they stand among the members of the sample */
};

/* Results of verifiers may have their metrics among the members of the sample itself. */
static struct metrics begin_metrics(const struct prime_sample *s)
{
	bool flat = s->prime->source == PRIME_VERIFIERS && !val_is(s->metrics, JSON_OBJECT);

	/* over nothing when it is no object */
	return (struct metrics){ .flat = flat,
				 .it = val_begin(flat			    ? s->root :
						 val_is(s->metrics, JSON_OBJECT) ? s->metrics :
										   VAL_NONE) };
}

static bool next_metric(struct metrics *m, struct val *key, struct val *value)
{
	while (val_next_member(&m->it, key, value))
		if (!m->flat || (val_is(*value, JSON_NUMBER) && !verifiers_is_column(*key)))
			return true;
	return false;
}

static struct val find_metric(const struct prime_sample *s, struct str name)
{
	struct metrics m = begin_metrics(s);
	struct val key, value;

	while (next_metric(&m, &key, &value))
		if (val_text_is(key, name))
			return value;
	return VAL_NONE;
}

static void record_write_metrics(struct json_writer *w, const struct prime_sample *s)
{
	struct metrics m = begin_metrics(s);
	struct val key, value;

	while (next_metric(&m, &key, &value)) {
		json_write_key(w, val_text(key, s->arena));
		import_write(w, value);
	}
}

/* ---- reward ---- */

struct reward {
	struct val given;
	double value;     /* from 0 to 1 */
	bool clamped;
};

/* False when nobody gave one. */
static bool read_reward(const struct prime_sample *s, struct reward *out)
{
	const struct val places[] = {
		val_get(s->root, STR("reward")),
		val_get(s->root, STR("aec_bench_reward")),
		find_metric(s, STR("aec_bench_reward")),
		find_metric(s, STR("reward")),
	};
	struct reward r = { .given = VAL_NONE };

	for (size_t i = 0; i < COUNT(places); i++) {
		if (!val_double(places[i], &r.value))
			continue;
		r.given = places[i];
		r.clamped = r.value < 0 || r.value > 1;
		r.value = r.value < 0 ? 0 : r.value > 1 ? 1 : r.value;
		*out = r;
		return true;
	}
	return false;
}

static void record_write_reward(struct json_writer *w, const struct reward *r)
{
	json_write_key(w, STR("reward"));
	if (!r->clamped)
		json_write_raw(w, val_raw(r->given));
	else
		json_write_raw(w, r->value > 0 ? STR("1.0") : STR("0.0"));
}

/* What a sample has besides its reward. A line of another log may have a reward, too. */
static bool has_known_member(struct val root)
{
	static const char *const names[] = {
		"prompt", "completion", "sample_id", "example_id", "exampleId", "id", "info", "metrics", "answer",
		"rollout_number", "trajectory", "timing", "token_usage", "stop_condition", "is_completed",
		"is_truncated", "error", "created_at", "total_time", "latency_ms", "total_ms", "generation_ms",
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (val_has(root, str_from(names[i])))
			return true;
	return false;
}

void prime_check(struct prime_sample *s)
{
	struct reward r;

	if (!has_known_member(s->root))
		s->why = STR("this is not a sample of Prime or verifiers: it has no prompt, completion, example_id or "
			     "anything else that they have; name what 'prime eval samples' printed, or results.jsonl "
			     "or traces.jsonl of verifiers");
	else if (!read_reward(s, &r) && s->is_trace)
		s->why = STR("its rewards are empty or null: it was not scored; score it, and import it then");
	else if (!read_reward(s, &r))
		s->why = STR("it has no reward: reward, aec_bench_reward, metrics.aec_bench_reward and metrics.reward "
			     "are absent, or no numbers; score it, and import it then");
}

/* ---- what went wrong ---- */

/* A text, or an array of them; VAL_NONE when there was no error. */
static struct val error_chain(const struct prime_sample *s)
{
	static const char *const names[] = { "error_chain_str", "error_chain", "error", "message" };
	struct val error = prime_get(s, STR("error"));

	if (val_is(error, JSON_STRING))
		return import_text(s->arena, error).p ? error : VAL_NONE;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct val v = val_get(error, str_from(names[i]));

		if (import_text(s->arena, v).p || (val_is(v, JSON_ARRAY) && val_count(v)))
			return v;
	}
	return VAL_NONE;
}

static struct str error_text(const struct prime_sample *s, struct val one)
{
	struct str text = import_text(s->arena, one);

	return text.p ? text : val_source(one);
}

/* Only when the reward is 0: an error on the way to a success is none of the evaluation. */
static void write_errors(struct json_writer *w, const struct prime_sample *s, const struct reward *r)
{
	struct val chain = r->value > 0 ? VAL_NONE : error_chain(s), one;
	struct val_iter it = val_begin(chain);

	json_put_array(w, "errors");
	if (val_is(chain, JSON_ARRAY))
		while (val_next(&it, &one))
			json_write_string(w, error_text(s, one));
	else if (!val_is_none(chain))
		json_write_string(w, error_text(s, chain));
	json_write_end_array(w);
}

/* ---- the parts of a record ---- */

static bool amount(struct val v, double *out)
{
	return val_double(v, out) && *out >= 0;
}

/* In seconds. */
static bool total_time(const struct prime_sample *s, double *out)
{
	if (amount(val_get(s->root, STR("total_time")), out))
		return true;
	if (amount(val_get(s->timing, STR("total_ms")), out)) {
		*out /= 1000;
		return true;
	}
	if (amount(val_get(s->timing, STR("total")), out))
		return true;
	*out = amount(val_get(s->root, STR("latency_ms")), out) ? *out / 1000 : 0;
	return *out > 0;
}

/* When it ended, by the clock of who ran it; else now. */
static struct str other_time(struct prime_sample *s)
{
	double start, total;

	if (!val_double(val_get(s->timing, STR("start_time")), &start) || start < TIME_MIN || start > TIME_MAX)
		return stamp_new_ns(s->arena, (int64_t)clock_wall_ns(), 3);
	(void)total_time(s, &total);
	total = total < TIME_MIN ? total : 0;
	return stamp_new_ns(s->arena, (int64_t)((start + total) * 1000) * 1000000, 3);
}

/* A time without a zone is taken for UTC. */
static struct str timestamp(struct prime_sample *s)
{
	struct val v = val_get(s->root, STR("created_at"));
	struct str text = import_text(s->arena, v), zoned;
	struct stamp stamp;
	char *copy;

	if (!text.p && (val_is_unset(v) || val_is(v, JSON_STRING)))
		return other_time(s);
	if (text.p && stamp_parse(text, &stamp))
		return text;
	copy = arena_array(s->arena, char, text.n + 1);
	for (size_t i = 0; i < text.n; i++)
		copy[i] = i == 10 && text.p[i] == ' ' ? 'T' : text.p[i];
	zoned = str_of(copy, text.n);
	if (stamp_parse(zoned, &stamp))
		return zoned;
	copy[text.n] = 'Z';
	zoned.n++;
	if (!stamp_parse(zoned, &stamp))
		s->why = ARENA_JOIN(s->arena, STR("created_at is not a time: "), val_source(v),
				    STR("; a time is like 2026-05-08T21:13:35Z"));
	return zoned;
}

static struct str dataset(const struct prime_sample *s)
{
	struct val v = val_get(s->info, STR("dataset"));
	struct str name = sample_text(s, v, "name"), version = sample_text(s, v, "version");

	return name.p && version.p ? ARENA_JOIN(s->arena, name, STR("@"), version) : (struct str){ NULL, 0 };
}

/* Of results of verifiers also their id; in a sample of Prime that is something else. */
static struct val example(const struct prime_sample *s)
{
	if (s->prime->source == PRIME_VERIFIERS)
		return verifiers_example(s->root);
	return val_get_either(s->root, STR("example_id"), STR("exampleId"));
}

static void write_task(struct json_writer *w, const struct prime_sample *s)
{
	struct str id = sample_text(s, s->info, "task_id"), revision = sample_text(s, s->info, "task_revision");
	struct str number = import_text(s->arena, example(s));

	if (!id.p)
		id = ARENA_JOIN(s->arena, STR("prime/"), number.p ? number : STR("unknown"));
	json_put_object(w, "task");
	json_put_text_or_null(w, "task_id", id);
	json_put_text_or_null(w, "task_revision", revision.p ? revision : HOSTED);
	json_write_end_object(w);
}

/* The adapter and the image are not pinned by anybody: their fields say where it ran, and no more. */
static void write_agent(struct json_writer *w, const struct prime_sample *s)
{
	struct val e = s->prime->evaluation;
	struct str where = s->prime->source == PRIME_HOSTED ? HOSTED : LOCAL,
		   model = sample_text(s, s->root, "model");

	json_put_object(w, "agent");
	json_put_text_or_null(w, "adapter", HOSTED);
	json_put_text_or_null(w, "model", s->is_trace && model.p ? model : s->prime->model);
	json_put_null(w, "adapter_revision");
	json_put_object(w, "configuration");
	json_put_text_or_null(w, "source", source_of(s));
	json_put_text_or_null(w, "evaluation_id", s->prime->id);
	import_write_member(w, "evaluation_name", val_get(e, STR("name")));
	import_write_member(w, "viewer_url", val_get(e, STR("viewer_url")));
	import_write_member(w, "eval_config", val_get(e, STR("eval_config")));
	json_write_end_object(w);
	json_write_end_object(w);
	json_put_object(w, "environment");
	json_put_text_or_null(w, "runtime_image", where);
	json_put_text_or_null(w, "compute_backend", where);
	json_put_null(w, "tool_versions");
	json_write_end_object(w);
}

/* What the first message of a role says that says something; p is NULL when there is none. */
static struct str first_said(const struct prime_sample *s, struct val messages, struct str role)
{
	struct val_iter it = val_begin(messages);
	struct str text = { NULL, 0 };
	struct val message, by;

	if (!val_is(messages, JSON_ARRAY))
		return text;
	while (!text.p && val_next(&it, &message)) {
		by = val_get(message, STR("role"));
		if (val_text_is(by, role))
			text = prime_content(s->arena, val_get(message, STR("content")));
	}
	return text;
}

static struct str instruction(const struct prime_sample *s)
{
	struct str text = sample_text(s, s->info, "instruction");
	struct val prompt = val_get(s->root, STR("prompt"));

	if (!text.p && val_is(prompt, JSON_STRING))
		text = import_text(s->arena, prompt);
	if (!text.p)
		text = first_said(s, prompt, STR("user"));
	return text.p ? text : INSTRUCTION;
}

static struct str system_prompt(const struct prime_sample *s)
{
	struct str text = first_said(s, val_get(s->root, STR("prompt")), STR("system"));

	return text.p ? text : first_said(s, val_get(s->root, STR("completion")), STR("system"));
}

static void write_inputs(struct json_writer *w, const struct prime_sample *s)
{
	json_put_object(w, "inputs");
	json_put_text_or_null(w, "instruction", instruction(s));
	json_put_text_or_null(w, "system_prompt", system_prompt(s));
	json_put_null(w, "input_files");
	json_write_end_object(w);
}

/* A metric of the same name as one of ours takes its place: an object cannot have both. */
static void write_fact(struct json_writer *w, const struct prime_sample *s, const char *name, struct val v)
{
	if (val_is_none(find_metric(s, str_from(name))))
		import_write_member(w, name, v);
}

static void write_fact_text(struct json_writer *w, const struct prime_sample *s, const char *name, struct str text)
{
	if (val_is_none(find_metric(s, str_from(name))))
		json_put_text_or_null(w, name, text);
}

static void write_result(struct json_writer *w, const struct prime_sample *s)
{
	json_put_object(w, "agent_result");
	write_fact_text(w, s, "source", source_of(s));
	write_fact_text(w, s, "prime_evaluation_id", s->prime->id);
	write_fact_text(w, s, "prime_sample_id", s->sample_id);
	write_fact(w, s, "example_id", example(s));
	write_fact(w, s, "rollout_number", val_get(s->root, STR("rollout_number")));
	write_fact(w, s, "stop_condition", prime_get(s, STR("stop_condition")));
	write_fact(w, s, "is_completed", prime_get(s, STR("is_completed")));
	write_fact(w, s, "error", prime_get(s, STR("error")));
	record_write_metrics(w, s);
	json_write_end_object(w);
}

/* A reward of 0 counts as failed, with the error if there was one. */
static void write_outputs(struct json_writer *w, const struct prime_sample *s, const struct reward *r)
{
	struct val chain = r->value > 0 ? VAL_NONE : error_chain(s);
	struct str message = val_is_none(chain) ? (struct str){ NULL, 0 } : error_text(s, chain);

	json_put_object(w, "outputs");
	json_put_object(w, "agent_output");
	json_put_word(w, "status", r->value > 0 ? "completed" : "failed");
	json_put_text_or_null(w, "output_path", s->submitted.p ? str_basename(s->submitted_name) : OUTPUT);
	json_put_text(w, "output_format", STR("markdown"));
	json_put_text_or_null(w, "error_message", message);
	json_write_end_object(w);
	json_put_text_or_null(w, "raw_output_path", s->submitted_path);
	json_put_text_or_null(w, "conversation_path", s->conversation_path);
	json_put_null(w, "trajectory_path");
	write_result(w, s);
	json_write_end_object(w);
}

/* A reward outside of 0 to 1 is cut to that, and kept as it was given in the breakdown. */
static void record_write_evaluation(struct json_writer *w, const struct prime_sample *s, const struct reward *r)
{
	bool is_taken = !val_is_none(find_metric(s, STR("raw_reward")));

	json_put_object(w, "evaluation");
	record_write_reward(w, r);
	json_put_object(w, "validity");
	json_put_bool(w, "output_parseable", r->value > 0);
	json_put_bool(w, "schema_valid", r->value > 0);
	json_put_bool(w, "verifier_completed", true);
	write_errors(w, s, r);
	json_write_end_object(w);
	json_put_object(w, "breakdown");
	record_write_metrics(w, s);
	if (r->clamped)
		import_write_member(w, is_taken ? "raw_reward_of_sample" : "raw_reward", r->given);
	json_write_end_object(w);
	json_put_null(w, "error_taxonomy");
	json_put_null(w, "confidence");
	json_put_null(w, "annotations");
	json_write_end_object(w);
}

/* ---- timing and cost ---- */

/* Newer samples have seconds in objects of their own. */
static void write_phase(struct json_writer *w, const struct prime_sample *s, const char *name, struct str ms,
			struct str phase)
{
	struct val seconds = val_get(val_get(s->timing, phase), STR("duration"));
	double d;

	json_put_key(w, name);
	if (amount(val_get(s->timing, ms), &d))
		json_write_double(w, d / 1000);
	else if (amount(seconds, &d))
		json_write_raw(w, val_raw(seconds));
	else
		json_write_null(w);
}

/* In seconds. The total is 0.0 when nobody says, since a record must have one. */
static void write_timing(struct json_writer *w, const struct prime_sample *s)
{
	struct val given = val_get(s->root, STR("total_time"));
	double d = 0;

	json_put_object(w, "timing");
	json_write_key(w, STR("total_seconds"));
	if (amount(given, &d))
		json_write_raw(w, val_raw(given));
	else if (total_time(s, &d))
		json_write_double(w, d);
	else
		json_write_raw(w, STR("0.0"));
	write_phase(w, s, "agent_seconds", STR("generation_ms"), STR("generation"));
	write_phase(w, s, "setup_seconds", STR("setup_ms"), STR("setup"));
	write_phase(w, s, "verification_seconds", STR("scoring_ms"), STR("scoring"));
	json_write_end_object(w);
}

/* Counts are whole numbers, however they are spelled: services give averages, too. */
static void write_count(struct json_writer *w, const char *name, struct val v)
{
	int64_t n;
	double d;

	json_put_key(w, name);
	if (!amount(v, &d) || d > COUNT_MAX)
		json_write_null(w);
	else if (val_i64(v, &n))
		json_write_raw(w, val_raw(v));
	else
		json_write_u64(w, (uint64_t)d);
}

/* null without token counts; what Prime does not tell is null in it. */
static void write_cost(struct json_writer *w, const struct prime_sample *s)
{
	static const char *const none[] = {
		"cache_read_tokens", "cache_write_tokens", "estimated_cost_usd", "advisor_calls",
		"advisor_input_tokens", "advisor_output_tokens",
	};

	json_write_key(w, STR("cost"));
	if (!val_is(s->token_usage, JSON_OBJECT)) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	write_count(w, "tokens_in", val_get(s->token_usage, STR("input_tokens")));
	write_count(w, "tokens_out", val_get(s->token_usage, STR("output_tokens")));
	for (size_t i = 0; i < COUNT(none); i++)
		json_put_null(w, none[i]);
	json_write_end_object(w);
}

void prime_write_record(struct prime_sample *s, struct buf *out)
{
	struct reward reward = { .given = VAL_NONE };
	struct json_writer w;

	(void)read_reward(s, &reward); /* which it has: see prime_check */
	if (s->prime->source == PRIME_VERIFIERS && !val_is(s->timing, JSON_OBJECT))
		s->timing = s->root;
	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	json_put_text_or_null(&w, "trial_id", s->trial_id);
	json_put_text_or_null(&w, "experiment_id", s->prime->experiment);
	json_put_text_or_null(&w, "dataset_id", dataset(s));
	json_put_text_or_null(&w, "timestamp", timestamp(s));
	write_task(&w, s);
	write_agent(&w, s);
	write_inputs(&w, s);
	write_outputs(&w, s, &reward);
	record_write_evaluation(&w, s, &reward);
	write_timing(&w, s);
	write_cost(&w, s);
	json_put_null(&w, "adaptation");
	json_put_text(&w, "completeness", STR("partial"));
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
