/*
 * The parser behind json.h: the fast scanner first, over one text or over a batch of lines; whatever it does not take
 * goes through the plain parser, which has the last word and knows the place.
 */
#include <assert.h>

#include "base/buf.h"
#include "json/scan.h"
#include "json/slow.h"

struct json_parser {
	struct json_options options;
	const struct scan_variant *variant;
	struct scan scan;
	struct json_shapes shapes;
	struct json_tape tape;
	struct slow_tape slow_tape;
	struct arena arena; /* pointers of issues; the plain parser's scratch */
	struct buf copy;
};

struct json_parser *json_parser_open(struct json_options options)
{
	struct json_parser *p = mem_alloc(sizeof(*p));

	memset(p, 0, sizeof(*p));
	p->options = options;
	if (p->options.max_depth == 0)
		p->options.max_depth = JSON_DEPTH;
	if (p->options.max_depth > JSON_DEPTH_MAX)
		p->options.max_depth = JSON_DEPTH_MAX;
	p->variant = scan_chosen();
	shapes_init(&p->shapes);
	slow_tape_init(&p->slow_tape);
	arena_init(&p->arena);
	buf_init(&p->copy);
	p->scan.shapes = &p->shapes;
	p->scan.max_depth = p->options.max_depth;
	p->scan.stack = mem_alloc(((size_t)p->options.max_depth + 1) * sizeof(*p->scan.stack));
	return p;
}

void json_parser_close(struct json_parser *p)
{
	if (!p)
		return;
	mem_free(p->scan.index);
	mem_free(p->scan.escapes);
	mem_free(p->scan.toks);
	mem_free(p->scan.rows);
	mem_free(p->scan.stack);
	shapes_free(&p->shapes);
	slow_tape_free(&p->slow_tape);
	arena_free(&p->arena);
	buf_free(&p->copy);
	mem_free(p);
}

bool slow_parse_for(struct json_parser *p, struct slow *s, size_t at, struct val *out)
{
	s->options = p->options;
	s->tape = &p->slow_tape;
	s->shapes = &p->shapes;
	s->arena = &p->arena;
	arena_reset(&p->arena);
	shapes_empty_if_full(&p->shapes);
	p->slow_tape.count = 0;
	if (!slow_parse(s, at))
		return false;
	p->tape = (struct json_tape){ s->text.p, p->slow_tape.toks, p->slow_tape.count, &p->shapes };
	*out = (struct val){ &p->tape, 0 };
	return true;
}

/* One record through the plain parser, which has the last word and knows the place. */
static bool parse_slowly(struct json_parser *p, struct str text, size_t at, struct val *out, struct json_issue *issue)
{
	struct slow s = { .text = text, .single = true };

	if (slow_parse_for(p, &s, at, out))
		return true;
	if (issue)
		*issue = s.issue;
	return false;
}

/* False says nothing about the text but that the plain parser must look at it. The old tape is gone either way. */
static bool parse_fast(struct json_parser *p, struct str text, size_t from, size_t to, bool lines)
{
	p->scan.text = (const uint8_t *)text.p;
	p->scan.from = (uint32_t)from;
	p->scan.to = (uint32_t)to;
	p->scan.lines = lines;
	shapes_empty_if_full(&p->shapes);
	if (!p->variant->run(&p->scan))
		return false;
	p->tape = (struct json_tape){ text.p, p->scan.toks, p->scan.tok_count, &p->shapes };
	return true;
}

/* Always false, with the issue of a text that is not even begun. */
static bool is_beyond(struct json_issue *issue, const char *message)
{
	if (issue) {
		*issue = (struct json_issue){ .code = JSON_E_LIMIT, .line = 1, .column = 1 };
		memcpy(issue->message, message, strlen(message) + 1);
	}
	return false;
}

/* Behind the string whose first byte is at `at`. */
static size_t string_end(struct str text, size_t at)
{
	bool escaped = true;

	while (escaped && at < text.n) {
		const char *quote = memchr(text.p + at, '"', text.n - at);
		size_t end = quote ? (size_t)(quote - text.p) : text.n, back = end;

		while (back > at && text.p[back - 1] == '\\')
			back--;
		escaped = (end - back) % 2 != 0;
		at = end + 1;
	}
	return at;
}

/* A text of brackets and commas takes many times its own size to parse: they are counted first. */
static bool has_too_many(struct str text, size_t most)
{
	size_t values = 0;

	if (most == 0 || text.n <= most)
		return false;
	for (size_t at = 0; at < text.n && values <= most;) {
		char c = text.p[at++];

		values += c == ',' || c == ':' || c == '[' || c == '{';
		if (c == '"')
			at = string_end(text, at);
	}
	return values > most;
}

