/*
 * trajectory.jsonl of AEC-Bench: a header, then what happened in an agent run, entry by entry. The
 * format is open: fields that are not listed mean nothing and are no fault.
 */
#include "dialect/formats.h"
#include "dialect/record/record.h"
#include "dialect/record/seed_formats.h"

/* ---- rules ---- */

/* A rule's code is its place here plus one, TJ001 being the first. */
enum {
	NO_HEADER,
	OTHER_FORMAT,
	OTHER_VERSION,
	SECOND_HEADER,
	BAD_UTF8,
	BAD_SYNTAX,
	DUPLICATE,
	NOT_OBJECT,
	MISSING,
	WRONG_TYPE,
	NEGATIVE_STEP,
	OTHER_ROLE,
	OTHER_CALL_TYPE,
	BAD_STAMP,
	STEP_BACK,
	STEP_ORDER,
	NO_CALL,
	TORN,
	RULES,
};

#define SECTION "AEC-Bench Traces, The trajectory"
#define PAGE "doc/formats/trajectory.md, Rules"
#define FIELDS "doc/formats/trajectory.md, Fields"

static const struct rule rules[RULES + 1] = {
	[NO_HEADER] = { "TJ001", SEV_ERROR, "the file does not begin with a header",
		"begin it with {\"version\": 1, \"format\": \"aec-bench-trajectory\"}", SECTION, RULE_FILE,
		.why = "the header names the format and its version; without it a reader has to guess both",
		.example = "{\"step\": 0, \"role\": \"user\", \"content\": \"hi\"}    as the first line" },
	[OTHER_FORMAT] = { "TJ002", SEV_ERROR, "the header names another format",
		"write \"format\": \"aec-bench-trajectory\", or validate the file as what it is", SECTION,
		.why = "entries of another format would be taken for what they are not",
		.example = "{\"version\": 1, \"format\": \"my-trajectory\"}" },
	[OTHER_VERSION] = { "TJ003", SEV_WARNING, "the header has another version than 1",
		"check whether a newer program reads the file; it is checked as version 1", FIELDS,
		.why = "another version may mean other things by the same names",
		.example = "{\"version\": 2, \"format\": \"aec-bench-trajectory\"}" },
	[SECOND_HEADER] = { "TJ004", SEV_WARNING, "the file has a second header",
		"write each run to a file of its own", PAGE, RULE_FILE,
		.why = "two runs in one file are counted as one: readers skip every header they meet",
		.example = "the header line again, further down" },
	[BAD_UTF8] = { "TJ005", SEV_ERROR, "the bytes are not well-formed UTF-8",
		"encode text as UTF-8; keep binary data in files named by media", "RFC 8259 section 8.1",
		.why = "readers stop at such bytes or replace them, each in its own way",
		.example = "{\"step\": 1, \"role\": \"user\", \"content\": \"\\xff\"}    with the byte FF" },
	[BAD_SYNTAX] = { "TJ006", SEV_ERROR, "the line is not one JSON value",
		"write JSON with a library, one object per line, without a byte order mark", "RFC 8259",
		.why = "nothing of the line can be read",
		.example = "{\"step\": 1, \"role\": assistant}" },
	[DUPLICATE] = { "TJ007", SEV_ERROR, "a name occurs twice in an object",
		"keep one of the two members", "RFC 8259 section 4",
		.why = "some readers take the first of the two, others the last",
		.example = "{\"step\": 1, \"step\": 2, \"role\": \"assistant\"}" },
	[NOT_OBJECT] = { "TJ008", SEV_ERROR, "an entry must be a JSON object",
		"write one object per line", SECTION,
		.why = "an entry is looked into by the names of its fields; other values have none",
		.example = "[0, \"user\", \"hi\"]" },
	[MISSING] = { "TJ009", SEV_ERROR, "a required field is missing",
		"write step and role in every entry", SECTION,
		.why = "without its step or role an entry has no place in the run",
		.example = "{\"role\": \"assistant\", \"content\": \"...\"}" },
	[WRONG_TYPE] = { "TJ010", SEV_ERROR, "the value has the wrong type",
		"write the type the table of fields gives; a field other than step and role may be left out", SECTION,
		.why = "signals are computed from these values: an exit_code that is text is no exit code",
		.example = "{\"step\": 1, \"role\": \"tool_result\", \"exit_code\": \"0\"}" },
	[NEGATIVE_STEP] = { "TJ011", SEV_ERROR, "step is negative",
		"count steps from 0", PAGE,
		.why = "step 0 holds what comes before the first turn; there is nothing before that",
		.example = "{\"step\": -1, \"role\": \"system\"}" },
	[OTHER_ROLE] = { "TJ012", SEV_WARNING, "the role is not one of the six",
		"write system, user, assistant, tool_call, tool_result or metadata", SECTION,
		.why = "readers show the entry but count it nowhere",
		.example = "{\"step\": 1, \"role\": \"tool\"}" },
	[OTHER_CALL_TYPE] = { "TJ013", SEV_WARNING, "call_type is not one of the three",
		"write warmup, main or subagent, or leave it out", FIELDS,
		.why = "entries of a warm-up are not counted; a misspelt one is",
		.example = "{\"step\": 1, \"role\": \"assistant\", \"call_type\": \"warm-up\"}" },
	[BAD_STAMP] = { "TJ014", SEV_WARNING, "the timestamp is not RFC 3339 with Z or an offset",
		"write it like 2026-03-13T10:00:00Z", FIELDS,
		.why = "the entry is used without its time",
		.example = "{\"step\": 1, \"role\": \"user\", \"timestamp\": \"10:00\"}" },
	[STEP_BACK] = { "TJ015", SEV_ERROR, "step is smaller than in the entry before",
		"append entries in the order they happen; write a subagent's steps under the step that started it",
		PAGE, RULE_FILE,
		.why = "readers group entries by step and would tear this one from its neighbours",
		.example = "step 2, then step 1" },
	[STEP_ORDER] = { "TJ016", SEV_WARNING, "the entries of a step are out of order",
		"within a step write the assistant's text, then each tool_call with its tool_result", PAGE,
		RULE_FILE,
		.why = "calls and results are joined by order alone: out of order, a call gets another's result",
		.example = "step 1 tool_call, step 1 assistant" },
	[NO_CALL] = { "TJ017", SEV_WARNING, "a tool_result has no tool_call before it in its step",
		"write the tool_call when the tool is started, with the same step", PAGE, RULE_FILE,
		.why = "what the tool was asked for is lost, and the call is not counted",
		.example = "step 1 assistant, step 1 tool_result" },
	[TORN] = { "TJ018", SEV_ERROR, "the file ends inside an entry",
		"the run was cut off: remove the broken last line, or accept this error; the entries before it count",
		PAGE, RULE_FILE,
		.why = "the writer was stopped in the middle of a line, so the end of the run is not there",
		.example = "{\"step\": 7, \"role\": \"assist    and no more" },
	[RULES] = { .code = NULL },
};

