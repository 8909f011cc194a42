/* summary.json of a benchmark run: what its results add up to, one entry for each model. */
#include <math.h>

#include "base/map.h"
#include "dialect/bench/rules.h"
#include "dialect/formats.h"
#include "dialect/record/record.h"
#include "dialect/values.h"

#define TOLERANCE 1e-6 /* of a rate: writers keep six decimals or more */

#define RATE_OR_NULL T_NUMBER | T_NULL, FIELD_REQUIRED, CHECK_RANGE, BENCH_RATE, .min = 0, .max = 1

#define EXTRA_RATE T_NUMBER, FIELD_EXTRA, CHECK_RANGE, BENCH_RATE, .min = 0, .max = 1

static const struct field time_end = { "end", T_NUMBER, FIELD_REQUIRED, CHECK_NOT_NEGATIVE, BENCH_NEGATIVE,
				       .about = "an end of an interval, in milliseconds" };

#define TIME_INTERVAL PLAIN(T_ARRAY, FIELD_EXTRA), .each = &time_end

static const struct field time_fields[] = {
	{ "p50", NUMBER_OR_NULL, .about = "the median" },
	{ "p95", NUMBER_OR_NULL, .about = "the 95th percentile" },
	{ "p99", NUMBER_OR_NULL, .about = "the 99th percentile" },
	{ "mean", NUMBER_OR_NULL, .about = "the mean" },
	{ "n", EXTRA_COUNT, .about = "calls that have such a time" },
	{ "p50_interval", TIME_INTERVAL, .about = "[low, high] of p50; null when n is too small" },
	{ "p95_interval", TIME_INTERVAL, .about = "[low, high] of p95; null when n is too small" },
	{ "p99_interval", TIME_INTERVAL, .about = "[low, high] of p99; null when n is too small" },
};

static const struct record_type times_type = {
	.name = "times",
	RECORD_TYPE(time_fields),
	.about = "percentiles over the calls that succeeded, in milliseconds; null when there are none",
};

static const struct field resource_fields[] = {
	{ "mem_total_bytes", EXTRA_COUNT, .about = "memory of the machine" },
	{ "mem_available_bytes", EXTRA_COUNT, .about = "memory that was free" },
	{ "disk_free_bytes", EXTRA_COUNT, .about = "disk that was free" },
	{ "load1", EXTRA_NUMBER, .about = "load of the last minute" },
	{ "gpus", PLAIN(T_ARRAY, FIELD_EXTRA), .about = "the graphics processors" },
};

static const struct record_type resources_type = {
	.name = "resources",
	RECORD_TYPE(resource_fields),
	.about = "the machine before or after the calls of a model",
};

static const struct field interval_end = { "end", T_NUMBER, FIELD_REQUIRED, CHECK_RANGE, BENCH_INTERVAL,
					   .min = 0, .max = 1, .about = "an end of an interval" };

#define INTERVAL PLAIN(T_ARRAY, FIELD_EXTRA), .each = &interval_end

static const struct field number_end = { "end", PLAIN(T_NUMBER, FIELD_REQUIRED), .about = "an end of an interval" };

static const struct field mean_fields[] = {
	{ "mean", EXTRA_RATE, .about = "share of the judged answers that passed" },
	{ "standard_error", EXTRA_NUMBER, .about = "of the mean" },
	{ "interval", PLAIN(T_ARRAY, FIELD_EXTRA), .each = &number_end, .about = "[low, high] by Student's t" },
	{ "n", EXTRA_COUNT, .about = "judged answers" },
	{ "clusters", EXTRA_COUNT, .about = "prompts, when they were asked several times; else n" },
};

static const struct record_type mean_type = {
	.name = "mean",
	RECORD_TYPE(mean_fields),
	.about = "the pass rate as a mean, with repeats of a prompt as one cluster",
};

static const struct field try_fields[] = {
	{ "k", EXTRA_COUNT, .about = "tries" },
	{ "any_of_k", EXTRA_RATE, .about = "pass@k: chance that one of k tries passes" },
	{ "all_of_k", EXTRA_RATE, .about = "pass^k: chance that all of k tries pass" },
	{ "prompts", EXTRA_COUNT, .about = "prompts with so many judged answers" },
};

