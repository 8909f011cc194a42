#include "capture/cassette.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/build.h"
#include "base/clock.h"
#include "base/crypto/base64.h"
#include "base/crypto/hex.h"
#include "base/crypto/sha256.h"
#include "base/mask.h"
#include "base/utf8.h"
#include "capture/cassette_rules.h"
#include "capture/cassette_unpack.h"
#include "dialect/agent_trace/trace_path.h"
#include "dialect/exchange/http.h"
#include "dialect/record/leak_name.h"
#include "json/json.h"
#include "json/put.h"

#define DEPTH_MAX 256 /* of a body that stands in its line as it is; a deeper one is a text */

static void add_time(struct json_writer *w, const char *name, int64_t ns)
{
	char text[36];

	json_put_text(w, name, str_of(text, stamp_format_ns(text, ns < 0 ? 0 : ns, 6)));
}

void cassette_add_head(struct buf *out, struct str run_id, int64_t started_ns, struct str forked_from)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "v", STR("cassette/v1"));
	json_put_text_or_null(&w, "run_id", run_id);
	json_put_text(&w, "recorder", STR("trackway " BUILD_VERSION));
	add_time(&w, "started", started_ns);
	json_put_i64(&w, "clock0_us", started_ns / 1000);
	json_put_object(&w, "normalize");
	json_put_text(&w, "profile", STR(CASSETTE_PROFILE));
	json_put_digest(&w, "rules_sha256", cassette_rules_digest());
	json_write_end_object(&w);
	json_put_bool(&w, "redacted", false);
	json_put_bool(&w, "local_only", true);
	json_put_bool(&w, "content_saved", true);
	if (forked_from.p)
		json_put_raw(&w, "forked_from", forked_from);
	json_put_bool(&w, "end_line", true); /* a cassette without one breaks off */
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}

void cassette_add_end(struct buf *out, const struct cassette_end *end)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	add_time(&w, "ended", end->ended_ns);
	json_put_word(&w, "exit_status", end->exit_status);
	json_put_text_or_null(&w, "error_message", end->error);
	json_put_i64_or_null(&w, "exit_code", end->code);
	output_put(&w, end->output);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}

/* ---- bodies ---- */

/* One JSON value, with nothing around it, that can stand in a line and be cut out again byte for byte. */
static bool is_json(struct str body)
{
	struct json_parser *p;
	struct val v;
	bool good;

	if (body.n == 0 || ascii_is_blank(body.p[0]) || ascii_is_blank(body.p[body.n - 1]) ||
	    memchr(body.p, '\n', body.n) || memchr(body.p, '\r', body.n))
		return false;
	p = json_parser_open((struct json_options){ .max_depth = DEPTH_MAX });
	good = json_parse_copy(p, body, &v, NULL);
	json_parser_close(p);
	return good;
}

/* The digest and size are of what is here: with `lost` they say nothing of what passed. */
static void add_body(struct json_writer *w, struct sha256 *s, const struct cassette_half *half, bool lost)
{
	struct str body = half->body;
	struct buf packed;

	json_put_object(w, "body");
	json_put_digest(w, "sha256", sha256_of(s, body));
	json_put_u64(w, "size", body.n);
	if (lost)
		json_put_bool(w, "lost", true);
	if (half->packing.p)
		json_put_text(w, "packing", half->packing);
	if (is_json(body)) {
		json_put_text(w, "enc", STR("json"));
		json_put_raw(w, "inline", body);
	} else if (utf8_check(body) == body.n) {
		json_put_text(w, "enc", STR("utf8"));
		json_put_text_or_null(w, "inline", body.p ? body : STR(""));
	} else {
		buf_init(&packed);
		base64_add(&packed, body);
		json_put_text(w, "enc", STR("base64"));
		json_put_text_or_null(w, "inline", buf_str(&packed));
		buf_free(&packed);
	}
	json_write_end_object(w);
}

