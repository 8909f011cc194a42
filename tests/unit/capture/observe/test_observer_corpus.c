/* Real transcripts of streams, each with the request it answered: equal figures, however it is cut. */
#include <zlib.h>

#include "harness/test.h"
#include "json/json.h"
#include "model/words.h"
#include "unit/capture/observer_feed.h"

#define CORPUS "corpora/04-sse/dev/transcripts"

static struct str read_packed(const char *path)
{
	gzFile file = gzopen(path, "rb");
	struct buf all;
	char piece[65536], *text;
	int n;

	buf_init(&all);
	CHECK(file != NULL);
	while ((n = gzread(file, piece, sizeof(piece))) > 0)
		buf_add(&all, piece, (size_t)n);
	gzclose(file);
	text = test_alloc(all.n);
	memcpy(text, all.p, all.n);
	n = (int)all.n;
	buf_free(&all);
	return str_of(text, (size_t)n);
}

static struct str text_of(struct arena *a, struct val v, const char *name)
{
	struct val member = val_get(v, str_from(name));

	return val_is(member, JSON_STRING) ? arena_copy(a, val_text(member, a)) : str_of(NULL, 0);
}

/* The line of a file's exchange. */
static struct str find_line(struct str lines, struct str file)
{
	while (lines.n) {
		struct str line = str_cut(lines, '\n', &lines);

		if (str_find(str_of(line.p, line.n < 200 ? line.n : 200), file) != (size_t)-1)
			return line;
	}
	return str_of(NULL, 0);
}

static uint64_t count_of(struct val usage, const char *name)
{
	int64_t n = 0;

	return val_i64(val_get(usage, str_from(name)), &n) && n > 0 ? (uint64_t)n : 0;
}

static bool wants_usage(struct str api, struct val usage, uint64_t *input, uint64_t *output)
{
	if (!val_is(usage, JSON_OBJECT))
		return false;
	if (str_starts(api, STR("anthropic"))) {
		*input = count_of(usage, "input_tokens") + count_of(usage, "cache_read_input_tokens") +
			 count_of(usage, "cache_creation_input_tokens");
		*output = count_of(usage, "output_tokens");
		return !val_is_none(val_get(usage, STR("input_tokens")));
	}
	if (str_eq(api, STR("openai-responses"))) {
		*input = count_of(usage, "input_tokens");
		*output = count_of(usage, "output_tokens");
	} else if (str_eq(api, STR("gemini"))) {
		*input = count_of(usage, "promptTokenCount") + count_of(usage, "toolUsePromptTokenCount");
		*output = count_of(usage, "candidatesTokenCount") + count_of(usage, "thoughtsTokenCount");
	} else {
		*input = count_of(usage, "prompt_tokens");
		*output = count_of(usage, "completion_tokens");
	}
	return true;
}

/* With its server, where it has one. */
static bool has_call(const struct observation *s, struct str name)
{
	for (size_t i = 0; i < s->call_count; i++)
		if (str_ends(s->calls[i].name, name))
			return true;
	return false;
}

static bool holds(struct str text, const char *word)
{
	return str_find(text, str_from(word)) != (size_t)-1;
}

struct sum {
	size_t files, usage, finish, calls, odd;
};

static void complain(struct sum *sum, struct str file, const char *what, struct str text)
{
	sum->odd++;
	test_case("%.*s: %s: %.*s", STR_ARG(file), what, STR_ARG(text));
}

static void compare_stop(struct arena *a, struct sum *sum, struct val row, const struct observation *s,
			 struct str text, struct str answer)
{
	struct val_iter finish = val_begin(val_get(row, STR("finish")));
	const char *want;
	struct val v;

	if (!val_next(&finish, &v) || !val_is(v, JSON_STRING))
		return;
	sum->finish++;
	want = words_stop_reason(val_text(v, a));
	if (want && strcmp(want, "end_turn") == 0 && s->call_count)
		want = "tool_use";
	/* a stream may say why it stopped, and then that it failed */
	if (s->failed && holds(answer, "\"error\":{"))
		want = "error";
	if (want && (!s->stop_reason || strcmp(want, s->stop_reason) != 0))
		complain(sum, text_of(a, row, "file"), "stop", text);
}

static void compare(struct arena *a, struct sum *sum, struct val row, const struct observation *s, struct str text,
		    struct str answer)
{
	struct str api = text_of(a, row, "api"), file = text_of(a, row, "file");
	struct val_iter calls = val_begin(val_get(row, STR("tool_calls")));
	uint64_t input = 0, output = 0;
	struct val v;

