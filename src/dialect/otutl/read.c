/*
 * An OTUTL log to events: the table of otutl/convert.h the other way. A member whose value is not what the writer
 * would write is kept as it stands, beside what the model could learn from it, so that any log comes out as it
 * went in. Events are final: the assembler passes them on as they are.
 */
#include "dialect/otutl/convert.h"
#include "dialect/otutl/field.h"
#include "dialect/reading/reading.h"
#include "model/assemble.h"
#include "model/words.h"

struct job {
	struct reading *r;
	struct event *e;
	struct val record;
	struct moment ts;    /* the record's */
	bool messages;       /* `request` became events */
	bool notes;          /* so did the notes */
	struct otutl_pieces odd; /* values against the rules */
	struct extra **last;     /* where the next extra goes; NULL: none yet */
	const struct otutl_column *column;
	bool over;               /* the event is another format's */
};

static void *otutl_read_field(const struct job *j)
{
	return (char *)j->e + j->column->offset;
}

/* A value as canonical JSON in the batch; `member` is what numbers that became strings are noted under. */
static struct str json_of(const struct job *j, struct val v, struct str member)
{
	return reading_json_of(j->r, j->e, arena_copy(j->r->arena, member).p, v);
}

/* Keeps something beside the model's fields: of the record itself (`member`), or of its ext. */
static void otutl_read_add_extra(struct job *j, struct str key, struct str json, bool member)
{
	struct extra *x = arena_new(j->r->arena, struct extra), **last = j->last ? j->last : &j->e->extras;

	while (*last)
		last = &(*last)->next;
	*x = (struct extra){ .key = key, .json = json, .member = member };
	*last = x;
	j->last = &x->next;
}

/* The object of these pieces, in the batch. */
static struct str otutl_read_object_of(struct job *j, struct otutl_pieces *pieces)
{
	struct buf text = { 0 };
	struct otutl_merge m;

	otutl_pieces_sort(pieces);
	m = otutl_merge_begin(&text, pieces);
	otutl_merge_end(&m);
	return arena_take(j->r->arena, &text);
}

/* ---- the simple columns: false when the value is to be kept as it stands ---- */

static bool read_text(struct job *j, struct val v)
{
	if (!val_is(v, JSON_STRING))
		return false;
	*(struct str *)otutl_read_field(j) = reading_text_of(j->r, v);
	return true;
}

static bool otutl_read_json(struct job *j, struct val v)
{
	*(struct str *)otutl_read_field(j) = json_of(j, v, j->column->name);
	return true;
}

/* As the writer writes it: digits beyond what a number may be are a string. */
static bool parse_figure(struct val v, struct figure *f)
{
	int64_t n;
	uint64_t u;

	if (val_is(v, JSON_NULL)) {
		*f = (struct figure){ .state = FIGURE_NULL };
		return true;
	}
	if (val_is(v, JSON_NUMBER) && num_integral(val_raw(v), &n) && n >= 0 && (uint64_t)n <= OTUTL_SAFE_MAX) {
		*f = FIGURE((uint64_t)n);
		return true;
	}
	if (val_is(v, JSON_STRING) && num_parse_u64(val_raw(v), &u) && u > OTUTL_SAFE_MAX) {
		*f = FIGURE(u);
		return true;
	}
	return false;
}

static bool read_count(struct job *j, struct val v)
{
	return parse_figure(v, otutl_read_field(j));
}

static bool read_signed(struct job *j, struct val v)
{
	int64_t n;

	if (!val_is(v, JSON_NUMBER) || !num_integral(val_raw(v), &n) || n >= 0)
		return parse_figure(v, otutl_read_field(j));
	if (n < -(int64_t)OTUTL_SAFE_MAX)
		return false;
	*(struct figure *)otutl_read_field(j) = FIGURE((uint64_t)n);
	return true;
}

static bool otutl_read_amount(struct job *j, struct val v)
{
	double n;

	if (val_is(v, JSON_NULL)) {
		*(struct amount *)otutl_read_field(j) = (struct amount){ .state = FIGURE_NULL };
		return true;
	}
	if (!val_is(v, JSON_NUMBER) || !val_double(v, &n) || n > (double)OTUTL_SAFE_MAX || n < -(double)OTUTL_SAFE_MAX)
		return false;
	*(struct amount *)otutl_read_field(j) = AMOUNT(n);
	return true;
}

