/* What lies between the events of a trace: ids, parents, order, totals. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dialect/agent_trace/agent_trace.h"
#include "dialect/reading/seconds.h"

#define AHEAD 16 /* events whose ids are fetched before they are needed */

void agent_trace_fold_begin(struct record_fold *f)
{
	struct at_fold *t = f->state;

	nodes_init(&t->nodes, 0);
}

void agent_trace_fold_end(struct record_fold *f)
{
	nodes_free(&((struct at_fold *)f->state)->nodes);
}

/* ---- findings about lines that may be gone ---- */

/* The length of the scalar that begins at a byte of a line; a string's text begins after its quote. */
static size_t span_at(struct str text, size_t at)
{
	bool string = at > 0 && text.p[at - 1] == '"';
	size_t end = at;

	while (end < text.n && text.p[end] != '"' && (string || !strchr(",}]", text.p[end])))
		end++;
	return end > at ? end - at : 1;
}

/* A finding about a spot. When its line is no longer in memory, only its number and offset are given. */
__attribute__((format(printf, 5, 6))) static void agent_trace_fold_note(struct record_fold *f, unsigned rule,
									struct at_spot spot, struct str pointer,
									const char *format, ...)
{
	const struct record_place *place = record_fold_place(f, spot.line);
	struct record_place gone = { .line = spot.line, .offset = spot.offset + spot.at };
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	record_fold_note(f, rule, place ? place : &gone, place ? spot.at : 0,
			 place && spot.at ? span_at(place->text, spot.at) : 1, pointer, "%s", text);
}

/* The finding stands at the first line of those that are shown. */
static void tell_cycle(void *context, const uint32_t *lines, size_t shown, size_t length)
{
	struct at_spot spot = { .line = lines[0] };
	char text[200];
	size_t n = 0;

	for (size_t i = 0; i < shown; i++) {
		if (lines[i] < spot.line)
			spot.line = lines[i];
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRIu32, i ? ", " : "", lines[i]);
	}
	agent_trace_fold_note(context, AT104, spot, STR(""), "the nodes of lines %s%s are each other's ancestors",
			      text, length > shown ? ", ..." : "");
}

/* ---- nodes ---- */

/* What a node names that cannot be told from others itself: no id, or one that was there before. */
static void add_references(struct at_fold *t, const struct at_fact *fact, const struct record_place *place)
{
	for (uint32_t i = 0; i < fact->parent_count; i++)
		nodes_add_reference(&t->nodes, NODE_PARENT, &fact->parents[i], place->line, place->offset);
	for (uint32_t i = 0; i < fact->sibling_count; i++)
		nodes_add_reference(&t->nodes, NODE_SIBLING, &fact->siblings[i], place->line, place->offset);
}

/* Adds the ids of a node that has one of its own, and searches for cycles as soon as no parent is awaited. */
static void agent_trace_fold_add_ids(struct record_fold *f, const struct at_fact *fact,
				     const struct record_place *place)
{
	struct at_fold *t = f->state;
	bool own_parent;

	switch (nodes_add(&t->nodes, fact->id, place->line, place->offset, fact->parents, fact->parent_count,
			  &own_parent)) {
	case NODE_NEW:
		break;
	case NODE_AGAIN:
		add_references(t, fact, place);
		record_fold_note(f, AT102, place, fact->id_at - 1, 1, STR("/node_id"),
				 "an earlier node has the same node_id");
		break;
	case NODE_BEYOND:
		if (!t->said_beyond)
			record_fold_note(f, AT117, place, 0, 1, STR(""),
					 "there are more than %" PRIu64 " ids: from here on they are not followed",
					 t->nodes.limit);
		t->said_beyond = true;
		break;
	}
	if (own_parent)
		record_fold_note(f, AT104, place, fact->id_at - 1, 1, STR("/parent_node_ids"),
				 "the node is its own parent");
	for (uint32_t i = 0; i < fact->sibling_count; i++)
		nodes_add_reference(&t->nodes, NODE_SIBLING, &fact->siblings[i], place->line, place->offset);
	if (nodes_is_settled(&t->nodes))
		nodes_find_cycles(&t->nodes, tell_cycle, f);
}

