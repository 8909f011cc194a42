#include "model/assemble.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "harness/test.h"

/* What came out, a line for each event. */
struct seen {
	struct buf text;
};

static void add_figure(struct buf *b, const char *name, struct figure f)
{
	if (f.state == FIGURE_KNOWN)
		buf_printf(b, " %s=%llu%s", name, (unsigned long long)f.n, f.source == FIGURE_ESTIMATED ? "~" : "");
	else if (f.state == FIGURE_NULL)
		buf_printf(b, " %s=null", name);
}

static void add_text(struct buf *b, const char *name, struct str s)
{
	if (s.p)
		buf_printf(b, " %s=%.*s", name, STR_ARG(s));
}

static bool put(void *context, const struct event *e, struct err *err)
{
	static const char *const kinds[] = { "start", "message", "step", "call", "result", "cost", "error", "note", "end" };
	static const char *const sources[] = { "none", "", "derived", "inherited" };
	struct buf *b = &((struct seen *)context)->text;

	(void)err;
	buf_printf(b, "%s", kinds[e->kind]);
	if (e->kind == EVENT_RUN_END)
		buf_printf(b, " status=%d", (int)e->status);
	add_text(b, "branch", e->branch);
	add_text(b, "step", e->step);
	add_text(b, "call", e->call);
	add_text(b, "parent", e->parent);
	add_text(b, "calls", e->calls);
	add_text(b, "text", e->text);
	add_text(b, "reasoning", e->reasoning);
	add_text(b, "stop", e->stop_reason);
	add_text(b, "role", e->role);
	add_text(b, "args", e->args);
	add_text(b, "content", e->content);
	add_text(b, "code", e->code);
	add_figure(b, "in", e->usage.input);
	add_figure(b, "out", e->usage.output);
	if (e->flags & EVENT_RAW_ARGS)
		buf_add_str(b, STR(" raw"));
	for (const struct extra *x = e->extras; x; x = x->next)
		buf_printf(b, " [%.*s %.*s]", STR_ARG(x->key), STR_ARG(x->json));
	if (e->ts.source != MOMENT_VENDOR)
		buf_printf(b, " %s", sources[e->ts.source]);
	CHECK(e->ts.text.n >= 24);
	buf_add_byte(b, '\n');
	return true;
}

struct fixture {
	struct seen seen;
	struct assemble *as;
	struct err err;
};

static void begin(struct fixture *f, unsigned flags, size_t hold)
{
	*f = (struct fixture){ .err = { .kind = ERR_NONE } };
	buf_init(&f->seen.text);
	f->as = assemble_open(put, &f->seen);
	assemble_use(f->as, (struct assemble_options){ .flags = flags, .vendor = STR("v"), .hold_limit = hold });
}

static void add(struct fixture *f, struct event e)
{
	if (e.kind != EVENT_CALL || e.index == 0)
		e.index = e.index ? e.index : -1;
	CHECK(assemble_add(f->as, &e, &f->err));
}

#define ADD(...) add(&f, (struct event){ __VA_ARGS__ })
#define T(literal) STR(literal)

static void end_as(struct fixture *f, const char *expected)
{
	CHECK(assemble_end(f->as, false, &f->err));
	CHECK_STR(buf_str(&f->seen.text), str_from(expected));
	assemble_close(f->as);
	buf_free(&f->seen.text);
}

static struct moment at(const char *text)
{
	struct moment m = { .text = str_from(text), .source = MOMENT_VENDOR };
	struct stamp s;

	CHECK(stamp_parse(m.text, &s) && stamp_ns(&s, &m.ns));
	return m;
}

TEST(lines_of_one_answer_are_one_step_and_the_largest_output_counts)
{
	struct fixture f;

	begin(&f, ASSEMBLE_STEP_COSTS, 0);
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m1"), .reasoning = T("hm"), .usage = { .input = FIGURE(10), .output = FIGURE(1) });
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m1"), .text = T("so"), .usage = { .input = FIGURE(10), .output = FIGURE(7) });
	ADD(.kind = EVENT_CALL, .step = T("m1"), .call = T("c1"), .tool = T("ls"), .args = T("{}"));
	ADD(.kind = EVENT_RESULT, .call = T("c1"), .content = T("\"a\""));
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m1"), .text = T(" on"), .stop_reason = T("tool_use"),
	    .usage = { .input = FIGURE(10), .output = FIGURE(5) });
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m2"), .text = T("done"));
	end_as(&f, "start none\n"
		   "step step=m1 calls=[\"c1\"] text=so on reasoning=hm stop=tool_use in=10 out=7 none\n"
		   "cost step=m1 in=10 out=7 none\n"
		   "call step=m1 call=c1 args={} none\n"
		   "result call=c1 content=\"a\" none\n"
		   "step step=m2 text=done none\n"
		   "end status=1 none\n");
}

