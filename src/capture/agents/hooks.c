/*
 * Editing by places: the text is parsed, one change is made where the tape says, and so on until nothing is left to do.
 * That is slow for large files, and settings are small; what is not changed cannot be spoilt.
 */
#include "capture/agents/hooks.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "json/json.h"
#include "json/put.h"

static const char *const hooks_claude_events[] = {
	"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest",
	"PermissionDenied", "Notification", "Elicitation", "ElicitationResult", "SubagentStart", "SubagentStop",
	"SessionEnd", NULL,
};

/*
 * Not those that decide whether something may be done (preToolUse, beforeShellExecution, subagentStart and so on): for
 * them no answer may count as no, and an answer of yes would decide in the user's place. Events behind a tool have its
 * duration.
 */
static const char *const hooks_cursor_events[] = {
	"beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "subagentStop", "sessionEnd", NULL,
};

const struct hooks_agent hooks_agents[] = {
	{ "claude-code", "Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "settings.json", hooks_claude_events,
	  .nested = true },
	{ "cursor", "Cursor", NULL, ".cursor", "hooks.json", hooks_cursor_events, .versioned = true },
	{ .name = NULL },
};

const struct hooks_agent *hooks_find(struct str name)
{
	for (const struct hooks_agent *h = hooks_agents; h->name; h++)
		if (str_eq(name, str_from(h->name)))
			return h;
	return NULL;
}

/* ---- commands ---- */

static bool hooks_is_plain(struct str path)
{
	for (size_t i = 0; i < path.n; i++)
		if (!ascii_is_alnum(path.p[i]) && !ascii_is_one_of(path.p[i], "/._-+"))
			return false;
	return true;
}

struct str hooks_command(struct arena *a, const struct hooks_agent *h, struct str program)
{
	struct str rest = program;
	struct buf b;

	buf_init(&b);
	if (hooks_is_plain(program)) {
		buf_add_str(&b, program);
	} else {
		buf_add_byte(&b, '\'');
		for (size_t i = 0; i < rest.n; i++) {
			if (rest.p[i] == '\'')
				buf_add_str(&b, STR("'\\'"));
			buf_add_byte(&b, rest.p[i]);
		}
		buf_add_byte(&b, '\'');
	}
	buf_printf(&b, " hook %s", h->name);
	return arena_take(a, &b);
}

/* "…/trackway hook NAME", quoted or not. */
static bool hooks_is_ours(const struct hooks_agent *h, struct val command, struct arena *a)
{
	struct str text = str_trim(val_text_or_none(command, a));
	struct str end = ARENA_JOIN(a, STR(" hook "), str_from(h->name));

	if (!text.p || !str_ends(text, end))
		return false;
	text.n -= end.n;
	while (text.n && (text.p[text.n - 1] == '\'' || text.p[text.n - 1] == '"'))
		text.n--;
	return str_starts(str_basename(text), STR("trackway"));
}

void hooks_write_entry(struct json_writer *w, const struct hooks_agent *h, struct str command)
{
	json_write_begin_object(w);
	if (h->nested) {
		json_put_array(w, "hooks");
		json_write_begin_object(w);
		json_put_word(w, "type", "command");
	}
	json_put_text(w, "command", command);
	json_put_u64(w, "timeout", 5);
	json_write_end_object(w);
	if (!h->nested)
		return;
	json_write_end_array(w);
	json_write_end_object(w);
}

/* ---- places ---- */

struct hooks_edit {
	struct arena *arena; /* of what is small */
	const struct hooks_agent *agent;
	struct buf text;
	struct str command;
	struct json_parser *parser;
	struct val root, hooks; /* hooks: an object, or none */
	struct hooks_change *out;
};

/* Replaces a part of the text. */
static void hooks_replace(struct hooks_edit *e, size_t at, size_t removed, struct str with)
{
	struct buf *b = &e->text;

	assert(at + removed <= b->n);
	buf_reserve(b, with.n);
	memmove(b->p + at + with.n, b->p + at + removed, b->n - at - removed);
	memcpy(b->p + at, with.p, with.n);
	b->n = b->n - removed + with.n;
}

/* The parser has a copy of its own. */
static size_t hooks_offset(struct val v)
{
	return (size_t)(val_source(v).p - v.tape->text);
}

static size_t hooks_end(struct val v)
{
	return hooks_offset(v) + val_source(v).n;
}

/* White space before a place: how what stands there is set apart. */
static struct str hooks_space_before(const struct hooks_edit *e, size_t at)
{
	size_t from = at;

	while (from > 0 && ascii_is_one_of(e->text.p[from - 1], " \t\r\n"))
		from--;
	return str_of(e->text.p + from, at - from);
}

