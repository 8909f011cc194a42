/*
 * Gemini's generateContent: server-sent events with alt=sse, else a list of the same objects. A call comes in one
 * piece, when it begins, and has no id, as at the service. Tokens of thoughts are not among those of candidates.
 */
#include "provider/mock_talk.h"

#define GEMINI_HEAD "{'candidates':[{'content':{'role':'model','parts':["

/* The end of the content, and of the object; `whole` has the figures and the reason of the end. */
static void gemini_add_end(struct buf *out, const struct mock_talk *t, bool whole)
{
	static const char *const words[] = { "STOP", "MAX_TOKENS", "STOP", "SAFETY" };
	const struct mock_usage *u = &t->usage;

	mock_json_add(out, "]}");
	if (whole)
		mock_json_add(out, ",'finishReason':%s", mock_talk_finish_word(t, words));
	mock_json_add(out, ",'index':0}],'usageMetadata':{'promptTokenCount':%u", u->input);
	if (whole)
		mock_json_add(out, ",'candidatesTokenCount':%u,'thoughtsTokenCount':%u,'cachedContentTokenCount':%u",
			      u->output - u->reasoning, u->reasoning, u->cache_read);
	mock_json_add(out, ",'totalTokenCount':%u},'modelVersion':%s,'responseId':%i}",
		      u->input + (whole ? u->output : 0), t->model, "", t->id, (uint64_t)0);
}

static void gemini_add_part(struct buf *out, const struct mock_item *i, struct str text)
{
	static const char *const parts[] = {
		[MOCK_REASONING] = "{'text':%s,'thought':true}",
		[MOCK_TEXT] = "{'text':%s}",
	};

	if (i->kind == MOCK_CALL)
		mock_json_add(out, "{'functionCall':{'name':%s,'args':%j}}", i->call->name, i->call->object);
	else
		mock_json_add(out, parts[i->kind], text);
}

/* One object of a stream behind what stands before it; the last one has an empty text. False: none is due. */
static bool gemini_add_step(struct buf *out, const struct mock_talk *t, const struct mock_step *s, const char *before)
{
	bool call = s->kind == MOCK_BEGIN && s->item.kind == MOCK_CALL;
	bool piece = s->kind == MOCK_PIECE && s->item.kind != MOCK_CALL;

	if (!call && !piece && s->kind != MOCK_CLOSE)
		return false;
	buf_add(out, before, strlen(before));
	mock_json_add(out, GEMINI_HEAD);
	if (s->kind == MOCK_CLOSE)
		mock_json_add(out, "{'text':''}");
	else
		gemini_add_part(out, &s->item, s->piece);
	gemini_add_end(out, t, s->kind == MOCK_CLOSE);
	return true;
}

static void gemini_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	if (gemini_add_step(out, t, s, "data: "))
		mock_event_end(out, t);
}

/* Each object ends its line, so that a cut is found there. */
static void gemini_step_list(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	if (!gemini_add_step(out, t, s, t->events ? "," : "["))
		return;
	mock_json_add(out, s->kind == MOCK_CLOSE ? "]\n" : "\n");
	t->events++;
}

static void gemini_whole(struct buf *out, struct mock_talk *t)
{
	mock_json_add(out, GEMINI_HEAD);
	for (size_t i = 0; i < mock_talk_items(t); i++) {
		struct mock_item item = mock_talk_item(t, i);

		mock_json_add(out, i ? "," : "");
		gemini_add_part(out, &item, item.whole);
	}
	gemini_add_end(out, t, true);
}

const struct mock_shape mock_gemini = { MOCK_EVENTS, .whole_calls = true, .step = gemini_step, .whole = gemini_whole };
const struct mock_shape mock_gemini_list = { MOCK_LIST, .whole_calls = true, .step = gemini_step_list,
					     .whole = gemini_whole };
