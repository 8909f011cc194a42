/* Where the samples of an evaluation come from: a document, lines, or the command line tool of the service. */
#include <errno.h>
#include <stdio.h>

#include "base/mask.h"
#include "json/stream.h"
#include "proc/answer.h"
#include "source/pieces.h"
#include "trial/import_private.h"

#define SHOWN 300 /* bytes of a complaint in a message */
#define SPACE " \t\r\n"

/* ---- a document ---- */

struct reading {
	struct prime *prime;
	struct import *import;
	struct prime_bytes from;
	struct str name;
	struct json_stream *stream;
	bool bare;  /* the document is the array */
	bool found; /* there were samples, if only none */
	uint64_t *n, *pages;
};

/* The first bytes that are not white space decide what the document is. */
static bool open_stream(struct reading *r, struct str *piece, struct err *err)
{
	static const struct json_stream_options how = { .json = { .allow_bom = true }, .value_max = PRIME_SAMPLE_MAX };
	struct json_stream_options o = how;
	struct str first;

	if (!r->from.read(r->from.context, piece, err))
		return false;
	first = str_trim(str_starts(*piece, STR("\xef\xbb\xbf")) ? str_skip(*piece, 3) : *piece);
	r->bare = first.n && first.p[0] == '[';
	r->found = r->bare;
	o.split_depth = r->bare ? 1 : 2;
	r->stream = json_stream_open(o);
	return true;
}

/* Samples are counted in *r->n whether or not they are imported, since the number may become an id. */
static bool take_value(struct reading *r, const struct json_item *item, struct err *err)
{
	int64_t pages;

	if (r->bare ? item->depth == 1 : item->depth == 2 && str_starts(item->pointer, STR("/samples/")))
		return prime_import(r->prime, r->import, item->value,
				    (struct prime_place){ r->name, item->line, ++*r->n }, err);
	if (!r->bare && item->depth == 1 && str_eq(item->name, STR("total_pages")) && r->pages &&
	    val_i64(item->value, &pages))
		*r->pages = pages > 0 ? (uint64_t)pages : 0;
	return true;
}

static bool fail_at(const struct reading *r, const struct json_issue *issue, struct err *err)
{
	return err_set(err, issue->code == JSON_E_LIMIT ? ERR_LIMIT : ERR_DATA, "%.*s: line %llu, column %llu: %s",
		       STR_ARG(r->name), (unsigned long long)issue->line, (unsigned long long)issue->column,
		       issue->message);
}

/* *over is set at the end of the document. */
static bool take_event(struct reading *r, enum json_event event, const struct json_item *item, bool *over,
		       struct err *err)
{
	struct str piece;

	switch (event) {
	case JSON_STREAM_MORE:
		if (!r->from.read(r->from.context, &piece, err))
			return false;
		if (piece.n)
			json_stream_feed(r->stream, piece);
		else
			json_stream_finish(r->stream);
		return true;
	case JSON_STREAM_ENTER:
		if (!r->bare && item->depth == 1 && str_eq(item->name, STR("samples")))
			r->found = item->type == JSON_ARRAY;
		return true;
	case JSON_STREAM_VALUE:
		return take_value(r, item, err);
	case JSON_STREAM_END:
		*over = true;
		return true;
	default:
		return true;
	}
}

/* Goes through the document as it comes, and imports each sample; at no time is more than one of them held. */
static bool read_document(struct reading *r, struct err *err)
{
	struct json_item item;
	struct json_issue issue;
	struct str piece;
	bool over = false;

	if (!open_stream(r, &piece, err))
		return false;
	/* the stream asks before it is fed */
	while (!over) {
		enum json_event event = json_stream_next(r->stream, &item, &issue);

		if (event == JSON_STREAM_FAIL)
			return fail_at(r, &issue, err);
		if (event == JSON_STREAM_MORE && piece.n) {
			json_stream_feed(r->stream, piece);
			piece.n = 0;
		} else if (!take_event(r, event, &item, &over, err)) {
			return false;
		}
	}
	if (!r->found)
		return err_set(err, ERR_DATA, "%.*s: there are no samples in it" ERR_HELP "it is what 'prime eval "
			       "samples ID -o json' prints, an object with an array called samples", STR_ARG(r->name));
	return true;
}

