/*
 * The report of a sandbox: lines of words, one line for each fact. Bytes of a text that are not plain are written as
 * %XX, so that nothing the command chose can end a line or a word. The last line is "end": a report without it was cut.
 */
#include "proc/sandbox/private.h"

#include <inttypes.h>
#include <limits.h>

#include "base/buf.h"
#include "base/crypto/hex.h"
#include "base/file.h"
#include "base/num.h"

#define REPORT_FIRST "trackway-sandbox 1"
#define REPORT_MOST ((size_t)4 << 20)

/* ---- what is counted ---- */

static struct sandbox_denial *report_find(struct sandbox_tally *t, struct str call, struct str what)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_eq(t->rows[i].call, call) && str_eq(t->rows[i].what, what))
			return &t->rows[i];
	return NULL;
}

/* The last quarter of the rows is for calls without an address: there are fewer calls than that. */
void sandbox_tally_add(struct sandbox_tally *t, struct str call, struct str what, uint64_t count)
{
	struct sandbox_denial *d;

	if (what.n > SANDBOX_WHAT_MOST)
		what.n = SANDBOX_WHAT_MOST;
	d = report_find(t, call, what);
	if (!d && t->count >= SANDBOX_KINDS - SANDBOX_KINDS / 4) {
		what.n = 0;
		d = report_find(t, call, what);
	}
	if (d)
		d->count += count;
	if (d || count == 0 || t->count == SANDBOX_KINDS)
		return;
	d = &t->rows[t->count++];
	d->t_ms = (int64_t)((clock_mono_ns() - t->began_ns) / 1000000);
	d->call = arena_copy(t->arena, call);
	d->what = arena_copy(t->arena, what);
	d->count = count;
}

/* ---- writing ---- */

/* A word; "-" for an empty text. */
static void report_add_text(struct buf *b, struct str text)
{
	buf_add_byte(b, ' ');
	if (text.n == 0)
		buf_add_byte(b, '-');
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c <= ' ' || c >= 127 || c == '%' || (c == '-' && text.n == 1))
			buf_printf(b, "%%%02x", c);
		else
			buf_add_byte(b, (char)c);
	}
}

static void report_add_fact(struct buf *b, const char *name, struct str text)
{
	if (!text.p)
		return;
	buf_printf(b, "%s", name);
	report_add_text(b, text);
	buf_add_byte(b, '\n');
}

static bool report_write_text(void *context, int fd, struct err *err)
{
	const struct str *text = context;

	return file_write_all(fd, *text, err);
}

/* Nobody waits for the disk: whoever reads it writes what lasts. */
bool sandbox_report_write(struct str path, const struct sandbox_report *r, struct err *err)
{
	struct str text;
	struct buf b;
	bool written;

	buf_init(&b);
	buf_printf(&b, REPORT_FIRST "\n");
	report_add_fact(&b, "level", str_from(sandbox_level_name(r->level)));
	report_add_fact(&b, "kernel", r->kernel);
	report_add_fact(&b, "limits", r->limits_by);
	report_add_fact(&b, "user", r->user);
	buf_printf(&b, "ended %d %d %d %d %d %" PRIu64 "\n", r->started, r->timed_out, r->status, r->signal,
		   r->emptied, r->left_behind);
	for (size_t i = 0; i < r->denial_count; i++) {
		const struct sandbox_denial *d = &r->denials[i];

		buf_printf(&b, "denied %" PRId64 " %" PRIu64, d->t_ms, d->count);
		report_add_text(&b, d->call);
		report_add_text(&b, d->what);
		buf_add_byte(&b, '\n');
	}
	for (size_t i = 0; i < r->unseen_count; i++)
		report_add_fact(&b, "unseen", r->unseen[i]);
	report_add_fact(&b, "failure", r->failure);
	buf_printf(&b, "end\n");
	text = buf_str(&b);
	written = file_replace_later_by(path, report_write_text, &text, 0600, err);
	buf_free(&b);
	return written;
}

/* ---- reading ---- */

struct report_reading {
	struct arena *arena;
	struct sandbox_report *r;
	size_t denial_cap, unseen_cap;
	bool has_level, has_end;
};

static bool report_read_text(struct arena *a, struct str word, struct str *out)
{
	struct buf b;
	bool good = word.n > 0;

	buf_init(&b);
	if (str_eq(word, STR("-")))
		word.n = 0;
	for (size_t i = 0; i < word.n && good; i++) {
		unsigned char byte;

		if (word.p[i] != '%') {
			buf_add_byte(&b, word.p[i]);
			continue;
		}
		good = word.n - i > 2 && hex_parse(str_of(word.p + i + 1, 2), &byte, 1);
		if (good)
			buf_add_byte(&b, (char)byte);
		i += 2;
	}
	*out = arena_copy(a, buf_str(&b));
	buf_free(&b);
	return good;
}

