#include <math.h>
#include <stdio.h>

#include "json/put.h"
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

static void put_base64(struct json_writer *w, const float *v, size_t count)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct buf text;
	uint32_t held = 0;
	int bits = 0;

	buf_init(&text);
	for (size_t i = 0; i < 4 * count; i++) {
		uint32_t number;

		memcpy(&number, &v[i / 4], 4);
		held = held << 8 | (number >> (8 * (i % 4)) & 0xFF); /* little end first, as the SDKs read it */
		for (bits += 8; bits >= 6; bits -= 6)
			buf_add_byte(&text, digits[held >> (bits - 6) & 63]);
	}
	if (bits)
		buf_add_byte(&text, digits[held << (6 - bits) & 63]);
	while (text.n % 4)
		buf_add_byte(&text, '=');
	json_write_string(w, buf_str(&text));
	buf_free(&text);
}

static void put_vector(struct json_writer *w, const float *v, size_t count)
{
	json_write_begin_array(w);
	for (size_t i = 0; i < count; i++)
		json_write_double(w, (double)v[i]);
	json_write_end_array(w);
}

static uint64_t mock_embed_tokens_of(const struct mock_request *q)
{
	return q->text_bytes / 4 + (q->text_bytes % 4 != 0);
}

static void mock_embed_put_openai(struct json_writer *w, const struct mock_request *q, struct sha256 *sha,
				  float *v, size_t count)
{
	struct val form = val_get(q->body, STR("encoding_format"));
	bool packed = val_text_is(form, STR("base64"));

	json_write_begin_object(w);
	json_put_word(w, "object", "list");
	json_put_array(w, "data");
	for (size_t i = 0; i < q->text_count; i++) {
		mock_embed_vector(sha, q->texts[i], v, count);
		json_write_begin_object(w);
		json_put_word(w, "object", "embedding");
		json_put_u64(w, "index", i);
		json_write_key(w, STR("embedding"));
		if (packed)
			put_base64(w, v, count);
		else
			put_vector(w, v, count);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	json_put_text(w, "model", q->model);
	json_put_object(w, "usage");
	json_put_u64(w, "prompt_tokens", mock_embed_tokens_of(q));
	json_put_u64(w, "total_tokens", mock_embed_tokens_of(q));
	json_write_end_object(w);
	json_write_end_object(w);
}

static void put_ollama(struct json_writer *w, const struct mock_request *q, struct sha256 *sha, float *v, size_t count)
{
	json_write_begin_object(w);
	json_put_text(w, "model", q->model);
	json_put_array(w, "embeddings");
	for (size_t i = 0; i < q->text_count; i++) {
		mock_embed_vector(sha, q->texts[i], v, count);
		put_vector(w, v, count);
	}
	json_write_end_array(w);
	json_put_u64(w, "total_duration", 0);
	json_put_u64(w, "load_duration", 0);
	json_put_u64(w, "prompt_eval_count", mock_embed_tokens_of(q));
	json_write_end_object(w);
}

static void put_one(struct json_writer *w, const struct mock_request *q, struct sha256 *sha, float *v, size_t count)
{
	mock_embed_vector(sha, q->texts[q->text_count - 1], v, count);
	json_write_begin_object(w);
	json_write_key(w, STR("embedding"));
	put_vector(w, v, count);
	json_write_end_object(w);
}

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
	struct json_writer w;
	size_t count = count_numbers(q, why);

	if (why->status)
		return;
	json_write_init(&w, out, JSON_COMPACT);
	if (q->endpoint == MOCK_EMBEDDINGS)
		mock_embed_put_openai(&w, q, sha, v, count);
	else if (q->endpoint == MOCK_OLLAMA_EMBED)
		put_ollama(&w, q, sha, v, count);
	else
		put_one(&w, q, sha, v, count);
}