TEST(a_late_piece_of_a_closed_answer_is_no_new_step)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m1"), .text = T("a"));
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m2"), .text = T("b"));
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m1"), .text = T("c"));
	end_as(&f, "start none\nstep step=m1 text=a none\nstep step=m2 text=b none\n"
		   "note step=m1 role=late_piece content=\"c\" none\nend status=1 none\n");
}

TEST(a_whole_answer_with_an_id_used_before_is_a_step_of_its_own)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .flags = EVENT_LAST, .step = T("x"), .text = T("a"));
	ADD(.kind = EVENT_STEP, .flags = EVENT_LAST, .step = T("x"), .text = T("b"));
	end_as(&f, "start none\nstep step=x text=a none\nstep step=x#2 text=b none\nend status=1 none\n");
}

TEST(fragments_of_arguments_are_joined_by_place_and_parsed_once)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("s"));
	ADD(.kind = EVENT_CALL, .flags = EVENT_PIECE, .call = T("c0"), .tool = T("a"), .args_text = T(""), .index = 10);
	ADD(.kind = EVENT_CALL, .flags = EVENT_PIECE, .call = T("c1"), .tool = T("b"), .args_text = T("{\"y\""), .index = 11);
	ADD(.kind = EVENT_CALL, .flags = EVENT_PIECE, .args_text = T(":[2,"), .index = 11);
	ADD(.kind = EVENT_CALL, .flags = EVENT_PIECE, .args_text = T("1.0]}"), .index = 11);
	ADD(.kind = EVENT_CALL, .flags = EVENT_PIECE, .call = T("c2"), .tool = T("c"), .args_text = T("{\"cut\":"), .index = 12);
	ADD(.kind = EVENT_CALL, .flags = EVENT_PIECE, .tool = T("d"), .args_text = T("9007199254740993"), .index = 13);
	end_as(&f, "start none\n"
		   "step step=s calls=[\"c0\",\"c1\",\"c2\",\"call_s_13\"] none\n"
		   "call step=s call=c0 args={} none\n"
		   "call step=s call=c1 args={\"y\":[2,1]} none\n"
		   "call step=s call=c2 args=\"{\\\"cut\\\":\" raw none\n"
		   "call step=s call=call_s_13 args=\"9007199254740993\" none\n"
		   "error call=c0 text=the call has no result code=no_result none\n"
		   "error call=c1 text=the call has no result code=no_result none\n"
		   "error call=c2 text=the call has no result code=no_result none\n"
		   "error call=call_s_13 text=the call has no result code=no_result none\n"
		   "end status=3 none\n");
}

TEST(calls_and_results_are_paired_by_id_or_by_place)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .flags = EVENT_LAST, .step = T("s"));
	ADD(.kind = EVENT_CALL, .call = T("a"), .args = T("1"));
	ADD(.kind = EVENT_CALL, .call = T("b"), .args = T("2"));
	ADD(.kind = EVENT_CALL, .args = T("3"));
	ADD(.kind = EVENT_RESULT, .call = T("b"), .content = T("20"));
	ADD(.kind = EVENT_RESULT, .content = T("10"));
	ADD(.kind = EVENT_RESULT, .content = T("30"));
	ADD(.kind = EVENT_RESULT, .content = T("40"));
	ADD(.kind = EVENT_RESULT, .call = T("b"), .content = T("21"));
	ADD(.kind = EVENT_RESULT, .flags = EVENT_HISTORY, .call = T("b"), .content = T("20"));
	ADD(.kind = EVENT_RESULT, .call = T("z"), .content = T("50"));
	end_as(&f, "start none\nstep step=s none\n"
		   "call step=s call=a args=1 none\ncall step=s call=b args=2 none\ncall step=s call=call_1 args=3 none\n"
		   "result call=b content=20 none\nresult call=a content=10 none\nresult call=call_1 content=30 none\n"
		   "error text=a result without a call code=orphan_result [trackway/1 {\"result\":40}] none\n"
		   "note role=second_result content=21 [trackway/1 {\"call_id\":\"b\"}] none\n"
		   "error text=a result without a call code=orphan_result [trackway/1 {\"call_id\":\"z\",\"result\":50}] none\n"
		   "end status=2 none\n");
}

