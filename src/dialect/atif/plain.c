/*
 * Runs that came from elsewhere, as documents of version 1.7. What ATIF has no place for, and what it wants and the
 * run has not, is told in `extra.trackway` of the agent, step, call, result or document; atif.h has the words.
 */
#include "dialect/atif/atif.h"
#include "dialect/atif/write_private.h"
#include "dialect/reading/original.h"
#include "json/write.h"
#include "model/words.h"

/* ---- extra ---- */

/* What goes into one: members of its own, and those of `trackway`. */
struct extra_parts {
	struct buf plain, ours;
};

/* Adds `"extra":{...}` when there is anything to tell. */
static void extra_put(struct extra_parts *e, struct buf *members)
{
	if (e->plain.n + e->ours.n > 0) {
		atif_member(members, STR("extra"));
		buf_add_byte(members, '{');
		if (e->ours.n > 0) {
			atif_member(&e->plain, STR("trackway"));
			buf_add_byte(&e->plain, '{');
			buf_add_str(&e->plain, buf_str(&e->ours));
			buf_add_byte(&e->plain, '}');
		}
		buf_add_str(members, buf_str(&e->plain));
		buf_add_byte(members, '}');
	}
	buf_free(&e->plain);
	buf_free(&e->ours);
}

static void atif_plain_put_truth(struct buf *out, struct str name, uint8_t truth)
{
	if (truth == TRUTH_TRUE || truth == TRUTH_FALSE)
		atif_put_json(out, name, truth == TRUTH_TRUE ? STR("true") : STR("false"));
}

/* ---- content ---- */

static bool is_text_part(struct val part)
{
	return val_count(part) == 2 && val_is(val_get(part, STR("text")), JSON_STRING) &&
	       val_text_is(val_get(part, STR("type")), STR("text"));
}

/* A text, or a list of texts, as ATIF has it; anything else as the text of its JSON, and `ours` says so. */
static void atif_plain_put_content(struct atif_writer *x, struct buf *out, struct str name, struct str json,
				   struct buf *ours)
{
	struct val v = json.p && json.p[0] == '[' ? writing_parse(x->other, json) : VAL_NONE, part;
	struct val_iter it = val_begin(v);
	bool parts = val_is(v, JSON_ARRAY) && val_count(v) > 0;

	while (parts && val_next(&it, &part))
		parts = is_text_part(part);
	atif_member(out, name);
	if (!json.p || str_eq(json, STR("null"))) {
		buf_add_str(out, STR("\"\""));
		atif_put_text(ours, STR(ATIF_OURS_CONTENT), json.p ? STR("null") : STR("absent"));
	} else if (parts || json.p[0] == '"') {
		buf_add_str(out, json);
	} else {
		json_write_quoted(out, json);
		atif_put_text(ours, STR(ATIF_OURS_CONTENT), STR("json"));
	}
}

/* ---- steps ---- */

/*
 * The list of offered tools with objects only, as ATIF wants them: a name becomes a function of that name, anything
 * else the member "value" of an object. The list itself when all are objects.
 */
static struct str plain_definitions(struct atif_writer *x, struct str tools)
{
	struct val list = writing_parse(x->other, tools), v;
	struct val_iter it = val_begin(list);
	bool objects = true;

	while (objects && val_next(&it, &v))
		objects = val_is(v, JSON_OBJECT);
	if (objects)
		return tools;
	buf_clear(&x->text);
	for (it = val_begin(list); val_next(&it, &v);) {
		bool object = val_is(v, JSON_OBJECT), name = val_is(v, JSON_STRING);

		buf_add_byte(&x->text, x->text.n ? ',' : '[');
		buf_add_str(&x->text, object ? STR("") : name ? STR(ATIF_NAMED_TOOL) : STR("{\"value\":"));
		buf_add_str(&x->text, val_source(v));
		buf_add_str(&x->text, object ? STR("") : name ? STR("}}") : STR("}"));
	}
	buf_add_byte(&x->text, ']');
	return arena_copy(&x->scratch, buf_str(&x->text));
}

/*
 * ATIF wants a name and a version: "unknown" where there are none, and extra.trackway says so. Sub-agents get the same
 * agent, without its tools.
 */
