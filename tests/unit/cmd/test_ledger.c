/* What the commands on ledgers share: ledger_*.c. The commands themselves are tested in tests/cli/ledger*. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/frame/field.h"
#include "cmd/ledger/add.h"
#include "cmd/ledger/amend.h"
#include "cmd/ledger/args.h"
#include "cmd/ledger/intake.h"
#include "cmd/ledger/listing.h"
#include "cmd/ledger/proof.h"
#include "cmd/ledger/repair.h"
#include "cmd/ledger/rows.h"
#include "cmd/ledger/show.h"
#include "cmd/ledger/verify.h"
#include "harness/test.h"
#include "json/put.h"
#include "trial/review.h"

/* ---- a ledger of two complete trials, t-001 and t-002, and a partial one, t-003 ---- */

struct kit {
	struct arena arena;
	struct frame frame;
	struct ledger_choice choice;
	struct str record; /* read before the directory is left */
	char root[64];
};

static void must(bool done, const struct err *err)
{
	if (!done)
		FAIL("it failed: %s", err->text);
}

static struct str record_of(struct kit *k, const char *id, const char *completeness)
{
	struct arena *a = &k->arena;
	struct str rest = k->record, out = STR("");
	const char *from[] = { "t-001", "\"completeness\":\"complete\"" };
	struct str to[] = { str_from(id), arena_printf(a, "\"completeness\":\"%s\"", completeness) };

	for (size_t i = 0; i < 2; i++) {
		size_t at = str_find(rest, str_from(from[i]));

		CHECK(at != (size_t)-1);
		out = ARENA_JOIN(a, out, str_of(rest.p, at), to[i]);
		rest = str_of(rest.p + at + strlen(from[i]), rest.n - at - strlen(from[i]));
	}
	return ARENA_JOIN(a, out, rest);
}

static void make_ledger(struct kit *k)
{
	struct ledger_options o = { .where = k->choice.where };
	struct err err = { .kind = ERR_NONE };
	struct signer s;

	must(keys_home(&k->arena, &o.keys, &err), &err);
	must(keys_make(&k->arena, o.keys, STR("log.example/kit"), KEY_LOG, &s, &err), &err);
	must(ledger_make(&k->arena, &o, &s, &err), &err);
}

static void begin(struct kit *k)
{
	*k = (struct kit){ .frame = { .quiet = true, .out = { .width = 80 }, .err = { .width = 80 } } };
	arena_init(&k->arena);
	strcpy(k->root, "/tmp/trackway-ledger-XXXXXX");
	CHECK(mkdtemp(k->root) && chdir(k->root) == 0);
	setenv("TRACKWAY_KEYS", "keys", 1);
	setenv("XDG_CACHE_HOME", arena_printf(&k->arena, "%s/cache", k->root).p, 1);
	k->choice.where = STR("made");
}

static void end(struct kit *k)
{
	struct str command = arena_printf(&k->arena, "rm -rf %s", k->root);

	CHECK(chdir("/") == 0 && system(command.p) == 0);
	arena_free(&k->arena);
}

static void fill(struct kit *k)
{
	struct err err = { .kind = ERR_NONE };
	struct seal_options how = { .each = NULL };
	struct ledger l;
	struct sealer *s;

	make_ledger(k);
	must(ledger_args_open(&l, &k->arena, &k->frame, &k->choice, LEDGER_WRITE, &err), &err);
	how.ledger = &l;
	s = sealer_open(&how);
	must(seal_add(s, STR("1"), record_of(k, "t-001", "complete"), NULL, 0, NULL, &err), &err);
	must(seal_add(s, STR("2"), record_of(k, "t-002", "complete"), NULL, 0, NULL, &err), &err);
	must(seal_add(s, STR("3"), record_of(k, "t-003", "partial"), NULL, 0, NULL, &err), &err);
	must(seal_commit(s, &err) && ledger_publish(&l, &err), &err);
	sealer_close(s);
	ledger_close(&l);
}

static void begin_filled(struct kit *k)
{
	struct str record = test_data("trial/full.json");

	begin(k);
	k->record = record;
	fill(k);
}

static bool has(struct str text, const char *part)
{
	return str_find(text, str_from(part)) != (size_t)-1;
}

