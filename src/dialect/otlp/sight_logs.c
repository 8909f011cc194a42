/*
 * Log records that Claude Code and Codex send of themselves. A record is written when something is over and says how
 * long it took. Decisions about permissions have no begin, so they give nothing.
 *
 * Claude Code 2.1.197: event.name without, the body with "claude_code." in front; numbers may be texts. Codex 0.169:
 * event.name with "codex." in front. An answer of Codex is over with codex.sse_event of the kind response.completed,
 * which has the tokens; the request before it says when it began.
 */
#include "dialect/agent_trace/clean.h"
#include "dialect/otlp/sight_private.h"
#include "dialect/record/field.h"

enum logs_what { LOGS_INPUT, LOGS_TOOL, LOGS_CLAUDE_MODEL, LOGS_CLAUDE_ERROR, LOGS_CODEX_ASKED, LOGS_CODEX_ANSWER };

static const struct logs_row {
	struct str name;
	enum logs_what what;
} logs_rows[] = {
	{ WORD("claude_code.user_prompt"), LOGS_INPUT },
	{ WORD("claude_code.tool_result"), LOGS_TOOL },
	{ WORD("claude_code.api_request"), LOGS_CLAUDE_MODEL },
	{ WORD("claude_code.api_error"), LOGS_CLAUDE_ERROR },
	{ WORD("codex.user_prompt"), LOGS_INPUT },
	{ WORD("codex.tool_result"), LOGS_TOOL },
	{ WORD("codex.api_request"), LOGS_CODEX_ASKED },
	{ WORD("codex.websocket_request"), LOGS_CODEX_ASKED },
	{ WORD("codex.sse_event"), LOGS_CODEX_ANSWER },
};

/* The name of the record's event, of its attribute, or its body. */
static const struct logs_row *logs_find(struct str name)
{
	for (size_t i = 0; i < COUNT(logs_rows) && name.n; i++)
		if (str_eq(name, logs_rows[i].name))
			return &logs_rows[i];
	return NULL;
}

static const struct logs_row *logs_row_of(const struct otlp_sighter *o, const struct sight_item *item,
					  const struct sight_slots *slots)
{
	const struct logs_row *row = logs_find(item->name);
	const struct sight_node *body = item->body == SIGHT_NONE ? NULL : &o->nodes[item->body];

	if (!row)
		row = logs_find(sight_slot_text(slots, SIGHT_EVENT));
	if (!row && body && body->type == SIGHT_V_TEXT)
		row = logs_find(body->u.text);
	return row;
}

/* It took so long until now. */
static void logs_times(const struct sight_slots *slots, struct sighting *s)
{
	int64_t took = sight_slot_ms(slots, SIGHT_DURATION_MS);

	if (took >= 0 && s->ended_ns >= took)
		s->begun_ns = s->ended_ns - took;
}

static void logs_tool(struct otlp_sighter *o, const struct sight_slots *slots, struct sighting *s)
{
	const struct sight_node *result = slots->of[SIGHT_OWN_RESULT];

	logs_times(slots, s);
	s->kind = SIGHT_TOOL_END;
	s->name = sight_clean(o, SIGHT_CLEAN_TOOL, sight_slot_text(slots, SIGHT_OWN_TOOL));
	s->call = clean_id(sight_slot_text(slots, SIGHT_OWN_CALL));
	s->server = sight_clean(o, SIGHT_CLEAN_TOOL, sight_slot_text(slots, SIGHT_OWN_SERVER));
	s->failed = sight_slot_is(slots, SIGHT_SUCCESS, false);
	s->size = sight_slot_count(slots, SIGHT_OWN_SIZE);
	if (s->size < 0 && result && result->type == SIGHT_V_TEXT)
		s->size = (int64_t)result->u.text.n;
}

static void logs_model(struct otlp_sighter *o, const struct sight_slots *slots, struct sighting *s)
{
	s->kind = SIGHT_MODEL;
	s->model = sight_clean(o, SIGHT_CLEAN_MODEL, sight_slot_text(slots, SIGHT_OWN_MODEL));
	s->input = sight_slot_count(slots, SIGHT_OWN_INPUT);
	s->output = sight_slot_count(slots, SIGHT_OWN_OUTPUT);
	s->cache_read = sight_slot_count(slots, SIGHT_OWN_CACHE_READ);
	s->cache_write = sight_slot_count(slots, SIGHT_OWN_CACHE_WRITE);
	s->reasoning = sight_slot_count(slots, SIGHT_OWN_REASONING);
	s->ttft_ns = sight_slot_ms(slots, SIGHT_OWN_TTFT_MS);
}