static const struct record_type try_type = {
	.name = "tries",
	RECORD_TYPE(try_fields),
	.about = "what several tries come to, as a mean over prompts",
};

static const struct field try_entry = { "tries", PLAIN(T_OBJECT, FIELD_REQUIRED), .object = &try_type };

static const struct field entry_fields[] = {
	{ "provider", NAME, .about = "who served the model" },
	{ "model", NAME, .about = "the model's name there" },
	{ "thinking_level", T_STRING | T_NULL, FIELD_REQUIRED, CHECK_WORD, BENCH_THINKING,
	  .words = BENCH_THINKING_LEVELS, .about = "how much the model was asked to think" },
	{ "n_total", A_COUNT, .about = "calls" },
	{ "n_ok", A_COUNT, .about = "calls whose availability_status is ok" },
	{ "n_success", A_COUNT, .about = "of those, the ones that succeeded" },
	{ "n_skipped_unavailable", A_COUNT, .about = "calls that were skipped: nobody there to ask" },
	{ "n_rate_limited", A_COUNT, .about = "calls refused for being too many" },
	{ "n_error", A_COUNT, .about = "calls that failed, auth errors included" },
	{ "success_rate_ok", RATE_OR_NULL, .about = "n_success / n_ok; null when n_ok is 0" },
	{ "objective_pass_rate", RATE_OR_NULL, .about = "share of the judged answers that passed" },
	{ "wall_clock_ms", COUNT_OR_NULL, .about = "from the first start to the last end" },
	{ "latency_ms", PLAIN(T_OBJECT, FIELD_REQUIRED), .object = &times_type, .about = "of the calls" },
	{ "resources_before", PLAIN(T_OBJECT | T_NULL, FIELD_REQUIRED), .object = &resources_type,
	  .about = "the machine before the first call" },
	{ "resources_after", PLAIN(T_OBJECT | T_NULL, FIELD_REQUIRED), .object = &resources_type,
	  .about = "the machine after the last call" },
	{ "tool_use_success_rate", T_NUMBER, FIELD_EXTRA, CHECK_RANGE, BENCH_RATE, .min = 0, .max = 1,
	  .about = "share of the calls with expected tools that called one" },
	{ "tool_use_interval", INTERVAL, .about = "[low, high] of tool_use_success_rate" },
	{ "tool_tier", T_INTEGER, FIELD_EXTRA, CHECK_RANGE, BENCH_TIER, .min = 1, .max = 3,
	  .about = "1 reliable with tools, 2 inconsistent, 3 not capable" },
	{ "recommended_for_subagents", PLAIN(T_BOOL, FIELD_EXTRA), .about = "tool_tier is 1" },
	{ "n_auth_error", EXTRA_COUNT, .about = "errors for want of a valid key; a part of n_error" },
	{ "success_rate_interval", INTERVAL, .about = "[low, high] of success_rate_ok" },
	{ "objective_pass_interval", INTERVAL, .about = "[low, high] of objective_pass_rate" },
	{ "ttft_ms", PLAIN(T_OBJECT, FIELD_EXTRA), .object = &times_type, .about = "until the first token" },
	{ "output_tokens_per_second", EXTRA_NUMBER, .about = "speed of the answers" },
	{ "n_unpriced", EXTRA_COUNT, .about = "rows with tokens that have no price: cost is not the whole then" },
	{ "cost", T_NUMBER | T_OBJECT, FIELD_EXTRA, CHECK_NOT_NEGATIVE, BENCH_NEGATIVE, .about = "what it cost" },
	{ "objective_pass_n", EXTRA_COUNT, .about = "answers that objective_pass_rate is of" },
	{ "objective_pass_rate_all", EXTRA_RATE, .about = "the same with failed calls counted as failures" },
	{ "objective_pass_all_interval", INTERVAL, .about = "[low, high] of objective_pass_rate_all" },
	{ "objective_pass_all_n", EXTRA_COUNT, .about = "calls that objective_pass_rate_all is of" },
	{ "tool_use_n", EXTRA_COUNT, .about = "calls that tool_use_success_rate is of" },
	{ "tool_use_success_rate_all", EXTRA_RATE, .about = "the same with failed calls counted as failures" },
	{ "tool_use_all_interval", INTERVAL, .about = "[low, high] of tool_use_success_rate_all" },
	{ "tool_use_all_n", EXTRA_COUNT, .about = "calls that tool_use_success_rate_all is of" },
	{ "tool_tier_uncertain", PLAIN(T_BOOL, FIELD_EXTRA), .about = "n too small to separate tiers" },
	{ "waited_ms", PLAIN(T_OBJECT, FIELD_EXTRA), .object = &times_type, .about = "from when a call was due" },
	{ "input_tokens", EXTRA_COUNT, .about = "of all calls, as far as they are known" },
	{ "output_tokens", EXTRA_COUNT, .about = "of all calls, as far as they are known" },
	{ "repeats", EXTRA_COUNT, .about = "how often a prompt was asked, at most" },
	{ "objective_pass_mean", PLAIN(T_OBJECT, FIELD_EXTRA), .object = &mean_type, .about = "with its error" },
	{ "pass_at", PLAIN(T_ARRAY, FIELD_EXTRA), .each = &try_entry, .about = "when prompts were repeated" },
};

