/* What a stream says when it fails: it reads the piece at hand again and adds its own place to the issue. */
#include <assert.h>

#include "json/stream_private.h"

struct str stream_make_pointer(struct json_stream *s, enum stream_about about)
{
	s->pointer.n = s->depth ? stream_top(s)->pointer_end : 0;
	if (about == ABOUT_MEMBER && s->depth) {
		if (stream_top(s)->object)
			issue_pointer_add_name(&s->pointer, s->raw_name);
		else
			issue_pointer_add_index(&s->pointer, stream_top(s)->commas);
	}
	return buf_str(&s->pointer);
}

void stream_begin_failing(struct json_stream *s, enum stream_fault fault, size_t ahead)
{
	assert(s->state != FAILING && s->state != FAILED); /* the first fault is the one told */
	s->failed_at = s->state;
	s->fault = fault;
	s->ahead = ahead;
	s->state = FAILING;
}

/* The pointer of the issue is added to that of the container or member. */
void stream_fail(struct json_stream *s, enum stream_about about)
{
	struct issue_mark m = { .line = s->place.line, .column = s->place.column };

	issue_mark_move(&m, buf_str(&s->hold), s->issue.offset);
	s->issue.line = m.line;
	s->issue.column = m.column;
	s->issue.offset += s->place.offset;
	stream_make_pointer(s, about);
	buf_add_str(&s->pointer, s->issue.pointer);
	s->issue.pointer = arena_copy(&s->arena, buf_str(&s->pointer));
	s->state = FAILED;
}

static enum issue_inside stream_fault_inside(struct json_stream *s)
{
	return s->depth == 0 ? ISSUE_DOCUMENT : stream_top(s)->object ? ISSUE_OBJECT : ISSUE_ARRAY;
}

static uint64_t commas(struct json_stream *s)
{
	return s->depth ? stream_top(s)->commas : 0;
}

/* Something at `at` in s->hold that cannot stand there in state `where`. */
static void diagnose_place(struct json_stream *s, enum stream_state where, size_t at)
{
	struct str text = buf_str(&s->hold);
	enum stream_about about = ABOUT_CONTAINER;
	enum json_code code = JSON_E_SYNTAX;
	const char *expected = issue_expected_next(stream_fault_inside(s));

	if (where == AT_NAME || (where == AT_FIRST && stream_is_in_object(s))) {
		expected = issue_expected_name(commas(s));
	} else if (where == AT_VALUE || where == AT_FIRST) {
		expected = issue_expected_value(stream_fault_inside(s), commas(s));
		about = ABOUT_MEMBER;
	} else if (where == AT_COLON) {
		expected = ISSUE_EXPECTED_COLON;
		about = ABOUT_MEMBER;
	} else if (s->depth == 0) {
		code = JSON_E_TRAILING;
	}
	if (s->place.offset == 0 && text.n == 0)
		issue_empty(&s->issue);
	else
		issue_unexpected(&s->issue, text, at, code, expected);
	stream_fail(s, about);
}

/* The limit alone is at fault: nothing wrong was found in what was kept. */
static void diagnose_long(struct json_stream *s)
{
	bool name = s->failed_at == IN_NAME;

	s->issue = (struct json_issue){ .code = JSON_E_LIMIT };
	issue_say(&s->issue, "the %s is longer than %zu bytes, the limit for one in a stream",
		  name ? "name" : "value", s->options.value_max);
	stream_fail(s, name ? ABOUT_CONTAINER : ABOUT_MEMBER);
}

/* What the plain parser says about the name or value in s->hold, of which the end may be missing. */
static void diagnose_token(struct json_stream *s)
{
	struct json_shapes shapes;
	struct slow_tape tape;
	bool good, name = s->failed_at == IN_NAME;
	struct slow slow = {
		.text = buf_str(&s->hold),
		.options = s->inner,
		.expected = issue_expected_value(stream_fault_inside(s), commas(s)),
		.tape = &tape,
		.shapes = &shapes,
		.arena = &s->arena,
		.mark = { .line = s->place.line, .column = s->place.column },
	};

	shapes_init(&shapes);
	slow_tape_init(&tape);
	good = name ? slow_parse_name(&slow) : slow_parse(&slow, 0);
	if (good)
		slow.issue.offset = slow.end;
	shapes_free(&shapes);
	slow_tape_free(&tape);
	s->issue = slow.issue;
	/* near the cut, what looks wrong may only be cut off */
	if (s->fault == FAULT_LONG && slow.issue.offset + ISSUE_AHEAD > s->hold.n) {
		diagnose_long(s);
		return;
	}
	if (good) {
		diagnose_place(s, AT_NEXT, slow.end);
		return;
	}
	if (s->issue.code == JSON_E_DEPTH)
		issue_depth(&s->issue, s->issue.offset, s->max_depth);
	stream_fail(s, name ? ABOUT_CONTAINER : ABOUT_MEMBER);
}

void stream_diagnose(struct json_stream *s)
{
	if (s->fault == FAULT_PLACE)
		diagnose_place(s, s->failed_at, 0);
	else
		diagnose_token(s);
}