static bool otutl_read_truth(struct job *j, struct val v)
{
	static const uint8_t truths[] = {
		[JSON_NULL] = TRUTH_NULL,
		[JSON_FALSE] = TRUTH_FALSE,
		[JSON_TRUE] = TRUTH_TRUE,
	};

	if (val_type(v) > JSON_TRUE)
		return false;
	*(uint8_t *)otutl_read_field(j) = truths[val_type(v)];
	return true;
}

/* Only true: a flag that says false is kept as it stands. */
static bool read_flag(struct job *j, struct val v)
{
	if (!val_is(v, JSON_TRUE))
		return false;
	j->e->flags |= j->column->flag;
	return true;
}

static bool read_stream(struct job *j, struct val v)
{
	if (!val_is_bool(v))
		return false;
	j->e->flags |= val_is(v, JSON_TRUE) ? EVENT_STREAM : EVENT_NO_STREAM;
	return true;
}

/*
 * False, with *out as it was, for what is no time of OTUTL. Times beyond 64 bits of nanoseconds become the nearest
 * that can be told.
 */
static bool parse_moment(struct job *j, struct val v, struct moment *out)
{
	struct stamp stamp;
	const char *odd, *why;
	struct str text;

	if (!val_is(v, JSON_STRING))
		return false;
	text = reading_text_of(j->r, v);
	if (!otutl_check_ts(text, &stamp, &odd, &why))
		return false;
	*out = (struct moment){ .text = text, .source = MOMENT_VENDOR };
	if (!stamp_ns(&stamp, &out->ns))
		out->ns = stamp.seconds < 0 ? INT64_MIN : INT64_MAX;
	return true;
}

static bool read_moment(struct job *j, struct val v)
{
	return parse_moment(j, v, &j->e->ts);
}

static bool read_raw_args(struct job *j, struct val v)
{
	if (!val_text_is(v, STR("raw")))
		return false;
	j->e->flags |= EVENT_RAW_ARGS;
	return true;
}

static bool otutl_read_status(struct job *j, struct val v)
{
	struct str word = val_text_or_none(v, j->r->arena);

	j->e->status = words_fold_status(word);
	if (j->e->status == STATUS_UNKNOWN)
		j->e->status = STATUS_ERROR; /* something else than a success */
	return words_find_status(word) != STATUS_UNKNOWN;
}

static bool read_version(struct job *j, struct val v)
{
	(void)j;
	return val_text_is(v, STR("1"));
}

/* ---- objects inside the record ---- */

/* Keeps those members of an object that `taken` does not claim, under the column's name; also when there are none. */
static void keep_others(struct job *j, struct val object, bool (*taken)(struct job *, struct str, struct val))
{
	struct otutl_pieces pieces = { NULL, 0, 0 };
	struct val_iter it = val_begin(object);
	struct val key, value;

	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, j->r->arena);

		if (!taken(j, name, value))
			otutl_pieces_add(&pieces, name, json_of(j, value, j->column->name));
	}
	otutl_read_add_extra(j, j->column->name, otutl_read_object_of(j, &pieces), true);
	otutl_pieces_free(&pieces);
}

static bool is_agent_member(struct job *j, struct str name, struct val v)
{
	(void)j;
	return val_is(v, JSON_STRING) && (str_eq(name, STR("name")) || str_eq(name, STR("version")));
}

/* A text is the agent's name, and is kept too, because the writer would write an object. */
static bool otutl_read_agent(struct job *j, struct val v)
{
	struct val name = val_get(v, STR("name")), version = val_get(v, STR("version"));
	size_t taken = 0;

	if (val_is(v, JSON_STRING))
		j->e->agent = reading_text_of(j->r, v);
	if (!val_is(v, JSON_OBJECT))
		return false;
	if (val_is(name, JSON_STRING)) {
		j->e->agent = reading_text_of(j->r, name);
		taken++;
	}
	if (val_is(version, JSON_STRING)) {
		j->e->agent_version = reading_text_of(j->r, version);
		taken++;
	}
	if (taken == 0 || val_count(v) > taken)
		keep_others(j, v, is_agent_member);
	return true;
}