bool prime_import_samples(struct prime *p, struct import *im, struct str name, struct prime_bytes from, uint64_t *n,
			  uint64_t *pages, struct err *err)
{
	struct reading r = { .prime = p, .import = im, .from = from, .name = name, .n = n, .pages = pages };
	bool done = read_document(&r, err);

	if (r.stream)
		json_stream_close(r.stream);
	return done;
}

/* ---- lines ---- */

/* What Git leaves of a large file that was not fetched. */
static struct str explain_line(struct arena *a, struct str line, const struct json_issue *issue)
{
	if (str_starts(line, STR("version https://git-lfs")))
		return STR("the file is not here, only what Git LFS put in its place; 'git lfs pull' fetches it");
	return arena_printf(a, "column %llu: %s; take the line out, or write it again",
			    (unsigned long long)issue->column, issue->message);
}

/* Imports the lines of a chunk. A line that is not JSON is refused and counted as a sample. */
static bool take_lines(struct prime *p, struct import *im, struct json_parser *parser, const struct chunk *c,
		       uint64_t *n, struct err *err)
{
	const struct str none = { NULL, 0 };
	struct json_issue issue;
	struct json_record record;
	struct json_lines it;
	struct str name;

	json_lines_begin(&it, parser, c->bytes, c->first_line);
	for (;;) {
		switch (json_lines_next(&it, &record, &issue)) {
		case JSON_LINE_VALUE:
			if (!prime_import(p, im, record.value,
					  (struct prime_place){ c->input->name, record.line, ++*n }, err))
				return false;
			break;
		case JSON_LINE_BAD:
			++*n;
			arena_reset(&p->sample_arena);
			name = arena_printf(&p->sample_arena, "%.*s:%llu", STR_ARG(c->input->name),
					    (unsigned long long)record.line);
			if (!import_refuse(im, name, p->experiment, none,
					   explain_line(&p->sample_arena, record.text, &issue), err))
				return false;
			break;
		case JSON_LINE_BLANK:
			break;
		case JSON_LINE_END:
			return true;
		}
	}
}

bool prime_import_lines(struct prime *p, struct import *im, struct str path, struct err *err)
{
	struct source_options how = { .shape = SOURCE_LINES, .record_limit = PRIME_SAMPLE_MAX };
	struct json_parser *parser;
	struct source *source;
	struct arena arena;
	struct chunk chunk;
	struct buf bytes;
	uint64_t n = 0;
	bool done = true;
	enum next next = NEXT_END;

	arena_init(&arena);
	source = source_open(&arena, &path, 1, how, err);
	if (!source) {
		arena_free(&arena);
		return false;
	}
	buf_init(&bytes);
	parser = json_parser_open((struct json_options){ .allow_bom = true });
	while (done && (next = source_next(source, &bytes, &chunk, err)) == NEXT_MORE)
		done = take_lines(p, im, parser, &chunk, &n, err);
	json_parser_close(parser);
	buf_free(&bytes);
	source_close(source);
	arena_free(&arena);
	return done && next != NEXT_FAIL;
}

/* ---- files ---- */

static bool read_pieces(void *context, struct str *piece, struct err *err)
{
	enum next got = pieces_next(context, piece, err);

	if (got == NEXT_END)
		*piece = STR("");
	return got != NEXT_FAIL;
}

static bool has_lines(struct str path)
{
	static const char *const ends[] = {
		".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst",
	};

	for (size_t i = 0; i < COUNT(ends); i++)
		if (str_ends(path, str_from(ends[i])))
			return true;
	return false;
}

bool prime_import_file(struct prime *p, struct import *im, struct str path, struct err *err)
{
	struct pieces *pieces;
	uint64_t n = 0;
	bool done;

	if (has_lines(path))
		return prime_import_lines(p, im, path, err);
	pieces = pieces_open(path, err);
	if (!pieces)
		return false;
	done = prime_import_samples(p, im, path, (struct prime_bytes){ read_pieces, pieces }, &n, NULL, err);
	pieces_close(pieces);
	return done;
}

/* ---- the command line tool ---- */

