/* Commands from a small tape: what is the same command, and what is used with it. */
#include "replay/shell_lane.h"

#include "capture/shell_tape.h"
#include "json/json.h"
#include "replay/volatile.h"
#include "unit/replay/fake_player.h"

static struct str words[][3] = {
	{ { "git", 3 }, { "status", 6 }, { NULL, 0 } },
	{ { "bash", 4 }, { "-c", 2 }, { "git status", 10 } },
	{ { "cat", 3 }, { NULL, 0 }, { NULL, 0 } },
	{ { "cat", 3 }, { NULL, 0 }, { NULL, 0 } },
	{ { "grep", 4 }, { "\xff", 1 }, { NULL, 0 } },
};
static struct tape_piece pieces[] = { { false, { "ok\n", 3 }, 0 }, { true, { "warn\n", 5 }, 10 }, { false, { "end", 3 }, 0 } };

struct scene {
	struct arena arena;
	struct fake_player player;
	struct tape_line lines[5];
	struct tape tape;
	struct shell_lane *lane;
	struct json_parser *parser;
};

/* git inside of bash, two times cat with other inputs, grep with bytes that are no text. */
static void open_scene(struct scene *s)
{
	static const size_t counts[] = { 2, 3, 1, 1, 2 };

	arena_init(&s->arena);
	fake_open(&s->player);
	for (size_t i = 0; i < COUNT(s->lines); i++) {
		s->lines[i] = (struct tape_line){ .x = i, .lane = TAPE_SHELL, .begun_us = (int64_t)i * 100, .ended_us = (int64_t)i * 100 + 50 };
		s->lines[i].command = (struct tape_command){ .argv = words[i], .argc = counts[i], .cwd = STR("<ws>"),
							      .stdin_sha256 = STR("e3"), .env = STR("{ \"TZ\":\"UTC\"}"),
							      .pieces = pieces, .piece_count = COUNT(pieces), .exit = 0, .signal = -1 };
	}
	s->lines[0].command.id = STR("c0");
	s->lines[0].command.parent = STR("c1");
	s->lines[1].command.id = STR("c1");
	s->lines[1].begun_us = -10;
	s->lines[2].command.stdin_sha256 = STR("aa");
	s->lines[3].command.stdin_sha256 = str_of(NULL, 0);
	s->tape = (struct tape){ .lines = s->lines, .count = COUNT(s->lines) };
	s->lane = shell_lane_new(&s->arena, &s->tape, &s->player.ops);
	s->player.entries = s->lane->entries;
	s->parser = json_parser_open((struct json_options){ .max_depth = 64 });
}

static void close_scene(struct scene *s)
{
	json_parser_close(s->parser);
	fake_close(&s->player);
	arena_free(&s->arena);
}

static struct shell_lane_question question(struct scene *s, const char *hello)
{
	struct shell_lane_question q;
	struct val v;

	CHECK(json_parse_copy(s->parser, str_from(hello), &v, NULL));
	CHECK(shell_lane_read(s->lane, &s->arena, v, &q));
	return q;
}

/* The x of the command that is served; -1: none. */
static int ask(struct scene *s, const char *hello)
{
	struct shell_lane_question q = question(s, hello);
	struct str why;
	const struct tape_command *c = shell_lane_ask(s->lane, &s->arena, &q, &why);

	for (size_t i = 0; c && i < COUNT(s->lines); i++)
		if (c == &s->lines[i].command)
			return (int)i;
	return -1;
}

#define HELLO(argv, cwd, input) \
	"{\"lane\":\"shell\",\"command\":\"l1\",\"parent\":null,\"req\":{\"argv\":[" argv "],\"cwd\":\"" cwd "\",\"stdin_sha256\":" input \
	",\"env\":{\"TZ\":\"UTC\"}}}"
#define BASH HELLO("\"bash\",\"-c\",\"git status\"", "<ws>", "\"e3\"")

