#include "dialect/record/field.h"
#include "harness/test.h"
#include "source/memory.h"
#include "source/source.h"
#include "unit/source/feed.h"
#include "unit/source/pack_zip.h"
#include "unit/source/scratch.h"

static struct buf archive, got;

/* "file group:name=bytes " for each input; "!message " where it failed. */
static struct str parts_of(const struct str *paths, size_t count, struct source_options options)
{
	struct arena a;
	struct err err = { .kind = ERR_NONE };
	struct source *s;
	struct buf into;
	struct chunk c;
	enum next next;
	uint64_t index = 0;

	arena_init(&a);
	buf_init(&into);
	buf_clear(&got);
	s = source_open(&a, paths, count, options, &err);
	if (!s)
		buf_printf(&got, "!%s ", err.text);
	while (s && (next = source_next(s, &into, &c, &err)) != NEXT_END) {
		CHECK_INT(c.input->index, index);
		index++;
		if (next == NEXT_FAIL)
			buf_printf(&got, "!%s ", err.text);
		else
			buf_printf(&got, "%llu:%.*s=%.*s ", (unsigned long long)c.input->file_group,
				   STR_ARG(c.input->name), STR_ARG(c.bytes));
		if (next == NEXT_MORE && c.input->member.p)
			CHECK(str_ends(c.input->name, c.input->member));
	}
	if (s)
		source_close(s);
	buf_free(&into);
	arena_free(&a);
	return buf_str(&got);
}

static struct str from_memory(struct str bytes, bool stream)
{
	struct memory_file files[] = { { STR("log"), bytes }, { STR("z"), STR("0") } };
	struct feed feed = { .cut = FEED_WHOLE, .is_stream = true };
	struct source_io io = feed_io(&feed, files, 2);
	struct memory m = { .files = files, .count = 2 };
	struct source_io plain = memory_io(&m);

	return parts_of((struct str[]){ STR("log"), STR("z") }, 2,
			(struct source_options){
				.io = stream ? &io : &plain, .file_groups = true, .shape = SOURCE_CONTENT });
}

static void check_zip(const struct zipped *members, const char *want)
{
	struct str bytes = zip_make(&archive, members, false, STR(""));

	CHECK_STR(from_memory(bytes, false), str_from(want));
	CHECK_STR(from_memory(bytes, true), str_from(want));
}

#define JSON(name_, bytes_) { .name = WORD(name_), .bytes = WORD(bytes_), .method = 8 }

TEST(a_log_gives_its_header_and_then_its_samples_in_one_bundle)
{
	static const struct zipped all[] = {
		JSON("_journal/start.json", "s"), JSON("samples/2_epoch_1.json", "2"),
		JSON("samples/10_epoch_1.json", "10"),
		JSON("_journal/summaries/1.json", "x"), JSON("summaries.json", "x"), JSON("reductions.json", "x"),
		JSON("header.json", "h"), { .name = { NULL, 0 } },
	};

	check_zip(all, "0:log/header.json=h 0:log/samples/10_epoch_1.json=10 0:log/samples/2_epoch_1.json=2 1:z=0 ");
}

TEST(a_log_without_a_header_gives_the_start_of_its_journal)
{
	static const struct zipped all[] = { JSON("samples/1.json", "1"), JSON("_journal/start.json", "s"),
					     { .name = { NULL, 0 } } };

	check_zip(all, "0:log/_journal/start.json=s 0:log/samples/1.json=1 1:z=0 ");
}

TEST(another_archive_gives_what_a_walk_would_take_each_by_itself)
{
	static const struct zipped all[] = { JSON("b.jsonl", "b"), JSON("readme.txt", "x"), JSON("a.json", "a"),
					     { .name = { NULL, 0 } } };

	check_zip(all, "0:log/a.json=a 2:log/b.jsonl=b 1:z=0 ");
}

TEST(an_archive_with_nothing_to_read_or_a_damaged_member_fails_and_the_next_file_comes)
{
	static const struct zipped none[] = { JSON("readme.txt", "x"), { .name = { NULL, 0 } } };
	static const struct zipped bad[] = {
		{ .name = WORD("header.json"), .bytes = WORD("h"), .bad_crc = 1 }, JSON("samples/1.json", "1"),
		{ .name = { NULL, 0 } },
	};

	check_zip(none, "!log: nothing in this zip archive is named .json, .jsonl or .ndjson 1:z=0 ");
	check_zip(bad, "!log: header.json in this zip archive is damaged: bad checksum 0:log/samples/1.json=1 1:z=0 ");
}

