/* OpenAI's Responses. Every event has its number; reasoning is an item with a summary. */
#include "provider/mock_talk.h"

static bool is_cut_short(const struct mock_talk *t)
{
	enum mock_finish f = mock_talk_finish(t);

	return f == MOCK_LENGTH || f == MOCK_FILTER;
}

static const char *status_word(const struct mock_talk *t, bool full)
{
	return !full ? "in_progress" : is_cut_short(t) ? "incomplete" : "completed";
}

/* What an item of each kind has inside, and what the events about that are called. */
static const struct inside {
	const char *id;                         /* how the item's id begins */
	const char *part;                       /* template of its one part; NULL: it has no parts */
	const char *part_added, *part_done;     /* events; NULL without parts */
	const char *index;                      /* the part's number, with its comma */
	const char *delta_event, *delta;        /* event, and a template for the piece */
	const char *done_event, *done;          /* event, and a template for the text and the name of a call */
} insides[] = {
	[MOCK_REASONING] = { "rs_", "{'type':'summary_text','text':%s}", "response.reasoning_summary_part.added",
			     "response.reasoning_summary_part.done", ",'summary_index':0",
			     "response.reasoning_summary_text.delta", ",'delta':%s",
			     "response.reasoning_summary_text.done", ",'text':%s" },
	[MOCK_TEXT] = { "msg_", "{'type':'output_text','annotations':[],'logprobs':[],'text':%s}",
			"response.content_part.added", "response.content_part.done", ",'content_index':0",
			"response.output_text.delta", ",'delta':%s,'logprobs':[]", "response.output_text.done",
			",'text':%s,'logprobs':[]" },
	[MOCK_CALL] = { "fc_", NULL, NULL, NULL, "", "response.function_call_arguments.delta", ",'delta':%s",
			"response.function_call_arguments.done", ",'arguments':%s,'name':%s" },
};

/* The input of a custom tool is text, and comes under names of its own. */
static const struct inside custom_inside = { "ctc_", NULL, NULL, NULL, "", "response.custom_tool_call_input.delta",
					     ",'delta':%s", "response.custom_tool_call_input.done", ",'input':%s" };

static const struct inside *inside_of(const struct mock_item *i)
{
	return i->call && i->call->custom ? &custom_inside : &insides[i->kind];
}

/* An item, complete or as it begins. */
static void responses_add_item(struct buf *out, const struct mock_talk *t, const struct mock_item *i, bool full)
{
	const struct inside *in = inside_of(i);

	if (i->kind == MOCK_CALL) {
		mock_json_add(out,
			      i->call->custom ? "{'id':%i,'type':'custom_tool_call','status':%w,'call_id':%i,"
						"'name':%s,'input':%s}"
					      : "{'id':%i,'type':'function_call','status':%w,'call_id':%i,"
						"'name':%s,'arguments':%s}",
			      in->id, t->id, i->place, full ? "completed" : "in_progress", "call_", t->id, i->index,
			      i->call->name, full ? i->whole : STR(""));
		return;
	}
	if (i->kind == MOCK_REASONING)
		mock_json_add(out, "{'id':%i,'type':'reasoning','summary':[", in->id, t->id, i->place);
	else
		mock_json_add(out, "{'id':%i,'type':'message','status':%w,'role':'assistant','content':[", in->id,
			      t->id, i->place, status_word(t, full));
	if (full)
		mock_json_add(out, in->part, i->whole);
	mock_json_add(out, "]}");
}

static void responses_add_output(struct buf *out, const struct mock_talk *t)
{
	for (size_t i = 0; i < mock_talk_items(t); i++) {
		struct mock_item item = mock_talk_item(t, i);

		mock_json_add(out, i ? "," : "");
		responses_add_item(out, t, &item, true);
	}
}

/* What a request asked for is not repeated: these are the defaults. */
#define RESPONSES_SETTINGS \
	"'instructions':null,'max_output_tokens':null,'metadata':{},'parallel_tool_calls':true," \
	"'previous_response_id':null,'reasoning':{'effort':null,'summary':null},'store':false,'temperature':1," \
	"'text':{'format':{'type':'text'}},'tool_choice':'auto','tools':[],'top_p':1,'truncation':'disabled'," \
	"'user':null"