void cassette_put_body(struct json_writer *w, struct str bytes)
{
	struct cassette_half half = { .body = bytes };
	struct sha256 s;

	if (!bytes.p && bytes.n) {
		json_put_object(w, "body");
		json_put_u64(w, "size", bytes.n);
		json_put_bool(w, "lost", true);
		json_write_end_object(w);
		return;
	}
	sha256_init(&s);
	add_body(w, &s, &half, false);
	sha256_free(&s);
}

/* ---- heads ---- */

static bool is_before(const struct http_head *h, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (http_name_eq(h->headers[j].name, h->headers[i].name))
			return true;
	return false;
}

/*
 * Names in lower case, once each; the values of one that comes again are joined, as HTTP has it. The packing that a
 * body no longer has is not among them.
 */
static void add_headers(struct json_writer *w, const struct http_head *h, bool unpacked)
{
	struct buf name, value;

	buf_init(&name);
	buf_init(&value);
	json_put_object(w, "headers");
	for (size_t i = 0; h && i < h->count; i++) {
		const struct http_header *one = &h->headers[i];

		if (!cassette_keeps_header(one->name) || is_before(h, i) ||
		    (unpacked && http_name_eq(one->name, STR("content-encoding"))))
			continue;
		buf_clear(&name);
		buf_clear(&value);
		for (size_t j = 0; j < one->name.n; j++)
			buf_add_byte(&name, ascii_lower(one->name.p[j]));
		for (size_t j = i; j < h->count; j++) {
			if (!http_name_eq(h->headers[j].name, one->name))
				continue;
			if (j > i)
				buf_add_str(&value, STR(", "));
			buf_add_str(&value, h->headers[j].value);
		}
		json_write_key(w, buf_str(&name));
		json_write_string(w, value.n ? buf_str(&value) : STR(""));
	}
	json_write_end_object(w);
	buf_free(&name);
	buf_free(&value);
}

/* ---- where it went ---- */

/*
 * A part of a path or query without its keys; when escapes hide one, nothing of the part is shown, nor when it looks
 * like a key of no service we know. `is_id`: it stands where APIs have ids, which look like keys.
 */
static void add_part(struct buf *out, struct str part, bool is_id)
{
	struct buf plain, shown;
	bool escaped = false, hidden;
	char byte;

	buf_init(&plain);
	buf_init(&shown);
	for (size_t i = 0; i < part.n; i++) {
		bool hex = part.p[i] == '%' && part.n - i > 2 && hex_parse(str_of(part.p + i + 1, 2), &byte, 1);

		buf_add_byte(&plain, hex ? byte : part.p[i]);
		escaped = escaped || hex;
		i += hex ? 2 : 0;
	}
	hidden = escaped && mask_text(&shown, buf_str(&plain), 0, NULL, NULL);
	buf_clear(&shown);
	if (!hidden && !mask_text(&shown, part, 0, NULL, NULL) && !is_id)
		hidden = leak_looks_like_key(buf_str(&plain)) || leak_has_mail(buf_str(&plain));
	buf_add_str(out, hidden ? STR("\xe2\x80\xa6") : buf_str(&shown));
	buf_free(&plain);
	buf_free(&shown);
}

/* Part by part, for some keys may have slashes in them and would take along what follows. */
static struct str without_keys(struct arena *a, struct str where)
{
	struct str clean = where, before = { NULL, 0 };
	bool host = str_has(where, STR("://")), query = false;
	struct buf out;
	size_t begin = 0;

	buf_init(&out);
	for (size_t i = 0; i <= where.n && where.n; i++) {
		struct str part = { where.p + begin, i - begin };

		if (i < where.n && !ascii_is_one_of(where.p[i], "/?&"))
			continue;
		add_part(&out, part, host || query || trace_path_is_collection(before));
		host = host && (begin == 0 || before.n); /* "http:", "", the host */
		query = query || (i < where.n && where.p[i] == '?');
		before = part;
		if (i < where.n)
			buf_add_byte(&out, where.p[i]);
		begin = i + 1;
	}
	if (out.n)
		clean = arena_copy(a, buf_str(&out));
	buf_free(&out);
	return clean;
}

