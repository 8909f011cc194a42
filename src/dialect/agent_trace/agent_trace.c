/*
 * Checks one event of a trace: its fields by the tables of fields.h, and what a table cannot say. What the fold needs
 * of it goes into a fact.
 */
#include "dialect/agent_trace/agent_trace.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/num.h"
#include "dialect/agent_trace/fields.h"
#include "dialect/formats.h"
#include "dialect/reading/seconds.h"
#include "dialect/record/scan.h"
#include "dialect/record/seed_formats.h"

/* Their strings are free text like any other. */
static void check_additive(struct record_scan *s, const uint32_t *at)
{
	uint32_t any = 0;

	for (unsigned i = 0; i < AT_ADDITIVE; i++)
		any |= at[i];
	if (!any)
		return;
	for (unsigned i = 0; i < AT_ADDITIVE; i++) {
		struct val v = record_at(s, at[i]);

		if (val_is(v, JSON_STRING))
			agent_trace_check_text(
				s, v, i == AF_CALL_ID || i == AF_RESPONSE_ID ? AT_TEXT_ID : AT_TEXT_VALUE);
		else if (val_is(v, JSON_ARRAY) || val_is(v, JSON_OBJECT)) /* which may hold anything */
			agent_trace_check_unknown(s, (struct val){ v.tape, v.at - 1 });
	}
}

/* ---- one event ---- */

static uint32_t byte_of(const struct record_scan *s, struct val v)
{
	return (uint32_t)(val_raw(v).p - s->text.p);
}

static bool is_id(struct str text)
{
	struct id id;

	return id_is_uuid(text) || (text.n == ID_ULID_TEXT && id_parse_ulid(text, &id));
}

/*
 * Ids that were just seen. A run's id is on every line, and the parent of a node is mostly the node before,
 * so that most ids need neither be checked nor hashed.
 */
#define RECENT 4

struct own {
	struct recent {
		char text[ID_UUID_TEXT];
		struct node_key key;
	} trace, ids[RECENT];
	unsigned next;
};

static bool is_recent(const struct recent *r, struct str text)
{
	/* a UUIDv7 begins with the time, so it is the end that tells two apart */
	return memcmp(r->text + ID_UUID_TEXT - 8, text.p + ID_UUID_TEXT - 8, 8) == 0 &&
	       memcmp(r->text, text.p, ID_UUID_TEXT - 8) == 0;
}

/* A key of a good UUID that was seen, or NULL. */
static const struct recent *find_recent(const struct own *own, struct str raw)
{
	for (unsigned i = 0; i < RECENT && raw.n == ID_UUID_TEXT; i++)
		if (is_recent(&own->ids[i], raw))
			return &own->ids[i];
	return NULL;
}

/* An id that is no UUID and no ULID. */
static void note_id(struct record_scan *s, struct val v, const char *name)
{
	if (name)
		record_note(s, AT065, v, "%s is neither a ULID nor a UUID", name);
	agent_trace_check_text(s, v, AT_TEXT_ID);
}

/* The key of an id, kept in `r` (when given) if it is a UUID. */
static struct node_key read_id(struct record_scan *s, struct val v, const char *name, struct recent *r)
{
	struct str raw = val_raw(v);
	struct node_key key;

	if (!id_is_uuid(raw)) {
		struct str text = val_text(v, s->arena);

		if (!is_id(text))
			note_id(s, v, name);
		return node_key_of(text);
	}
	key = node_key_of(raw);
	if (r) {
		memcpy(r->text, raw.p, ID_UUID_TEXT);
		r->key = key;
	}
	return key;
}

#define MANY 64 /* ids; more are counted before there is memory for them */

