/*
 * Cursor: what `cursor-agent -p --output-format stream-json` prints, what the editor gives to its hooks, and the
 * transcripts it keeps of its agents.
 */
#include "dialect/cursor/cursor.h"

#include "dialect/formats.h"

static int cursor_fits(struct val v)
{
	int fit = cursor_stream_fits(v);

	fit = fit ? fit : cursor_hook_fits(v);
	return fit ? fit : cursor_transcript_fits(v);
}

/* Each line tells which it is. What nobody knows is taken for something the agent printed. */
static void cursor_read_value(struct reading *r, struct val v)
{
	if (cursor_hook_fits(v))
		cursor_hook_read(r, v);
	else if (cursor_transcript_fits(v))
		cursor_transcript_read(r, v);
	else
		cursor_stream_read(r, v);
}

static const struct read_ops read_cursor = {
	.vendor = "cursor",
	.key = "cursor/1",
	.elements = true,
	.line_elements = true,
	.value = cursor_read_value,
	.fold_open = cursor_fold_open,
	.fold_close = cursor_fold_close,
	.fold = cursor_fold,
	.fold_end = cursor_fold_end,
};

const struct dialect cursor_dialect = {
	.name = "cursor",
	.title = "Cursor: stream-json of its agent, hooks and transcripts of the editor",
	.file = "cursor.jsonl",
	.unit = "line",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = cursor_fits,
	.read = &read_cursor,
};