TEST(a_member_above_the_limit_of_a_record_fails)
{
	static const struct zipped all[] = { JSON("a.json", "{\n\"a\":123456789}"), JSON("b.json", "{}"),
					     { .name = { NULL, 0 } } };
	struct memory_file file = { STR("log"), zip_make(&archive, all, false, STR("")) };
	struct memory m = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&m);

	CHECK_STR(parts_of(&STR("log"), 1,
			   (struct source_options){ .io = &io, .file_groups = true, .record_limit = 8 }),
		  STR("!log/a.json: the document is longer than 8 bytes, the limit for one record "
		      "1:log/b.json={} "));
}

TEST(without_bundles_an_archive_is_a_file_like_any_other)
{
	static const struct zipped all[] = { JSON("header.json", "h"), { .name = { NULL, 0 } } };
	struct memory_file file = { STR("log"), zip_make(&archive, all, false, STR("")) };
	struct memory m = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&m);

	CHECK(str_starts(parts_of(&STR("log"), 1, (struct source_options){ .io = &io }), STR("0:log=PK\3\4")));
}

/* ---- sessions ---- */

#define AGENT(session) STR("{\"a\":1,\"sessionId\":\"" session "\",\"isSidechain\":true}\n")

static void make_sessions(void)
{
	CHECK(mkdir("p", 0755) == 0 && mkdir("p/s1", 0755) == 0 && mkdir("p/s1/subagents", 0755) == 0);
	scratch_write("p/s1.jsonl", STR("1"));
	scratch_write("p/s2.jsonl", STR("2"));
	scratch_write("p/s1/subagents/agent-b.jsonl", STR("b"));
	scratch_write("p/s1/subagents/agent-a.jsonl", STR("a"));
	scratch_write("p/s1/subagents/other.jsonl", STR("o"));
	scratch_write("p/agent-c.jsonl", AGENT("s2"));
	scratch_write("p/agent-d.jsonl", AGENT("s9"));
	scratch_write("p/log.eval", STR("e"));
}

TEST(a_session_takes_the_files_of_its_sub_agents_along)
{
	struct scratch s = scratch_enter();
	struct source_options o = { .file_groups = true };

	make_sessions();
	CHECK_STR(parts_of(&STR("p/s1.jsonl"), 1, o),
		  STR("0:p/s1.jsonl=1 0:p/s1/subagents/agent-a.jsonl=a 0:p/s1/subagents/agent-b.jsonl=b "));
	CHECK_STR(parts_of(&STR("p/s2.jsonl"), 1, o),
		  STR("0:p/s2.jsonl=2 0:p/agent-c.jsonl={\"a\":1,\"sessionId\":\"s2\",\"isSidechain\":true}\n "));
	scratch_leave(&s);
}

TEST(a_walk_gives_each_file_once_and_behind_its_session)
{
	struct scratch s = scratch_enter();
	struct source_options o = { .file_groups = true };

	make_sessions();
	CHECK_STR(parts_of(&STR("p"), 1, o),
		  STR("0:p/agent-d.jsonl={\"a\":1,\"sessionId\":\"s9\",\"isSidechain\":true}\n 1:p/log.eval=e "
		      "2:p/s1.jsonl=1 2:p/s1/subagents/agent-a.jsonl=a 2:p/s1/subagents/agent-b.jsonl=b "
		      "3:p/s1/subagents/other.jsonl=o "
		      "4:p/s2.jsonl=2 4:p/agent-c.jsonl={\"a\":1,\"sessionId\":\"s2\",\"isSidechain\":true}\n "));
	o.file_groups = false;
	CHECK(str_starts(parts_of(&STR("p"), 1, o), STR("0:p/agent-c.jsonl=")));
	scratch_leave(&s);
}

TEST(a_sub_agent_given_beside_its_session_is_read_once)
{
	struct scratch s = scratch_enter();
	struct source_options o = { .file_groups = true };

	make_sessions();
	CHECK(chdir("p") == 0);
	CHECK_STR(parts_of((struct str[]){ STR("agent-c.jsonl"), STR("s2.jsonl") }, 2, o),
		  STR("0:s2.jsonl=2 0:agent-c.jsonl={\"a\":1,\"sessionId\":\"s2\",\"isSidechain\":true}\n "));
	CHECK_STR(parts_of(&STR("agent-c.jsonl"), 1, o),
		  STR("0:agent-c.jsonl={\"a\":1,\"sessionId\":\"s2\",\"isSidechain\":true}\n "));
	CHECK(chdir("..") == 0);
	scratch_leave(&s);
}

/* ---- conversations ---- */

