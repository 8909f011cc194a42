/*
 * Checks the lines of one chunk, each for itself: JSON, the members the rules are about, numbers and characters; and
 * has its canonical form made. What lies between records is the fold's.
 */
#include <assert.h>
#include <stdarg.h>

#include "base/ascii.h"
#include "base/crypto/merkle.h"
#include "base/mask.h"
#include "base/num.h"
#include "base/utf8.h"
#include "dialect/otutl/field.h"
#include "dialect/otutl/otutl.h"
#include "dialect/otutl/project.h"
#include "dialect/otutl/rules.h"
#include "dialect/reading/torn.h"
#include "dialect/record/field.h"
#include "dialect/values.h"
#include "model/compaction.h"

#define SEQ_MAX (((uint64_t)1 << 53) - 1)
#define SHOWN 60 /* bytes of a value that a message repeats */

/* A line being scanned. */
struct scan {
	struct otutl_scanner *tools;
	struct otutl_batch *out;
	const struct otutl_chunk *in;
	const struct json_record *line;
	struct otutl_record record;
	struct val fields[OTUTL_MEMBERS];
};

/* ---- findings ---- */

/* What is wrong with the piece of the line from `at` on. */
__attribute__((format(printf, 6, 7))) static void otutl_scan_note(struct scan *s, enum otutl_code code, size_t at,
								  size_t length, struct str pointer,
								  const char *format, ...)
{
	struct arena *a = &s->out->arena;
	struct finding f = { .code = NULL };
	struct buf text = { 0 };
	va_list args;

	/* the fold is fair to rare codes, so each may need as many as there is room for */
	if (s->tools->finding_limit && s->out->whole[code] >= s->tools->finding_limit) {
		buf_add_byte(&s->out->codes, (char)(code | OTUTL_BARE));
		return;
	}
	s->out->whole[code]++;
	buf_add_byte(&s->out->codes, (char)code);
	f.pointer = arena_copy(a, pointer);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	f.message = arena_take(a, &text);
	otutl_finding_set(&f, code, s->line->text, s->line->line, s->in->origin + s->line->offset, at, length);
	buf_add(&s->out->findings, &f, sizeof(f));
}

static size_t offset_in_line(const struct scan *s, struct str piece)
{
	return (size_t)(piece.p - s->line->text.p);
}

/* About a member of the record itself. */
static void otutl_scan_note_value(struct scan *s, enum otutl_code code, struct val v, const char *name,
				  const char *why)
{
	struct str source = val_source(v);
	struct str pointer = arena_printf(&s->tools->arena, "/%s", name);
	struct buf shown = { 0 };

	mask_show(&shown, source, SHOWN);
	otutl_scan_note(s, code, offset_in_line(s, source), source.n, pointer, "%s %.*s %s", name,
			STR_ARG(buf_str(&shown)), why);
	buf_free(&shown);
}

static void otutl_scan_note_missing(struct scan *s, enum otutl_code code, const char *why)
{
	otutl_scan_note(s, code, 0, 1, STR(""), "%s", why);
}

/* ---- fields ---- */

static struct str otutl_scan_text_of(struct scan *s, struct val v)
{
	return val_text(v, &s->tools->arena);
}

static void otutl_scan_check_type(struct scan *s)
{
	struct val v = s->fields[OTUTL_M_TYPE];

	if (val_is(v, JSON_STRING))
		s->record.type = (uint8_t)otutl_type_of(otutl_scan_text_of(s, v));
	if (val_is_none(v))
		otutl_scan_note_missing(s, OTUTL_E_TYPE, "the record has no type");
	else if (s->record.type == OTUTL_OTHER)
		otutl_scan_note_value(s, OTUTL_E_TYPE, v, "type", "is not one of the seven types");
}

/* What our writer says of a time that is not as it should be, because the source has it so. */
static void check_our_time(struct scan *s)
{
	struct val ext = s->fields[OTUTL_M_EXT];
	struct val ours = val_is(ext, JSON_OBJECT) ? val_get(ext, STR("trackway/1")) : VAL_NONE, source;

	if (!val_is(ours, JSON_OBJECT))
		return;
	source = val_get(ours, STR("ts_source"));
	if (val_is(val_get(ours, STR("ts_back")), JSON_TRUE))
		s->record.flags |= OTUTL_TS_BACK;
	if (val_text_is(source, STR("none")))
		s->record.flags |= OTUTL_TS_NONE;
}

