#include "ledger/policy.h"

#include <stdio.h>

#include "base/err.h"
#include "harness/test.h"

#define LOG "log.example/tests+bc190136+ATjiX+xH0sT44LaLhHeIoM6BcxAXl93C7Fn5pGiP8UDT"
#define ONE "witness.example/one+c2497401+BOnEK18/HJr6C9gtq9Dgt1jshMvLtfy13YGHlU8YTMZc"
#define TWO "witness.example/two+ddf2347f+BIQsSLFbh+goBuX5CfDNL3OBtSPK/Ka7PAZiYJqB9EB5"
#define WITNESSES "witness one " ONE "\nwitness two " TWO "\n"

static struct arena arena;
static struct note note;

static bool parse(struct str text, struct policy *p, struct err *err)
{
	if (arena.block_size == 0)
		arena_init(&arena);
	*err = (struct err){ .kind = ERR_NONE };
	return policy_parse(&arena, text, p, err);
}

TEST(a_policy_is_read_line_by_line)
{
	struct policy p;
	struct err err;

	CHECK(parse(test_data("ledger/policy"), &p, &err));
	CHECK_INT(p.log_count, 1);
	CHECK_STR(p.logs[0].name, STR("log.example/tests"));
	CHECK_INT(p.witness_count, 2);
	CHECK_STR(p.witnesses[0].name, STR("one"));
	CHECK_STR(p.witnesses[0].url, STR("https://witness.example/one"));
	CHECK_STR(p.witnesses[0].key.name, STR("witness.example/one"));
	CHECK(!p.witnesses[1].url.p);
	CHECK_INT(p.group_count, 1);
	CHECK_STR(p.groups[0].name, STR("both"));
	CHECK_INT(p.groups[0].threshold, 1);
	CHECK_INT(p.groups[0].member_count, 2);
	CHECK_INT(p.groups[0].members[1], 1);
	CHECK_INT(p.quorum, 2);
}

TEST(groups_are_numbered_behind_all_witnesses)
{
	struct policy p;
	struct err err;

	CHECK(parse(STR("witness one " ONE "\n\tgroup  g\t all one \n  # a word\n\nwitness two " TWO "\ngroup h 2 g two\nquorum h\n"), &p, &err));
	CHECK_INT(p.groups[1].members[0], 2);
	CHECK_INT(p.groups[1].members[1], 1);
	CHECK_INT(p.groups[1].threshold, 2);
	CHECK_INT(p.quorum, 3);
	CHECK(parse(STR("quorum none\n"), &p, &err));
	CHECK(p.quorum == SIZE_MAX);
	CHECK_INT(p.log_count + p.witness_count + p.group_count, 0);
	CHECK(parse(STR("witness \xc3\xa9\xff " ONE "\nquorum \xc3\xa9\xff\n"), &p, &err)); /* bytes, not characters */
	CHECK_INT(p.quorum, 0);
}

