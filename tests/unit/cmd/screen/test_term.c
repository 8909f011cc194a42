#include "cmd/screen/term.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/test.h"

static void put_env(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

TEST(colour_is_decided_by_option_environment_and_terminal_in_this_order)
{
	static const struct {
		enum term_color color;
		const char *force, *no_color, *clicolor, *term;
		bool on_terminal, elsewhere;
	} cases[] = {
		{ COLOR_AUTO, NULL, NULL, NULL, "xterm", true, false },
		{ COLOR_AUTO, NULL, NULL, NULL, NULL, true, false },
		{ COLOR_AUTO, NULL, NULL, NULL, "dumb", false, false },
		{ COLOR_AUTO, NULL, "1", NULL, "xterm", false, false },
		{ COLOR_AUTO, NULL, "", NULL, "xterm", true, false },
		{ COLOR_AUTO, NULL, "0", NULL, "xterm", false, false },
		{ COLOR_AUTO, NULL, NULL, "0", "xterm", false, false },
		{ COLOR_AUTO, NULL, NULL, "1", "xterm", true, false },
		{ COLOR_AUTO, "1", NULL, NULL, "xterm", true, true },
		{ COLOR_AUTO, "1", "1", "0", "dumb", true, true },
		{ COLOR_AUTO, "0", NULL, NULL, "xterm", true, false },
		{ COLOR_AUTO, "", NULL, NULL, "xterm", true, false },
		{ COLOR_AUTO, "0", "1", NULL, "xterm", false, false },
		{ COLOR_ALWAYS, NULL, "1", "0", "dumb", true, true },
		{ COLOR_ALWAYS, NULL, NULL, NULL, "xterm", true, true },
		{ COLOR_NEVER, "1", NULL, "1", "xterm", false, false },
		{ COLOR_NEVER, NULL, NULL, NULL, "xterm", false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("row %zu", i);
		put_env("CLICOLOR_FORCE", cases[i].force);
		put_env("NO_COLOR", cases[i].no_color);
		put_env("CLICOLOR", cases[i].clicolor);
		put_env("TERM", cases[i].term);
		CHECK_INT(term_wants_color(cases[i].color, true), cases[i].on_terminal);
		CHECK_INT(term_wants_color(cases[i].color, false), cases[i].elsewhere);
	}
}

static struct term term_of(int fd, const char *columns, const char *lines)
{
	struct term t;

	put_env("COLUMNS", columns);
	put_env("LINES", lines);
	term_init(&t, fd, COLOR_AUTO);
	return t;
}

TEST(the_size_comes_from_the_environment_or_is_80_by_24)
{
	static const struct {
		const char *columns, *lines;
		size_t width, height;
	} cases[] = {
		{ NULL, NULL, 80, 24 }, { "120", "50", 120, 50 }, { "0", "0", 80, 24 },       { "9", "9", 80, 24 },
		{ "10", "10", 10, 10 }, { "x", "-5", 80, 24 },    { "10001", "1e3", 80, 24 }, { "", "", 80, 24 },
	};
	int fd = open("/dev/null", O_WRONLY);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct term t = term_of(fd, cases[i].columns, cases[i].lines);

		test_case("%s by %s", cases[i].columns, cases[i].lines);
		CHECK(!t.is_terminal && !t.color);
		CHECK_INT(t.width, cases[i].width);
		CHECK_INT(t.height, cases[i].height);
	}
}

TEST(a_terminal_says_how_large_it_is_unless_the_environment_does)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), fd;
	struct winsize size = { .ws_col = 132, .ws_row = 43 };
	struct term t;

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		SKIP("there are no pseudo-terminals here");
	fd = open(ptsname(master), O_RDWR | O_NOCTTY);
	CHECK(ioctl(fd, TIOCSWINSZ, &size) == 0);
	setenv("TERM", "xterm", 1);
	t = term_of(fd, NULL, NULL);
	CHECK(t.is_terminal && t.color);
	CHECK_INT(t.width, 132);
	CHECK_INT(t.height, 43);
	CHECK_INT(term_of(fd, "100", NULL).width, 100);
	CHECK_INT(term_of(fd, NULL, "30").height, 30);
	size = (struct winsize){ .ws_col = 0 };
	CHECK(ioctl(fd, TIOCSWINSZ, &size) == 0);
	CHECK_INT(term_of(fd, NULL, NULL).width, 80);
}

TEST(styles_are_escape_sequences_or_nothing)
{
	for (int style = STYLE_PLAIN; style <= STYLE_PLACE; style++) {
		CHECK_STR(str_from(term_style(false, (enum term_style)style)), STR(""));
		CHECK(str_starts(str_from(term_style(true, (enum term_style)style)), STR("\033[")));
	}
}

static struct str safe(struct str text)
{
	static struct buf b;

	buf_clear(&b);
	term_add_text(&b, text);
	return buf_str(&b);
}

TEST(text_from_outside_cannot_act_on_the_terminal)
{
	const struct {
		struct str text, want;
	} cases[] = {
		{ STR(""), STR("") },
		{ STR("plain \\ text"), STR("plain \\ text") },
		{ STR("\033[31mred"), STR("\\x1b[31mred") },
		{ STR("a\0b"), STR("a\\x00b") },
		{ STR("tab\tnew\nline\r"), STR("tab\\x09new\\x0aline\\x0d") },
		{ STR("\x7f"), STR("\\x7f") },
		{ STR("é 日本 \xf0\x9f\x98\x80"), STR("é 日本 \xf0\x9f\x98\x80") },
		{ STR("\xff\xfe"), STR("\\xff\\xfe") },
		{ STR("\xc3"), STR("\\xc3") },
		{ STR("\xed\xa0\x80"), STR("\\xed\\xa0\\x80") },
		{ STR("\xc2\x9b" "31m"), STR("\\u{009b}31m") },        /* CSI in one character */
		{ STR("\xe2\x80\xae" "txt"), STR("\\u{202e}txt") },    /* right-to-left override */
		{ STR("\xe2\x81\xa6"), STR("\\u{2066}") },             /* isolate */
		{ STR("\xe2\x80\x8b"), STR("\\u{200b}") },             /* zero-width space */
		{ STR("\xe2\x80\xa8"), STR("\\u{2028}") },             /* line separator */
		{ STR("\xef\xbb\xbf"), STR("\\u{feff}") },             /* byte order mark */
		{ STR("\xf3\xa0\x81\x81"), STR("\\u{e0041}") },        /* a tag, invisible */
		{ STR("\xe2\x80\x8d"), STR("\xe2\x80\x8d") },          /* joiners stay: scripts need them */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("row %zu", i);
		CHECK_STR(safe(cases[i].text), cases[i].want);
	}
}

TEST(one_character_is_taken_at_a_time)
{
	struct buf b;

	buf_init(&b);
	CHECK_INT(term_add_char(&b, STR("日本")), 3);
	CHECK_INT(term_add_char(&b, STR("\xff\xff")), 1);
	CHECK_INT(term_add_char(&b, STR("\xe2\x80\xae")), 3);
	CHECK_STR(buf_str(&b), STR("日\\xff\\u{202e}"));
	buf_free(&b);
}