static void atif_plain_put_agent(struct atif_writer *x, struct buf *out, const struct event *e)
{
	bool list = e->tools.p && e->tools.p[0] == '[';
	struct str tools = list ? original_payload(x->other, e, "tools", e->tools, &x->scratch) : str_of(NULL, 0);
	struct str objects = list ? plain_definitions(x, tools) : tools;
	struct extra_parts extra = { 0 };
	struct buf b = { 0 };

	atif_put_text(&b, STR("name"), e->agent.n ? e->agent : e->vendor.n ? e->vendor : STR("unknown"));
	atif_put_text(&b, STR("version"), e->agent_version.n ? e->agent_version : STR("unknown"));
	if (e->model.n)
		atif_put_text(&b, STR("model_name"), e->model);
	atif_put_json(&extra.ours, STR("name"), e->agent.n ? str_of(NULL, 0) : STR("null"));
	atif_put_json(&extra.ours, STR("version"), e->agent_version.n ? str_of(NULL, 0) : STR("null"));
	if (objects.p != tools.p)
		atif_put_text(&extra.ours, STR(ATIF_OURS_TOOLS), STR("names"));
	extra_put(&extra, &b);
	x->agent = atif_braced(&x->run, &b);
	atif_put_json(&b, STR("tool_definitions"), objects);
	atif_put_json(out, STR("agent"), atif_braced(&x->scratch, &b));
	buf_free(&b);
}

/* The track of the event's branch, made when the branch is new. */
static struct atif_track *track_need(struct atif_writer *x, const struct event *e)
{
	struct atif_track *t = atif_track_of(x, e);

	if (t)
		return t;
	t = atif_track_add(x, e->branch, e->parent, 1);
	atif_put_text(&t->head, STR("schema_version"), STR("ATIF-v1.7"));
	atif_put_text(&t->head, STR("trajectory_id"), e->branch);
	atif_put_json(&t->head, STR("agent"), x->agent);
	if (e->parent.p) {
		atif_member(&t->head, STR("extra"));
		buf_add_str(&t->head, STR("{\"parent_call_id\":"));
		json_write_quoted(&t->head, e->parent);
		buf_add_byte(&t->head, '}');
	}
	return t;
}

/* Its first members: when it was, and whose. Gives the step. */
static struct atif_step *plain_head(struct atif_step *s, const struct event *e, const char *source)
{
	s->numbered = true;
	atif_put_time(&s->members, e, true);
	atif_put_text(&s->members, STR("source"), str_from(source));
	return s;
}

static struct atif_step *atif_plain_new_step(struct atif_track *t, const struct event *e, const char *source)
{
	return plain_head(atif_step_new(t), e, source);
}

/* A step that is there for what is in it: nobody said anything, and no model answered. */
static struct atif_step *bare_step(struct atif_track *t, const struct event *e, const char *source)
{
	struct atif_step *s = atif_plain_new_step(t, e, source);
	struct extra_parts extra = { 0 };

	s->bare = true;
	atif_put_text(&s->members, STR("message"), STR(""));
	if (str_eq(str_from(source), STR("agent"))) {
		s->agent = true;
		atif_put_json(&s->members, STR("llm_call_count"), STR("0"));
	}
	atif_put_json(&extra.ours, STR(ATIF_OURS_MESSAGE), STR("false"));
	extra_put(&extra, &s->members);
	return s;
}

void atif_plain_nothing(struct atif_track *t)
{
	bare_step(t, &(struct event){ 0 }, "system");
}

/* The step that holds the calls of this answer, where they came before it; else a new one. */
static struct atif_step *answer_step(struct atif_track *t, const struct event *e)
{
	struct atif_step *s = t->first;

	while (s && !(s->bare && s->agent && e->step.p && s->id.p && str_eq(s->id, e->step)))
		s = s->next;
	if (!s)
		return atif_plain_new_step(t, e, "agent");
	s->bare = false;
	buf_clear(&s->members);
	return plain_head(s, e, "agent");
}

/* The step of an answer. Its figures wait for the COST events, so they are written with the step. */
static void put_answer(struct atif_writer *x, const struct event *e)
{
	struct atif_step *s = answer_step(track_need(x, e), e);
	struct extra_parts extra = { 0 };

	s->agent = true;
	s->usage = e->usage;
	if (e->step.p)
		s->id = arena_copy(&s->arena, e->step);
	atif_put_text(&s->members, STR("message"), e->text.p ? e->text : STR(""));
	if (e->model.n)
		atif_put_text(&s->members, STR("model_name"), e->model);
	if (e->reasoning.n)
		atif_put_text(&s->members, STR("reasoning_content"), e->reasoning);
	atif_put_text(&extra.plain, STR("stop_reason"), e->stop_reason);
	atif_put_text(&extra.ours, STR("step_id"), e->step);
	atif_put_amount(&extra.ours, STR("latency_ms"), e->latency_ms);
	atif_put_amount(&extra.ours, STR("ttft_ms"), e->ttft_ms);
	extra_put(&extra, &s->members);
}