/* ---- tables ---- */

#define OPTIONAL(types_, ...) { .types = (types_), .need = FIELD_OPTIONAL, .name = __VA_ARGS__ }
#define STAMP OPTIONAL(T_STRING, "timestamp", .check = CHECK_STAMP, .rule = BAD_STAMP)

enum { AT_VERSION, AT_FORMAT };

static const struct field header_fields[] = {
	[AT_VERSION] = { .name = "version", .types = T_ANY, .need = FIELD_REQUIRED,
			 .about = "1; another is a warning" },
	[AT_FORMAT] = { .name = "format", .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_WORD,
			.rule = OTHER_FORMAT, .words = WORDS(WORD("aec-bench-trajectory")) },
	STAMP,
};
static const struct record_type header_type = {
	.name = "header", RECORD_TYPE(header_fields),
	.about = "the first line; any line with both version and format",
};

enum { AT_STEP, AT_ROLE, AT_CALL_TYPE };

/* In the order of the roles and streams below. */
#define ROLES WORDS(WORD("system"), WORD("user"), WORD("assistant"), WORD("tool_call"), WORD("tool_result"), \
		    WORD("metadata"))
#define CALL_TYPES WORDS(WORD("main"), WORD("warmup"), WORD("subagent"))

static const struct field any_path = { .name = "an element", .types = T_STRING, .need = FIELD_REQUIRED };
static const struct field entry_fields[] = {
	[AT_STEP] = { .name = "step", .types = T_INTEGER, .need = FIELD_REQUIRED, .check = CHECK_NOT_NEGATIVE,
		      .rule = NEGATIVE_STEP },
	[AT_ROLE] = { .name = "role", .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_WORD,
		      .rule = OTHER_ROLE, .words = ROLES },
	[AT_CALL_TYPE] = OPTIONAL(T_STRING, "call_type", .check = CHECK_WORD, .rule = OTHER_CALL_TYPE,
				  .words = CALL_TYPES),
	OPTIONAL(T_STRING, "content"),
	OPTIONAL(T_STRING, "tool_name"),
	OPTIONAL(T_STRING, "command"),
	OPTIONAL(T_OBJECT, "arguments"),
	OPTIONAL(T_STRING, "stdout"),
	OPTIONAL(T_STRING, "stderr"),
	OPTIONAL(T_INTEGER, "exit_code"),
	OPTIONAL(T_NUMBER, "duration_ms"),
	OPTIONAL(T_ARRAY, "media", .each = &any_path, .about = "paths of what a tool made"),
	OPTIONAL(T_OBJECT, "metadata"),
	OPTIONAL(T_STRING, "output_summary"),
	STAMP,
};
static const struct record_type entry_type = {
	.name = "entry", RECORD_TYPE(entry_fields),
	.schema = "\"not\":{\"required\":[\"version\",\"format\"]}",
	.about = "one thing that happened in the run",
};