bool json_parse(struct json_parser *p, struct str text, struct val *out, struct json_issue *issue)
{
	if (text.n >= UINT32_MAX - JSON_PAD)
		return is_beyond(issue, "the text is longer than 4 GiB, the most one parse can take");
	if (has_too_many(text, p->options.max_values))
		return is_beyond(issue, "the text has more values in it than are read at once");
	if (parse_fast(p, text, 0, text.n, false) && p->scan.row_count == 1 && p->scan.rows[0].root != SCAN_NO_ROOT) {
		*out = (struct val){ &p->tape, 0 };
		return true;
	}
	return parse_slowly(p, text, 0, out, issue);
}

bool json_parse_copy(struct json_parser *p, struct str text, struct val *out, struct json_issue *issue)
{
	buf_clear(&p->copy);
	buf_add_str(&p->copy, text);
	memset(buf_reserve(&p->copy, JSON_PAD), 0, JSON_PAD);
	return json_parse(p, str_of(p->copy.p, text.n), out, issue);
}

/* ---- lines ---- */

void json_lines_begin(struct json_lines *it, struct json_parser *p, struct str chunk, uint64_t first_line)
{
	assert(chunk.n < UINT32_MAX - JSON_PAD); /* source/ gives no larger chunk */
	*it = (struct json_lines){ .parser = p, .text = chunk, .line = first_line };
}

/* After the LF that ends the line at `at`, or the end of the text. */
static size_t line_after(struct str text, size_t at)
{
	const char *lf = memchr(text.p + at, '\n', text.n - at);

	return lf ? (size_t)(lf - text.p) + 1 : text.n;
}

/* Where a batch of whole lines ends: within SCAN_BATCH where a line end allows it, else behind the one long line. */
static size_t batch_end(struct str text, size_t at)
{
	const char *lf;

	if (text.n - at <= SCAN_BATCH)
		return text.n;
	lf = memrchr(text.p + at, '\n', SCAN_BATCH);
	return lf ? (size_t)(lf - text.p) + 1 : line_after(text, at + SCAN_BATCH);
}

static struct str without_cr(struct str line)
{
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

/* A line of a batch that did not pass: alone, first fast, then slowly. */
static enum json_line next_alone(struct json_lines *it, struct json_record *out, struct json_issue *issue)
{
	struct json_parser *p = it->parser;
	size_t end = line_after(it->text, it->at), n = end - it->at;
	struct str line;

	out->ended = end > it->at && it->text.p[end - 1] == '\n';
	line = without_cr(str_of(it->text.p + it->at, n - out->ended));
	out->text = line;
	out->offset = it->at;
	out->line = it->line++;
	it->at = end;
	if (str_trim(line).n == 0)
		return JSON_LINE_BLANK;
	if (parse_fast(p, it->text, out->offset, out->offset + line.n, true) && p->scan.row_count == 1 &&
	    p->scan.rows[0].root != SCAN_NO_ROOT) {
		out->value = (struct val){ &p->tape, p->scan.rows[0].root };
		return JSON_LINE_VALUE;
	}
	if (parse_slowly(p, line, 0, &out->value, issue))
		return JSON_LINE_VALUE;
	if (issue) {
		issue->line = out->line;
		issue->offset += out->offset;
	}
	return JSON_LINE_BAD;
}

enum json_line json_lines_next(struct json_lines *it, struct json_record *out, struct json_issue *issue)
{
	struct json_parser *p = it->parser;
	const struct scan_line *row;

	while (it->next_row == it->rows) {
		if (it->at < it->alone_until)
			return next_alone(it, out, issue);
		if (it->at == it->text.n)
			return JSON_LINE_END;
		it->batch_end = batch_end(it->text, it->at);
		if (!parse_fast(p, it->text, it->at, it->batch_end, true)) {
			it->alone_until = it->batch_end;
			continue;
		}
		it->next_row = 0;
		it->rows = p->scan.row_count;
		it->at = it->batch_end;
	}
	row = &p->scan.rows[it->next_row++];
	assert(row->off <= row->end && row->end <= it->batch_end);
	out->offset = row->off;
	out->text = without_cr(str_of(it->text.p + row->off, row->end - row->off));
	out->line = it->line++;
	out->ended = row->end < it->batch_end;
	if (row->root == SCAN_NO_ROOT)
		return JSON_LINE_BLANK;
	out->value = (struct val){ &p->tape, row->root };
	return JSON_LINE_VALUE;
}