TEST(what_a_policy_cannot_say_is_refused_with_the_line)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "the policy says no quorum\n= help: " },
		{ "# nothing\n", "the policy says no quorum\n= help: " },
		{ "quorum none", "the last line of the policy does not end\n= help: " },
		{ "quorum none\nquorum none\n", "line 2: there is a quorum already" },
		{ "quorum\n", "line 1: a quorum is one name\n= help: " },
		{ "quorum none none\n", "line 1: a quorum is one name\n= help: " },
		{ "quorum one\n" WITNESSES, "line 1: there is no witness or group 'one' above this line" },
		{ "\n\nlogs " LOG "\n", "line 3: a policy line cannot begin with 'logs'\n= help: log, witness, group and quorum can" },
		{ "log\nquorum none\n", "line 1: '' is not a verifier key\n= help: " },
		{ "log x+y+z\nquorum none\n", "line 1: 'x+y+z' is not a verifier key\n= help: " },
		{ "log " ONE "\nquorum none\n", "line 1: '" ONE "' is a key of a witness, and a log has another kind" },
		{ "witness a " LOG "\nquorum none\n", "line 1: '" LOG "' is a key of a log, and a witness has another kind" },
		{ "log " LOG " https://a b\nquorum none\n", "line 1: there are words behind the URL" },
		{ "witness a " ONE " u v\nquorum none\n", "line 1: there are words behind the URL" },
		{ "log " LOG "\nlog " LOG "\nquorum none\n", "line 2: the key of 'log.example/tests' is in the policy already" },
		{ "witness a " ONE "\nwitness b " ONE "\nquorum none\n", "line 2: the key of 'witness.example/one' is in the policy already" },
		{ "witness a " ONE "\nwitness a " TWO "\nquorum none\n", "line 2: the name 'a' is taken already" },
		{ "witness none " ONE "\nquorum none\n", "line 1: 'none' is reserved: it means no quorum" },
		{ "witness a\nquorum none\n", "line 1: '' is not a verifier key" },
		{ "witness\nquorum none\n", "line 1: '' is not a verifier key" },
		{ WITNESSES "group none all one\nquorum none\n", "line 3: 'none' is reserved: it means no quorum" },
		{ WITNESSES "group one all two\nquorum none\n", "line 3: the name 'one' is taken already" },
		{ WITNESSES "group g\nquorum none\n", "line 3: a group needs members" },
		{ WITNESSES "group g any\nquorum none\n", "line 3: a group needs members" },
		{ WITNESSES "group\nquorum none\n", "line 3: a group needs members" },
		{ WITNESSES "group g 0 one two\nquorum g\n", "line 3: '0' is not 'any', 'all' or a number from 1 to 2, its members" },
		{ WITNESSES "group g 3 one two\nquorum g\n", "line 3: '3' is not 'any', 'all' or a number from 1 to 2, its members" },
		{ WITNESSES "group g 02 one two\nquorum g\n", "line 3: '02' is not 'any'" },
		{ WITNESSES "group g one two\nquorum g\n", "line 3: 'one' is not 'any'" },
		{ WITNESSES "group g all one one\nquorum g\n", "line 3: 'one' is a member of a group already" },
		{ WITNESSES "group g all one\ngroup h all one two\nquorum h\n", "line 4: 'one' is a member of a group already" },
		{ WITNESSES "group g all g\nquorum g\n", "line 3: there is no witness or group 'g' above this line" },
		{ WITNESSES "group g all h\ngroup h all one\nquorum g\n", "line 3: there is no witness or group 'h' above this line" },
		{ WITNESSES "group g all none\nquorum g\n", "line 3: there is no witness or group 'none' above this line" },
		{ "quorum none\r\n", "line 1: there is a control character\n= help: " },
		{ "# a\x7f\nquorum none\n", "line 1: there is a control character\n= help: " },
		{ "# a\x0b\nquorum none\n", "line 1: there is a control character\n= help: " },
	};
	struct policy p;
	struct err err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu: %s", i, cases[i].text);
		CHECK(!parse(str_from(cases[i].text), &p, &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK_STR(str_of(err.text, strnlen(err.text, strlen(cases[i].want))), str_from(cases[i].want));
	}
	CHECK(!parse(STR("# a\0b\nquorum none\n"), &p, &err));
}