static const struct record_type *const roots[] = { &header_type, &entry_type, NULL };

/* ---- one line ---- */

enum { ROLE_SYSTEM, ROLE_USER, ROLE_ASSISTANT, ROLE_CALL, ROLE_RESULT, ROLE_METADATA, ROLE_OTHER };
#define STREAMS 4 /* main, warmup, subagent, any other call_type: each is in order for itself */

struct fact {
	bool header, has_step;
	uint8_t role, stream;
	uint32_t step_at, step_length, role_at, role_length;
	int64_t step;
};

/* By its names alone: a header of another format or version is one too, and is told so. */
static bool trajectory_is_header(struct val v)
{
	return val_has(v, STR("version")) && val_has(v, STR("format"));
}

/* The format is checked by the table; a version that is missing or no number is another version too. */
static void check_header(struct record_scan *s, struct val root)
{
	uint32_t at[COUNT(header_fields)];
	struct val version = val_get(root, STR("version"));
	double d;

	record_check_object(s, root, &header_type, at);
	if (!val_double(version, &d) || d != 1) {
		struct str shown = record_show(s, version);

		record_note(s, OTHER_VERSION, version, "version is %.*s, known is 1", STR_ARG(shown));
	}
}

/* Which of a field's words it is, or their count for anything else. */
static uint8_t word_number(struct val v, const struct field *field)
{
	const struct words *words = field->words;

	for (size_t i = 0; i < words->count && val_is(v, JSON_STRING); i++)
		if (val_text_is(v, words->items[i]))
			return (uint8_t)i;
	return (uint8_t)words->count;
}

/* Where a value stands in the record, so that the fold can point at it when the text is gone. */
static void set_span(const struct record_scan *s, struct val v, uint32_t *at, uint32_t *length)
{
	*at = (uint32_t)(val_source(v).p - s->text.p);
	*length = (uint32_t)val_source(v).n;
}

/* Checks one line by itself, and notes in *fact what the fold needs to compare it with others. */
static void trajectory_check(struct record_scan *s, struct val root, void *fact)
{
	struct fact *f = fact;
	uint32_t at[COUNT(entry_fields)];
	struct val call_type = val_get(root, STR("call_type"));

	f->role = ROLE_OTHER;
	f->header = trajectory_is_header(root);
	if (f->header) {
		check_header(s, root);
		return;
	}
	record_check_object(s, root, &entry_type, at);
	if (at[AT_STEP]) {
		set_span(s, record_at(s, at[AT_STEP]), &f->step_at, &f->step_length);
		f->has_step = val_i64(record_at(s, at[AT_STEP]), &f->step);
	}
	if (at[AT_ROLE]) {
		set_span(s, record_at(s, at[AT_ROLE]), &f->role_at, &f->role_length);
		f->role = word_number(record_at(s, at[AT_ROLE]), &entry_fields[AT_ROLE]);
	}
	if (val_is(call_type, JSON_STRING))
		f->stream = word_number(call_type, &entry_fields[AT_CALL_TYPE]);
}

/* ---- the file ---- */

struct stream {
	bool has_tool;      /* a call or result in this step */
	bool after_call;    /* the entry before is a call */
	uint64_t open;      /* calls of this step without a result */
};

struct state {
	bool any, headed, has_step, last_call;
	int64_t step;
	struct stream streams[STREAMS];
};

/* Only the first counts; runs are not parted by a second one. */
static void add_header(struct record_fold *f, const struct record_place *place)
{
	struct state *t = f->state;

	if (t->headed)
		record_fold_note(f, SECOND_HEADER, place, 0, 1, STR(""), "the file has a header already");
	t->headed = true;
}

/*
 * Another step than that before: no call waits in it yet, in any stream. Going back is a finding, and the steps count
 * on from there.
 */
static void trajectory_add_step(struct record_fold *f, const struct fact *e, const struct record_place *place)
{
	struct state *t = f->state;

	if (t->has_step && e->step == t->step)
		return;
	if (t->has_step && e->step < t->step)
		record_fold_note(f, STEP_BACK, place, e->step_at, e->step_length, STR("/step"),
				 "step goes back from %lld to %lld", (long long)t->step, (long long)e->step);
	t->has_step = true;
	t->step = e->step;
	memset(t->streams, 0, sizeof(t->streams));
}

