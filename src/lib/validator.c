/*
 * Validation of bytes that are pushed. They are cut into chunks at the same places however they come: a
 * chunk is made when so many bytes are held, not when a call ends. A full buffer waits for the next byte,
 * so that the last chunk of a file is never an empty one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/formats.h"
#include "dialect/record.h"
#include "lib/outcome.h"
#include "lib/settings.h"
#include "source/lines.h"
#include "source/walk.h"

struct tw_validator {
	struct tw_report *report;
	struct settings settings;
	struct arena arena; /* the findings' */
	struct findings findings;
	struct buf held, rest; /* rest: what stood behind the whole lines while these are looked at */
	size_t aim;            /* bytes to hold before they are looked at */
	bool begun, lines;     /* begun: it is known whether it has lines, and which format it has */
	uint64_t bytes;
	struct check_chunk chunk; /* the next one's place */
	const struct dialect *dialect;
	const char *looks_like;
	enum validate_text_kind text; /* of a file of no known format */
	void *scanner, *batch, *fold;
	void *secrets, *keys; /* scanner and batch for keys, where the format does not look for them; else NULL */
	struct err failure; /* kind is not ERR_NONE: nothing more is looked at */
};

struct tw_validator *tw_validator_open(const char *name, const struct tw_validate_options *options)
{
	struct tw_validator *v = mem_alloc(sizeof(*v));

	*v = (struct tw_validator){ .failure = { .kind = ERR_NONE } };
	(void)settings_read(&v->settings, options, &v->failure); /* a failure is told at the end */
	v->report = outcome_new(str_from(name && *name ? name : "(memory)"), v->settings.check.mode);
	arena_init(&v->arena);
	findings_init(&v->findings, &v->arena, v->settings.check.finding_limit);
	buf_init(&v->held);
	buf_init(&v->rest);
	v->aim = SOURCE_CHUNK < v->settings.source.record_limit ? SOURCE_CHUNK : v->settings.source.record_limit;
	v->chunk.first_line = 1;
	return v;
}

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

static void choose_format(struct tw_validator *v, struct str first)
{
	v->dialect = v->settings.as;
	if (!v->dialect) {
		struct json_parser *p = dialect_detect_open();

		v->dialect = dialect_detect(p, first, v->lines, &v->looks_like);
		if (!v->dialect)
			v->text = validate_look_at(p, first, v->lines);
		json_parser_close(p);
	}
	if (!v->dialect)
		return;
	v->scanner = v->dialect->ops->scanner_open(v->dialect, &v->settings.check);
	v->batch = v->dialect->ops->batch_open(v->dialect);
	v->fold = v->dialect->ops->fold_open(v->dialect, &v->settings.check);
	v->dialect->ops->begin(v->fold, &v->findings);
	if (v->settings.check.secrets && !v->dialect->record) {
		v->secrets = record_ops.scanner_open(&secrets_dialect, &v->settings.check);
		v->keys = record_ops.batch_open(&secrets_dialect);
	}
}

static void check_chunk(struct tw_validator *v)
{
	const struct check_ops *ops = v->dialect->ops;

	ops->scan(v->scanner, &v->chunk, v->batch);
	if (v->secrets) {
		record_ops.scan(v->secrets, &v->chunk, v->keys);
		findings_merge(&v->findings, &((const struct record_batch *)v->keys)->findings);
	}
	if (!ops->fold(v->fold, v->batch, &v->failure))
		err_context(&v->failure, v->report->name.p);
}

/* Looks at all that is held: whole lines, or the end of the file, or a document. */
static void check_held(struct tw_validator *v)
{
	v->chunk.bytes = padded(&v->held);
	v->chunk.lines = v->lines;
	if (v->chunk.origin == 0)
		choose_format(v, v->chunk.bytes);
	if (v->dialect)
		check_chunk(v);
	else if (v->text == TEXT_BLANK && str_trim(v->chunk.bytes).n)
		v->text = TEXT_OTHER;
	v->chunk.origin += v->chunk.bytes.n;
	v->chunk.first_line += lines_count(v->chunk.bytes);
	v->bytes += v->chunk.bytes.n;
}

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
		if (v->dialect && v->dialect->ops->lose)
			v->dialect->ops->lose(v->fold); /* what it has seen is about to move */
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
	struct validate_part part = { .name = r->name, .findings = &v->findings };

	if (v->failure.kind == ERR_NONE)
		check_last(v);
	if (v->dialect)
		v->dialect->ops->finish(v->fold, &part.tally);
	else if (v->failure.kind == ERR_NONE)
		validate_note_unknown(&v->findings, v->text, v->looks_like, v->bytes);
	findings_sort(&v->findings);
	part.dialect = v->dialect;
	part.looks_like = v->looks_like;
	part.bytes = v->bytes;
	part.failure = v->failure.kind == ERR_NONE ? NULL : &v->failure;
	outcome_take(r, &part);
	v->report = NULL;
	tw_validator_free(v);
	return r;
}

void tw_validator_free(struct tw_validator *v)
{
	if (!v)
		return;
	if (v->dialect) {
		v->dialect->ops->scanner_close(v->scanner);
		v->dialect->ops->batch_close(v->batch);
		v->dialect->ops->fold_close(v->fold);
	}
	if (v->secrets) {
		record_ops.scanner_close(v->secrets);
		record_ops.batch_close(v->keys);
	}
	tw_report_free(v->report);
	arena_free(&v->arena);
	buf_free(&v->held);
	buf_free(&v->rest);
	mem_free(v);
}