/* What the model could no longer see from here on, as our writer notes it. */
static void note_compactions(struct scan *s)
{
	struct val ext = s->fields[OTUTL_M_EXT];
	struct val notes = val_get(val_get(ext, STR("trackway/1")), STR("notes"));

	VALUES_EACH(note, notes) {
		struct val content = val_get(note, STR("content")), from = val_get(content, STR(COMPACTION_FROM));
		struct figure hidden = { .state = FIGURE_NULL };
		struct buf text = { 0 };
		int64_t n;

		if (!val_text_is(val_get(note, STR("name")), STR(COMPACTION_ROLE)) ||
		    !val_has(content, STR(COMPACTION_HIDDEN)))
			continue;
		if (val_i64(val_get(content, STR(COMPACTION_HIDDEN)), &n) && n >= 0)
			hidden = FIGURE((uint64_t)n);
		compaction_say(&text, hidden, val_is(from, JSON_STRING) ? val_raw(from) : STR(""));
		otutl_scan_note(s, OTUTL_I_COMPACTED, offset_in_line(s, val_source(note)), 1,
				STR("/ext/trackway~11/notes"), "%.*s", STR_ARG(buf_str(&text)));
		buf_free(&text);
	}
}

/* A ts that is a time is kept for the fold even when it is odd; odd is a warning. */
static void check_ts(struct scan *s)
{
	struct val v = s->fields[OTUTL_M_TS];
	const char *odd = NULL, *why = "is not a string";
	struct stamp stamp;

	if (val_is_none(v)) {
		otutl_scan_note_missing(s, OTUTL_E_TS, "the record has no ts");
		return;
	}
	if (!val_is(v, JSON_STRING) || !otutl_check_ts(otutl_scan_text_of(s, v), &stamp, &odd, &why)) {
		otutl_scan_note_value(s, OTUTL_E_TS, v, "ts", why);
		return;
	}
	if (odd)
		otutl_scan_note_value(s, OTUTL_W_TS, v, "ts", odd);
	s->record.ts_seconds = stamp.seconds;
	s->record.ts_nanos = stamp.nanos;
	s->record.flags |= OTUTL_HAS_TS;
	check_our_time(s);
}

/* Checks run_id. It is the same on nearly every line, so the last good one is compared before any is parsed. */
static void otutl_scan_check_run_id(struct scan *s)
{
	struct otutl_scanner *t = s->tools;
	struct val v = s->fields[OTUTL_M_RUN_ID];
	const char *why = "is not a string";

	if (val_is_none(v)) {
		otutl_scan_note_missing(s, OTUTL_E_UUID7, "the record has no run_id");
		return;
	}
	if (val_is(v, JSON_STRING)) {
		struct str text = otutl_scan_text_of(s, v);

		if (!t->run_id.n || !str_eq(text, t->run_id)) {
			t->run_id = STR("");
			if (!otutl_check_run_id(text, &t->run_id_value, &why)) {
				otutl_scan_note_value(s, OTUTL_E_UUID7, v, "run_id", why);
				return;
			}
			memcpy(t->run_id_text, text.p, sizeof(t->run_id_text));
			t->run_id = str_of(t->run_id_text, sizeof(t->run_id_text));
		}
		s->record.run_id = t->run_id_value;
		s->record.flags |= OTUTL_HAS_RUN_ID;
		return;
	}
	otutl_scan_note_value(s, OTUTL_E_UUID7, v, "run_id", why);
}

/* Only digits, and beyond what a seq may be. */
static bool is_large_seq(struct val v)
{
	struct str raw = val_raw(v);

	for (size_t i = 0; i < raw.n; i++)
		if (!ascii_is_digit(raw.p[i]))
			return false;
	return val_is(v, JSON_NUMBER);
}

/* A seq that cannot be read leaves OTUTL_HAS_SEQ unset: the fold lets the record stand where the file has it. */
static void check_seq(struct scan *s)
{
	struct val v = s->fields[OTUTL_M_SEQ];

	if (val_is_none(v)) {
		otutl_scan_note_missing(s, OTUTL_E_SEQ_TYPE, "the record has no seq");
	} else if (val_is(v, JSON_NUMBER) && num_parse_u64(val_raw(v), &s->record.seq) && s->record.seq <= SEQ_MAX) {
		s->record.flags |= OTUTL_HAS_SEQ;
	} else {
		otutl_scan_note_value(
			s, OTUTL_E_SEQ_TYPE, v, "seq",
			is_large_seq(v)
				? "is 2^53 or more, where a double cannot tell an integer from the next, "
				  "and neither can the hash"
				: "is not an integer from 0 to 2^53-1 in plain digits");
	}
}

