/*
 * A run as a flowchart for Markdown. Renderers stop at 500 edges and 50 000 characters, and hosts often sooner, so a
 * larger graph is refused before anything is written: half a graph would mislead, and dot draws graphs of any size.
 */
#include "base/utf8.h"
#include "sink/export/private.h"

#define MERMAID_EDGES 400
#define MERMAID_TEXT 50000 /* characters */

struct mermaid {
	struct export *x;
	uint64_t edges;
	size_t before; /* nodes of the runs before: ids count on */
};

/* A label: whatever could end it, or mean something in it, is written by number. */
static void mermaid_add_text(struct buf *out, struct str text)
{
	struct export_chars chars = export_chars_of(text);
	struct str c;

	while ((c = export_next_char(&chars)).p) {
		if (c.p[0] == '"')
			buf_add_str(out, STR("#quot;"));
		else if (c.n == 1 && memchr("#&<>%`\\;", c.p[0], 8))
			buf_printf(out, "#%d;", c.p[0]);
		else
			buf_add_str(out, c);
	}
}

static void mermaid_add_node(struct mermaid *m, const struct trace *t, uint32_t place)
{
	static const char *const open[AT_KINDS] = {
		[AT_MODEL_CALL] = "[", [AT_TOOL_CALL] = "[[", [AT_BRANCH] = "{",
		[AT_RETRY] = "{{", [AT_USER_INPUT] = "([", [AT_SYSTEM] = "[/",
	};
	static const char *const shut[AT_KINDS] = {
		[AT_MODEL_CALL] = "]", [AT_TOOL_CALL] = "]]", [AT_BRANCH] = "}",
		[AT_RETRY] = "}}", [AT_USER_INPUT] = "])", [AT_SYSTEM] = "/]",
	};
	const struct trace_entry *e = &t->nodes[place];
	struct buf *out = &m->x->out;
	size_t before;

	buf_printf(out, "  n%zu%s\"", m->before + place, open[e->row.kind]);
	mermaid_add_text(out, export_label_of(e));
	before = out->n;
	buf_add_str(out, STR("<br/>"));
	export_add_tokens(out, e);
	if (out->n == before + 5)
		out->n = before;
	buf_printf(out, "\"%s%s\n", shut[e->row.kind], e->row.failed ? ":::failed" : "");
}

/* The nodes of the agent itself, then a subgraph for each sub-agent. */
static void mermaid_add_nodes(struct mermaid *m, const struct trace *t)
{
	struct export_agents g;

	export_agents_of(m->x->arena, t, &g);
	for (size_t i = 0; i < g.count; i++) {
		if (i) {
			buf_printf(&m->x->out, "  subgraph a%zu_%zu[\"", m->before, i);
			mermaid_add_text(&m->x->out, g.names[i]);
			buf_add_str(&m->x->out, STR("\"]\n"));
		}
		for (uint32_t at = g.first[i]; at && m->x->out.n < 8 * MERMAID_TEXT; at = g.next[at - 1])
			mermaid_add_node(m, t, at - 1);
		if (i)
			buf_add_str(&m->x->out, STR("  end\n"));
	}
}

static void mermaid_add_edges(struct mermaid *m, const struct trace *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		for (uint32_t k = 0; k < t->nodes[i].parent_count; k++) {
			uint32_t parent = t->parents[i][k];

			losses_note(m->x->losses, parent == TRACE_NOWHERE, EXPORT_NO_PARENT);
			if (parent != TRACE_NOWHERE && ++m->edges <= MERMAID_EDGES)
				buf_printf(&m->x->out, "  n%zu --> n%zu\n", m->before + parent, m->before + i);
		}
	}
}

static bool mermaid_has_failed(const struct trace_list *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		for (size_t k = 0; k < runs->items[i].count; k++)
			if (runs->items[i].nodes[k].row.failed)
				return true;
	return false;
}

bool export_mermaid(struct export *x, const struct trace_list *runs, struct err *err)
{
	struct mermaid m = { .x = x };
	size_t characters;

	buf_add_str(&x->out, STR("flowchart LR\n"));
	for (size_t i = 0; i < runs->count && x->out.n < 8 * MERMAID_TEXT; i++) {
		const struct trace *t = &runs->items[i];

		if (runs->count > 1) {
			buf_printf(&x->out, "  subgraph r%zu[\"", i);
			mermaid_add_text(&x->out, export_title_of(x, t, i));
			buf_add_str(&x->out, STR("\"]\n"));
		}
		mermaid_add_nodes(&m, t);
		mermaid_add_edges(&m, t);
		if (runs->count > 1)
			buf_add_str(&x->out, STR("  end\n"));
		m.before += t->count;
	}
	if (mermaid_has_failed(runs))
		buf_add_str(&x->out, STR("  classDef failed stroke:red,color:red\n"));
	characters = utf8_count(buf_str(&x->out));
	if (m.edges > MERMAID_EDGES)
		return err_set(err, ERR_LIMIT, "the graph has %llu edges, and Mermaid draws some %d" ERR_HELP
			       "the format dot draws graphs of any size", (unsigned long long)m.edges, MERMAID_EDGES);
	if (characters > MERMAID_TEXT)
		return err_set(err, ERR_LIMIT, "the graph has more than the %d characters that Mermaid draws" ERR_HELP
			       "the format dot draws graphs of any size", MERMAID_TEXT);
	return export_flush(x, err);
}
