/*
 * Lines of a session: how each hangs on the one before, what it gets back of the line that it was, and what it cannot
 * say, which stands in its member `trackway`.
 */
#include "dialect/claude_code/own.h"
#include "dialect/claude_code/write.h"
#include "dialect/reading/original.h"
#include "dialect/record/field.h"

#define KEY "claude-code/1"
#define KEY_POINTER "/ext/claude-code~11"

/* The end of a branch: its last line, and the last one that was a line before. */
struct session_head {
	struct str uuid, kept;
};

/* ---- what a line cannot say ---- */

/* Big numbers that are still texts: all but those that stand in the line as numbers again. */
static struct bignum *own_bignums(struct session_writer *x, const struct event *e, bool payload, bool native)
{
	struct bignum *first = NULL, **last = &first;

	for (const struct bignum *b = e->bignums; b; b = b->next) {
		bool ext = str_starts(b->pointer, STR("/ext/"));
		bool kept = str_starts(b->pointer, STR(KEY_POINTER));

		if (ext ? kept && native : !payload)
			continue;
		*last = arena_new(&x->scratch, struct bignum);
		(*last)->pointer = b->pointer;
		last = &(*last)->next;
	}
	return first;
}

void claude_code_write_own(struct session_writer *x, struct event left, bool native, bool payload, struct str more)
{
	struct extra *first = NULL, **last = &first;
	struct buf record = { 0 };

	buf_add_byte(&x->own, x->own.n ? ',' : '{');
	otutl_put_text(&x->own, claude_code_own_name(left.kind));
	buf_add_byte(&x->own, ':');
	for (const struct extra *e = left.extras; e; e = e->next) {
		if (e->member || (native && str_eq(e->key, STR(KEY))))
			continue;
		*last = arena_new(&x->scratch, struct extra);
		**last = *e;
		(*last)->next = NULL;
		last = &(*last)->next;
	}
	left.bignums = own_bignums(x, &left, payload, native);
	left.extras = first;
	left.branch = left.calls = str_of(NULL, 0);
	left.ts.source = MOMENT_VENDOR;
	if (!left.ts.text.p)
		left.ts.text = STR(OTUTL_NO_TIME);
	otutl_emit(&x->emit, &record, &left);
	x->emit.tool = str_of(NULL, 0);
	if (more.n) {
		record.n--;
		buf_add_str(&record, record.n > 1 ? STR(",") : STR(""));
		buf_add_str(&record, more);
		buf_add_byte(&record, '}');
	}
	buf_add_str(&x->own, buf_str(&record));
	buf_free(&record);
}

/* ---- a line ---- */

/* Members that a line gets from elsewhere than from what was kept of it. */
static const struct str line_names[] = {
	WORD("parentUuid"), WORD("isSidechain"), WORD("userType"), WORD("cwd"), WORD("sessionId"), WORD("version"),
	WORD("agentId"), WORD("type"), WORD("message"), WORD("requestId"), WORD("uuid"), WORD("timestamp"),
	WORD(CLAUDE_CODE_OWN), WORD("block"), WORD("blocks"), WORD("pieces"), WORD("toolUseResult"), WORD("subtype"),
	WORD("content"), WORD("error"), WORD("isApiErrorMessage"), WORD("data"), WORD("attachment"),
};

/* Whether it is what a line of a session left, and not one of a stream. */
static struct val session_rest(struct val rest)
{
	static const struct str signs[] = { WORD("sessionId"), WORD("leafUuid"), WORD("isSidechain"), WORD("snapshot"),
					    WORD("messageId") };
	bool stream = val_has(rest, STR("session_id"));

	return !stream && values_count_names(rest, signs, COUNT(signs)) > 0 ? rest : VAL_NONE;
}

struct val claude_code_find_rest(struct session_writer *x, const struct event *e, size_t piece)
{
	struct val rest = original_rest(x->parser, e, KEY, &x->scratch), list = val_get(rest, STR("pieces"));
	size_t i = 0;

	if (!val_is(list, JSON_ARRAY))
		return piece == 0 ? session_rest(rest) : VAL_NONE;
	VALUES_EACH(one, list)
		if (i++ == piece)
			return session_rest(one);
	return VAL_NONE;
}

static struct str branch_key(const struct event *e)
{
	return e->branch.p ? e->branch : STR("");
}

/* The line's own uuid when it had one that no line before has, else one made of its number. */
static void choose_uuid(struct session_writer *x, struct session_line *l)
{
	struct val v = val_get(l->rest, STR("uuid"));
	char text[ID_UUID_TEXT];
	struct str name;

	x->lines++;
	if (val_is(v, JSON_STRING)) {
		l->uuid = arena_copy(&x->run, val_text(v, &x->scratch));
		map_add(&x->uuids, l->uuid, &l->kept);
		if (l->kept)
			return;
	}
	name = arena_printf(&x->scratch, "line %llu", (unsigned long long)x->lines);
	id_format_uuid(text, writing_node_id(x->id, name, l->e->ts.ns > 0 ? l->e->ts.ns : 0));
	l->uuid = arena_copy(&x->run, str_of(text, sizeof(text)));
}

static const struct str *as_text(const uint64_t *slot)
{
	return slot && *slot ? (const struct str *)(uintptr_t)*slot : NULL;
}

