/*
 * The completion scripts in real shells. bash and zsh run on a pseudo-terminal, where a key is pressed
 * and the line that came of it is printed by the shell itself; fish can be asked without one.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cmd/frame/completion.h"
#include "harness/test.h"

#define PATIENCE_NS UINT64_C(20000000000)

/* A new directory with the program in bin/ and a few files, where the test then is. */
static void enter_scratch(void)
{
	char dir[] = "/tmp/trackway-shells-XXXXXX", self[1024], *program = getenv("TRACKWAY"), path[1200];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	CHECK(n > 0);
	self[n] = 0;
	if (program)
		CHECK(realpath(program, path));
	else /* the tests are built to <build>/unit/<room>, the program to <build>/trackway */
		snprintf(path, sizeof(path), "%.*s/../trackway", (int)(strrchr(self, '/') - self), self);
	if (access(path, X_OK) != 0)
		SKIP("there is no program at %s", path);
	CHECK(mkdtemp(dir) && chdir(dir) == 0);
	CHECK(system("mkdir bin folder && touch first.json second.jsonl folder/inner.json") == 0);
	CHECK(symlink(path, "bin/trackway") == 0);
	setenv("HOME", dir, 1);
	setenv("TERM", "dumb", 1);
	unsetenv("ENV");
	snprintf(path, sizeof(path), "%s/bin:%s", dir, getenv("PATH"));
	setenv("PATH", path, 1);
}

static void leave_scratch(void)
{
	CHECK(system("rm -rf \"$HOME\"") == 0);
}

static void write_script(const char *shell, const char *name)
{
	struct str script = completion_find_script(str_from(shell));
	FILE *f = fopen(name, "w");

	CHECK(f && fwrite(script.p, 1, script.n, f) == script.n && fclose(f) == 0);
}

static void need(const char *shell)
{
	char command[100];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", shell);
	if (system(command) != 0)
		SKIP("%s is not installed", shell);
}

/* A shell on a terminal. */
struct shell {
	int terminal;
	pid_t pid;
	struct buf said;
};

static void shell_start(struct shell *s, char *const argv[])
{
	s->terminal = posix_openpt(O_RDWR | O_NOCTTY);
	if (s->terminal < 0 || grantpt(s->terminal) != 0 || unlockpt(s->terminal) != 0)
		SKIP("there are no pseudo-terminals here");
	buf_init(&s->said);
	s->pid = fork();
	CHECK(s->pid >= 0);
	if (s->pid == 0) {
		const char *name = ptsname(s->terminal);
		int fd;

		setsid();
		fd = open(name, O_RDWR);
		dup2(fd, 0);
		dup2(fd, 1);
		dup2(fd, 2);
		close(s->terminal);
		execvp(argv[0], argv);
		_exit(127);
	}
}

static void shell_type(const struct shell *s, const char *keys)
{
	CHECK(write(s->terminal, keys, strlen(keys)) == (ssize_t)strlen(keys));
}

/* Reads until the text has been said, and forgets all up to its end; fails after the patience is over. */
static void shell_expect(struct shell *s, const char *text)
{
	uint64_t end = clock_mono_ns() + PATIENCE_NS;
	size_t at;

	while ((at = str_find(buf_str(&s->said), str_from(text))) == (size_t)-1) {
		struct pollfd p = { .fd = s->terminal, .events = POLLIN };
		ssize_t n = 0;

		if (clock_mono_ns() > end) {
			kill(s->pid, SIGKILL);
			FAIL("waited for '%s', the shell said: %.*s", text, STR_ARG(buf_str(&s->said)));
		}
		if (poll(&p, 1, 100) == 1)
			n = read(s->terminal, buf_reserve(&s->said, 4096), 4096);
		if (n > 0)
			s->said.n += (size_t)n;
	}
	at += strlen(text);
	memmove(s->said.p, s->said.p + at, s->said.n - at);
	s->said.n -= at;
}

/* Types the line and a tabulator, then has the shell print what stands there. */
static void expect_completion(struct shell *s, const char *line, const char *want)
{
	char text[300];

	test_case("%s<TAB>", line);
	shell_type(s, line);
	shell_type(s, "\t");
	shell_type(s, "\001echo got: \005\n"); /* to the start of the line and back to its end */
	snprintf(text, sizeof(text), "\ngot: %s", want);
	shell_expect(s, text);
	shell_expect(s, "ready> ");
}