/* Sums stay where they are rather than turn negative. */
static void agent_trace_fold_add_up(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

/* Adds a node to the sums that a summary must agree with, and to the order of ends. */
static void agent_trace_fold_add_node(struct record_fold *f, const struct at_fact *fact,
				      const struct record_place *place)
{
	struct at_fold *t = f->state;

	t->nodes_seen++;
	t->failed = fact->flags & AT_FAILED;
	if (fact->flags & AT_HAS_KIND)
		t->counts[fact->kind]++;
	else
		t->other_count++;
	agent_trace_fold_add_up(&t->input, fact->input);
	agent_trace_fold_add_up(&t->output, fact->output);
	agent_trace_fold_add_up(&t->stall_ns, fact->stall_ns);
	if (fact->flags & AT_HAS_END) {
		if (t->has_end && fact->end_us < t->last_end)
			record_fold_note(f, AT114, place, fact->end_at, 1, STR("/timestamp_end"),
					 "the node ended %.6f s before the one above it",
					 ((double)t->last_end - (double)fact->end_us) / 1e6);
		t->max_end = !t->has_end || fact->end_us > t->max_end ? fact->end_us : t->max_end;
		t->last_end = fact->end_us;
		t->has_end = true;
	}
	if (fact->flags & AT_HAS_ID)
		agent_trace_fold_add_ids(f, fact, place);
	else
		add_references(t, fact, place);
}

/* ---- events ---- */

/* The first event that has a trace_id sets it; others must have the same. */
static void check_trace(struct record_fold *f, const struct at_fact *fact, const struct record_place *place)
{
	struct at_fold *t = f->state;

	if (!(fact->flags & AT_HAS_TRACE))
		return;
	if (!t->has_trace)
		t->trace = fact->trace;
	else if (t->trace.a != fact->trace.a || t->trace.b != fact->trace.b)
		record_fold_note(f, AT101, place, fact->trace_at - 1, 1, STR("/trace_id"),
				 "trace_id differs from that of the first event");
	t->has_trace = true;
}

/* The first summary counts; others are findings. */
static void add_summary(struct record_fold *f, const struct at_fact *fact, const struct record_place *place)
{
	struct at_fold *t = f->state;

	if (t->summary_line) {
		record_fold_note(f, AT105, place, 0, 1, STR(""), "line %" PRIu64 " has a summary already",
				 t->summary_line);
		return;
	}
	t->summary_line = place->line;
	t->summary = *fact->summary;
	t->summary_spot = (struct at_spot){ .line = place->line, .offset = place->offset };
}

/* A node behind the summary is told once, and still counts. */
static void add_event(struct record_fold *f, const struct at_fact *fact, const struct record_place *place)
{
	struct at_fold *t = f->state;

	check_trace(f, fact, place);
	if (fact->flags & AT_IS_SUMMARY)
		add_summary(f, fact, place);
	if (!(fact->flags & AT_IS_NODE))
		return;
	if (t->summary_line && !t->said_after)
		record_fold_note(f, AT106, place, 0, 1, STR(""), "a node follows the summary of line %" PRIu64,
				 t->summary_line);
	t->said_after = t->summary_line != 0;
	agent_trace_fold_add_node(f, fact, place);
}

void agent_trace_fold_add(struct record_fold *f, const struct record_batch *b)
{
	struct at_fold *t = f->state;
	const struct at_fact *facts = (const struct at_fact *)(const void *)b->facts.p;
	size_t count = record_batch_count(b);

	t->alone = b->document;
	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			nodes_prefetch(&t->nodes, facts[i + AHEAD].id);
		add_event(f, &facts[i], record_batch_place(b, i));
	}
}

/* ---- the end ---- */

/* Where a number of the summary stands. */
static struct at_spot spot_of_total(const struct at_fold *t, struct at_number at)
{
	struct at_spot spot = t->summary_spot;

	spot.at = at.at;
	return spot;
}

