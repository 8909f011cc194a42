/* What one line of a Codex log says that other lines must agree with: a row for each type that says anything. */
#include "dialect/codex/check_private.h"
#include "dialect/codex/private.h"
#include "dialect/values.h"

/* ---- types that are known and say nothing here ---- */

static bool is_known_line(struct val type)
{
	static const struct str known[] = {
		WORD("session_meta"), WORD("response_item"), WORD("event_msg"), WORD("turn_context"), WORD("compacted"),
		WORD("world_state"), WORD("token_usage_record"), WORD("inter_agent_communication"),
		WORD("inter_agent_communication_metadata"), WORD("security_risk_score"), WORD("ghost_snapshot"),
	};

	return values_is_word(type, known, COUNT(known));
}

static bool is_known_event(struct val type)
{
	static const struct str known[] = {
		WORD("task_started"), WORD("turn_started"), WORD("task_complete"), WORD("turn_complete"),
		WORD("turn_aborted"), WORD("turn.completed"), WORD("user_message"), WORD("agent_message"),
		WORD("agent_reasoning"), WORD("agent_reasoning_raw_content"), WORD("agent_reasoning_section_break"),
		WORD("token_count"), WORD("exec_command_begin"), WORD("exec_command_end"),
		WORD("exec_command_output_delta"), WORD("mcp_tool_call_begin"), WORD("mcp_tool_call_end"),
		WORD("patch_apply_begin"), WORD("patch_apply_end"), WORD("web_search_begin"), WORD("web_search_end"),
		WORD("image_generation_begin"), WORD("image_generation_end"), WORD("view_image_tool_call"),
		WORD("dynamic_tool_call_request"), WORD("dynamic_tool_call_response"), WORD("collab_agent_spawn_begin"),
		WORD("collab_agent_spawn_end"), WORD("collab_agent_interaction_begin"),
		WORD("collab_agent_interaction_end"), WORD("collab_waiting_begin"), WORD("collab_waiting_end"),
		WORD("collab_close_begin"), WORD("collab_close_end"), WORD("collab_resume_begin"),
		WORD("collab_resume_end"), WORD("sub_agent_activity"), WORD("context_compacted"),
		WORD("thread_rolled_back"),
		WORD("thread_settings_applied"), WORD("thread_goal_updated"), WORD("thread_name_updated"),
		WORD("entered_review_mode"), WORD("exited_review_mode"), WORD("item_started"), WORD("item_completed"),
		WORD("error"), WORD("stream_error"), WORD("warning"), WORD("guardian_assessment"),
		WORD("guardian_warning"), WORD("background_event"), WORD("plan_update"), WORD("turn_diff"),
		WORD("undo_started"), WORD("undo_completed"), WORD("deprecation_notice"), WORD("model_reroute"),
		WORD("model_verification"), WORD("session_configured"), WORD("shutdown_complete"), WORD("hook_started"),
		WORD("hook_completed"),
	};

	return values_is_word(type, known, COUNT(known));
}

static void mark_unknown(struct record_scan *s, struct marks *m, struct val type)
{
	marks_add(s, m, CODEX_MARK_TYPE, type)->text =
		arena_copy(&s->out->arena, val_is_none(type) ? STR("(none)") : record_show(s, type));
}

/* ---- items and events ---- */

/* A type, the mark it leaves, the member with the id, and the mark's number. */
struct codex_row {
	struct str type;
	uint8_t mark;
	struct str id; /* n 0: none is needed */
	int64_t n;
};

static const struct codex_row items[] = {
	{ WORD("message"), CODEX_MARK_MESSAGE, WORD(""), 0 },
	{ WORD("function_call"), CODEX_MARK_CALL, WORD("call_id"), 0 },
	{ WORD("custom_tool_call"), CODEX_MARK_CALL, WORD("call_id"), 0 },
	{ WORD("local_shell_call"), CODEX_MARK_CALL, WORD("call_id"), 0 },
	{ WORD("tool_search_call"), CODEX_MARK_CALL, WORD("call_id"), 1 },
	{ WORD("computer_call"), CODEX_MARK_CALL, WORD("call_id"), 1 },
	{ WORD("function_call_output"), CODEX_MARK_OUTPUT, WORD("call_id"), 0 },
	{ WORD("custom_tool_call_output"), CODEX_MARK_OUTPUT, WORD("call_id"), 0 },
};

static const struct codex_row events[] = {
	{ WORD("task_started"), CODEX_MARK_TURN, WORD("turn_id"), 0 },
	{ WORD("turn_started"), CODEX_MARK_TURN, WORD("turn_id"), 0 },
	{ WORD("task_complete"), CODEX_MARK_TURN_END, WORD("turn_id"), 0 },
	{ WORD("turn_complete"), CODEX_MARK_TURN_END, WORD("turn_id"), 0 },
	{ WORD("turn_aborted"), CODEX_MARK_TURN_END, WORD("turn_id"), 1 },
};

static const struct codex_row printed[] = {
	{ WORD("turn.started"), CODEX_MARK_TURN, WORD(""), 0 },
	{ WORD("turn.completed"), CODEX_MARK_TURN_END, WORD(""), 0 },
	{ WORD("turn.failed"), CODEX_MARK_TURN_END, WORD(""), 1 },
	{ WORD("item.started"), CODEX_MARK_CALL, WORD("id"), 0 },
	{ WORD("item.completed"), CODEX_MARK_OUTPUT, WORD("id"), 0 },
};

