/* What the formats share: names that are safe to show, times since the start of a run, lanes. */
#ifndef SINK_EXPORT_PRIVATE_H
#define SINK_EXPORT_PRIVATE_H

#include "json/put.h"
#include "sink/export/export.h"

#define EXPORT_NAME_MAX 120 /* bytes of a name in a drawing; longer ones are cut */
#define EXPORT_NO_PARENT "edges from nodes that are not in the trace" /* a loss */

/* The formats; see export_formats. */
bool export_chrome(struct export *x, const struct trace_list *runs, struct err *err);
bool export_crate_of_runs(struct export *x, const struct trace_list *runs, struct err *err);
bool export_csv(struct export *x, const struct trace_list *runs, struct err *err);
bool export_dot(struct export *x, const struct trace_list *runs, struct err *err);
bool export_html(struct export *x, const struct trace_list *runs, struct err *err);
bool export_mermaid(struct export *x, const struct trace_list *runs, struct err *err);
bool export_mooncake(struct export *x, const struct trace_list *runs, struct err *err);
bool export_speedscope(struct export *x, const struct trace_list *runs, struct err *err);

/* ---- names ---- */

/* Whether a text can stand as it is: UTF-8 without control characters, and no longer than a name may be. */
bool export_is_plain(struct str text);

/* The characters of a name, one after the other, until it is over or EXPORT_NAME_MAX is reached. */
struct export_chars {
	struct str left;
	size_t room;
};

/* At the first one. */
struct export_chars export_chars_of(struct str name);

/*
 * The next character, as UTF-8: what controls something, is ill-formed or deceives becomes U+FFFD, a line end a space,
 * and what is cut off an ellipsis. p is NULL at the end.
 */
struct str export_next_char(struct export_chars *c);

/* What a drawing calls a node: the model, the tool, else its kind. */
struct str export_label_of(const struct trace_entry *e);

/* "8192->150 tok", estimated figures with ~, "" when neither is known. `out` is a buffer to add to. */
void export_add_tokens(struct buf *out, const struct trace_entry *e);

/* "run 0192f3a8": the first eight characters of its id, or its number among the runs when it has none. */
struct str export_title_of(struct export *x, const struct trace *t, size_t number);

/* All characters of export_next_char, in the arena. */
struct str export_shown(struct arena *a, struct str name);

/* What a timeline calls a node: as above, with "chat " before a model. In the arena. */
struct str export_call_name(struct arena *a, const struct trace_entry *e);

/* ---- agents ---- */

/* The nodes of a run by agent. Places are counted from 1; 0 ends a list. */
struct export_agents {
	struct str *names; /* the first is "": the agent itself. Others in the order in which they come */
	uint32_t *first, *last;
	size_t count, cap, first_cap, last_cap;
	uint32_t *next; /* behind each node the next one of the same agent */
};

/* In the arena. */
void export_agents_of(struct arena *a, const struct trace *t, struct export_agents *out);

/* ---- lanes: nodes that overlap stand side by side ---- */

enum export_group { EXPORT_AGENT, EXPORT_MODEL, EXPORT_TOOL, EXPORT_GROUPS };
extern const char *const export_groups[EXPORT_GROUPS]; /* "agent", "model", "tool" */

struct export_span {
	int64_t from_ns, length_ns; /* since the first node of the run began; a node that ends before it begins has 0 */
	enum export_group group;
	uint32_t lane; /* of its group, from 0 */
	uint32_t next; /* place + 1 of the next node in the lane; 0: none */
};

struct export_lanes {
	struct export_span *spans; /* one for each node, by its place */
	uint32_t *order;           /* places, by their beginning; as in the trace among equals */
	uint32_t *first[EXPORT_GROUPS]; /* place + 1 of the first node of each lane */
	uint32_t count[EXPORT_GROUPS];  /* lanes */
	int64_t end_ns;            /* of the last node */
};

/*
 * In the arena. Greedy interval partitioning for each group: a node takes the first lane that is free, for at least a
 * microsecond, so that no two nodes of a lane overlap when the shortest are drawn.
 */
void export_lanes_of(struct arena *a, const struct trace *t, struct export_lanes *out);

/* Nanoseconds as microseconds with as many decimals as they need. */
void export_put_us(struct json_writer *w, const char *name, int64_t ns);

#endif