	sum->files++;
	if (wants_usage(api, val_get(row, STR("usage")), &input, &output)) {
		sum->usage++;
		/* reasoning that the service counts beside the output joins it, and so do rounds before a compaction */
		if (!holds(answer, "\"compaction\"") && (s->usage.input.n != input || s->usage.output.n < output))
			complain(sum, file, "usage", text);
	}
	compare_stop(a, sum, row, s, text, answer);
	while (val_next(&calls, &v)) {
		sum->calls++;
		/* calls that the service answers itself are nobody's to wait for */
		if (holds(answer, "server_tool_use") || holds(answer, "mcp_tool_use"))
			continue;
		if (!has_call(s, text_of(a, v, "name")))
			complain(sum, file, "calls", text);
	}
	if (val_is(val_get(row, STR("terminated")), JSON_TRUE) && s->partial)
		complain(sum, file, "partial", text);
}

static bool is_ours(struct str api)
{
	return str_starts(api, STR("openai-chat")) || str_starts(api, STR("openai-completions")) ||
	       str_starts(api, STR("openai-responses")) || str_starts(api, STR("anthropic")) ||
	       str_starts(api, STR("gemini"));
}

static const char *usual_path(struct str api)
{
	if (str_starts(api, STR("anthropic")))
		return "/v1/messages";
	return str_eq(api, STR("openai-responses")) ? "/v1/responses" : "/v1/chat/completions";
}

static struct feed feed_of(struct arena *a, struct str api, struct val exchange, struct str answer)
{
	struct str uri = text_of(a, exchange, "uri"), rest;
	size_t at = uri.p ? str_find(uri, STR("://")) : (size_t)-1;
	const char *slash = at == (size_t)-1 ? NULL : memchr(uri.p + at + 3, '/', uri.n - at - 3);
	struct feed f = { .path = usual_path(api), .type = "text/event-stream", .answer = answer };

	if (slash) {
		struct str path = str_of(slash, (size_t)(uri.p + uri.n - slash));

		path = str_cut(str_cut(path, '#', &rest), '?', &rest);
		/* some went through a service that hides where */
		if (!str_starts(api, STR("openai-responses")) || str_ends(path, STR("responses")))
			f.path = arena_copy(a, path).p;
	}
	f.body = text_of(a, exchange, "request_body");
	if (!f.body.p)
		f.body = STR("{\"model\":\"unknown\",\"stream\":true,\"messages\":[]}");
	return f;
}

TEST(transcripts_of_real_services_give_the_figures_that_were_written_down_for_them)
{
	static const char expect[] = CORPUS "/EXPECT.jsonl";
	struct str rows = test_read(test_shared(expect));
	struct str exchanges = read_packed(test_shared(CORPUS "/EXCHANGES.jsonl.gz"));
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct json_parser *q = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct observers *l = observers_open(&test_room);
	struct sum sum = { .files = 0 };
	struct buf text, cut;
	struct arena a;

	buf_init(&text);
	buf_init(&cut);
	arena_init(&a);
	while (rows.n) {
		struct str row = str_cut(rows, '\n', &rows), api, file;
		struct val v, x = VAL_NONE;
		struct observer *k;
		struct feed f;

		arena_reset(&a);
		CHECK(json_parse_copy(p, row, &v, NULL));
		api = text_of(&a, v, "api");
		file = text_of(&a, v, "file");
		if (!is_ours(api))
			continue;
		CHECK(json_parse_copy(q, find_line(exchanges, file), &x, NULL));
		f = feed_of(&a, api, x, test_read(arena_printf(&a, "%s/%.*s", test_shared("corpora/04-sse/dev"), STR_ARG(file)).p));
		f.coarse = true;
		k = feed_run(l, &f);
		feed_text(&text, observer_seen(k));
		compare(&a, &sum, v, observer_seen(k), buf_str(&text), f.answer);
		observer_close(k);
		f.coarse = false;
		f.piece = 0;
		k = feed_run(l, &f);
		feed_text(&text, observer_seen(k));
		observer_close(k);
		f.piece = 1 + sum.files % 7;
		k = feed_run(l, &f);
		test_case("%.*s in pieces of %zu", STR_ARG(file), f.piece);
		CHECK_STR(feed_text(&cut, observer_seen(k)), buf_str(&text));
		observer_close(k);
	}
	test_case("%zu files, %zu with usage, %zu with a reason, %zu calls", sum.files, sum.usage, sum.finish, sum.calls);
	CHECK_INT(sum.odd, 0);
	CHECK(sum.files > 300 && sum.usage > 200 && sum.calls > 50);
	observers_close(l);
	json_parser_close(p);
	json_parser_close(q);
	buf_free(&text);
	buf_free(&cut);
	arena_free(&a);
}
