/* Each line is tried as one clean value first. Only when that fails is it read value by value, by the plain parser. */
#include "json/lenient.h"

#include <assert.h>

#include "base/ascii.h"
#include "json/slow.h"

void json_lenient_begin(struct json_lenient *it, struct json_parser *p, struct str chunk, uint64_t first_line,
			void (*report)(void *context, const struct json_issue *issue), void *context)
{
	*it = (struct json_lenient){
		.parser = p,
		.text = chunk,
		.line = first_line,
		.report = report,
		.context = context,
	};
}

static struct str the_line(const struct json_lenient *it)
{
	return str_of(it->text.p + it->line_start, it->line_end - it->line_start);
}

/* From the place in the line to the place in the chunk. */
static void report(void *context, const struct json_issue *issue)
{
	const struct json_lenient *it = context;
	struct json_issue moved = *issue;

	if (!it->report)
		return;
	moved.offset += it->line_start;
	moved.line = it->line;
	it->report(it->context, &moved);
}

/* Something after a value of the line. */
static void report_trailing(struct json_lenient *it, size_t at, const char *expected)
{
	struct json_issue issue = { 0 };

	issue_unexpected(&issue, the_line(it), at, JSON_E_TRAILING, expected);
	issue_mark_move(&it->mark, the_line(it), at);
	issue.column = it->mark.column;
	report(it, &issue);
}

/* The line ends before its LF; a CR before that is white space to the readers. */
static void begin_line(struct json_lenient *it)
{
	const char *lf = memchr(it->text.p + it->at, '\n', it->text.n - it->at);

	it->line_start = it->at;
	it->line_end = lf ? (size_t)(lf - it->text.p) : it->text.n;
	it->mark = (struct issue_mark){ 0 };
	it->within = true;
}

static void end_line(struct json_lenient *it)
{
	it->at = it->line_end < it->text.n ? it->line_end + 1 : it->text.n;
	it->line++;
	it->within = false;
}

static bool is_space(char c)
{
	return ascii_is_blank(c) || c == '\r';
}

static bool is_word(char c)
{
	return ascii_is_name(c) || c == '+';
}

static bool may_begin_value(char c)
{
	return c != '\0' && strchr("{[\"-0123456789tfnNI", c);
}

/* Whether a number or word of the line goes on after what was read of it, as 1 does in 1x. */
static bool is_torn(struct str line, size_t end)
{
	return end < line.n && is_word(line.p[end - 1]) && is_word(line.p[end]);
}

/* The value at it->at, with whatever is odd; false when the line cannot be read on. */
static bool read_odd(struct json_lenient *it, struct val *out)
{
	struct slow s = {
		.text = the_line(it),
		.lenient = true,
		.mark = it->mark,
		.report = report,
		.context = it,
	};
	bool good = slow_parse_for(it->parser, &s, it->at - it->line_start, out);

	it->mark = s.mark;
	if (!good)
		return false;
	if (is_torn(s.text, s.end)) {
		report_trailing(it, s.end, "white space after the value");
		return false;
	}
	it->at = it->line_start + s.end;
	return true;
}

/* The next value of the line begun; false when there is none. */
static bool read_line(struct json_lenient *it, struct val *out)
{
	bool first = it->at == it->line_start;

	if (first && json_parse(it->parser, the_line(it), out, NULL)) {
		it->at = it->line_end;
		return true;
	}
	assert(it->at >= it->line_start && it->at <= it->line_end);
	while (it->at < it->line_end && is_space(it->text.p[it->at]) && !first)
		it->at++;
	if (it->at == it->line_end)
		return false;
	if (!first && may_begin_value(it->text.p[it->at]))
		report_trailing(it, it->at - it->line_start, "one value on a line");
	return read_odd(it, out);
}

bool json_lenient_next(struct json_lenient *it, struct val *out, uint64_t *line)
{
	for (;;) {
		if (!it->within && it->at == it->text.n)
			return false;
		if (!it->within) {
			begin_line(it);
			if (str_trim(the_line(it)).n == 0) {
				end_line(it);
				continue;
			}
		}
		if (read_line(it, out)) {
			*line = it->line;
			return true;
		}
		end_line(it);
	}
}
