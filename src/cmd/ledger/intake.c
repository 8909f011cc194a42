/*
 * Reads each argument as a source of its own. Paths are copied to the arena, because a record may be answered long
 * after its source was closed.
 */
#include "cmd/ledger/intake.h"

#include <sys/stat.h>

#include "base/stop.h"

static bool is_json_name(struct str name)
{
	if (str_ends(name, STR(".gz")))
		name.n -= 3;
	else if (str_ends(name, STR(".zst")))
		name.n -= 4;
	return str_ends(name, STR(".json"));
}

bool intake_wants(struct str below)
{
	struct str left = below;

	while (left.n) {
		struct str part = str_cut(left, '/', &left);

		if (part.n && part.p[0] == '_')
			return false;
	}
	return is_json_name(below);
}

struct walk {
	struct intake *in;
	struct str path; /* of the argument */
	struct str name; /* of the part at hand, in the arena: records are told about when the source is gone */
	bool is_dir, is_stdin;
	bool takes; /* the file at hand */
	uint64_t taken;
};

static bool give(const struct walk *w, const struct chunk *c, struct str bytes, uint64_t line, struct err *err)
{
	struct intake_record r = {
		.path = w->name, .line = line, .origin = c->origin + (uint64_t)(bytes.p - c->bytes.p), .bytes = bytes,
	};

	return w->in->record(w->in->context, &r, err);
}

static bool is_blank(struct str line)
{
	return str_trim(line).n == 0;
}

/* A line that is all there is, is a document whose line end belongs to it: the file it came from has that too. */
static bool is_only_line(const struct walk *w, const struct chunk *c)
{
	const char *end = c->bytes.n ? memchr(c->bytes.p, '\n', c->bytes.n) : NULL;

	return w->is_stdin && c->first && c->last && c->bytes.n && (!end || end == c->bytes.p + c->bytes.n - 1);
}

/* A record for each line that is not blank. A signal ends it between two records, without an error. */
static bool give_lines(struct walk *w, const struct chunk *c, struct err *err)
{
	struct str left = c->bytes;

	for (uint64_t number = c->first_line; left.n; number++) {
		struct str line = str_cut(left, '\n', &left);

		if (is_blank(line))
			continue;
		w->taken++;
		if (!give(w, c, line, number, err))
			return false;
		if (stop_signal())
			return true;
	}
	return true;
}

/* One chunk: a record for each line, or one in all. The name is copied once for each file. */
static bool take(struct walk *w, const struct chunk *c, struct err *err)
{
	if (w->is_dir && !intake_wants(str_skip(c->input->name, w->path.n)))
		return true;
	if (c->first) {
		w->name = arena_copy(w->in->arena, c->input->name);
		w->takes = true;
		if (w->in->begin && !w->in->begin(w->in->context, w->name, c->bytes, c->input->lines, &w->takes, err))
			return false;
	}
	if (!w->takes) {
		w->taken++; /* somebody was told */
		return true;
	}
	if (c->input->lines && !is_only_line(w, c))
		return give_lines(w, c, err);
	w->taken++;
	return give(w, c, c->bytes, 0, err);
}

/* Reads one source to its end. Before it would block on a slow pipe, what came so far is worked on. */
static bool walk(struct walk *w, struct source *from, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct chunk c;
	struct buf bytes;
	enum next next = NEXT_MORE;
	bool going = true;

	buf_init(&bytes);
	while (going && next != NEXT_END && !stop_signal()) {
		if (!source_is_ready(from) && !w->in->pause(w->in->context, err)) {
			going = false;
			break;
		}
		next = source_next(from, &bytes, &c, &why);
		if (next == NEXT_MORE)
			going = take(w, &c, err);
		else if (next == NEXT_FAIL && !stop_signal())
			w->in->failed(w->in->context, c.input->name, &why);
		w->in->tick(w->in->context, from);
	}
	buf_free(&bytes);
	return going;
}

bool intake_run(struct intake *in, const struct str *paths, size_t count, struct err *err)
{
	bool going = true;

	for (size_t i = 0; going && i < count && !stop_signal(); i++) {
		struct walk w = { .in = in, .path = paths[i], .is_stdin = str_eq(paths[i], STR("-")) };
		struct source_options how = { .shape = w.is_stdin ? SOURCE_CONTENT : SOURCE_AUTO };
		struct err why = { .kind = ERR_NONE };
		struct source *from = source_open(in->arena, &paths[i], 1, how, &why);
		struct stat st;

		if (!from) {
			in->failed(in->context, paths[i], &why);
			continue;
		}
		w.is_dir = !w.is_stdin && stat(paths[i].p, &st) == 0 && S_ISDIR(st.st_mode);
		going = walk(&w, from, err);
		if (going && w.is_dir && w.taken == 0 && !stop_signal()) {
			err_set(&why, ERR_DATA, "%.*s: this directory has no records"
				ERR_HELP "records are in files that end in .json; everything below a name that "
				"begins with _ is skipped", STR_ARG(paths[i]));
			in->failed(in->context, paths[i], &why);
		}
		source_close(from);
	}
	return going;
}
