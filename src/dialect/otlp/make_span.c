/* What the spans that are made of events share: ids, names, times, and the attributes that all of them have. */
#include "base/crypto/hex.h"
#include "dialect/otlp/make_private.h"
#include "dialect/otlp/names.h"
#include "dialect/otlp/provider.h"
#include "dialect/otlp/put.h"
#include "dialect/otlp/server.h"
#include "json/text.h"

/* ---- spans ---- */

/* The trace is the run's id; a span's are the later half of a node's, which hold a digest and no time. */
void otlp_make_ids(struct otlp_make *m, struct str name, struct str parent)
{
	struct id id = writing_node_id(m->run_id, name, 0);
	char hex[32];

	hex_format(hex, m->run_id.b, 16);
	otlp_put_raw(&m->text, "{\"traceId\":\"");
	buf_add(&m->text, hex, 32);
	hex_format(hex, id.b + 8, 8);
	otlp_put_raw(&m->text, "\",\"spanId\":\"");
	buf_add(&m->text, hex, 16);
	if (parent.p) {
		id = writing_node_id(m->run_id, parent, 0);
		hex_format(hex, id.b + 8, 8);
		otlp_put_raw(&m->text, "\",\"parentSpanId\":\"");
		buf_add(&m->text, hex, 16);
	}
	otlp_put_raw(&m->text, "\"");
}

struct str otlp_make_call_name(struct arena *a, struct str id)
{
	char *text = arena_array(a, char, id.n + 6);

	memcpy(text, "call:", 5);
	if (id.n)
		memcpy(text + 5, id.p, id.n);
	return str_of(text, id.n + 5);
}

size_t otlp_make_range_add(struct otlp_make *m, struct str call, int64_t at)
{
	bool added;

	mem_grow(m->ranges, m->range_count, m->range_cap, 16);
	m->ranges[m->range_count++] = (struct otlp_range){ .from = at, .to = at };
	if (call.n)
		*map_add(&m->ranged, call, &added) = m->range_count;
	return m->range_count - 1;
}

struct otlp_range *otlp_make_range_of(struct otlp_make *m, struct str call)
{
	const uint64_t *at = call.n ? map_find(&m->ranged, call) : NULL;

	return at && *at ? &m->ranges[*at - 1] : NULL;
}

static void span_reach(int64_t *first, int64_t *last, int64_t from, int64_t to)
{
	if (*first <= 0 || from < *first)
		*first = from;
	if (to > *last)
		*last = to;
}

void otlp_make_widen(struct otlp_make *m, struct str call, int64_t from, int64_t to)
{
	struct otlp_range *around = otlp_make_range_of(m, call);

	if (from <= 0 || to < from)
		return;
	if (around && !around->done)
		span_reach(&around->from, &around->to, from, to);
	span_reach(&m->first, &m->last, from, to);
}

struct str otlp_make_parent(struct otlp_make *m, struct arena *a, struct str call, int64_t from, int64_t to,
			    bool *moved)
{
	const struct otlp_range *around = otlp_make_range_of(m, call);

	*moved = around && around->done && from > 0 && (from < around->from || to > around->to);
	return around && !*moved ? otlp_make_call_name(a, call) : STR("root");
}

void otlp_make_times(struct otlp_make *m, const char *kind, int64_t start, int64_t end)
{
	struct buf *out = &m->text;

	if (end < start)
		end = start;
	otlp_put_raw(out, ",\"kind\":");
	otlp_put_raw(out, kind);
	if (start > 0)
		buf_printf(out, ",\"startTimeUnixNano\":\"%lld\",\"endTimeUnixNano\":\"%lld\"", (long long)start,
			   (long long)end);
	otlp_put_raw(out, ",\"attributes\":[");
}

void otlp_make_name(struct otlp_make *m, const char *operation, struct str name)
{
	struct buf joined = { 0 };

	otlp_put_raw(&joined, operation);
	if (name.n) {
		buf_add_byte(&joined, ' ');
		buf_add_str(&joined, name);
	}
	otlp_put_raw(&m->text, ",\"name\":");
	text_quote(&m->text, buf_str(&joined));
	buf_free(&joined);
}

/* A time that is not that of the span. */
void otlp_make_other_time(struct otlp_make *m, const char *key, int64_t ns, int64_t span)
{
	if (ns > 0 && ns != span)
		otlp_put_count(&m->text, str_from(key), FIGURE((uint64_t)ns));
}

/* On every span: its place, its conversation, and what OpenInference calls it. */
void otlp_make_common(struct otlp_make *m, const char *operation, const char *kind, uint32_t seq)
{
	otlp_put_count(&m->text, STR("trackway.seq"), FIGURE(seq));
	otlp_put_text(&m->text, OTLP_RELEASED(OPERATION), str_from(operation));
	otlp_put_text(&m->text, OTLP_RELEASED(SPAN_KIND), str_from(kind));
	if (m->start)
		otlp_put_text(&m->text, OTLP_RELEASED(CONVERSATION), m->start->run);
}

struct str otlp_make_provider(const struct otlp_make *m, const struct event *step)
{
	const struct event *s = m->start;
	struct str operation = { NULL, 0 }, by_path = { NULL, 0 };
	struct otlp_server server = { .port = 0 };

	if (step && step->provider.n)
		return otlp_provider_word(step->provider);
	if (step && step->endpoint.n && otlp_server_split(step->endpoint, &server))
		otlp_operation_of(server.path, &operation, &by_path);
	else
		server.address = str_of(NULL, 0);
	if (!server.address.n && s && s->provider.n)
		return otlp_provider_word(s->provider);
	return otlp_provider_of(server.address, by_path, s ? s->vendor : str_of(NULL, 0));
}

void otlp_make_end(struct otlp_make *m, bool error, struct str message)
{
	if (error) {
		otlp_put_raw(&m->text, "],\"status\":{\"code\":2");
		if (message.n) {
			otlp_put_raw(&m->text, ",\"message\":");
			text_quote(&m->text, message);
		}
		otlp_put_raw(&m->text, "}}");
	} else {
		otlp_put_raw(&m->text, "]}");
	}
	m->span(m->context, buf_str(&m->text));
	buf_clear(&m->text);
}

void otlp_make_usage(struct otlp_make *m, const struct usage *u)
{
	otlp_put_count(&m->text, OTLP_RELEASED(INPUT), u->input);
	otlp_put_count(&m->text, OTLP_RELEASED(OUTPUT), u->output);
	otlp_put_count(&m->text, OTLP_RELEASED(CACHE_READ), u->cache_read);
	otlp_put_count(&m->text, OTLP_RELEASED(CACHE_WRITE), u->cache_write);
	otlp_put_count(&m->text, OTLP_RELEASED(REASONING), u->reasoning);
}