/* A step of a message. Roles that ATIF does not have are told in extra.trackway. */
static void atif_plain_put_message(struct atif_writer *x, const struct event *e)
{
	bool user = str_eq(e->role, STR("user")), system = str_eq(e->role, STR("system"));
	bool agent = str_eq(e->role, STR("agent")), assistant = str_eq(e->role, STR("assistant"));
	const char *source = user ? "user" : agent || assistant ? "agent" : "system";
	struct atif_step *s = atif_plain_new_step(track_need(x, e), e, source);
	struct extra_parts extra = { 0 };

	if (agent || assistant) {
		s->agent = true;
		atif_put_json(&s->members, STR("llm_call_count"), STR("0"));
	}
	atif_plain_put_content(x, &s->members, STR("message"),
			       original_payload(x->other, e, "content", e->content, &x->scratch), &extra.ours);
	if (!user && !system && !agent)
		atif_put_text(&extra.ours, STR(ATIF_OURS_ROLE), e->role);
	extra_put(&extra, &s->members);
}

/* ---- calls ---- */

/* The agent's step that asked: the one of that id, or the latest. Without any one is made that no model answered. */
static struct atif_step *asking_step(struct atif_track *t, const struct event *e)
{
	struct atif_step *found = NULL;

	for (struct atif_step *s = t->first; s; s = s->next)
		if (s->agent && e->step.p && s->id.p && str_eq(s->id, e->step))
			found = s;
	if (!found && t->latest && t->latest->agent && !(e->step.p && t->latest->id.p))
		found = t->latest;
	if (!found) {
		found = bare_step(t, e, "agent");
		if (e->step.p)
			found->id = arena_copy(&found->arena, e->step);
	}
	return found;
}

/* A call in the step that asked for it. */
static void atif_plain_put_call(struct atif_writer *x, const struct event *e)
{
	struct atif_step *s = asking_step(track_need(x, e), e);
	struct str args = original_payload(x->other, e, "args", e->args, &x->scratch);
	bool object = args.n > 0 && args.p[0] == '{';
	struct extra_parts extra = { 0 };
	struct str name;

	buf_clear(&x->text);
	/* both are required: an empty text says that there is none */
	name = atif_tool_name(&x->scratch, e->server, e->tool);
	atif_put_text(&x->text, STR("tool_call_id"), e->call.p ? e->call : STR(""));
	atif_put_text(&x->text, STR("function_name"), name.p ? name : STR(""));
	atif_member(&x->text, STR("arguments"));
	if (object || !args.p) {
		buf_add_str(&x->text, object ? args : STR("{}"));
	} else { /* only objects are allowed there */
		buf_add_str(&x->text, STR("{\"value\":"));
		buf_add_str(&x->text, args);
		buf_add_byte(&x->text, '}');
		atif_put_text(&extra.ours, STR(ATIF_OURS_ARGUMENTS),
			      e->flags & EVENT_RAW_ARGS ? STR("raw") : STR("value"));
	}
	extra_put(&extra, &x->text);
	atif_list_add(s, &s->calls, atif_braced(&x->scratch, &x->text), e->call);
	s->open++;
}

/* A sub-agent that the call started and that is known by now. */
static void put_refs(struct atif_writer *x, const struct event *e)
{
	struct buf refs = { 0 };
	size_t n = 0;

	for (const struct atif_track *t = x->tracks->next; t; t = t->next) {
		if (!t->parent.p || !str_eq(t->parent, e->call))
			continue;
		buf_add_str(&refs, n++ ? STR(",{\"trajectory_id\":") : STR("[{\"trajectory_id\":"));
		json_write_quoted(&refs, t->branch);
		buf_add_byte(&refs, '}');
	}
	if (n > 0) {
		buf_add_byte(&refs, ']');
		atif_put_json(&x->text, STR("subagent_trajectory_ref"), buf_str(&refs));
	}
	buf_free(&refs);
}

/*
 * A result, in the step that has its call: ATIF joins the two by that. One whose call is gone gets a step of its own,
 * and says whose it was.
 */
