/* Follows the turns of a Codex log and tells how its thread ended. */
#include "dialect/codex/turn.h"

#include "dialect/record/field.h"

static bool is_turn(struct str role)
{
	static const struct str words[] = { WORD("task_started"), WORD("turn_started"), WORD("turn.started") };

	return str_is_one_of(role, words, COUNT(words));
}

/* What was said of an earlier turn says nothing of this one. */
static void go_on(struct codex_turn *t, bool answered)
{
	t->answered = answered;
	if (!answered && t->status != STATUS_ERROR)
		t->status = STATUS_UNKNOWN;
}

/*
 * A word about the end counts until a turn begins, the user asks, or a tool is called or answers. An error outlives
 * calls and results.
 */
void codex_turn_follow(struct codex_turn *t, const struct event *e, enum run_status ended)
{
	if (ended != STATUS_UNKNOWN) {
		t->status = ended;
		t->open = false;
	} else if (e->kind == EVENT_NOTE && is_turn(e->role)) {
		*t = (struct codex_turn){ .open = true };
	} else if (e->kind == EVENT_MESSAGE && str_eq(e->role, STR("user"))) {
		t->status = STATUS_UNKNOWN;
		t->answered = false;
	} else if (e->kind == EVENT_CALL || e->kind == EVENT_RESULT) {
		go_on(t, false);
	} else if (e->kind == EVENT_STEP && e->text.n) {
		go_on(t, true);
	} else if (event_is_torn(e)) {
		*t = (struct codex_turn){ .open = true };
	}
}

/* What is inferred is flagged so; a status that the log tells is passed on as it is. */
struct event codex_turn_end(const struct codex_turn *t)
{
	struct event end = { .kind = EVENT_RUN_END, .index = -1, .status = t->status };

	if (t->status == STATUS_UNKNOWN && (t->open || !t->answered)) {
		end.status = STATUS_INTERRUPTED;
		end.flags = EVENT_INFERRED;
	}
	return end;
}