/* Calls and results need an id; of other records it is only taken when it is good. */
static void check_call_id(struct scan *s)
{
	struct val v = s->fields[OTUTL_M_CALL_ID];
	bool needed = s->record.type == OTUTL_TOOL_CALL || s->record.type == OTUTL_TOOL_RESULT;

	if (val_is(v, JSON_STRING) && val_tok(v)->len > 0) {
		s->record.call_id = arena_copy(&s->out->arena, otutl_scan_text_of(s, v));
		s->record.call = otutl_key_of(s->record.call_id);
		s->record.flags |= OTUTL_HAS_CALL;
	} else if (needed && val_is_none(v)) {
		otutl_scan_note_missing(s, OTUTL_E_CALL_ID, "the record has no call_id");
	} else if (needed) {
		otutl_scan_note_value(s, OTUTL_E_CALL_ID, v, "call_id", "is not a string with text in it");
	}
}

/* Whether the parent exists is for the fold; here only whether there is one to look for. */
static void otutl_scan_check_parent(struct scan *s)
{
	struct val v = s->fields[OTUTL_M_PARENT];

	if (val_is(v, JSON_STRING)) {
		s->record.parent = otutl_key_of(otutl_scan_text_of(s, v));
		s->record.flags |= OTUTL_HAS_PARENT;
	} else if (!val_is_unset(v)) {
		s->record.flags |= OTUTL_BAD_PARENT;
	}
}

/* Without an excerpt: a report is shown to more people than a log. */
static void note_secret(struct scan *s, struct val v)
{
	struct finding *f;

	otutl_scan_note(s, OTUTL_W_URI_CREDENTIALS, offset_in_line(s, val_source(v)), 1, STR("/tool"),
			"tool holds a user name with a password");
	if (s->out->codes.p[s->out->codes.n - 1] & (char)OTUTL_BARE)
		return;
	f = (struct finding *)(void *)(s->out->findings.p + s->out->findings.n) - 1;
	f->excerpt = STR("");
	f->mark = f->mark_length = 0;
}

static void check_tool(struct scan *s)
{
	struct val v = s->fields[OTUTL_M_TOOL];
	const char *why = "is not a string";
	bool secret = false;

	if (val_is_none(v))
		otutl_scan_note_missing(s, OTUTL_E_TOOL_URI, "the tool_call has no tool");
	else if (!val_is(v, JSON_STRING) || !otutl_check_tool(otutl_scan_text_of(s, v), &secret, &why))
		otutl_scan_note_value(s, OTUTL_E_TOOL_URI, v, "tool", why);
	else if (secret)
		note_secret(s, v);
}

static void check_args(struct scan *s)
{
	struct val v = s->fields[OTUTL_M_ARGS];

	if (val_is_none(v))
		otutl_scan_note_missing(s, OTUTL_E_ARGS_MISSING, "the tool_call has no args");
	else if (val_is(v, JSON_STRING))
		otutl_scan_note_value(s, OTUTL_W_ARGS_STRING, v, "args",
				      "is a string: what is in it counts as text");
}

/* Only texts can be held against their chunks. */
static void check_chunks(struct scan *s)
{
	struct val chunks = s->fields[OTUTL_M_CHUNKS], result = s->fields[OTUTL_M_RESULT];

	if (val_is(chunks, JSON_ARRAY) && val_is(result, JSON_STRING) &&
	    !otutl_chunks_add_up(&s->tools->arena, chunks, otutl_scan_text_of(s, result)))
		otutl_scan_note(s, OTUTL_E_CHUNKS_CONCAT, offset_in_line(s, val_source(chunks)), 1, STR("/chunks"),
				"the data of the chunks does not add up to the result");
}

static void note_field(struct scan *s, struct val v, const char *name, const char *why)
{
	struct str pointer = arena_printf(&s->tools->arena, "/%s", name);

	otutl_scan_note(s, OTUTL_E_FIELD, offset_in_line(s, val_source(v)), 1, pointer, "%s %s", name, why);
}

