#include "cmd/frame/error.h"

#include "harness/test.h"
#include "unit/cmd/sample.h"

static struct str shown(const char *text, enum err_kind kind, const struct command *c, struct term t)
{
	static struct buf b;
	struct err err = { .kind = kind };

	buf_clear(&b);
	memcpy(err.text, text, strlen(text) + 1);
	error_add(&b, &t, c, &err);
	return buf_str(&b);
}

TEST(an_error_is_one_sentence_and_perhaps_help)
{
	struct term file = { .width = 80 }, terminal = { .is_terminal = true, .width = 30 }, color = { .color = true };

	CHECK_STR(shown("a.json: no such file", ERR_IO, NULL, file), STR("error: a.json: no such file\n"));
	CHECK_STR(shown("wrong", ERR_USAGE, NULL, file),
		  STR("error: wrong\n   = help: 'trackway -h' lists the options\n"));
	CHECK_STR(shown("wrong", ERR_USAGE, &sample_command, file),
		  STR("error: wrong\n   = help: 'trackway sample -h' lists the options\n"));
	CHECK_STR(shown("wrong" ERR_HELP "do so", ERR_USAGE, &sample_command, file),
		  STR("error: wrong\n   = help: do so\n"));
	CHECK_STR(shown("full" ERR_HELP "make room", ERR_IO, NULL, file), STR("error: full\n   = help: make room\n"));
	CHECK_STR(shown("full", ERR_LIMIT, NULL, color), STR("\033[1;31merror\033[0m: full\n"));
	CHECK_STR(shown("the file is much too long" ERR_HELP "take another file or none", ERR_LIMIT, NULL, terminal),
		  STR("error: the file is much too\n  long\n   = help: take another file\n           or none\n"));
}

TEST(a_hostile_name_in_an_error_is_shown_escaped)
{
	struct term file = { .width = 80 };

	CHECK_STR(shown("a\033[2J\nb: gone", ERR_IO, NULL, file), STR("error: a\\x1b[2J\\x0ab: gone\n"));
}