/* Puts a member or element behind the last one of a container, as that is set apart from what is before it. */
static void hooks_append(struct hooks_edit *e, struct val container, struct str what)
{
	struct val_iter it = val_begin(container);
	struct val key, value, first = VAL_NONE, last = VAL_NONE;
	struct str space;

	if (val_is(container, JSON_ARRAY))
		while (val_next(&it, &value))
			first = last = value;
	else
		while (val_next_member(&it, &key, &value)) {
			first = key;
			last = value;
		}
	if (val_is_none(last)) {
		hooks_replace(e, hooks_offset(container), val_source(container).n,
			      val_is(container, JSON_ARRAY) ? ARENA_JOIN(e->arena, STR("["), what, STR("]"))
							    : ARENA_JOIN(e->arena, STR("{"), what, STR("}")));
		return;
	}
	space = hooks_space_before(e, hooks_offset(first));
	hooks_replace(e, hooks_end(last), 0, ARENA_JOIN(e->arena, STR(","), space, what));
}

/* Takes out a member (from its key on) or an element, with the comma and the space that set it apart. */
static void hooks_cut(struct hooks_edit *e, size_t from, size_t to)
{
	size_t before = from - hooks_space_before(e, from).n, behind = to;

	while (behind < e->text.n && ascii_is_one_of(e->text.p[behind], " \t\r\n"))
		behind++;
	if (before > 0 && e->text.p[before - 1] == ',')
		hooks_replace(e, before - 1, to - (before - 1), STR(""));
	else if (behind < e->text.n && e->text.p[behind] == ',')
		hooks_replace(e, before, behind + 1 - before, STR(""));
	else
		hooks_replace(e, before, behind - before, STR(""));
}

static void hooks_cut_member(struct hooks_edit *e, struct val object, struct val member)
{
	struct val_iter it = val_begin(object);
	struct val key, value;

	while (val_next_member(&it, &key, &value)) {
		if (value.at != member.at)
			continue;
		hooks_cut(e, hooks_offset(key), hooks_end(value));
		return;
	}
}

/* ---- reading ---- */

static bool hooks_refuse(const struct json_issue *issue, struct str text, struct err *err)
{
	bool comment = issue->offset < text.n && text.p[issue->offset] == '/';

	return err_set(err, ERR_DATA, "line %llu, column %llu: %s" ERR_HELP "%s", (unsigned long long)issue->line,
		       (unsigned long long)issue->column,
		       comment ? "comments cannot be kept when the file is changed" : issue->message,
		       comment ? "take the comment out, or change the hooks by hand as doc/hooks.md shows"
			       : "correct the file, or change the hooks by hand as doc/hooks.md shows; nothing was "
				 "changed");
}

static bool hooks_refuse_shape(const char *what, struct err *err)
{
	return err_set(err, ERR_DATA, "%s" ERR_HELP "change the hooks by hand as doc/hooks.md shows; nothing was "
		       "changed", what);
}

/* Parses what the text is by now. */
static bool hooks_parse(struct hooks_edit *e, struct err *err)
{
	struct json_issue issue;

	if (!json_parse_copy(e->parser, buf_str(&e->text), &e->root, &issue))
		return hooks_refuse(&issue, buf_str(&e->text), err);
	if (!val_is(e->root, JSON_OBJECT))
		return hooks_refuse_shape("the file is not an object", err);
	e->hooks = val_get(e->root, STR("hooks"));
	if (!val_is_none(e->hooks) && !val_is(e->hooks, JSON_OBJECT))
		return hooks_refuse_shape("\"hooks\" is not an object", err);
	return true;
}

/* The command of our hook in an entry; *inner gets the hook within the list of a nested one. */
static struct val hooks_command_in(const struct hooks_edit *e, struct val entry, struct val *inner)
{
	struct val_iter it = val_begin(val_get(entry, STR("hooks")));
	struct val hook, command;

	*inner = VAL_NONE;
	if (!e->agent->nested) {
		command = val_get(entry, STR("command"));
		return hooks_is_ours(e->agent, command, e->arena) ? command : VAL_NONE;
	}
	while (val_next(&it, &hook)) {
		command = val_get(hook, STR("command"));
		if (hooks_is_ours(e->agent, command, e->arena)) {
			*inner = hook;
			return command;
		}
	}
	return VAL_NONE;
}

/* Our command among the entries of an event, with its entry and its hook; none when it is not there. */
static struct val hooks_find_ours(const struct hooks_edit *e, struct val list, struct val *entry, struct val *inner)
{
	struct val_iter it = val_begin(list);
	struct val command;

	while (val_next(&it, entry)) {
		command = hooks_command_in(e, *entry, inner);
		if (!val_is_none(command))
			return command;
	}
	return VAL_NONE;
}

/* ---- putting in ---- */

static struct str hooks_quoted(struct arena *a, struct str text)
{
	struct buf b;

	buf_init(&b);
	json_write_quoted(&b, text);
	return arena_take(a, &b);
}

static struct str hooks_entry(const struct hooks_edit *e)
{
	struct json_writer w;
	struct buf b;

