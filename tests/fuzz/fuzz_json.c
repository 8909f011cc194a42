/*
 * Every variant against the plain parser, on one document and on the same bytes as lines: the same
 * verdict and the same tape. The bytes after the text are hostile on purpose.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "json/scan.h"
#include "json/slow.h"

#define DEPTH 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void differ(void)
{
	abort();
}

static struct str key_text(const struct json_shapes *s, const struct json_tok *t)
{
	return s->keys[t->link].text;
}

static void compare(const struct scan *fast, uint32_t root, uint32_t shift, const struct slow_tape *slow,
		    const struct json_shapes *slow_shapes)
{
	for (uint32_t i = 0; i < slow->count; i++) {
		const struct json_tok *a = &fast->toks[root + i], *b = &slow->toks[i];

		if (a->off != b->off + shift || a->len != b->len || a->type != b->type || a->flags != b->flags)
			differ();
		if ((a->type == JSON_ARRAY || a->type == JSON_OBJECT) && a->link != b->link + root)
			differ();
		if (a->type == JSON_OBJECT && (a->shape == SHAPE_NONE) != (b->shape == SHAPE_NONE))
			differ();
		if (a->type == JSON_KEY && !str_eq(key_text(fast->shapes, a), key_text(slow_shapes, b)))
			differ();
	}
}

static bool run_slow(struct str text, struct slow_tape *tape, struct json_shapes *shapes, struct arena *arena)
{
	struct slow s = {
		.text = text,
		.options = { .max_depth = DEPTH },
		.single = true,
		.tape = tape,
		.shapes = shapes,
		.arena = arena,
	};

	tape->count = 0;
	if (slow_parse(&s, 0))
		return true;
	if (s.issue.code == JSON_OK || s.issue.offset > text.n || s.issue.line == 0 || s.issue.message[0] == 0)
		differ(); /* an error without a reason or a place */
	return false;
}

static void run_document(struct scan *s, const struct scan_variant *v, struct str text, bool slow_ok,
			 const struct slow_tape *tape, const struct json_shapes *shapes)
{
	bool ok;

	s->from = 0;
	s->to = (uint32_t)text.n;
	s->lines = false;
	ok = v->run(s) && s->row_count == 1 && s->rows[0].root != SCAN_NO_ROOT;
	if (ok != slow_ok)
		differ();
	if (ok && s->tok_count != tape->count)
		differ();
	if (ok)
		compare(s, 0, 0, tape, shapes);
}

static bool is_blank(struct str line)
{
	return str_trim(line).n == 0;
}

static void run_lines(struct scan *s, const struct scan_variant *v, struct str text)
{
	struct slow_tape tape;
	struct json_shapes shapes;
	struct arena arena;
	struct str rest = text, line;
	uint32_t row = 0;
	bool ok;

	slow_tape_init(&tape);
	shapes_init(&shapes);
	arena_init(&arena);
	s->from = 0;
	s->to = (uint32_t)text.n;
	s->lines = true;
	ok = v->run(s);
	while (rest.n) {
		uint32_t off = (uint32_t)(rest.p - text.p);
		bool good;

		line = str_cut(rest, '\n', &rest);
		good = is_blank(line) || run_slow(line, &tape, &shapes, &arena);
		if (!good && ok)
			differ();
		if (!good)
			goto done;
		if (!ok)
			continue; /* a later line must be the bad one */
		if (row >= s->row_count || s->rows[row].off != off)
			differ();
		if ((s->rows[row].root == SCAN_NO_ROOT) != is_blank(line))
			differ();
		if (!is_blank(line))
			compare(s, s->rows[row].root, off, &tape, &shapes);
		row++;
	}
	if (!ok)
		differ();
done:
	slow_tape_free(&tape);
	shapes_free(&shapes);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char pads[][3] = { { 0 }, "\"", "}", "]", "1", "\\", ",", "{" };
	char *copy = malloc(size + JSON_PAD);
	struct str text;
	const struct scan_variant *const *v;
	struct scan_frame stack[DEPTH + 1];
	struct slow_tape tape;
	struct json_shapes slow_shapes, fast_shapes;
	struct arena arena;
	bool ok;

	memcpy(copy, data, size);
	memset(copy + size, size ? pads[data[0] & 7][0] : 0, JSON_PAD);
	text = str_of(copy, size);
	slow_tape_init(&tape);
	shapes_init(&slow_shapes);
	arena_init(&arena);
	ok = run_slow(text, &tape, &slow_shapes, &arena);
	for (v = scan_variants(); *v; v++) {
		struct scan s = {
			.text = (const uint8_t *)copy, .shapes = &fast_shapes, .stack = stack, .max_depth = DEPTH
		};

		shapes_init(&fast_shapes);
		for (int twice = 0; twice < 2; twice++) { /* the second time the names are guessed */
			run_document(&s, *v, text, ok, &tape, &slow_shapes);
			run_lines(&s, *v, text);
		}
		mem_free(s.index);
		mem_free(s.escapes);
		mem_free(s.toks);
		mem_free(s.rows);
		shapes_free(&fast_shapes);
	}
	slow_tape_free(&tape);
	shapes_free(&slow_shapes);
	arena_free(&arena);
	free(copy);
	return 0;
}
