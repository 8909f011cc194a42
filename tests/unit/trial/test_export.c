#include "trial/export.h"

#include <errno.h>

#include "sink/export/dir.h"
#include "trial/amend.h"
#include "trial/review.h"
#include "trial_kit.h"

/* Three trials (one of another experiment, one partial), an artifact, a review. */
static void fill(struct kit *k)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct seal_options o = { .ledger = &k->ledger, .each = kit_tell, .context = told };
	struct seal_artifact file = { .name = STR("out/answer.txt"), .media = STR("text/plain"), .bytes = STR("kN, not N\n") };
	struct err err = { .kind = ERR_NONE };
	struct str other = kit_replace(k, kit_record(k, "\"t/2\""), "\"e-1\"", "\"_e.2\"");
	struct str partial = kit_replace(k, kit_record(k, "\"t-3\""), "\"completeness\":\"complete\"", "\"completeness\":\"partial\"");
	struct amend_target target = { .part = LEDGER_MAIN, .experiment = STR("e-1"), .trial_id = STR("t-1") };
	struct review review = { .kind = STR("annotation"), .reviewer_id = STR("ana"), .judgment = STR("pass"), .notes = STR("fine") };
	struct amend_result said;
	struct sealer *s;

	told->kit = k;
	s = sealer_open(&o);
	kit_must(seal_add(s, STR("1"), kit_record(k, "\"t-1\""), &file, 1, NULL, &err) &&
		 seal_add(s, STR("2"), other, NULL, 0, NULL, &err) && seal_add(s, STR("3"), partial, NULL, 0, NULL, &err) &&
		 seal_commit(s, &err), &err);
	sealer_close(s);
	for (size_t i = 0; i < told->count; i++)
		CHECK_INT(told->results[i].outcome, SEAL_ADDED);
	target.leaf = told->results[0].leaf;
	target.index = told->results[0].index;
	kit_must(review_seal(&k->ledger, &k->arena, &target, &review, &said, &err) && ledger_publish(&k->ledger, &err), &err);
}

static void erase(struct kit *k, uint64_t index)
{
	struct err err = { .kind = ERR_NONE };
	struct entry e = kit_entry(k, LEDGER_MAIN, index);
	struct log *l = k->ledger.logs[LEDGER_MAIN];
	struct amend_target t = { .index = index, .experiment = e.experiment, .trial_id = e.id };
	struct amend_result r;
	struct str bytes;

	kit_must(l->ops->entry(l, &k->arena, index, &bytes, &err), &err);
	t.leaf = merkle_leaf(&k->sha, bytes);
	kit_must(erase_seal(&k->ledger, &t, STR("asked for"), &r, &err), &err);
}

static struct str file_of(struct kit *k, const char *name)
{
	struct err err = { .kind = ERR_NONE };
	struct str text;

	kit_must(file_read(&k->arena, str_from(kit_path(k, name)), 1 << 24, &text, &err), &err);
	return text;
}

static struct str link_of(struct kit *k, const char *name)
{
	char *text = test_alloc(200);
	ssize_t n = readlink(kit_path(k, name), text, 199);

	return n < 0 ? STR("no link") : str_of(text, (size_t)n);
}

/* One record more. */
static void add(struct kit *k, struct str record, const struct seal_artifact *artifacts, size_t count)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct seal_options o = { .ledger = &k->ledger, .each = kit_tell, .context = told };
	struct err err = { .kind = ERR_NONE };
	struct sealer *s;

	told->kit = k;
	s = sealer_open(&o);
	kit_must(seal_add(s, STR("1"), record, artifacts, count, NULL, &err) && seal_commit(s, &err) &&
		 ledger_publish(&k->ledger, &err), &err);
	sealer_close(s);
	CHECK_INT(told->results[0].outcome, SEAL_ADDED);
}

static struct export_options all_of(struct kit *k, const char *dir)
{
	return (struct export_options){ .ledger = &k->ledger, .part = -1, .dir = dir ? str_from(kit_path(k, dir)) : STR("") };
}

/* ---- lines ---- */

static bool gather(void *context, struct str line, struct err *err)
{
	(void)err;
	buf_add_str(context, line);
	return true;
}

static struct str lines_of(struct kit *k, struct export_options o, struct export_sum *sum)
{
	struct err err = { .kind = ERR_NONE };
	struct str text;
	struct buf b;

	buf_init(&b);
	o.put = gather;
	o.context = &b;
	kit_must(export_jsonl(&o, sum, &err), &err);
	text = arena_copy(&k->arena, buf_str(&b));
	buf_free(&b);
	return text;
}