static void make_conversation(void)
{
	CHECK(mkdir("c", 0755) == 0 && mkdir("c/events", 0755) == 0 && mkdir("d", 0755) == 0);
	CHECK(mkdir("d/events", 0755) == 0 && mkdir("e", 0755) == 0);
	scratch_write("c/base_state.json", STR("s"));
	scratch_write("c/events/event-99999-b.json", STR("b"));
	scratch_write("c/events/event-100000-c.json", STR("c"));
	scratch_write("c/events/event-00000-a.json", STR("a"));
	scratch_write("c/events/event-note.json", STR("n"));
	scratch_write("d/events/event-00001-z.json", STR("z"));
	scratch_write("d/events/event-00002-y.json", STR("y"));
	scratch_write("e/base_state.json", STR("e"));
}

TEST(the_events_of_a_conversation_follow_its_state_by_their_numbers)
{
	static const char *const given[] = { "c", "c/events", "c/base_state.json", "c/events/event-00000-a.json" };
	static const char *const more[] = { "1:c/events/event-note.json=n ", "1:c/events/event-note.json=n ", "", "" };
	struct scratch s = scratch_enter();
	struct source_options o = { .file_groups = true };

	make_conversation();
	for (size_t i = 0; i < COUNT(given); i++) {
		struct str path = str_from(given[i]);
		char want[256];

		snprintf(want, sizeof(want), "0:c/base_state.json=s 0:c/events/event-00000-a.json=a "
			 "0:c/events/event-99999-b.json=b 0:c/events/event-100000-c.json=c %s", more[i]);
		CHECK_STR(parts_of(&path, 1, o), str_from(want));
	}
	scratch_leave(&s);
}

TEST(a_conversation_is_one_group_however_its_directory_is_spelled)
{
	struct scratch s = scratch_enter();
	struct source_options o = { .file_groups = true };

	make_conversation();
	CHECK(chdir("c") == 0);
	CHECK_STR(parts_of(&STR("."), 1, o),
		  STR("0:./base_state.json=s 0:./events/event-00000-a.json=a 0:./events/event-99999-b.json=b "
		      "0:./events/event-100000-c.json=c 1:./events/event-note.json=n "));
	CHECK(chdir("events") == 0);
	CHECK_STR(parts_of(&STR("."), 1, o),
		  STR("0:./../base_state.json=s 0:./event-00000-a.json=a 0:./event-99999-b.json=b "
		      "0:./event-100000-c.json=c 1:./event-note.json=n "));
	CHECK(chdir("../..") == 0);
	scratch_leave(&s);
}

TEST(events_without_a_state_are_a_group_and_a_state_without_events_is_a_file)
{
	struct scratch s = scratch_enter();
	struct source_options o = { .file_groups = true };

	make_conversation();
	CHECK_STR(parts_of((struct str[]){ STR("d"), STR("e") }, 2, o),
		  STR("0:d/events/event-00001-z.json=z 0:d/events/event-00002-y.json=y 1:e/base_state.json=e "));
	CHECK_STR(parts_of(&STR("d/events/event-00002-y.json"), 1, o), STR("0:d/events/event-00002-y.json=y "));
	o.file_groups = false;
	CHECK_STR(parts_of(&STR("d"), 1, o),
		  STR("0:d/events/event-00001-z.json=z 1:d/events/event-00002-y.json=y "));
	scratch_leave(&s);
}

/* ---- evaluations ---- */

#define SETTINGS STR("{\"rollouts_per_example\":1}")

TEST(results_take_the_settings_of_their_evaluation_along)
{
	struct scratch s = scratch_enter();
	struct source_options o = { .file_groups = true };

	CHECK(mkdir("e", 0755) == 0);
	scratch_write("e/metadata.json", SETTINGS);
	scratch_write("e/results.jsonl", STR("r"));
	scratch_write("e/m.metadata.json", SETTINGS);
	scratch_write("e/m.results.jsonl", STR("m"));
	scratch_write("e/n.results.jsonl", STR("n"));
	CHECK_STR(parts_of(&STR("e/results.jsonl"), 1, o),
		  STR("0:e/metadata.json={\"rollouts_per_example\":1} 0:e/results.jsonl=r "));
	CHECK_STR(parts_of(&STR("e"), 1, o),
		  STR("0:e/m.metadata.json={\"rollouts_per_example\":1} 0:e/m.results.jsonl=m "
		      "1:e/n.results.jsonl=n 2:e/metadata.json={\"rollouts_per_example\":1} 2:e/results.jsonl=r "));
	scratch_leave(&s);
}

TEST(metadata_of_other_programs_is_a_file_of_its_own)
{
	struct scratch s = scratch_enter();
	struct source_options o = { .file_groups = true };

	scratch_write("metadata.json", STR("{\"a\":1}"));
	scratch_write("results.jsonl", STR("r"));
	CHECK_STR(parts_of((struct str[]){ STR("results.jsonl"), STR("metadata.json") }, 2, o),
		  STR("0:results.jsonl=r 1:metadata.json={\"a\":1} "));
	scratch_leave(&s);
}