/* What the tool complained about, with secrets masked and without control characters. */
static bool explain_failure(const char *const *argv, const struct answer *a, struct err *err)
{
	struct str said = str_trim(buf_str(&a->complaint));
	struct buf shown;

	buf_init(&shown);
	mask_show(&shown, said, SHOWN);
	for (size_t i = 0; i < shown.n; i++)
		if ((unsigned char)shown.p[i] < ' ' || shown.p[i] == 0x7f)
			shown.p[i] = ' ';
	if (a->signal)
		err_set(err, ERR_IO, "prime eval %s was ended by signal %d%s%.*s", argv[2], a->signal,
			shown.n ? ": " : "", STR_ARG(buf_str(&shown)));
	else
		err_set(err, ERR_IO, "prime eval %s failed with status %d%s%.*s"
			ERR_HELP "'prime login' signs in; 'prime eval list' shows the evaluations you can read",
			argv[2], a->status, shown.n ? ": " : "", STR_ARG(buf_str(&shown)));
	buf_free(&shown);
	return false;
}

/* Runs the tool to its end. ERR_IO when it cannot be run, or says that it failed. */
static bool ask(struct answer *a, const char *const *argv, struct err *err)
{
	if (!answer_get(a, argv, PRIME_OUTPUT_MAX, err)) {
		if (err->errnum == ENOENT)
			return err_set(err, ERR_IO, "the program 'prime' is not installed" ERR_HELP
				       "install it with 'uv tool install prime' and sign in with 'prime login'") ||
			       err_advise(err, ADVICE_PRIME_FILES);
		return false;
	}
	return (a->status == 0 && a->signal == 0) || explain_failure(argv, a, err);
}

/* An answer as bytes, once. */
static bool read_answer(void *context, struct str *piece, struct err *err)
{
	struct str *left = context;

	(void)err;
	*piece = *left;
	left->n = 0;
	return true;
}

/* Its samples go on from *n; *pages gets what the answer says of their number. */
static bool import_page(struct prime *p, struct import *im, struct answer *a, const char *id, uint64_t page,
			uint64_t *n, uint64_t *pages, struct err *err)
{
	char number[24], title[64];
	const char *first[] = { "prime", "eval", "samples", id, "--plain", "-n", "100", "-o", "json", NULL };
	const char *later[] = {
		"prime", "eval", "samples", id, "--plain", "-n", "100", "-p", number, "-o", "json", NULL,
	};
	struct str left, name;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)page);
	if (!ask(a, page == 1 ? first : later, err))
		return false;
	left = buf_str(&a->out);
	snprintf(title, sizeof(title), "prime eval samples, page %s", number);
	name = str_from(title);
	return prime_import_samples(p, im, name, (struct prime_bytes){ read_answer, &left }, n, pages, err);
}

/* Only the first page's word on their number counts: a service that keeps adding pages does not keep us. */
static bool import_pages(struct prime *p, struct import *im, struct answer *a, const char *id, struct err *err)
{
	uint64_t n = 0, pages = 1, none;

	for (uint64_t page = 1; page <= pages; page++) {
		if (!import_page(p, im, a, id, page, &n, page == 1 ? &pages : &none, err))
			return false;
		if (pages > PRIME_PAGES_MAX)
			return err_set(err, ERR_LIMIT, "prime eval samples: it says there are %llu pages, and %d are "
				       "the most", (unsigned long long)pages, PRIME_PAGES_MAX);
	}
	return true;
}

bool prime_import_hosted(struct import *im, struct str id, struct str experiment, struct prime **out, struct err *err)
{
	struct arena arena;
	struct answer answer;
	const char *argv[] = { "prime", "eval", "get", NULL, "--plain", "-o", "json", NULL };
	bool done;

	*out = NULL;
	if (id.n == 0 || id.p[0] == '-')
		return err_set(err, ERR_USAGE, "'%.*s' is not the id of an evaluation", STR_ARG(id));
	arena_init(&arena);
	answer_init(&answer);
	argv[3] = arena_copy(&arena, id).p;
	done = ask(&answer, argv, err);
	if (done)
		*out = prime_open(PRIME_HOSTED, STR("prime eval get"), buf_str(&answer.out), experiment, err);
	done = done && *out && import_pages(*out, im, &answer, argv[3], err);
	answer_free(&answer);
	arena_free(&arena);
	return done;
}
