/* Ids are replaced in the text itself, by edits at their places, so that all other bytes stay. */
#include "replay/mcp_lane_rpc.h"

#include <stdlib.h>

#include "json/put.h"

#define RPC_DEPTH 512
#define RPC_VALUES ((size_t)4 << 20)
#define RPC_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

struct json_parser *rpc_parser_open(void)
{
	return json_parser_open((struct json_options){
		.allow_duplicates = true, .allow_lone = true, .max_depth = RPC_DEPTH, .max_values = RPC_VALUES });
}

/* ---- reading ---- */

/* An id is a string or a number. */
static struct str rpc_id_of(struct arena *a, struct val v)
{
	if (!val_is(v, JSON_STRING) && !val_is(v, JSON_NUMBER))
		return str_of(NULL, 0);
	return arena_copy(a, val_source(v));
}

static struct val rpc_subscription(struct val message)
{
	struct val in = val_get(message, STR("params"));

	if (val_is_none(in))
		in = val_get(message, STR("result"));
	return val_get(val_get(in, STR("_meta")), STR(RPC_SUBSCRIPTION));
}

static enum rpc_kind rpc_kind_of(struct val v, const struct rpc_message *m)
{
	if (m->method.p)
		return val_has(v, STR("id")) ? RPC_REQUEST : RPC_NOTIFICATION;
	return val_has(v, STR("result")) || val_has(v, STR("error")) ? RPC_RESPONSE : RPC_OTHER;
}

void rpc_read(struct json_parser *p, struct arena *a, struct str line, struct rpc_message *out)
{
	struct val v, params;

	*out = (struct rpc_message){ .kind = RPC_OTHER };
	if (!line.p || !json_parse_copy(p, line, &v, NULL))
		return;
	if (!val_is(v, JSON_OBJECT)) {
		out->kind = val_is(v, JSON_ARRAY) ? RPC_BATCH : RPC_OTHER;
		return;
	}
	params = val_get(v, STR("params"));
	if (val_is(val_get(v, STR("method")), JSON_STRING))
		out->method = val_text_copy(val_get(v, STR("method")), a);
	out->id = rpc_id_of(a, val_get(v, STR("id")));
	out->subscription = rpc_id_of(a, rpc_subscription(v));
	out->kind = rpc_kind_of(v, out);
	if (out->kind == RPC_REQUEST)
		out->token = rpc_id_of(a, val_get(val_get(params, STR("_meta")), STR("progressToken")));
	if (str_eq(out->method, STR("notifications/progress")))
		out->token = rpc_id_of(a, val_get(params, STR("progressToken")));
	if (str_eq(out->method, STR("notifications/cancelled")))
		out->cancelled = rpc_id_of(a, val_get(params, STR("requestId")));
	if (str_eq(out->method, STR("tools/call")) && val_is(val_get(params, STR("name")), JSON_STRING))
		out->tool = val_text_copy(val_get(params, STR("name")), a);
}

/* ---- what is compared ---- */

/* Of `_meta`: with or without the prefix of the protocol. */
static bool rpc_is_volatile(struct str name)
{
	static const char *const names[] = { "progressToken", "clientInfo", "clientCapabilities",
					     "traceparent",   "tracestate", "baggage" };

	return str_is_word_of(str_basename(name), names, COUNT(names));
}

static void rpc_add_meta(struct json_writer *w, struct arena *a, struct val meta)
{
	struct val_iter it = val_begin(meta);
	struct val key, value;
	bool begun = false;

	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, a);

		if (rpc_is_volatile(name))
			continue;
		if (!begun)
			json_put_object(w, "_meta");
		begun = true;
		json_write_key(w, name);
		json_write_raw(w, val_source(value));
	}
	if (begun)
		json_write_end_object(w);
}

static void rpc_add_params(struct json_writer *w, struct arena *a, struct val params, bool notice)
{
	struct val_iter it = val_begin(params);
	struct val key, value;

	json_put_object(w, "params");
	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, a);

		if (str_eq(name, STR("_meta")) && val_is(value, JSON_OBJECT)) {
			rpc_add_meta(w, a, value);
		} else if (!notice || (!str_eq(name, STR("requestId")) && !str_eq(name, STR("progressToken")))) {
			json_write_key(w, name);
			json_write_raw(w, val_source(value));
		}
	}
	json_write_end_object(w);
}

