#include "base/buf.h"
#include "base/crypto/secret.h"

#include "harness/test.h"

static struct secret_scanner *open_scanner(void)
{
	struct err err = { 0 };
	struct secret_scanner *s = secret_scanner_open(&err);

	if (!s)
		FAIL("%s", err.text);
	return s;
}

/* The same seeded bytes in every run. */
static unsigned next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*state >> 33);
}

static void add_random(struct buf *b, uint64_t *state, const char *from, size_t n)
{
	size_t count = strlen(from);

	while (n-- > 0)
		buf_add_byte(b, from[next_random(state) % count]);
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"
#define HEX "0123456789abcdef"
#define ALNUM LOWER UPPER DIGIT

/* Keys that are none, made when the test runs so that no file of ours looks like it held one. */
static const struct {
	const char *id, *lead, *alphabet;
	size_t n;
	const char *end;
	bool word; /* must begin at a word boundary */
} makers[] = {
	{ "anthropic-api-key", "sk-ant-api03-", ALNUM "_-", 93, "AA", true },
	{ "perplexity-api-key", "pplx-", ALNUM, 48, "", true },
	{ "huggingface-access-token", "hf_", LOWER UPPER, 34, "", true },
	{ "gcp-api-key", "AIza", ALNUM, 35, "", true },
	{ "aws-access-token", "AKIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, "", true },
	{ "github-pat", "ghp_", ALNUM, 36, "", false },
	{ "github-fine-grained-pat", "github_pat_", ALNUM "_", 82, "", false },
	{ "gitlab-ptt", "glptt-", HEX, 40, "", false },
	{ "stripe-access-token", "sk_live_", ALNUM, 30, "", true },
	{ "npm-access-token", "npm_", ALNUM, 36, "", true },
	{ "pypi-upload-token", "pypi-AgEIcHlwaS5vcmc", ALNUM, 200, "", false },
	{ "digitalocean-pat", "dop_v1_", HEX, 64, "", true },
	{ "sendgrid-api-token", "SG.", ALNUM, 66, "", true },
	{ "vault-batch-token", "hvb.", ALNUM, 150, "", true },
	{ "age-secret-key", "AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, "", false },
	{ "1password-service-account-token", "ops_eyJ", ALNUM, 400, "==", false },
	{ "clickhouse-cloud-api-secret-key", "4b1d", ALNUM, 38, "", true },
	{ "sourcegraph-access-token", "sgp_", HEX, 40, "", true },
	{ "groq-api-key", "gsk_", ALNUM, 52, "", true },
	{ "openrouter-api-key", "sk-or-v1-", HEX, 64, "", true },
	{ "xai-api-key", "xai-", ALNUM, 80, "", true },
	{ "nvidia-api-key", "nvapi-", ALNUM "_-", 64, "", true },
	{ "deepseek-api-key", "sk-", HEX, 32, "", true },
	{ "openai-user-key", "sk-", ALNUM, 48, "", true },
	{ "openai-project-key", "sk-proj-", ALNUM "_-", 40, "", true },
	{ "openai-project-key", "sk-proj-", ALNUM "_-", 156, "", true },
	{ "openai-service-key", "sk-svcacct-", ALNUM "_-", 116, "", true },
	{ "openai-admin-key", "sk-admin-", ALNUM "_-", 120, "", true },
	{ "anthropic-other-key", "sk-ant-api03-", ALNUM "_-", 40, "", true },
	{ "anthropic-oauth-token", "sk-ant-oat01-", ALNUM "_-", 93, "AA", true },
	{ "anthropic-other-admin-key", "sk-ant-admin", ALNUM, 60, "", true },
	{ "langsmith-api-key", "lsv2_pt_", HEX, 32, "_0123456789", true },
	{ "tavily-api-key", "tvly-", ALNUM, 32, "", true },
	{ "tavily-api-key", "tvly-dev-", ALNUM, 32, "", true },
	{ "replicate-api-token", "r8_", ALNUM, 37, "", true },
	{ "cerebras-api-key", "csk-", LOWER DIGIT, 44, "", true } /* of 48, its end would be an OpenAI key */,
	{ "together-api-key", "tgp_v1_", ALNUM "_-", 43, "", true },
	{ "fireworks-api-key", "fw_", ALNUM, 24, "", true },
	{ "pinecone-api-key", "pcsk_", ALNUM, 70, "", true },
	{ "huggingface-token", "hf_", ALNUM, 33, "7", true },
	{ "google-oauth-token", "ya29.", ALNUM "_-", 120, "", true },
	{ "pypi-token", "pypi-AgENdGVzdC5weXBp", ALNUM, 120, "", true },
};

static struct str make_key(struct buf *b, size_t maker, uint64_t *state)
{
	buf_clear(b);
	buf_add_str(b, str_from(makers[maker].lead));
	add_random(b, state, makers[maker].alphabet, makers[maker].n);
	buf_add_str(b, str_from(makers[maker].end));
	return buf_str(b);
}

TEST(a_key_is_found_at_every_place_of_a_text)
{
	struct secret_scanner *s = open_scanner();
	uint64_t state = 1;
	struct buf key, text;

	buf_init(&key);
	buf_init(&text);
	for (size_t m = 0; m < COUNT(makers); m++) {
		for (size_t before = 0; before < 70; before++) {
			struct str k = make_key(&key, m, &state);
			struct secret_hit hit = { 0 };

			test_case("%s after %zu", makers[m].id, before);
			buf_clear(&text);
			for (size_t i = 0; i < before; i++)
				buf_add_byte(&text, ' ');
			buf_add_str(&text, k);
			if (before % 3 == 1)
				buf_add_str(&text, STR("\" and more"));
			if (before % 3 == 2)
				buf_add_str(&text, STR("\\n\"}"));
			CHECK(secret_find(s, buf_str(&text), &hit));
			CHECK_STR(str_from(hit.rule->id), str_from(makers[m].id));
			CHECK_INT(hit.at, before);
			CHECK_INT(hit.length, k.n);
		}
	}
	secret_scanner_close(s);
	buf_free(&key);
	buf_free(&text);
}

TEST(a_key_cut_at_any_place_or_made_of_one_byte_is_none)
{
	struct secret_scanner *s = open_scanner();
	uint64_t state = 2;
	struct buf key;

	buf_init(&key);
	for (size_t m = 0; m < COUNT(makers); m++) {
		struct str k = make_key(&key, m, &state);
		size_t lead = strlen(makers[m].lead);

		test_case("%s", makers[m].id);
		CHECK(secret_find(s, k, NULL));
		for (size_t n = 0; n < lead + 10; n++)
			CHECK(!secret_find(s, str_of(k.p, n), NULL));
		for (size_t from = 1; from < lead; from++)
			CHECK(!secret_find(s, str_of(k.p + from, k.n - from), NULL));
		if (strcmp(makers[m].id, "anthropic-api-key") == 0 || strcmp(makers[m].id, "age-secret-key") == 0)
			continue;
		memset(key.p + lead, 'a', k.n - lead);
		CHECK(!secret_find(s, k, NULL));
		memset(key.p + lead, 'A', k.n - lead);
		CHECK(!secret_find(s, k, NULL));
	}
	secret_scanner_close(s);
	buf_free(&key);
}

TEST(a_key_inside_a_word_counts_only_where_its_rule_says_so)
{
	struct secret_scanner *s = open_scanner();
	uint64_t state = 3;
	struct buf key, text;

	buf_init(&key);
	buf_init(&text);
	for (size_t m = 0; m < COUNT(makers); m++) {
		struct str k = make_key(&key, m, &state);

		test_case("%s", makers[m].id);
		buf_clear(&text);
		buf_add_byte(&text, 'x');
		buf_add_str(&text, k);
		CHECK_INT(secret_find(s, buf_str(&text), NULL), !makers[m].word);
	}
	secret_scanner_close(s);
	buf_free(&key);
	buf_free(&text);
}

/* A text that ends inside a key, and the rest of the key in the next one. */
TEST(no_key_reaches_from_one_text_into_the_next)
{
	struct secret_scanner *s = open_scanner();
	uint64_t state = 4;
	struct buf key, text;

	buf_init(&key);
	buf_init(&text);
	for (size_t m = 0; m < COUNT(makers); m++) {
		struct str k = make_key(&key, m, &state);

		for (size_t cut = 1; cut < strlen(makers[m].lead) + 9; cut++) {
			size_t ends[2] = { cut, k.n + 1 };

			test_case("%s cut at %zu", makers[m].id, cut);
			buf_clear(&text);
			buf_add(&text, k.p, cut);
			buf_add_byte(&text, '\n');
			buf_add(&text, k.p + cut, k.n - cut);
			CHECK_INT(secret_scan_many(s, buf_str(&text), ends, 2).count, 0);
		}
	}
	secret_scanner_close(s);
	buf_free(&key);
	buf_free(&text);
}

#define PEM_BEGIN "-----BEGIN RSA " "PRIVATE KEY-----\n"
#define PEM_LINE "MIIEowIBAAKCAQEAvZ8MmM3bqkzO0zFqCqU8mM3bqkzO0zFqCqU8mM3bqkzO0zFq\n"
#define PEM_END "-----END RSA " "PRIVATE KEY-----\n"

TEST(a_private_key_is_a_block_of_one_text)
{
	static const struct { const char *texts[3]; size_t hits; } cases[] = {
		{ { PEM_BEGIN PEM_LINE PEM_END }, 1 },
		{ { "a " PEM_BEGIN PEM_LINE PEM_END "b " PEM_BEGIN PEM_LINE PEM_END }, 2 },
		{ { PEM_BEGIN "short\n" PEM_END }, 0 },
		{ { PEM_BEGIN PEM_LINE }, 0 },
		{ { PEM_BEGIN PEM_LINE, PEM_LINE PEM_END }, 0 },
		{ { PEM_BEGIN, PEM_BEGIN PEM_LINE PEM_END, PEM_END }, 1 },
		{ { PEM_BEGIN PEM_LINE, "x", PEM_BEGIN PEM_LINE PEM_END }, 1 },
	};
	struct secret_scanner *s = open_scanner();
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct secret_hits hits;
		size_t ends[3], n = 0;

		test_case("%zu", i);
		buf_clear(&text);
		for (; n < 3 && cases[i].texts[n]; n++) {
			buf_add_str(&text, str_from(cases[i].texts[n]));
			ends[n] = text.n;
			buf_add_byte(&text, '\n');
		}
		hits = secret_scan_many(s, buf_str(&text), ends, n);
		CHECK_INT(hits.count, cases[i].hits);
		for (size_t h = 0; h < hits.count; h++)
			CHECK(str_starts(str_of(text.p + hits.list[h].at, 20), STR("-----BEGIN")));
	}
	secret_scanner_close(s);
	buf_free(&text);
}

/* A commit id is 40 hexadecimal digits too. */
TEST(forty_digits_are_a_key_only_behind_the_name_of_their_service)
{
	static const struct { const char *before; bool found; } cases[] = {
		{ "", false },
		{ "commit ", false },
		{ "Sourcegraph: ", true },
		{ "export SOURCEGRAPH_TOKEN=\"", true },
		{ "sourcegraph\n", false },
		{ "\"sourcegraph-token\" : '", true },
		{ "mcp__sourcegraph__read_file ", false },
		{ "sourcegraph is a service that searches text in many places, and commit ", false },
	};
	struct secret_scanner *s = open_scanner();
	uint64_t state = 5;
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct secret_hit hit = { 0 };

		test_case("%s", cases[i].before);
		buf_clear(&text);
		buf_add_str(&text, str_from(cases[i].before));
		add_random(&text, &state, HEX, 40);
		CHECK_INT(secret_find(s, buf_str(&text), &hit), cases[i].found);
		CHECK_INT(hit.at, cases[i].found ? strlen(cases[i].before) : 0);
	}
	secret_scanner_close(s);
	buf_free(&text);
}

/* Where an expression has an upper limit that Hyperscan does not check. */
TEST(a_key_that_is_too_long_is_none_unless_a_shorter_one_ends_there)
{
	static const struct { const char *lead, *between; size_t before, after; bool found; } cases[] = {
		{ "ABSK", NULL, 109, 0, true },
		{ "ABSK", NULL, 269, 0, true },
		{ "ABSK", NULL, 270, 0, false },
		{ "ABSK", NULL, 108, 0, false },
		{ "ABSK", "+ABSK", 300, 109, true },
		{ "ABSK", "+ABSK", 300, 269, true },
		{ "ABSK", "+ABSK", 300, 108, false },
		{ "ABSK", "aABSK", 300, 120, false },
		{ "ABSK", "+absk", 300, 120, false },
		{ "eyJrIjoi", NULL, 400, 0, true },
		{ "EYJRIJOI", NULL, 70, 0, true },
		{ "eyJrIjoi", NULL, 401, 0, false },
		{ "glc_", "+glC_", 500, 40, true },
		{ "glc_", "xglC_", 500, 40, false },
		{ "glc_", NULL, 400, 0, true },
		{ "glc_", NULL, 401, 0, false },
	};
	struct secret_scanner *s = open_scanner();
	uint64_t state = 6;
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (int padding = 0; padding < 3; padding++) {
			test_case("%zu with %d", i, padding);
			buf_clear(&text);
			buf_add_str(&text, str_from(cases[i].lead));
			add_random(&text, &state, ALNUM, cases[i].before);
			buf_add_str(&text, str_from(cases[i].between));
			add_random(&text, &state, ALNUM, cases[i].after);
			buf_add(&text, "==", (size_t)padding);
			CHECK_INT(secret_find(s, buf_str(&text), NULL), cases[i].found);
		}
	}
	secret_scanner_close(s);
	buf_free(&text);
}

