/*
 * The nodes of a trace as text, and the order they are written in: that of their ends, as far as the last few go. A
 * log tells an answer as a whole, though the calls in it may have been over before its last word.
 */
#include <math.h>
#include <stdio.h>

#include "dialect/agent_trace/trace_line.h"
#include "dialect/agent_trace/write_private.h"
#include "dialect/reading/result_kind.h"
#include "model/words.h"

bool at_is_timed(struct moment m)
{
	return m.source == MOMENT_VENDOR || m.source == MOMENT_DERIVED;
}

bool at_is_length(struct amount a)
{
	return amount_is_known(a) && isfinite(a.n) && a.n >= 0 && a.n < 1e15;
}

void at_end_node(struct at_trace *t, struct json_writer *j, int64_t to_us)
{
	json_write_end_object(j);
	buf_add_byte(j->out, '\n');
	waiting_add(&t->waiting, t->w->out, j->out, to_us);
}

/* ---- nodes ---- */

struct id at_new_id(struct at_trace *t, enum at_kind kind, int64_t us)
{
	char name[48];
	int n = snprintf(name, sizeof(name), "%s/%llu", agent_trace_kinds[kind].p, (unsigned long long)++t->nodes);

	return writing_node_id(t->run, str_of(name, (size_t)n), us > 0 ? us * 1000 : 0);
}

static struct trace_line agent_trace_node_line_of(struct at_trace *t)
{
	return (struct trace_line){
		.scratch = &t->arena,
		.trace_id = buf_str(&t->trace_id),
		.framework = t->framework,
	};
}

void at_begin_node(struct at_trace *t, struct json_writer *j, struct buf *out, const struct trace_node *n, bool dated)
{
	struct trace_line line = agent_trace_node_line_of(t);

	trace_line_begin_node(j, out, &line, n);
	t->sums.counts[n->kind]++;
	if (dated)
		at_sum_time(&t->sums, n->from_us < n->to_us ? n->from_us : n->to_us, n->to_us);
}

/* ---- model calls ---- */

static struct str or_run(struct str own, const struct buf *of_run)
{
	return own.p ? own : of_run->n ? buf_str(of_run) : own;
}

void at_write_model_call(struct at_trace *t, struct json_writer *j, const struct event *e, struct at_length latency,
			 bool failed)
{
	struct trace_line line = agent_trace_node_line_of(t);

	trace_line_begin_model(j, &line,
			       &(struct trace_model){
				       .endpoint = e->endpoint,
				       .model = or_run(e->model, &t->model),
				       .request_id = e->request_id,
				       .response_id = e->response_id,
				       .usage = e->usage,
				       .latency = latency.seconds,
				       .latency_inferred = latency.inferred,
				       .ttft = at_is_length(e->ttft_ms) ? e->ttft_ms.n / 1000 : -1,
				       .ttfb = -1,
				       .ttfc = -1,
				       .tool_choice = e->tool_choice.p ? words_tool_choice(e->tool_choice) : NULL,
				       .stop_reason = failed             ? "error"
						      : e->stop_reason.p ? words_stop_reason(e->stop_reason)
									 : NULL,
				       .refused = !failed && words_is_refusal(e->stop_reason),
				       .stream = (e->flags & EVENT_STREAM) != 0,
				       .partial = (e->flags & EVENT_PARTIAL) != 0,
				       .stream_unknown = !(e->flags & (EVENT_STREAM | EVENT_NO_STREAM)),
			       });
}

void at_add_usd(struct amount *sum, struct amount more)
{
	if (!amount_is_known(more))
		return;
	if (!amount_is_known(*sum))
		*sum = AMOUNT(0);
	sum->n += more.n;
	if (more.source == FIGURE_ESTIMATED)
		sum->source = FIGURE_ESTIMATED;
}

void at_write_usd(struct at_trace *t, struct json_writer *j, struct amount usd)
{
	struct trace_line line = agent_trace_node_line_of(t);

	trace_line_write_usd(j, &line, usd);
}

/* ---- tool calls ---- */

void at_write_tool_call(struct at_trace *t, struct json_writer *j, const struct dag_call *c, const struct at_finish *f,
			int64_t to)
{
	const struct event *e = f->e;
	bool known = f->result && at_is_length(e->duration_ms);
	bool derived = !known && f->result && c->timed && at_is_timed(e->ts) && to >= c->start_us;
	bool told = at_is_length(e->stall_ms), mcp = c->mcp && (known || derived);
	struct trace_line line = agent_trace_node_line_of(t);
	struct trace_tool tool = {
		.name = c->name,
		.call = c->call,
		.wall = known ? e->duration_ms.n / 1000 : derived ? (double)(to - c->start_us) / 1e6 : 0,
		.result_kind = f->result ? result_kind(t->parser, &t->arena, e) : NULL,
		.external = c->external,
		.partial = !f->result,
		.wall_source = known ? NULL : derived ? "timestamps" : "unknown",
	};

	if (f->result && e->content.p)
		tool.size = FIGURE(writing_plain(&t->arena, e->content).n);
	tool.stall = told ? e->stall_ms.n / 1000 : mcp ? tool.wall : -1;
	if (told || mcp) {
		t->sums.stall += tool.stall;
		t->sums.stalls++;
	}
	trace_line_write_tool(j, &line, &tool);
}
