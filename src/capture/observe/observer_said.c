/*
 * What a person may have said in a request. Clients tell more in the user's name: where they are, what day it is, what
 * a task in the background gave. Where they mark it so, it is taken off; what is left of a message is its text. Nothing
 * of it is kept but marks, and the first of them as long as no other request is read.
 */
#include "capture/observe/observer_private.h"

#include "base/ascii.h"
#include "dialect/record/field.h"
#include "dialect/writing.h"

/* Elements that hold the client's own words. */
static const struct str context_tags[] = {
	WORD("system-reminder"),       WORD("system_reminder"),       WORD("environment_context"),
	WORD("environment_details"),   WORD("user_instructions"),     WORD("session_context"),
	WORD("task-notification"),     WORD("subagent_notification"), WORD("background-task-notification"),
	WORD("current_datetime"),      WORD("local-command-caveat"),  WORD("local-command-stdout"),
	WORD("ide_opened_file"),       WORD("ide_selection"),         WORD("hook_context"),
	WORD("turn_aborted"),          WORD("skills_instructions"),   WORD("permissions instructions"),
	WORD("qwen:user-prompt-submit-context"),
};

/* Texts that are the client's own to their end. */
static const struct str context_words[] = {
	WORD("# AGENTS.md instructions for "),
	WORD("This is the Gemini CLI. We are setting up the context for our chat."),
	WORD("This is the Qwen Code. We are setting up the context for our chat."),
	WORD("This session is being continued from a previous conversation that ran out of context."),
	WORD("Generate a title for this conversation:"),
};

/* The element that a text begins with, when it is one of the client's: its size, all of it when it has no end; or 0. */
static size_t context_size(struct str text)
{
	for (size_t i = 0; i < COUNT(context_tags); i++) {
		struct str tag = context_tags[i];
		size_t at;

		if (text.n < tag.n + 2 || text.p[0] != '<' || memcmp(text.p + 1, tag.p, tag.n) != 0 ||
		    (text.p[tag.n + 1] != '>' && text.p[tag.n + 1] != ' '))
			continue;
		at = str_find(text, STR("</"));
		while (at != (size_t)-1) {
			struct str rest = str_of(text.p + at + 2, text.n - at - 2);

			if (str_starts(rest, tag) && rest.n > tag.n && rest.p[tag.n] == '>')
				return at + 2 + tag.n + 1;
			at = str_find(rest, STR("</"));
			at = at == (size_t)-1 ? at : at + (size_t)(rest.p - text.p);
		}
		return text.n;
	}
	for (size_t i = 0; i < COUNT(context_words); i++)
		if (str_starts(text, context_words[i]))
			return text.n;
	return 0;
}

/* Without what the client put before it. */
static struct str take_context(struct str text, bool *any)
{
	size_t n;

	text = str_trim(text);
	while (text.n && (n = context_size(text)) > 0) {
		*any = true;
		text = str_trim(str_of(text.p + n, text.n - n));
	}
	return text;
}

/*
 * A message: what is left of its texts, one after the other. It stands in `room`, or, where it is a string without
 * escapes, which needs no parser, in the message itself. False when all of it is the client's.
 */
static bool read_user(struct observers *l, struct str content, struct buf *room, struct str *said)
{
	bool plain = content.n > 1 && content.p[0] == '"' && !memchr(content.p, '\\', content.n);
	struct val v = plain ? VAL_NONE : writing_parse(l->content, content), part;
	struct val_iter it = val_begin(v);
	bool marked = false, other = false;

	if (plain) {
		*said = take_context(str_of(content.p + 1, content.n - 2), &marked);
		return said->n > 0 || !marked;
	}
	buf_clear(room);
	if (val_is(v, JSON_STRING))
		buf_add_str(room, take_context(val_text(v, &l->parser.batch), &marked));
	while (val_is(v, JSON_ARRAY) && val_next(&it, &part)) {
		struct val text = val_is(part, JSON_STRING) ? part : val_get(part, STR("text"));

		if (val_is(text, JSON_STRING))
			buf_add_str(room, take_context(val_text(text, &l->parser.batch), &marked));
		else
			other = true;
		if (room->n > OBSERVER_OPENING)
			break;
	}
	*said = buf_str(room);
	return said->n > 0 || other || !marked;
}

void observer_forget_opening(struct observers *l)
{
	if (l->opened)
		l->opened->s.opening = str_of(NULL, 0);
	l->opened = NULL;
}

static void keep_opening(struct observer *k, struct str said)
{
	struct observers *l = k->all;

	buf_clear(&l->opening);
	buf_add_str(&l->opening, str_of(said.p, said.n < OBSERVER_OPENING ? said.n : OBSERVER_OPENING));
	l->opened = k;
	k->s.opening = buf_str(&l->opening);
}

/* The next message of the user's own: its text. */
static void take_user(struct observer *k, struct observation_message *m, struct str content, struct buf *room)
{
	struct observers *l = k->all;
	struct text_run run = { .digest = 0 };
	struct str said;

	if (!read_user(l, content, room, &said)) {
		m->role = OBSERVED_CONTEXT;
		return;
	}
	if (l->opened != k)
		keep_opening(k, said);
	text_run_add(&run, said);
	m->words = run.digest;
	m->text = text_mark_key(said, OBSERVER_ARG_CHARS);
}

/* What the model said earlier: as a step, or (told as an item near the end) as a message of its own. */
static void take_model(struct observer *k, struct observation_message *m, const struct event *e, bool near,
		       struct buf *room)
{
	struct text_run run = { .digest = 0 };
	struct str said;

	if (e->kind == EVENT_STEP)
		text_run_add(&run, e->text);
	else if (e->kind == EVENT_MESSAGE && near && read_user(k->all, e->content, room, &said))
		text_run_add(&run, said);
	if (run.digest)
		m->words = run.digest;
}

/* The first message of the user's, and those behind the last that the model said: the others were told before. */
void observer_read_said(struct observer *k)
{
	const struct reading *r = &k->all->parser.reading;
	size_t last = k->s.message_count, next = k->warmed;
	uint32_t position = 0;
	struct buf room;

	while (last > 0 && k->s.messages[last - 1].role != OBSERVED_SAID)
		last--;
	buf_init(&room);
	for (size_t i = 0; i < r->count; i++) {
		const struct event *e = &r->events[i];
		struct observation_message *m;

		if (!(e->flags & EVENT_HISTORY) || e->kind == EVENT_RUN_START)
			continue;
		if (next == k->warmed || e->position != position)
			next++;
		position = e->position;
		m = &k->s.messages[next - 1];
		if (m->role == OBSERVED_SAID)
			take_model(k, m, e, next + OBSERVER_NEAR > k->s.message_count, &room);
		else if (e->kind == EVENT_MESSAGE && m->role == OBSERVED_USER && (k->all->opened != k || next > last))
			take_user(k, m, e->content, &room);
	}
	buf_free(&room);
}
