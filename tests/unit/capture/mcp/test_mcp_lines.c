/* Lines of a stream, however it is cut. */
#include "capture/mcp/mcp_lines.h"

#include "harness/test.h"
#include "json/json.h"

static void add_line(void *context, struct str line)
{
	struct buf *out = context;

	if (line.p)
		buf_add_str(out, line);
	else
		buf_printf(out, "(%zu)", line.n);
	buf_add_byte(out, '|');
}

/* The lines of a text in pieces of `step` bytes, each with a bar behind it. */
static void cut(const char *text, size_t step, struct buf *out)
{
	struct mcp_lines_sink to = { add_line, out };
	struct str left = str_from(text);
	char piece[256];
	struct mcp_lines l;

	mcp_lines_init(&l);
	while (left.n) {
		size_t n = left.n < step ? left.n : step;

		memcpy(piece, left.p, n);
		memset(piece + n, '\n', JSON_PAD); /* what stands behind is none of ours */
		mcp_lines_push(&l, str_of(piece, n), to);
		left = str_skip(left, n);
	}
	mcp_lines_end(&l, to);
	mcp_lines_free(&l);
}

TEST(lines_are_the_same_however_they_are_cut)
{
	static const struct { const char *text, *lines; } cases[] = {
		{ "", "" },
		{ "\n", "|" },
		{ "a\nbc\n\nd\r\n", "a|bc||d\r|" },
		{ "{\"a\":1}\n{\"b\":2}", "{\"a\":1}|{\"b\":2}|" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t step = 1; step < 20; step++) {
			struct buf out;

			buf_init(&out);
			cut(cases[i].text, step, &out);
			CHECK_STR(buf_str(&out), str_from(cases[i].lines));
			buf_free(&out);
		}
}

TEST(a_line_above_the_limit_is_counted_and_not_held)
{
	size_t large = MCP_LINE_MOST / 2 + 5;
	struct mcp_lines_sink to;
	struct mcp_lines l;
	struct buf out, piece;

	buf_init(&out);
	buf_init(&piece);
	mcp_lines_init(&l);
	to = (struct mcp_lines_sink){ add_line, &out };
	memset(buf_reserve(&piece, large + JSON_PAD), 'x', large);
	for (int i = 0; i < 5; i++) {
		mcp_lines_push(&l, str_of(piece.p, large), to);
		CHECK(l.held.cap < MCP_LINE_MOST + ((size_t)1 << 20));
	}
	piece.p[0] = '\n';
	memcpy(piece.p + 1, "next\n", 5);
	mcp_lines_push(&l, str_of(piece.p, 6), to);
	CHECK_STR(buf_str(&out), STR("(41943065)|next|"));
	CHECK_INT(l.too_long, 1);
	CHECK_INT(l.count, 2);
	mcp_lines_free(&l);
	buf_free(&out);
	buf_free(&piece);
}
