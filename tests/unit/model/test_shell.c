#include "model/shell.h"

#include "base/buf.h"
#include "harness/test.h"

struct heard {
	struct buf commands, words;
};

static void hear_command(void *context, struct str word)
{
	struct heard *h = context;

	if (h->commands.n)
		buf_add_byte(&h->commands, '|');
	buf_add_str(&h->commands, word);
}

static void hear_word(void *context, struct str word)
{
	struct heard *h = context;

	if (h->words.n)
		buf_add_byte(&h->words, '|');
	buf_add_str(&h->words, word);
}

TEST(the_words_that_are_run_are_told_as_they_stand)
{
	static const struct {
		const char *text, *commands;
	} cases[] = {
		{ "ls -l", "ls" },
		{ "ls -l | grep x && rm y; make || true", "ls|grep|rm|make|true" },
		{ "A=1 sudo -u root /usr/bin/free -h", "/usr/bin/free" },
		{ "echo 'a; rm b' \"c && d\"", "echo" },
		{ "echo $(date) `whoami` x", "echo|date|whoami|x" },
		{ "for f in *; do cat $f; done", "cat" },
		{ "\"my prog\" x", "\"my prog\"" },
		{ "$EDITOR x", "$EDITOR" },
		{ "cat <<END\nrm x\nEND\nls", "cat|ls" },
		{ "curl \\\n  rm\nls", "curl|ls" },
		{ "echo 'a\nrm b' c\nls", "echo|ls" },
		{ "env", "env" },
		{ "# rm x", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct heard h = { 0 };
		struct shell_script s = { .command = hear_command, .context = &h };
		struct str rest = str_from(cases[i].text);

		test_case("%s", cases[i].text);
		while (rest.n)
			shell_read_line(&s, str_cut(rest, '\n', &rest));
		CHECK_STR(buf_str(&h.commands), str_from(cases[i].commands));
		CHECK(!shell_is_within(&s));
		buf_free(&h.commands);
	}
}

TEST(every_word_is_told_when_it_is_asked_for)
{
	struct heard h = { 0 };
	struct shell_script s = { .command = hear_command, .word = hear_word, .context = &h };

	shell_read_line(&s, STR("curl -s 'https://a.example/x?y&z' > out && ls"));
	CHECK_STR(buf_str(&h.words), STR("curl|-s|'https://a.example/x?y&z'|out|ls"));
	buf_free(&h.commands);
	buf_free(&h.words);
}

TEST(what_runs_others_is_told_too_when_it_is_asked_for)
{
	struct heard h = { 0 };
	struct shell_script s = { .command = hear_command, .context = &h, .prefixes = true };

	shell_read_line(&s, STR("sudo -u root timeout 5 rm x; env"));
	CHECK_STR(buf_str(&h.commands), STR("sudo|timeout|rm|env"));
	buf_free(&h.commands);
}

TEST(a_quote_that_is_left_open_shows)
{
	struct heard h = { 0 };
	struct shell_script s = { .command = hear_command, .context = &h };

	shell_read_line(&s, STR("echo 'a"));
	CHECK(shell_is_within(&s));
	buf_free(&h.commands);
}

TEST(a_word_loses_its_quotes_and_what_is_expanded_is_not_known)
{
	static const struct {
		const char *word, *plain;
		bool known;
	} cases[] = {
		{ "ls", "ls", true },
		{ "'a b'", "a b", true },
		{ "\"a\"'b'c", "abc", true },
		{ "a\\ b", "a b", true },
		{ "'$x'", "$x", true },
		{ "\\$x", "$x", true },
		{ "$x", "$x", false },
		{ "\"$x\"", "$x", false },
		{ "\"`x`\"", "`x`", false },
		{ "*.c", "*.c", false },
		{ "\"*.c\"", "*.c", true },
		{ "~/x", "~/x", false },
		{ "", "", true },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str plain;

		test_case("%s", cases[i].word);
		CHECK_INT(shell_plain_word(&a, str_from(cases[i].word), &plain), cases[i].known);
		CHECK_STR(plain, str_from(cases[i].plain));
	}
	arena_free(&a);
}