static const char *const interval_names[] = { "tool_use_interval", "success_rate_interval", "objective_pass_interval",
					      "objective_pass_all_interval", "tool_use_all_interval" };
static const char *const times_names[] = { "latency_ms", "ttft_ms", "waited_ms" };

#define PAIR "{\"minItems\":2,\"maxItems\":2}"

static const struct record_type entry_type = {
	.name = "model",
	RECORD_TYPE(entry_fields),
	.about = "the calls of one model at one provider with one thinking_level",
	.schema = "\"allOf\":["
		  "{\"properties\":{\"tool_use_interval\":" PAIR ",\"success_rate_interval\":" PAIR
		  ",\"objective_pass_interval\":" PAIR ",\"objective_pass_all_interval\":" PAIR
		  ",\"tool_use_all_interval\":" PAIR "}},"
		  "{\"$comment\":\"BR037\","
		  "\"if\":{\"properties\":{\"tool_tier\":{\"const\":1}},\"required\":[\"tool_tier\"]},"
		  "\"then\":{\"properties\":{\"recommended_for_subagents\":{\"enum\":[true,null]}}},"
		  "\"else\":{\"properties\":{\"recommended_for_subagents\":{\"enum\":[false,null]}}}}]",
};

static const struct field entry = { "model", PLAIN(T_OBJECT, FIELD_REQUIRED), .object = &entry_type };

static const struct field summary_fields[] = {
	{ "generated_at", T_STRING, FIELD_REQUIRED, CHECK_STAMP, BENCH_GENERATED_AT,
	  .about = "when the summary was written" },
	{ "run_id", NAME, .about = "the run" },
	{ "run_wall_clock_ms", COUNT_OR_NULL, .about = "from the first start to the last end of the run" },
	{ "models", PLAIN(T_ARRAY, FIELD_REQUIRED), .each = &entry, .about = "an entry for each model" },
	{ "n_rows", EXTRA_COUNT, .about = "results that were read" },
	{ "n_lines_skipped", EXTRA_COUNT, .about = "lines that were no results" },
	{ "n_rows_repeated", EXTRA_COUNT, .about = "results that an earlier one is the same as, not counted" },
	{ "percentile_method", PLAIN(T_STRING, FIELD_EXTRA), .about = "how percentiles are computed" },
	{ "percentile_interval_method", PLAIN(T_STRING, FIELD_EXTRA), .about = "and their intervals" },
	{ "interval_method", PLAIN(T_STRING, FIELD_EXTRA), .about = "wilson, clopper-pearson or jeffreys" },
	{ "interval_level", EXTRA_RATE, .about = "of all intervals: 0.95" },
	{ "client_was_bottleneck", PLAIN(T_BOOL, FIELD_EXTRA), .about = "the times are partly the client's own" },
};

