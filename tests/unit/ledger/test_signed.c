#include "ledger/signed.h"

#include "harness/test.h"

struct desk {
	struct arena arena;
	struct json_parser *parser;
	struct signer signer;
	struct err err;
};

static void desk_open(struct desk *d)
{
	uint8_t seed[ED25519_SEED] = { 7 };

	memset(d, 0, sizeof(*d));
	arena_init(&d->arena);
	d->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	CHECK(signer_init(&d->signer, STR("ana.example.org"), KEY_LOG, seed, &d->err));
}

static void desk_close(struct desk *d)
{
	json_parser_close(d->parser);
	arena_free(&d->arena);
}

/* A review with the signature of `of` on it. */
static struct str with_signature(struct desk *d, const char *review, const char *of)
{
	struct str signature;

	CHECK(signed_make(d->parser, &d->arena, str_from(of), &d->signer, &signature, &d->err));
	return ARENA_JOIN(&d->arena, str_of(review, strlen(review) - 1), STR(",\"signer\":{\"vkey\":\""),
			  key_text(&d->arena, &d->signer.key), STR("\",\"signature\":\""), signature, STR("\"}}"));
}

static enum signed_state state_of(struct desk *d, struct str review, struct key *by)
{
	const char *why = NULL;

	return signed_check(d->parser, &d->arena, review, by, &why);
}

TEST(what_is_signed_is_the_canonical_review_without_its_signer)
{
	struct desk d;
	struct buf out;

	desk_open(&d);
	buf_init(&out);
	CHECK(signed_add_text(d.parser, STR("{ \"z\": 1.0, \"signer\": {\"a\": [1]}, \"b\": {\"signer\": 2} }"), &out));
	CHECK_STR(buf_str(&out), STR("{\"b\":{\"signer\":2},\"z\":1}"));
	buf_clear(&out);
	CHECK(signed_add_text(d.parser, STR("{\"signer\":null}"), &out));
	CHECK_STR(buf_str(&out), STR("{}"));
	CHECK(!signed_add_text(d.parser, STR("[1]"), &out) && !signed_add_text(d.parser, STR("{"), &out));
	CHECK_STR(buf_str(&out), STR("{}"));
	buf_free(&out);
	desk_close(&d);
}

TEST(a_signature_holds_for_these_words_however_they_are_spelled)
{
	struct desk d;
	struct key by;

	desk_open(&d);
	CHECK_INT(state_of(&d, with_signature(&d, "{\"judgment\":\"fail\",\"a\":1}", "{\"a\":1.0, \"judgment\":\"fail\"}"), &by),
		  SIGNED_WELL);
	CHECK(key_eq(&by, &d.signer.key));
	CHECK_INT(state_of(&d, with_signature(&d, "{\"judgment\":\"pass\"}", "{\"judgment\":\"fail\"}"), &by), SIGNED_BADLY);
	CHECK_STR(by.name, STR("ana.example.org"));
	desk_close(&d);
}

TEST(what_is_no_signer_is_not_taken_for_one)
{
	static const struct {
		const char *review;
		enum signed_state state;
	} cases[] = {
		{ "{\"a\":1}", SIGNED_NOT },
		{ "{\"signer\":null}", SIGNED_NOT },
		{ "no JSON", SIGNED_NOT },
		{ "[]", SIGNED_NOT },
		{ "{\"signer\":{}}", SIGNED_BADLY },
		{ "{\"signer\":3}", SIGNED_BADLY },
		{ "{\"signer\":{\"vkey\":\"ana\",\"signature\":\"\"}}", SIGNED_BADLY },
	};
	struct desk d;
	struct key by;

	desk_open(&d);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].review);
		CHECK_INT(state_of(&d, str_from(cases[i].review), &by), cases[i].state);
		CHECK(!by.name.p);
	}
	desk_close(&d);
}