TEST(commands_are_told_apart_by_arguments_directory_and_input)
{
	static const struct { const char *hello; int x; } cases[] = {
		{ BASH, 1 },
		{ HELLO("\"bash\",\"-c\",\"git status\"", "<ws>/src", "\"e3\""), -1 },
		{ HELLO("\"bash\",\"-c\",\"git diff\"", "<ws>", "\"e3\""), -1 },
		{ HELLO("\"grep\",{\"base64\":\"/w==\"}", "<ws>", "\"e3\""), 4 },
		{ HELLO("\"cat\"", "<ws>", "\"aa\""), 2 },
		{ HELLO("\"cat\"", "<ws>", "null"), 3 },
		{ HELLO("\"cat\"", "<ws>", "\"bb\""), 3 },
		{ HELLO("\"grep\",{\"base64\":\"/w==\"}", "<ws>", "null"), 4 },
	};
	struct scene s;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].hello);
		open_scene(&s);
		CHECK_INT(ask(&s, cases[i].hello), cases[i].x);
		CHECK_INT(s.lane->served, cases[i].x >= 0);
		close_scene(&s);
	}
}

TEST(an_entry_has_the_name_the_directory_and_a_canonical_body)
{
	struct scene s;

	open_scene(&s);
	CHECK_STR(s.lane->entries.items[0].q.method, STR("git"));
	CHECK_STR(s.lane->entries.items[0].q.target, STR("<ws>"));
	CHECK_STR(s.lane->entries.items[0].q.body,
		  STR("{\"argv\":[\"git\",\"status\"],\"env\":{\"TZ\":\"UTC\"},\"stdin_sha256\":\"e3\"}"));
	CHECK_STR(s.lane->entries.items[0].answer, STR("ok\nwarn\nend"));
	close_scene(&s);
}

TEST(another_input_is_no_value_that_is_new_in_every_run)
{
	struct volatile_text found;
	struct volatile_scan scan;
	struct scene s;

	open_scene(&s);
	s.lines[1].command.stdin_sha256 = STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	s.lane = shell_lane_new(&s.arena, &s.tape, &s.player.ops);
	CHECK(str_has(s.lane->entries.items[1].q.body, STR("\"stdin_sha256\":\"e3b0c442 98fc1c14 9afbf4c8 ")));
	scan = volatile_begin(s.lane->entries.items[1].q.body);
	CHECK(!volatile_next(&scan, &found));
	close_scene(&s);
}

TEST(commands_inside_are_used_with_the_one_around_them)
{
	struct scene s;

	open_scene(&s);
	CHECK(!shell_lane_covers(s.lane, 5, 40));
	CHECK_INT(ask(&s, BASH), 1);
	CHECK_STR(buf_str(&s.player.consumed), STR("0 "));
	CHECK_INT(ask(&s, HELLO("\"git\",\"status\"", "<ws>", "\"e3\"")), -1);
	CHECK_STR(buf_str(&s.player.tools), STR("bash 0\n"));
	CHECK(shell_lane_covers(s.lane, 60, 140));
	CHECK(!shell_lane_covers(s.lane, -20, 40) && !shell_lane_covers(s.lane, 60, 150));
	close_scene(&s);
}

TEST(what_a_server_ran_that_is_not_started_is_not_expected)
{
	struct scene s;

	open_scene(&s);
	s.lines[1].command.parent = STR(SHELL_TAPE_SERVER);
	s.lane = shell_lane_new(&s.arena, &s.tape, &s.player.ops);
	CHECK_INT(s.lane->entries.count, 3); /* neither bash nor git inside of it */
	CHECK_INT(s.lane->entries.items[0].x, 2);
	close_scene(&s);
}

TEST(what_was_asked_again_was_not_asked_by_a_command)
{
	struct scene s;

	open_scene(&s);
	CHECK_INT(ask(&s, BASH), 1);
	shell_lane_pass(s.lane, 100, 150); /* not all of it inside */
	CHECK(shell_lane_covers(s.lane, 60, 140));
	shell_lane_pass(s.lane, 100, 110);
	CHECK(!shell_lane_covers(s.lane, 60, 140));
	close_scene(&s);
}

TEST(a_command_around_all_requests_to_the_model_is_the_agent_and_runs)
{
	struct shell_lane_question q;
	struct scene s;
	struct str why = STR("");

	open_scene(&s);
	s.lines[4] = (struct tape_line){ .x = 4, .lane = TAPE_MODEL, .begun_us = 60, .ended_us = 70 };
	s.lane = shell_lane_new(&s.arena, &s.tape, &s.player.ops);
	s.player.entries = s.lane->entries;
	CHECK_STR(s.lane->entries.items[1].answer, STR(""));
	CHECK_INT(s.lane->entries.items[1].ended_us, -10); /* nothing overlaps with it */
	q = question(&s, BASH);
	CHECK(!shell_lane_ask(s.lane, &s.arena, &q, &why) && !why.p);
	CHECK_STR(buf_str(&s.player.consumed), STR(""));
	CHECK_STR(buf_str(&s.player.tools), STR(""));
	CHECK(!shell_lane_covers(s.lane, 60, 70) && s.lane->served == 0);
	CHECK_INT(ask(&s, HELLO("\"git\",\"status\"", "<ws>", "\"e3\"")), 0);
	close_scene(&s);
}

