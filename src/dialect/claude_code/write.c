/*
 * Events as a session file of Claude Code: a line for each block of an answer, with the answer's id and tokens on each
 * of them, a line for each result and message, lines of sub-agents among them. A line of a session that was read here
 * gets back what the model has no field for. What a line cannot say stands in its member `trackway` (own.h).
 *
 * Memory: the step at hand, 24 bytes for each call, and for each branch and each line that was one before its uuid.
 */
#include "base/map.h"
#include "dialect/claude_code/claude_code.h"
#include "dialect/claude_code/own.h"
#include "dialect/otutl/pairs.h"
#include "dialect/reading/original.h"
#include "dialect/reading/speech.h"
#include "dialect/reading/tool_name.h"
#include "dialect/record/field.h"
#include "dialect/writing.h"
#include "json/put.h"
#include "model/compaction.h"
#include "model/words.h"

#define KEY "claude-code/1"
#define NOTHING str_of(NULL, 0)
#define KEY_POINTER "/ext/claude-code~11"

struct session_writer {
	struct writing *w;
	struct json_parser *parser, *inner; /* for what an event kept of its line; for payloads */
	struct otutl_emit emit;
	struct otutl_pairs pairs; /* calls, open and answered */
	struct arena run, hold, scratch; /* of the run, of the step at hand, of the event */
	struct map heads;  /* by branch: struct session_head */
	struct map uuids;  /* of lines that were lines before: the last of those that were made of it, or 0 */
	struct map agents; /* by call: the branch that works for it */
	struct id id;
	struct str session, version, vendor, cwd;
	uint64_t lines;
	bool open;
	struct event *step, *cost; /* the step at hand, or NULL */
	bool waits;                /* it is not written yet */
	struct buf own;            /* of the line at hand */
};

/* The end of a branch: its last line, and the last one that was a line before. */
struct session_head {
	struct str uuid, kept;
};

/* A line while it is written. */
struct session_line {
	struct json_writer j;
	const struct event *e; /* whose time and branch it has */
	struct val rest;       /* what that kept of its line; VAL_NONE when it was none of a session */
	struct str uuid;
	bool kept;             /* that is what it was */
	bool bare;             /* it has no uuid, as titles and snapshots have none */
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

/*
 * Adds what is left of the event, a copy of which the caller has taken what the line says. `native`: so is what the
 * event kept of its line. `payload`: a payload is among it. `more` (p NULL: none) are further members.
 */
static void session_add_own(struct session_writer *x, struct event left, bool native, bool payload, struct str more)
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

/* Of a step of several lines the piece of this one. */
static struct val find_rest(struct session_writer *x, const struct event *e, size_t piece)
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

/* Begins a line up to its type. Readers want directory and version in each; "" says that nobody knows. */
static struct session_line begin_line(struct session_writer *x, const struct event *e, struct val rest, struct str type)
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

static void session_end_line(struct session_writer *x, struct session_line *l)
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

/* ---- answers ---- */

static void session_put_figure(struct json_writer *j, const char *name, struct figure f)
{
	if (f.state != FIGURE_ABSENT)
		json_put_u64_or_null(j, name, f.n, figure_is_known(f));
}

static struct figure less(struct figure whole, struct figure part)
{
	if (figure_is_known(whole) && figure_is_known(part))
		whole.n = whole.n > part.n ? whole.n - part.n : 0;
	return whole;
}

/* As this service counts: what was cached is no part of the input. */
static void put_tokens(struct session_writer *x, struct json_writer *j, const struct usage *u, struct val rest)
{
	static const struct str names[] = {
		WORD("input_tokens"), WORD("output_tokens"), WORD("cache_read_input_tokens"),
		WORD("cache_creation_input_tokens"), WORD("cache_creation"), WORD("output_tokens_details"),
	};

	if (!usage_is_known(u))
		return;
	json_put_object(j, "usage");
	session_put_figure(j, "input_tokens", less(less(u->input, u->cache_read), u->cache_write));
	session_put_figure(j, "output_tokens", u->output);
	session_put_figure(j, "cache_read_input_tokens", u->cache_read);
	session_put_figure(j, "cache_creation_input_tokens", u->cache_write);
	if (figure_is_known(u->cache_write_1h)) {
		json_put_object(j, "cache_creation");
		if (figure_is_known(u->cache_write))
			session_put_figure(j, "ephemeral_5m_input_tokens", less(u->cache_write, u->cache_write_1h));
		session_put_figure(j, "ephemeral_1h_input_tokens", u->cache_write_1h);
		json_write_end_object(j);
	}
	if (figure_is_known(u->reasoning)) {
		json_put_object(j, "output_tokens_details");
		session_put_figure(j, "thinking_tokens", u->reasoning);
		json_write_end_object(j);
	}
	original_others(j, rest, names, COUNT(names), &x->scratch);
	json_write_end_object(j);
}

/* A block of text or of thought; the signature of a thought is in what was kept. */
static void put_spoken(struct session_writer *x, struct session_line *l, const char *type, struct str text)
{
	static const struct str names[] = { WORD("type"), WORD("text"), WORD("thinking") };
	struct val kept = val_get(val_get(val_get(l->rest, STR("message")), STR("content")), STR("#0"));
	bool thought = type[1] == 'h';

	json_write_begin_object(&l->j);
	json_put_text(&l->j, "type", str_from(type));
	json_put_text(&l->j, type, text);
	if (thought && !val_has(kept, STR("signature")))
		json_put_text(&l->j, "signature", STR(""));
	original_others(&l->j, kept, names, COUNT(names), &x->scratch);
	json_write_end_object(&l->j);
}

/* Arguments as an object: what is none is {"raw": ...}, and *odd is set. */
static struct str input_of(struct session_writer *x, const struct event *e, bool *odd)
{
	struct str args = original_payload(x->inner, e, "args", e->args.n ? e->args : STR("{}"), &x->scratch);

