/* The hidden command that writes what packages ship: manual pages and completion scripts. */
#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/completion.h"
#include "cmd/frame/manual.h"
#include "cmd/frame/stream.h"

/* DIR/NAME, whole or not at all. */
static bool write_page(struct arena *a, struct str dir, struct str name, const struct buf *page, struct err *err)
{
	struct str path = arena_printf(a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name));

	return file_replace(path, buf_str(page), 0644, err);
}

/* Every page of the manual: the program, each command that is not hidden, and the formats. */
static bool write_manual(struct arena *a, struct str dir, struct err *err)
{
	struct buf page, name;
	bool written;

	buf_init(&page);
	buf_init(&name);
	manual_add_program(&page, commands);
	written = write_page(a, dir, STR("trackway.1"), &page, err);
	for (size_t i = 0; written && commands[i]; i++) {
		if (commands[i]->hidden)
			continue;
		buf_clear(&page);
		buf_clear(&name);
		manual_add_command(&page, commands, commands[i]);
		manual_add_name(&name, commands[i]);
		buf_add_str(&name, STR(".1"));
		written = write_page(a, dir, buf_str(&name), &page, err);
	}
	buf_clear(&page);
	manual_add_formats(&page);
	written = written && write_page(a, dir, STR("trackway-trace.5"), &page, err);
	buf_free(&name);
	buf_free(&page);
	return written;
}

/* For the tests, which run them all. */
static void print_examples(void)
{
	for (size_t i = 0; commands[i]; i++)
		for (const struct example *e = commands[i]->examples; e && e->line; e++)
			printf("%s\n", e->line);
}

/* Manual pages go to a directory, everything else to standard output. */
static bool generate(struct arena *a, struct args args, struct err *err)
{
	static const char help[] = "there are man DIR, examples and complete- with bash, zsh, fish or powershell";
	struct str kind = args.items[0], shell = STR("");
	struct str script;

	if (str_eq(kind, STR("man")) && args.count == 2)
		return write_manual(a, args.items[1], err);
	if (args.count == 2 || str_eq(kind, STR("man")))
		return usage_set(err, help, "--generate man needs a directory, the others take none");
	if (str_eq(kind, STR("examples"))) {
		print_examples();
		return true;
	}
	if (str_starts(kind, STR("complete-")))
		shell = str_of(kind.p + strlen("complete-"), kind.n - strlen("complete-"));
	script = completion_find_script(shell);
	if (!script.p)
		return usage_set(err, help, "--generate cannot make '%.*s'", STR_ARG(kind));
	stream_write(stdout, script);
	return true;
}

static int generate_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	(void)options;
	return generate(a, args, err) ? EXIT_YES : EXIT_FAIL;
}

const struct command generate_command = {
	.name = "--generate",
	.summary = "write what packages ship: manual pages and completion scripts",
	.usage = "man DIR | complete-bash | complete-zsh | complete-fish | complete-powershell | examples",
	.args = ARGS_WORDS,
	.args_min = 1,
	.args_max = 2,
	.hidden = true,
	.run = generate_run,
};
