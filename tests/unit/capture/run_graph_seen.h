/*
 * Runs that other layers see too: sightings at milliseconds of a graphing, and a trace that is amended at its end as the
 * recorder does it, in a file. The tests then look at the amended lines.
 */
#ifndef UNIT_CAPTURE_RUN_GRAPH_SEEN_H
#define UNIT_CAPTURE_RUN_GRAPH_SEEN_H

#include <fcntl.h>
#include <unistd.h>

#include "capture/amend.h"
#include "run_graph_dag.h"

static inline int64_t seen_at(int64_t ms)
{
	return FEED_BEGUN + ms * 1000000;
}

static inline void seen_read(struct buf *out, int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY);
	char piece[4096];
	ssize_t n;

	CHECK(fd >= 0);
	buf_clear(out);
	while ((n = read(fd, piece, sizeof(piece))) > 0)
		buf_add(out, piece, (size_t)n);
	close(fd);
}

/* As the recorder does it: in a file, which is then read again. */
static inline void seen_amend(void *context, const struct amendments *a)
{
	/* in memory where that is possible: some tests do it thousands of times */
	char path[] = "/dev/shm/trackway-amend-XXXXXX", other[] = "/tmp/trackway-amend-XXXXXX";
	struct graphing *w = context;
	struct line_file file;
	struct err err;
	int dir;

	if (!mkdtemp(path)) {
		CHECK(mkdtemp(other));
		memcpy(path, other, sizeof(other));
	}
	dir = open(path, O_RDONLY | O_DIRECTORY);
	CHECK(dir >= 0 && line_file_open(&file, dir, "agent-trace.jsonl", 0600, &err));
	line_file_add(&file, buf_str(&w->lines));
	CHECK(line_file_flush(&file));
	if (!amend_trace(&file, a, &err))
		FAIL("%s", err.text);
	line_file_close(&file);
	CHECK(!file.moved && file.failure.kind == ERR_NONE);
	seen_read(&w->lines, dir, "agent-trace.jsonl");
	unlinkat(dir, "agent-trace.jsonl", 0);
	close(dir);
	CHECK_INT(rmdir(path), 0);
}

static inline void seen_open(struct graphing *w)
{
	graphing_open(w, (struct run_graph_options){ .amend = seen_amend });
}

/* ---- sightings ---- */

static inline struct sighting seen_tool(enum sight_kind kind, enum sight_layer layer, const char *call, const char *name,
					int64_t begun_ms, int64_t ended_ms)
{
	struct sighting s = sighting_of(kind, layer);

	s.call = call ? str_from(call) : s.call;
	s.name = name ? str_from(name) : s.name;
	s.begun_ns = begun_ms >= 0 ? seen_at(begun_ms) : -1;
	s.ended_ns = ended_ms >= 0 ? seen_at(ended_ms) : -1;
	return s;
}

static inline void seen(struct graphing *w, struct sighting s)
{
	run_graph_see(w->run_graph, &s);
}

static inline struct sighting seen_span(struct sighting s, const char *span, const char *parent)
{
	s.trace = STR("0af7651916cd43dd8448eb211c80319c");
	s.span = str_from(span);
	s.parent_span = parent ? str_from(parent) : s.parent_span;
	return s;
}

/* ---- what came of it ---- */

/* "T1 hook,proxy 0.25 0.2\n": layers, and of tools wall time and stall ("-": not known; "~": inferred). */
static inline struct str seen_layers(struct graphing *w)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct str left = buf_str(&w->lines), text;
	unsigned counts[256] = { 0 };
	struct buf out;

	buf_init(&out);
	while (left.n) {
		struct val v, layer, tool, stall;
		struct val_iter it;
		struct str kind;
		const char *comma = " ";
		double wall, waited;

		CHECK(json_parse_copy(p, str_cut(left, '\n', &left), &v, NULL));
		kind = graphing_member(&w->arena, v, NULL, "kind");
		if (!kind.n)
			continue;
		buf_printf(&out, "%c%u", kind.p[0] - 'a' + 'A', ++counts[(int)kind.p[0]]);
		it = val_begin(val_get(v, STR("known_by")));
		while (val_next(&it, &layer)) {
			buf_printf(&out, "%s%.*s", comma, STR_ARG(val_text(layer, &w->arena)));
			comma = ",";
		}
		tool = val_get(v, STR("tool_call"));
		if (val_is(tool, JSON_OBJECT)) {
			CHECK(val_double(val_get(tool, STR("wall_time_seconds")), &wall));
			stall = val_get(tool, STR("stall_seconds"));
			buf_printf(&out, " %s%.3g", val_is(val_get(v, STR("inferred")), JSON_TRUE) ? "~" : "", wall);
			if (val_double(stall, &waited))
				buf_printf(&out, " %.3g", waited);
			else
				buf_add_str(&out, STR(" -"));
		}
		buf_add_byte(&out, '\n');
	}
	json_parser_close(p);
	text = arena_copy(&w->arena, buf_str(&out));
	buf_free(&out);
	return text;
}

static inline void seen_check(struct graphing *w, const char *dag, const char *layers)
{
	graphing_finish(w);
	CHECK_STR(graphing_dag(w), str_from(dag));
	CHECK_STR(seen_layers(w), str_from(layers));
	graphing_close(w);
}

#endif