	*odd = args.p[0] != '{' || (e->flags & (EVENT_RAW_ARGS | EVENT_WITHHELD));
	return args.p[0] == '{' ? args : ARENA_JOIN(&x->scratch, STR("{\"raw\":"), args, STR("}"));
}

static void put_call(struct session_writer *x, struct session_line *l, const struct event *e)
{
	static const struct str names[] = { WORD("type"), WORD("id"), WORD("name"), WORD("input") };
	struct val kept = val_get(l->rest, STR("block"));
	bool odd;

	json_write_begin_object(&l->j);
	original_text(&l->j, kept, STR("type"), STR("tool_use"));
	json_put_text(&l->j, "id", e->call);
	json_put_text(&l->j, "name", tool_name_full(&x->scratch, e));
	json_put_raw(&l->j, "input", input_of(x, e, &odd));
	original_others(&l->j, kept, names, COUNT(names), &x->scratch);
	json_write_end_object(&l->j);
}

/* What a line of an answer holds: a text, a thought, a call, or nothing. */
struct said {
	const char *type; /* "text", "thinking", or NULL */
	struct str text;
	const struct event *call;
};

/* `step` may be NULL: of a call whose step is not at hand. */
static void session_put_answer(struct session_writer *x, struct session_line *l, const struct event *step, struct said said)
{
	static const struct str names[] = {
		WORD("id"), WORD("type"), WORD("role"), WORD("model"), WORD("content"), WORD("stop_reason"),
		WORD("usage"),
	};
	struct val kept = val_get(l->rest, STR("message"));
	struct str id = step ? step->step : said.call ? said.call->step : str_of(NULL, 0);

	json_put_object(&l->j, "message");
	json_put_text(&l->j, "id", id.n ? id : l->uuid);
	json_put_text(&l->j, "type", STR("message"));
	json_put_text(&l->j, "role", STR("assistant"));
	json_put_text(&l->j, "model", step && step->model.n ? step->model : STR("unknown"));
	json_put_array(&l->j, "content");
	if (said.type)
		put_spoken(x, l, said.type, said.text);
	if (said.call)
		put_call(x, l, said.call);
	json_write_end_array(&l->j);
	json_put_text_or_null(&l->j, "stop_reason", step ? step->stop_reason : str_of(NULL, 0));
	if (step)
		put_tokens(x, &l->j, &step->usage, val_get(kept, STR("usage")));
	original_others(&l->j, kept, names, COUNT(names), &x->scratch);
	json_write_end_object(&l->j);
	if (step && step->request_id.p)
		json_put_text(&l->j, "requestId", step->request_id);
}

/* The time of a step that stands on the line of a call, where it is another. */
static void add_own_time(struct session_writer *x, struct buf *more, const struct event *call)
{
	const struct moment *ts = &x->step->ts;
	const char *source = otutl_moment_sources[ts->text.p ? ts->source : MOMENT_NONE];

	if (!call || !ts->text.p || (str_eq(ts->text, call->ts.text) && ts->source == call->ts.source))
		return;
	buf_add_str(more, more->n ? STR(",\"ts\":") : STR("\"ts\":"));
	otutl_put_text(more, ts->text);
	if (source)
		buf_printf(more, ",\"%s\":\"%s\"", CLAUDE_CODE_OWN_TIME, source);
}

/* `first`: on its first line; `call` is on the same line, or NULL. */
static void own_step(struct session_writer *x, bool native, bool first, const struct event *call)
{
	struct event left = *x->step;
	struct buf more = { 0 };

	left.text = left.reasoning = left.step = left.model = left.request_id = left.stop_reason = str_of(NULL, 0);
	if (!first)
		left.extras = NULL;
	if (!x->step->model.n)
		buf_add_str(&more, STR("\"" CLAUDE_CODE_OWN_NAMELESS "\":true"));
	add_own_time(x, &more, call);
	session_add_own(x, left, native, false, buf_str(&more));
	buf_free(&more);
	if (first && x->cost)
		session_add_own(x, *x->cost, false, false, NOTHING);
}

/* Which tool it is, is said where the name alone does not. */
static void session_own_call(struct session_writer *x, const struct event *e, bool native)
{
	struct str vendor = e->vendor.p ? e->vendor : x->vendor;
	struct str uri = vendor.n ? words_tool_uri(&x->scratch, vendor, e->server, e->tool) : e->tool;
	struct event left = *e;
	bool odd;

	input_of(x, e, &odd);
	left.call = left.step = str_of(NULL, 0);
	if (!odd)
		left.args = str_of(NULL, 0);
	if (!str_eq(uri, words_tool_uri(&x->scratch, x->vendor, NOTHING, tool_name_full(&x->scratch, e))))
		x->emit.tool = uri;
	session_add_own(x, left, native, odd, NOTHING);
}

static void write_said(struct session_writer *x, struct said said, size_t piece, bool first)
{
	struct val rest = find_rest(x, x->step, piece);
	struct session_line l;

	own_step(x, !val_is_none(rest), first, NULL);
	l = begin_line(x, x->step, rest, STR("assistant"));
	session_put_answer(x, &l, x->step, said);
	session_end_line(x, &l);
}

/* Writes the step at hand: a line for what was thought, one for what was said, one for neither. */
static void flush_step(struct session_writer *x)
{
	const struct event *e = x->step;
	bool thought = x->waits && e->reasoning.p;

	if (!x->waits)
		return;
	x->waits = false;
	if (thought)
		write_said(x, (struct said){ .type = "thinking", .text = e->reasoning }, 0, true);
	if (e->text.p)
		write_said(x, (struct said){ .type = "text", .text = e->text }, thought, !thought);
	if (!thought && !e->text.p)
		write_said(x, (struct said){ .type = NULL }, 0, true);
}

static bool is_at_hand(const struct session_writer *x, const struct event *e)
{
	return x->step && x->step->step.p && str_eq(x->step->step, e->step) && str_eq(x->step->branch, e->branch);
}

/* A step that said nothing stands on the line of its first call. */
static void write_call(struct session_writer *x, const struct event *e)
{
	bool ours = is_at_hand(x, e), both = ours && x->waits && !x->step->text.p && !x->step->reasoning.p;
	struct session_line l;
	struct val rest;

	otutl_pairs_open(&x->pairs, e->call);
	if (!both)
		flush_step(x);
	if (both)
		own_step(x, false, true, e);
	x->waits = false;
	rest = find_rest(x, e, 0);
	session_own_call(x, e, !val_is_none(rest));
	l = begin_line(x, e, rest, STR("assistant"));
	session_put_answer(x, &l, ours ? x->step : NULL, (struct said){ .call = e });
	session_end_line(x, &l);
}

/* ---- what the user's side says ---- */

/* Whether all of a list are blocks that this API has, whatever has a text or a picture in it. */
static bool is_blocks(struct session_writer *x, struct str json)
{
	static const struct str media[] = { WORD("image"), WORD("document"), WORD("search_result"),
					    WORD("tool_reference") };
	struct val list = writing_parse(x->inner, json);

	if (!val_is(list, JSON_ARRAY))
		return false;
	VALUES_EACH(block, list) {
		struct val type = val_get(block, STR("type"));
		bool text = val_text_is(type, STR("text")) && val_is(val_get(block, STR("text")), JSON_STRING);

		if (!text && !(values_is_word(type, media, COUNT(media)) &&
			       (val_has(block, STR("source")) || val_has(block, STR("tool_name")))))
			return false;
	}
	return true;
}

/* The content as it may stand in a line: a text or blocks. *odd says that it is not what the event has. */
static struct str content_of(struct session_writer *x, const struct event *e, const char *member, bool *odd)
{
	struct str json = original_payload(x->inner, e, member, e->content, &x->scratch);
	struct buf text = { 0 };