static size_t count_lines(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

TEST(every_entry_is_a_line_with_its_record)
{
	struct export_sum sum;
	struct str text, rest, line;
	struct kit k;
	struct val v;

	kit_begin(&k);
	fill(&k);
	text = lines_of(&k, all_of(&k, NULL), &sum);
	CHECK_INT(count_lines(text), 5);
	CHECK_INT(sum.entries, 5);
	CHECK_INT(sum.trials, 3);
	CHECK_INT(sum.reviews, 1);
	CHECK_INT(sum.artifacts, 1);
	line = str_cut(text, '\n', &rest);
	CHECK(json_parse_copy(k.parser, line, &v, NULL));
	CHECK(val_text_is(val_get(v, STR("part")), STR("main")));
	CHECK(val_text_is(val_at(v, STR("/entry/id")), STR("t-1")));
	CHECK(val_text_is(val_at(v, STR("/record/trial_id")), STR("t-1")));
	CHECK_STR(val_raw(val_at(v, STR("/record/timing/total_seconds"))), STR("12.5"));
	CHECK(str_find(text, STR("\"part\":\"diagnostic\"")) != (size_t)-1);
	kit_end(&k);
}

TEST(an_erased_record_and_an_artifact_are_null)
{
	struct export_sum sum;
	struct str text;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	erase(&k, 0);
	text = lines_of(&k, all_of(&k, NULL), &sum);
	CHECK_INT(count_lines(text), 6);
	CHECK_INT(sum.erased, 2); /* the record and its artifact */
	CHECK(str_find(text, STR("\"record\":null}")) != (size_t)-1);
	CHECK(str_find(text, STR("kN, not N")) == (size_t)-1);
	kit_end(&k);
}

TEST(only_one_part_or_one_experiment_can_be_asked_for)
{
	struct export_options o;
	struct export_sum sum;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	o = all_of(&k, NULL);
	o.part = LEDGER_DIAGNOSTIC;
	CHECK_INT(count_lines(lines_of(&k, o, &sum)), 1);
	o.part = LEDGER_MAIN;
	o.experiment = STR("_e.2");
	CHECK_INT(count_lines(lines_of(&k, o, &sum)), 1);
	o.experiment = STR("e-1"); /* with what refers to its trials */
	CHECK_INT(count_lines(lines_of(&k, o, &sum)), 3);
	o.experiment = STR("e");
	CHECK_INT(count_lines(lines_of(&k, o, &sum)), 0);
	kit_end(&k);
}

TEST(white_space_goes_and_nothing_else)
{
	static const char *const cases[][2] = {
		{ "{ \"a b\" : [ 1.0 , 2e5 ] }\n", "{\"a b\":[1.0,2e5]}" }, { "\"a \\\" b\"", "\"a \\\" b\"" }, { "\"\\\\\" ", "\"\\\\\"" },
		{ "[\r\n\t]", "[]" }, { "12345678901234567890.10", "12345678901234567890.10" }, { "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b;

		buf_init(&b);
		export_add_compact(&b, str_from(cases[i][0]));
		CHECK_STR(buf_str(&b), str_from(cases[i][1]));
		buf_free(&b);
	}
}

static bool refuse(void *context, struct str line, struct err *err)
{
	(void)context;
	(void)line;
	return err_set(err, ERR_IO, "full");
}

TEST(who_takes_no_more_lines_ends_it)
{
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	o = all_of(&k, NULL);
	o.put = refuse;
	CHECK(!export_jsonl(&o, &sum, &err) && strcmp(err.text, "full") == 0);
	CHECK_INT(sum.entries, 1);
	kit_end(&k);
}

TEST(an_object_that_was_changed_is_not_given_away)
{
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	char hex[SHA256_HEX];
	const char *path;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	digest_hex(hex, kit_entry(&k, LEDGER_MAIN, 0).record.digest);
	path = arena_printf(&k.arena, "ledger/objects/sha256/%.2s/%.62s", hex, hex + 2).p;
	CHECK(chmod(kit_path(&k, path), 0644) == 0);
	kit_put(&k, path, STR("{\"trial_id\":\"t-1\"}"));
	o = all_of(&k, "out");
	CHECK(!export_tree(&o, &sum, &err));
	CHECK(err.kind == ERR_DATA && strstr(err.text, "not the one that was sealed"));
	CHECK(!kit_has(&k, "out"));
	kit_end(&k);
}

/* ---- the tree ---- */

TEST(the_tree_has_records_byte_for_byte_and_the_rest_beside_them)
{
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	o = all_of(&k, "out");
	kit_must(export_tree(&o, &sum, &err), &err);
	CHECK_STR(file_of(&k, "out/e-1/t-1.json"), kit_record(&k, "\"t-1\""));
	CHECK_STR(file_of(&k, "out/e-1/_artifacts/t-1/out%2Fanswer.txt"), STR("kN, not N\n"));
	CHECK(kit_has(&k, "out/%5Fe.2/t%2F2.json")); /* no id can look like something of ours, or leave the directory */
	CHECK(kit_has(&k, "out/_diagnostic/e-1/t-3.json"));
	CHECK(kit_has(&k, "out/e-1/_reviews/t-1"));
	CHECK_INT(sum.left_out + sum.unlinked, 0);
	kit_end(&k);
}

/* Paths in a record are those that its artifacts have in the ledger. */
TEST(what_a_record_names_is_in_the_tree)
{
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	CHECK(kit_has(&k, "ledger/artifacts/e-1/t-1/out%2Fanswer.txt"));
	o = all_of(&k, "out");
	for (unsigned again = 0; again < 2; again++) {
		test_case("%s", again ? "over itself" : "anew");
		o.force = again;
		kit_must(export_tree(&o, &sum, &err), &err);
		CHECK_STR(file_of(&k, "out/artifacts/e-1/t-1/out%2Fanswer.txt"), STR("kN, not N\n"));
		CHECK_STR(link_of(&k, "out/artifacts/e-1/t-1"), STR("../../e-1/_artifacts/t-1"));
	}
	kit_end(&k);
}

/* A record of this experiment that names an artifact as version 0.1 did, and the artifact. */
static void add_old(struct kit *k, const char *experiment, const char *bytes)
{
	struct seal_artifact one = { STR("c.jsonl"), STR("application/jsonl"), str_from(bytes) };
	struct str record = kit_replace(k, kit_record(k, "\"t-1\""), "\"e-1\"", experiment);

	record = kit_replace(k, record, "out/conversation.jsonl", "artifacts/t-1/c.jsonl");
	add(k, record, &one, 1);
}

TEST(paths_of_version_0_1_are_in_the_tree_as_far_as_they_are_distinct)
{
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	struct kit k;

	kit_begin(&k);
	add_old(&k, "\"one\"", "1");
	o = all_of(&k, "out");
	kit_must(export_tree(&o, &sum, &err), &err);
	CHECK_STR(file_of(&k, "out/artifacts/t-1/c.jsonl"), STR("1"));
	CHECK_STR(file_of(&k, "out/artifacts/one/t-1/c.jsonl"), STR("1"));
	CHECK_INT(sum.unlinked, 0);
	add_old(&k, "\"two\"", "2");
	o = all_of(&k, "more");
	kit_must(export_tree(&o, &sum, &err), &err);
	CHECK_STR(file_of(&k, "more/artifacts/t-1/c.jsonl"), STR("1"));
	CHECK_STR(file_of(&k, "more/artifacts/two/t-1/c.jsonl"), STR("2"));
	CHECK_INT(sum.unlinked, 1);
	CHECK_STR(sum.first_unlinked, STR("artifacts/t-1"));
	CHECK_INT(sum.left_out, 0);
	kit_end(&k);
}

/* An experiment may be called like the directory of the links. */
TEST(what_a_partial_record_names_is_in_the_tree_seen_from_its_top_and_from_its_log)
{
	const struct seal_artifact one = { STR("c.jsonl"), STR("application/jsonl"), STR("1") };
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	struct kit k;

	kit_begin(&k);
	add(&k, kit_replace(&k, kit_record(&k, "\"t-1\""), "\"complete\"", "\"partial\""), &one, 1);
	o = all_of(&k, "out");
	kit_must(export_tree(&o, &sum, &err), &err);
	CHECK_STR(file_of(&k, "out/artifacts/e-1/t-1/c.jsonl"), STR("1"));
	CHECK_STR(file_of(&k, "out/_diagnostic/artifacts/e-1/t-1/c.jsonl"), STR("1"));
	CHECK_STR(link_of(&k, "out/artifacts/e-1/t-1"), STR("../../_diagnostic/e-1/_artifacts/t-1"));
	kit_end(&k);
}

TEST(of_two_entries_with_one_path_the_first_is_in_the_tree)
{
	const struct seal_artifact one = { STR("c.jsonl"), STR("application/jsonl"), STR("1") };
	struct err err = { .kind = ERR_NONE };
	struct str record, other;
	struct export_options o;
	struct export_sum sum;
	struct kit k;

	kit_begin(&k);
	record = kit_replace(&k, kit_record(&k, "\"x\""), "\"e-1\"", "\"artifacts\"");
	other = kit_replace(&k, kit_record(&k, "\"y\""), "\"e-1\"", "\"x.json\"");
	add(&k, other, &one, 1);
	add(&k, record, NULL, 0);
	o = all_of(&k, "out");
	kit_must(export_tree(&o, &sum, &err), &err);
	CHECK_STR(link_of(&k, "out/artifacts/x.json/y"), STR("../../x.json/_artifacts/y"));
	CHECK_INT(sum.left_out, 1);
	CHECK_STR(sum.first_left_out, STR("artifacts/x.json"));
	kit_end(&k);
}

/* ---- the directory ---- */

TEST(nothing_is_written_through_a_link)
{
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	o = all_of(&k, "out");
	o.force = true;
	CHECK(mkdir(kit_path(&k, "out"), 0755) == 0 && mkdir(kit_path(&k, "elsewhere"), 0755) == 0);
	CHECK(symlink("../elsewhere", kit_path(&k, "out/e-1")) == 0);
	CHECK(!export_tree(&o, &sum, &err) && strstr(err.text, "out/e-1: this is a link, and nothing is written through it"));
	CHECK(!kit_has(&k, "elsewhere/t-1.json"));
	kit_end(&k);
}

TEST(a_directory_that_is_not_empty_needs_force)
{
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	o = all_of(&k, "out");
	CHECK(mkdir(kit_path(&k, "out"), 0755) == 0); /* an empty one is fine */
	kit_must(export_tree(&o, &sum, &err), &err);
	kit_put(&k, "out/mine", STR("mine"));
	kit_put(&k, "out/e-1/t-1.json", STR("old"));
	CHECK(!export_tree(&o, &sum, &err) && strstr(err.text, "not empty"));
	CHECK_STR(file_of(&k, "out/e-1/t-1.json"), STR("old"));
	o.force = true;
	kit_must(export_tree(&o, &sum, &err), &err);
	CHECK_STR(file_of(&k, "out/e-1/t-1.json"), kit_record(&k, "\"t-1\""));
	CHECK_STR(file_of(&k, "out/mine"), STR("mine"));
	kit_put(&k, "file", STR("x"));
	o.dir = str_from(kit_path(&k, "file"));
	CHECK(!export_tree(&o, &sum, &err) && strstr(err.text, "not a directory"));
	o.dir = str_from(kit_path(&k, "absent/out"));
	CHECK(!export_tree(&o, &sum, &err) && err.kind == ERR_IO);
	kit_end(&k);
}

/* A disk that fails at the n-th of what it is asked for. */
struct disk {
	struct io_ops ops;
	int left;
};

static int count_down(struct disk *d)
{
	return d->left-- > 0 ? 0 : -ENOSPC;
}

static int disk_open(void *own, const char *path, enum io_open how, unsigned mode)
{
	int r = how == IO_NEW ? count_down(own) : 0;

	return r ? r : io_system.ops->open(io_system.own, path, how, mode);
}

static int64_t disk_write(void *own, int fd, const void *p, size_t n, uint64_t at)
{
	int r = count_down(own);

	return r ? r : io_system.ops->write(io_system.own, fd, p, n, at);
}

static int disk_mkdir(void *own, const char *path, unsigned mode)
{
	int r = count_down(own);

	return r ? r : io_system.ops->mkdir(io_system.own, path, mode);
}

static int disk_symlink(void *own, const char *to, const char *path)
{
	int r = count_down(own);

	return r ? r : io_system.ops->symlink(io_system.own, to, path);
}

static int disk_rename(void *own, const char *from, const char *to)
{
	int r = count_down(own);

	return r ? r : io_system.ops->rename(io_system.own, from, to);
}

static int disk_sync_all(void *own, int fd)
{
	int r = count_down(own);

	return r ? r : io_system.ops->sync_all(io_system.own, fd);
}

static bool note_name(void *context, const char *name)
{
	return *(bool *)context = *(bool *)context && !strstr(name, ".tmp");
}

static void fail_at_each_step(bool (*export)(const struct export_options *, struct export_sum *, struct err *))
{
	int steps = 0;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	for (bool done = false; !done; steps++) {
		struct disk d = { .ops = *io_system.ops, .left = steps };
		struct io io = { .ops = &d.ops, .own = &d };
		struct err err = { .kind = ERR_NONE };
		struct export_options o = all_of(&k, "out");
		struct export_sum sum;
		bool clean = true;

		test_case("step %d", steps);
		d.ops.open = disk_open;
		d.ops.write = disk_write;
		d.ops.mkdir = disk_mkdir;
		d.ops.symlink = disk_symlink;
		d.ops.rename = disk_rename;
		d.ops.sync_all = disk_sync_all;
		o.io = &io;
		done = export(&o, &sum, &err);
		CHECK_INT(done, kit_has(&k, "out"));
		CHECK_INT(done, err.kind == ERR_NONE);
		CHECK(io_system.ops->list(io_system.own, k.root.p, note_name, &clean) >= 0 && clean);
	}
	CHECK(steps > 10);
	kit_end(&k);
}

TEST(a_full_disk_at_any_step_leaves_nothing_of_a_tree)
{
	fail_at_each_step(export_tree);
}

TEST(a_full_disk_at_any_step_leaves_nothing_of_a_crate)
{
	fail_at_each_step(export_crate);
}

/* ---- the crate ---- */

static struct val entity_of(struct val graph, const char *id)
{
	struct val_iter it = val_begin(graph);
	struct val one;

	while (val_next(&it, &one))
		if (val_text_is(val_get(one, STR("@id")), str_from(id)))
			return one;
	FAIL("%s is not described", id);
}

TEST(a_crate_describes_trials_as_actions_and_files_by_their_digests)
{
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	char hex[SHA256_HEX];
	struct val v, graph, file, action;
	struct kit k;

	kit_begin(&k);
	fill(&k);
	o = all_of(&k, "crate");
	o.license = STR("https://spdx.org/licenses/CC-BY-4.0");
	kit_must(export_crate(&o, &sum, &err), &err);
	CHECK(json_parse_copy(k.parser, file_of(&k, "crate/ro-crate-metadata.json"), &v, NULL));
	graph = val_get(v, STR("@graph"));
	CHECK(val_text_is(val_at(entity_of(graph, "./"), STR("/conformsTo/@id")), STR("https://w3id.org/ro/wfrun/process/0.6")));
	CHECK(val_text_is(val_at(entity_of(graph, "./"), STR("/license/@id")), o.license));
	CHECK_INT(val_count(val_get(entity_of(graph, "./"), STR("mentions"))), 3);
	file = entity_of(graph, "records/%255Fe.2/t%252F2.json"); /* a percent sign of a name is one of a reference */
	digest_hex(hex, sha256_of(&k.sha, file_of(&k, "crate/records/%5Fe.2/t%2F2.json")));
	CHECK(val_text_is(val_get(file, STR("sha256")), str_of(hex, SHA256_HEX)));
	file = entity_of(graph, "records/e-1/t-1.json");
	action = entity_of(graph, val_text(val_at(file, STR("/about/@id")), &k.arena).p ?
			   arena_copy(&k.arena, val_text(val_at(file, STR("/about/@id")), &k.arena)).p : "");
	CHECK(val_text_is(val_get(action, STR("@type")), STR("CreateAction")));
	CHECK(val_text_is(val_get(action, STR("endTime")), STR("2026-03-13T10:00:00.000+00:00")));
	CHECK(val_text_is(val_get(action, STR("startTime")), STR("2026-03-13T09:59:47.500+00:00")));
	CHECK_INT(val_count(val_get(action, STR("result"))), 3); /* the record, the artifact, the reward */
	CHECK(kit_has(&k, "crate/proofs/e-1/t-1.tlog-proof") && kit_has(&k, "crate/checkpoint") && kit_has(&k, "crate/diagnostic/vkey"));
	kit_end(&k);
}

TEST(an_empty_ledger_is_an_empty_crate)
{
	struct err err = { .kind = ERR_NONE };
	struct export_options o;
	struct export_sum sum;
	struct val v;
	struct kit k;

	kit_begin(&k);
	o = all_of(&k, "crate");
	kit_must(export_crate(&o, &sum, &err), &err);
	CHECK(json_parse_copy(k.parser, file_of(&k, "crate/ro-crate-metadata.json"), &v, NULL));
	CHECK(val_is_none(val_get(entity_of(val_get(v, STR("@graph")), "./"), STR("hasPart"))));
	kit_end(&k);
}

TEST(names_in_an_export_stay_inside)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(export_trial_path(&a, STR("../.."), STR("..")), STR("%2E.%2F../%2E."));
	CHECK_STR(export_trial_path(&a, STR(""), STR("t")), STR("_/t"));
	CHECK_STR(export_artifact_path(&a, STR("t/1/a/b"), STR("t/1")), STR("a%2Fb"));
	CHECK_STR(export_artifact_path(&a, STR("x"), STR("t")), STR("x"));
	arena_free(&a);
}
