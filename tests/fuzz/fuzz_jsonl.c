/*
 * A chunk of lines against its lines one by one: the same kinds, numbers and values, whatever the
 * lines around them are. Now and then the chunk is repeated until it spans two batches.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "json/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_blank(struct str line)
{
	return str_trim(line).n == 0;
}

static void check_line(struct json_parser *alone, struct str line, enum json_line got, const struct json_record *rec,
		       const struct json_issue *issue, size_t offset)
{
	struct json_issue want;
	struct val v;

	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (!str_eq(line, rec->text) || rec->offset != offset)
		abort();
	if (is_blank(line)) {
		if (got != JSON_LINE_BLANK)
			abort();
		return;
	}
	if (json_parse_copy(alone, line, &v, &want)) {
		if (got != JSON_LINE_VALUE || !str_eq(val_source(rec->value), val_source(v)))
			abort();
		return;
	}
	if (got != JSON_LINE_BAD || issue->code != want.code || issue->offset != want.offset + offset ||
	    issue->column != want.column || issue->line != rec->line || !str_eq(issue->pointer, want.pointer))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_options options = { .max_depth = 30 };
	struct json_parser *p = json_parser_open(options), *alone = json_parser_open(options);
	size_t times = size > 9 && data[0] == ' ' && data[1] == '\n' ? SCAN_BATCH / size + 2 : 1, n = size * times;
	char *chunk = malloc(n + JSON_PAD);
	struct str text = str_of(chunk, n), rest = text;
	struct json_lines it;
	struct json_record rec;
	struct json_issue issue;
	uint64_t line = 7;

	for (size_t i = 0; i < times; i++)
		memcpy(chunk + i * size, data, size);
	memset(chunk + n, size ? data[size - 1] : 0, JSON_PAD);
	json_lines_begin(&it, p, text, line);
	while (rest.n) {
		size_t offset = (size_t)(rest.p - text.p);
		struct str one = str_cut(rest, '\n', &rest);
		enum json_line got = json_lines_next(&it, &rec, &issue);

		if (got == JSON_LINE_END || rec.line != line++)
			abort();
		if (rec.ended != (offset + one.n < n))
			abort();
		check_line(alone, one, got, &rec, &issue, offset);
	}
	if (json_lines_next(&it, &rec, &issue) != JSON_LINE_END)
		abort();
	json_parser_close(p);
	json_parser_close(alone);
	free(chunk);
	return 0;
}