/* Turns of older versions have no id: then there is one turn at a time, with the id zero. */
static bool codex_mark_row(struct record_scan *s, struct marks *m, const struct codex_row *rows, size_t count,
			   struct val type, struct val v)
{
	for (size_t i = 0; i < count; i++) {
		const struct codex_row *r = &rows[i];
		struct val id = r->id.n ? val_get(v, r->id) : VAL_NONE;
		bool is_pair = r->mark == CODEX_MARK_CALL || r->mark == CODEX_MARK_OUTPUT;
		struct mark *one;

		if (!val_text_is(type, r->type))
			continue;
		one = marks_add_id(s, m, r->mark, id);
		if (!one && !is_pair)
			one = marks_add(s, m, r->mark, type);
		if (one)
			one->n = r->n;
		return true;
	}
	return false;
}

static void mark_item(struct record_scan *s, struct marks *m, struct val item)
{
	codex_mark_row(s, m, items, COUNT(items), val_get(item, STR("type")), item);
}

static void mark_event(struct record_scan *s, struct marks *m, struct val event)
{
	struct val type = val_get(event, STR("type"));
	struct val total = val_at(event, STR("/info/total_token_usage/total_tokens"));
	int64_t n;

	if (!is_known_event(type))
		mark_unknown(s, m, type);
	if (val_text_is(type, STR("token_count")) && val_i64(total, &n) && n >= 0)
		marks_add(s, m, CODEX_MARK_TOKENS, total)->n = n;
	if (val_text_is(type, STR("context_compacted")))
		marks_add(s, m, CODEX_MARK_COMPACTED, type)->n = -1;
	codex_mark_row(s, m, events, COUNT(events), type, event);
}

/* ---- lines ---- */

static void mark_meta(struct record_scan *s, struct marks *m, struct val meta)
{
	static const struct str origins[] = { WORD("forked_from_id"), WORD("parent_thread_id"), WORD("history_base") };
	struct mark *one;
	bool has_origin = false;

	for (size_t i = 0; i < COUNT(origins); i++)
		has_origin = has_origin || !val_is_unset(val_get(meta, origins[i]));
	if (has_origin)
		marks_add(s, m, CODEX_MARK_ORIGIN, VAL_NONE);
	one = marks_add_id(s, m, CODEX_MARK_META, val_get(meta, STR("id")));
	if (one)
		one->n = !val_is_unset(val_get(meta, origins[0])) || !val_is_unset(val_get(meta, origins[2]));
}

static void mark_ordinal(struct record_scan *s, struct marks *m, struct val line)
{
	struct val ordinal = val_get(line, STR("ordinal"));
	int64_t n;

	if (val_i64(ordinal, &n) && n >= 0 && n < INT64_MAX) {
		marks_add(s, m, CODEX_MARK_ORDINAL, ordinal)->n = n;
		return;
	}
	marks_add(s, m, CODEX_MARK_NO_ORDINAL, VAL_NONE);
	if (val_has(line, STR("timestamp")))
		marks_add(s, m, CODEX_MARK_LINE, VAL_NONE)->id = str_hash_wide(str_trim(s->text));
}

/* {timestamp, ordinal, type, payload} */
static void mark_enveloped(struct record_scan *s, struct marks *m, struct val line)
{
	struct val type = val_get(line, STR("type")), payload = val_get(line, STR("payload"));
	bool is_meta = val_text_is(type, STR("session_meta"));

	marks_add(s, m, CODEX_MARK_FIRST, type)->n = is_meta;
	mark_ordinal(s, m, line);
	marks_add_time(s, m, CODEX_MARK_TIME, val_get(line, STR("timestamp")));
	if (!is_known_line(type))
		mark_unknown(s, m, type);
	if (val_text_is(type, STR("compacted")))
		marks_add(s, m, CODEX_MARK_COMPACTED, type)->n = -1;
	if (is_meta)
		mark_meta(s, m, payload);
	else if (val_text_is(type, STR("response_item")))
		mark_item(s, m, payload);
	else if (val_text_is(type, STR("event_msg")))
		mark_event(s, m, payload);
}

/* 2025-08: a first line without a type, then bare items and marks of state. */
static void mark_bare(struct record_scan *s, struct marks *m, struct val line)
{
	struct val type = val_get(line, STR("type"));
	bool is_header = val_is_none(type) && val_has(line, STR("id")) && val_has(line, STR("timestamp"));

	if (is_header || val_is(type, JSON_STRING)) /* another program may have put a line of its own first */
		marks_add(s, m, CODEX_MARK_FIRST, type)->n = is_header;
	if (is_header)
		marks_add_id(s, m, CODEX_MARK_META, val_get(line, STR("id")));
	else
		mark_item(s, m, line);
}

/* `exec --json`, as it was printed or inside another log. */
static void mark_printed(struct record_scan *s, struct marks *m, struct val line)
{
	struct val type = val_get(line, STR("type"));
	bool is_item = val_is(type, JSON_STRING) && str_starts(val_raw(type), STR("item."));

	marks_add(s, m, CODEX_MARK_EXEC, VAL_NONE);
	if (codex_mark_row(s, m, printed, COUNT(printed), type, is_item ? val_get(line, STR("item")) : line))
		return;
	if (!val_text_is(type, STR("thread.started")) && !val_text_is(type, STR("item.updated")) &&
	    !val_text_is(type, STR("error")) && !val_is_none(type))
		mark_unknown(s, m, type);
}

void codex_check_line(struct record_scan *s, struct val root, void *fact)
{
	bool wrapped = val_has(root, STR("log_type")) && val_is(val_get(root, STR("data")), JSON_OBJECT);
	struct val type = val_get(root, STR("type"));

	if (wrapped || codex_exec_fits(root) > 0 || (val_text_is(type, STR("error")) && !val_has(root, STR("payload"))))
		mark_printed(s, fact, wrapped ? val_get(root, STR("data")) : root);
	else if (val_has(root, STR("payload")) && !val_is_none(type))
		mark_enveloped(s, fact, root);
	else
		mark_bare(s, fact, root);
}