TEST(an_id_that_is_used_again_gets_a_number)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .step = T("s1"));
	ADD(.kind = EVENT_CALL, .call = T("c"), .args = T("1"));
	ADD(.kind = EVENT_CALL, .call = T("c"), .args = T("1")); /* told again */
	ADD(.kind = EVENT_RESULT, .call = T("c"), .content = T("1"));
	ADD(.kind = EVENT_STEP, .step = T("s2"));
	ADD(.kind = EVENT_CALL, .call = T("c#2"), .args = T("0"));
	ADD(.kind = EVENT_CALL, .call = T("c"), .args = T("2"));
	ADD(.kind = EVENT_CALL, .flags = EVENT_HISTORY, .call = T("c"), .args = T("2"));
	ADD(.kind = EVENT_STEP, .branch = T("sub"), .parent = T("c"), .step = T("s3"));
	ADD(.kind = EVENT_RESULT, .call = T("c"), .content = T("2"));
	ADD(.kind = EVENT_RESULT, .call = T("c#2"), .content = T("0"));
	ADD(.kind = EVENT_NOTE, .parent = T("never"), .role = T("n"), .content = T("0"));
	end_as(&f, "start none\nstep step=s1 calls=[\"c\"] none\ncall step=s1 call=c args=1 none\nresult call=c content=1 none\n"
		   "step step=s2 calls=[\"c#2\",\"c#3\"] none\ncall step=s2 call=c#2 args=0 none\n"
		   "call step=s2 call=c#3 args=2 [trackway/1 {\"call_id\":\"c\"}] none\n"
		   "step branch=sub step=s3 parent=c#3 none\n"
		   "result call=c#3 content=2 none\nresult call=c#2 content=0 none\n"
		   "note role=n content=0 [trackway/1 {\"parent_call_id\":\"never\"}] none\n"
		   "end status=1 none\n");
}

TEST(branches_have_steps_of_their_own)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m"), .text = T("a"));
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .branch = T("x"), .step = T("k"), .text = T("p"));
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m"), .text = T("b"));
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .branch = T("x"), .step = T("k"), .text = T("q"));
	end_as(&f, "start none\nstep step=m text=ab none\nstep branch=x step=k text=pq none\nend status=1 none\n");
}

TEST(second_best_counts_only_when_nothing_better_comes)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE | EVENT_FALLBACK, .step = T("r"), .text = T("he"));
	ADD(.kind = EVENT_CALL, .flags = EVENT_PIECE | EVENT_FALLBACK, .call = T("c"), .args_text = T("{"), .index = 1);
	ADD(.kind = EVENT_STEP, .flags = EVENT_WHOLE, .step = T("r"), .text = T("hello"));
	ADD(.kind = EVENT_CALL, .call = T("c"), .args = T("{}"));
	ADD(.kind = EVENT_RESULT, .call = T("c"), .content = T("1"));
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE | EVENT_FALLBACK, .step = T("t"), .text = T("cu"));
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE | EVENT_FALLBACK, .step = T("t"), .text = T("t"));
	ADD(.kind = EVENT_STEP, .flags = EVENT_MARKER, .step = T("u"));
	end_as(&f, "start none\nstep step=r calls=[\"c\"] text=hello none\ncall step=r call=c args={} none\nresult call=c content=1 none\n"
		   "step step=t text=cut none\nnote step=u role=marker content=\"u\" none\nend status=1 none\n");
}

TEST(times_are_the_source_s_or_those_before_and_the_first_is_the_run_s)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_MESSAGE, .role = T("user"), .content = T("1"));
	ADD(.kind = EVENT_MESSAGE, .role = T("user"), .content = T("2"), .ts = at("2026-01-01T00:00:00.000Z"));
	ADD(.kind = EVENT_NOTE, .role = T("x"), .content = T("3"));
	end_as(&f, "start derived\nmessage role=user content=1 inherited\nmessage role=user content=2\n"
		   "note role=x content=3 inherited\nend status=1 inherited\n");
}

TEST(another_run_ends_the_one_before_and_the_last_end_counts)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_RUN_START, .run = T("a"));
	ADD(.kind = EVENT_RUN_END, .status = STATUS_ERROR, .reason = T("r"));
	ADD(.kind = EVENT_NOTE, .role = T("x"), .content = T("1"));
	ADD(.kind = EVENT_RUN_START, .run = T("a"));
	ADD(.kind = EVENT_RUN_START, .run = T("b"));
	ADD(.kind = EVENT_NOTE, .role = T("y"), .content = T("2"));
	end_as(&f, "start none\nnote role=x content=1 none\nend status=2 none\nstart none\nnote role=y content=2 none\nend status=1 none\n");
}

