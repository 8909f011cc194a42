/* OpenAI's chat completions. Reasoning has the name that DeepSeek and vLLM gave it: reasoning_content. */
#include "provider/mock_talk.h"

static const char *const chat_finish_words[] = { "stop", "length", "tool_calls", "content_filter" };

#define CHAT_HEAD(object) \
	"{'id':%i,'object':'" object "','created':" MOCK_CREATED ",'model':%s,'system_fingerprint':'fp_mock'," \
	"'choices':["

#define CHAT_USAGE \
	",'usage':{'prompt_tokens':%u,'completion_tokens':%u,'total_tokens':%u," \
	"'prompt_tokens_details':{'cached_tokens':%u,'audio_tokens':0}," \
	"'completion_tokens_details':{'reasoning_tokens':%u,'audio_tokens':0," \
	"'accepted_prediction_tokens':0,'rejected_prediction_tokens':0}}}"

#define CHAT_CALL "'id':%i,'type':'function','function':{'name':%s,'arguments':%s}}"
#define CHAT_CUSTOM "'id':%i,'type':'custom','custom':{'name':%s,'input':%s}}"

static void chat_add_usage(struct buf *out, const struct mock_usage *u)
{
	mock_json_add(out, CHAT_USAGE, u->input, u->output, u->input + u->output, u->cache_read, u->reasoning);
}

/* The text of a whole answer, or "" for one that a stream brings; null beside calls alone. */
static struct str chat_content(const struct mock_talk *t, struct str text)
{
	return t->reply.text.n || t->reply.call_count == 0 ? text : str_of(NULL, 0);
}

/* ---- a stream ---- */

/* One chunk: `delta` is a template of the members that are new in it. All but the last have a null for usage. */
static void chat_add_delta(struct buf *out, struct mock_talk *t, struct str finish, const char *delta, ...)
{
	va_list args;

	mock_json_add(out, "data: " CHAT_HEAD("chat.completion.chunk") "{'index':0,'delta':{", "chatcmpl-", t->id,
		      (uint64_t)0, t->model);
	va_start(args, delta);
	mock_json_add_args(out, delta, args);
	va_end(args);
	mock_json_add(out, "},'logprobs':null,'finish_reason':%s}]%j}", finish,
		      t->include_usage ? STR(",\"usage\":null") : STR(""));
	mock_event_end(out, t);
}

static void chat_add_close(struct buf *out, struct mock_talk *t)
{
	chat_add_delta(out, t, mock_talk_finish_word(t, chat_finish_words), "");
	if (t->include_usage) {
		mock_json_add(out, "data: " CHAT_HEAD("chat.completion.chunk") "]", "chatcmpl-", t->id, (uint64_t)0,
			      t->model);
		chat_add_usage(out, &t->usage);
		mock_event_end(out, t);
	}
	buf_add_str(out, STR("data: [DONE]"));
	mock_event_end(out, t);
}

/* The first delta of a call has its id and name, all others have pieces of its arguments. */
static void chat_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	const struct mock_item *i = &s->item;
	struct str none = { NULL, 0 };

	if (s->kind == MOCK_OPEN)
		chat_add_delta(out, t, none, "'role':'assistant','content':%s,'refusal':null",
			       chat_content(t, STR("")));
	else if (s->kind == MOCK_CLOSE)
		chat_add_close(out, t);
	else if (s->kind == MOCK_BEGIN && i->kind == MOCK_CALL)
		chat_add_delta(out, t, none, i->call->custom ? "'tool_calls':[{'index':%u," CHAT_CUSTOM "]"
							     : "'tool_calls':[{'index':%u," CHAT_CALL "]",
			       i->index, "call_", t->id, i->index, i->call->name, s->piece);
	else if (s->kind == MOCK_PIECE && i->kind == MOCK_CALL)
		chat_add_delta(out, t, none,
			       i->call->custom ? "'tool_calls':[{'index':%u,'custom':{'input':%s}}]"
					       : "'tool_calls':[{'index':%u,'function':{'arguments':%s}}]",
			       i->index, s->piece);
	else if (s->kind == MOCK_PIECE)
		chat_add_delta(out, t, none, i->kind == MOCK_REASONING ? "'reasoning_content':%s" : "'content':%s",
			       s->piece);
}

/* ---- whole ---- */

static void chat_whole(struct buf *out, struct mock_talk *t)
{
	mock_json_add(out, CHAT_HEAD("chat.completion") "{'index':0,'message':{'role':'assistant','content':%s",
		      "chatcmpl-", t->id, (uint64_t)0, t->model, chat_content(t, t->reply.text));
	if (t->reply.reasoning.n)
		mock_json_add(out, ",'reasoning_content':%s", t->reply.reasoning);
	mock_json_add(out, ",'refusal':null");
	for (uint64_t i = 0; i < t->reply.call_count; i++) {
		const struct mock_call *call = &t->reply.calls[i];

		mock_json_add(out, i ? ",{" : ",'tool_calls':[{");
		mock_json_add(out, call->custom ? CHAT_CUSTOM : CHAT_CALL, "call_", t->id, i, call->name,
			      call->arguments);
	}
	mock_json_add(out, "%j},'logprobs':null,'finish_reason':%s}]", t->reply.call_count ? STR("]") : STR(""),
		      mock_talk_finish_word(t, chat_finish_words));
	chat_add_usage(out, &t->usage);
}

const struct mock_shape mock_openai_chat = { MOCK_EVENTS, .step = chat_step, .whole = chat_whole };