/* The figure of a usage by its name in `usage`, or in a cost record; NULL for another name. */
static struct figure *figure_named(struct usage *u, struct str name, bool of_cost)
{
	for (size_t i = 0; i < OTUTL_USAGE_FIGURES; i++)
		if (str_eq(name, of_cost ? otutl_figures[i].cost : otutl_figures[i].name))
			return (struct figure *)(void *)((char *)u + otutl_figures[i].offset);
	return NULL;
}

/* Where figures come from: what says nothing we know is no word of the service's. */
static void read_sources(struct job *j, struct val source, struct val estimated, bool of_cost)
{
	struct usage *u = &j->e->usage;
	bool api = val_text_is(source, STR("api")) || val_text_is(source, STR("mixed"));
	struct val_iter it = val_begin(val_text_is(source, STR("mixed")) ? estimated : VAL_NONE);
	struct val name;

	for (size_t i = 0; i < OTUTL_USAGE_FIGURES; i++) {
		struct figure *f = figure_named(u, otutl_figures[i].name, false);

		f->source = api ? FIGURE_API : FIGURE_ESTIMATED;
	}
	while (val_next(&it, &name)) {
		struct figure *f = val_is(name, JSON_STRING) ? figure_named(u, val_raw(name), of_cost) : NULL;

		if (f)
			f->source = FIGURE_ESTIMATED;
	}
}

static bool is_figure(struct job *j, struct str name, struct val v)
{
	struct figure f;

	return figure_named(&j->e->usage, name, false) && parse_figure(v, &f);
}

/*
 * The figures are read, then written as our writer would. Where the result differs, what is beyond the figures is
 * kept.
 */
static bool otutl_read_usage(struct job *j, struct val v)
{
	struct buf ours = { 0 };
	bool same;

	if (!val_is(v, JSON_OBJECT))
		return false;
	for (size_t i = 0; i < OTUTL_USAGE_FIGURES; i++) {
		struct val n = val_get(v, otutl_figures[i].name);

		if (!val_is_none(n))
			parse_figure(n, figure_named(&j->e->usage, otutl_figures[i].name, false));
	}
	read_sources(j, val_get(v, STR("source")), val_get(v, STR("estimated")), false);
	otutl_put_usage(&ours, &j->e->usage, NULL);
	same = ours.n > 2 && str_eq(buf_str(&ours), json_of(j, v, STR("usage")));
	buf_free(&ours);
	if (!same)
		keep_others(j, v, is_figure);
	return true;
}

static bool is_messages(struct job *j, struct str name, struct val v)
{
	(void)j;
	(void)v;
	return str_eq(name, STR("messages"));
}

static bool otutl_read_request(struct job *j, struct val v)
{
	if (j->messages && val_count(v) > 1)
		keep_others(j, v, is_messages);
	return j->messages;
}

/* ---- what the rules are about ---- */

/* Takes the URI apart only if it can be put together again to the letter. */
static bool otutl_read_tool(struct job *j, struct val v)
{
	struct str uri, vendor = { NULL, 0 }, server = { NULL, 0 }, name = { NULL, 0 };

	if (!val_is(v, JSON_STRING))
		return false;
	uri = reading_text_of(j->r, v);
	words_tool_of_uri(j->r->arena, uri, &vendor, &server, &name);
	if (!str_eq(words_tool_uri(j->r->arena, vendor, server, name), uri)) {
		j->e->tool = uri;
		j->e->vendor = STR(""); /* nobody's: it is written as it stands */
		return true;
	}
	j->e->vendor = vendor;
	j->e->server = server;
	j->e->tool = name;
	return true;
}