TEST(tools_that_are_offered_later_are_noted)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_RUN_START, .tools = T("[1]"), .ts = at("2026-01-01T00:00:00.000Z"));
	ADD(.kind = EVENT_NOTE, .role = T("x"), .content = T("1"));
	ADD(.kind = EVENT_RUN_START, .tools = T("[1]"));
	ADD(.kind = EVENT_RUN_START, .tools = T("[2]"));
	end_as(&f, "start\nnote role=x content=1 inherited\nnote role=run_start content=[2] inherited\nend status=1 inherited\n");
}

TEST(what_waits_is_bounded)
{
	struct fixture f;
	struct arena a;
	struct str big;

	arena_init(&a);
	big = arena_printf(&a, "\"%1000s\"", "x");
	begin(&f, 0, 20000);
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m"), .text = T("a"), .ts = at("2026-01-01T00:00:00.000Z"));
	for (int i = 0; i < 200; i++) {
		struct event note = { .kind = EVENT_NOTE, .role = T("x"), .content = big, .index = -1 };

		CHECK(assemble_add(f.as, &note, &f.err));
	}
	CHECK(f.seen.text.n > 150 * big.n); /* most of them are out already */
	ADD(.kind = EVENT_STEP, .flags = EVENT_PIECE, .step = T("m"), .text = T("late"));
	CHECK(assemble_end(f.as, false, &f.err));
	CHECK(str_find(buf_str(&f.seen.text), STR("late_piece")) != (size_t)-1);
	assemble_close(f.as);
	buf_free(&f.seen.text);
	arena_free(&a);
}

TEST(of_two_usages_the_larger_output_wins_and_nothing_known_is_lost)
{
	struct usage a = { .input = FIGURE(5), .output = FIGURE(9), .cache_read = FIGURE(3) };
	struct usage b = { .input = FIGURE(6), .output = FIGURE(2), .reasoning = FIGURE(1) };
	struct usage sum = { 0 };

	usage_merge(&b, &a);
	CHECK_INT(b.input.n, 5);
	CHECK_INT(b.output.n, 9);
	CHECK_INT(b.cache_read.n, 3);
	CHECK_INT(b.reasoning.n, 1);
	usage_add(&sum, &a);
	usage_add(&sum, &b);
	CHECK_INT(sum.input.n, 10);
	CHECK_INT(sum.cache_write.state, FIGURE_ABSENT);
}

TEST(a_number_on_a_step_is_never_one_that_is_taken)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .step = T("x"));
	ADD(.kind = EVENT_STEP, .step = T("x#2"));
	ADD(.kind = EVENT_STEP, .step = T("x"));
	ADD(.kind = EVENT_STEP, .step = T("x#2"));
	end_as(&f, "start none\n"
		   "step step=x none\n"
		   "step step=x#2 none\n"
		   "step step=x#3 none\n"
		   "step step=x#2#2 none\n"
		   "end status=1 none\n");
}

TEST(ids_are_numbered_whole)
{
	static const char long_id[] = "\0same\0beginning";
	struct fixture f;
	struct str id = str_of(long_id, sizeof(long_id));

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .step = T("1"));
	ADD(.kind = EVENT_CALL, .call = id, .tool = T("t"));
	ADD(.kind = EVENT_STEP, .step = T("2"));
	ADD(.kind = EVENT_CALL, .call = id, .tool = T("t"));
	CHECK(assemble_end(f.as, false, &f.err));
	CHECK(str_find(buf_str(&f.seen.text), STR("beginning\\u0000#2\"]")) != (size_t)-1);
	assemble_close(f.as);
	buf_free(&f.seen.text);
}

TEST(very_many_branches_cost_a_copy_now_and_then_and_not_each_time)
{
	struct fixture f;
	char name[32], text[200];

	begin(&f, 0, 1 << 20);
	memset(text, 'x', sizeof(text));
	for (int i = 0; i < 20000; i++) { /* a copy of a megabyte for each would take half a minute */
		struct str branch = str_of(name, (size_t)snprintf(name, sizeof(name), "b%d", i));

		ADD(.kind = EVENT_STEP, .branch = branch, .step = branch, .text = str_of(text, sizeof(text)));
	}
	CHECK(assemble_end(f.as, false, &f.err));
	CHECK(str_find(buf_str(&f.seen.text), STR("step=b19999 ")) != (size_t)-1);
	assemble_close(f.as);
	buf_free(&f.seen.text);
}

