/* What `trackway convert` and `trackway export` do, run on one file in this process. */
#include "capture/derive.h"

#include "base/build.h"
#include "base/file.h"
#include "dialect/formats.h"
#include "flow/trace_load.h"
#include "sink/export/export.h"

/* ---- other formats ---- */

struct job {
	struct arena *arena;
	struct str from;
	struct str more; /* members for the first line */
	const struct dialect *to;
	const struct prices *prices;
	struct coverage_summary *coverage; /* NULL: nobody asks */
	int fd;
	bool marked;
	struct err failure;
};

#define MARK "\"local_only\":true,"

/* What holds content says so in its first line; a format that has a place for it has done so already. */
static bool derive_put(void *context, struct str bytes, struct err *err)
{
	struct job *j = context;
	struct str line, rest;

	if (!j->marked && bytes.n) {
		j->marked = true;
		line = str_cut(bytes, '\n', &rest);
		if (bytes.p[0] == '{') {
			struct str mark = str_has(line, STR("\"local_only\"")) ? STR("") : STR(MARK);

			if (!file_write_all(j->fd, ARENA_JOIN(j->arena, STR("{"), mark, j->more), err))
				return false;
			bytes = str_of(bytes.p + 1, bytes.n - 1);
		}
	}
	return file_write_all(j->fd, bytes, err);
}

static bool end_part(void *context, const struct convert_input *part, struct err *err)
{
	struct job *j = context;

	if (part->failure)
		j->failure = *part->failure;
	else if (!part->from)
		err_set(&j->failure, ERR_DATA, "%.*s is in no format that can be read", STR_ARG(part->name));
	if (j->coverage && part->coverage)
		*j->coverage = coverage_sum(part->coverage);
	if (j->failure.kind == ERR_NONE)
		return true;
	*err = j->failure;
	return false;
}

/* Called by file_place_by with the new file open; when it fails, nothing gets the new name. */
static bool convert(void *context, int fd, struct err *err)
{
	struct job *j = context;
	struct convert_options o = { .to = j->to, .prices = j->prices, .coverage = j->coverage != NULL };
	struct convert_flow f = { .jobs = 1, .options = &o, .digest = true, .input = end_part, .context = j };
	bool done = false;

	j->fd = fd;
	f.from = source_open(j->arena, &j->from, 1, (struct source_options){ .shape = SOURCE_LINES }, err);
	if (!f.from)
		return false;
	f.to = pipeline_open(&o, (struct convert_sink){ .put = derive_put, .context = j });
	done = convert_flow_run(&f, err) && pipeline_finish(f.to, err);
	pipeline_close(f.to);
	source_close(f.from);
	return done;
}

bool derive_convert(struct arena *a, struct str from, const char *to, struct str more, int dir, struct str name,
		    struct err *err)
{
	struct job j = { .arena = a, .from = from, .more = more, .to = dialect_find(str_from(to)),
			 .prices = prices_new(a) };

	return file_place_by(dir, name, convert, &j, 0600, err);
}

bool derive_convert_covered(struct arena *a, struct str from, const char *to, int dir, struct str name,
			    struct coverage_summary *coverage, struct err *err)
{
	struct job j = { .arena = a, .from = from, .more = STR(""), .to = dialect_find(str_from(to)),
			 .prices = prices_new(a), .coverage = coverage };

	*coverage = (struct coverage_summary){ .overall = 1 };
	return file_place_by(dir, name, convert, &j, 0600, err);
}

/* ---- the drawing ---- */

struct drawing {
	struct str trace;
	struct arena arena;
	int fd;
};

/* A trace without a run is an empty drawing. */
static bool end_trace(void *context, const struct convert_input *input, struct err *err)
{
	(void)context;
	return !input->failure || log_refuse(input, err);
}

static bool draw_put(void *context, struct str bytes, struct err *err)
{
	struct drawing *d = context;

	return file_write_all(d->fd, bytes, err);
}

/* Lines that are no nodes, or no JSON, are passed over: the trace's own rules are for those. */
static bool draw(void *context, int fd, struct err *err)
{
	static const struct export_options options = { .version = BUILD_VERSION };
	struct drawing *d = context;
	struct log_flow f = {
		.as = &agent_trace_dialect, .jobs = 1, .permissive = true, .input = end_trace,
		.from = source_open(&d->arena, &d->trace, 1, (struct source_options){ .shape = SOURCE_LINES }, err),
	};
	struct export x = { .options = &options, .arena = &d->arena, .put = draw_put, .context = d };
	struct trace_list runs;
	bool done;

	if (!f.from)
		return false;
	d->fd = fd;
	buf_init(&x.out);
	trace_list_init(&runs, &d->arena);
	done = trace_load(&f, &runs, err) && export_find(STR("dot"))->write(&x, &runs, err);
	source_close(f.from);
	trace_list_free(&runs);
	buf_free(&x.out);
	return done;
}

bool derive_dot(struct str trace, int dir, struct str name, struct err *err)
{
	struct drawing d = { .trace = trace };
	bool done;

	arena_init(&d.arena);
	done = file_place_by(dir, name, draw, &d, 0666, err);
	arena_free(&d.arena);
	return done;
}
