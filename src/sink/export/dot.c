/*
 * A run as a graph for Graphviz: a box for each node, an arrow from each parent, a cluster for each sub-agent. Nodes
 * are in the order of the trace, so that two drawings can be compared line by line.
 */
#include "sink/export/private.h"

struct dot {
	struct export *x;
	const struct trace *run;
	size_t number;  /* of the run */
	bool is_one;    /* of one run: ids stand as they are */
	const char *indent;
};

/* An attribute's text. Graphviz knows entities, and escapes such as \N for the name of the node. */
static void dot_add_text(struct buf *out, struct str text)
{
	struct export_chars chars = export_chars_of(text);
	struct str c;

	while ((c = export_next_char(&chars)).p) {
		if (c.p[0] == '"' || c.p[0] == '\\')
			buf_add_byte(out, '\\');
		buf_add_str(out, c.p[0] == '&' ? STR("&amp;") : c);
	}
}

/*
 * The name of a node, in quotes. An id that is long, odd, or that another node has too gives way to the node's place,
 * behind as many # as make it the id of no other.
 */
static void dot_add_id(struct dot *d, uint32_t place)
{
	struct buf *out = &d->x->out;
	struct str id = d->run->nodes[place].row.id, name;
	const uint64_t *first = map_find(&d->run->places, id);

	buf_add_byte(out, '"');
	if (!d->is_one)
		buf_printf(out, "%zu/", d->number + 1);
	if (first && *first == place + 1 && export_is_plain(id)) {
		for (size_t i = 0; i < id.n; i++) {
			if (id.p[i] == '"' || id.p[i] == '\\')
				buf_add_byte(out, '\\');
			buf_add_byte(out, id.p[i]);
		}
	} else {
		name = arena_printf(d->x->arena, "#%u", place + 1);
		while (map_find(&d->run->places, name))
			name = ARENA_JOIN(d->x->arena, STR("#"), name);
		buf_add_str(out, name);
	}
	buf_add_byte(out, '"');
}

static void dot_add_node(struct dot *d, uint32_t place)
{
	static const char *const shapes[AT_KINDS] = {
		[AT_MODEL_CALL] = "box", [AT_TOOL_CALL] = "component", [AT_BRANCH] = "diamond",
		[AT_RETRY] = "octagon", [AT_USER_INPUT] = "oval", [AT_SYSTEM] = "note",
	};
	const struct trace_entry *e = &d->run->nodes[place];
	struct buf *out = &d->x->out;
	size_t before;

	buf_add_str(out, str_from(d->indent));
	dot_add_id(d, place);
	buf_printf(out, " [shape=%s,label=\"", shapes[e->row.kind]);
	dot_add_text(out, export_label_of(e));
	before = out->n;
	buf_add_str(out, STR("\\n"));
	export_add_tokens(out, e);
	if (out->n == before + 2)
		out->n = before;
	buf_printf(out, "\"%s];\n", e->row.failed ? ",color=red" : "");
}

static bool dot_write_nodes(struct dot *d, const struct export_agents *g, size_t agent, struct err *err)
{
	for (uint32_t at = g->first[agent]; at; at = g->next[at - 1]) {
		dot_add_node(d, at - 1);
		if (!export_drain(d->x, err))
			return false;
	}
	return true;
}

/* The nodes of the agent itself, then a cluster for each sub-agent. */
static bool dot_write_agents(struct dot *d, struct err *err)
{
	struct export_agents g;
	const char *outer = d->indent;
	struct buf *out = &d->x->out;

	export_agents_of(d->x->arena, d->run, &g);
	if (!dot_write_nodes(d, &g, 0, err))
		return false;
	for (size_t i = 1; i < g.count; i++) {
		buf_printf(out, "%ssubgraph \"cluster_%zu_%zu\" {\n%s  label=\"", outer, d->number + 1, i, outer);
		dot_add_text(out, g.names[i]);
		buf_add_str(out, STR("\";\n"));
		d->indent = d->is_one ? "    " : "      ";
		if (!dot_write_nodes(d, &g, i, err))
			return false;
		d->indent = outer;
		buf_printf(out, "%s}\n", outer);
	}
	return true;
}

static bool dot_write_edges(struct dot *d, struct err *err)
{
	struct buf *out = &d->x->out;

	for (uint32_t i = 0; i < d->run->count; i++) {
		for (uint32_t k = 0; k < d->run->nodes[i].parent_count; k++) {
			uint32_t parent = d->run->parents[i][k];

			losses_note(d->x->losses, parent == TRACE_NOWHERE, EXPORT_NO_PARENT);
			if (parent == TRACE_NOWHERE)
				continue;
			buf_add_str(out, str_from(d->indent));
			dot_add_id(d, parent);
			buf_add_str(out, STR(" -> "));
			dot_add_id(d, i);
			buf_add_str(out, STR(";\n"));
		}
		if (!export_drain(d->x, err))
			return false;
	}
	return true;
}

bool export_dot(struct export *x, const struct trace_list *runs, struct err *err)
{
	bool is_one = runs->count == 1;

	buf_add_str(&x->out, STR("digraph run {\n  rankdir=LR; node [fontname=\"Helvetica\",fontsize=10];\n"));
	for (size_t i = 0; i < runs->count; i++) {
		struct dot d = {
			.x = x, .run = &runs->items[i], .number = i, .is_one = is_one, .indent = is_one ? "  " : "    ",
		};

		if (!is_one) {
			buf_printf(&x->out, "  subgraph \"cluster_%zu\" {\n    label=\"", i + 1);
			dot_add_text(&x->out, export_title_of(x, d.run, i));
			buf_add_str(&x->out, STR("\";\n"));
		}
		if (!dot_write_agents(&d, err) || !dot_write_edges(&d, err))
			return false;
		if (!is_one)
			buf_add_str(&x->out, STR("  }\n"));
	}
	buf_add_str(&x->out, STR("}\n"));
	return export_flush(x, err);
}
