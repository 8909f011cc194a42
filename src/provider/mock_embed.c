/* Vectors of the mock server: made of a hash of each text, so that equal texts have equal vectors. */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/crypto/base64.h"
#include "json/write.h"
#include "provider/mock_plain.h"
#include "provider/mock_talk.h"

#define NUMBERS_PER_DIGEST (SHA256_SIZE / 4)

static void fill(float out[NUMBERS_PER_DIGEST], struct digest d)
{
	for (size_t i = 0; i < NUMBERS_PER_DIGEST; i++) {
		uint32_t bits = (uint32_t)d.b[4 * i] << 24 | (uint32_t)d.b[4 * i + 1] << 16 |
				(uint32_t)d.b[4 * i + 2] << 8 | d.b[4 * i + 3];

		out[i] = (float)(((double)bits - 2147483647.5) / 2147483648.0); /* between -1 and 1, never 0 */
	}
}

void mock_embed_vector(struct sha256 *sha, struct str text, float *out, size_t count)
{
	struct digest first = sha256_of(sha, text);
	double squares = 0, length;
	float some[NUMBERS_PER_DIGEST];

	for (size_t i = 0; i < count; i++) {
		if (i % NUMBERS_PER_DIGEST == 0) {
			char number[32];
			int n = snprintf(number, sizeof(number), "%zu", i);

			sha256_restart(sha);
			sha256_add(sha, str_of(first.b, sizeof(first.b)));
			sha256_add(sha, str_of(number, (size_t)n));
			fill(some, sha256_end(sha));
		}
		out[i] = some[i % NUMBERS_PER_DIGEST];
		squares += (double)out[i] * (double)out[i];
	}
	length = sqrt(squares);
	for (size_t i = 0; i < count; i++)
		out[i] = (float)((double)out[i] / length);
}

/* The floats little end first, as the SDKs read them. */
static void embed_add_base64(struct buf *out, const float *v, size_t count)
{
	unsigned char bytes[4 * MOCK_DIMENSIONS_MAX];

	assert(count <= MOCK_DIMENSIONS_MAX);
	for (size_t i = 0; i < 4 * count; i++) {
		uint32_t number;

		memcpy(&number, &v[i / 4], 4);
		bytes[i] = (unsigned char)(number >> (8 * (i % 4)));
	}
	buf_add_byte(out, '"');
	base64_add(out, str_of(bytes, 4 * count));
	buf_add_byte(out, '"');
}

static void embed_add_vector(struct buf *out, const float *v, size_t count)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		json_write_double(&w, (double)v[i]);
	json_write_end_array(&w);
}

/* The vectors of all texts, each in the template of an element as far as its vector. */
static void embed_add_vectors(struct buf *out, const struct mock_request *q, struct sha256 *sha, float *v, size_t count)
{
	bool openai = q->endpoint == MOCK_EMBEDDINGS;
	bool packed = openai && val_text_is(val_get(q->body, STR("encoding_format")), STR("base64"));

	for (uint64_t i = 0; i < q->text_count; i++) {
		mock_embed_vector(sha, q->texts[i], v, count);
		mock_json_add(out, i ? "," : "");
		if (openai)
			mock_json_add(out, "{'object':'embedding','index':%u,'embedding':", i);
		if (packed)
			embed_add_base64(out, v, count);
		else
			embed_add_vector(out, v, count);
		mock_json_add(out, openai ? "}" : "");
	}
}

/* How many numbers a vector has. With a refusal in *why the number is not to be used. */
static size_t count_numbers(const struct mock_request *q, struct mock_refusal *why)
{
	struct val wanted = val_get(q->body, STR("dimensions"));
	int64_t n = MOCK_DIMENSIONS;

	if (!val_is_unset(wanted) && (!val_i64(wanted, &n) || n < 1 || n > MOCK_DIMENSIONS_MAX))
		*why = (struct mock_refusal){ .status = 400, .message = STR("'dimensions' must be from 1 to 4096") };
	else if (q->text_count > MOCK_FLOATS_MAX / (size_t)n)
		*why = (struct mock_refusal){ .status = 400,
					      .message = STR("'input' has too many texts for one answer") };
	return (size_t)n;
}

void mock_embed_add(struct buf *out, const struct mock_request *q, struct sha256 *sha, struct mock_refusal *why)
{
	float v[MOCK_DIMENSIONS_MAX];
	size_t count = count_numbers(q, why);
	uint64_t tokens = mock_tokens_of(q->text_bytes);

	if (why->status)
		return;
	if (q->endpoint == MOCK_EMBEDDINGS) {
		mock_json_add(out, "{'object':'list','data':[");
		embed_add_vectors(out, q, sha, v, count);
		mock_json_add(out, "],'model':%s,'usage':{'prompt_tokens':%u,'total_tokens':%u}}", q->model, tokens,
			      tokens);
	} else if (q->endpoint == MOCK_OLLAMA_EMBED) {
		mock_json_add(out, "{'model':%s,'embeddings':[", q->model);
		embed_add_vectors(out, q, sha, v, count);
		mock_json_add(out, "],'total_duration':0,'load_duration':0,'prompt_eval_count':%u}", tokens);
	} else {
		mock_embed_vector(sha, q->texts[q->text_count - 1], v, count);
		mock_json_add(out, "{'embedding':");
		embed_add_vector(out, v, count);
		buf_add_byte(out, '}');
	}
}
