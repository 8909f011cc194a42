/*
 * A run of exchanges made of bytes: whatever is asked, answered, repeated, given up and left open, and whatever other layers
 * saw of it, in any order and at any time, the trace is valid in strict mode without a warning: no cycle, no unknown parent, sums that agree.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/amend.h"
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

static const char *const spans[] = { "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc", "dddddddddddddddd" };

/* Something that another layer saw: any kind, any layer, most of it unknown. */
static void see(struct run_graph *w, struct bytes *b, int64_t now)
{
	struct sighting s = sighting_of(take(b, SIGHT_KINDS), take(b, SIGHT_LAYERS));
	struct str call = pick(b, ids, 4, 2), other = pick(b, ids, 4, 2);
	unsigned flags = take(b, 256);

	s.call = s.response_id = call;
	s.name = pick(b, names, 6, 1);
	s.agent = pick(b, agents, 3, 6);
	s.command = pick(b, spans, 4, 1);
	s.parent_command = pick(b, spans, 4, 4);
	s.span = pick(b, spans, 4, 2);
	s.parent_span = pick(b, spans, 4, 2);
	s.trace = s.span.p ? STR("0af7651916cd43dd8448eb211c80319c") : s.trace;
	s.begun_ns = flags & 1 ? now - (int64_t)take(b, 256) * 1000000 : -1;
	s.ended_ns = flags & 2 || s.begun_ns < 0 ? now - 500000 : -1;
	s.wall_ns = flags & 4 ? (int64_t)take(b, 64) * 1000000 : -1;
	s.cpu_ns = flags & 8 ? (int64_t)take(b, 64) * 1000000 : -1;
	s.size = flags & 16 ? (int64_t)take(b, 256) : -1;
	s.partial = flags & 32;
	s.failed = flags & 64;
	s.input = s.output = flags & 128 ? (int64_t)take(b, 64) : -1;
	if (other.p) {
		s.calls = s.results = &other;
		s.call_count = flags & 1;
		s.result_count = flags >> 1 & 1;
	}
	run_graph_see(w, &s);
}

/* As the recorder does it, in a file. */
static void amend(void *context, const struct amendments *a)
{
	static char path[] = "/tmp/fuzz-run-graph-XXXXXX";
	static int dir = -1;
	struct buf *lines = context;
	struct line_file file;
	struct err err;
	ssize_t n;
	int fd;

	if (dir < 0)
		dir = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY) : -1;
	FUZZ_CHECK(dir >= 0 && line_file_open(&file, dir, "agent-trace.jsonl", 0600, &err));
	line_file_add(&file, buf_str(lines));
	FUZZ_CHECK(line_file_flush(&file) && amend_trace(&file, a, &err));
	line_file_close(&file);
	buf_clear(lines);
	fd = openat(dir, "agent-trace.jsonl", O_RDONLY);
	while ((n = read(fd, buf_reserve(lines, 65536), 65536)) > 0)
		lines->n += (size_t)n;
	close(fd);
	unlinkat(dir, "agent-trace.jsonl", 0);
	close(dir);
	rmdir(path);
	dir = -1;
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
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
				       .amend = amend,
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
		} else if (step < 6) {
			see(w, &b, now);
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