/* Keeps the run's id with its start, so that it is written again; on other records it says nothing new. */
static bool read_run_id(struct job *j, struct val v)
{
	struct id id;
	const char *why;

	if (j->e->kind != EVENT_RUN_START)
		return true;
	if (!val_is(v, JSON_STRING) || !otutl_check_run_id(reading_text_of(j->r, v), &id, &why))
		return false;
	otutl_read_add_extra(j, STR("run_id"), json_of(j, v, STR("run_id")), true);
	return true;
}

/* What is written counts anew. Whether a log counts from 0 or from 1 is kept for that. */
static bool read_seq(struct job *j, struct val v)
{
	int64_t n;

	if (val_i64(v, &n) && n >= 0)
		j->e->seq = FIGURE((uint64_t)n);
	if (j->e->kind == EVENT_RUN_START && val_is(v, JSON_NUMBER) && str_eq(val_raw(v), STR("1")))
		otutl_read_add_extra(j, STR("seq"), STR("1"), true);
	return true;
}

static bool read_ts(struct job *j, struct val v)
{
	(void)v;
	j->e->ts = j->ts;
	return j->ts.text.p != NULL;
}

static bool is_read_elsewhere(struct job *j, struct val v)
{
	(void)j;
	(void)v;
	return true;
}

/* By enum otutl_how: false when the value is not as the writer would write it, and is to be kept as it stands. */
static bool (*const readers[])(struct job *, struct val) = {
	[OTUTL_TEXT] = read_text,
	[OTUTL_JSON] = otutl_read_json,
	[OTUTL_COUNT] = read_count,
	[OTUTL_SIGNED] = read_signed,
	[OTUTL_AMOUNT] = otutl_read_amount,
	[OTUTL_TRUTH] = otutl_read_truth,
	[OTUTL_FLAG] = read_flag,
	[OTUTL_STREAM] = read_stream,
	[OTUTL_MOMENT] = read_moment,
	[OTUTL_AGENT] = otutl_read_agent,
	[OTUTL_USAGE] = otutl_read_usage,
	[OTUTL_USAGE_SOURCE] = is_read_elsewhere, /* these three by read_cost_sources */
	[OTUTL_USAGE_ESTIMATED] = is_read_elsewhere,
	[OTUTL_USD_SOURCE] = is_read_elsewhere,
	[OTUTL_REQUEST] = otutl_read_request,
	[OTUTL_RAW_ARGS] = read_raw_args,
	[OTUTL_STATUS] = otutl_read_status,
	[OTUTL_EXT] = is_read_elsewhere,
	[OTUTL_VERSION] = read_version,
	[OTUTL_SOURCE] = NULL, /* kept as they stand */
	[OTUTL_TOTALS] = NULL,
	[OTUTL_RULED_ARGS] = otutl_read_json,
	[OTUTL_RULED_CALL] = read_text,
	[OTUTL_RULED_CHUNKS] = otutl_read_json,
	[OTUTL_RULED_PARENT] = read_text,
	[OTUTL_RULED_TOOL] = otutl_read_tool,
	[OTUTL_RULED_RUN_ID] = read_run_id,
	[OTUTL_RULED_SEQ] = read_seq,
	[OTUTL_RULED_TS] = read_ts,
	[OTUTL_RULED_TYPE] = is_read_elsewhere,
};

/* ---- ext ---- */

/* A list as the writer writes it; otherwise it stays with the rest. */
static bool read_bignums(struct job *j, struct val v)
{
	struct bignum *first = NULL, **last = &first;
	struct val_iter it = val_begin(v);
	struct val pointer;

	if (!val_is(v, JSON_ARRAY) || val_count(v) == 0)
		return false;
	while (val_next(&it, &pointer)) {
		struct bignum *b = arena_new(j->r->arena, struct bignum);

		if (!val_is(pointer, JSON_STRING))
			return false;
		b->pointer = reading_text_of(j->r, pointer);
		*last = b;
		last = &b->next;
	}
	*last = j->e->bignums;
	j->e->bignums = first;
	return true;
}