/* A result needs a call of its step that waits; that it stands right behind a call is asked as well. */
static void trajectory_add_result(struct record_fold *f, struct stream *stream, const struct fact *e,
				  const struct record_place *place)
{
	if (stream->open == 0)
		record_fold_note(f, NO_CALL, place, e->role_at, e->role_length, STR("/role"),
				 "no tool_call of step %lld waits for a result", (long long)e->step);
	else if (!stream->after_call)
		record_fold_note(f, STEP_ORDER, place, e->role_at, e->role_length, STR("/role"),
				 "the tool_result does not follow its tool_call");
	if (stream->open > 0)
		stream->open--;
	stream->has_tool = true;
	stream->after_call = false;
}

/*
 * Streams are in order each for itself, so that the entries of a sub-agent may stand between a call and its result.
 */
static void add_entry(struct record_fold *f, const struct fact *e, const struct record_place *place)
{
	struct state *t = f->state;
	struct stream *stream = &t->streams[e->stream];

	if (e->role != ROLE_METADATA) /* which stands beside what happens, wherever it is */
		t->last_call = e->role == ROLE_CALL;
	if (!e->has_step)
		return;
	trajectory_add_step(f, e, place);
	if (e->role == ROLE_METADATA)
		return;
	if (e->role == ROLE_ASSISTANT && stream->has_tool)
		record_fold_note(f, STEP_ORDER, place, e->role_at, e->role_length, STR("/role"),
				 "step %lld has a tool entry before the assistant's", (long long)e->step);
	if (e->role == ROLE_CALL) {
		stream->has_tool = stream->after_call = true;
		stream->open++;
	} else if (e->role == ROLE_RESULT) {
		trajectory_add_result(f, stream, e, place);
	} else {
		stream->after_call = false;
	}
}

/* The first line must be a header; this is told once, and the file is checked on without one. */
static void trajectory_add(struct record_fold *f, const struct record_batch *b)
{
	const struct fact *facts = (const void *)b->facts.p;
	struct state *t = f->state;

	for (size_t i = 0; i < record_batch_count(b); i++) {
		const struct record_place *place = record_batch_place(b, i);

		if (!t->any && !facts[i].header)
			record_fold_note(f, NO_HEADER, place, 0, 1, STR(""),
					 "the first line must be a header, "
					 "{\"version\": 1, \"format\": \"aec-bench-trajectory\"}");
		t->any = true;
		if (facts[i].header)
			add_header(f, place);
		else
			add_entry(f, &facts[i], place);
	}
}

/* A run whose last entry is a call was cut before its result came. */
static void trajectory_finish(struct record_fold *f)
{
	const struct state *t = f->state;

	f->tally->interrupted = t->last_call;
}

static const struct record_format format = {
	.on_utf8 = BAD_UTF8,
	.on_syntax = BAD_SYNTAX,
	.on_duplicate = DUPLICATE,
	.on_not_object = NOT_OBJECT,
	.on_missing = MISSING,
	.on_type = WRONG_TYPE,
	.on_unknown = RECORD_NO_RULE, /* the types are open */
	.on_blank = RECORD_NO_RULE,
	.on_torn = TORN,
	.on_empty = NO_HEADER,
	.on_secret = RECORD_NO_RULE,
	.fact_size = sizeof(struct fact),
	.check = trajectory_check,
	.state_size = sizeof(struct state),
	.add = trajectory_add,
	.finish = trajectory_finish,
};

/* A header says so itself. An entry is known by a number as step and a role of ours, which other logs have too. */
static int trajectory_fits(struct val v)
{
	if (!val_is(v, JSON_OBJECT))
		return 0;
	if (trajectory_is_header(v))
		return word_number(val_get(v, STR("format")), &header_fields[AT_FORMAT]) == 0 ? 100 : 0;
	if (!val_is(val_get(v, STR("step")), JSON_NUMBER))
		return 0;
	return word_number(val_get(v, STR("role")), &entry_fields[AT_ROLE]) != ROLE_OTHER ? 80 : 0;
}

const struct dialect trajectory_dialect = {
	.name = "trajectory",
	.title = "aec-bench-trajectory, what an agent did, entry by entry",
	.file = "trajectory.jsonl",
	.unit = "entry",
	.forms = DIALECT_LINES,
	.rules = rules,
	.fits = trajectory_fits,
	.mark = "aec-bench-trajectory",
	DIALECT_RECORDS(format, roots),
	.read = &trajectory_read,
	.write = &trajectory_write,
};