/* The ids of an array, for the fold; what is no id is told. */
static const struct node_parent *read_ids(struct record_scan *s, struct val array, const char *name, uint32_t *count)
{
	struct field field = at_id_field;
	struct node_parent *ids;
	uint32_t n = 0, i = 0, end = val_end(array);

	*count = 0;
	if (end == array.at + 1)
		return NULL;
	n = end - array.at - 1;
	if (n > MANY) { /* hostile, or numbers: no more ids than strings */
		n = 0;
		for (struct val v = { array.tape, array.at + 1 }; v.at < end; v.at++)
			n += val_is(v, JSON_STRING);
	}
	ids = arena_array(&s->out->arena, struct node_parent, n);
	n = 0;
	field.name = name;
	for (struct val v = { array.tape, array.at + 1 }; v.at < end; v.at = val_end(v), i++) {
		const struct recent *r = val_is(v, JSON_STRING) ? find_recent(s->own, val_raw(v)) : NULL;

		if (!r && !record_check_value(s, v, &field))
			continue;
		ids[n++] = (struct node_parent){ r ? r->key : read_id(s, v, NULL, NULL), byte_of(s, v), i };
	}
	*count = n;
	return ids;
}

/* A count that passed its row: 0 when it is absent, INT64_MAX when it is larger than that. */
static int64_t agent_trace_count_of(const struct record_scan *s, uint32_t at)
{
	uint64_t n;
	int64_t i;

	if (!at)
		return 0;
	if (num_parse_u64(val_raw(record_at(s, at)), &n))
		return n < INT64_MAX ? (int64_t)n : INT64_MAX;
	return val_i64(record_at(s, at), &i) ? i : 0;
}

/*
 * Checks the object and adds its tokens to the fact. A refusal has the stop_reason "error" too, and is no failed
 * call.
 */
static void check_model_call(struct record_scan *s, struct val v, struct at_fact *fact)
{
	uint32_t at[AT_FIELDS];

	if (!record_check_object(s, v, &at_model_call, at))
		return;
	fact->input = agent_trace_count_of(s, at[MC_INPUT]);
	fact->output = agent_trace_count_of(s, at[MC_OUTPUT]);
	if (at[MC_STOP] && val_text_is(record_at(s, at[MC_STOP]), STR("error")) &&
	    !val_is(record_at(s, at[MC_FIELDS + AF_REFUSED]), JSON_TRUE))
		fact->flags |= AT_FAILED;
	if (at[MC_ENDPOINT])
		agent_trace_check_text(s, record_at(s, at[MC_ENDPOINT]), AT_TEXT_ENDPOINT);
	if (at[MC_MODEL])
		agent_trace_check_text(s, record_at(s, at[MC_MODEL]), AT_TEXT_VALUE);
	check_additive(s, at + MC_FIELDS);
	if (at[MC_REQUEST_ID])
		agent_trace_check_text(s, record_at(s, at[MC_REQUEST_ID]), AT_TEXT_ID);
}

/*
 * Checks the object and adds its stall to the fact. Stall and wall time are compared as nanoseconds, and by their
 * digits where these are equal.
 */
static void check_tool_call(struct record_scan *s, struct val v, struct at_fact *fact)
{
	uint32_t at[AT_FIELDS];
	struct val stall, wall;
	int64_t wall_ns;

	if (!record_check_object(s, v, &at_tool_call, at))
		return;
	check_additive(s, at + TC_FIELDS);
	if (at[TC_NAME] && val_tok(record_at(s, at[TC_NAME]))->len == 0)
		record_note(s, AT055, record_at(s, at[TC_NAME]), "the tool's name is empty");
	else if (at[TC_NAME])
		agent_trace_check_text(s, record_at(s, at[TC_NAME]), AT_TEXT_TOOL);
	stall = record_at(s, at[TC_STALL]);
	wall = record_at(s, at[TC_WALL]);
	if (!at[TC_STALL] || !seconds_ns(stall, &fact->stall_ns))
		return;
	if (at[TC_WALL] && seconds_ns(wall, &wall_ns) && wall_ns <= fact->stall_ns && seconds_less(wall, stall))
		record_note(s, AT051, stall, "stall_seconds %.*s is more than wall_time_seconds %.*s",
			    STR_ARG(record_show(s, stall)), STR_ARG(record_show(s, wall)));
}

static void check_branch(struct record_scan *s, struct val v, struct at_fact *fact)
{
	uint32_t at[AT_FIELDS];

	if (!record_check_object(s, v, &at_branch, at))
		return;
	check_additive(s, at + BR_FIELDS);
	if (at[BR_SIBLINGS])
		fact->siblings = read_ids(s, record_at(s, at[BR_SIBLINGS]), "a sibling", &fact->sibling_count);
}