static const struct record_type summary_type = {
	.name = "summary",
	RECORD_TYPE(summary_fields),
	.about = "what the results of a benchmark run add up to",
};

/* ---- one entry ---- */

/* *v gets the member, for findings, even when false is returned. */
static bool bench_summary_number_of(struct val object, const char *name, struct val *v, double *out)
{
	*v = val_get(object, str_from(name));
	return val_double(*v, out);
}

/* n_total must be the sum of its parts, when all of them are there; auth errors are among the errors. */
static void bench_summary_check_counts(struct record_scan *s, struct val e)
{
	static const char *const parts[] = { "n_ok", "n_skipped_unavailable", "n_rate_limited", "n_error" };
	struct val total_at, v;
	double total, part, sum = 0, ok, success, error, auth;

	if (bench_summary_number_of(e, "n_success", &v, &success) &&
	    bench_summary_number_of(e, "n_ok", &total_at, &ok) && success > ok)
		record_note(s, BENCH_N_SUCCESS, v, "n_success is %.0f, but n_ok only %.0f", success, ok);
	if (bench_summary_number_of(e, "n_error", &v, &error) &&
	    bench_summary_number_of(e, "n_auth_error", &v, &auth) && auth > error)
		record_note(s, BENCH_N_AUTH, v, "n_auth_error is %.0f, but n_error only %.0f", auth, error);
	for (size_t i = 0; i < COUNT(parts); i++) {
		if (!bench_summary_number_of(e, parts[i], &v, &part))
			return;
		sum += part;
	}
	if (bench_summary_number_of(e, "n_total", &total_at, &total) && total != sum)
		record_note(s, BENCH_TOTAL, total_at, "n_total is %.0f, but its parts add up to %.0f", total, sum);
}

/* Null is right when nothing was ok, and wrong otherwise. Counts that contradict each other were told already. */
static void check_success_rate(struct record_scan *s, struct val e)
{
	struct val rate_at, v;
	double ok, success, rate;

	if (!bench_summary_number_of(e, "n_ok", &v, &ok) ||
	    !bench_summary_number_of(e, "n_success", &v, &success) || success > ok)
		return;
	if (bench_summary_number_of(e, "success_rate_ok", &rate_at, &rate)) {
		if (ok == 0)
			record_note(s, BENCH_SUCCESS_RATE, rate_at, "success_rate_ok is a number, but n_ok is 0");
		else if (fabs(rate - success / ok) > TOLERANCE)
			record_note(s, BENCH_SUCCESS_RATE, rate_at, "success_rate_ok is %g, but n_success / n_ok is %g",
				    rate, success / ok);
	} else if (val_is(rate_at, JSON_NULL) && ok > 0) {
		record_note(s, BENCH_SUCCESS_RATE, rate_at, "success_rate_ok is null, but n_ok is %.0f", ok);
	}
}

/* Each must not be less than the last that is a number; null ones are passed over. */
static void check_percentiles(struct record_scan *s, struct val e, const char *name)
{
	static const char *const order[] = { "p50", "p95", "p99" };
	struct val times = val_get(e, str_from(name)), v;
	double last = 0, now;
	size_t before = 0;
	bool any = false;

	if (!val_is(times, JSON_OBJECT))
		return;
	for (size_t i = 0; i < COUNT(order); i++) {
		if (!bench_summary_number_of(times, order[i], &v, &now))
			continue;
		if (any && now < last)
			record_note(s, BENCH_PERCENTILES, v, "%s: %s is %g, less than %s, %g", name, order[i], now,
				    order[before], last);
		last = now;
		before = i;
		any = true;
	}
}

/* Two numbers that do not go down; what they are of is not known here. */
static void check_interval(struct record_scan *s, struct val e, const char *name)
{
	struct val v = val_get(e, str_from(name)), end;
	struct val_iter it = val_begin(v);
	double low, high;

	if (!val_is(v, JSON_ARRAY))
		return;
	if (val_count(v) != 2)
		record_note(s, BENCH_INTERVAL, v, "%s has %zu numbers, not two", name, val_count(v));
	else if (val_next(&it, &end) && val_double(end, &low) && val_next(&it, &end) && val_double(end, &high) &&
		 low > high)
		record_note(s, BENCH_INTERVAL, v, "%s begins above its end", name);
}

