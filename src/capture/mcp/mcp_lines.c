/* A line that stands whole in the bytes is used where it stands; one that does not is gathered first. */
#include "capture/mcp/mcp_lines.h"

#include "json/json.h"

#define KEPT ((size_t)256 << 10) /* room that stays for the next line */

void mcp_lines_init(struct mcp_lines *l)
{
	*l = (struct mcp_lines){ .count = 0 };
	buf_init(&l->held);
}

void mcp_lines_free(struct mcp_lines *l)
{
	buf_free(&l->held);
}

static void lines_forget(struct mcp_lines *l)
{
	if (l->held.cap > KEPT) {
		buf_free(&l->held);
		buf_init(&l->held);
	}
	buf_clear(&l->held);
	l->skipped = 0;
}

static void lines_hold(struct mcp_lines *l, struct str part)
{
	if (!l->skipped && l->held.n + part.n <= MCP_LINE_MOST) {
		buf_add_str(&l->held, part);
		return;
	}
	part.n += l->held.n;
	if (l->held.n)
		lines_forget(l);
	l->skipped += part.n;
}

/* What is held is whole. */
static void lines_give(struct mcp_lines *l, struct mcp_lines_sink to)
{
	l->count++;
	if (l->skipped) {
		l->too_long++;
		to.line(to.context, str_of(NULL, l->skipped));
	} else {
		memset(buf_reserve(&l->held, JSON_PAD), 0, JSON_PAD);
		to.line(to.context, str_of(l->held.p, l->held.n));
	}
	lines_forget(l);
}

void mcp_lines_push(struct mcp_lines *l, struct str bytes, struct mcp_lines_sink to)
{
	const char *end;

	while (bytes.n && (end = memchr(bytes.p, '\n', bytes.n))) {
		struct str part = str_of(bytes.p, (size_t)(end - bytes.p));

		bytes = str_skip(bytes, part.n + 1);
		if (!l->held.n && !l->skipped && part.n <= MCP_LINE_MOST) {
			l->count++;
			to.line(to.context, part);
			continue;
		}
		lines_hold(l, part);
		lines_give(l, to);
	}
	if (bytes.n)
		lines_hold(l, bytes);
}

void mcp_lines_end(struct mcp_lines *l, struct mcp_lines_sink to)
{
	if (l->held.n || l->skipped)
		lines_give(l, to);
}