struct str rpc_key(struct json_parser *p, struct arena *a, struct str line)
{
	struct val v, key, value, method;
	struct json_writer w;
	struct val_iter it;
	struct buf out;
	bool notice;

	if (!json_parse_copy(p, line, &v, NULL) || !val_is(v, JSON_OBJECT))
		return line;
	method = val_get(v, STR("method"));
	notice = val_text_is(method, STR("notifications/cancelled")) ||
		 val_text_is(method, STR("notifications/progress"));
	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_object(&w);
	for (it = val_begin(v); val_next_member(&it, &key, &value);) {
		struct str name = val_text(key, a);

		if (str_eq(name, STR("id")))
			continue;
		if (str_eq(name, STR("params")) && val_is(value, JSON_OBJECT)) {
			rpc_add_params(&w, a, value, notice);
			continue;
		}
		json_write_key(&w, name);
		json_write_raw(&w, val_source(value));
	}
	json_write_end_object(&w);
	return arena_take(a, &out);
}

bool rpc_is_idle(struct str method)
{
	return str_eq(method, STR("notifications/initialized")) || str_eq(method, STR("notifications/progress"));
}

/* ---- ids of this run ---- */

/* A subscription's id may be the text of a number. */
static bool rpc_is_id(struct val v, struct str id)
{
	if (!id.p || (!val_is(v, JSON_STRING) && !val_is(v, JSON_NUMBER)))
		return false;
	return str_eq(val_source(v), id) || (val_is(v, JSON_STRING) && str_eq(val_raw(v), id));
}

static size_t rpc_add_edit(struct val v, const char *base, struct str with, struct rpc_edit *out)
{
	struct str was = val_source(v);

	if (!with.p)
		return 0;
	*out = (struct rpc_edit){ .at = (size_t)(was.p - base), .n = was.n, .with = with };
	return 1;
}

static int rpc_cmp_edits(const void *a, const void *b)
{
	const struct rpc_edit *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

size_t rpc_find_edits(struct val v, const char *base, const struct rpc_ids *ids, struct rpc_edit out[RPC_EDITS])
{
	struct val params = val_get(v, STR("params")), method = val_get(v, STR("method")), subscription;
	size_t n = 0;

	if (!val_is(v, JSON_OBJECT))
		return 0;
	subscription = rpc_subscription(v);
	if (val_is_none(method) && ids->id.p && val_has(v, STR("id")) &&
	    str_eq(val_source(val_get(v, STR("id"))), ids->id))
		n += rpc_add_edit(val_get(v, STR("id")), base, ids->live_id, &out[n]);
	if (val_text_is(method, STR("notifications/progress")) &&
	    rpc_is_id(val_get(params, STR("progressToken")), ids->token))
		n += rpc_add_edit(val_get(params, STR("progressToken")), base, ids->live_token, &out[n]);
	if (val_text_is(method, STR("notifications/cancelled")) &&
	    rpc_is_id(val_get(params, STR("requestId")), ids->id))
		n += rpc_add_edit(val_get(params, STR("requestId")), base, ids->live_id, &out[n]);
	if (rpc_is_id(subscription, ids->id))
		n += rpc_add_edit(subscription, base, ids->live_id, &out[n]);
	qsort(out, n, sizeof(*out), rpc_cmp_edits);
	return n;
}

void rpc_apply(struct buf *out, struct str text, const struct rpc_edit *edits, size_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		assert(edits[i].at >= at && edits[i].at + edits[i].n <= text.n);
		buf_add(out, text.p + at, edits[i].at - at);
		buf_add_str(out, edits[i].with);
		at = edits[i].at + edits[i].n;
	}
	buf_add(out, text.p + at, text.n - at);
}

struct str rpc_rewrite(struct json_parser *p, struct arena *a, struct str line, const struct rpc_ids *ids)
{
	struct rpc_edit edits[RPC_EDITS];
	struct str kept = line;
	struct buf out;
	struct val v;
	size_t n;

	if (!json_parse_copy(p, line, &v, NULL) || !val_is(v, JSON_OBJECT))
		return line;
	kept.p = v.tape->text; /* the parser's copy, where the values are */
	n = rpc_find_edits(v, kept.p, ids, edits);
	if (n == 0)
		return line;
	buf_init(&out);
	rpc_apply(&out, kept, edits, n);
	return arena_take(a, &out);
}
