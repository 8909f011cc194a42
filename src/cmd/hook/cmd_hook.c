/* `trackway hook`: the page of the group, and the two commands that agents call as hooks. */
#include "cmd/frame/commands.h"
#include "cmd/hook/tell.h"

static const struct example session[] = {
	{ "trackway hook install claude-code --dry-run", "what would be changed in ~/.claude/settings.json" },
	{ "trackway hook install claude-code", "let Claude Code tell a recorder of every tool call" },
	{ "trackway hook remove claude-code", "take our hooks out again, and nothing else" },
	{ NULL, NULL },
};

const struct command hook_command = {
	.name = "hook",
	.summary = "let agents tell the recorder when tools begin and end",
	.usage = "COMMAND [ARGUMENTS]",
	.description =
		"The proxy of 'trackway record' sees the calls to models. When a tool began and ended, and for how "
		"long a person was waited for, only the agent knows; its hooks tell. 'trackway record -- claude' "
		"needs nothing of this: it hands Claude Code the hooks for that run. Install them for agents that "
		"are recorded otherwise, by 'trackway record --listen'.\n\n"
		"A hook passes on times, sizes, ids and names of tools. What was said, arguments, results and paths "
		"stay where they are. doc/hooks.md has the details.",
	.examples = session,
	.is_group = true,
};

static int claude_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	(void)a, (void)options, (void)args, (void)err;
	return hook_tell("claude-code");
}

static int cursor_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	(void)a, (void)options, (void)args, (void)err;
	return hook_tell("cursor");
}

static const struct example claude_examples[] = {
	{ "echo '{}' | trackway hook claude-code", "an event that says nothing to us" },
	{ NULL, NULL },
};

const struct command hook_claude_command = {
	.name = "hook claude-code",
	.summary = "the hook that Claude Code calls",
	.usage = "< EVENT",
	.description =
		"Reads an event of Claude Code's hooks, as JSON on standard input, and tells the recorder at "
		"TRACKWAY_SOCKET of it, else the one that listens for all ('trackway record --listen'); without a "
		"recorder it does nothing. It prints nothing and its exit status is 0, whatever happens, and it "
		"takes no longer than a quarter of a second once it has read the event: an agent is never held up or "
		"stopped by it.",
	.examples = claude_examples,
	.args = ARGS_NONE,
	.run = claude_run,
};

static const struct example cursor_examples[] = {
	{ "echo '{}' | trackway hook cursor", "an event that says nothing to us" },
	{ NULL, NULL },
};

const struct command hook_cursor_command = {
	.name = "hook cursor",
	.summary = "the hook that Cursor calls",
	.usage = "< EVENT",
	.description =
		"As 'trackway hook claude-code', for events of Cursor's hooks. Where Cursor asks whether a prompt may "
		"go on, the answer is {\"continue\":true}; to nothing else that it asks is there an answer, so do "
		"not use it for events that decide (preToolUse, beforeShellExecution and the like).",
	.examples = cursor_examples,
	.args = ARGS_NONE,
	.run = cursor_run,
};