static void expect_all(struct shell *s)
{
	expect_completion(s, "trackway vers", "trackway version\r");
	expect_completion(s, "trackway version --js", "trackway version --json\r");
	expect_completion(s, "trackway version --col", "trackway version --color\r");
	expect_completion(s, "trackway --color alw", "trackway --color always\r");
	expect_completion(s, "trackway --color=alw", "trackway --color=always\r");
	expect_completion(s, "trackway help exi", "trackway help exit-codes\r");
	expect_completion(s, "trackway completion zs", "trackway completion zsh\r");
	expect_completion(s, "trackway canon fir", "trackway canon first.json\r");
	expect_completion(s, "trackway canon folder/in", "trackway canon folder/inner.json\r");
	expect_completion(s, "trackway canon -- sec", "trackway canon -- second.jsonl\r");
	expect_completion(s, "trackway canon -o fir", "trackway canon -o first.json\r");
	expect_completion(s, "trackway canon --output=fir", "trackway canon --output=first.json\r");
}

static void shell_end(struct shell *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	close(s->terminal);
	buf_free(&s->said);
}

TEST(bash_completes_commands_options_choices_topics_and_files)
{
	char bash[] = "bash", norc[] = "--norc", noprofile[] = "--noprofile", interactive[] = "-i";
	char *const argv[] = { bash, noprofile, norc, interactive, NULL };
	struct shell s;

	need("bash");
	enter_scratch();
	write_script("bash", "script");
	setenv("INPUTRC", "/dev/null", 1);
	setenv("PS1", "wait> ", 1);
	shell_start(&s, argv);
	shell_type(&s, "bind 'set enable-bracketed-paste off'; source ./script; PS1='rea''dy> '\n");
	shell_expect(&s, "ready> ");
	expect_all(&s);
	shell_end(&s);
	leave_scratch();
}

TEST(zsh_completes_commands_options_choices_topics_and_files)
{
	char zsh[] = "zsh", no_files[] = "-f", interactive[] = "-i";
	char *const argv[] = { zsh, no_files, interactive, NULL };
	struct shell s;

	need("zsh");
	enter_scratch();
	write_script("zsh", "_trackway");
	shell_start(&s, argv);
	shell_type(&s, "bindkey -e; unset zle_bracketed_paste; unsetopt promptsp; autoload -U compinit;"
		       " compinit -u -d \"$HOME/dump\"; source ./_trackway; PS1='rea''dy> '\n");
	shell_expect(&s, "ready> ");
	expect_all(&s);
	shell_end(&s);
	leave_scratch();
}

TEST(zsh_finds_the_script_in_its_function_path)
{
	char zsh[] = "zsh", no_files[] = "-f", interactive[] = "-i";
	char *const argv[] = { zsh, no_files, interactive, NULL };
	struct shell s;

	need("zsh");
	enter_scratch();
	write_script("zsh", "_trackway");
	shell_start(&s, argv);
	shell_type(&s, "bindkey -e; unset zle_bracketed_paste; unsetopt promptsp; fpath=(\"$HOME\" $fpath);"
		       " autoload -U compinit; compinit -u -d \"$HOME/dump\"; PS1='rea''dy> '\n");
	shell_expect(&s, "ready> ");
	expect_completion(&s, "trackway vers", "trackway version\r");
	expect_completion(&s, "trackway canon fir", "trackway canon first.json\r");
	shell_end(&s);
	leave_scratch();
}

static struct str fish_answers(const char *line)
{
	static char said[5000];
	char command[300];
	FILE *f;
	size_t n;

	snprintf(command, sizeof(command), "fish --no-config -c 'source ./script; complete -C \"%s\"' 2>&1", line);
	f = popen(command, "r");
	CHECK(f);
	n = fread(said, 1, sizeof(said), f);
	pclose(f);
	return str_of(said, n);
}

TEST(fish_completes_commands_options_choices_topics_and_files)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{ "trackway vers", "version\tprint the version and how it was built\n" },
		{ "trackway version --js", "--json\tas JSON; only the named fields\n" },
		{ "trackway --color alw", "always\n" },
		{ "trackway --color=alw", "--color=always\n" },
		{ "trackway help exi", "exit-codes\twhat the exit status means\n" },
		{ "trackway canon fir", "first.json\n" },
		{ "trackway canon folder/in", "folder/inner.json\n" },
		{ "trackway canon -- sec", "second.jsonl\n" },
		{ "trackway canon -o fir", "first.json\n" },
		{ "trackway canon --output=fir", "--output=first.json\n" },
		{ "trackway nothing ", "" },
	};

	need("fish");
	enter_scratch();
	write_script("fish", "script");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].line);
		CHECK_STR(fish_answers(cases[i].line), str_from(cases[i].want));
	}
	leave_scratch();
}