	*odd = false;
	if (json.n && (json.p[0] == '"' || is_blocks(x, json)))
		return json;
	*odd = e->content.n > 0;
	json_write_quoted(&text, json.n ? speech_text(&x->scratch, x->inner, json, NULL) : STR(""));
	return arena_take(&x->scratch, &text);
}

/* The message of a line that holds one result. `truth` is an enum truth. */
static void put_result(struct session_writer *x, struct session_line *l, struct str call, struct str content,
		       uint8_t truth)
{
	static const struct str names[] = { WORD("type"), WORD("tool_use_id"), WORD("content"), WORD("is_error") };
	struct val kept = val_get(l->rest, STR("block"));

	json_put_object(&l->j, "message");
	json_put_text(&l->j, "role", STR("user"));
	json_put_array(&l->j, "content");
	json_write_begin_object(&l->j);
	original_text(&l->j, kept, STR("type"), STR("tool_result"));
	json_put_text(&l->j, "tool_use_id", call);
	json_put_raw(&l->j, "content", content);
	if (truth == TRUTH_TRUE || truth == TRUTH_FALSE)
		json_put_bool(&l->j, "is_error", truth == TRUTH_TRUE);
	original_others(&l->j, kept, names, COUNT(names), &x->scratch);
	json_write_end_object(&l->j);
	json_write_end_array(&l->j);
	json_write_end_object(&l->j);
}

/* The result of a call for which a sub-agent worked says which, as readers find its lines by that. */
static void write_result(struct session_writer *x, const struct event *e)
{
	struct val rest = find_rest(x, e, 0);
	const uint64_t *agent = map_find(&x->agents, e->call);
	struct event left = *e;
	struct session_line l;
	struct str content;
	bool odd;

	content = content_of(x, e, "result", &odd);
	left.call = str_of(NULL, 0);
	if (!odd)
		left.content = str_of(NULL, 0);
	if (e->is_error == TRUTH_TRUE || e->is_error == TRUTH_FALSE)
		left.is_error = TRUTH_ABSENT;
	x->emit.chunks = e->chunks.n && (x->w->chunks || str_eq(x->w->source_format, STR("otutl")));
	session_add_own(x, left, !val_is_none(rest), odd, e->content.n ? NOTHING : STR("\"" CLAUDE_CODE_OWN_EMPTY "\":true"));
	x->emit.chunks = false;
	l = begin_line(x, e, rest, STR("user"));
	put_result(x, &l, e->call, content, e->is_error);
	if (!original_copy(&l.j, rest, STR("toolUseResult")) && agent) {
		json_put_object(&l.j, "toolUseResult");
		json_put_text(&l.j, "agentId", *as_text(agent));
		json_write_end_object(&l.j);
	}
	session_end_line(x, &l);
}

/* A line of the user, or of the model when it is told what that said. The event is a MESSAGE or a NOTE. */
static void session_write_message(struct session_writer *x, const struct event *e, struct str type)
{
	struct val rest = find_rest(x, e, 0);
	bool odd, answer = str_eq(type, STR("assistant"));
	struct str content = content_of(x, e, "content", &odd);
	struct event left = *e;
	struct session_line l;

	if (!odd && !answer)
		left.content = str_of(NULL, 0);
	session_add_own(x, left, !val_is_none(rest), odd || answer, NOTHING);
	l = begin_line(x, e, rest, type);
	if (answer) {
		session_put_answer(x, &l, NULL, (struct said){ .type = "text", .text = writing_plain(&x->scratch, content) });
	} else {
		json_put_object(&l.j, "message");
		json_put_text(&l.j, "role", STR("user"));
		json_put_raw(&l.j, "content", content);
		json_write_end_object(&l.j);
	}
	session_end_line(x, &l);
}

/* ---- lines of the program ---- */

/* A line of type system, whose subtype is the name of what it holds; `text` (p NULL: none) is for people. */
static void write_system(struct session_writer *x, const struct event *e, struct str subtype, struct str text)
{
	struct val rest = e->kind == EVENT_NOTE ? find_rest(x, e, 0) : VAL_NONE;
	struct session_line l = begin_line(x, e, rest, STR("system"));

	json_put_text(&l.j, "subtype", subtype);
	if (text.p)
		json_put_text(&l.j, "content", text);
	if (!val_has(rest, STR("level")))
		json_put_text(&l.j, "level", e->kind == EVENT_ERROR ? STR("error") : STR("info"));
	session_end_line(x, &l);
}

/* A NOTE that was a line of another type than system: its content in the member that it came from. */
static bool write_native_note(struct session_writer *x, const struct event *e, struct val rest)
{
	struct str member = claude_code_note_member(e->role), type = e->role;
	struct val kind = val_get(writing_parse(x->inner, e->content), STR("type"));
	struct session_line l;

	if (!member.p && val_is(kind, JSON_STRING) && val_text_is(kind, e->role)) {
		type = STR("progress");
		member = STR("data");
	}
	if (!member.p && val_has(rest, STR("uuid")))
		return false;
	l = begin_line(x, e, rest, type);
	if (member.p && !str_eq(e->content, STR("null"))) {
		json_write_key(&l.j, member);
		json_write_raw(&l.j, original_payload(x->inner, e, "content", e->content, &x->scratch));
	}
	session_end_line(x, &l);
	return true;
}

static void put_renamed(struct json_writer *j, const char *name, struct val v)
{
	if (!val_is_unset(v))
		json_put_raw(j, name, val_source(v));
}

/* What other programs tell of a compaction is what Claude Code calls a boundary. */
static void write_boundary(struct session_writer *x, const struct event *e, struct val said)
{
	struct session_line l;

	session_add_own(x, *e, false, true, NOTHING);
	l = begin_line(x, e, VAL_NONE, STR("system"));
	json_put_text(&l.j, "subtype", STR("compact_boundary"));
	json_put_text(&l.j, "content", STR("Conversation compacted"));
	json_put_text(&l.j, "level", STR("info"));
	json_put_object(&l.j, "compactMetadata");
	put_renamed(&l.j, "trigger", val_get(said, STR("trigger")));
	put_renamed(&l.j, "preTokens", val_get(said, STR("pre_tokens")));
	put_renamed(&l.j, "postTokens", val_get(said, STR("post_tokens")));
	json_write_end_object(&l.j);
	session_end_line(x, &l);
}

static void write_note(struct session_writer *x, const struct event *e)
{
	struct val rest = find_rest(x, e, 0);
	bool native = !val_is_none(rest), text = e->content.n && e->content.p[0] == '"';
	struct val said = str_eq(e->role, STR(COMPACTION_ROLE)) ? writing_parse(x->inner, e->content) : VAL_NONE;
	struct event left = *e;

	if (val_has(said, STR(COMPACTION_HIDDEN)) && !str_eq(x->vendor, STR("claude-code"))) {
		write_boundary(x, e, said);
		return;
	}
	if (native && claude_code_is_user_note(e->role) && val_has(rest, STR("uuid"))) {
		session_write_message(x, e, STR("user"));
		return;
	}
	if (native && write_native_note(x, e, rest))
		return;
	if (text)
		left.content = str_of(NULL, 0);
	session_add_own(x, left, native, !text, NOTHING);
	write_system(x, e, e->role.n ? e->role : STR("note"),
		     text ? writing_plain(&x->scratch, e->content) : str_of(NULL, 0));
}

/* What ended a call is its result. A call without a result says so itself. */
static void write_call_error(struct session_writer *x, const struct event *e)
{
	struct session_line l;
	struct buf text = { 0 };

	otutl_pairs_close(&x->pairs, e->call);
	if (str_eq(e->code, STR("no_result")))
		return;
	session_add_own(x, *e, false, true, NOTHING);
	json_write_quoted(&text, e->text.p ? e->text : STR(""));
	l = begin_line(x, e, VAL_NONE, STR("user"));
	put_result(x, &l, e->call, arena_take(&x->scratch, &text), TRUTH_TRUE);
	session_end_line(x, &l);
}

/* An answer that failed is a line of the model that says so. */
static void write_failed_answer(struct session_writer *x, const struct event *e)
{
	struct val rest = find_rest(x, e, 0);
	struct session_line l;

	session_add_own(x, *e, !val_is_none(rest), true, NOTHING);
	l = begin_line(x, e, rest, STR("assistant"));
	json_put_object(&l.j, "message");
	json_put_text(&l.j, "id", l.uuid);
	json_put_text(&l.j, "type", STR("message"));
	json_put_text(&l.j, "role", STR("assistant"));
	json_put_text(&l.j, "model", STR("<synthetic>"));
	json_put_array(&l.j, "content");
	put_spoken(x, &l, "text", e->text.p ? e->text : STR(""));
	json_write_end_array(&l.j);
	json_write_end_object(&l.j);
	if (e->code.p)
		json_put_text(&l.j, "error", e->code);
	json_put_bool(&l.j, "isApiErrorMessage", true);
	session_end_line(x, &l);
}

static void write_error(struct session_writer *x, const struct event *e)
{
	if (e->call.n && otutl_pairs_find(&x->pairs, e->call) == OTUTL_PAIR_OPEN) {
		write_call_error(x, e);
	} else if (str_eq(e->class, STR("model"))) {
		write_failed_answer(x, e);
	} else {
		session_add_own(x, *e, false, true, NOTHING);
		write_system(x, e, STR("error"), e->text.p ? e->text : e->code);
	}
}

/* A result that no call waits for, which no session has: told as an error. */
static void write_orphan(struct session_writer *x, const struct event *e)
{
	struct event error = { .kind = EVENT_ERROR, .ts = e->ts, .branch = e->branch, .step = e->step, .call = e->call,
			       .parent = e->parent, .class = STR("tool"), .code = STR("orphan_result"),
			       .text = STR("a result that no call waits for"), .bignums = e->bignums, .index = -1 };
	struct extra *ours = arena_new(&x->scratch, struct extra);

	*ours = (struct extra){ .next = e->extras, .key = STR("trackway/1") };
	ours->json = ARENA_JOIN(&x->scratch, STR("{\"result\":"), e->content.n ? e->content : STR("null"), STR("}"));
	error.extras = ours;
	write_error(x, &error);
}

/* ---- runs ---- */

static void begin_run(struct session_writer *x, const struct event *e)
{
	char id[ID_UUID_TEXT];

	arena_reset(&x->run);
	arena_reset(&x->hold);
	map_init(&x->heads, &x->run);
	map_init(&x->uuids, &x->run);
	map_init(&x->agents, &x->run);
	otutl_pairs_clear(&x->pairs);
	x->open = true;
	x->lines = 0;
	x->step = x->cost = NULL;
	x->waits = false;
	x->cwd = str_of(NULL, 0);
	x->id = writing_id_of(e);
	id_format_uuid(id, x->id);
	x->session = arena_copy(&x->run, e->run.n ? e->run : str_of(id, sizeof(id)));
	x->version = arena_copy(&x->run, e->agent_version);
	x->vendor = arena_copy(&x->run, e->vendor.p ? e->vendor : STR("unknown"));
	session_add_own(x, *e, false, true, NOTHING);
	write_system(x, e, STR("run_start"), STR("The run begins."));
}

static void end_run(struct session_writer *x, const struct event *e)
{
	struct str status = words_status(e->status);

	flush_step(x);
	session_add_own(x, *e, false, true, NOTHING);
	write_system(x, e, STR("run_end"), ARENA_JOIN(&x->scratch, STR("The run is over: "), status, STR(".")));
	x->open = false;
}

/* A step waits for what it cost and for its first call. */
static void hold_step(struct session_writer *x, const struct event *e)
{
	flush_step(x);
	arena_reset(&x->hold);
	x->step = event_copy(&x->hold, e);
	x->cost = NULL;
	x->waits = true;
}

static void write_cost(struct session_writer *x, const struct event *e)
{
	if (x->waits && !x->cost && is_at_hand(x, e) && str_eq(e->scope, STR("step"))) {
		x->cost = event_copy(&x->hold, e);
		return;
	}
	flush_step(x);
	session_add_own(x, *e, false, true, NOTHING);
	write_system(x, e, STR("cost"), str_of(NULL, 0));
}

static void write_other(struct session_writer *x, const struct event *e)
{
	bool user = str_eq(e->role, STR("user")) || str_eq(e->role, STR("tool")) || str_eq(e->role, STR("function"));
	bool odd;

	flush_step(x);
	if (e->kind == EVENT_RESULT && (!e->call.n || otutl_pairs_find(&x->pairs, e->call) != OTUTL_PAIR_OPEN)) {
		write_orphan(x, e);
	} else if (e->kind == EVENT_RESULT) {
		otutl_pairs_close(&x->pairs, e->call);
		write_result(x, e);
	} else if (e->kind == EVENT_ERROR) {
		write_error(x, e);
	} else if (e->kind == EVENT_NOTE) {
		write_note(x, e);
	} else if (user || str_eq(e->role, STR("assistant"))) {
		session_write_message(x, e, user ? STR("user") : STR("assistant"));
	} else {
		session_add_own(x, *e, false, true, NOTHING);
		write_system(x, e, e->role.n ? e->role : STR("message"),
			     writing_plain(&x->scratch, content_of(x, e, "content", &odd)));
	}
}

/* ---- the writer ---- */

static void *session_writer_open(struct writing *w)
{
	struct session_writer *x = mem_alloc(sizeof(*x));

	*x = (struct session_writer){ .w = w };
	x->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	x->inner = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	otutl_emit_init(&x->emit);
	otutl_pairs_init(&x->pairs);
	x->emit.bare = true;
	arena_init(&x->run);
	arena_init(&x->hold);
	arena_init(&x->scratch);
	return x;
}

static void session_writer_close(void *writer)
{
	struct session_writer *x = writer;

	json_parser_close(x->parser);
	json_parser_close(x->inner);
	otutl_emit_free(&x->emit);
	otutl_pairs_free(&x->pairs);
	buf_free(&x->own);
	arena_free(&x->run);
	arena_free(&x->hold);
	arena_free(&x->scratch);
	mem_free(x);
}

/* Events outside of a run get one. Never fails. */
static bool session_writer_event(void *writer, const struct event *e, struct err *err)
{
	struct session_writer *x = writer;

	(void)err;
	arena_reset(&x->scratch);
	if (e->kind == EVENT_RUN_START) {
		if (x->open)
			flush_step(x);
		begin_run(x, e);
		return true;
	}
	if (!x->open)
		begin_run(x, &(struct event){ .kind = EVENT_RUN_START, .ts = e->ts, .index = -1 });
	if (e->kind == EVENT_RUN_END)
		end_run(x, e);
	else if (e->kind == EVENT_STEP)
		hold_step(x, e);
	else if (e->kind == EVENT_CALL)
		write_call(x, e);
	else if (e->kind == EVENT_COST)
		write_cost(x, e);
	else
		write_other(x, e);
	return true;
}

static bool session_writer_end(void *writer, struct err *err)
{
	struct session_writer *x = writer;

	(void)err;
	if (x->open)
		flush_step(x);
	return true;
}

const struct write_ops claude_code_write = {
	.cannot = "nothing: what its lines cannot say stands in a member of ours, which other programs pass over; "
		  "pieces of results only when asked for",
	.names_runs = true,
	.open = session_writer_open,
	.close = session_writer_close,
	.event = session_writer_event,
	.end = session_writer_end,
};