/* What may be a key is taken out of the query, and then out of the path. */
struct str cassette_clean_target(struct arena *a, struct str target)
{
	struct str query = exchange_http_clean_query(a, target), path = target;

	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '?' || path.p[i] == '#')
			path.n = i;
	return without_keys(a, query.n ? ARENA_JOIN(a, path, STR("?"), query) : path);
}

static void add_request(struct json_writer *w, struct sha256 *s, const struct cassette_exchange *x)
{
	struct cassette_half half = { .body = x->request_body };
	struct buf unpacked;
	struct arena a;

	arena_init(&a);
	buf_init(&unpacked);
	cassette_unpack(&half, x->request, &a, &unpacked);
	json_put_object(w, "req");
	json_put_text_or_null(w, "method", x->request ? x->request->method : str_of(NULL, 0));
	json_put_text_or_null(w, "target", cassette_clean_target(&a, x->target));
	add_headers(w, x->request, half.packing.p != NULL);
	add_body(w, s, &half, x->request_lost);
	json_write_end_object(w);
	buf_free(&unpacked);
	arena_free(&a);
}

/* ---- answers ---- */

static int64_t micros(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (to_ns - from_ns) / 1000 : 0;
}

/* Where each piece begins, and how long after the one before it came; the first one after the request. */
static void add_chunks(struct json_writer *w, const struct cassette_half *half, int64_t before)
{
	size_t begin = 0;

	json_put_array(w, "chunks");
	for (size_t i = 0; i < half->arrival_count && begin < half->body.n; i++) {
		json_write_begin_array(w);
		json_write_u64(w, begin);
		json_write_i64(w, micros(before, half->arrivals[i].ns));
		json_write_end_array(w);
		before = half->arrivals[i].ns > before ? half->arrivals[i].ns : before;
		begin = half->arrivals[i].end > begin ? half->arrivals[i].end : begin;
	}
	json_write_end_array(w);
}

static const char *const ends[] = {
	[PROXY_WHOLE] = "eof",
	[PROXY_CLIENT_LEFT] = "client_left",
	[PROXY_CUT] = "cut",
	[PROXY_REFUSED] = "refused",
};

static void add_answer(struct json_writer *w, struct sha256 *s, const struct cassette_exchange *x)
{
	struct cassette_half half = { .body = x->answer_body, .arrivals = x->arrivals,
				      .arrival_count = x->arrival_count };
	struct buf unpacked;
	struct arena a;

	arena_init(&a);
	buf_init(&unpacked);
	cassette_unpack(&half, x->answer, &a, &unpacked);
	json_put_object(w, "resp");
	json_put_i64_or_null(w, "status", x->answer ? x->answer->status : -1);
	add_headers(w, x->answer, half.packing.p != NULL);
	add_body(w, s, &half, x->answer_lost);
	add_chunks(w, &half, x->begun_ns);
	assert(x->how < COUNT(ends));
	json_put_word(w, "end", ends[x->how]);
	json_write_end_object(w);
	buf_free(&unpacked);
	arena_free(&a);
}

void cassette_add(struct buf *out, const struct cassette_exchange *x)
{
	struct json_writer w;
	struct sha256 s;
	struct arena a;

	arena_init(&a);
	sha256_init(&s);
	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_u64(&w, "x", x->number);
	json_put_text(&w, "lane", x->lane.n ? x->lane : STR("model"));
	json_put_u64(&w, "group", x->group);
	if (x->socket)
		json_put_u64(&w, "socket", x->socket - 1);
	json_put_text_or_null(&w, "provider", x->provider);
	json_put_text_or_null(&w, "endpoint", without_keys(&a, x->endpoint));
	if (x->base.n)
		json_put_text(&w, "base", without_keys(&a, x->base));
	add_request(&w, &s, x);
	add_answer(&w, &s, x);
	json_put_i64(&w, "t_us", x->begun_ns / 1000);
	json_put_i64(&w, "dur_us", micros(x->begun_ns, x->ended_ns));
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
	sha256_free(&s);
	arena_free(&a);
}
