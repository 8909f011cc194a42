/*
 * The DAG of a run as text: a line for each node in the order of the file, "M2 < T1 U2": M model_call, T tool_call, B branch,
 * R retry, U user_input, S system.
 */
#ifndef UNIT_CAPTURE_RUN_GRAPH_DAG_H
#define UNIT_CAPTURE_RUN_GRAPH_DAG_H

#include <stdio.h>

#include "run_graph_feed.h"

struct graphing_node {
	struct str id;
	char label[16];
};

static inline void graphing_ids(struct buf *out, struct val list, const struct graphing_node *nodes, size_t count)
{
	struct val_iter it = val_begin(list);
	struct val v;

	while (val_next(&it, &v))
		for (size_t i = 0; i < count; i++)
			if (val_text_is(v, nodes[i].id))
				buf_printf(out, " %s", nodes[i].label);
}

static inline struct str graphing_member(struct arena *a, struct val v, const char *object, const char *name)
{
	struct val member = val_get(object ? val_get(v, str_from(object)) : v, str_from(name));

	return val_is(member, JSON_STRING) ? arena_copy(a, val_text(member, a)) : STR("");
}

static inline struct str graphing_dag(struct graphing *w)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing_node nodes[256];
	unsigned counts[256] = { 0 };
	struct str text;
	struct buf out;
	size_t count = 0;

	buf_init(&out);
	for (int round = 0; round < 2; round++) {
		struct str left = buf_str(&w->lines);

		for (size_t i = 0; left.n; i++) {
			struct str kind;
			struct val v;

			CHECK(json_parse_copy(p, str_cut(left, '\n', &left), &v, NULL) && i < 256);
			kind = graphing_member(&w->arena, v, NULL, "kind");
			if (!kind.n)
				continue; /* the summary */
			if (round == 0) {
				char letter = (char)(kind.p[0] - 'a' + 'A');

				nodes[count].id = graphing_member(&w->arena, v, NULL, "node_id");
				snprintf(nodes[count++].label, sizeof(nodes[0].label), "%c%u", letter, ++counts[(int)letter]);
				continue;
			}
			buf_printf(&out, "%s <", nodes[i].label);
			graphing_ids(&out, val_get(v, STR("parent_node_ids")), nodes, count);
			if (nodes[i].label[0] == 'B') {
				buf_printf(&out, " %.*s:", STR_ARG(graphing_member(&w->arena, v, "branch", "branch_kind")));
				graphing_ids(&out, val_get(val_get(v, STR("branch")), STR("siblings")), nodes, count);
			}
			buf_add_byte(&out, '\n');
		}
	}
	json_parser_close(p);
	text = arena_copy(&w->arena, buf_str(&out));
	buf_free(&out);
	return text;
}

/* The n-th line (from 0) whose kind it is, parsed; the parser is the caller's. */
static inline struct val graphing_node(struct graphing *w, struct json_parser *p, const char *kind, size_t n)
{
	struct str left = buf_str(&w->lines);
	struct val v;

	while (left.n) {
		CHECK(json_parse_copy(p, str_cut(left, '\n', &left), &v, NULL));
		if (val_is(val_get(v, STR("kind")), JSON_STRING) && val_text_is(val_get(v, STR("kind")), str_from(kind)) && n-- == 0)
			return v;
	}
	FAIL("no such %s", kind);
}

#endif
