#include "trial/seal_dir.h"

#include "trial_kit.h"

/* A run of two files beside its meta.json; the cassette holds content. */
static void make_run(struct kit *k)
{
	struct str meta;
	char trace[SHA256_HEX], tape[SHA256_HEX], summary[SHA256_HEX];

	CHECK(mkdir(kit_path(k, "run"), 0700) == 0);
	kit_put(k, "run/summary.json", STR("{\"trace_id\":\"r-1\"}\n"));
	kit_put(k, "run/agent-trace.jsonl", STR("{}\n"));
	kit_put(k, "run/cassette.jsonl", STR("private\n"));
	digest_hex(trace, sha256_of(&k->sha, STR("{}\n")));
	digest_hex(tape, sha256_of(&k->sha, STR("private\n")));
	digest_hex(summary, sha256_of(&k->sha, STR("{\"trace_id\":\"r-1\"}\n")));
	meta = arena_printf(&k->arena,
			    "{\"schema\":\"trackway.run/1\",\"run_id\":\"r-1\",\"ended\":\"x\",\"files\":["
			    "{\"name\":\"summary.json\",\"sha256\":\"%.64s\"},{\"name\":\"cassette.jsonl\",\"sha256\":\"%.64s\"},"
			    "{\"name\":\"agent-trace.jsonl\",\"sha256\":\"%.64s\"}]}", summary, tape, trace);
	kit_put(k, "run/meta.json", meta);
}

static struct seal_dir dir_of(struct kit *k, bool content)
{
	return (struct seal_dir){ .path = str_from(kit_path(k, "run")), .kind = ENTRY_RUN, .with_content = content };
}

TEST(files_come_in_order_and_content_stays_outside)
{
	struct err err = { .kind = ERR_NONE };
	struct seal_dir d, all;
	struct kit k;

	kit_begin(&k);
	make_run(&k);
	d = dir_of(&k, false);
	kit_must(seal_dir_read(&k.arena, &d, &err), &err);
	CHECK_STR(d.source.id, STR("r-1"));
	CHECK_INT(d.source.file_count, 4);
	CHECK_STR(d.source.files[0].name, STR("agent-trace.jsonl"));
	CHECK_STR(d.source.files[1].name, STR("cassette.jsonl"));
	CHECK_INT(d.source.files[1].size, 8);
	CHECK_STR(d.source.files[3].name, STR("summary.json"));
	CHECK_INT(d.source.artifact_count, 2); /* the trace and meta.json; the summary is the record */
	CHECK_INT(d.withheld, 1);
	CHECK(!d.has_log);
	seal_dir_free(&d);
	all = dir_of(&k, true);
	kit_must(seal_dir_read(&k.arena, &all, &err), &err);
	CHECK_INT(all.source.artifact_count, 3);
	CHECK_INT(all.withheld, 0);
	seal_dir_free(&all);
	kit_end(&k);
}

TEST(a_run_is_sealed_once_and_its_bytes_can_follow)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	struct seal_dir d, all;
	struct sealer *s;
	struct kit k;

	kit_begin(&k);
	make_run(&k);
	told->kit = &k;
	s = sealer_open(&(struct seal_options){ .ledger = &k.ledger, .each = kit_tell, .context = told });
	d = dir_of(&k, false);
	all = dir_of(&k, true);
	kit_must(seal_dir_read(&k.arena, &d, &err) && seal_add_run(s, STR("run"), &d.source, &err) && seal_commit(s, &err), &err);
	kit_must(seal_dir_read(&k.arena, &all, &err) && seal_add_run(s, STR("run"), &all.source, &err) && seal_commit(s, &err),
		 &err);
	CHECK_INT(told->results[0].outcome, SEAL_ADDED);
	CHECK_INT(told->results[1].outcome, SEAL_SAME);
	CHECK_INT(told->results[1].kind, ENTRY_RUN);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 4); /* the run, two artifacts, and then the cassette */
	CHECK_INT(kit_entry(&k, LEDGER_MAIN, 0).file_count, 4);
	CHECK(kit_has(&k, "ledger/artifacts/r-1/summary.json") && kit_has(&k, "ledger/artifacts/r-1/cassette.jsonl"));
	/* the same id for a benchmark, or other files, is a conflict */
	d = dir_of(&k, false);
	kit_must(seal_dir_read(&k.arena, &d, &err), &err);
	d.source.kind = ENTRY_BENCH;
	kit_must(seal_add_run(s, STR("bench"), &d.source, &err) && seal_commit(s, &err), &err);
	CHECK_INT(told->results[2].outcome, SEAL_CONFLICT);
	d = dir_of(&k, false);
	kit_must(seal_dir_read(&k.arena, &d, &err), &err);
	d.source.file_count--;
	kit_must(seal_add_run(s, STR("less"), &d.source, &err) && seal_commit(s, &err), &err);
	CHECK_INT(told->results[3].outcome, SEAL_CONFLICT);
	sealer_close(s);
	kit_end(&k);
}

TEST(a_directory_that_is_no_whole_run_is_refused)
{
	static const struct {
		const char *name, *bytes, *why;
	} cases[] = {
		{ "run/agent-trace.jsonl", "changed", "has changed" },
		{ "run/meta.json", "{\"run_id\":\"r-1\"}", "no list of files" },
		{ "run/meta.json", "{\"files\":[]}", "no run_id" },
		{ "run/meta.json", "{\"run_id\":\"r\",\"files\":[{\"name\":\"../x\",\"sha256\":\"00\"}]}", "no sha256" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct seal_dir d;
		struct kit k;

		test_case("%s: %s", cases[i].name, cases[i].why);
		kit_begin(&k);
		make_run(&k);
		kit_put(&k, cases[i].name, str_from(cases[i].bytes));
		d = dir_of(&k, true);
		CHECK(!seal_dir_read(&k.arena, &d, &err));
		CHECK(str_has(str_from(err.text), str_from(cases[i].why)));
		kit_end(&k);
	}
}
