/* The hidden command that completion scripts call for their answers. */
#include "cmd/frame/commands.h"
#include "cmd/frame/completion.h"
#include "cmd/frame/stream.h"

/* Always a success: a shell shows nothing useful for an error in the middle of a line. */
static int complete_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	struct buf out;

	(void)a;
	(void)options;
	(void)err;
	buf_init(&out);
	completion_add(&out, commands, args.items, args.count);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return EXIT_YES;
}

const struct command complete_command = {
	.name = "__complete",
	.summary = "answer a completion script",
	.usage = "-- WORD...",
	.args = ARGS_WORDS,
	.args_max = ARGS_MANY,
	.hidden = true,
	.run = complete_run,
};
