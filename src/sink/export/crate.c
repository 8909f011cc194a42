/*
 * Runs as an RO-Crate: each run is an action (Process Run Crate) of the program that ran the agent, with the models it
 * needs, and the trace is its result. In a directory the traces themselves stand beside the metadata.
 */
#include "base/clock.h"
#include "sink/export/crate_entity.h"
#include "sink/export/parts.h"
#include "sink/export/private.h"

struct run_crate {
	struct export *x;
	const struct trace_list *runs;
	struct json_writer w;
	struct map models; /* described: number + 1 */
};

/* Every entity but the last is followed by one. */
static void run_crate_end(struct run_crate *c)
{
	json_write_end_object(&c->w);
	buf_add_str(&c->x->out, STR(",\n"));
}

static struct str run_crate_id(struct run_crate *c, const char *what, size_t number)
{
	return arena_printf(c->x->arena, "#%s-%zu", what, number + 1);
}

/* A list of `count` references by number; a list of one is written as that one, which RO-Crate prefers. */
static void run_crate_put_list(struct run_crate *c, const char *name, size_t count,
			       struct str (*id)(struct run_crate *c, size_t i))
{
	struct buf list;

	if (count == 0)
		return;
	buf_init(&list);
	buf_add_str(&list, count > 1 ? STR("[") : STR(""));
	for (size_t i = 0; i < count; i++)
		crate_add_reference(&list, i == 0, id(c, i));
	buf_add_str(&list, count > 1 ? STR("]") : STR(""));
	json_put_raw(&c->w, name, buf_str(&list));
	buf_free(&list);
}

static struct str run_crate_part_id(struct run_crate *c, size_t i)
{
	return c->x->parts->items[i].path;
}

static struct str run_crate_run_id(struct run_crate *c, size_t i)
{
	return run_crate_id(c, "run", i);
}

/* The part that holds the run: the last one that begins at it or before. NULL when nobody kept the bytes. */
static const struct export_part *run_crate_part_of(const struct run_crate *c, size_t run)
{
	const struct export_parts *p = c->x->parts;
	size_t low = 0, high = p ? p->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->items[middle].first_run <= run)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &p->items[low - 1] : NULL;
}

/* ---- the root ---- */

static void run_crate_add_root(struct run_crate *c)
{
	const struct trace_list *runs = c->runs;
	int64_t last = 0;

	for (size_t i = 0; i < runs->count; i++)
		last = runs->items[i].to_ns > last ? runs->items[i].to_ns : last;
	crate_begin(&c->w, &c->x->out, STR("./"), "Dataset");
	if (runs->count == 1)
		json_put_text(&c->w, "name",
			      ARENA_JOIN(c->x->arena, STR("Agent "), export_title_of(c->x, &runs->items[0], 0)));
	else
		json_put_text(&c->w, "name", arena_printf(c->x->arena, "%zu agent runs", runs->count));
	json_put_text(&c->w, "description", STR("What AI agents did: model calls, tool calls and their times, as "
						"agent-trace/v1, without content."));
	crate_put_time(&c->w, "datePublished", last);
	crate_put_link(&c->w, "license", STR("#license"));
	crate_put_link(&c->w, "conformsTo", STR(CRATE_PROFILE));
	run_crate_put_list(c, "hasPart", c->x->parts ? c->x->parts->count : 0, run_crate_part_id);
	run_crate_put_list(c, "mentions", runs->count, run_crate_run_id);
	run_crate_end(c);
}

static void run_crate_add_parts(struct run_crate *c)
{
	for (size_t i = 0; c->x->parts && i < c->x->parts->count; i++) {
		const struct export_part *p = &c->x->parts->items[i];

		crate_begin(&c->w, &c->x->out, p->path, "File");
		crate_put_file(&c->w, p->path, "The trace, a JSON object on each line.", STR("application/jsonl"),
			       p->bytes, p->digest, str_of(NULL, 0));
		run_crate_end(c);
	}
}

/* ---- a run ---- */

