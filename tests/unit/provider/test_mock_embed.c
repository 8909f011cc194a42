#include <math.h>

#include "provider/mock_plain.h"
#include "unit/provider/mock_sample.h"

static double length_of(const float *v, size_t n)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (double)v[i] * (double)v[i];
	return sqrt(squares);
}

TEST(a_text_has_one_vector_of_length_one)
{
	float a[100], b[100], c[100];
	struct sha256 sha;

	sha256_init(&sha);
	mock_embed_vector(&sha, STR("text"), a, 100);
	mock_embed_vector(&sha, STR("text"), b, 100);
	mock_embed_vector(&sha, STR("Text"), c, 100);
	CHECK(memcmp(a, b, sizeof(a)) == 0);
	CHECK(memcmp(a, c, sizeof(a)) != 0);
	CHECK(fabs(length_of(a, 100) - 1) < 1e-5);
	mock_embed_vector(&sha, STR(""), a, 1);
	CHECK(fabs(fabs((double)a[0]) - 1) < 1e-6);
	sha256_free(&sha);
}

TEST(embeddings_are_given_as_each_provider_does)
{
	struct sample *s = sample_open(NULL);
	struct val v = sample_json(s, "/v1/embeddings", "{\"model\":\"e\",\"input\":[\"a\",\"b\"],\"dimensions\":3}");

	CHECK_STR(sample_at(s, v, "/object"), STR("list"));
	CHECK_INT(val_count(val_at(v, STR("/data"))), 2);
	CHECK_INT(val_count(val_at(v, STR("/data/1/embedding"))), 3);
	CHECK_STR(sample_at(s, v, "/data/1/index"), STR("1"));
	CHECK_STR(sample_at(s, v, "/usage/prompt_tokens"), STR("1"));
	v = sample_json(s, "/api/embed", "{\"model\":\"e\",\"input\":\"a\"}");
	CHECK_INT(val_count(val_at(v, STR("/embeddings"))), 1);
	CHECK_INT(val_count(val_at(v, STR("/embeddings/0"))), MOCK_DIMENSIONS);
	v = sample_json(s, "/api/embeddings", "{\"model\":\"e\",\"prompt\":\"a\"}");
	CHECK_INT(val_count(val_at(v, STR("/embedding"))), MOCK_DIMENSIONS);
	sample_close(s);
}

/* Four bytes to a number, little end first; read back by hand. */
TEST(base64_has_the_same_numbers)
{
	struct sample *s = sample_open(NULL);
	struct val v = sample_json(s, "/v1/embeddings", "{\"input\":\"a\",\"dimensions\":2,\"encoding_format\":\"base64\"}");
	struct str packed = sample_at(s, v, "/data/0/embedding");
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char bytes[9];
	float want[2], got[2];
	uint32_t held = 0;
	size_t n = 0;

	CHECK_INT(packed.n, 12);
	CHECK(str_ends(packed, STR("=")) && !str_ends(packed, STR("==")));
	for (size_t i = 0; i < 12; i++) {
		const char *d = packed.p[i] == '=' ? digits : strchr(digits, packed.p[i]);

		CHECK(d);
		held = held << 6 | (uint32_t)(d - digits);
		if (i % 4 == 3)
			for (int k = 16; k >= 0; k -= 8)
				bytes[n++] = (unsigned char)(held >> k);
	}
	for (size_t i = 0; i < 2; i++) {
		uint32_t bits = bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 | (uint32_t)bytes[4 * i + 2] << 16 |
				(uint32_t)bytes[4 * i + 3] << 24;

		memcpy(&got[i], &bits, 4);
	}
	mock_embed_vector(&s->maker.sha, STR("a"), want, 2);
	CHECK(memcmp(got, want, sizeof(got)) == 0);
	sample_close(s);
}

TEST(too_many_numbers_are_refused)
{
	static const char *const bodies[] = {
		"{\"input\":\"a\",\"dimensions\":0}",
		"{\"input\":\"a\",\"dimensions\":4097}",
		"{\"input\":\"a\",\"dimensions\":\"3\"}",
	};
	struct sample *s = sample_open(NULL);
	struct buf many;

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		sample_ask(s, "/v1/embeddings", bodies[i]);
		CHECK_INT(s->x.status, 400);
	}
	buf_init(&many);
	buf_add_str(&many, STR("{\"dimensions\":4096,\"input\":[\"\""));
	for (int i = 0; i < 256; i++)
		buf_add_str(&many, STR(",\"\""));
	buf_add_str(&many, STR("]}"));
	buf_add_byte(&many, '\0');
	CHECK(sample_contains(sample_ask(s, "/v1/embeddings", many.p), "too many texts"));
	CHECK_INT(s->x.status, 400);
	buf_free(&many);
	sample_close(s);
}