/* The list must be as the writer has it, in order and of known amounts; otherwise it stays with the rest. */
static bool read_derived(struct job *j, struct val v)
{
	struct val_iter it = val_begin(v);
	size_t next = 0;
	struct val name;

	if (!val_is(v, JSON_ARRAY) || val_count(v) == 0)
		return false;
	while (val_next(&it, &name)) {
		struct amount *a;

		while (next < OTUTL_AMOUNTS && !val_text_is(name, otutl_amounts[next].name))
			next++;
		if (next == OTUTL_AMOUNTS)
			return false;
		a = (struct amount *)(void *)((char *)j->e + otutl_amounts[next].offset);
		if (!amount_is_known(*a))
			return false;
		a->source = FIGURE_ESTIMATED;
	}
	return true;
}

/* Messages and notes say it only of a time of their own; a record may say any of the words. */
static bool read_time_source(struct job *j, struct val v)
{
	bool bare = otutl_columns[j->e->kind].type.n == 0;

	for (size_t i = 0; i < 4; i++) {
		if (!otutl_moment_sources[i] || !val_text_is(v, str_from(otutl_moment_sources[i])))
			continue;
		if (bare && (i != MOMENT_DERIVED || j->e->ts.source != MOMENT_VENDOR))
			return false;
		j->e->ts.source = (uint8_t)i;
		return true;
	}
	return false;
}

static bool read_our_flag(struct job *j, struct val v, unsigned flag)
{
	if (!val_is(v, JSON_TRUE) || (flag == EVENT_PARTIAL && j->e->kind == EVENT_STEP))
		return false;
	j->e->flags |= flag;
	return true;
}

/* A member of "trackway/1"; false when it is nothing that the model knows. */
static bool read_our_member(struct job *j, struct str name, struct val v)
{
	if (str_eq(name, STR("bigint")))
		return read_bignums(j, v);
	if (str_eq(name, STR("branch")) && val_is(v, JSON_STRING)) {
		j->e->branch = reading_text_of(j->r, v);
		return true;
	}
	if (str_eq(name, STR("derived")))
		return read_derived(j, v);
	if (str_eq(name, STR("inferred")))
		return read_our_flag(j, v, EVENT_INFERRED);
	if (str_eq(name, STR("notes")))
		return j->notes;
	if (str_eq(name, STR("partial")))
		return read_our_flag(j, v, EVENT_PARTIAL);
	if (str_eq(name, STR("total_only")))
		return j->e->kind == EVENT_COST && read_our_flag(j, v, EVENT_TOTAL);
	if (str_eq(name, STR("ts_source")))
		return read_time_source(j, v);
	return false;
}

/*
 * Reads "trackway/1" and keeps what the model does not know of it. Values against the rules are added there, under
 * `invalid`.
 */
static void otutl_read_ours(struct job *j, struct val ours)
{
	struct otutl_pieces rest = { NULL, 0, 0 };
	struct val_iter it = val_begin(ours);
	struct val key, value;

	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, j->r->arena);

		if (!read_our_member(j, name, value))
			otutl_pieces_add(&rest, name, json_of(j, value, STR("ext/trackway~11")));
	}
	if (j->odd.count)
		otutl_pieces_add(&rest, STR("invalid"), otutl_read_object_of(j, &j->odd));
	if (rest.count || (val_is(ours, JSON_OBJECT) && val_count(ours) == 0))
		otutl_read_add_extra(j, STR("trackway/1"), otutl_read_object_of(j, &rest), false);
	otutl_pieces_free(&rest);
}

/* What the reader of another format kept under the same key stays: the members join it. */
static void add_to_rest(struct job *j, struct val object)
{
	struct val_iter it = val_begin(object);
	struct val key, value;

	while (val_is(object, JSON_OBJECT) && val_next_member(&it, &key, &value))
		reading_extra(j->r, j->e, val_text(key, j->r->arena), json_of(j, value, STR("ext")));
}

/*
 * Extensions of others are kept one by one. An ext that is no object, or is empty, is kept whole, so that it comes
 * back.
 */
