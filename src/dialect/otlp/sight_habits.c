/*
 * What instrumentations do that the names of their attributes do not tell.
 *
 * OpenInference has the id of an answer only in its dump of that, and the model of a call that failed only among the
 * parameters of the request. Logfire ends the span of a stream when the stream begins; a log without a length tells of
 * the rest when it is over. The OpenAI Agents SDK gives hand-offs, which the model asks for as calls of a tool, a span
 * with a name of its own.
 */
#include "dialect/otlp/sight_private.h"
#include "dialect/record/field.h"

/* ---- OpenInference ---- */

/* The id that a dump begins with: {"id":"chatcmpl-1". */
static struct str habit_dumped_id(struct otlp_sighter *o, struct str dump)
{
	static const struct str words[] = { WORD("{"), WORD("\"id\""), WORD(":"), WORD("\"") };
	struct str rest;

	for (size_t i = 0; i < COUNT(words); i++) {
		dump = str_trim(dump);
		if (!str_starts(dump, words[i]))
			return str_of(NULL, 0);
		dump = str_skip(dump, words[i].n);
	}
	return sight_clean(o, SIGHT_CLEAN_ID, str_cut(dump, '"', &rest));
}

static void habit_dumps(struct otlp_sighter *o, const struct sight_slots *slots, struct sighting *s)
{
	struct val model;

	if (!s->response_id.n)
		s->response_id = habit_dumped_id(o, sight_slot_text(slots, OTLP_TOOL_RESULT));
	if (s->model.n)
		return;
	model = val_get(sight_slot_json(o, slots, SIGHT_PARAMETERS), STR("model"));
	if (val_is(model, JSON_STRING))
		s->model = sight_clean(o, SIGHT_CLEAN_MODEL, val_text_copy(model, &o->scratch));
}

/* ---- Logfire ---- */

static void habit_stream(const struct sight_slots *slots, struct sighting *s)
{
	double seconds = sight_slot_double(slots, SIGHT_SECONDS);

	if (str_eq(sight_slot_text(slots, SIGHT_SPAN_TYPE), STR("log")) && seconds >= 0 && seconds < 1e6) {
		s->begun_ns = s->ended_ns - (int64_t)(seconds * 1e9);
		s->stream = true;
	} else if (!s->failed && !s->response_id.n && s->input < 0 && s->output < 0 &&
		   str_eq(sight_slot_text(slots, OTLP_OPERATION), STR("chat"))) {
		s->kind = SIGHT_SPAN;
	}
}

/* ---- the Agents SDK ---- */

/* As the SDK makes the tool's name of the agent's. */
static struct str habit_handoff(struct otlp_sighter *o, struct str agent)
{
	struct str name = ARENA_JOIN(&o->scratch, STR("transfer_to_"), agent);
	char *p = arena_array(&o->scratch, char, name.n);

	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] | 0x20) : name.p[i];

		p[i] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
	}
	return sight_clean(o, SIGHT_CLEAN_TOOL, str_of(p, name.n));
}

/* ---- all ---- */

void sight_habits(struct otlp_sighter *o, const struct sight_item *item, const struct sight_slots *slots,
		  struct sighting *s)
{
	struct str handoff = STR("handoff to ");

	if (s->kind == SIGHT_MODEL && slots->of[OTLP_KIND])
		habit_dumps(o, slots, s);
	if (s->kind == SIGHT_MODEL && str_starts(item->scope->name, STR("logfire.")))
		habit_stream(slots, s);
	if (s->kind == SIGHT_TOOL_END && !s->name.n && str_starts(item->name, handoff))
		s->name = habit_handoff(o, str_skip(item->name, handoff.n));
}
