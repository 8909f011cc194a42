/* A few commands that exist only in the tests, with an option of every kind. */
#ifndef UNIT_CMD_SAMPLE_H
#define UNIT_CMD_SAMPLE_H

#include "cmd/frame/command.h"

struct sample_options {
	bool deep;
	unsigned often;
	struct str output;
	size_t size;
	unsigned jobs;
	int mode;
	struct opt_list tags;
	struct opt_maybe json;
};

static const struct opt sample_table[] = {
	{ OPT_FLAG, 'e', "deep", offsetof(struct sample_options, deep), NULL, "look deeper" },
	{ OPT_COUNT, 'n', "often", offsetof(struct sample_options, often), NULL, "once more" },
	{ OPT_STR, 'o', "output", offsetof(struct sample_options, output), "FILE", "write there" },
	{ OPT_SIZE, 0, "size", offsetof(struct sample_options, size), "SIZE", "at most so large" },
	{ OPT_UINT, 0, "jobs", offsetof(struct sample_options, jobs), "N", "so many at once" },
	{ OPT_CHOICE, 0, "mode", offsetof(struct sample_options, mode), "slow|fast|exact", "how" },
	{ OPT_LIST, 0, "tag", offsetof(struct sample_options, tags), "K=V", "a tag; may be repeated" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct sample_options, json), "FIELDS", "as JSON" },
	OPT_LAST,
};

static const struct opt_env sample_env[] = {
	{ "TRACKWAY_TEST_JOBS", "jobs" },
	{ "TRACKWAY_TEST_DEEP", "deep" },
	{ NULL, NULL },
};

static const struct sample_options sample_defaults = { .jobs = 2, .mode = 1 };

static const struct example sample_examples[] = {
	{ "trackway sample a.json", "look at one file" },
	{ NULL, NULL },
};

static const struct command sample_command = {
	.name = "sample",
	.summary = "look at files",
	.usage = "FILE... [-o OUT]",
	.description = "Looks at every file.\n\n  a  table\n  of words\n\nThen it ends.",
	.examples = sample_examples,
	.options = sample_table,
	.env = sample_env,
	.defaults = &sample_defaults,
	.options_size = sizeof(struct sample_options),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = 2,
};
static const struct example box_examples[] = {
	{ "trackway box open 1 && trackway box close", "look into one" },
	{ NULL, NULL },
};
static const struct command box_command = {
	.name = "box", .summary = "boxes", .usage = "COMMAND", .examples = box_examples, .is_group = true
};
static const struct command box_open_command = {
	.name = "box open", .summary = "open a box", .usage = "ID", .args = ARGS_WORDS, .args_min = 1, .args_max = 1
};
static const struct command box_close_command = { .name = "box close", .summary = "close it", .usage = "" };
static const struct command secret_command = { .name = "--secret", .usage = "", .hidden = true };

static const struct command hidden_command = { .name = "hidden", .usage = "", .hidden = true };

static const struct command *const sample_commands[] = {
	&sample_command, &box_command, &box_open_command, &box_close_command, &secret_command, &hidden_command, NULL,
};

#endif
