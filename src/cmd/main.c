/*
 * The start and the end of the process, and the only place that prints errors.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build.h"
#include "base/stop.h"
#include "capture/shell_shim.h"
#include "cmd/frame/cmdline.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/error.h"
#include "cmd/frame/fault.h"
#include "cmd/frame/help.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/hook/tell.h"
#include "cmd/screen/pager.h"
#include "proc/sandbox/sandbox.h"

/* -q wins over -v. */
static void frame_init(struct frame *f, const struct cmdline *line)
{
	enum term_color color = (enum term_color)line->globals.color;

	f->command = line->command;
	term_init(&f->out, 1, color);
	term_init(&f->err, 2, color);
	f->quiet = line->globals.quiet;
	f->verbose = line->globals.quiet ? 0 : line->globals.verbose;
	f->pager = !line->globals.no_pager;
}

/* With advice that fits the command. -q does not hide it. */
static void print_error(const struct frame *f, const struct err *err)
{
	struct buf text;

	buf_init(&text);
	error_add(&text, &f->err, f->command, err);
	fflush(stdout); /* what was found out before the error stands before it */
	stream_write(stderr, buf_str(&text));
	buf_free(&text);
}

/* Help that was asked for goes to standard output, through the pager, and is a success. */
static int show_help(struct arena *a, const struct frame *f, bool is_full)
{
	struct buf page;

	buf_init(&page);
	if (f->command)
		help_add_command(&page, &f->out, commands, f->command, is_full);
	else if (is_full)
		help_add_overview(&page, &f->out, commands);
	else
		help_add_intro(&page, &f->out, commands);
	pager_show(a, f, buf_str(&page));
	buf_free(&page);
	return EXIT_YES;
}

/* Nothing to work on, and standard input is a terminal where nobody expects to type. */
static int show_what_is_needed(const struct frame *f)
{
	struct err err = { .kind = ERR_NONE };
	struct buf page;

	if (f->command->args == ARGS_RUNS)
		usage_set(&err, "name the trace of a run", "no run was named, and none is recorded yet");
	else
		usage_set(&err, "name a file, or - for standard input", "no file was given");
	print_error(f, &err);
	buf_init(&page);
	buf_add_byte(&page, '\n');
	help_add_command(&page, &f->err, commands, f->command, false);
	stream_write(stderr, buf_str(&page));
	buf_free(&page);
	return EXIT_USAGE;
}

/* Whether --json names fields that the command has; false with a usage error. */
static bool check_json_fields(const struct command *c, const void *options, struct err *err)
{
	const struct opt *json = c->fields ? opt_find_name(c->options, STR("json")) : NULL;
	struct opt_maybe selected;

	assert(!c->fields || (json && json->kind == OPT_OPTIONAL));
	if (!json)
		return true;
	memcpy(&selected, (const char *)options + json->offset, sizeof(selected));
	return opt_check_fields(selected, c->fields, err);
}

/* Checks what the tables can check, then hands over to the command. EXIT_FAIL always comes with an error. */
static int run_command(struct arena *a, struct cmdline *line, struct err *err)
{
	const struct command *c = line->command;
	int status;

	if (!cmdline_check_args(line, err) || !check_json_fields(c, line->options, err))
		return EXIT_FAIL;
	if (c->args == ARGS_FILES && c->args_min > 0 && !args_default_stdin(&line->args))
		return EXIT_HELP;
	status = c->run(a, line->options, line->args, err);
	assert(status != EXIT_FAIL || err->kind != ERR_NONE);
	return status;
}

/* Help and version win over everything else on the line, so they work beside wrong arguments too. */
static int dispatch(struct arena *a, struct cmdline *line, struct err *err)
{
	if (line->globals.short_help || line->globals.full_help)
		return show_help(a, line->args.frame, line->globals.full_help);
	if (line->globals.version) {
		printf("trackway %s\n", BUILD_VERSION);
		return EXIT_YES;
	}
	if (line->command && line->command->is_group)
		return show_help(a, line->args.frame, false);
	if (line->command)
		return run_command(a, line, err);
	if (line->args.count == 0)
		return show_help(a, line->args.frame, false);
	usage_set(err, "'trackway help' lists the commands", "no command stands before '--'");
	return EXIT_FAIL;
}

/* What the run came to, before standard output is known to be written. */
static int main_conclude(const struct frame *f, int status, const struct err *err)
{
	if (status == EXIT_HELP)
		return show_what_is_needed(f);
	if (status != EXIT_FAIL)
		return status;
	if (stop_signal())
		return EXIT_CANNOT; /* whoever pressed Ctrl-C knows why */
	if (err->errnum == EPIPE && stream_reader_left())
		return EXIT_CANNOT;
	print_error(f, err);
	return err->kind == ERR_USAGE ? EXIT_USAGE : EXIT_CANNOT;
}

/* An answer that was not delivered whole is never a yes. */
static int finish(const struct frame *f, int status)
{
	struct err err = { .kind = ERR_NONE };

	switch (stream_finish_output(&err)) {
	case STREAM_WRITTEN:
		break;
	case STREAM_READER_LEFT:
		status = status == EXIT_YES ? EXIT_CANNOT : status;
		break;
	case STREAM_FAILED:
		print_error(f, &err);
		status = EXIT_CANNOT;
		break;
	}
	return stop_signal() ? 128 + stop_signal() : status;
}

int main(int argc, char **argv)
{
	struct arena arena; /* of the command; the system takes it back */
	struct err err = { .kind = ERR_NONE };
	struct cmdline line;
	struct frame frame;
	int status = EXIT_FAIL;
	bool parsed;

	if (shell_shim_is_asked()) {
		status = shell_shim_run(argv, &err);
		fprintf(stderr, "%s\n", err.text);
		return status;
	}
	if (hook_is_asked(argc, argv)) {
		stream_catch_signals();
		return hook_tell(argv[2]);
	}
	if (argc > 1 && strcmp(argv[1], "__sandbox") == 0)
		return sandbox_main(argc - 2, argv + 2);
	stream_open_missing();
	stream_catch_signals();
	stop_install();
	arena_init(&arena);
	fault_install(&arena);
	parsed = cmdline_parse(&line, &arena, commands, argc, argv, &err);
	frame_init(&frame, &line);
	frame.argv = (const char *const *)argv;
	line.args.frame = &frame;
	if (parsed)
		status = dispatch(&arena, &line, &err);
	status = main_conclude(&frame, status, &err);
	exit(finish(&frame, status));
}