/* Recommended are those of tier 1, and no others. */
static void check_recommended(struct record_scan *s, struct val e)
{
	struct val v = val_get(e, STR("recommended_for_subagents")), tier_at;
	double tier = 0;
	bool first = bench_summary_number_of(e, "tool_tier", &tier_at, &tier) && tier == 1;

	if ((val_is(v, JSON_TRUE) && !first) || (val_is(v, JSON_FALSE) && first))
		record_note(s, BENCH_RECOMMENDED, v, "recommended_for_subagents is %s, but tool_tier is %s",
			    first ? "false" : "true", first ? "1" : "not 1");
}

/* Of the three parts of a group's name. */
static void check_group(struct record_scan *s, struct val e, struct map *groups)
{
	static const char *const parts[] = { "provider", "model", "thinking_level" };
	struct buf key = { 0 };
	bool added = true;

	for (size_t i = 0; i < COUNT(parts); i++) {
		struct val v = val_get(e, str_from(parts[i]));
		struct str text = val_is(v, JSON_STRING) ? val_text(v, s->arena) : STR("");

		/* the length in front: no part can pass for two */
		buf_add(&key, &text.n, sizeof(text.n));
		buf_add_str(&key, text);
	}
	if (val_is(val_get(e, STR("provider")), JSON_STRING) && val_is(val_get(e, STR("model")), JSON_STRING))
		map_add(groups, buf_str(&key), &added);
	buf_free(&key);
	if (!added)
		record_note(s, BENCH_GROUP, e, "an earlier entry has this provider, model and thinking_level");
}

static void check_entry(struct record_scan *s, struct val e, struct map *groups)
{
	bench_summary_check_counts(s, e);
	check_success_rate(s, e);
	for (size_t i = 0; i < COUNT(times_names); i++)
		check_percentiles(s, e, times_names[i]);
	for (size_t i = 0; i < COUNT(interval_names); i++)
		check_interval(s, e, interval_names[i]);
	check_recommended(s, e);
	check_group(s, e, groups);
}

/* Entries are checked one by one; only their groups are compared with each other. */
static void bench_summary_check_summary(struct record_scan *s, struct val root, void *fact)
{
	uint32_t at[COUNT(summary_fields)];
	struct map groups;

	(void)fact;
	if (!record_check_object(s, root, &summary_type, at))
		return;
	map_init(&groups, s->arena);
	VALUES_EACH(e, val_get(root, STR("models")))
		if (val_is(e, JSON_OBJECT))
			check_entry(s, e, &groups);
}

/* ---- the format ---- */

static bool is_entry(struct val v)
{
	return val_has(v, STR("provider")) && val_has(v, STR("model")) && val_has(v, STR("n_total"));
}

/*
 * Other programs, and agent-trace, write a summary.json too: ours is known by the entries of its models.
 * A bare array of entries is not the format, but is taken for it, so that the finding can say so.
 */
static int bench_summary_fits(struct val v)
{
	struct val models = val_is(v, JSON_ARRAY) ? v : val_get(v, STR("models")), first = values_first(models);

	if (!val_is(models, JSON_ARRAY))
		return 0;
	if (is_entry(first))
		return val_is(v, JSON_ARRAY) ? 60 : 100;
	return val_is_none(first) && val_has(v, STR("run_wall_clock_ms")) ? 80 : 0;
}

static const struct record_format format = {
	BENCH_DOCUMENT,
	.on_secret = RECORD_NO_RULE,
	.check = bench_summary_check_summary,
};

static const struct record_type *const roots[] = { &summary_type, NULL };

const struct dialect summary_dialect = {
	.name = "summary",
	.title = "the summary of a benchmark run, one entry per model",
	.file = "summary.json",
	.unit = "summary",
	.forms = DIALECT_DOCUMENT,
	.rules = bench_rules,
	.fits = bench_summary_fits,
	.mark = "\"run_wall_clock_ms\"",
	DIALECT_RECORDS(format, roots),
};
