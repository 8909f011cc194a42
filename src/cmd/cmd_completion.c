/* `trackway completion`: prints the completion script of a shell. */
#include "cmd/frame/commands.h"
#include "cmd/frame/completion.h"
#include "cmd/frame/stream.h"

static int completion_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	struct str script = completion_find_script(args.items[0]);

	(void)a;
	(void)options;
	if (!script.p) {
		usage_set(err, "there are bash, zsh, fish and powershell", "no completion for '%.*s'",
			  STR_ARG(args.items[0]));
		return EXIT_FAIL;
	}
	stream_write(stdout, script);
	return EXIT_YES;
}

static const struct example completion_examples[] = {
	{ "trackway completion bash", "the script for bash" },
	{ "trackway completion fish", "the script for fish" },
	{ NULL, NULL },
};

const struct command completion_command = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.usage = "bash|zsh|fish|powershell",
	.description =
		"Prints a script that lets the shell complete commands, options, their values and file names. Save it "
		"where your shell looks for it:\n"
		"\n"
		"  bash        ~/.local/share/bash-completion/completions/trackway\n"
		"  zsh         ~/.zfunc/_trackway, with ~/.zfunc in fpath\n"
		"  fish        ~/.config/fish/completions/trackway.fish\n"
		"  powershell  the file that $PROFILE names, at its end\n"
		"\n"
		"For the current shell only: source <(trackway completion bash)",
	.examples = completion_examples,
	.args = ARGS_SHELLS,
	.args_min = 1,
	.args_max = 1,
	.run = completion_run,
};
