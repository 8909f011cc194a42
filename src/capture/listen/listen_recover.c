/* The trace is read once for its sums; the summary is written behind it, as the recorder would have. */
#include "capture/listen/listen_recover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "capture/amend.h"
#include "capture/cassette.h"
#include "capture/run_end.h"
#include "dialect/agent_trace/trace_line.h"
#include "dialect/agent_trace/trace_row.h"
#include "json/json.h"
#include "model/money.h"

#define META_MOST ((off_t)1 << 20)

/* ---- meta.json ---- */

static struct str read_meta(struct arena *a, int dir)
{
	int fd = openat(dir, "meta.json", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct str text = { NULL, 0 };
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return text;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= META_MOST) {
		char *p = arena_alloc(a, (size_t)st.st_size, 1);

		n = read(fd, p, (size_t)st.st_size);
		text = str_of(p, n > 0 ? (size_t)n : 0);
	}
	close(fd);
	return text;
}

static bool recover_time(struct arena *a, struct val meta, const char *name, int64_t *ns)
{
	struct stamp s;

	return stamp_parse(val_get_text(meta, str_from(name), a), &s) && stamp_ns(&s, ns);
}

static struct str recover_raw(struct arena *a, struct val v)
{
	return val_is_none(v) ? str_of(NULL, 0) : arena_copy(a, val_source(v));
}

static void recover_tags(struct arena *a, struct val tags, struct run_files *d)
{
	struct run_tag *list = arena_array(a, struct run_tag, val_count(tags) + 1);
	struct val_iter it = val_begin(tags);
	struct val key, value;

	d->tags = list;
	while (val_is(tags, JSON_OBJECT) && val_next_member(&it, &key, &value))
		if (val_is(value, JSON_STRING))
			list[d->tag_count++] = (struct run_tag){ arena_copy(a, val_text(key, a)),
								 val_text_copy(value, a) };
}

static bool read_members(struct arena *a, struct val meta, struct str path, struct listen_meta *out)
{
	struct run_files *d = &out->files;

	if (!val_is(meta, JSON_OBJECT) || !str_starts(val_get_text(meta, STR("schema"), a), STR("trackway.run/")) ||
	    !val_is(val_get(meta, STR("listened")), JSON_TRUE))
		return false;
	d->run_id = val_text_copy(val_get(meta, STR("run_id")), a);
	if (!id_is_uuid(d->run_id) || !str_eq(d->run_id, str_basename(path)) ||
	    !recover_time(a, meta, "started", &d->begun_ns))
		return false;
	d->path = d->absolute = arena_copy(a, path);
	d->program = STR("listen");
	d->listened = true;
	d->content = val_is(val_get(meta, STR("content_saved")), JSON_TRUE);
	d->budget = recover_raw(a, val_get(meta, STR("budget")));
	d->retrieval_set = recover_raw(a, val_get(meta, STR("retrieval_set")));
	recover_tags(a, val_get(meta, STR("tags")), d);
	out->is_over = recover_time(a, meta, "ended", &out->ended_ns);
	return true;
}

bool listen_meta_read(struct arena *a, int dir, struct str path, struct listen_meta *out)
{
	struct str text = read_meta(a, dir);
	struct json_parser *parser;
	struct val meta;
	bool is_one;

	*out = (struct listen_meta){ .files.dir = -1 };
	if (!str_has(text, STR("\"listened\"")))
		return false;
	parser = json_parser_open((struct json_options){ .allow_duplicates = false });
	is_one = json_parse_copy(parser, text, &meta, NULL) && read_members(a, meta, path, out);
	json_parser_close(parser);
	if (is_one)
		out->files.dir = dir;
	return is_one;
}

/* ---- what the trace has ---- */

struct sums {
	struct trace_summary s;
	struct money money;
	struct str framework;
	struct str summary; /* its last line, where that is one: the recorder was killed behind it */
	bool any;
	uint64_t nodes, failed;
};

static void sum_figure(int64_t *sum, struct figure f)
{
	if (figure_is_known(f) && f.n <= (uint64_t)(INT64_MAX - *sum))
		*sum += (int64_t)f.n;
}

static void sum_row(struct arena *a, struct sums *t, const struct trace_row *r)
{
	struct event cost = { .kind = EVENT_COST, .usage = r->usage, .usd = r->usd };

	t->nodes++;
	t->s.counts[r->kind]++;
	t->s.from_us = !t->any || r->from_us < t->s.from_us ? r->from_us : t->s.from_us;
	t->s.to_us = !t->any || r->to_us > t->s.to_us ? r->to_us : t->s.to_us;
	t->any = true;
	if (!t->framework.p && r->framework.n)
		t->framework = arena_copy(a, r->framework);
	if (r->kind == AT_MODEL_CALL) {
		sum_figure(&t->s.input, r->usage.input);
		sum_figure(&t->s.output, r->usage.output);
		money_add(&t->money, &cost);
		t->failed += r->failed;
	} else if (r->kind == AT_TOOL_CALL && r->stall >= 0) {
		t->s.stall += r->stall;
		t->s.stalls++;
	}
}

/* The recorder knew how the run ended, and could not write all of it any more. */
static void keep_summary(struct arena *a, struct sums *t, struct str line, const struct trace_row *r)
{
	t->summary = arena_copy(a, line);
	t->s.exit_status = str_eq(r->exit_status, STR("success")) ? "success"
			   : str_eq(r->exit_status, STR("error")) ? "error"
								  : "interrupted";
	t->s.error = r->error.p ? arena_copy(a, r->error) : str_of(NULL, 0);
}

