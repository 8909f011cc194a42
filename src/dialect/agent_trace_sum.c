/* The summary of a trace: sums over the nodes that were written. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "dialect/agent_trace_write.h"

int64_t at_us(int64_t ns)
{
	return ns / 1000 - (ns % 1000 < 0);
}

void at_write_id(struct json_writer *j, struct id id)
{
	char text[ID_UUID_TEXT];

	id_format_uuid(text, id);
	json_write_string(j, str_of(text, sizeof(text)));
}

static void write_micros(struct json_writer *j, int64_t us)
{
	uint64_t n = us < 0 ? 0 - (uint64_t)us : (uint64_t)us;
	char text[48];
	int length = snprintf(text, sizeof(text), "%s%" PRIu64 ".%06" PRIu64, us < 0 ? "-" : "", n / 1000000,
			      n % 1000000);

	json_write_raw(j, str_of(text, (size_t)length));
}

void at_write_time(struct json_writer *j, int64_t us)
{
	write_micros(j, us);
}

void at_sum_time(struct at_sums *s, int64_t from_us, int64_t to_us)
{
	if (!s->has_from || from_us < s->from_us)
		s->from_us = from_us;
	if (!s->has_to || to_us > s->to_us)
		s->to_us = to_us;
	s->has_from = s->has_to = true;
}

/* Sums stay where they are rather than turn negative. */
static void add_tokens(int64_t *sum, struct figure f)
{
	int64_t more = f.n < INT64_MAX ? (int64_t)f.n : INT64_MAX;

	if (figure_is_known(f) && __builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

void at_sum_tokens(struct at_sums *s, const struct usage *u)
{
	add_tokens(&s->input, u->input);
	add_tokens(&s->output, u->output);
}

static void write_stamp(struct json_writer *j, int64_t us)
{
	int64_t seconds = us / 1000000 - (us % 1000000 < 0);
	char text[36];
	size_t n = stamp_format(text, seconds, (uint32_t)(us - seconds * 1000000) * 1000, 6);

	json_write_string(j, str_of(text, n));
}

static void write_stalls(struct json_writer *j, const struct at_sums *s, int64_t total_us)
{
	double total = (double)total_us / 1e6;

	json_write_key(j, STR("tool_stall_total_seconds"));
	json_write_double(j, s->stall);
	json_write_key(j, STR("tool_stall_pct"));
	if (total_us <= 0)
		json_write_double(j, 0);
	else if (s->stall > total)
		json_write_null(j); /* calls that waited side by side: no share of the time */
	else
		json_write_double(j, s->stall / total);
}

static void write_counts(struct json_writer *j, const struct at_sums *s)
{
	json_write_key(j, STR("node_counts"));
	json_write_begin_object(j);
	for (unsigned i = 0; i < AT_KINDS; i++) {
		if (s->counts[i] == 0)
			continue;
		json_write_key(j, agent_trace_kinds[i]);
		json_write_u64(j, s->counts[i]);
	}
	json_write_end_object(j);
	json_write_key(j, STR("total_tokens"));
	json_write_begin_object(j);
	json_write_key(j, STR("input"));
	json_write_i64(j, s->input);
	json_write_key(j, STR("output"));
	json_write_i64(j, s->output);
	json_write_end_object(j);
}

static void write_end(struct json_writer *j, const struct at_trace *t)
{
	static const char *const words[] = {
		[STATUS_UNKNOWN] = "success",
		[STATUS_SUCCESS] = "success",
		[STATUS_ERROR] = "error",
		[STATUS_INTERRUPTED] = "interrupted",
	};

	json_write_key(j, STR("exit_status"));
	json_write_string(j, str_from(words[t->status]));
	json_write_key(j, STR("error_message"));
	if (t->status == STATUS_ERROR)
		json_write_string(j, STR("the run ended with an error"));
	else
		json_write_null(j);
	json_write_key(j, STR("framework_version"));
	json_write_begin_object(j);
	json_write_key(j, t->framework);
	json_write_string(j, t->version.n ? buf_str(&t->version) : STR("unknown"));
	json_write_end_object(j);
	json_write_key(j, STR("rig_label"));
	json_write_null(j);
	json_write_key(j, STR("engine"));
	json_write_null(j);
	json_write_key(j, STR("redaction"));
	json_write_begin_object(j);
	json_write_key(j, STR("prompts_redacted"));
	json_write_bool(j, true);
	json_write_key(j, STR("tool_args_redacted"));
	json_write_bool(j, true);
	json_write_end_object(j);
	if (t->sums.has_usd && isfinite(t->sums.usd)) {
		json_write_key(j, STR("estimated_cost_usd"));
		json_write_double(j, t->sums.usd);
	}
}

void at_write_summary(struct at_trace *t)
{
	const struct at_sums *s = &t->sums;
	struct json_writer j;

	json_write_init(&j, t->w->out, JSON_COMPACT);
	json_write_begin_object(&j);
	json_write_key(&j, STR("schema_version"));
	json_write_string(&j, STR("agent-trace/v1"));
	json_write_key(&j, STR("event_type"));
	json_write_string(&j, STR("summary"));
	json_write_key(&j, STR("trace_id"));
	json_write_string(&j, buf_str(&t->trace_id));
	json_write_key(&j, STR("started_at"));
	write_stamp(&j, s->from_us);
	json_write_key(&j, STR("completed_at"));
	write_stamp(&j, s->to_us);
	json_write_key(&j, STR("total_seconds"));
	write_micros(&j, s->to_us - s->from_us);
	write_counts(&j, s);
	write_stalls(&j, s, s->to_us - s->from_us);
	write_end(&j, t);
	json_write_end_object(&j);
	buf_add_byte(t->w->out, '\n');
}