static void read_ext(struct job *j)
{
	struct val ext = val_get(j->record, STR("ext")), ours = val_get(ext, STR("trackway/1")), key, value;
	struct val_iter it = val_begin(ext);

	if (!val_is_none(ext) && (!val_is(ext, JSON_OBJECT) || val_count(ext) == 0))
		otutl_read_add_extra(j, STR("ext"), json_of(j, ext, STR("ext")), true);
	while (val_is(ext, JSON_OBJECT) && val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, j->r->arena);

		if (j->over && str_eq(name, str_from(j->r->dialect->read->key)))
			add_to_rest(j, value);
		else if (!str_eq(name, STR("trackway/1")) || !val_is(value, JSON_OBJECT))
			otutl_read_add_extra(j, name, json_of(j, value, STR("ext")), false);
	}
	otutl_read_ours(j, val_is(ours, JSON_OBJECT) ? ours : VAL_NONE);
}

/* ---- records ---- */

/* What the writer would say of itself in this place, and the record does not: nothing is to be said. */
static void keep_absences(struct job *j)
{
	const struct otutl_columns *c = &otutl_columns[j->e->kind];

	for (size_t i = 0; i < c->count; i++) {
		uint8_t how = c->list[i].how;
		bool made = how == OTUTL_VERSION || how == OTUTL_SOURCE || how == OTUTL_TOTALS;

		if (made && !val_has(j->record, c->list[i].name))
			otutl_read_add_extra(j, c->list[i].name, str_of("", 0), true);
	}
}

/* A member that is made from others: kept when it is not what would be made. */
static void keep_unless(struct job *j, struct str name, struct str made)
{
	struct val v = val_get(j->record, name);
	struct str json = val_is_none(v) ? STR("") : json_of(j, v, name);

	if (!str_eq(json, made))
		otutl_read_add_extra(j, name, json, true);
}

/* Three members that the writer makes of the figures' sources: each is kept only where it says something else. */
static void read_cost_sources(struct job *j)
{
	struct val v = val_get(j->record, STR("cost_source"));
	struct buf made = { 0 };
	struct str source;

	if (j->e->kind != EVENT_COST)
		return;
	read_sources(j, val_get(j->record, STR("source")), val_get(j->record, STR("estimated")), true);
	source = otutl_usage_source(&j->e->usage);
	if (source.p)
		otutl_put_text(&made, source);
	keep_unless(j, STR("source"), buf_str(&made));
	buf_clear(&made);
	if (str_eq(source, STR("mixed")))
		otutl_put_estimated(&made, &j->e->usage, true);
	keep_unless(j, STR("estimated"), buf_str(&made));
	/* "vendor" and "computed" are what these words were before; a record that has them keeps them */
	j->e->usd.source = val_text_is(v, STR("api")) || val_text_is(v, STR("vendor")) ? FIGURE_API : FIGURE_ESTIMATED;
	buf_clear(&made);
	if (amount_is_known(j->e->usd))
		otutl_put_text(&made, j->e->usd.source == FIGURE_API ? STR("api") : STR("estimated"));
	keep_unless(j, STR("cost_source"), buf_str(&made));
	buf_free(&made);
}

static const struct otutl_column *find_column(enum event_kind kind, struct str name)
{
	const struct otutl_columns *c = &otutl_columns[kind];

	for (size_t i = 0; i < c->count; i++)
		if (str_eq(c->list[i].name, name))
			return &c->list[i];
	return NULL;
}

/* Reads one member by its column. One that cannot be read is kept; against a rule it goes to ext, under `invalid`. */
static void read_member(struct job *j, struct str name, struct val v)
{
	const struct otutl_column *c = j->column = find_column(j->e->kind, name);

	if (c && readers[c->how] && readers[c->how](j, v))
		return;
	if (c && c->how >= OTUTL_RULED)
		otutl_pieces_add(&j->odd, name, json_of(j, v, name));
	else
		otutl_read_add_extra(j, name, json_of(j, v, name), true);
}

/* For the other formats: a word that is none of OTUTL's is the reason, and no word is no success. */
static void read_other_end(struct job *j)
{
	struct val status = val_get(j->record, STR("status")), reason = val_get(j->record, STR("reason"));

	if (j->e->kind != EVENT_RUN_END)
		return;
	if (val_is_none(status)) {
		j->e->status = STATUS_INTERRUPTED;
		otutl_read_add_extra(j, STR("status"), str_of("", 0), true);
	} else if (val_is(status, JSON_STRING) && val_is_none(reason) && j->e->status != STATUS_SUCCESS &&
		   words_find_status(val_text(status, j->r->arena)) == STATUS_UNKNOWN) {
		j->e->reason = reading_text_of(j->r, status);
		otutl_read_add_extra(j, STR("reason"), str_of("", 0), true);
	}
}