static void check_detail(struct record_scan *s, struct val v, enum at_kind kind, struct at_fact *fact)
{
	if (kind == AT_MODEL_CALL)
		check_model_call(s, v, fact);
	else if (kind == AT_TOOL_CALL)
		check_tool_call(s, v, fact);
	else
		check_branch(s, v, fact);
}

/*
 * Checks the objects model_call, tool_call and branch: that of the node's kind must be there and counts; others are
 * checked and must not be there.
 */
static void check_details(struct record_scan *s, const uint32_t *at, struct at_fact *fact)
{
	bool known = fact->flags & AT_HAS_KIND;

	for (unsigned i = AT_MODEL_CALL; i <= AT_BRANCH; i++) {
		struct val detail = record_at(s, at[ND_MODEL_CALL + i]);
		struct at_fact other;

		if (val_is_none(detail))
			continue;
		if (known && fact->kind == i) {
			check_detail(s, detail, (enum at_kind)i, fact);
			continue;
		}
		other = (struct at_fact){ .flags = 0 }; /* what it says does not count */
		check_detail(s, detail, (enum at_kind)i, &other);
		if (known)
			record_note(s, AT032, detail, "a node of kind %s has a %s object",
				    agent_trace_kinds[fact->kind].p, agent_trace_kinds[i].p);
	}
	if (known && fact->kind <= AT_BRANCH && !at[ND_MODEL_CALL + fact->kind]) {
		struct val v = val_get(s->root, agent_trace_kinds[fact->kind]);

		if (val_is_unset(v)) /* anything else was told by its type */
			record_note(s, AT031, val_is_none(v) ? s->root : v, "a node of kind %s has no %s object",
				    agent_trace_kinds[fact->kind].p, agent_trace_kinds[fact->kind].p);
	}
}

/* One of the words, so its length and first letter tell which; a spelling with escapes is read in full. */
static void read_kind(struct record_scan *s, uint32_t at, struct at_fact *fact)
{
	struct val v = record_at(s, at);

	if (!at)
		return;
	fact->flags |= AT_HAS_KIND;
	for (unsigned i = 0; i < AT_KINDS; i++) {
		struct str word = agent_trace_kinds[i], raw = val_raw(v);
		bool escaped = val_tok(v)->flags & JSON_ESCAPED;
		bool same = escaped ? val_text_is(v, word) : raw.n == word.n && raw.p[0] == word.p[0];

		if (same)
			fact->kind = (uint8_t)i;
	}
}

/* The end is kept for the fold, which checks the order of nodes. Without a start only that is done. */
static void agent_trace_check_times(struct record_scan *s, const uint32_t *at, struct at_fact *fact)
{
	struct val from = record_at(s, at[ND_START]), to = record_at(s, at[ND_END]);
	int64_t start;

	if (!at[ND_END] || !seconds_us(to, &fact->end_us))
		return;
	fact->flags |= AT_HAS_END;
	fact->end_at = byte_of(s, to);
	/* what microseconds cannot tell apart is looked at to the last digit */
	if (at[ND_START] && seconds_us(from, &start) && fact->end_us <= start && seconds_less(to, from))
		record_note(s, AT050, to, "timestamp_end %.*s is before timestamp_start %.*s",
			    STR_ARG(record_show(s, to)),
			    STR_ARG(record_show(s, from)));
}

/* The key of the trace's id. It is on every line, so the last one is compared before it is hashed. */
static void read_trace(struct record_scan *s, uint32_t at, struct at_fact *fact)
{
	struct own *own = s->own;
	struct val v = record_at(s, at);

	if (!at)
		return;
	fact->flags |= AT_HAS_TRACE;
	fact->trace_at = byte_of(s, v);
	if (val_raw(v).n == ID_UUID_TEXT && is_recent(&own->trace, val_raw(v))) {
		fact->trace = own->trace.key;
		return;
	}
	fact->trace = read_id(s, v, "trace_id", &own->trace);
}

static void read_node_id(struct record_scan *s, uint32_t at, struct at_fact *fact)
{
	struct own *own = s->own;
	struct val v = record_at(s, at);

	if (!at)
		return;
	fact->flags |= AT_HAS_ID;
	fact->id_at = byte_of(s, v);
	fact->id = read_id(s, v, "node_id", &own->ids[own->next++ % RECENT]);
}