/* The parts are told apart, as the service does. The request's id is what its span has in place of the answer's. */
static void logs_claude_model(struct otlp_sighter *o, const struct sight_slots *slots, struct sighting *s)
{
	logs_model(o, slots, s);
	logs_times(slots, s);
	if (s->input >= 0)
		s->input += (s->cache_read > 0 ? s->cache_read : 0) + (s->cache_write > 0 ? s->cache_write : 0);
	s->usd = sight_slot_double(slots, SIGHT_OWN_USD);
	s->provider = STR("anthropic");
	s->response_id = clean_id(sight_slot_text(slots, SIGHT_OWN_REQUEST));
}

/* The request of the session that is not answered; another session's may have taken its place. */
static struct sight_asked *logs_asked(struct otlp_sighter *o, const struct sight_slots *slots, uint64_t *session)
{
	*session = str_hash(sight_slot_text(slots, SIGHT_SESSION)) | 1;
	return &o->kept.asked[*session / 2 % COUNT(o->kept.asked)];
}

/* A request whose answer comes in another record. One that was refused has none. */
static bool logs_codex_asked(struct otlp_sighter *o, const struct sight_slots *slots, struct sighting *s)
{
	uint64_t session;

	logs_times(slots, s);
	if (!sight_slot_is(slots, SIGHT_SUCCESS, false) && !slots->of[SIGHT_OWN_ERROR]) {
		struct sight_asked *asked = logs_asked(o, slots, &session);

		*asked = (struct sight_asked){ session, s->begun_ns };
		return false;
	}
	logs_model(o, slots, s);
	s->provider = STR("openai");
	s->failed = true;
	return true;
}

static bool logs_codex_answer(struct otlp_sighter *o, const struct sight_slots *slots, struct sighting *s)
{
	struct str kind = sight_slot_text(slots, SIGHT_EVENT_KIND);
	bool failed = str_eq(kind, STR("response.failed"));
	struct sight_asked *asked;
	uint64_t session;

	if (!failed && !(str_eq(kind, STR("response.completed")) && sight_slot_count(slots, SIGHT_OWN_INPUT) > 0))
		return false; /* one event of many, or a connection that was only opened early: it has no tokens */
	asked = logs_asked(o, slots, &session);
	if (asked->session == session && asked->begun_ns <= s->ended_ns) {
		s->begun_ns = asked->begun_ns;
		asked->session = 0;
	}
	logs_model(o, slots, s);
	s->provider = STR("openai");
	s->stream = true;
	s->failed = failed;
	return true;
}

/* False: it gives nothing. */
static bool logs_read(struct otlp_sighter *o, const struct sight_slots *slots, enum logs_what what, struct sighting *s)
{
	switch (what) {
	case LOGS_INPUT:
		s->kind = SIGHT_INPUT;
		s->begun_ns = s->ended_ns;
		s->ended_ns = -1;
		return s->begun_ns >= 0;
	case LOGS_TOOL:
		logs_tool(o, slots, s);
		return true;
	case LOGS_CLAUDE_MODEL:
	case LOGS_CLAUDE_ERROR:
		logs_claude_model(o, slots, s);
		s->failed = what == LOGS_CLAUDE_ERROR;
		return true;
	case LOGS_CODEX_ASKED:
		return logs_codex_asked(o, slots, s);
	default:
		return logs_codex_answer(o, slots, s);
	}
}

void sight_map_log(struct otlp_sighter *o, const struct sight_item *item, const struct otlp_sights *to)
{
	struct sighting s = sighting_of(SIGHT_SPAN, SIGHT_OTLP);
	const struct logs_row *row;
	struct sight_slots slots;

	arena_reset(&o->scratch);
	sight_slots_fill(o, item, &slots);
	row = logs_row_of(o, item, &slots);
	if (!row)
		return;
	s.ended_ns = item->end && item->end <= INT64_MAX ? (int64_t)item->end : -1;
	sight_map_context(o, item, &slots, &s);
	s.parent_span = s.span; /* the record was written inside it */
	s.span = str_of(NULL, 0);
	if (str_starts(row->name, STR("claude_code.")))
		s.framework = STR("claude_code");
	if (logs_read(o, &slots, row->what, &s))
		to->see(to->context, &s);
}