TEST(a_hello_that_cannot_be_read_is_refused)
{
	static const char *const cases[] = { "{}", "{\"req\":{\"argv\":[]}}", "{\"req\":{\"argv\":[1]}}", "{\"req\":{\"argv\":\"x\"}}",
					     "{\"req\":{\"argv\":[{\"base64\":\"?\"}]}}" };
	struct shell_lane_question q;
	struct scene s;
	struct val v;

	open_scene(&s);
	for (size_t i = 0; i < COUNT(cases); i++) {
		CHECK(json_parse_copy(s.parser, str_from(cases[i]), &v, NULL));
		CHECK(!shell_lane_read(s.lane, &s.arena, v, &q));
	}
	s.player.stopped = true;
	CHECK_INT(ask(&s, BASH), -1);
	CHECK_INT(s.player.asked, 0);
	close_scene(&s);
}

TEST(input_that_is_not_known_is_noted)
{
	static const struct { const char *input, *notes; } cases[] = {
		{ HELLO("\"cat\"", "<ws>", "\"aa\""), "" },
		{ HELLO("\"cat\"", "<ws>", "null"), "9 0 shell   \n" },
		{ HELLO("\"cat\"", "<ws>", "\"bb\""), "9 0 shell   \n" },
	};
	struct scene s;

	for (size_t i = 0; i < COUNT(cases); i++) {
		open_scene(&s);
		CHECK(ask(&s, cases[i].input) >= 0);
		CHECK_STR(buf_str(&s.player.notes), str_from(cases[i].notes));
		close_scene(&s);
	}
}

TEST(output_that_was_cut_is_noted)
{
	struct scene s;

	open_scene(&s);
	s.lines[1].command.cut = true;
	CHECK_INT(ask(&s, BASH), 1);
	CHECK_STR(buf_str(&s.player.notes), STR("9 0 shell   \n"));
	close_scene(&s);
}

TEST(a_live_command_that_gives_another_result_has_drifted)
{
	static const struct { const char *resp, *notes; } cases[] = {
		{ "{\"io\":[[\"o\",\"ok\\nend\",3],[\"e\",\"warn\\n\",1]],\"exit\":0,\"signal\":null}", "" },
		{ "{\"io\":[[\"o\",\"ok\\nEnd\",3],[\"e\",\"warn\\n\",1]],\"exit\":0,\"signal\":null}", "12 0 shell /stdout ok\nend ok\nEnd\n" },
		{ "{\"io\":[[\"o\",\"ok\\nend\",3]],\"exit\":0,\"signal\":null}", "12 0 shell /stderr warn\n \n" },
		{ "{\"io\":[],\"exit\":2,\"signal\":null}", "12 0 shell /exit 0 2\n" },
		{ "{\"io\":[],\"exit\":null,\"signal\":9}", "12 0 shell /signal -1 9\n" },
	};
	struct scene s;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct shell_lane_question q;
		struct str line;
		struct val v;

		test_case("%s", cases[i].resp);
		open_scene(&s);
		q = question(&s, BASH);
		shell_lane_run(s.lane, &s.arena, &q);
		q.parent = STR("l1");
		shell_lane_run(s.lane, &s.arena, &q);
		CHECK_INT(s.player.asked, 1);
		line = ARENA_JOIN(&s.arena, STR("{\"command\":\"l1\",\"resp\":"), str_from(cases[i].resp), STR("}"));
		CHECK(json_parse_copy(s.parser, line, &v, NULL));
		shell_lane_see(s.lane, v);
		shell_lane_see(s.lane, v); /* known no more */
		CHECK_STR(buf_str(&s.player.notes), str_from(cases[i].notes));
		CHECK_STR(buf_str(&s.player.tools), STR("bash 1\n"));
		close_scene(&s);
	}
}