/*
 * Checks a node; what the fold needs of it goes into the fact. Members that are wrong have been told by then and
 * count as absent.
 */
static void check_node(struct record_scan *s, struct val root, struct at_fact *fact)
{
	uint32_t at[AT_FIELDS];

	record_check_object(s, root, &at_node, at);
	fact->flags |= AT_IS_NODE;
	read_trace(s, at[ND_TRACE], fact);
	if (at[ND_PARENTS]) /* before its own id: that is none of them */
		fact->parents = read_ids(s, record_at(s, at[ND_PARENTS]), "a parent", &fact->parent_count);
	read_node_id(s, at[ND_ID], fact);
	check_additive(s, at + ND_FIELDS);
	read_kind(s, at[ND_KIND], fact);
	agent_trace_check_times(s, at, fact);
	check_details(s, at, fact);
}

/* ---- the summary ---- */

static struct at_number number_at(const struct record_scan *s, uint32_t at, int64_t value)
{
	return at ? (struct at_number){ byte_of(s, record_at(s, at)), value } : (struct at_number){ 0, 0 };
}

/* Keeps what the summary says of each kind, -1 where it says nothing; kinds that nobody knows are one sum. */
static void read_counts(struct record_scan *s, uint32_t at, struct at_summary *out)
{
	struct val_iter it = val_begin(record_at(s, at));
	struct val key, value;

	for (unsigned i = 0; i < AT_KINDS; i++)
		out->counts[i] = -1;
	out->counts_at = number_at(s, at, 0);
	while (at && val_next_member(&it, &key, &value)) {
		int64_t n;
		unsigned kind = 0;

		while (kind < AT_KINDS && !val_text_is(key, agent_trace_kinds[kind]))
			kind++;
		if (!val_i64(value, &n))
			continue;
		if (kind < AT_KINDS)
			out->counts[kind] = n;
		else if (n > 0 && __builtin_add_overflow(out->other_count, n, &out->other_count))
			out->other_count = INT64_MAX;
	}
}

/* Microseconds that the last digit of a time stands for. */
static int64_t unit_of(const struct stamp *t)
{
	int64_t unit = 1000000;

	for (uint32_t i = 0; i < t->digits && unit > 1; i++)
		unit /= 10;
	return unit;
}

static bool read_stamp(struct record_scan *s, uint32_t at, struct stamp *t, int64_t *us)
{
	if (!at || !stamp_parse(val_text(record_at(s, at), s->arena), t))
		return false;
	*us = t->seconds * 1000000 + t->nanos / 1000; /* years from 0000 to 9999: far from overflow */
	return true;
}

/* total_seconds must be completed_at - started_at, but for the last digit of the two times and a millisecond. */
static void check_length(struct record_scan *s, const uint32_t *at, struct at_summary *out)
{
	struct stamp from, to;
	int64_t from_us, to_us, total, unit, error;

	if (!read_stamp(s, at[SM_COMPLETED], &to, &to_us))
		return;
	out->completed = number_at(s, at[SM_COMPLETED], to_us);
	if (!read_stamp(s, at[SM_STARTED], &from, &from_us) || !at[SM_TOTAL] ||
	    !seconds_us(record_at(s, at[SM_TOTAL]), &total))
		return;
	unit = unit_of(&from) > unit_of(&to) ? unit_of(&from) : unit_of(&to);
	if (__builtin_sub_overflow(to_us - from_us, total, &error))
		error = INT64_MAX;
	if (error > unit + 1000 || error < -(unit + 1000))
		record_note(s, AT111, record_at(s, at[SM_TOTAL]),
			    "total_seconds is %.*s, but completed_at - started_at is %.3f",
			    STR_ARG(record_show(s, record_at(s, at[SM_TOTAL]))), (double)(to_us - from_us) / 1e6);
}

/*
 * Checks that the share of stalls is a share, and that of total_seconds which the stalls are, as far
 * as its digits go.
 */