static bool is_list_of_chunks(struct val v)
{
	struct val_iter it = val_begin(v);
	struct val chunk;

	if (!val_is(v, JSON_ARRAY))
		return false;
	while (val_next(&it, &chunk))
		if (!val_has(chunk, STR("data")))
			return false;
	return true;
}

static bool is_list_of_texts(struct val v)
{
	struct val_iter it = val_begin(v);
	struct val item;

	if (!val_is(v, JSON_ARRAY))
		return false;
	while (val_next(&it, &item))
		if (!val_is(item, JSON_STRING))
			return false;
	return true;
}

/* What a run declares. The members of a budget are the audit's business: other programs may have more of them. */
static void check_declared(struct scan *s)
{
	struct val budget = s->fields[OTUTL_M_BUDGET], set = s->fields[OTUTL_M_RETRIEVAL_SET];

	if (!val_is_unset(budget) && !val_is(budget, JSON_OBJECT))
		note_field(s, budget, "budget", "is not an object");
	if (!val_is_unset(set) && !is_list_of_texts(set))
		note_field(s, set, "retrieval_set", "is not a list of URIs");
}

/* What is not required and still must be what it is called; null is as good as nothing. */
static void check_others(struct scan *s)
{
	static const struct {
		enum otutl_member member;
		const char *name;
	} times[] = {
		{ OTUTL_M_DURATION, "duration_ms" }, { OTUTL_M_LATENCY, "latency_ms" }, { OTUTL_M_TTFT, "ttft_ms" },
	};
	struct val chunks = s->fields[OTUTL_M_CHUNKS], ext = s->fields[OTUTL_M_EXT];
	double n;

	if (!val_is_unset(chunks) && !is_list_of_chunks(chunks))
		note_field(s, chunks, "chunks", "is not a list of objects with data");
	if (!val_is_unset(ext) && !val_is(ext, JSON_OBJECT))
		note_field(s, ext, "ext", "is not an object");
	if (val_is(ext, JSON_OBJECT))
		note_compactions(s);
	for (size_t i = 0; i < COUNT(times); i++) {
		struct val v = s->fields[times[i].member];

		if (val_is(v, JSON_NUMBER) && val_raw(v).p[0] == '-' && val_double(v, &n) && n < 0)
			otutl_scan_note_value(s, OTUTL_E_FIELD, v, times[i].name, "is below 0");
	}
}

/* What a record says of money: who says it, in the words of now or of before, and no less than nothing. */
static void check_cost(struct scan *s, struct val root)
{
	static const struct str words[] = { WORD("api"), WORD("estimated"), WORD("vendor"), WORD("computed") };
	struct val source = val_get(root, STR("cost_source")), usd = val_get(root, STR("estimated_cost_usd"));
	bool known = val_is_unset(source);
	double n;

	for (size_t i = 0; i < COUNT(words); i++)
		known = known || val_text_is(source, words[i]);
	if (!known)
		note_field(s, source, "cost_source", "is neither \"api\" nor \"estimated\"");
	if (val_double(usd, &n) && n < 0)
		otutl_scan_note_value(s, OTUTL_E_FIELD, usd, "estimated_cost_usd", "is below 0");
}

/* The type comes first: what else is required depends on it. */
static void check_fields(struct scan *s, struct val root)
{
	otutl_scan_check_type(s);
	check_ts(s);
	otutl_scan_check_run_id(s);
	check_seq(s);
	check_call_id(s);
	otutl_scan_check_parent(s);
	if (s->record.type == OTUTL_TOOL_CALL) {
		check_tool(s);
		check_args(s);
	}
	check_others(s);
	if (s->record.type == OTUTL_RUN_START)
		check_declared(s);
	if (s->record.type == OTUTL_COST)
		check_cost(s, root);
	if (s->record.type == OTUTL_TOOL_RESULT)
		check_chunks(s);
}

/* ---- numbers and characters ---- */

/* About a value or name somewhere in the record. */
static void note_token(struct scan *s, enum otutl_code code, struct val root, struct val v, const char *why)
{
	struct str raw = val_raw(v), pointer = val_pointer(root, v, &s->tools->arena);

	if (val_is(v, JSON_NUMBER))
		otutl_scan_note(s, code, offset_in_line(s, raw), raw.n, pointer, "%.*s%s %s",
				(int)(raw.n < SHOWN ? raw.n : SHOWN), raw.p, raw.n > SHOWN ? "..." : "", why);
	else
		otutl_scan_note(s, code, offset_in_line(s, raw), raw.n, pointer, "the text %s", why);
}