static void atif_plain_put_result(struct atif_writer *x, const struct event *e)
{
	struct atif_track *t = track_need(x, e);
	struct atif_step *s = atif_answer(t, e->call);
	struct extra_parts extra = { 0 };

	for (struct atif_track *other = x->tracks; !s && other; other = other->next)
		s = atif_answer(other, e->call);
	buf_clear(&x->text);
	if (s) {
		atif_put_text(&x->text, STR("source_call_id"), e->call);
	} else { /* the call is too far behind, or none: a step of its own, and no id, which must be one of its step */
		s = bare_step(t, e, "system");
		atif_put_text(&extra.ours, STR(ATIF_OURS_CALL), e->call);
	}
	atif_plain_put_content(x, &x->text, STR("content"),
			       original_payload(x->other, e, "result", e->content, &x->scratch), &extra.ours);
	put_refs(x, e);
	atif_plain_put_truth(&extra.plain, STR("is_error"), e->is_error);
	if (figure_is_known(e->exit_code))
		atif_put_json(&extra.ours, STR("exit_code"),
			      arena_printf(&x->scratch, "%lld", (long long)e->exit_code.n));
	atif_put_amount(&extra.ours, STR("duration_ms"), e->duration_ms);
	extra_put(&extra, &x->text);
	atif_list_add(s, &s->results, atif_braced(&x->scratch, &x->text), str_of(NULL, 0));
	if (e->chunks.p)
		losses_add(x->w->losses, "pieces of results");
}

/* ---- the rest ---- */

/*
 * ATIF has no errors: a step of the system, with the error in extra.trackway. The call that it is of waits no longer.
 */
static void atif_plain_put_error(struct atif_writer *x, const struct event *e)
{
	struct atif_track *t = track_need(x, e);
	struct atif_step *s;
	struct extra_parts extra = { 0 };

	if (e->call.p)
		atif_answer(t, e->call);
	if (str_eq(e->code, STR("no_result")))
		return; /* what is not there needs no words */
	s = atif_plain_new_step(t, e, "system");
	atif_put_text(&s->members, STR("message"), e->text.p ? e->text : STR(""));
	buf_clear(&x->text);
	atif_put_text(&x->text, STR("class"), e->class);
	atif_put_text(&x->text, STR("code"), e->code);
	atif_put_text(&x->text, STR("call_id"), e->call);
	atif_plain_put_truth(&x->text, STR("retryable"), e->retryable);
	atif_put_json(&extra.ours, STR(ATIF_OURS_ERROR), atif_braced(&x->scratch, &x->text));
	extra_put(&extra, &s->members);
}

/* Writes one event; steps that nothing waits for any more go to the output. */
static void atif_plain_put_event(struct atif_writer *x, const struct event *e)
{
	switch (e->kind) {
	case EVENT_STEP:
		put_answer(x, e);
		break;
	case EVENT_MESSAGE:
		atif_plain_put_message(x, e);
		break;
	case EVENT_CALL:
		atif_plain_put_call(x, e);
		break;
	case EVENT_RESULT:
		atif_plain_put_result(x, e);
		break;
	case EVENT_ERROR:
		atif_plain_put_error(x, e);
		break;
	case EVENT_NOTE:
		losses_add(x->w->losses, "notes");
		return;
	default:
		return;
	}
	if (e->extras)
		losses_add(x->w->losses, "what other formats say beyond the model (ext)");
	atif_flush(atif_track_of(x, e), x->other, false);
}

void atif_plain_event(struct atif_writer *x, const struct event *e)
{
	struct event result;

	atif_plain_put_event(x, original_result(x->parser, e, &result, &x->scratch) ? &result : e);
}

/* ---- documents ---- */

/* A run without an id gets the UUID that every other writer would give it. */
void atif_plain_begin(struct atif_writer *x, struct buf *out, const struct event *e)
{
	char text[ID_UUID_TEXT];

	atif_put_text(out, STR("schema_version"), STR("ATIF-v1.7"));
	id_format_uuid(text, writing_id_of(e));
	atif_put_text(out, STR("session_id"), e->run.n ? e->run : str_of(text, ID_UUID_TEXT));
	atif_plain_put_agent(x, out, e);
	if (e->extras && !(e->extras->member && !e->extras->next && str_eq(e->extras->key, STR("run_id"))))
		losses_add(x->w->losses, "what other formats say beyond the model (ext)");
}

/* The status is told only where a reader would think otherwise. */
void atif_plain_end(struct atif_writer *x, struct buf *out, const struct event *end)
{
	struct extra_parts extra = { 0 };

	atif_put_totals(out, x->tracks);
	if (end && end->status != (end->flags & EVENT_INFERRED ? STATUS_SUCCESS : STATUS_UNKNOWN)) {
		atif_put_text(&extra.ours, STR(ATIF_OURS_STATUS), words_status(end->status));
		atif_put_text(&extra.ours, STR(ATIF_OURS_REASON), end->reason);
	}
	extra_put(&extra, out);
}
