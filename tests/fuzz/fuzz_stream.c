/*
 * The value stream against the plain parser, and against itself with the document cut elsewhere: the
 * same events, the same verdict, and for a bad document the same place and words. Each value must be
 * where the stream says it is.
 *
 * The first three bytes of an input choose the split, the options and limits, and the cuts; the rest
 * is the document.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "base/buf.h"
#include "json/slow.h"
#include "json/stream.h"

#define HEAD 3
#define SMALL_VALUE 40

struct plain { /* what the plain parser makes of the document */
	struct slow_tape toks;
	struct json_shapes shapes;
	struct arena arena;
	struct json_tape tape;
	struct json_issue issue;
	bool good;
};

static void plain_init(struct plain *p, struct str text, struct json_options options)
{
	struct slow s = { .text = text, .options = options, .single = true, .tape = &p->toks, .shapes = &p->shapes };

	slow_tape_init(&p->toks);
	shapes_init(&p->shapes);
	arena_init(&p->arena);
	s.arena = &p->arena;
	p->good = slow_parse(&s, 0);
	p->issue = s.issue;
	p->tape = (struct json_tape){ text.p, p->toks.toks, p->toks.count, &p->shapes };
}

static void plain_free(struct plain *p)
{
	slow_tape_free(&p->toks);
	shapes_free(&p->shapes);
	arena_free(&p->arena);
}

static void print_issue(struct buf *out, const struct json_issue *i)
{
	buf_printf(out, "%s %zu+%zu %llu:%llu \"%.*s\" %s\n", json_code_name(i->code), i->offset, i->length,
		   (unsigned long long)i->line, (unsigned long long)i->column, STR_ARG(i->pointer), i->message);
}

static void print_item(struct buf *out, enum json_event e, const struct json_item *i)
{
	buf_printf(out, "%d %d %u %llu:%llu %d \"", (int)e, (int)i->type, (unsigned)i->depth,
		   (unsigned long long)i->offset, (unsigned long long)i->line, i->named);
	buf_add_str(out, i->name);
	buf_add_str(out, i->pointer);
	if (e == JSON_STREAM_VALUE)
		buf_add_str(out, i->text);
	buf_add_byte(out, '\n');
}

/* Feeds pieces of `cut` bytes, or of a length drawn from it when it is odd; 0 is the whole. */
static size_t next_cut(uint32_t *cut, size_t left)
{
	size_t n = *cut ? *cut : left;

	if (*cut & 1) {
		*cut = (*cut * 1664525 + 1013904223) | 1;
		n = *cut >> 27;
	}
	return n < left ? n : left;
}

static enum json_event run(struct json_stream_options options, struct str text, uint32_t cut, const struct plain *p,
			   struct buf *out)
{
	bool unique = !options.json.allow_duplicates && !options.json.allow_lone;
	struct json_stream *s = json_stream_open(options);
	enum json_event e = JSON_STREAM_MORE;
	struct json_issue issue;
	struct json_item item;
	char *piece = NULL;
	size_t at = 0;

	while (e != JSON_STREAM_END && e != JSON_STREAM_FAIL) {
		e = json_stream_next(s, &item, &issue);
		if (e == JSON_STREAM_MORE && at == text.n) {
			json_stream_finish(s);
		} else if (e == JSON_STREAM_MORE) {
			size_t n = next_cut(&cut, text.n - at);

			free(piece);
			piece = malloc(n + 1);
			FUZZ_CHECK(piece);
			memcpy(piece, text.p + at, n);
			json_stream_feed(s, str_of(piece, n));
			at += n;
		} else if (e == JSON_STREAM_VALUE) {
			FUZZ_CHECK(str_eq(item.text, str_of(text.p + item.offset, item.text.n)));
			FUZZ_CHECK(str_eq(item.text, val_source(item.value)));
			if (p->good && unique) {
				struct val v = val_at((struct val){ &p->tape, 0 }, item.pointer);

				FUZZ_CHECK(!val_is_none(v) && val_source(v).p == text.p + item.offset);
			}
			print_item(out, e, &item);
		} else if (e == JSON_STREAM_FAIL) {
			print_issue(out, &issue);
		} else if (e != JSON_STREAM_END) {
			print_item(out, e, &item);
		}
	}
	json_stream_close(s);
	free(piece);
	return e;
}

static void check_against_plain(const struct plain *p, enum json_event e, const struct buf *out)
{
	struct buf want;
	struct str got = buf_str(out);

	FUZZ_CHECK(p->good == (e == JSON_STREAM_END));
	if (p->good)
		return;
	buf_init(&want);
	print_issue(&want, &p->issue);
	FUZZ_CHECK(str_ends(got, buf_str(&want)));
	buf_free(&want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_stream_options options = { 0 };
	struct buf whole, cut;
	struct plain p;
	struct str text;
	enum json_event e;

	if (size < HEAD)
		return 0;
	text = str_of(data + HEAD, size - HEAD);
	options.split_depth = data[0] % 6;
	options.json.max_depth = data[0] & 64 ? 1 + data[0] % 4 : 200;
	options.json.allow_duplicates = data[1] & 1;
	options.json.allow_lone = data[1] & 2;
	options.json.allow_bom = data[1] & 4;
	options.value_max = data[1] & 8 ? SMALL_VALUE : 0;
	options.names_max = data[1] & 16 ? 2000 : 0;
	plain_init(&p, text, options.json);
	buf_init(&whole);
	buf_init(&cut);
	e = run(options, text, 0, &p, &whole);
	FUZZ_CHECK(run(options, text, 1 + data[2], &p, &cut) == e);
	FUZZ_CHECK(str_eq(buf_str(&whole), buf_str(&cut)));
	if (!options.value_max && !options.names_max)
		check_against_plain(&p, e, &whole);
	buf_free(&whole);
	buf_free(&cut);
	plain_free(&p);
	return 0;
}