/* Every number that has no canonical form. True when RFC 8785 itself would have one for each. */
static bool note_numbers(struct scan *s, struct val root)
{
	struct buf ignored = { 0 };
	static const char *const why[] = {
		[JSON_E_NUM_RANGE] = "is beyond the largest double",
		[JSON_E_NUM_UNDERFLOW] = "is not zero, but the nearest double is",
		[JSON_E_NUM_UNSAFE_INT] = "is an integer beyond 2^53-1",
	};
	bool only_unsafe = true;

	for (struct val v = root; v.at < val_end(root); v.at++) {
		enum json_code code;
		uint32_t bad;

		if (!val_is(v, JSON_NUMBER) || canon_value(s->tools->canon, v, &ignored, &bad, &code))
			continue;
		assert((size_t)code < COUNT(why) && why[code]); /* a number has no canonical form for no other reason */
		note_token(s, otutl_code_of_json(code), root, v, why[code]);
		only_unsafe = only_unsafe && code == JSON_E_NUM_UNSAFE_INT;
	}
	buf_free(&ignored);
	return only_unsafe;
}

/*
 * Warns of each number that its canonical form does not keep to the last digit. The hash is of the canonical form,
 * so the difference is lost.
 */
static void note_digits(struct scan *s, struct val root)
{
	for (struct val v = root; v.at < val_end(root); v.at++) {
		const struct json_tok *t = val_tok(v);
		char text[NUM_DOUBLE_MAX];
		size_t n;

		/* up to 15 digits always survive, and so does a text that is its own canonical form */
		if (t->type != JSON_NUMBER || t->len <= 15 || !(t->flags & JSON_REWRITE))
			continue;
		if (num_canon(text, &n, val_raw(v)) == NUM_OK && otutl_loses_digits(val_raw(v), str_of(text, n)))
			note_token(s, OTUTL_W_NUM_PRECISION, root, v, "has more digits than a double keeps");
	}
}

static void note_nonchars(struct scan *s, struct val root)
{
	for (struct val v = root; v.at < val_end(root); v.at++) {
		struct str text;

		if (!val_is(v, JSON_STRING) && !val_is(v, JSON_KEY))
			continue;
		text = otutl_scan_text_of(s, v);
		if (otutl_find_nonchar(text) < text.n)
			note_token(s, OTUTL_W_NONCHAR, root, v, "has a noncharacter");
	}
}

/* ---- lines ---- */

/* Notes where members stand, for findings that the fold makes when the parsed record is gone. */
static void place_fields(struct scan *s)
{
	static const enum otutl_member members[OTUTL_PLACES] = {
		[OTUTL_AT_TYPE] = OTUTL_M_TYPE,     [OTUTL_AT_TS] = OTUTL_M_TS,
		[OTUTL_AT_RUN_ID] = OTUTL_M_RUN_ID, [OTUTL_AT_SEQ] = OTUTL_M_SEQ,
		[OTUTL_AT_CALL_ID] = OTUTL_M_CALL_ID, [OTUTL_AT_PARENT] = OTUTL_M_PARENT,
	};

	for (int i = OTUTL_AT_RECORD + 1; i < OTUTL_PLACES; i++) {
		struct val v = s->fields[members[i]];

		if (!val_is_none(v))
			s->record.at[i] = (uint32_t)offset_in_line(s, val_raw(v));
	}
}

/*
 * Checks a record and has its bytes made. One with an integer beyond 2^53-1 stays a record without bytes; a number
 * that has no double at all drops it.
 */
static void scan_record(struct scan *s, struct val root)
{
	struct otutl_scanner *t = s->tools;
	struct otutl_record *r = &s->record;

	arena_reset(&t->arena);
	otutl_members_read(&t->members, root, s->fields);
	place_fields(s);
	check_fields(s, root);
	if (!otutl_project(t, root, s->out, r)) {
		if (!note_numbers(s, root))
			r->flags |= OTUTL_DROPPED;
		return;
	}
	r->leaf = merkle_leaf(&t->sha, str_of(s->out->canon.p + r->canon, r->canon_n));
	note_digits(s, root);
	if (otutl_find_nonchar(str_of(s->out->canon.p + r->canon, r->canon_n)) < r->canon_n)
		note_nonchars(s, root);
}