/* ---- ledger_args ---- */

TEST(a_ledger_that_is_not_named_is_the_one_here)
{
	CHECK_STR(ledger_args_where(&(struct ledger_choice){ .force_network = false }), STR("ledger"));
	CHECK_STR(ledger_args_where(&(struct ledger_choice){ .where = STR("x") }), STR("x"));
}

TEST(numbers_of_options_are_read_whole_or_not_at_all)
{
	static const struct {
		const char *text;
		bool good;
		double want;
	} cases[] = {
		{ "0.5", true, 0.5 }, { "1", true, 1 }, { "-2e1", true, -20 }, { "", false, 0 }, { "1x", false, 0 },
		{ "1e999", false, 0 }, { "nan", false, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		double got;

		test_case("%s", cases[i].text);
		CHECK(ledger_args_number(str_from(cases[i].text), "--x", &got, &err) == cases[i].good);
		CHECK(!cases[i].good || got == cases[i].want);
		CHECK_INT(err.kind, cases[i].good ? ERR_NONE : ERR_USAGE);
	}
}

TEST(a_number_that_is_not_given_is_none)
{
	struct err err = { .kind = ERR_NONE };
	double got = 1;

	CHECK(ledger_args_number(str_of(NULL, 0), "--x", &got, &err) && isnan(got));
}

TEST(a_public_key_is_given_as_text_or_as_a_file)
{
	struct str vkey = str_trim(test_data("ledger/log.vkey")), out;
	struct err err = { .kind = ERR_NONE };
	struct key key;
	struct kit k;

	begin(&k);
	must(ledger_args_read_vkey(&k.arena, vkey, &out, &err), &err);
	CHECK_STR(out, vkey);
	must(file_replace(STR("f"), ARENA_JOIN(&k.arena, STR("\n "), vkey, STR("\r\n")), 0600, &err), &err);
	must(ledger_args_read_vkey(&k.arena, STR("f"), &out, &err), &err);
	CHECK_STR(out, vkey);
	CHECK(key_parse(out, &key));
	CHECK_STR(ledger_args_vkey(&k.arena, &key), vkey);
	must(ledger_args_read_vkey(&k.arena, str_of(NULL, 0), &out, &err), &err);
	CHECK(out.p == NULL);
	CHECK(!ledger_args_read_vkey(&k.arena, STR("none"), &out, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	must(file_replace(STR("g"), STR("hello\n"), 0600, &err), &(struct err){ .kind = ERR_NONE });
	CHECK(!ledger_args_read_vkey(&k.arena, STR("g"), &out, &err));
	CHECK_INT(err.kind, ERR_DATA);
	end(&k);
}

TEST(a_place_without_a_ledger_is_told_with_what_to_do)
{
	struct err err = { .kind = ERR_NONE };
	struct ledger l;
	struct kit k;

	begin(&k);
	CHECK(!ledger_args_check_there(STR("none"), &err));
	CHECK(has(str_from(err.text), "trackway ledger init"));
	CHECK(mkdir("empty", 0700) == 0 && !ledger_args_check_there(STR("empty"), &err));
	CHECK(has(str_from(err.text), "this is not a ledger"));
	CHECK(!ledger_args_open(&l, &k.arena, &k.frame, &k.choice, LEDGER_READ, &err));
	CHECK(ledger_args_check_there(STR("postgres://nowhere/db"), &err));
	end(&k);
}

TEST(without_the_key_a_ledger_can_be_read_and_mended_but_not_written)
{
	struct err err = { .kind = ERR_NONE };
	struct ledger l;
	struct kit k;

	begin_filled(&k);
	setenv("TRACKWAY_KEYS", "others", 1);
	CHECK(!ledger_args_open(&l, &k.arena, &k.frame, &k.choice, LEDGER_WRITE, &err));
	CHECK(has(str_from(err.text), "the private key of log.example/kit is not here"));
	err.kind = ERR_NONE;
	must(ledger_args_open(&l, &k.arena, &k.frame, &k.choice, LEDGER_READ, &err), &err);
	ledger_close(&l);
	must(ledger_args_open(&l, &k.arena, &k.frame, &k.choice, LEDGER_MEND, &err), &err);
	ledger_close(&l);
	end(&k);
}

TEST(documents_begin_with_their_schema)
{
	static const struct digest zero;
	struct json_writer w;
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	field_begin_document(&w, &b, JSON_COMPACT, "thing");
	json_put_digest(&w, "e", zero);
	field_end_document(&w);
	CHECK_STR(buf_str(&b), ARENA_JOIN(&a, STR("{\"schema\":\"trackway.thing/1\",\"e\":\""),
					  ledger_args_hex(&a, zero), STR("\"}\n")));
	buf_free(&b);
	arena_free(&a);
}

/* ---- ledger_intake ---- */

TEST(of_a_directory_json_files_are_taken_but_nothing_below_an_underscore)
{
	static const struct {
		const char *path;
		bool want;
	} cases[] = {
		{ "/a.json", true }, { "/e/a.json", true }, { "/e/a.json.gz", true }, { "/e/a.json.zst", true },
		{ "/a.jsonl", false }, { "/_x/a.json", false }, { "/e/_a.json", false }, { "/e/a_b.json", true },
		{ "/.json", true }, { "/a", false }, { "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].path);
		CHECK_INT(intake_wants(str_from(cases[i].path)), cases[i].want);
	}
}

struct taken {
	struct buf text;
	size_t failures;
};

static bool take(void *context, const struct intake_record *r, struct err *err)
{
	struct taken *t = context;

	(void)err;
	buf_printf(&t->text, "%.*s:%llu@%llu(%.*s)", STR_ARG(r->path), (unsigned long long)r->line,
		   (unsigned long long)r->origin, STR_ARG(r->bytes));
	return true;
}

static bool take_a_break(void *context, struct err *err)
{
	(void)context;
	(void)err;
	return true;
}

static void count_failure(void *context, struct str path, const struct err *why)
{
	(void)path;
	(void)why;
	((struct taken *)context)->failures++;
}

static void no_tick(void *context, const struct source *from)
{
	(void)context;
	(void)from;
}

TEST(records_come_with_their_bytes_and_places)
{
	static const char *const paths[] = { "a.json", "b.jsonl", "none.json", "dir" };
	struct err err = { .kind = ERR_NONE };
	struct taken t = { .failures = 0 };
	struct intake in = {
		.record = take, .pause = take_a_break, .failed = count_failure, .tick = no_tick, .context = &t,
	};
	struct str names[4];
	struct kit k;

	begin(&k);
	buf_init(&t.text);
	in.arena = &k.arena;
	CHECK(mkdir("dir", 0700) == 0 && mkdir("dir/_x", 0700) == 0);
	must(file_replace(STR("a.json"), STR("{}\n"), 0600, &err), &err);
	must(file_replace(STR("b.jsonl"), STR("{\"a\":1}\n\n{\"b\":2}"), 0600, &err), &err);
	must(file_replace(STR("dir/c.json"), STR("[]"), 0600, &err), &err);
	must(file_replace(STR("dir/_x/d.json"), STR("[]"), 0600, &err), &err);
	for (size_t i = 0; i < 4; i++)
		names[i] = str_from(paths[i]);
	must(intake_run(&in, names, 4, &err), &err);
	CHECK_STR(buf_str(&t.text),
		  STR("a.json:0@0({}\n)b.jsonl:1@0({\"a\":1})b.jsonl:3@9({\"b\":2})dir/c.json:0@0([])"));
	CHECK_INT(t.failures, 1);
	buf_free(&t.text);
	end(&k);
}

/* ---- ledger_rows, ledger_listing ---- */

static struct index_row some_row(void)
{
	return (struct index_row){
		.part = LEDGER_MAIN, .index = 3, .kind = ENTRY_TRIAL, .experiment = STR("e"), .id = STR("t\033"),
		.sealed_at = STR("now"), .digest = { { 1 } }, .size = 9, .task = STR("k"), .model = STR("m"),
		.completeness = STR("complete"), .has_reward = true, .reward = 0.5, .superseded = true, .reviews = 2,
		.ref = UINT64_MAX, .known = 1u << INDEX_COST, .figures = { [INDEX_COST] = 0.25 },
	};
}

TEST(a_row_is_shown_in_every_form)
{
	struct opt_maybe some = { true, STR("index,id,reward,dataset_id,estimated_cost_usd,advisor_calls") };
	struct index_row row = some_row();
	struct json_writer w;
	struct buf b;

	buf_init(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	ledger_row_write_json(&w, &row, some);
	CHECK_STR(buf_str(&b), STR("{\"index\":3,\"id\":\"t\\u001b\",\"dataset_id\":null,\"reward\":0.5,\"estimated_cost_usd\":0.25,"
					 "\"advisor_calls\":null}"));
	buf_clear(&b);
	ledger_row_add_figure(&b, &row, INDEX_COST);
	ledger_row_add_figure(&b, &row, INDEX_SECONDS);
	CHECK_STR(buf_str(&b), STR("$0.2500"));
	buf_clear(&b);
	ledger_row_add_state(&b, &row);
	CHECK_STR(buf_str(&b), STR("superseded, 2 reviews"));
	buf_clear(&b);
	ledger_row_add_plain(&b, &row);
	CHECK(has(buf_str(&b), "main\t3\ttrial\te\tt\\x1b\tnow\t0000"));
	CHECK(str_ends(buf_str(&b), STR("\t9\tk\t\tm\tcomplete\t0.5\t1\t0\t2\t\t\t0.25\t\t\n")));
	CHECK(has(str_from(ledger_row_plain_names), "completeness, reward, superseded"));
	row.kind = ENTRY_REVIEW;
	row.ref = 1;
	buf_clear(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	ledger_row_write_json(&w, &row, (struct opt_maybe){ true, STR("kind,ref,reward") });
	CHECK_STR(buf_str(&b), STR("{\"kind\":\"review\",\"ref\":1}"));
	buf_free(&b);
}

TEST(a_row_that_is_kept_has_its_own_text)
{
	char id[] = "changes";
	struct index_row row = { .id = str_from(id) }, kept;
	struct arena a;

	arena_init(&a);
	kept = ledger_row_copy(&a, &row);
	id[0] = 'X';
	CHECK_STR(kept.id, STR("changes"));
	CHECK(kept.model.p == NULL);
	arena_free(&a);
}

TEST(an_entry_is_found_by_what_people_call_it)
{
	static const struct {
		const char *word, *id;
		int part;
		uint64_t index;
	} cases[] = {
		{ "t-001", "t-001", LEDGER_MAIN, 0 },	  { "e-1/t-002", "t-002", LEDGER_MAIN, 1 },
		{ "1", "t-002", LEDGER_MAIN, 1 },	  { "main/0", "t-001", LEDGER_MAIN, 0 },
		{ "diagnostic/0", "t-003", LEDGER_DIAGNOSTIC, 0 }, { "t-003", "t-003", LEDGER_DIAGNOSTIC, 0 },
	};
	struct err err = { .kind = ERR_NONE };
	struct index_row row;
	struct index *x;
	struct ledger l;
	struct kit k;

	begin_filled(&k);
	must(ledger_args_open(&l, &k.arena, &k.frame, &k.choice, LEDGER_READ, &err), &err);
	x = ledger_args_open_index(&l, &k.frame, &err);
	must(x != NULL, &err);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].word);
		must(ledger_row_find(&l, x, &k.arena, str_from(cases[i].word), &row, &err), &err);
		CHECK_STR(row.id, str_from(cases[i].id));
		CHECK_INT(row.part, cases[i].part);
		CHECK_INT(row.index, cases[i].index);
	}
	must(ledger_row_find(&l, x, &k.arena, ledger_args_hex(&k.arena, row.leaf), &row, &err), &err);
	CHECK_STR(row.id, STR("t-003"));
	CHECK(!ledger_row_find(&l, x, &k.arena, STR("2"), &row, &err));
	CHECK(has(str_from(err.text), "there is no entry 2: the main log has 2"));
	CHECK(!ledger_row_find(&l, x, &k.arena, STR("t-9"), &row, &err));
	CHECK(!ledger_row_find(&l, x, &k.arena, STR("main/x"), &row, &err));
	err.kind = ERR_NONE;
	must(ledger_row_find_trial(&l, x, &k.arena, STR("t-001"), &row, &err), &err);
	index_close(x);
	ledger_close(&l);
	end(&k);
}

static void add_id(struct grid *g, const struct index_row *row, size_t width)
{
	CHECK_INT(width, 160); /* to no terminal */
	ledger_row_add_cell(g, row->id, 3);
}

TEST(forms_of_a_list_exclude_each_other)
{
	struct err err = { .kind = ERR_NONE };
	struct listing l = { .json = { true, { NULL, 0 } }, .plain = true };

	CHECK(!listing_check(&l, &err));
	l.plain = false;
	CHECK(listing_check(&l, &err) && !listing_is_table(&l));
	l.json.given = false;
	CHECK(listing_check(&l, &err) && listing_is_table(&l));
}

TEST(a_table_has_its_headings_and_what_fits)
{
	static const char *const names[] = { "ID" };
	struct index_row row = { .id = STR("abcdef") };
	struct frame frame = { .out = { .width = 80 } };
	struct arena a;
	struct listing l = { .frame = &frame, .align = "l", .names = names, .row = add_id };

	arena_init(&a);
	l.arena = &a;
	listing_begin(&l);
	CHECK(listing_take(&l, &row));
	listing_end_rows(&l);
	CHECK_INT(l.shown, 1);
	CHECK_STR(buf_str(&l.out), STR("ID\nab\xe2\x80\xa6\n"));
	listing_free(&l);
	arena_free(&a);
}

/* ---- ledger_add ---- */

TEST(what_became_of_records_is_answered_in_order)
{
	struct frame frame = { .quiet = true };
	struct ledger_add *o = test_alloc(sizeof(*o));
	struct intake_record first = { .path = STR("a.jsonl"), .line = 2 }, second = { .path = STR("b.json") };
	struct seal_result r = { .outcome = SEAL_ADDED, .part = LEDGER_DIAGNOSTIC, .trial_id = STR("t"), .index = 4 };
	struct err err = { .kind = ERR_NONE };

	*o = (struct ledger_add){ .frame = &frame, .json = { true, STR("path,line,outcome,index,code") } };
	ledger_add_init(o);
	ledger_add_expect(o, &first, STR(""), 0);
	ledger_add_expect(o, &second, STR(""), 0);
	CHECK_INT(o->waiting, 2);
	CHECK(ledger_add_result(o, &r, &err));
	r = (struct seal_result){ .outcome = SEAL_REFUSED, .code = SEAL_E_INVALID, .name = STR("b.json") };
	CHECK(ledger_add_result(o, &r, &err));
	CHECK_INT(o->waiting, 0);
	CHECK_INT(o->partial, 1);
	CHECK(has(buf_str(&o->out), "[{\"path\":\"a.jsonl\",\"line\":2,\"outcome\":\"added\",\"index\":4,\"code\":null},"
				     "{\"path\":\"b.json\",\"outcome\":\"refused\",\"code\":\"E_INVALID\"}"));
	ledger_add_flush(o); /* a document is whole or not there */
	CHECK(o->out.n > 0);
	CHECK(freopen("/dev/null", "w", stdout) != NULL);
	CHECK_INT(ledger_add_end(o, true), EXIT_NO);
}

TEST(a_file_that_cannot_be_read_is_worse_than_a_refusal)
{
	struct frame frame = { .quiet = true };
	struct ledger_add *o = test_alloc(sizeof(*o));
	struct err why = { .kind = ERR_IO, .text = "gone" };

	*o = (struct ledger_add){ .frame = &frame, .jsonl = true };
	ledger_add_init(o);
	CHECK(freopen("/dev/null", "w", stderr) && freopen("/dev/null", "w", stdout));
	ledger_add_failure(o, STR("x"), &why);
	CHECK_INT(o->failed, 1);
	CHECK_INT(ledger_add_end(o, true), EXIT_CANNOT);
}

/* ---- ledger_show, ledger_amend ---- */

TEST(a_review_is_sealed_and_shown_with_its_trial)
{
	struct review review = { .kind = STR("annotation"), .judgment = STR("fail"), .reviewer_id = STR("ana"),
				 .notes = STR("wrong units") };
	struct err err = { .kind = ERR_NONE };
	struct amend_result result;
	struct amend_target trial;
	struct index_row row;
	struct ledger_show s;
	struct ledger_amend x;
	struct kit k;
	struct buf b;

	begin_filled(&k);
	buf_init(&b);
	must(ledger_amend_open(&x, &k.arena, &k.frame, &k.choice, &err), &err);
	must(ledger_amend_find(&x, STR("t-001"), &row, &trial, &err), &err);
	CHECK_STR(trial.trial_id, STR("t-001"));
	must(review_seal(&x.ledger, &k.arena, &trial, &review, &result, &err) && ledger_publish(&x.ledger, &err), &err);
	ledger_amend_close(&x);
	must(ledger_amend_open(&x, &k.arena, &k.frame, &k.choice, &err), &err);
	must(ledger_amend_find(&x, STR("t-001"), &row, &trial, &err), &err);
	CHECK_INT(row.reviews, 1);
	s = (struct ledger_show){ .arena = &k.arena, .ledger = &x.ledger };
	must(ledger_show_read(&s, x.index, &row, &err), &err);
	CHECK_INT(s.about_count, 1);
	CHECK(!s.it.is_other && s.it.object.p);
	ledger_show_add_text(&b, &s);
	CHECK(has(buf_str(&b), "t-001: entry 0 of the main log, a complete trial\n"));
	CHECK(has(buf_str(&b), "review     fail by ana: wrong units\n"));
	buf_clear(&b);
	ledger_show_add_json(&b, &s, (struct opt_maybe){ true, STR("id,record_is_intact") });
	CHECK_STR(buf_str(&b), STR("{\"schema\":\"trackway.ledger-show/1\",\"id\":\"t-001\",\"record_is_intact\":true}\n"));
	ledger_amend_close(&x);
	buf_free(&b);
	end(&k);
}

TEST(only_a_contradiction_is_a_no)
{
	struct frame frame = { .quiet = true };
	struct err err = { .kind = ERR_DATA, .text = "[E_CONFLICT] said before" };

	CHECK(freopen("/dev/null", "w", stderr) != NULL);
	CHECK_INT(ledger_amend_fail(&frame, &err), EXIT_NO);
	strcpy(err.text, "no such trial");
	CHECK_INT(ledger_amend_fail(&frame, &err), EXIT_FAIL);
}

TEST(a_new_entry_is_acknowledged_with_its_place)
{
	struct ledger_amend_answer answer = { .schema = "x", .json = { true, STR("index,id,was_there") }, .id = STR("t") };
	struct frame frame = { .quiet = true };
	struct ledger_amend x = { .frame = &frame };
	struct kit k;

	begin(&k);
	CHECK(freopen("out", "w", stdout) != NULL);
	ledger_amend_print(&x, &answer);
	answer.json.given = false;
	ledger_amend_print(&x, &answer);
	fflush(stdout);
	CHECK(str_starts(test_read("out"), STR("{\"schema\":\"trackway.x/1\",\"index\":0,\"id\":\"t\",\"was_there\":false}\n0 0000")));
	end(&k);
}

/* ---- ledger_verify, ledger_proof, ledger_repair ---- */

TEST(a_check_is_told_at_a_glance)
{
	struct err err = { .kind = ERR_NONE };
	struct ledger_check c = { .objects = true };
	struct ledger_verify v;
	struct kit k;
	struct buf b;

	begin_filled(&k);
	buf_init(&b);
	v = (struct ledger_verify){ .arena = &k.arena, .frame = &k.frame, .where = STR("made"), .has_objects = true };
	c.where = v.where;
	must(ledger_verify_run(&v, &c, &err), &err);
	CHECK(ledger_verify_is_ok(&v));
	ledger_verify_add_text(&b, &v);
	CHECK(str_starts(buf_str(&b), STR("OK: made is whole\n  main        2 trials; 2 objects; ")));
	CHECK(has(buf_str(&b), "signed by log.example/kit, with your own key\n"));
	buf_clear(&b);
	ledger_verify_add_json(&b, &v, (struct opt_maybe){ true, STR("ok,errors") });
	CHECK_STR(buf_str(&b), STR("{\"schema\":\"trackway.ledger-verify/1\",\"ok\":true,\"errors\":0}\n"));
	CHECK(freopen("/dev/null", "w", stdout) != NULL);
	CHECK_INT(ledger_verify_print(&v, (struct opt_maybe){ .given = false }), EXIT_YES);
	v.findings.errors = 1;
	CHECK_INT(ledger_verify_print(&v, (struct opt_maybe){ .given = true }), EXIT_NO);
	buf_free(&b);
	end(&k);
}

TEST(a_key_that_came_with_the_ledger_is_named_as_such)
{
	struct err err = { .kind = ERR_NONE };
	struct ledger_check c = { .objects = false };
	struct ledger_verify v;
	struct kit k;
	struct buf b;

	begin_filled(&k);
	buf_init(&b);
	setenv("TRACKWAY_KEYS", "others", 1);
	v = (struct ledger_verify){ .arena = &k.arena, .frame = &k.frame, .where = STR("made") };
	c.where = v.where;
	must(ledger_verify_run(&v, &c, &err), &err);
	ledger_verify_add_text(&b, &v);
	CHECK(has(buf_str(&b), "The public key came from the ledger itself."));
	buf_free(&b);
	end(&k);
}

static struct ledger_proof sample_proof(struct arena *a)
{
	return (struct ledger_proof){
		.arena = a, .proof_file = STR("tests/data/ledger/trial-4.tlog-proof"),
		.entry_file = STR("tests/data/ledger/trial-4.entry"), .vkey = STR("tests/data/ledger/log.vkey"),
	};
}

TEST(a_proof_is_checked_without_its_ledger)
{
	struct err err = { .kind = ERR_NONE };
	struct ledger_proof p;
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	CHECK(test_data("ledger/log.vkey").n > 0); /* from the project's root */
	p = sample_proof(&a);
	must(ledger_proof_check(&p, &err), &err);
	CHECK(p.problem.p == NULL && p.index == 4);
	ledger_proof_add_text(&b, &p);
	CHECK(str_starts(buf_str(&b), STR("PROVEN: entry 4 of log.example/tests is in the log that its key signed\n")));
	buf_clear(&b);
	ledger_proof_add_json(&b, &p, (struct opt_maybe){ true, STR("ok,index,problem") });
	CHECK_STR(buf_str(&b), STR("{\"schema\":\"trackway.ledger-verify/1\",\"ok\":true,\"index\":4,\"problem\":null}\n"));
	buf_free(&b);
	arena_free(&a);
}

TEST(what_does_not_hold_is_a_problem_and_no_error)
{
	struct err err = { .kind = ERR_NONE };
	struct ledger_proof p;
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	CHECK(test_data("ledger/log.vkey").n > 0);
	p = sample_proof(&a);
	p.entry_file = STR("tests/data/ledger/policy");
	must(ledger_proof_check(&p, &err), &err);
	CHECK(p.problem.p != NULL);
	ledger_proof_add_text(&b, &p);
	CHECK(str_starts(buf_str(&b), STR("NOT PROVEN: ")));
	p = sample_proof(&a);
	p.proof_file = STR("tests/data/ledger/checkpoint");
	must(ledger_proof_check(&p, &err), &err);
	CHECK(has(p.problem, "it is not a proof"));
	p = sample_proof(&a);
	p.record_file = STR("tests/data/trial/full.json");
	must(ledger_proof_check(&p, &err), &err);
	CHECK(p.problem.p != NULL);
	p = sample_proof(&a);
	p.proof_file = STR("tests/data/ledger/none");
	CHECK(!ledger_proof_check(&p, &err));
	buf_free(&b);
	arena_free(&a);
}

TEST(what_follows_from_the_log_is_made_anew)
{
	struct err err = { .kind = ERR_NONE };
	struct repair_counts n;
	struct kit k;

	begin_filled(&k);
	CHECK(unlink("made/records/e-1/t-001.json") == 0);
	must(file_replace(STR("made/.state/ids.idx"), STR("garbage"), 0644, &err), &err);
	must(ledger_repair(&k.arena, &k.frame, &k.choice, &n, &err), &err);
	CHECK_INT(n.entries, 3);
	CHECK_INT(n.links, 3);
	CHECK(access("made/records/e-1/t-001.json", F_OK) == 0);
	k.choice.where = STR("none");
	CHECK(!ledger_repair(&k.arena, &k.frame, &k.choice, &n, &err));
	end(&k);
}