TEST(extras_of_very_many_pieces_are_merged_and_the_last_wins)
{
	struct fixture f;
	char json[64];

	begin(&f, ASSEMBLE_EXT_MERGE, 0);
	for (int i = 0; i < 11; i++) {
		struct extra x = { .key = T("k/1"), .json = str_of(json, (size_t)snprintf(json, sizeof(json),
			"{\"a%d\":%d,\"last\":%d}", i % 3, i, i)) };

		ADD(.kind = EVENT_STEP, .step = T("s"), .flags = EVENT_PIECE, .extras = &x);
		ADD(.kind = EVENT_CALL, .step = T("s"), .call = T("c"), .flags = EVENT_PIECE, .extras = &x);
	}
	end_as(&f, "start none\n"
		   "step step=s calls=[\"c\"] [k/1 {\"a0\":9,\"a1\":10,\"a2\":8,\"last\":10}] none\n"
		   "call step=s call=c args={} [k/1 {\"a0\":9,\"a1\":10,\"a2\":8,\"last\":10}] none\n"
		   "error call=c text=the call has no result code=no_result none\n"
		   "end status=3 none\n");
}

TEST(a_log_that_breaks_off_within_a_line_was_interrupted_unless_it_told_its_end)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .step = T("m1"), .text = T("so"));
	ADD(.kind = EVENT_ERROR, .code = T("unreadable_line"), .flags = EVENT_PARTIAL);
	end_as(&f, "start none\nstep step=m1 text=so none\nerror code=unreadable_line none\nend status=3 none\n");
	begin(&f, 0, 0);
	ADD(.kind = EVENT_RUN_END, .status = STATUS_SUCCESS);
	ADD(.kind = EVENT_ERROR, .code = T("unreadable_line"), .flags = EVENT_PARTIAL);
	end_as(&f, "start none\nerror code=unreadable_line none\nend status=1 none\n");
}

TEST(a_log_whose_last_answer_breaks_off_was_interrupted)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .step = T("m1"), .text = T("so"), .flags = EVENT_PARTIAL);
	end_as(&f, "start none\nstep step=m1 text=so none\nend status=3 none\n");
	begin(&f, 0, 0); /* it was asked again, and answered */
	ADD(.kind = EVENT_STEP, .step = T("m1"), .text = T("so"), .flags = EVENT_PARTIAL);
	ADD(.kind = EVENT_STEP, .step = T("m2"), .text = T("so it is"));
	end_as(&f, "start none\nstep step=m1 text=so none\nstep step=m2 text=so it is none\nend status=1 none\n");
	begin(&f, 0, 0); /* it says why */
	ADD(.kind = EVENT_STEP, .step = T("m1"), .text = T("so"), .flags = EVENT_PARTIAL);
	ADD(.kind = EVENT_ERROR, .code = T("overloaded"));
	end_as(&f, "start none\nstep step=m1 text=so none\nerror code=overloaded none\nend status=2 none\n");
}

TEST(what_a_step_cost_stands_behind_it_and_before_its_calls)
{
	struct fixture f;

	begin(&f, 0, 0);
	ADD(.kind = EVENT_STEP, .step = T("m1"), .text = T("so"));
	ADD(.kind = EVENT_CALL, .step = T("m1"), .call = T("c1"), .tool = T("ls"), .args = T("{}"));
	ADD(.kind = EVENT_COST, .step = T("m1"), .scope = T("step"), .usage = { .input = FIGURE(3) });
	ADD(.kind = EVENT_COST, .step = T("m1"), .scope = T("step"), .usage = { .input = FIGURE(4) });
	ADD(.kind = EVENT_COST, .scope = T("run"), .usage = { .input = FIGURE(7) });
	ADD(.kind = EVENT_RESULT, .call = T("c1"), .content = T("1"));
	end_as(&f, "start none\n"
		   "step step=m1 calls=[\"c1\"] text=so none\n"
		   "cost step=m1 in=3 none\n"
		   "call step=m1 call=c1 args={} none\n"
		   "cost step=m1 in=4 none\n"
		   "cost in=7 none\n"
		   "result call=c1 content=1 none\n"
		   "end status=1 none\n");
}