static void check_stall(struct record_scan *s, const uint32_t *at, struct at_summary *out)
{
	struct val pct = record_at(s, at[SM_STALL_PCT]);
	double share, expected, slack, total = 0;
	int64_t stall = 0;

	if (at[SM_STALL] && seconds_ns(record_at(s, at[SM_STALL]), &stall))
		out->stall = number_at(s, at[SM_STALL], stall);
	if (!val_double(pct, &share))
		return;
	if (share < 0 || share > 1) {
		record_note(s, AT052, pct, "tool_stall_pct is %.*s, expected a ratio from 0 to 1",
			    STR_ARG(record_show(s, pct)));
		return;
	}
	if (!out->stall.at || !val_double(record_at(s, at[SM_TOTAL]), &total))
		return;
	expected = total > 0 ? (double)stall / 1e9 / total : 0;
	slack = seconds_last_digit(val_raw(pct)) / 2; /* it was rounded to that digit, */
	slack = (slack < 0.005 ? slack : 0.005) * (1 + 1e-9); /* but half a percent is no rounding */
	if (share - expected <= slack && expected - share <= slack)
		return;
	if (!seconds_agree(share * total, expected * total) || (total == 0 && share > 0.001))
		record_note(s, AT053, pct, "tool_stall_pct is %.*s, but the stalls are %.4g of the time",
			    STR_ARG(record_show(s, pct)), expected);
}

static void check_redaction(struct record_scan *s, struct val v)
{
	uint32_t at[AT_FIELDS];

	if (!record_check_object(s, v, &at_redaction, at))
		return;
	for (unsigned i = RD_PROMPTS; i <= RD_ARGS; i++)
		if (at[i] && val_is(record_at(s, at[i]), JSON_FALSE))
			record_note(s, AT060, record_at(s, at[i]), "%s is false: this file may hold content",
				    at_redaction.fields[i].name);
}

/* Strings and names in a value that may hold any of both. */
static void check_free(struct record_scan *s, struct val value)
{
	for (struct val v = { value.tape, value.at + 1 }; v.at < val_end(value); v.at++)
		if (val_is(v, JSON_STRING) || val_is(v, JSON_KEY))
			record_gather(s, v);
}

/* Checks a summary for itself. What it says of the nodes is left to the fold, as a struct at_summary in the fact. */
static void agent_trace_check_summary(struct record_scan *s, struct val root, struct at_fact *fact)
{
	struct at_summary *out = arena_new(&s->out->arena, struct at_summary);
	uint32_t at[AT_FIELDS], tokens[AT_FIELDS];

	record_check_object(s, root, &at_summary, at);
	fact->flags |= AT_IS_SUMMARY;
	fact->summary = out;
	read_trace(s, at[SM_TRACE], fact);
	read_counts(s, at[SM_COUNTS], out);
	if (at[SM_TOKENS] && record_check_object(s, record_at(s, at[SM_TOKENS]), &at_total_tokens, tokens)) {
		out->input = number_at(s, tokens[TT_INPUT], agent_trace_count_of(s, tokens[TT_INPUT]));
		out->output = number_at(s, tokens[TT_OUTPUT], agent_trace_count_of(s, tokens[TT_OUTPUT]));
	}
	check_additive(s, at + SM_FIELDS);
	check_length(s, at, out);
	check_stall(s, at, out);
	if (at[SM_ERROR])
		agent_trace_check_text(s, record_at(s, at[SM_ERROR]), AT_TEXT_ERROR);
	if (at[SM_FRAMEWORK])
		check_free(s, record_at(s, at[SM_FRAMEWORK]));
	if (at[SM_COUNTS])
		check_free(s, record_at(s, at[SM_COUNTS]));
	if (at[SM_REDACTION])
		check_redaction(s, record_at(s, at[SM_REDACTION]));
}

/* ---- the event ---- */

/* False when the line is to be left alone. */
static bool agent_trace_check_version(struct record_scan *s, struct val v)
{
	if (val_text_is(v, STR("agent-trace/v1")))
		return true;
	if (val_is_none(v))
		record_note(s, AT010, s->root, "the event has no schema_version");
	else if (val_is(v, JSON_STRING))
		record_gather(s, v);
	if (!val_is_none(v))
		record_note(s, AT010, v, "schema_version must be \"agent-trace/v1\", found %.*s",
			    STR_ARG(record_show(s, v)));
	return s->mode == MODE_PERMISSIVE;
}