static bool report_read_number(struct str *rest, uint64_t most, uint64_t *out)
{
	return num_parse_u64(str_cut(*rest, ' ', rest), out) && *out <= most;
}

static bool report_read_level(struct report_reading *g, struct str rest)
{
	for (int i = 0; i < SANDBOX_LEVELS; i++)
		if (str_eq(rest, str_from(sandbox_level_name((enum sandbox_level)i)))) {
			g->r->level = (enum sandbox_level)i;
			g->has_level = true;
		}
	return g->has_level;
}

static bool report_read_ended(struct report_reading *g, struct str rest)
{
	uint64_t started, late, status, signal, emptied;

	if (!report_read_number(&rest, 1, &started) || !report_read_number(&rest, 1, &late) ||
	    !report_read_number(&rest, 255, &status) || !report_read_number(&rest, 128, &signal) ||
	    !report_read_number(&rest, 1, &emptied) || !report_read_number(&rest, UINT64_MAX, &g->r->left_behind))
		return false;
	g->r->started = started;
	g->r->timed_out = late;
	g->r->status = (int)status;
	g->r->signal = (int)signal;
	g->r->emptied = emptied;
	return g->has_end = rest.n == 0;
}

static bool report_read_denied(struct report_reading *g, struct str rest)
{
	struct sandbox_denial *d;
	uint64_t t;

	arena_grow(g->arena, g->r->denials, g->r->denial_count, g->denial_cap, 16);
	d = &g->r->denials[g->r->denial_count++];
	if (!report_read_number(&rest, INT64_MAX, &t) || !report_read_number(&rest, UINT64_MAX, &d->count))
		return false;
	d->t_ms = (int64_t)t;
	return report_read_text(g->arena, str_cut(rest, ' ', &rest), &d->call) &&
	       report_read_text(g->arena, rest, &d->what);
}

static bool report_read_unseen(struct report_reading *g, struct str rest)
{
	arena_grow(g->arena, g->r->unseen, g->r->unseen_count, g->unseen_cap, 8);
	return report_read_text(g->arena, rest, &g->r->unseen[g->r->unseen_count++]);
}

static bool report_read_kernel(struct report_reading *g, struct str rest)
{
	return report_read_text(g->arena, rest, &g->r->kernel);
}

static bool report_read_limits(struct report_reading *g, struct str rest)
{
	return report_read_text(g->arena, rest, &g->r->limits_by);
}

static bool report_read_user(struct report_reading *g, struct str rest)
{
	return report_read_text(g->arena, rest, &g->r->user);
}

static bool report_read_failure(struct report_reading *g, struct str rest)
{
	return report_read_text(g->arena, rest, &g->r->failure);
}

static const struct {
	const char *name;
	bool (*read)(struct report_reading *g, struct str rest);
} report_facts[] = {
	{ "level", report_read_level },   { "kernel", report_read_kernel }, { "limits", report_read_limits },
	{ "user", report_read_user },     { "ended", report_read_ended },   { "denied", report_read_denied },
	{ "unseen", report_read_unseen }, { "failure", report_read_failure },
};

static bool report_read_line(struct report_reading *g, struct str line)
{
	struct str rest, name = str_cut(line, ' ', &rest);

	for (size_t i = 0; i < COUNT(report_facts); i++)
		if (str_eq(name, str_from(report_facts[i].name)))
			return report_facts[i].read(g, rest);
	return false;
}

static bool report_read_all(struct report_reading *g, struct str text)
{
	if (!str_eq(str_cut(text, '\n', &text), STR(REPORT_FIRST)))
		return false;
	while (text.n) {
		struct str line = str_cut(text, '\n', &text);

		if (str_eq(line, STR("end")))
			return g->has_level && g->has_end && text.n == 0;
		if (!report_read_line(g, line))
			return false;
	}
	return false;
}

bool sandbox_report_read(struct arena *a, struct str path, struct sandbox_report *out, struct err *err)
{
	struct sandbox_report r = { .level = SANDBOX_NONE };
	struct report_reading g = { .arena = a, .r = &r };
	struct str text;

	if (!file_read(a, path, REPORT_MOST, &text, err))
		return err_context(err, "the report of a sandbox");
	if (!report_read_all(&g, text))
		return err_set(err, ERR_DATA, "%.*s: this is not the whole report of a sandbox", STR_ARG(path));
	*out = r;
	return true;
}
