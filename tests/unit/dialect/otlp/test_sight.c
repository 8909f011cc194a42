/* Whole requests: the corpora, real files of three instrumentations, order, and what is refused or rejected. */
#include "unit/dialect/otlp_sight_feed.h"

static enum otlp_signal signal_of(struct val expect)
{
	struct val signal = val_get(expect, STR("signal"));

	return val_text_is(signal, STR("resourceLogs")) ? OTLP_LOGS :
	       val_text_is(signal, STR("resourceMetrics")) ? OTLP_METRICS : OTLP_TRACES;
}

/* A file of lines is a request each. */
static uint64_t spans_of(enum otlp_signal signal, struct str text, bool lines, bool *ok)
{
	uint64_t spans = 0;

	*ok = true;
	while (text.n) {
		struct str rest, one = lines ? str_cut(text, '\n', &rest) : text;
		struct sight_result r = sight_feed(signal, true, one);

		*ok = *ok && r.ok;
		spans += r.taken.spans;
		text = lines ? rest : str_of(NULL, 0);
	}
	return spans;
}

TEST(payloads_of_the_corpora_are_taken_as_they_expect)
{
	struct str expect = test_read(test_shared("corpora/07-otlp/dev/EXPECT.jsonl"));
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	size_t files = 0;

	while (expect.n) {
		struct str line = str_cut(expect, '\n', &expect), file, text;
		struct val row;
		int64_t spans = 0;
		bool ok, lines;

		CHECK(json_parse_copy(p, line, &row, NULL));
		file = val_get_text(row, STR("file"), &otlp_arena);
		test_case("%.*s", STR_ARG(file));
		text = test_read(test_shared(arena_printf(&otlp_arena, "corpora/07-otlp/dev/%.*s", STR_ARG(file)).p));
		lines = str_ends(file, STR(".jsonl"));
		val_i64(val_get(row, STR("spans")), &spans);
		CHECK_INT(spans_of(signal_of(row), text, lines, &ok), spans);
		CHECK(ok == val_is(val_get(row, STR("ok")), JSON_TRUE));
		files++;
		if (!lines && ok) {
			struct str stem = str_of(file.p + 9, file.n - 14);
			struct sight_result j = sight_feed(signal_of(row), true, text), b;

			b = sight_feed(signal_of(row), false, test_read(test_shared(arena_printf(&otlp_arena,
				       "corpora/07-otlp/dev/payloads_pb/%.*s.pb", STR_ARG(stem)).p)));
			CHECK(b.ok);
			CHECK_STR(b.lines, j.lines);
			CHECK_INT(b.taken.spans + b.taken.logs + b.taken.points, j.taken.spans + j.taken.logs + j.taken.points);
			CHECK_INT(b.taken.rejected, j.taken.rejected);
			CHECK(b.taken.spans + b.taken.logs + b.taken.points > 0);
		}
	}
	CHECK(files >= 34);
	json_parser_close(p);
}

struct sums {
	int64_t models, tools, input, output, calls;
};

static void add_sums(void *context, const struct sighting *s)
{
	struct sums *sums = context;

	sums->models += s->kind == SIGHT_MODEL;
	sums->tools += s->kind == SIGHT_TOOL_END;
	sums->input += s->kind == SIGHT_MODEL ? s->input : 0;
	sums->output += s->kind == SIGHT_MODEL ? s->output : 0;
	sums->calls += (int64_t)s->call_count;
}

TEST(real_instrumentations_give_the_calls_and_tokens_that_the_client_counted)
{
	static const struct {
		const char *name;
		int64_t tools, calls;
	} files[] = { { "llm", 0, 2 }, { "oi-agents", 1, 1 }, { "pyd", 1, 1 } };
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });

	for (size_t i = 0; i < COUNT(files); i++) {
		struct str text = test_read(test_shared(
			arena_printf(&otlp_arena, "fresh/otlp-real/%s.json", files[i].name).p));
		struct str truth = test_read(test_shared(
			arena_printf(&otlp_arena, "fresh/otlp-real/%s.truth.json", files[i].name).p));
		struct otlp_sighter *o = otlp_sighter_open();
		struct otlp_taken taken;
		struct sums sums = { 0 };
		struct otlp_sights to = { add_sums, &sums };
		struct err err;
		struct val v;
		int64_t n;

		test_case("%s", files[i].name);
		CHECK(otlp_sighter_read(o, OTLP_TRACES, true, sight_feed_pad(text), &to, &taken, &err));
		CHECK(json_parse_copy(p, truth, &v, NULL));
		CHECK(val_i64(val_get(v, STR("steps")), &n));
		CHECK_INT(sums.models, n);
		CHECK(val_i64(val_get(v, STR("in")), &n));
		CHECK_INT(sums.input, n);
		CHECK(val_i64(val_get(v, STR("out")), &n));
		CHECK_INT(sums.output, n);
		CHECK_INT(sums.tools, files[i].tools);
		CHECK_INT(sums.calls, files[i].calls);
		sight_lines(OTLP_TRACES, arena_copy(&otlp_arena, text).p);
		otlp_sighter_close(o);
	}
	json_parser_close(p);
}

/* The spans of one scope stand before those of another, whenever they ended; of two that end at once, the inner first. */
TEST(spans_are_told_in_the_order_in_which_they_ended)
{
	struct str lines = sight_lines(OTLP_TRACES, "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":["
				       OTLP_SPAN("1", "0", "root", "01", "09", "") ","
				       OTLP_SPAN("2", "1", "agent", "02", "08", "") "]},{\"spans\":["
				       OTLP_SPAN("3", "2", "late", "05", "08", "") ","
				       OTLP_SPAN("4", "2", "early", "03", "04", "") ","
				       OTLP_SPAN("5", "2", "early too", "03", "04", "") "]}]}]}");
	static const char order[] = "45321";

	for (size_t i = 0; order[i]; i++) {
		char id[] = "\"span\":\"?\"";

		id[8] = order[i];
		id[9] = '\0';
		CHECK(str_has(str_cut(lines, '\n', &lines), str_from(id)));
	}
}

/* A reader is used for many requests; one that is broken leaves nothing behind. */
TEST(a_reader_is_used_again_after_a_request_that_was_refused)
{
	static const char fine[] = OTLP_DOCUMENT(OTLP_SPAN("1", "2", "chat", "01", "02", OTLP_CHAT(10, 5)));
	struct str whole = sight_as_proto(OTLP_TRACES, str_from(fine)), wanted = sight_lines(OTLP_TRACES, fine);
	struct otlp_sighter *o = otlp_sighter_open();

	for (size_t i = 0; i < 3; i++) {
		struct buf lines = { 0 };
		struct otlp_sights to = { sight_feed_see, &lines };
		struct otlp_taken taken;
		struct err err;

		CHECK(!otlp_sighter_read(o, OTLP_TRACES, false, sight_feed_pad(str_of(whole.p, whole.n - 1)), &to, &taken, &err));
		CHECK_INT(taken.spans + lines.n, 0);
		CHECK(otlp_sighter_read(o, OTLP_TRACES, false, whole, &to, &taken, &err));
		CHECK_INT(taken.spans, 1);
		CHECK_STR(buf_str(&lines), wanted);
		buf_free(&lines);
	}
	otlp_sighter_close(o);
	otlp_sighter_close(NULL);
}