/* Values that only the name before them makes a key, and texts that are none. */
TEST(what_stands_beside_the_name_of_a_key_is_one)
{
	static const struct { const char *before, *alphabet; size_t n; const char *after; bool found; } cases[] = {
		{ "aws_secret_access_key=", ALNUM "/+", 40, "", true },
		{ "AWS_SECRET_ACCESS_KEY: \"", ALNUM "/+", 40, "\"", true },
		{ "secret=", ALNUM "/+", 40, "", false },
		{ "TOGETHER_API_KEY=", HEX, 64, "", true },
		{ "api_key: '", HEX, 64, "'", true },
		{ "sha256=", HEX, 64, "", false },
		{ "sha256:", HEX, 64, "", false },
		{ "cache_key=", HEX, 64, "", false },
		{ "", HEX, 64, "", false },
		{ "api-key: ", HEX, 32, "", true },
		{ "api-key: ", ALNUM, 84, "\r\n", true },
		{ "the api-key of ", HEX, 32, "", false },
		{ "Authorization: Bearer ", ALNUM, 40, "", true },
		{ "\"authorization\": \"Bearer ", ALNUM "._-", 24, "\"", true },
		{ "Authorization: Bearer ghu_", ALNUM, 35, "", false }, /* GitHub's are longer by one */
		{ "the bearer ", ALNUM, 40, "", false },
		{ "https://host/x?password=", ALNUM, 8, "", true },
		{ "https://host/x?n=1&pwd=", ALNUM, 8, "&m=2", true },
		{ "Server=db;User Id=sa;Password=", ALNUM, 8, ";", true },
		{ "password=", ALNUM, 8, ";Server=db", true },
		{ "host=db user=me password=", ALNUM, 8, " dbname=x", true },
		{ "connect(password=", ALNUM, 8, ")", false },
		{ "?password=${", ALNUM, 8, "}", false },
		{ "?password=", ALNUM, 0, "&x=1", false },
		{ "postgres://me:", ALNUM, 8, "@db.example.com/x", true },
		{ "redis://:", ALNUM, 8, "@cache:6379", true },
		{ "https://example.com:8080/", ALNUM, 8, "", false },
		{ "pk-lf-", HEX, 8, "-0a1b-2c3d-4e5f-0a1b2c3d4e5f", true },
		{ "sk-lf-", HEX, 8, "-0a1b-2c3d-4e5f-0a1b2c3d4e5f", true },
		{ "xoxa-123456789012-123456789012-", LOWER DIGIT, 24, "", true },
		{ "xoxr-123456789012-123456789012-", LOWER DIGIT, 24, "", true },
		{ "xoxb-123456789012-123456789012-", ALNUM, 24, "", true },
		{ "xoxp-123456789012-123456789012-123456789012-", HEX, 32, "", true },
		/* what providers call things is no secret */
		{ "toolu_01", ALNUM, 22, "", false },
		{ "call_", ALNUM, 24, "", false },
		{ "req_011C", ALNUM, 20, "", false },
		{ "chatcmpl-", ALNUM, 29, "", false },
		{ "resp_", HEX, 48, "", false },
		{ "gAAAAABo-r8_", ALNUM, 60, "==", false },
		{ "EqQBCkYIBRgCKkA", ALNUM "+/", 200, "==", false },
	};
	struct secret_scanner *s = open_scanner();
	uint64_t state = 7;
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct secret_hit hit = { 0 };

		test_case("%s...%s", cases[i].before, cases[i].after);
		buf_clear(&text);
		buf_add_str(&text, str_from(cases[i].before));
		add_random(&text, &state, cases[i].alphabet, cases[i].n);
		buf_add_str(&text, str_from(cases[i].after));
		CHECK_INT(secret_find(s, buf_str(&text), &hit), cases[i].found);
	}
	secret_scanner_close(s);
	buf_free(&text);
}

