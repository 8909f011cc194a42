/*
 * Validation of bytes that are pushed. They are cut into chunks at the same places however they come: a
 * chunk is made when so many bytes are held, not when a call ends. A full buffer waits for the next byte,
 * so that the last chunk of a file is never an empty one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "flow/checking.h"
#include "lib/outcome.h"
#include "lib/settings.h"
#include "source/lines.h"
#include "source/walk.h"

struct tw_validator {
	struct tw_report *report;
	struct settings settings;
	struct checking_tools tools;
	struct checking_result result;
	struct checking checking;
	struct buf held, rest; /* rest: what stood behind the whole lines while these are looked at */
	size_t aim;            /* bytes to hold before they are looked at */
	bool begun, lines;     /* begun: it is known whether it has lines */
	struct check_chunk chunk; /* the next one's place */
	struct err failure; /* kind is not ERR_NONE: nothing more is looked at */
};

struct tw_validator *tw_validator_open(const char *name, const struct tw_validate_options *options)
{
	struct tw_validator *v = mem_alloc(sizeof(*v));

	*v = (struct tw_validator){ .failure = { .kind = ERR_NONE } };
	(void)settings_read(&v->settings, options, &v->failure); /* a failure is told at the end */
	v->report = outcome_new(str_from(name && *name ? name : "(memory)"), v->settings.check.mode);
	checking_tools_init(&v->tools, v->settings.as, &v->settings.check);
	checking_init(&v->checking, &v->settings.check);
	checking_begin(&v->checking, v->report->name);
	buf_init(&v->held);
	buf_init(&v->rest);
	v->aim = SOURCE_CHUNK < v->settings.source.record_limit ? SOURCE_CHUNK : v->settings.source.record_limit;
	v->chunk.first_line = 1;
	return v;
}

/* The bytes held, with the zeros behind them that the scanner may read beyond the end. */
static struct str padded(struct buf *b)
{
	memset(buf_reserve(b, SOURCE_PAD), 0, SOURCE_PAD);
	return buf_str(b);
}

/* Whether it has lines is decided by the first bytes, as many as are held by then. */
static void choose_form(struct tw_validator *v)
{
	enum source_shape shape = v->settings.source.shape;

	v->begun = true;
	v->lines = shape == SOURCE_LINES;
	if (shape == SOURCE_CONTENT)
		v->lines = lines_are(buf_str(&v->held), walk_is_lines(v->report->name));
}

/* Looks at all that is held: whole lines, or the end of the file, or a document. */
static void check_held(struct tw_validator *v)
{
	v->chunk.bytes = padded(&v->held);
	v->chunk.lines = v->lines;
	checking_scan(&v->tools, &v->chunk, &v->result);
	checking_add(&v->checking, &v->chunk, &v->result);
	v->chunk.origin += v->chunk.bytes.n;
	v->chunk.first_line += lines_count(v->chunk.bytes);
	if (v->checking.input.failure)
		v->failure = v->checking.failure;
}

/* Names the line, or the document, in the same words as a file's source does. */
static void fail_too_long(struct tw_validator *v)
{
	size_t limit = v->settings.source.record_limit;
	bool mib = limit % (1 << 20) == 0;
	char what[40] = "the document";

	if (v->lines)
		snprintf(what, sizeof(what), "line %" PRIu64, v->chunk.first_line);
	err_set(&v->failure, ERR_LIMIT, "%s: %s is longer than %zu %s, the limit for one record", v->report->name.p,
		what, mib ? limit >> 20 : limit, mib ? "MiB" : "bytes");
}

/* So much is held as was aimed at, and more is to come. */
static void make_room(struct tw_validator *v)
{
	size_t most = v->settings.source.record_limit + 1; /* a line of just the limit, and its LF */
	const char *lf;
	size_t n;

	if (!v->begun)
		choose_form(v);
	lf = v->lines ? memrchr(v->held.p, '\n', v->held.n) : NULL;
	if (lf) {
		n = (size_t)(lf + 1 - v->held.p);
		buf_clear(&v->rest);
		buf_add(&v->rest, v->held.p + n, v->held.n - n);
		v->held.n = n;
		check_held(v);
		checking_lose(&v->checking); /* what it has seen is about to move */
		buf_clear(&v->held);
		buf_add_str(&v->held, buf_str(&v->rest));
		v->aim = SOURCE_CHUNK < most ? SOURCE_CHUNK : most;
	}
	if (v->held.n >= most) {
		fail_too_long(v);
		return;
	}
	while (v->aim <= v->held.n)
		v->aim = v->aim < most / 2 ? v->aim * 2 : most;
}

int tw_validator_feed(struct tw_validator *v, const void *bytes, size_t size)
{
	const char *p = bytes;

	if (!bytes && size && v->failure.kind == ERR_NONE)
		err_set(&v->failure, ERR_USAGE, "%zu bytes at NULL", size);
	while (size > 0 && v->failure.kind == ERR_NONE) {
		size_t n;

		if (v->held.n == v->aim)
			make_room(v);
		if (v->failure.kind != ERR_NONE)
			break;
		n = size < v->aim - v->held.n ? size : v->aim - v->held.n;
		buf_add(&v->held, p, n);
		p += n;
		size -= n;
	}
	return v->failure.kind == ERR_NONE;
}

/* The end of the input: the last line may be without its LF, but not longer than the limit either. */
static void check_last(struct tw_validator *v)
{
	const char *lf;
	size_t tail;

	if (!v->begun)
		choose_form(v);
	lf = v->lines && v->held.n ? memrchr(v->held.p, '\n', v->held.n) : NULL;
	tail = lf ? (size_t)(v->held.p + v->held.n - (lf + 1)) : v->held.n;
	if (tail > v->settings.source.record_limit)
		fail_too_long(v);
	else
		check_held(v);
}

struct tw_report *tw_validator_finish(struct tw_validator *v)
{
	struct tw_report *r = v->report;

	if (v->failure.kind == ERR_NONE)
		check_last(v);
	if (v->failure.kind != ERR_NONE)
		checking_fail(&v->checking, &v->failure);
	outcome_take(r, checking_end(&v->checking));
	v->report = NULL;
	tw_validator_free(v);
	return r;
}

void tw_validator_free(struct tw_validator *v)
{
	if (!v)
		return;
	checking_free(&v->checking);
	checking_result_free(&v->result);
	checking_tools_free(&v->tools);
	tw_report_free(v->report);
	buf_free(&v->held);
	buf_free(&v->rest);
	mem_free(v);
}