TEST(a_policy_has_limits)
{
	static char huge[5 << 20];
	struct policy p;
	struct err err;
	struct buf b;

	buf_init(&b);
	for (int i = 0; i < 4097; i++)
		buf_add_str(&b, STR("group\n"));
	CHECK(!parse(buf_str(&b), &p, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	buf_clear(&b);
	for (int i = 0; i < 4097; i++)
		buf_add_str(&b, STR("log\n"));
	CHECK(!parse(buf_str(&b), &p, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	memset(huge, '\n', sizeof(huge));
	CHECK(!parse(str_of(huge, sizeof(huge)), &p, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	buf_free(&b);
}

/* ---- checking ---- */

#define WITNESSED 12 /* witnesses of the policies below */

struct cast {
	struct signer log, witnesses[WITNESSED];
	struct str text; /* of the checkpoint */
};

static void cast_init(struct cast *c)
{
	struct checkpoint head = { .origin = STR("log.example/tests"), .size = 3 };
	uint8_t seed[ED25519_SEED] = { 0 };
	struct err err = { .kind = ERR_NONE };
	struct buf b;

	arena_init(&arena);
	buf_init(&b);
	seed[1] = 1;
	CHECK(signer_init(&c->log, STR("log.example/tests"), KEY_LOG, seed, &err));
	for (size_t i = 0; i < WITNESSED; i++) {
		seed[0] = (uint8_t)(i + 1);
		CHECK(signer_init(&c->witnesses[i], arena_printf(&arena, "w%zu.example", i), KEY_WITNESS, seed, &err));
	}
	checkpoint_add_text(&b, &head);
	c->text = arena_copy(&arena, buf_str(&b));
	buf_free(&b);
}

static struct policy policy_of(const struct cast *c, const char *rules)
{
	struct err err = { .kind = ERR_NONE };
	struct policy p;
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR("log "));
	key_add_text(&b, &c->log.key);
	for (size_t i = 0; i < WITNESSED; i++) {
		buf_printf(&b, "\nwitness w%zu ", i);
		key_add_text(&b, &c->witnesses[i].key);
	}
	buf_printf(&b, "\n%s", rules);
	if (!policy_parse(&arena, arena_copy(&arena, buf_str(&b)), &p, &err))
		FAIL("%s", err.text);
	buf_free(&b);
	return p;
}

/* A checkpoint with the signatures of the log and of the witnesses whose bits are set. */
static void sign(const struct cast *c, bool by_log, unsigned witnesses)
{
	struct checkpoint head;
	struct err err = { .kind = ERR_NONE };
	const char *why;
	struct buf b;

	buf_init(&b);
	CHECK(checkpoint_parse(c->text, &head, &why));
	if (by_log)
		CHECK(checkpoint_sign(&b, &head, &c->log, &err));
	else
		buf_printf(&b, "%.*s\n\xe2\x80\x94 nobody AAAAAAA=\n", STR_ARG(c->text));
	for (size_t i = 0; i < WITNESSED; i++)
		if (witnesses >> i & 1)
			CHECK(cosignature_add_line(&b, c->text, &c->witnesses[i], 1000 + i, &err));
	CHECK(note_parse(arena_copy(&arena, buf_str(&b)), &note, &why));
	buf_free(&b);
}

TEST(a_quorum_is_as_many_as_the_groups_say)
{
	static const char two_levels[] = "group x 2 w0 w1 w2\ngroup y any w3 w4 w5\ngroup all-of-them all x y\nquorum all-of-them\n";
	static const struct {
		const char *rules;
		unsigned witnesses;
		const char *why; /* NULL: enough */
	} cases[] = {
		{ "quorum none\n", 0, NULL },
		{ "quorum w3\n", 8, NULL },
		{ "quorum w3\n", 0xff7, "the witness 'w3' did not cosign" },
		{ two_levels, 1 | 2 | 8, NULL },
		{ two_levels, 1 | 4 | 16, NULL },
		{ two_levels, 63, NULL },
		{ two_levels, 1 | 8, "the quorum 'all-of-them' needs 2 of its 2 members, and 1 cosigned" },
		{ two_levels, 1 | 2 | 4, "the quorum 'all-of-them' needs 2 of its 2 members, and 1 cosigned" },
		{ two_levels, 0, "the quorum 'all-of-them' needs 2 of its 2 members, and 0 cosigned" },
		{ "group g 10 w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11\nquorum g\n", 0x3ff, NULL },
		{ "group g 10 w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11\nquorum g\n", 0x1ff,
		  "the quorum 'g' needs 10 of its 12 members, and 9 cosigned" },
	};
	struct cast c;

	cast_init(&c);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct policy p = policy_of(&c, cases[i].rules);
		bool signed_by[WITNESSED];
		struct str why = STR("");

		test_case("%zu", i);
		sign(&c, true, cases[i].witnesses);
		CHECK_INT(policy_check(&arena, &p, &note, signed_by, &why), cases[i].why == NULL);
		CHECK_STR(why, str_from(cases[i].why));
		for (size_t w = 0; w < WITNESSED; w++)
			CHECK_INT(signed_by[w], cases[i].witnesses >> w & 1);
		CHECK_INT(policy_check(&arena, &p, &note, NULL, &why), cases[i].why == NULL);
	}
}

TEST(witnesses_without_the_log_are_not_enough)
{
	struct cast c;
	struct policy p;
	struct str why;

	cast_init(&c);
	p = policy_of(&c, "quorum w0\n");
	sign(&c, false, 1);
	CHECK(!policy_check(&arena, &p, &note, NULL, &why));
	CHECK_STR(why, STR("no key of the policy for the log log.example/tests signed the checkpoint"));
	sign(&c, true, 1);
	CHECK(policy_check(&arena, &p, &note, NULL, &why));
	p.log_count = 0;
	CHECK(!policy_check(&arena, &p, &note, NULL, &why));
}

TEST(a_log_speaks_for_its_own_name_only)
{
	struct cast c;
	struct policy p;
	struct str why, own;

	cast_init(&c);
	p = policy_of(&c, "quorum none\n");
	own = c.text;
	c.text = STR("log.example/other\n3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n");
	sign(&c, true, 0);
	CHECK(!policy_check(&arena, &p, &note, NULL, &why));
	CHECK_STR(why, STR("no key of the policy for the log log.example/other signed the checkpoint"));
	c.text = own;
	sign(&c, true, 0);
	CHECK(policy_check(&arena, &p, &note, NULL, &why));
	note.text = STR("no checkpoint\n");
	CHECK(!policy_check(&arena, &p, &note, NULL, &why));
}

TEST(one_bad_line_of_a_known_key_refuses_the_note)
{
	struct cast c;
	struct policy p;
	struct str why;

	cast_init(&c);
	p = policy_of(&c, "group g any w0 w1\nquorum g\n");
	sign(&c, true, 3);
	CHECK(policy_check(&arena, &p, &note, NULL, &why));
	note.lines[2].blob[70] ^= 1;
	CHECK(!policy_check(&arena, &p, &note, NULL, &why));
	CHECK_STR(why, STR("the cosignature of the witness 'w1' is wrong"));
	note.lines[2].blob[70] ^= 1;
	note.lines[2].blob[7] ^= 1; /* its time */
	CHECK(!policy_check(&arena, &p, &note, NULL, &why));
	note.lines[2].blob[7] ^= 1;
	note.lines[0].blob[5] ^= 1;
	CHECK(!policy_check(&arena, &p, &note, NULL, &why));
	CHECK_STR(why, STR("the signature of the log log.example/tests is wrong"));
	note.lines[0].blob[5] ^= 1;
	note.lines[0].blob_size--;
	CHECK(!policy_check(&arena, &p, &note, NULL, &why));
}

TEST(the_policy_of_the_test_data_accepts_its_checkpoint)
{
	struct policy p;
	struct err err;
	bool signed_by[2];
	struct str why;
	const char *reason;

	CHECK(parse(test_data("ledger/policy"), &p, &err));
	CHECK(note_parse(test_data("ledger/checkpoint"), &note, &reason));
	CHECK(policy_check(&arena, &p, &note, signed_by, &why));
	CHECK(signed_by[0] && !signed_by[1]);
}
