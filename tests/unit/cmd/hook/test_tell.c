/* A hook passes on what it is told, says nothing, and succeeds whatever happens. */
#include "cmd/hook/tell.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "net/local.h"
#include "unit/cmd/said.h"

#define PRE "{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s-1\",\"tool_name\":\"Bash\"," \
	    "\"tool_use_id\":\"toolu_1\",\"tool_input\":{\"command\":\"canary\"}}"

struct recording {
	struct str path;
	int listener;
	struct said said;
};

/* With a recorder at this name; NULL for none. */
static void recording_begin(struct recording *r, const char *name)
{
	const char *top = test_dir();
	struct arena a;
	struct str dir;
	struct err err;

	setenv("XDG_RUNTIME_DIR", top, 1);
	unsetenv("TRACKWAY_SOCKET");
	unsetenv("TRACKWAY_RUN_ID");
	r->listener = -1;
	if (!name)
		return;
	arena_init(&a);
	CHECK(local_dir(&a, top, true, &dir, &err));
	r->path = str_of(test_alloc(dir.n + strlen(name) + 2), dir.n + 1 + strlen(name));
	snprintf((char *)(uintptr_t)r->path.p, r->path.n + 1, "%s/%s", dir.p, name);
	arena_free(&a);
	r->listener = local_listen(r->path, &err);
	CHECK(r->listener >= 0);
}

static void told(struct recording *r, const char *agent, const char *text)
{
	int ends[2];

	CHECK_INT(pipe(ends), 0);
	CHECK_INT(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
	close(ends[1]);
	dup2(ends[0], 0);
	close(ends[0]);
	catch(&r->said);
	CHECK_INT(hook_tell(agent), 0);
	caught(&r->said);
	CHECK_STR(r->said.err, STR(""));
}

/* What the recorder got; empty when nobody came. */
static struct str got(struct recording *r)
{
	char *bytes = test_alloc(65536);
	int fd = accept(r->listener, NULL, NULL);
	size_t n = 0;
	ssize_t some;

	if (fd < 0)
		return STR("");
	while ((some = read(fd, bytes + n, 65535 - n)) > 0)
		n += (size_t)some;
	close(fd);
	return str_of(bytes, n);
}

static bool has(struct str text, const char *part)
{
	return str_find(text, str_from(part)) != (size_t)-1;
}

TEST(an_event_goes_to_the_recorder_that_listens_for_all)
{
	struct recording r;
	struct str line;

	recording_begin(&r, "listen.sock");
	told(&r, "claude-code", PRE);
	line = got(&r);
	CHECK(has(line, "\"kind\":\"tool_begin\",\"layer\":\"hook\",\"begun_ns\":"));
	CHECK(has(line, "\"session\":\"s-1\""));
	CHECK(has(line, "\"call\":\"toolu_1\",\"name\":\"Bash\""));
	CHECK(!has(line, "canary") && !has(line, "\"run\""));
	CHECK(line.p[line.n - 1] == '\n');
	CHECK_STR(r.said.out, STR(""));
}

TEST(the_recorder_around_the_agent_comes_before_that)
{
	struct recording r;
	struct str line;

	recording_begin(&r, "run.sock");
	setenv("TRACKWAY_SOCKET", r.path.p, 1);
	setenv("TRACKWAY_RUN_ID", "run-7", 1);
	told(&r, "claude-code", PRE);
	line = got(&r);
	CHECK(has(line, "\"run\":\"run-7\""));
}

TEST(without_a_recorder_and_with_any_input_it_is_silent_and_succeeds)
{
	static const char *const inputs[] = { PRE, "", "nonsense", "[1,2", "{}", "\xff\xfe", "{\"hook_event_name\":7}" };
	struct recording r;

	recording_begin(&r, NULL);
	for (size_t i = 0; i < COUNT(inputs); i++) {
		test_case("%s", inputs[i]);
		told(&r, "claude-code", inputs[i]);
		CHECK_STR(r.said.out, STR(""));
		told(&r, "cursor", inputs[i]);
		CHECK_STR(r.said.out, STR(""));
	}
	setenv("TRACKWAY_SOCKET", "/nowhere/at/all.sock", 1);
	told(&r, "claude-code", PRE);
	CHECK_STR(r.said.out, STR(""));
}

TEST(cursor_is_answered_where_no_answer_could_count_as_no)
{
	struct recording r;

	recording_begin(&r, "listen.sock");
	told(&r, "cursor", "{\"hook_event_name\":\"beforeSubmitPrompt\",\"conversation_id\":\"c-1\",\"prompt\":\"canary\"}");
	CHECK_STR(r.said.out, STR("{\"continue\":true}\n"));
	CHECK(has(got(&r), "\"kind\":\"input\""));
	told(&r, "cursor", "{\"hook_event_name\":\"postToolUse\",\"tool_use_id\":\"t1\",\"duration\":5}");
	CHECK_STR(r.said.out, STR(""));
	told(&r, "claude-code", "{\"hook_event_name\":\"beforeSubmitPrompt\"}");
	CHECK_STR(r.said.out, STR(""));
}

TEST(a_recorder_that_takes_nothing_does_not_hold_it_up)
{
	struct recording r;
	uint64_t begun;

	recording_begin(&r, "listen.sock");
	begun = clock_mono_ns();
	for (int i = 0; i < 20; i++)
		told(&r, "claude-code", PRE);
	CHECK(clock_mono_ns() - begun < UINT64_C(20) * 300000000 * test_slower());
}

TEST(a_hook_is_asked_for_by_its_words_alone)
{
	static const struct { const char *words[5]; bool asked; } cases[] = {
		{ { "trackway", "hook", "claude-code" }, true },
		{ { "trackway", "hook", "cursor" }, true },
		{ { "trackway", "hook", "claude-code", "--wrong" }, true },
		{ { "trackway", "hook", "claude-code", "--help" }, false },
		{ { "trackway", "hook", "claude-code", "-h" }, false },
		{ { "trackway", "hook", "install" }, false },
		{ { "trackway", "hook" }, false },
		{ { "trackway" }, false },
		{ { "trackway", "hash", "cursor" }, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *argv[6] = { NULL };
		int argc = 0;

		for (; cases[i].words[argc]; argc++)
			argv[argc] = (char *)(uintptr_t)cases[i].words[argc];
		CHECK_INT(hook_is_asked(argc, argv), cases[i].asked);
	}
}
