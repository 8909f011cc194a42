#include "provider/mock_body.h"

#include "unit/net/pack.h"
#include "unit/provider/mock_sample.h"

static const struct coding {
	const char *word;
	enum unpack_kind kind;
} codings[] = { { "gzip", UNPACK_GZIP }, { "deflate", UNPACK_DEFLATE }, { "zstd", UNPACK_ZSTD } };

/* Its status, 0 when it is fine; what came out is in `out`. */
static int unpack_as(const char *coding, struct str body, size_t most, struct buf *out, struct str *got)
{
	struct http_header header = { STR("Content-Encoding"), str_from(coding) };
	struct http_head h = { .side = HTTP_REQUEST, .headers = &header, .count = 1 };
	struct mock_refusal why = { .status = 0 };

	buf_clear(out);
	*got = mock_body_unpack(&h, body, most, out, &why);
	CHECK(why.status == 0 || (got->n == 0 && why.message.n > 0));
	return why.status;
}

TEST(what_a_client_packed_is_read)
{
	struct str text = STR("{\"model\":\"m\"}"), got;
	struct buf out;

	buf_init(&out);
	CHECK_INT(unpack_as("identity", text, 99, &out, &got), 0);
	CHECK(got.p == text.p);
	for (size_t i = 0; i < COUNT(codings); i++) {
		struct str packed = pack(text, codings[i].kind, false);

		test_case("%s", codings[i].word);
		CHECK_INT(unpack_as(codings[i].word, packed, text.n + 1, &out, &got), 0);
		CHECK_STR(got, text);
		for (size_t n = 1; n < packed.n; n++)
			CHECK_INT(unpack_as(codings[i].word, str_of(packed.p, n), text.n + 1, &out, &got), 400);
		CHECK_INT(unpack_as(codings[i].word, packed, text.n - 1, &out, &got), 413);
		CHECK_INT(unpack_as(codings[i].word, STR("no such bytes"), 99, &out, &got), 400);
	}
	CHECK_INT(unpack_as("br", text, 99, &out, &got), 415);
	CHECK_INT(unpack_as("gzip, zstd", text, 99, &out, &got), 415);
	buf_free(&out);
}

TEST(a_packed_request_has_the_answer_of_a_plain_one)
{
	struct str text = STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
	struct sample *plain = sample_open(NULL);
	struct str expected = sample_send(plain, "POST", "/v1/messages", text, NULL, 0);

	for (size_t i = 0; i < COUNT(codings); i++) {
		struct http_header header = { STR("content-encoding"), str_from(codings[i].word) };
		struct sample *s = sample_open(NULL);

		test_case("%s", codings[i].word);
		CHECK_STR(sample_send(s, "POST", "/v1/messages", pack(text, codings[i].kind, false), &header, 1), expected);
		sample_close(s);
	}
	sample_close(plain);
}

TEST(what_cannot_be_unpacked_is_refused_in_the_services_shape)
{
	struct http_header header = { STR("content-encoding"), STR("br") };
	struct sample *s = sample_open(NULL);

	CHECK(sample_contains(sample_send(s, "POST", "/v1/messages", STR("x"), &header, 1), "\"type\":\"error\""));
	CHECK_INT(s->x.status, 415);
	header.value = STR("zstd");
	CHECK(sample_contains(sample_send(s, "POST", "/v1/responses", STR("x"), &header, 1), "{\"error\":{"));
	CHECK_INT(s->x.status, 400);
	sample_close(s);
}