/* All kinds that disagree are one finding. Kinds that a summary leaves out count as 0. */
static void agent_trace_fold_check_counts(struct record_fold *f)
{
	struct at_fold *t = f->state;
	char text[300];
	size_t n = 0;

	for (unsigned i = 0; i < AT_KINDS; i++) {
		int64_t said = t->summary.counts[i], seen = (int64_t)t->counts[i];

		if (said == seen || (said < 0 && seen == 0))
			continue;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s ", n ? "; " : "", agent_trace_kinds[i].p);
		if (said < 0)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "is missing, nodes %" PRId64, seen);
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%" PRId64 ", nodes %" PRId64, said, seen);
	}
	if (t->summary.other_count > (int64_t)t->other_count)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRId64 " of other kinds, nodes %" PRIu64,
				      n ? "; " : "", t->summary.other_count, t->other_count);
	if (n && t->summary.counts_at.at)
		agent_trace_fold_note(f, AT108, spot_of_total(t, t->summary.counts_at), STR("/node_counts"),
				      "node_counts disagrees with the nodes: %s", text);
}

static void check_tokens(struct record_fold *f, const char *name, struct at_number said, int64_t seen)
{
	char pointer[40];
	size_t n = (size_t)snprintf(pointer, sizeof(pointer), "/total_tokens/%s", name);

	if (said.at && said.value != seen)
		agent_trace_fold_note(f, AT109, spot_of_total(f->state, said), str_of(pointer, n),
				      "total_tokens.%s is %" PRId64 ", but the model calls add up to %" PRId64, name,
				      said.value, seen);
}

/*
 * Holds the summary against the nodes. Values that are absent or wrong have been told by the scan, and are not
 * compared.
 */
static void check_totals(struct record_fold *f)
{
	struct at_fold *t = f->state;
	const struct at_summary *s = &t->summary;

	agent_trace_fold_check_counts(f);
	check_tokens(f, "input", s->input, t->input);
	check_tokens(f, "output", s->output, t->output);
	if (s->stall.at && !seconds_agree((double)s->stall.value / 1e9, (double)t->stall_ns / 1e9))
		agent_trace_fold_note(f, AT110, spot_of_total(t, s->stall), STR("/tool_stall_total_seconds"),
				      "tool_stall_total_seconds is %.6g, but the tool calls add up to %.6g",
				      (double)s->stall.value / 1e9, (double)t->stall_ns / 1e9);
	if (s->completed.at && t->has_end && t->max_end > s->completed.value)
		agent_trace_fold_note(f, AT112, spot_of_total(t, s->completed), STR("/completed_at"),
				      "completed_at is %.6f s before the end of the last node",
				      ((double)t->max_end - (double)s->completed.value) / 1e6);
}

/* Ids that somebody named and no node has: AT103 for parents, AT116 for siblings. */
static void note_wants(struct record_fold *f)
{
	struct at_fold *t = f->state;
	const struct node_want *w;
	size_t at = 0;

	while ((w = nodes_next_want(&t->nodes, &at))) {
		struct at_spot spot = { w->line, w->offset, w->at };
		char pointer[48];
		size_t n = (size_t)snprintf(pointer, sizeof(pointer), "%s/%" PRIu32,
					    w->kind == NODE_PARENT ? "/parent_node_ids" : "/branch/siblings", w->index);

		agent_trace_fold_note(f, w->kind == NODE_PARENT ? AT103 : AT116, spot, str_of(pointer, n),
				      "no node in this file has this %s id",
				      w->kind == NODE_PARENT ? "parent" : "sibling");
	}
}

void agent_trace_fold_finish(struct record_fold *f)
{
	struct at_fold *t = f->state;

	nodes_find_cycles(&t->nodes, tell_cycle, f);
	note_wants(f);
	if (t->summary_line) {
		if (!t->alone) /* the nodes are elsewhere */
			check_totals(f);
	} else if (t->nodes_seen) {
		record_fold_note(f, AT107, NULL, 0, 0, STR(""), "the trace has no summary: %s",
				 t->failed ? "the run ended with a failed call" : "the run was interrupted");
		f->tally->interrupted = true;
	}
}