	buf_init(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	hooks_write_entry(&w, e->agent, e->command);
	return arena_take(e->arena, &b);
}

/* What the file must have before events are added. False: nothing was lacking. */
static bool hooks_add_frame(struct hooks_edit *e)
{
	bool empty = val_count(e->root) == 0;

	if (e->agent->versioned && !val_has(e->root, STR("version")))
		hooks_append(e, e->root, empty ? STR("\n  \"version\": 1\n") : STR("\"version\": 1"));
	else if (val_is_none(e->hooks))
		hooks_append(e, e->root, empty ? STR("\n  \"hooks\": {}\n") : STR("\"hooks\": {}"));
	else
		return false;
	return true;
}

/* One step for one event. False and *err; else *done says that nothing was left to do. */
static bool hooks_add_event(struct hooks_edit *e, const char *event, bool *done, struct err *err)
{
	struct val list = val_get(e->hooks, str_from(event)), entry, inner, command;
	bool first = val_count(e->hooks) == 0;

	*done = false;
	if (val_is_none(list)) {
		hooks_append(e, e->hooks, ARENA_JOIN(e->arena, first ? STR("\n    \"") : STR("\""), str_from(event),
						     STR("\": ["), hooks_entry(e), STR("]"),
						     first ? STR("\n  ") : STR("")));
		e->out->added++;
		return true;
	}
	if (!val_is(list, JSON_ARRAY))
		return hooks_refuse_shape(ARENA_JOIN(e->arena, STR("\"hooks\": \""), str_from(event),
						     STR("\" is not a list")).p, err);
	command = hooks_find_ours(e, list, &entry, &inner);
	if (val_is_none(command)) {
		hooks_append(e, list, hooks_entry(e));
		e->out->added++;
	} else if (!val_text_is(command, e->command)) {
		hooks_replace(e, hooks_offset(command), val_source(command).n, hooks_quoted(e->arena, e->command));
		e->out->updated++;
	} else {
		*done = true;
	}
	return true;
}

static bool hooks_install_all(struct hooks_edit *e, struct err *err)
{
	bool done;

	do {
		if (!hooks_parse(e, err))
			return false;
	} while (hooks_add_frame(e));
	for (const char *const *event = e->agent->events; *event; event++) {
		done = false;
		while (!done)
			if (!hooks_parse(e, err) || !hooks_add_event(e, *event, &done, err))
				return false;
	}
	return true;
}

static void hooks_begin(struct hooks_edit *e, struct str text)
{
	*e->out = (struct hooks_change){ .added = 0 };
	buf_init(&e->text);
	buf_add_str(&e->text, str_trim(text).n ? text : STR("{}\n"));
	e->parser = json_parser_open((struct json_options){ .max_depth = 128, .allow_bom = true });
}

static void hooks_done(struct hooks_edit *e)
{
	e->out->text = arena_take(e->arena, &e->text);
	json_parser_close(e->parser);
}

bool hooks_install(struct arena *a, const struct hooks_agent *h, struct str text, struct str program,
		   struct hooks_change *out, struct err *err)
{
	struct hooks_edit e = { .arena = a, .agent = h, .out = out, .command = hooks_command(a, h, program) };
	bool good;

	hooks_begin(&e, text);
	good = hooks_install_all(&e, err);
	hooks_done(&e);
	return good;
}

/* ---- taking out ---- */

/* An entry goes with its last hook, an event with its last entry, and "hooks" with its last event. */
static void hooks_take_out(struct hooks_edit *e, struct val list, struct val entry, struct val inner)
{
	if (!val_is_none(inner) && val_count(val_get(entry, STR("hooks"))) > 1)
		hooks_cut(e, hooks_offset(inner), hooks_end(inner));
	else if (val_count(list) > 1)
		hooks_cut(e, hooks_offset(entry), hooks_end(entry));
	else if (val_count(e->hooks) > 1)
		hooks_cut_member(e, e->hooks, list);
	else
		hooks_cut_member(e, e->root, e->hooks);
}

/* Takes one out. False: there is none, or *err. */
static bool hooks_remove_one(struct hooks_edit *e, struct err *err)
{
	struct val_iter it;
	struct val key, list, entry, inner;

	if (!hooks_parse(e, err))
		return false;
	it = val_begin(e->hooks);
	while (val_next_member(&it, &key, &list)) {
		if (val_is_none(hooks_find_ours(e, list, &entry, &inner)))
			continue;
		hooks_take_out(e, list, entry, inner);
		e->out->removed++;
		return true;
	}
	return false;
}

bool hooks_remove(struct arena *a, const struct hooks_agent *h, struct str text, struct hooks_change *out,
		  struct err *err)
{
	struct hooks_edit e = { .arena = a, .agent = h, .out = out };
	struct err why = { .kind = ERR_NONE };

	hooks_begin(&e, text);
	while (hooks_remove_one(&e, &why))
		;
	hooks_done(&e);
	if (why.kind != ERR_NONE)
		*err = why;
	return why.kind == ERR_NONE;
}
