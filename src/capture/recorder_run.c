/* What belongs to one run of a recorder, and nothing of what passes. */
#include "capture/recorder_run.h"

#include "capture/amend.h"

void recorder_run_add(struct recorder_run *r, struct line_file *file, struct str line)
{
	line_file_add(file, line);
	r->dirty = true;
}

static void add_line(void *context, struct str line)
{
	struct recorder_run *r = context;

	recorder_run_add(r, r->o.trace, line);
}

/* What cannot be written is the trace's failure, and the old lines stay. */
static void amend_lines(void *context, const struct amendments *a)
{
	struct recorder_run *r = context;
	struct err err;

	if (line_file_flush(r->o.trace) && !amend_trace(r->o.trace, a, &err) && r->o.trace->failure.kind == ERR_NONE)
		r->o.trace->failure = err;
}

static bool was_measured(void *context, int64_t from_ns, int64_t to_ns)
{
	struct recorder_run *r = context;

	return r->o.measured(r->o.measured_context, from_ns, to_ns);
}

static void add_to_cassette(struct recorder_run *r, struct buf *line)
{
	recorder_run_add(r, r->o.cassette, buf_str(line));
	buf_free(line);
}

void recorder_run_init(struct recorder_run *r, const struct recorder_run_options *o)
{
	struct run_graph_options g = o->run_graph;
	struct buf line;

	*r = (struct recorder_run){ .o = *o, .last_ns = o->begun_ns };
	g.line = add_line;
	g.amend = amend_lines;
	g.measured = o->measured ? was_measured : NULL;
	g.context = r;
	r->graph = run_graph_open(&g, o->begun_ns);
	if (!o->cassette)
		return;
	buf_init(&line);
	cassette_add_head(&line, o->run_id, o->begun_ns, o->forked_from);
	add_to_cassette(r, &line);
}

bool recorder_run_flush(struct recorder_run *r)
{
	bool done = line_file_flush(r->o.trace);

	if (r->o.cassette)
		done = line_file_flush(r->o.cassette) && done;
	r->dirty = !done;
	if (line_file_take_gap(r->o.trace))
		run_graph_gap(r->graph, 0);
	return !r->dirty;
}

void recorder_run_finish(struct recorder_run *r, const struct cassette_end *end, struct str *summary)
{
	struct buf line;

	run_graph_finish(r->graph, end->exit_status, end->error, end->ended_ns, summary);
	if (r->o.cassette) {
		buf_init(&line);
		cassette_add_end(&line, end);
		add_to_cassette(r, &line);
	}
	recorder_run_flush(r);
}

struct run_graph_tally recorder_run_tally(const struct recorder_run *r)
{
	return *run_graph_tally(r->graph);
}

const struct price_gaps *recorder_run_unpriced(const struct recorder_run *r)
{
	return run_graph_unpriced(r->graph);
}

uint64_t recorder_run_gaps(const struct recorder_run *r)
{
	return r->gaps;
}

uint64_t recorder_run_crowded(const struct recorder_run *r)
{
	return r->crowded;
}

void recorder_run_free(struct recorder_run *r)
{
	run_graph_close(r->graph);
	r->graph = NULL;
}