/* A node as producers write it: the version first, the type of the event second. */
static bool is_plain_node(struct record_scan *s, struct val root)
{
	const struct json_tok *t = val_tok(root);
	const struct layout *l;

	if (t->shape == SHAPE_NONE)
		return false;
	l = layout_of(s, root, &at_node);
	return l->count > 2 && l->members[0].field == ND_VERSION && l->members[1].field == ND_EVENT && t[2].len == 14 &&
	       t[2].type == JSON_STRING && memcmp(root.tape->text + t[2].off, "agent-trace/v1", 14) == 0 &&
	       t[4].len == 4 && t[4].type == JSON_STRING && memcmp(root.tape->text + t[4].off, "node", 4) == 0;
}

/*
 * The function of struct record_format. Most lines are nodes in the usual order of members, and are known by a few
 * tokens.
 */
static void check(struct record_scan *s, struct val root, void *fact)
{
	struct val type;

	if (is_plain_node(s, root)) {
		check_node(s, root, fact);
		return;
	}
	if (!agent_trace_check_version(s, val_get(root, STR("schema_version"))))
		return;
	type = val_get(root, STR("event_type"));
	if (val_text_is(type, STR("node")))
		check_node(s, root, fact);
	else if (val_text_is(type, STR("summary")))
		agent_trace_check_summary(s, root, fact);
	else if (val_is_none(type))
		record_note(s, s->mode == MODE_PERMISSIVE ? AT020 : AT011, root, "the event has no event_type");
	else
		record_note(s, s->mode == MODE_PERMISSIVE && !val_is(type, JSON_STRING) ? AT021 : AT011, type,
			    "event_type must be node or summary, found %.*s",
			    STR_ARG(record_show(s, type)));
}

/* Damaged events must be told what is wrong with them, so most of the names will do. */
static int agent_trace_fits(struct val v)
{
	static const struct str names[] = {
		WORD("schema_version"), WORD("event_type"), WORD("trace_id"), WORD("node_id"),
		WORD("parent_node_ids"), WORD("node_counts"), WORD("total_tokens"), WORD("redaction"),
	};
	struct val version = val_get(v, STR("schema_version"));
	int known = 0;

	if (val_is(version, JSON_STRING) && str_starts(val_raw(version), STR("agent-trace/")))
		return 100;
	if (val_is(version, JSON_STRING) && !val_has(v, STR("parent_node_ids")) &&
	    !val_has(v, STR("node_counts")) && !val_has(v, STR("redaction")))
		return 0; /* somebody else's version, and nothing that only we have */
	for (size_t i = 0; i < COUNT(names); i++)
		known += val_has(v, names[i]);
	return known >= 3 ? 50 + known : 0;
}

static const struct record_format format = {
	.on_utf8 = AT001,
	.on_syntax = AT002,
	.on_duplicate = AT003,
	.on_not_object = AT002,
	.on_missing = AT020,
	.on_type = AT021,
	.on_unknown = AT023,
	.on_blank = AT113,
	.on_torn = AT115,
	.on_empty = AT100,
	.on_secret = AT062,
	.strict_wants_optional = true,
	.check_unknown = agent_trace_check_unknown,
	.own_size = sizeof(struct own),
	.gathered_marks = "/\\=~",
	.on_bad = AT064,
	.is_bad = agent_trace_is_private,
	.fact_size = sizeof(struct at_fact),
	.check = check,
	.state_size = sizeof(struct at_fold),
	.begin = agent_trace_fold_begin,
	.add = agent_trace_fold_add,
	.finish = agent_trace_fold_finish,
	.end = agent_trace_fold_end,
};

static const struct record_type *const roots[] = { &at_node, &at_summary, NULL };

const struct dialect agent_trace_dialect = {
	.name = "agent-trace",
	.title = "agent-trace/v1, the content-free trace of a run",
	.file = "agent-trace.jsonl",
	.unit = "event",
	.forms = DIALECT_LINES,
	.rules = agent_trace_rules,
	.fits = agent_trace_fits,
	.mark = "\"agent-trace/v1\"",
	.ops = &record_ops,
	.record = &format,
	.roots = roots,
	.read = &agent_trace_read,
	.write = &agent_trace_write,
};