/* A line that cannot be parsed. Only the last one of the file can be torn, which is no error of its writer. */
static void otutl_scan_bad(struct scan *s, const struct json_issue *issue)
{
	struct str text = s->line->text;

	s->record.flags |= OTUTL_DROPPED;
	if (!s->line->ended && torn_is(text)) {
		s->record.flags |= OTUTL_TORN;
		otutl_scan_note(s, OTUTL_E_TORN_TAIL, text.n, 0, STR(""), "the file ends inside this record");
		return;
	}
	otutl_scan_note(s, otutl_code_of_json(issue->code), issue->offset - s->line->offset, issue->length,
			issue->pointer, "%s", issue->message);
}

/* A file that is no log at all has as many dropped lines as it has lines: they need no record each. */
static bool joins_dropped(struct scan *s)
{
	struct otutl_record *last;

	if (!(s->record.flags & OTUTL_DROPPED) || (s->record.flags & OTUTL_TORN) || s->out->records.n == 0)
		return false;
	last = (struct otutl_record *)(void *)(s->out->records.p + s->out->records.n) - 1;
	if (!(last->flags & OTUTL_DROPPED))
		return false;
	last->lines++;
	last->findings_end = s->record.findings_end;
	return true;
}

/* Scans one line and adds its record, also when it is none: a dropped line leaves a gap that the fold must know of. */
static void scan_line(struct scan *s, enum json_line kind, const struct json_issue *issue)
{
	struct otutl_batch *out = s->out;

	if (kind == JSON_LINE_BLANK) {
		otutl_scan_note(s, OTUTL_W_BLANK, 0, 0, STR(""), "the line is empty");
		return;
	}
	s->record = (struct otutl_record){
		.line = s->line->line,
		.offset = s->in->origin + s->line->offset,
		.text = s->line->text,
		.canon = out->canon.n,
		.proj = out->proj.n,
		.hole = out->holes.n / sizeof(struct otutl_hole),
		.lines = 1,
	};
	if (kind == JSON_LINE_BAD) {
		otutl_scan_bad(s, issue);
	} else if (!val_is(s->line->value, JSON_OBJECT)) {
		s->record.flags |= OTUTL_DROPPED;
		otutl_scan_note(s, OTUTL_E_NOT_OBJECT, 0, s->line->text.n, STR(""),
				"the line is JSON but not an object");
	} else {
		scan_record(s, s->line->value);
	}
	if (kind == JSON_LINE_VALUE && !s->line->ended)
		otutl_scan_note(s, OTUTL_W_NO_FINAL_LF, s->line->text.n, 0, STR(""),
				"the last line has no newline");
	s->record.findings_end = otutl_batch_findings(out);
	if (!joins_dropped(s))
		buf_add(&out->records, &s->record, sizeof(s->record));
}

void otutl_scanner_init(struct otutl_scanner *s, bool lossy, size_t finding_limit)
{
	*s = (struct otutl_scanner){ .lossy = lossy, .finding_limit = finding_limit };
	s->parser = json_parser_open((struct json_options){ .max_depth = OTUTL_DEPTH });
	s->canon = canon_open(lossy ? CANON_JCS : CANON_OTUTL);
	sha256_init(&s->sha);
	arena_init(&s->arena);
}

void otutl_scanner_free(struct otutl_scanner *s)
{
	json_parser_close(s->parser);
	canon_close(s->canon);
	sha256_free(&s->sha);
	buf_free(&s->members);
	buf_free(&s->nested);
	arena_free(&s->arena);
}

void otutl_scan(struct otutl_scanner *t, struct otutl_chunk in, struct otutl_batch *out)
{
	struct json_lines lines;
	struct json_record line;
	struct json_issue issue;
	struct scan s = { .tools = t, .out = out, .in = &in, .line = &line };
	enum json_line kind;

	otutl_batch_clear(out);
	json_lines_begin(&lines, t->parser, in.bytes, in.first_line);
	while ((kind = json_lines_next(&lines, &line, &issue)) != JSON_LINE_END)
		scan_line(&s, kind, &issue);
}
