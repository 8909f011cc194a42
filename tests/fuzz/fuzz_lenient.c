/*
 * Foreign logs, read leniently. Each line that is one clean value gives that value and no report;
 * every other line that is not blank gives at least one report. Places are in the chunk, in the line
 * they name, and come in order. The last value of a name is found.
 *
 * The first byte of an input chooses the parser's options; the rest is the chunk.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "base/buf.h"
#include "json/lenient.h"

struct seen {
	struct str chunk;
	uint64_t line; /* of the latest value or report */
	size_t *values_of, *reports_of; /* by line */
};

static void note(void *context, const struct json_issue *issue)
{
	struct seen *s = context;
	struct issue_mark m = { 0 };

	FUZZ_CHECK(issue->code != JSON_OK && issue->message[0] != '\0');
	FUZZ_CHECK(issue->offset <= s->chunk.n && issue->length <= s->chunk.n - issue->offset);
	FUZZ_CHECK(issue->line >= s->line);
	issue_mark_move(&m, s->chunk, issue->offset);
	FUZZ_CHECK(m.line == issue->line && m.column == issue->column);
	s->line = issue->line;
	s->reports_of[issue->line]++;
}

static void check_names(struct val object)
{
	struct val_iter it = val_begin(object);
	struct val key, value;
	struct arena a;

	arena_init(&a);
	while (val_next_member(&it, &key, &value)) {
		struct val found;

		if (val_tok(key)->flags & (JSON_LONE | JSON_ODD))
			continue; /* what is compared is not what is shown */
		found = val_get(object, val_text(key, &a));
		FUZZ_CHECK(val_text_is(key, val_text(key, &a)));
		FUZZ_CHECK(found.tape == value.tape && found.at >= value.at);
	}
	arena_free(&a);
}

/* Line by line: what lenient reading made of it against what strict reading says. */
static void check_lines(const struct seen *s, struct json_options options)
{
	struct json_parser *p = json_parser_open(options);
	struct str rest = s->chunk, line;
	struct val v;

	for (uint64_t n = 1; rest.n > 0; n++) {
		line = str_cut(rest, '\n', &rest);
		if (str_trim(line).n == 0)
			FUZZ_CHECK(s->values_of[n] == 0 && s->reports_of[n] == 0);
		else if (json_parse_copy(p, line, &v, NULL))
			FUZZ_CHECK(s->values_of[n] == 1 && s->reports_of[n] == 0);
		else
			FUZZ_CHECK(s->reports_of[n] > 0);
	}
	json_parser_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_options options = { .max_depth = 40 };
	struct seen s = { 0 };
	struct json_parser *p;
	struct json_lenient it;
	struct buf chunk;
	uint64_t line;
	struct val v;

	if (size < 1)
		return 0;
	options.allow_duplicates = data[0] & 1;
	options.allow_lone = data[0] & 2;
	options.allow_bom = data[0] & 4;
	buf_init(&chunk);
	buf_add(&chunk, data + 1, size - 1);
	memset(buf_reserve(&chunk, JSON_PAD), ']', JSON_PAD);
	s.chunk = buf_str(&chunk);
	s.values_of = calloc(size + 2, sizeof(size_t));
	s.reports_of = calloc(size + 2, sizeof(size_t));
	FUZZ_CHECK(s.values_of && s.reports_of);
	p = json_parser_open(options);
	json_lenient_begin(&it, p, s.chunk, 1, note, &s);
	while (json_lenient_next(&it, &v, &line)) {
		struct str source = val_source(v);

		FUZZ_CHECK(line >= s.line);
		FUZZ_CHECK(source.p >= s.chunk.p && source.p + source.n <= s.chunk.p + s.chunk.n);
		check_names(v);
		s.line = line;
		s.values_of[line]++;
	}
	check_lines(&s, options);
	json_parser_close(p);
	buf_free(&chunk);
	free(s.values_of);
	free(s.reports_of);
	return 0;
}
