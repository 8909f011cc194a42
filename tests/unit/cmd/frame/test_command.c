#include "cmd/frame/command.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/frame/cmdline.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "harness/test.h"

TEST(a_usage_error_carries_its_help_behind_a_mark)
{
	struct err err = { .kind = ERR_NONE };

	CHECK(!usage_set(&err, "do that", "this is %s", "wrong"));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK_STR(str_from(err.text), STR("this is wrong" ERR_HELP "do that"));
	CHECK(!usage_set(&err, NULL, "wrong"));
	CHECK_STR(str_from(err.text), STR("wrong"));
}

TEST(the_help_survives_a_message_of_any_length)
{
	static char word[5001];
	struct err err;

	memset(word, 'x', sizeof(word) - 1);
	CHECK(!usage_set(&err, "do that", "unknown '%s'", word));
	CHECK(str_ends(str_from(err.text), STR(ERR_HELP "do that")));
}

TEST(the_path_is_the_first_argument)
{
	static const struct str items[] = { { "a", 1 }, { "b", 1 } };

	CHECK_STR(args_path((struct args){ .items = items, .count = 2 }), STR("a"));
}

static void make_stdin(const char *path)
{
	int fd = open(path, O_RDWR | O_NOCTTY);

	CHECK(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
}

TEST(standard_input_stands_in_for_a_missing_file)
{
	static const struct str items[] = { { "a", 1 } };
	struct args given = { .items = items, .count = 1, .rest = 1 }, none = { .count = 0 };

	make_stdin("/dev/null");
	CHECK(args_default_stdin(&given) && given.count == 1);
	CHECK_STR(given.items[0], STR("a"));
	CHECK(args_default_stdin(&none));
	CHECK_INT(none.count, 1);
	CHECK_INT(none.rest, 1);
	CHECK_STR(none.items[0], STR("-"));
}

TEST(a_terminal_does_not_stand_in_for_a_missing_file)
{
	static const struct str items[] = { { "a", 1 } };
	struct args given = { .items = items, .count = 1, .rest = 1 }, none = { .count = 0 };
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		SKIP("there are no pseudo-terminals here");
	make_stdin(ptsname(master));
	CHECK(!args_default_stdin(&none));
	CHECK_INT(none.count, 0);
	CHECK(args_default_stdin(&given));
}

static bool is_plain_ascii(const char *text)
{
	for (; *text; text++)
		if ((*text < ' ' && *text != '\n') || *text > '~')
			return false;
	return true;
}

static bool is_sentence_part(const char *text)
{
	return *text && (*text < 'A' || *text > 'Z' || (text[1] >= 'A' && text[1] <= 'Z')) &&
	       text[strlen(text) - 1] != '.' && is_plain_ascii(text);
}

TEST(the_tables_of_all_commands_are_complete)
{
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];

		test_case("%s", c->name);
		CHECK((c->run != NULL) != c->is_group && c->usage && c->summary);
		CHECK(is_sentence_part(c->summary) && is_plain_ascii(c->usage));
		CHECK(c->hidden || (c->description && c->examples));
		CHECK(!c->options || c->options_size > 0);
		CHECK(c->args_min <= c->args_max);
		CHECK(!c->description || is_plain_ascii(c->description));
		for (const struct opt_env *e = c->env; e && e->variable; e++)
			CHECK(opt_find_name(c->options, str_from(e->option)) != NULL);
		for (const struct example *e = c->examples; e && e->line; e++)
			CHECK(strstr(e->line, "trackway ") && is_sentence_part(e->about));
	}
}

TEST(a_command_of_two_words_stands_behind_the_row_of_its_group)
{
	const struct command *group = NULL;

	for (size_t i = 0; commands[i]; i++) {
		test_case("%s", commands[i]->name);
		if (commands[i]->is_group)
			group = commands[i];
		else if (strchr(commands[i]->name, ' '))
			CHECK(group && command_is_member(commands[i], group));
	}
}

static void check_option(const struct command *c, const struct opt *o)
{
	test_case("%s --%s", c->name, o->name);
	CHECK(o->name && o->help && is_sentence_part(o->help));
	CHECK(!opt_find_name(global_options, str_from(o->name)));
	CHECK(!o->letter || strchr("one", o->letter));
	CHECK((o->argument != NULL) == (o->kind != OPT_FLAG && o->kind != OPT_COUNT));
	CHECK(o->offset < c->options_size);
	CHECK(opt_find_name(c->options, str_from(o->name)) == o);
	for (size_t i = 0; commands[i]; i++) {
		const struct opt *other = opt_find_name(commands[i]->options, str_from(o->name));

		CHECK(!other || other->kind == o->kind);
	}
}

TEST(an_option_has_one_meaning_in_every_command)
{
	for (size_t i = 0; commands[i]; i++)
		for (const struct opt *o = commands[i]->options; o && o->kind != OPT_END; o++)
			check_option(commands[i], o);
}
