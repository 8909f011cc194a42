/*
 * A run of exchanges made of bytes: whatever is asked, answered, repeated, given up and left open, in any order and at any
 * time, the trace is valid in strict mode without a warning: no cycle, no unknown parent, sums that agree.
 */
#include <string.h>

#include "capture/graph/run_graph.h"
#include "fuzz.h"
#include "trackway.h"

#define BEGUN INT64_C(1750000000000000000)
#define MOST 4096 /* bytes, of which a step takes a few */
#define OPEN 8
#define LIST 8

static const char *const names[] = { "read_file", "mcp__a__b", "Task", "unknown", "web search", "x(y)" };
static const char *const ids[] = { "call_1", "call_2", "call_3", "toolu_1" };
static const char *const agents[] = { "a1", "a2", "a3" };
static const char *const stops[] = { NULL, "tool_use", "end_turn", "length" };

struct bytes {
	const uint8_t *p;
	size_t n;
};

static unsigned take(struct bytes *b, unsigned limit)
{
	unsigned v = b->n ? *b->p : 0;

	if (b->n) {
		b->p++;
		b->n--;
	}
	return v % limit;
}

static struct str pick(struct bytes *b, const char *const *words, unsigned count, unsigned none)
{
	unsigned i = take(b, count + none);

	return i < count ? str_from(words[i]) : str_of(NULL, 0);
}

struct exchange {
	struct observation s;
	struct observation_message messages[LIST];
	struct observation_result results[LIST];
	struct observation_call calls[LIST];
	bool open;
};

static void ask(struct exchange *x, struct bytes *b, uint64_t number, int64_t now)
{
	unsigned count = take(b, LIST);

	*x = (struct exchange){ .open = true };
	x->s = (struct observation){
		.number = number,
		.kind = OBSERVED_MODEL,
		.api = "openai-chat",
		.provider = "openai",
		.endpoint = STR("https://h/v1"),
		.model = STR("gpt-4o"),
		.framework = STR("raw_openai"),
		.begun_ns = now,
		.sent_ns = now + 10,
	};
	x->s.agent = pick(b, agents, 3, 9);
	x->s.parent_agent = pick(b, agents, 3, 5);
	x->s.previous = pick(b, ids, 4, 40);
	x->s.digest = 1 + take(b, 6);
	x->s.messages = x->messages;
	x->s.results = x->results;
	x->s.calls = x->calls;
	for (unsigned i = 0; i < count; i++) {
		unsigned v = take(b, 16);

		x->messages[x->s.message_count++] =
			(struct observation_message){ .mark = v, .role = (enum observation_role)(v % 4) };
		if (v % 4 == OBSERVED_RESULT)
			x->results[x->s.result_count++] = (struct observation_result){
				.call = pick(b, ids, 4, 2), .tool = pick(b, names, 6, 3), .size = FIGURE(v), .kind = "text", .message = i,
			};
	}
}

static void answer(struct exchange *x, struct bytes *b, int64_t now)
{
	unsigned count = take(b, 5), flags = take(b, 64);

	x->s.failed = flags % 4 == 1;
	x->s.partial = flags / 4 % 4 == 1;
	x->s.how = (enum proxy_end)(flags / 16);
	x->s.stop_reason = x->s.failed ? "error" : stops[flags % 4];
	x->s.byte_ns = flags & 1 ? now : 0;
	x->s.token_ns = flags & 2 ? now - 5 : 0;
	x->s.ended_ns = now;
	x->s.usage.input = FIGURE((uint64_t)flags << (flags % 60));
	x->s.usage.output = FIGURE(flags);
	x->s.cut = count == 4;
	x->s.answer = pick(b, ids, 4, 3);
	for (unsigned i = 0; i < count; i++)
		x->calls[x->s.call_count++] =
			(struct observation_call){ .call = pick(b, ids, 4, 2), .name = pick(b, names, 6, 1) };
	for (size_t i = 0; i < x->s.call_count; i++)
		if (!x->calls[i].name.p)
			x->calls[i].name = STR("unknown");
}

static void add_line(void *context, struct str line)
{
	buf_add_str(context, line);
}

static void check(struct str lines)
{
	struct tw_validate_options o = { .size = sizeof(o), .format = "agent-trace", .mode = TW_STRICT };
	struct tw_report *r = tw_validate_memory(lines.p, lines.n, "agent-trace.jsonl", &o);

	for (size_t i = 0; i < tw_report_finding_count(r); i++)
		fprintf(stderr, "%s: %s\n%.*s\n", tw_report_finding(r, i)->code, tw_report_finding(r, i)->message, (int)lines.n, lines.p);
	FUZZ_CHECK(tw_report_verdict(r) == TW_VALID && tw_report_finding_count(r) == 0);
	tw_report_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t random[10] = { 1 };
	struct exchange all[OPEN];
	struct bytes b = { data, size };
	struct buf lines;
	struct run_graph_options o = { .trace = id_uuid7(1750000000000, random),
				       .line = add_line,
				       .context = &lines };
	uint64_t number = 0;
	int64_t now = BEGUN;
	struct run_graph *w;
	struct str summary;

	if (size > MOST)
		return 0;
	memset(all, 0, sizeof(all));
	buf_init(&lines);
	o.plain = take(&b, 2);
	w = run_graph_open(&o, BEGUN);
	while (b.n) {
		struct exchange *x = &all[take(&b, OPEN)];
		unsigned step = take(&b, 16);

		/* times go back now and then */
		now += ((int64_t)take(&b, 256) - 32) * 1000000;
		if (step == 0) {
			run_graph_gap(w, step % 3 ? now : 0);
		} else if (!x->open) {
			ask(x, &b, ++number, now);
			run_graph_request(w, &x->s);
		} else {
			answer(x, &b, now);
			run_graph_answer(w, &x->s);
			x->open = false;
		}
	}
	run_graph_finish(w, "success", str_of(NULL, 0), now, &summary);
	FUZZ_CHECK(summary.n > 0);
	check(buf_str(&lines));
	run_graph_close(w);
	buf_free(&lines);
	return 0;
}
