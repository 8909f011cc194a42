/* Checks the directory of a recorded run: each file by its digest, then what the files say of each other. */
#include "capture/run_files_check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/run_files.h"
#include "dialect/otutl/otutl.h"
#include "json/canon.h"
#include "transform/audit_policy.h"

#define META_MAX ((size_t)16 << 20)
#define META_HEAD 4096 /* bytes that say what it is */
#define TAIL_MAX ((off_t)1 << 20) /* bytes in which a trace's last line must be */

struct run_files_look {
	struct run_files_check *out;
	struct json_parser *parser;
	struct canon *canon;
};

static void run_files_note(struct run_files_check *c, enum run_files_rule rule, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void run_files_note(struct run_files_check *c, enum run_files_rule rule, const char *format, ...)
{
	const struct rule *r = &run_files_rules[rule];
	struct finding f = { .code = r->code, .severity = r->severity };
	char text[600];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	f.message = str_of(text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	findings_add(c->findings, &f);
}

/* ---- files ---- */

enum run_files_file_state { FILE_PLAIN, FILE_ABSENT, FILE_OTHER, FILE_UNREAD };

/* Opens a plain file of the directory; a pipe does not make us wait, and no link is followed. */
static enum run_files_file_state open_plain(struct str dir, struct str name, int *fd, struct stat *st)
{
	char path[4096 + 256];

	if (snprintf(path, sizeof(path), "%.*s/%.*s", STR_ARG(dir), STR_ARG(name)) >= (int)sizeof(path))
		return FILE_ABSENT;
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (*fd < 0)
		return errno == ENOENT ? FILE_ABSENT : errno == ELOOP || errno == ENXIO ? FILE_OTHER : FILE_UNREAD;
	if (fstat(*fd, st) == 0 && S_ISREG(st->st_mode))
		return FILE_PLAIN;
	close(*fd);
	return FILE_OTHER;
}

/* Up to `most` bytes of a file, the last ones or the first; p NULL when it is no plain file that can be read. */
static struct str read_part(struct arena *a, struct str dir, struct str name, off_t most, bool tail)
{
	struct stat st;
	size_t n = 0, want;
	ssize_t got = 1;
	off_t from;
	char *text;
	int fd;

	if (open_plain(dir, name, &fd, &st) != FILE_PLAIN)
		return str_of(NULL, 0);
	want = (size_t)(st.st_size > most ? most : st.st_size);
	from = tail ? st.st_size - (off_t)want : 0;
	text = arena_alloc(a, want + 1, 1);
	while (n < want && got > 0) {
		got = pread(fd, text + n, want - n, from + (off_t)n);
		n += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	return str_of(text, n);
}

static struct str read_tail(struct arena *a, struct str dir, struct str name, off_t most)
{
	return read_part(a, dir, name, most, true);
}

bool run_files_check_is_one(struct str path)
{
	char head[META_HEAD];
	struct stat st;
	ssize_t n;
	int fd;

	if (open_plain(path, STR("meta.json"), &fd, &st) != FILE_PLAIN)
		return false;
	n = read(fd, head, sizeof(head));
	close(fd);
	return n > 0 && str_has(str_of(head, (size_t)n), STR("\"trackway.run/"));
}

/* ---- what meta.json names ---- */

static bool is_plain_name(struct str name)
{
	return name.n > 0 && name.n < 256 && !memchr(name.p, '/', name.n) && !memchr(name.p, '\0', name.n) &&
	       !str_eq(name, STR(".")) && !str_eq(name, STR(".."));
}

/* One file that meta.json names. What is wrong with it is a finding; only a file that cannot be read is an error. */
static bool compare_file(struct run_files_look *l, struct str name, struct digest want, struct err *err)
{
	struct run_files_check *c = l->out;
	struct digest got;
	struct stat st;
	uint64_t size;
	bool done;
	int fd;

	switch (open_plain(c->path, name, &fd, &st)) {
	case FILE_ABSENT:
		run_files_note(c, RUN_FILES_MISSING, "there is no %.*s", STR_ARG(name));
		return true;
	case FILE_OTHER:
		run_files_note(c, RUN_FILES_LINK, "%.*s is a link or not a plain file, and was not read",
			       STR_ARG(name));
		return true;
	case FILE_UNREAD:
		return err_system(err, errno, "%.*s/%.*s: cannot open", STR_ARG(c->path), STR_ARG(name));
	case FILE_PLAIN:
		break;
	}
	done = run_files_digest_fd(fd, &got, &size) ||
	       err_system(err, errno, "%.*s/%.*s: cannot read", STR_ARG(c->path), STR_ARG(name));
	close(fd);
	if (!done)
		return false;
	c->files++;
	c->bytes += size;
	if (!digest_eq(got, want))
		run_files_note(c, RUN_FILES_CHANGED, "%.*s does not have the digest that meta.json says",
			       STR_ARG(name));
	return true;
}

/* Names that lead out of the directory are told, and not opened. */
static bool compare_files(struct run_files_look *l, struct val files, struct err *err)
{
	struct val_iter it = val_begin(files);
	struct val v;

	while (val_next(&it, &v)) {
		struct val name = val_get(v, STR("name")), sha256 = val_get(v, STR("sha256"));
		struct digest want;
		struct str text;

		if (!val_is(name, JSON_STRING) || !val_is(sha256, JSON_STRING) ||
		    !digest_parse(val_text(sha256, l->out->arena), &want)) {
			run_files_note(l->out, RUN_FILES_META, "meta.json: a file has no name or no sha256");
			continue;
		}
		text = val_text(name, l->out->arena);
		if (!is_plain_name(text))
			run_files_note(l->out, RUN_FILES_LINK,
				       "meta.json: \"%.*s\" is not the name of a file in the directory",
				       (int)(text.n < 200 ? text.n : 200), text.p);
		else if (!compare_file(l, text, want, err))
			return false;
	}
	return true;
}

/* ---- what the files say of each other ---- */

/* The last line of the trace when it is a summary, in its canonical form; p NULL for none. */
static struct str canonical_of(struct run_files_look *l, struct str text)
{
	struct str out = { NULL, 0 };
	enum json_code code;
	uint32_t bad;
	struct buf b;
	struct val v;

	buf_init(&b);
	if (text.n && json_parse_copy(l->parser, text, &v, NULL) && val_is(v, JSON_OBJECT) &&
	    val_is(val_get(v, STR("event_type")), JSON_STRING) &&
	    val_text_is(val_get(v, STR("event_type")), STR("summary")) && canon_value(l->canon, v, &b, &bad, &code))
		out = arena_copy(l->out->arena, buf_str(&b));
	buf_free(&b);
	return out;
}

static struct str last_line(struct str text)
{
	text = str_trim(text);
	for (size_t i = text.n; i > 0; i--)
		if (text.p[i - 1] == '\n')
			return str_of(text.p + i, text.n - i);
	return text;
}

static struct str member_of(struct run_files_look *l, struct str object, const char *name)
{
	struct val v, member;

	if (!object.p || !json_parse_copy(l->parser, object, &v, NULL))
		return str_of(NULL, 0);
	member = val_get(v, str_from(name));
	return val_text_copy(member, l->out->arena);
}

/* Only what both sides say is compared: a trace without a summary line is for its own rules to judge. */
static void compare_summaries(struct run_files_look *l, struct str run_id, const char *exit_status)
{
	struct run_files_check *c = l->out;
	struct str tail = read_tail(c->arena, c->path, STR("agent-trace.jsonl"), TAIL_MAX);
	struct str file = read_tail(c->arena, c->path, STR("summary.json"), TAIL_MAX), trace_id, said;
	struct str trace = canonical_of(l, last_line(tail)), summary = canonical_of(l, file);

	if (trace.p && file.p && !str_eq(trace, summary))
		run_files_note(c, RUN_FILES_SUMMARY, "summary.json is not the last line of agent-trace.jsonl");
	trace_id = member_of(l, trace, "trace_id");
	if (run_id.p && trace_id.p && !str_eq(run_id, trace_id))
		run_files_note(c, RUN_FILES_OTHER_RUN,
			       "run_id is %.*s in meta.json, and trace_id %.*s in agent-trace.jsonl",
			       STR_ARG(run_id), STR_ARG(trace_id));
	said = member_of(l, trace, "exit_status");
	if (exit_status && said.p && !str_eq(said, str_from(exit_status)))
		run_files_note(c, RUN_FILES_EXIT,
			       "exit_status is %.*s in agent-trace.jsonl, but by meta.json it is %s",
			       STR_ARG(said), exit_status);
}

static bool run_files_check_names(struct run_files_look *l, struct val files, struct str file)
{
	struct val_iter it = val_begin(files);
	struct val v;

	while (val_next(&it, &v))
		if (str_eq(val_get_text(v, STR("name"), l->out->arena), file))
			return true;
	return false;
}

/* What is inside of the cassette is for its own rules; here it is only held against the run. */
static void run_files_check_cassette(struct run_files_look *l, struct str run_id, struct val files)
{
	struct run_files_check *c = l->out;
	struct str name = STR("cassette.jsonl"), rest;
	struct str head = read_part(c->arena, c->path, name, META_HEAD, false), said;

	if (!head.p)
		return;
	said = member_of(l, str_cut(head, '\n', &rest), "run_id");
	if (said.p && !str_eq(run_id, said))
		run_files_note(c, RUN_FILES_OTHER_RUN, "run_id is %.*s in meta.json, and %.*s in cassette.jsonl",
			       STR_ARG(run_id), STR_ARG(said));
	if (!val_is_none(files) && !run_files_check_names(l, files, name))
		run_files_note(c, RUN_FILES_UNNAMED, "meta.json does not name cassette.jsonl, nor its digest");
}

/* What the exit of the program makes of the run; NULL when meta.json does not say it. */
static const char *run_files_check_status_of(struct val exit)
{
	int64_t n;

	if (val_i64(val_get(exit, STR("signal")), &n))
		return "interrupted";
	if (val_i64(val_get(exit, STR("code")), &n))
		return n == 0 ? "success" : "error";
	return NULL;
}

/* What was declared for the run; a URI in the clear would be content. */
static void run_files_check_declared(struct run_files_look *l, struct val meta)
{
	struct val budget = val_get(meta, STR("budget")), set = val_get(meta, STR("retrieval_set"));
	struct audit_policy p = { 0 };
	struct err err;

	if (!val_is_none(budget) && !audit_budget_parse(l->out->arena, val_source(budget), &p, &err))
		run_files_note(l->out, RUN_FILES_DECLARED, "meta.json: the budget is not one: %.*s",
			       STR_ARG(str_cut(str_from(err.text), '\n', &(struct str){ 0 })));
	if (!val_is_none(set) && !audit_set_parse(l->out->arena, val_source(set), &p, &err))
		run_files_note(l->out, RUN_FILES_DECLARED, "meta.json: the retrieval set is not one: %.*s",
			       STR_ARG(str_cut(str_from(err.text), '\n', &(struct str){ 0 })));
	for (size_t i = 0; i < p.set_count; i++)
		if (p.set[i].p && !str_starts(p.set[i], STR("sha256:"))) {
			run_files_note(l->out, RUN_FILES_DECLARED,
				       "meta.json: the retrieval set has a URI that is no digest");
			return;
		}
}

/* The run that this one goes on from has a hash as logs have it, and a place in its log. */
static void run_files_check_lineage(struct run_files_look *l, struct val meta)
{
	struct val from = val_get(meta, STR("forked_from"));
	struct str hash = val_get_text(from, STR("run_hash"), l->out->arena), label = STR(OTUTL_LABEL_RUN);
	struct digest digest;
	int64_t seq;

	if (!val_is_none(from) && (!str_starts(hash, label) || !digest_parse(str_skip(hash, label.n), &digest) ||
				   !val_i64(val_get(from, STR("seq")), &seq) || seq < 0))
		run_files_note(l->out, RUN_FILES_LINEAGE, "meta.json: forked_from does not name a run and a seq of it");
}

/* False only with *err. A meta.json that cannot be trusted ends the check of the run, with a finding. */
static bool check_meta(struct run_files_look *l, struct val meta, struct err *err)
{
	struct val files = val_get(meta, STR("files")), run_id = val_get(meta, STR("run_id"));
	struct str id = val_text_copy(run_id, l->out->arena);
	const char *status = run_files_check_status_of(val_get(meta, STR("exit")));

	if (!val_is(meta, JSON_OBJECT) || !id.p || !(val_is_none(files) || val_is(files, JSON_ARRAY))) {
		run_files_note(l->out, RUN_FILES_META, "meta.json has no run_id, or its files are not a list");
		return true;
	}
	run_files_check_declared(l, meta);
	run_files_check_lineage(l, meta);
	if (!val_has(meta, STR("ended")) && val_is_none(files))
		run_files_note(l->out, RUN_FILES_OPEN, "meta.json has no end");
	else if (val_is_none(files))
		run_files_note(l->out, RUN_FILES_META, "meta.json has no list of files");
	else if (!compare_files(l, files, err))
		return false;
	compare_summaries(l, id, status);
	run_files_check_cassette(l, id, files);
	return true;
}

bool run_files_check(struct run_files_check *c, struct err *err)
{
	struct run_files_look l = { .out = c };
	struct str text = read_tail(c->arena, c->path, STR("meta.json"), (off_t)META_MAX);
	struct json_parser *of_meta = json_parser_open((struct json_options){ .allow_duplicates = false });
	bool done = true;
	struct val meta;

	c->files = c->bytes = 0;
	l.parser = json_parser_open((struct json_options){ .allow_duplicates = false });
	l.canon = canon_open(CANON_JCS);
	if (!text.p || !json_parse_copy(of_meta, text, &meta, NULL))
		run_files_note(c, RUN_FILES_META, "meta.json is not JSON, or longer than 16 MiB");
	else
		done = check_meta(&l, meta, err);
	canon_close(l.canon);
	json_parser_close(l.parser);
	json_parser_close(of_meta);
	return done;
}
