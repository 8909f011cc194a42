/* Cohere's chat, version 2. What is said beside calls is the plan for them, and no content. */
#include "provider/mock_talk.h"

#define COHERE_USAGE \
	"'usage':{'billed_units':{'input_tokens':%u,'output_tokens':%u}," \
	"'tokens':{'input_tokens':%u,'output_tokens':%u}}"
#define COHERE_CALL "{'id':%i,'type':'function','function':{'name':%s,'arguments':%s}}"

static struct str cohere_finish(const struct mock_talk *t)
{
	static const char *const words[] = { "COMPLETE", "MAX_TOKENS", "TOOL_CALL", "ERROR" };

	return mock_talk_finish_word(t, words);
}

static void cohere_add_usage(struct buf *out, const struct mock_usage *u)
{
	mock_json_add(out, COHERE_USAGE, u->input, u->output, u->input, u->output);
}

static bool is_plan(const struct mock_talk *t, const struct mock_item *i)
{
	return i->kind == MOCK_TEXT && t->reply.call_count > 0;
}

/* ---- a stream ---- */

/* The events of an item, each a template for its index and a text; NULL: it has none. */
static const struct told {
	const char *begin_event, *begin, *piece_event, *piece, *end_event;
} tolds[] = {
	[MOCK_REASONING] = { "content-start", "'content':{'type':'thinking','thinking':''}", "content-delta",
			     "'content':{'thinking':%s}", "content-end" },
	[MOCK_TEXT] = { "content-start", "'content':{'type':'text','text':''}", "content-delta",
			"'content':{'text':%s}", "content-end" },
	[MOCK_CALL] = { "tool-call-start", NULL, "tool-call-delta", "'tool_calls':{'function':{'arguments':%s}}",
			"tool-call-end" },
};
static const struct told plan = { NULL, NULL, "tool-plan-delta", "'tool_plan':%s", NULL };

static void cohere_add_item(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	const struct mock_item *i = &s->item;
	const struct told *told = is_plan(t, i) ? &plan : &tolds[i->kind];
	const char *name = s->kind == MOCK_BEGIN ? told->begin_event
			   : s->kind == MOCK_PIECE ? told->piece_event : told->end_event;

	if (!name)
		return;
	mock_event_begin(out, name);
	mock_json_add(out, "{'type':%w,'index':%u", name, i->kind == MOCK_CALL ? i->index : i->place);
	if (s->kind != MOCK_END) {
		mock_json_add(out, ",'delta':{'message':{");
		if (s->kind == MOCK_BEGIN && i->call)
			mock_json_add(out, "'tool_calls':" COHERE_CALL, "call_", t->id, i->index, i->call->name,
				      STR(""));
		else
			mock_json_add(out, s->kind == MOCK_BEGIN ? told->begin : told->piece, s->piece);
		mock_json_add(out, "}}");
	}
	buf_add_byte(out, '}');
	mock_event_end(out, t);
}

static void cohere_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	if (s->kind == MOCK_OPEN) {
		mock_event_begin(out, "message-start");
		mock_json_add(out,
			      "{'id':%i,'type':'message-start','delta':{'message':{'role':'assistant','content':[],"
			      "'tool_plan':'','tool_calls':[],'citations':[]}}}",
			      "", t->id, (uint64_t)0);
		mock_event_end(out, t);
	} else if (s->kind == MOCK_CLOSE) {
		mock_event_begin(out, "message-end");
		mock_json_add(out, "{'type':'message-end','delta':{'finish_reason':%s,", cohere_finish(t));
		cohere_add_usage(out, &t->usage);
		mock_json_add(out, "}}");
		mock_event_end(out, t);
	} else {
		cohere_add_item(out, t, s);
	}
}

/* ---- whole ---- */

static void cohere_add_calls(struct buf *out, const struct mock_talk *t)
{
	for (uint64_t i = 0; i < t->reply.call_count; i++) {
		mock_json_add(out, i ? "," : ",'tool_calls':[");
		mock_json_add(out, COHERE_CALL, "call_", t->id, i, t->reply.calls[i].name, t->reply.calls[i].arguments);
	}
	mock_json_add(out, t->reply.call_count ? "]" : "");
}

static void cohere_whole(struct buf *out, struct mock_talk *t)
{
	bool has_plan = t->reply.call_count > 0 && t->reply.text.n > 0, text = t->reply.call_count == 0;

	mock_json_add(out, "{'id':%i,'message':{'role':'assistant'", "", t->id, (uint64_t)0);
	if (has_plan)
		mock_json_add(out, ",'tool_plan':%s", t->reply.text);
	cohere_add_calls(out, t);
	mock_json_add(out, ",'content':[");
	if (t->reply.reasoning.n)
		mock_json_add(out, "{'type':'thinking','thinking':%s}%j", t->reply.reasoning,
			      text ? STR(",") : STR(""));
	if (text)
		mock_json_add(out, "{'type':'text','text':%s}", t->reply.text);
	mock_json_add(out, "]},'finish_reason':%s,", cohere_finish(t));
	cohere_add_usage(out, &t->usage);
	buf_add_byte(out, '}');
}

const struct mock_shape mock_cohere = { MOCK_EVENTS, .step = cohere_step, .whole = cohere_whole };