/* Reads all members of a record, message or note, and then what several of them say together. */
static void read_members(struct job *j)
{
	struct val_iter it = val_begin(j->record);
	struct val key, value;

	while (val_next_member(&it, &key, &value)) /* of equal names the last counts */
		read_member(j, val_text(key, j->r->arena), value);
	read_cost_sources(j);
	read_other_end(j);
	keep_absences(j);
	read_ext(j);
	otutl_pieces_free(&j->odd);
}

void otutl_read_over(struct reading *r, struct event *e, struct val record)
{
	struct job j = { .r = r, .e = e, .record = record, .over = true };
	struct val_iter it = val_begin(record);
	struct val key, value;

	if (!val_is(record, JSON_OBJECT))
		return;
	if (val_has(record, STR("usage")))
		e->usage = (struct usage){ 0 };
	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, r->arena);

		const struct otutl_column *c = find_column(e->kind, name);

		if (c && c->how != OTUTL_RULED_TS)
			read_member(&j, name, value);
	}
	read_cost_sources(&j);
	read_ext(&j);
	otutl_pieces_free(&j.odd);
}

static bool is_list_of_objects(struct val v)
{
	struct val_iter it = val_begin(v);
	struct val item;

	if (!val_is(v, JSON_ARRAY) || val_count(v) == 0)
		return false;
	while (val_next(&it, &item))
		if (!val_is(item, JSON_OBJECT))
			return false;
	return true;
}

/* Messages or notes of a record as events before its own. False when the list is not one of them. */
static bool otutl_read_parts(struct job *record, enum event_kind kind, struct val list)
{
	struct val_iter it = val_begin(list);
	struct val item;

	if (!is_list_of_objects(list))
		return false;
	while (val_next(&it, &item)) {
		struct job j = { .r = record->r, .e = reading_add(record->r, kind), .record = item };

		j.e->ts = record->ts;
		j.e->ts.source = record->ts.text.p ? MOMENT_INHERITED : MOMENT_NONE;
		read_members(&j);
	}
	return true;
}

/* The kind of event that a record's type stands for, or -1. */
static int otutl_read_kind_of(struct val v)
{
	struct val type = val_get(v, STR("type"));

	for (int i = 0; i < EVENT_KINDS && val_is(type, JSON_STRING); i++)
		if (otutl_columns[i].type.n && val_text_is(type, otutl_columns[i].type))
			return i;
	return -1;
}

/* The events of one record: its notes, its messages, then its own. An unknown type is a note that holds it. */
static void otutl_read_value(struct reading *r, struct val v)
{
	struct job j = { .r = r, .record = v };
	struct val ours = val_get(val_get(v, STR("ext")), STR("trackway/1")), request = val_get(v, STR("request"));
	int kind = otutl_read_kind_of(v);

	reading_take(r, v); /* what has no column is kept as it stands */
	if (kind < 0) {
		j.e = reading_add(r, EVENT_NOTE);
		j.e->role = STR("record");
		j.e->content = reading_json_of(r, j.e, "content", v);
		return;
	}
	parse_moment(&j, val_get(v, STR("ts")), &j.ts);
	j.notes = otutl_read_parts(&j, EVENT_NOTE, val_get(ours, STR("notes")));
	if (j.notes && val_is(val_get(ours, STR("carrier")), JSON_TRUE))
		return;
	if (kind == EVENT_STEP || kind == EVENT_RUN_END)
		j.messages = otutl_read_parts(&j, EVENT_MESSAGE, val_get(request, STR("messages")));
	j.e = reading_add(r, (enum event_kind)kind);
	read_members(&j);
}

const struct read_ops otutl_read_ops = {
	.key = "otutl/1",
	.assemble = ASSEMBLE_AS_IS,
	.value = otutl_read_value,
};