/* The line it followed, or the last that was made of that one, where it is here; else the last one of its branch. */
static void put_before(struct session_writer *x, struct session_line *l)
{
	struct val v = val_get(l->rest, STR("parentUuid"));
	struct str kept = l->kept && val_is(v, JSON_STRING) ? val_text(v, &x->scratch) : str_of(NULL, 0);
	const uint64_t *head = map_find(&x->heads, branch_key(l->e));
	const uint64_t *found = kept.p && !str_eq(kept, l->uuid) ? map_find(&x->uuids, kept) : NULL;

	json_write_key(&l->j, STR("parentUuid"));
	if (found)
		json_write_string(&l->j, as_text(found) ? *as_text(found) : kept);
	else if (head && !(l->kept && val_is(v, JSON_NULL)))
		json_write_string(&l->j, ((const struct session_head *)(uintptr_t)*head)->uuid);
	else
		json_write_null(&l->j);
}

/* The line is the last of its branch now. */
static void set_head(struct session_writer *x, const struct session_line *l)
{
	bool added;
	uint64_t *slot = map_add(&x->heads, branch_key(l->e), &added);
	struct session_head *head = added ? arena_new(&x->run, struct session_head) :
					    (struct session_head *)(uintptr_t)*slot;
	uint64_t *kept;

	*slot = (uintptr_t)head;
	head->uuid = l->uuid;
	if (l->kept) {
		head->kept = l->uuid;
		return;
	}
	kept = head->kept.p ? map_find(&x->uuids, head->kept) : NULL;
	if (kept) {
		struct str *last = *kept ? (struct str *)(uintptr_t)*kept : arena_new(&x->run, struct str);

		*last = l->uuid;
		*kept = (uintptr_t)last;
	}
}

/* Remembers which branch works for a call. */
static void note_agent(struct session_writer *x, const struct event *e)
{
	struct str *branch;
	uint64_t *slot;
	bool added;

	if (!e->branch.p || !e->parent.p)
		return;
	slot = map_add(&x->agents, e->parent, &added);
	if (!added)
		return;
	branch = arena_new(&x->run, struct str);
	*branch = arena_copy(&x->run, e->branch);
	*slot = (uintptr_t)branch;
}

/* The directory of lines that do not say theirs is that of the line before. */
static void note_cwd(struct session_writer *x, struct val rest)
{
	struct val v = val_get(rest, STR("cwd"));
	struct str cwd = val_is(v, JSON_STRING) ? val_text(v, &x->scratch) : str_of(NULL, 0);

	if (cwd.p && !str_eq(cwd, x->cwd))
		x->cwd = arena_copy(&x->run, cwd);
}

struct session_line claude_code_begin_line(struct session_writer *x, const struct event *e, struct val rest,
					   struct str type)
{
	struct session_line l = { .e = e, .rest = rest };

	l.bare = val_is(rest, JSON_OBJECT) && !val_has(rest, STR("uuid"));
	json_write_init(&l.j, x->w->out, JSON_COMPACT);
	json_write_begin_object(&l.j);
	if (l.bare) {
		json_put_text(&l.j, "type", type);
		original_copy(&l.j, rest, STR("sessionId"));
		return l;
	}
	note_cwd(x, rest);
	note_agent(x, e);
	choose_uuid(x, &l);
	put_before(x, &l);
	json_put_bool(&l.j, "isSidechain", e->branch.p != NULL);
	original_text(&l.j, rest, STR("userType"), STR("external"));
	original_text(&l.j, rest, STR("cwd"), x->cwd.p ? x->cwd : STR(""));
	original_text(&l.j, rest, STR("sessionId"), x->session);
	original_text(&l.j, rest, STR("version"), x->version.p ? x->version : STR(""));
	if (e->branch.p)
		json_put_text(&l.j, "agentId", e->branch);
	json_put_text(&l.j, "type", type);
	return l;
}

/* Where its time comes from is said when it is no time of the source's. */
static void put_own(struct session_writer *x, struct session_line *l)
{
	const char *source = otutl_moment_sources[l->e->ts.text.p ? l->e->ts.source : MOMENT_NONE];

	if (source && !l->bare) {
		buf_add_str(&x->own, x->own.n ? STR(",") : STR("{"));
		buf_printf(&x->own, "\"%s\":\"%s\"", CLAUDE_CODE_OWN_TIME, source);
	}
	if (x->own.n) {
		buf_add_byte(&x->own, '}');
		json_put_raw(&l->j, CLAUDE_CODE_OWN, buf_str(&x->own));
	}
	buf_clear(&x->own);
}

void claude_code_end_line(struct session_writer *x, struct session_line *l)
{
	bool timed = l->e->ts.source == MOMENT_VENDOR || l->e->ts.source == MOMENT_DERIVED;

	if (!l->bare)
		json_put_text(&l->j, "uuid", l->uuid);
	if (!l->bare || (timed && l->e->ts.text.p))
		json_put_text(&l->j, "timestamp", l->e->ts.text.p ? l->e->ts.text : STR(OTUTL_NO_TIME));
	original_others(&l->j, l->rest, line_names, COUNT(line_names), &x->scratch);
	put_own(x, l);
	json_write_end_object(&l->j);
	buf_add_byte(x->w->out, '\n');
	if (!l->bare)
		set_head(x, l);
}

const struct str *claude_code_agent_of(const struct session_writer *x, struct str call)
{
	return as_text(map_find(&x->agents, call));
}
