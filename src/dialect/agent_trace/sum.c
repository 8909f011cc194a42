/* The summary of a trace: sums over the nodes that were written. */
#include "dialect/agent_trace/trace_line.h"
#include "dialect/agent_trace/write_private.h"

int64_t at_us(int64_t ns)
{
	return ns / 1000 - (ns % 1000 < 0);
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
static void agent_trace_sum_add_tokens(int64_t *sum, struct figure f)
{
	int64_t more = f.n < INT64_MAX ? (int64_t)f.n : INT64_MAX;

	if (figure_is_known(f) && __builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

void at_sum_tokens(struct at_sums *s, const struct usage *u)
{
	agent_trace_sum_add_tokens(&s->input, u->input);
	agent_trace_sum_add_tokens(&s->output, u->output);
}

static struct str write_version(struct at_trace *t, struct buf *text)
{
	struct json_writer j;

	json_write_init(&j, text, JSON_COMPACT);
	json_write_begin_object(&j);
	if (t->version.n) {
		json_write_key(&j, t->framework);
		json_write_string(&j, buf_str(&t->version));
	}
	json_write_end_object(&j);
	return buf_str(text);
}

void at_write_summary(struct at_trace *t)
{
	static const char *const words[] = {
		[STATUS_UNKNOWN] = "interrupted",
		[STATUS_SUCCESS] = "success",
		[STATUS_ERROR] = "error",
		[STATUS_INTERRUPTED] = "interrupted",
	};
	const struct at_sums *s = &t->sums;
	struct trace_line line = {
		.scratch = &t->arena,
		.trace_id = buf_str(&t->trace_id),
		.framework = t->framework,
	};
	struct trace_summary sum = {
		.from_us = s->from_us,
		.to_us = s->to_us,
		.digits = 6,
		.input = s->input,
		.output = s->output,
		.stall = s->stall,
		.stalls = s->stalls,
		.exit_status = words[t->status],
		.usd = money_total(&s->money),
	};

	memcpy(sum.counts, s->counts, sizeof(sum.counts));
	if (t->status == STATUS_ERROR)
		sum.error = STR("the run ended with an error");
	buf_clear(&t->line);
	sum.framework_version = write_version(t, &t->line);
	trace_line_add_summary(t->w->out, &line, &sum);
	buf_clear(&t->line);
}