#define RESPONSES_USAGE \
	"{'input_tokens':%u,'input_tokens_details':{'cached_tokens':%u,'cache_write_tokens':%u}," \
	"'output_tokens':%u,'output_tokens_details':{'reasoning_tokens':%u},'total_tokens':%u}}"

/* The response object; not `full`, as the first events have it: without output and usage. */
static void responses_add_response(struct buf *out, const struct mock_talk *t, bool full)
{
	const struct mock_usage *u = &t->usage;

	mock_json_add(out,
		      "{'id':%i,'object':'response','created_at':" MOCK_CREATED ",'status':%w,'error':null,"
		      "'incomplete_details':",
		      "resp_", t->id, (uint64_t)0, status_word(t, full));
	if (full && is_cut_short(t))
		mock_json_add(out, "{'reason':%w}",
			      mock_talk_finish(t) == MOCK_LENGTH ? "max_output_tokens" : "content_filter");
	else
		mock_json_add(out, "null");
	mock_json_add(out, ",'model':%s,'output':[", t->model);
	if (full)
		responses_add_output(out, t);
	mock_json_add(out, "]," RESPONSES_SETTINGS ",'usage':");
	if (full)
		mock_json_add(out, RESPONSES_USAGE, u->input, u->cache_read, u->cache_write, u->output, u->reasoning,
			      u->input + u->output);
	else
		mock_json_add(out, "null}");
}

/* ---- a stream ---- */

static void responses_begin_event(struct buf *out, const struct mock_talk *t, const char *type)
{
	mock_event_begin(out, type);
	mock_json_add(out, "{'type':%w,'sequence_number':%u", type, t->events);
}

static void responses_end_event(struct buf *out, struct mock_talk *t)
{
	buf_add_byte(out, '}');
	mock_event_end(out, t);
}

static void responses_add_response_event(struct buf *out, struct mock_talk *t, const char *type, bool full)
{
	responses_begin_event(out, t, type);
	mock_json_add(out, ",'response':");
	responses_add_response(out, t, full);
	responses_end_event(out, t);
}

static void responses_add_item_event(struct buf *out, struct mock_talk *t, const struct mock_item *i,
				     const char *type, bool full)
{
	responses_begin_event(out, t, type);
	mock_json_add(out, ",'output_index':%u,'item':", i->place);
	responses_add_item(out, t, i, full);
	responses_end_event(out, t);
}

/* An event about the inside of an item: a template of the table, filled with the text and the name of a call. */
static void responses_add_inside(struct buf *out, struct mock_talk *t, const struct mock_item *i, const char *type,
				 const char *template, struct str text)
{
	const struct inside *in = inside_of(i);

	responses_begin_event(out, t, type);
	mock_json_add(out, ",'item_id':%i,'output_index':%u", in->id, t->id, i->place, i->place);
	mock_json_add(out, in->index);
	if (template == in->part)
		mock_json_add(out, ",'part':");
	mock_json_add(out, template, text, i->call ? i->call->name : STR(""));
	responses_end_event(out, t);
}

/* Every item is told three times over: its parts as they come, each whole when it ends, all again at the end. */
static void responses_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	const struct mock_item *i = &s->item;
	const struct inside *in = inside_of(i);

	switch (s->kind) {
	case MOCK_OPEN:
		responses_add_response_event(out, t, "response.created", false);
		responses_add_response_event(out, t, "response.in_progress", false);
		break;
	case MOCK_BEGIN:
		responses_add_item_event(out, t, i, "response.output_item.added", false);
		if (in->part)
			responses_add_inside(out, t, i, in->part_added, in->part, STR(""));
		break;
	case MOCK_PIECE:
		responses_add_inside(out, t, i, in->delta_event, in->delta, s->piece);
		break;
	case MOCK_END:
		responses_add_inside(out, t, i, in->done_event, in->done, i->whole);
		if (in->part)
			responses_add_inside(out, t, i, in->part_done, in->part, i->whole);
		responses_add_item_event(out, t, i, "response.output_item.done", true);
		break;
	case MOCK_CLOSE:
		responses_add_response_event(out, t, is_cut_short(t) ? "response.incomplete" : "response.completed",
					     true);
		break;
	}
}

static void responses_whole(struct buf *out, struct mock_talk *t)
{
	responses_add_response(out, t, true);
}

const struct mock_shape mock_openai_responses = { MOCK_EVENTS, .step = responses_step, .whole = responses_whole };