/* Models that the run asked, as references; those that are new are described at once. */
static size_t run_crate_add_models(struct run_crate *c, const struct trace *t, struct buf *list)
{
	struct map seen;
	size_t count = 0;
	bool added;

	map_init(&seen, c->x->arena);
	for (size_t i = 0; i < t->count; i++) {
		struct str name = export_shown(c->x->arena, t->nodes[i].row.model), id;
		uint64_t *number;

		added = t->nodes[i].row.kind == AT_MODEL_CALL && name.n;
		if (added)
			map_add(&seen, name, &added);
		if (!added)
			continue;
		number = map_add(&c->models, name, &added);
		if (added)
			*number = c->models.count;
		id = run_crate_id(c, "model", *number - 1);
		crate_add_reference(list, count++ == 0, id);
		if (!added)
			continue;
		crate_begin(&c->w, &c->x->out, id, "CreativeWork");
		json_put_text(&c->w, "name", name);
		json_put_text(&c->w, "description", STR("The model that the agent asked."));
		run_crate_end(c);
	}
	return count;
}

/* The version that the summary states for the framework, a text; else "unknown". */
static struct str run_crate_version(struct run_crate *c, const struct trace *t)
{
	struct str version = STR("");
	struct json_parser *parser;
	struct val v;

	parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	if (t->summary.framework_version.n && json_parse_copy(parser, t->summary.framework_version, &v, NULL))
		version = arena_copy(c->x->arena, val_get_text(v, t->framework, c->x->arena));
	json_parser_close(parser);
	return version.n ? export_shown(c->x->arena, version) : STR("unknown");
}

static void run_crate_add_software(struct run_crate *c, const struct trace *t, size_t number)
{
	const struct export_part *part = run_crate_part_of(c, number);
	struct str version = run_crate_version(c, t);
	struct buf models;
	size_t count;

	buf_init(&models);
	buf_add_byte(&models, '[');
	count = run_crate_add_models(c, t, &models);
	buf_add_byte(&models, ']');
	crate_begin(&c->w, &c->x->out, run_crate_id(c, "software", number), "SoftwareApplication");
	json_put_text(&c->w, "name", export_shown(c->x->arena, t->framework));
	json_put_text(&c->w, "softwareVersion", version);
	json_put_text(&c->w, "version", version);
	if (part)
		crate_put_link(&c->w, "url", part->path);
	if (count)
		json_put_raw(&c->w, "softwareRequirements", buf_str(&models));
	run_crate_end(c);
	buf_free(&models);
}

static void run_crate_add_action(struct run_crate *c, const struct trace *t, size_t number)
{
	const struct export_part *part = run_crate_part_of(c, number);
	size_t calls[AT_KINDS] = { 0 };

	for (size_t i = 0; i < t->count; i++)
		calls[t->nodes[i].row.kind]++;
	crate_begin(&c->w, &c->x->out, run_crate_id(c, "run", number), "CreateAction");
	json_put_text(&c->w, "name", ARENA_JOIN(c->x->arena, STR("agent "), export_title_of(c->x, t, number)));
	json_put_text(&c->w, "identifier", export_shown(c->x->arena, t->id));
	json_put_text(&c->w, "description",
		      arena_printf(c->x->arena, "model calls: %zu, tool calls: %zu, ended with: %s",
				   calls[AT_MODEL_CALL], calls[AT_TOOL_CALL], trace_statuses[t->status].p));
	crate_put_link(&c->w, "instrument", run_crate_id(c, "software", number));
	crate_put_link(&c->w, "agent", STR("#operator"));
	crate_put_time(&c->w, "startTime", t->from_ns);
	crate_put_time(&c->w, "endTime", t->to_ns);
	crate_put_outcome(&c->w, t->status != TRACE_SUCCESS, export_shown(c->x->arena, t->summary.row.error));
	if (part)
		crate_put_link(&c->w, "result", part->path);
	run_crate_end(c);
}

bool export_crate_of_runs(struct export *x, const struct trace_list *runs, struct err *err)
{
	struct run_crate c = { .x = x, .runs = runs };

	map_init(&c.models, x->arena);
	buf_add_str(&x->out, str_from(crate_head));
	run_crate_add_root(&c);
	run_crate_add_parts(&c);
	for (size_t i = 0; i < runs->count; i++) {
		run_crate_add_software(&c, &runs->items[i], i);
		run_crate_add_action(&c, &runs->items[i], i);
		if (!export_drain(x, err))
			return false;
	}
	crate_begin(&c.w, &x->out, STR("#operator"), "Organization");
	json_put_text(&c.w, "name", STR("whoever ran the agent; the trace does not say"));
	run_crate_end(&c);
	crate_add_profile(&x->out);
	buf_add_str(&x->out, STR(",\n"));
	crate_add_license(&x->out, str_of(NULL, 0), "whoever ran the agent");
	buf_add_str(&x->out, STR("\n]}\n"));
	return export_flush(x, err);
}