TEST(a_bad_text_costs_no_more_than_its_length)
{
	static const char *const pieces[] = {
		"ghp_", "glpat-", "sourcegraph", "eyJhbGciOiJIUzI1NiIs.ey", "xoxb-1234567890-", "ops_eyJ",
		"pypi-AgEIcHlwaS5vcmc", "-----BEGIN PRIVATE KEY-----", "xapp-1-A-1-", "sk_live_aaaaaaaaaa ", "ABSK+", "pat12345678901234.",
		"https://a.webhook.office.com/webhookb2/", "github_pat_", "1Q~", "eyJrIjoi", "fm2_", "glc_a/", "AKIA",
		"ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\\n", "key-----", "hooks.slack.com/services/",
	};
	struct secret_scanner *s = open_scanner();
	size_t size = ((size_t)16 << 20) / test_slower();
	struct buf text;

	/* No clock: quadratic time would be hours here, and the harness ends a test after minutes. */
	buf_init(&text);
	for (size_t i = 0; i < COUNT(pieces); i++)
		while (text.n < size / COUNT(pieces) * (i + 1))
			buf_add_str(&text, str_from(pieces[i]));
	secret_scan(s, buf_str(&text));
	for (size_t i = 0; i < 3; i++) {
		buf_clear(&text);
		while (text.n < size / 2)
			buf_add_str(&text, str_from(pieces[i * 3]));
		secret_scan(s, buf_str(&text));
	}
	secret_scanner_close(s);
	buf_free(&text);
}