static void sum_lines(struct arena *a, struct str text, struct sums *t)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct str rest = text, line;
	struct arena scratch;
	struct trace_row r;
	struct val v;

	arena_init(&scratch);
	while (rest.n) {
		line = str_cut(rest, '\n', &rest);
		if (!line.n || !json_parse_copy(parser, line, &v, NULL))
			continue;
		trace_row_read(&r, &scratch, v, true);
		if (r.type == TRACE_ROW_NODE)
			sum_row(a, t, &r);
		else if (r.type == TRACE_ROW_SUMMARY)
			keep_summary(a, t, line, &r);
		arena_reset(&scratch);
	}
	arena_free(&scratch);
	json_parser_close(parser);
}

/* A plain file of the run, without the line that was not finished; -1 when there is none. */
static int open_whole(int dir, const char *name, struct str *mapped, struct err *err)
{
	int fd = openat(dir, name, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	size_t end;

	if (fd < 0 || !file_map_fd(fd, str_from(name), mapped, err)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	for (end = mapped->n; end > 0 && mapped->p[end - 1] != '\n'; end--)
		;
	if (end < mapped->n && ftruncate(fd, (off_t)end) == 0) {
		file_unmap(*mapped);
		if (!file_map_fd(fd, str_from(name), mapped, err)) {
			close(fd);
			return -1;
		}
	}
	return fd;
}

static const char killed[] = "the recorder was killed";

static void put_summary(struct arena *a, struct listen_meta *m, const struct listen_recover_options *o, struct sums *t,
			struct buf *out)
{
	struct trace_line line = {
		.scratch = a,
		.trace_id = m->files.run_id,
		.framework = t->framework.p ? t->framework : STR("unknown"),
		.plain = o->plain,
	};

	t->s.exit_status = "interrupted";
	t->s.error = str_from(killed);
	t->s.rig = o->rig;
	t->s.engine = o->engine;
	t->s.usd = money_total(&t->money);
	if (!t->any || t->s.from_us > m->files.begun_ns / 1000)
		t->s.from_us = m->files.begun_ns / 1000;
	if (!t->any)
		t->s.to_us = t->s.from_us;
	trace_line_add_summary(out, &line, &t->s);
}

static bool recover_trace(struct arena *a, struct listen_meta *m, const struct listen_recover_options *o,
			  struct sums *t, struct err *err)
{
	struct str text;
	struct buf line;
	int fd = open_whole(m->files.dir, "agent-trace.jsonl", &text, err);
	bool done = true;

	if (fd < 0)
		return err_set(err, ERR_IO, "there is no agent-trace.jsonl that can be completed");
	sum_lines(a, text, t);
	file_unmap(text);
	if (!t->summary.p) {
		buf_init(&line);
		put_summary(a, m, o, t, &line);
		done = file_write_all(fd, buf_str(&line), err);
		t->summary = arena_copy(a, str_of(line.p, line.n - 1));
		buf_free(&line);
	}
	done = done && fdatasync(fd) == 0;
	close(fd);
	if (done && run_files_write_summary(&m->files, t->summary, err))
		run_files_wrote(&m->files, "summary.json");
	run_files_wrote(&m->files, "agent-trace.jsonl");
	return done;
}

/* The last line of a cassette, as cassette_add_end writes it. */
static bool cassette_has_end(struct str text)
{
	size_t at = text.n ? text.n - 1 : 0;

	while (at > 0 && text.p[at - 1] != '\n')
		at--;
	return str_starts(str_skip(text, at), STR("{\"ended\":"));
}

static bool recover_cassette(struct listen_meta *m, const struct sums *t, const struct run_files_end *e,
			     struct err *err)
{
	struct cassette_end end = { .exit_status = t->s.exit_status, .error = t->s.error, .ended_ns = e->ended_ns,
				    .code = e->signal ? -1 : e->status };
	struct str text;
	struct buf line;
	int fd = open_whole(m->files.dir, "cassette.jsonl", &text, err);
	bool done;

	if (fd < 0)
		return false;
	buf_init(&line);
	if (!cassette_has_end(text))
		cassette_add_end(&line, &end);
	file_unmap(text);
	done = file_write_all(fd, buf_str(&line), err);
	buf_free(&line);
	close(fd);
	return done;
}

bool listen_recover(struct arena *a, struct listen_meta *m, const struct listen_recover_options *o, uint64_t *nodes,
		    struct err *err)
{
	struct run_end e = { .exchanged = true, .arena = a, .files = &m->files, .dot = o->dot, .trouble = o->trouble,
			     .context = o->context };
	struct run_files_end end = { .status = 0 };
	struct sums t = { .nodes = 0 };

	unlinkat(m->files.dir, AMEND_BESIDE, 0); /* --keep would leave it, and the directory */
	if (!recover_trace(a, m, o, &t, err))
		return false;
	*nodes = t.nodes;
	end.ended_ns = (t.any ? t.s.to_us : m->files.begun_ns / 1000) * 1000;
	memcpy(end.tally.counts, t.s.counts, sizeof(end.tally.counts));
	end.tally.failed = t.failed;
	end.status = strcmp(t.s.exit_status, "error") == 0;
	end.signal = strcmp(t.s.exit_status, "interrupted") == 0 ? SIGKILL : 0;
	run_end_others(&e, &end, true, m->files.content && recover_cassette(m, &t, &end, err));
	m->ended_ns = end.ended_ns;
	m->is_over = run_files_write_meta(a, &m->files, &end, err);
	return m->is_over;
}
