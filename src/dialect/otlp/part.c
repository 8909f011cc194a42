/*
 * A row for each spelling of a part that logs have. Members that a row does not move stay beside those it does; a
 * value in which they would meet is written as JSON in a text instead.
 */
#include "dialect/otlp/part.h"

#include "base/num.h"
#include "dialect/record/field.h"
#include "json/text.h"

#define HOW STR("trackway.part")
#define TOOL_HOW STR("trackway.tool")

#define MOVES 2

struct part_row {
	struct str type, part; /* theirs, and the conventions' */
	struct str inner;      /* the object that holds the members; n 0: the part itself */
	struct str inner_type; /* the "type" of that, which nothing else says; n 0: it has none */
	struct {
		struct str from, to;
	} moves[MOVES];
	struct str tag;
};

#define TEXT_ROW(type_, from_, part_) \
	{ .type = WORD(type_), .part = WORD(part_), .moves = { { WORD(from_), WORD("content") } }, .tag = WORD(type_) }

static const struct part_row part_rows[] = {
	TEXT_ROW("text", "text", "text"),
	TEXT_ROW("input_text", "text", "text"),
	TEXT_ROW("output_text", "text", "text"),
	TEXT_ROW("summary_text", "text", "text"),
	TEXT_ROW("refusal", "refusal", "text"),
	TEXT_ROW("thinking", "thinking", "reasoning"),
	{ .type = WORD("reasoning"), .part = WORD("reasoning"), .moves = { { WORD("reasoning"), WORD("content") } },
	  .tag = WORD("reasoning") },
	{ .type = WORD("image"), .part = WORD("blob"), .inner = WORD("source"), .inner_type = WORD("base64"),
	  .moves = { { WORD("media_type"), WORD("mime_type") }, { WORD("data"), WORD("content") } },
	  .tag = WORD("image_base64") },
	{ .type = WORD("image"), .part = WORD("uri"), .inner = WORD("source"), .inner_type = WORD("url"),
	  .moves = { { WORD("url"), WORD("uri") } }, .tag = WORD("image_source") },
	{ .type = WORD("image"), .part = WORD("uri"), .moves = { { WORD("image"), WORD("uri") } },
	  .tag = WORD("image") },
	{ .type = WORD("image_url"), .part = WORD("uri"), .inner = WORD("image_url"),
	  .moves = { { WORD("url"), WORD("uri") } }, .tag = WORD("image_url") },
	{ .type = WORD("input_image"), .part = WORD("uri"), .moves = { { WORD("image_url"), WORD("uri") } },
	  .tag = WORD("input_image") },
};

/* ---- writing ---- */

static void part_key(struct buf *out, struct str name)
{
	if (out->p[out->n - 1] != '{')
		buf_add_byte(out, ',');
	buf_add_byte(out, '"');
	buf_add_str(out, name);
	buf_add_str(out, STR("\":"));
}

static void part_text(struct buf *out, struct str name, struct str text)
{
	part_key(out, name);
	text_quote(out, text);
}

/* A member as it stands, under its own name. */
static void part_copy(struct buf *out, struct val key, struct val v)
{
	buf_add_str(out, out->p[out->n - 1] == '{' ? STR("") : STR(","));
	buf_add_str(out, val_source(key));
	buf_add_byte(out, ':');
	buf_add_str(out, val_source(v));
}

static struct val part_holder(const struct part_row *row, struct val v)
{
	return row->inner.n ? val_get(v, row->inner) : v;
}

/* Nothing that stays may have a name that the conventions give to something else. */
static bool part_is_free(const struct part_row *row, struct val v)
{
	static const struct str taken[] = { WORD("content"), WORD("mime_type"), WORD("modality"), WORD("uri"),
					    WORD("trackway.part") };

	for (size_t i = 0; i < COUNT(taken); i++)
		if (val_has(v, taken[i]) && !str_eq(taken[i], row->inner))
			return false;
	return true;
}

static bool part_fits(const struct part_row *row, struct val v)
{
	struct val holder = part_holder(row, v);
	size_t members = row->inner_type.n ? 1 : 0;

	if (!val_text_is(val_get(v, STR("type")), row->type) || !val_is(holder, JSON_OBJECT))
		return false;
	if (row->inner_type.n && !val_text_is(val_get(holder, STR("type")), row->inner_type))
		return false;
	for (size_t i = 0; i < MOVES && row->moves[i].from.n; i++, members++)
		if (!val_is(val_get(holder, row->moves[i].from), JSON_STRING))
			return false;
	return part_is_free(row, v) && (!row->inner.n || val_count(holder) == members);
}

/* Whether a reader of the conventions understands it as it is. */
static bool part_is_theirs(struct val v)
{
	struct val type = val_get(v, STR("type"));
	bool text = val_text_is(type, STR("text")) || val_text_is(type, STR("reasoning"));

	if (!val_is(v, JSON_OBJECT) || val_has(v, HOW))
		return false;
	if (val_text_is(type, STR("tool_call_response")))
		return val_has(v, STR("response"));
	return text && val_is(val_get(v, STR("content")), JSON_STRING);
}

static bool part_is_moved(const struct part_row *row, struct val key)
{
	if (row->inner.n)
		return val_text_is(key, row->inner);
	for (size_t i = 0; i < MOVES && row->moves[i].from.n; i++)
		if (val_text_is(key, row->moves[i].from))
			return true;
	return false;
}

/* "data:image/png;base64,..." is no address but the data: the conventions call that a blob. */
static bool part_cut_data(struct str uri, struct str *mime, struct str *data)
{
	size_t at = str_starts(uri, STR("data:")) ? str_find(uri, STR(";base64,")) : (size_t)-1;

	if (at == (size_t)-1)
		return false;
	*mime = str_of(uri.p + 5, at - 5);
	*data = str_skip(uri, at + 8);
	return true;
}

static void part_put_moved(struct buf *out, const struct part_row *row, struct val v)
{
	struct val holder = part_holder(row, v);
	struct str raw = val_raw(val_get(holder, row->moves[0].from)), mime = STR(""), data = STR("");
	bool uri = str_eq(row->part, STR("uri")), blob = uri && part_cut_data(raw, &mime, &data);

	part_text(out, STR("type"), blob ? STR("blob") : row->part);
	if (uri || str_eq(row->part, STR("blob")))
		part_text(out, STR("modality"), STR("image"));
	for (size_t i = 0; !blob && i < MOVES && row->moves[i].from.n; i++) {
		part_key(out, row->moves[i].to);
		buf_add_str(out, val_source(val_get(holder, row->moves[i].from)));
	}
	if (blob) { /* parts of a text that is escaped, as they stand */
		part_key(out, STR("mime_type"));
		buf_add_str(out, STR("\""));
		buf_add_str(out, mime);
		buf_add_str(out, STR("\",\"content\":\""));
		buf_add_str(out, data);
		buf_add_byte(out, '"');
	}
}

static void part_put_row(struct buf *out, const struct part_row *row, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val key, member;

	buf_add_byte(out, '{');
	part_put_moved(out, row, v);
	while (val_next_member(&it, &key, &member))
		if (!val_text_is(key, STR("type")) && !part_is_moved(row, key))
			part_copy(out, key, member);
	part_text(out, HOW, row->tag);
	buf_add_byte(out, '}');
}

void otlp_part_put(struct buf *out, struct val v)
{
	bool string = val_is(v, JSON_STRING);

	for (size_t i = 0; val_is(v, JSON_OBJECT) && i < COUNT(part_rows); i++) {
		if (part_fits(&part_rows[i], v)) {
			part_put_row(out, &part_rows[i], v);
			return;
		}
	}
	if (part_is_theirs(v)) {
		buf_add_str(out, val_source(v));
		return;
	}
	buf_add_byte(out, '{');
	part_text(out, STR("type"), STR("text"));
	part_key(out, STR("content"));
	if (string)
		buf_add_str(out, val_source(v));
	else
		text_quote(out, val_source(v));
	part_text(out, HOW, string ? STR("string") : STR("json"));
	buf_add_byte(out, '}');
}

/* ---- and back ---- */

static const struct part_row *part_find(struct val tag)
{
	for (size_t i = 0; i < COUNT(part_rows); i++)
		if (val_text_is(tag, part_rows[i].tag))
			return &part_rows[i];
	return NULL;
}

/* The members of the holder that were moved. */
static void part_back_moved(struct buf *out, const struct part_row *row, struct val part)
{
	if (str_eq(row->part, STR("uri")) && val_text_is(val_get(part, STR("type")), STR("blob"))) {
		part_key(out, row->moves[0].from);
		buf_add_str(out, STR("\"data:"));
		buf_add_str(out, val_raw(val_get(part, STR("mime_type"))));
		buf_add_str(out, STR(";base64,"));
		buf_add_str(out, val_raw(val_get(part, STR("content"))));
		buf_add_byte(out, '"');
		return;
	}
	for (size_t i = 0; i < MOVES && row->moves[i].from.n; i++) {
		part_key(out, row->moves[i].from);
		buf_add_str(out, val_source(val_get(part, row->moves[i].to)));
	}
}

/* Whether a row made this part: all that it moves must be there, as texts. */
static bool part_is_of(const struct part_row *row, struct val part)
{
	bool blob = str_eq(row->part, STR("uri")) && val_text_is(val_get(part, STR("type")), STR("blob"));

	if (blob)
		return val_is(val_get(part, STR("mime_type")), JSON_STRING) &&
		       val_is(val_get(part, STR("content")), JSON_STRING);
	for (size_t i = 0; i < MOVES && row->moves[i].from.n; i++)
		if (!val_is(val_get(part, row->moves[i].to), JSON_STRING))
			return false;
	return true;
}

static void part_back_row(struct buf *out, const struct part_row *row, struct val part)
{
	static const struct str ours[] = { WORD("type"), WORD("modality"), WORD("content"), WORD("mime_type"),
					   WORD("uri"), WORD("trackway.part") };
	struct val_iter it = val_begin(part);
	struct val key, member;

	buf_add_byte(out, '{');
	part_text(out, STR("type"), row->type);
	if (row->inner.n) {
		part_key(out, row->inner);
		buf_add_byte(out, '{');
		if (row->inner_type.n)
			part_text(out, STR("type"), row->inner_type);
	}
	part_back_moved(out, row, part);
	buf_add_str(out, row->inner.n ? STR("}") : STR(""));
	while (val_next_member(&it, &key, &member)) {
		bool skip = false;

		for (size_t i = 0; i < COUNT(ours); i++)
			skip |= val_text_is(key, ours[i]);
		if (!skip)
			part_copy(out, key, member);
	}
	buf_add_byte(out, '}');
}

void otlp_part_back(struct buf *out, struct val part, struct arena *a)
{
	struct val tag = val_get(part, HOW), content = val_get(part, STR("content"));
	const struct part_row *row = val_is_none(tag) ? NULL : part_find(tag);

	if (row && part_is_of(row, part))
		part_back_row(out, row, part);
	else if (val_text_is(tag, STR("string")) && val_is(content, JSON_STRING))
		buf_add_str(out, val_source(content));
	else if (val_text_is(tag, STR("json")) && val_is(content, JSON_STRING))
		buf_add_str(out, val_text(content, a));
	else
		buf_add_str(out, val_source(part));
}

/* ---- tools ---- */

/* All members but those named, up to one with n 0. */
static void tool_copy(struct buf *out, struct val object, const struct str *but)
{
	struct val_iter it = val_begin(object);
	struct val key, v;

	while (val_next_member(&it, &key, &v)) {
		const struct str *name = but;

		while (name->n && !val_text_is(key, *name))
			name++;
		if (!name->n)
			part_copy(out, key, v);
	}
}

/* {"type":"function","function":{"name":...}}, as chat completions have it. */
static bool tool_is_wrapped(struct val v)
{
	struct val inner = val_get(v, STR("function"));

	return val_count(v) == 2 && val_text_is(val_get(v, STR("type")), STR("function")) &&
	       val_is(val_get(inner, STR("name")), JSON_STRING) && !val_has(inner, STR("type")) &&
	       !val_has(inner, TOOL_HOW);
}

/* How a tool was changed; NULL when it is as the conventions have it. */
static const char *tool_change(struct val v)
{
	bool name = val_is(val_get(v, STR("name")), JSON_STRING), type = val_is(val_get(v, STR("type")), JSON_STRING);

	if (val_is(v, JSON_STRING))
		return "name";
	if (!val_is(v, JSON_OBJECT) || val_has(v, TOOL_HOW))
		return "value";
	if (tool_is_wrapped(v))
		return "function";
	if (name && !val_has(v, STR("type")))
		return val_has(v, STR("input_schema")) && !val_has(v, STR("parameters")) ? "input_schema" : "untyped";
	if (type && !val_has(v, STR("name")))
		return "unnamed";
	return name && type ? NULL : "value";
}

static void tool_put(struct buf *out, struct val v)
{
	static const struct str none[] = { { NULL, 0 } }, schema[] = { WORD("input_schema"), { NULL, 0 } };
	const char *change = tool_change(v);
	struct str how = str_from(change ? change : "");

	if (!change) {
		buf_add_str(out, val_source(v));
		return;
	}
	buf_add_byte(out, '{');
	if (str_eq(how, STR("name")) || str_eq(how, STR("value"))) {
		part_text(out, STR("type"), STR("function"));
		part_key(out, STR("name"));
		buf_add_str(out, str_eq(how, STR("name")) ? val_source(v) : STR("\"unknown\",\"value\":"));
		buf_add_str(out, str_eq(how, STR("name")) ? STR("") : val_source(v));
	} else if (str_eq(how, STR("unnamed"))) {
		part_key(out, STR("name"));
		buf_add_str(out, val_source(val_get(v, STR("type"))));
		tool_copy(out, v, none);
	} else {
		part_text(out, STR("type"), STR("function"));
		tool_copy(out, str_eq(how, STR("function")) ? val_get(v, STR("function")) : v,
			  str_eq(how, STR("input_schema")) ? schema : none);
		if (str_eq(how, STR("input_schema"))) {
			part_key(out, STR("parameters"));
			buf_add_str(out, val_source(val_get(v, STR("input_schema"))));
		}
	}
	part_text(out, TOOL_HOW, how);
	buf_add_byte(out, '}');
}

void otlp_tools_put(struct buf *out, struct val list)
{
	struct val_iter it = val_begin(list);
	struct val v;
	size_t n = 0;

	buf_add_byte(out, '[');
	while (val_next(&it, &v)) {
		if (n++)
			buf_add_byte(out, ',');
		tool_put(out, v);
	}
	buf_add_byte(out, ']');
}

static void tool_back(struct buf *out, struct val v)
{
	static const struct str typed[] = { WORD("type"), WORD("trackway.tool"), { NULL, 0 } };
	static const struct str named[] = { WORD("name"), WORD("trackway.tool"), { NULL, 0 } };
	static const struct str schema[] = { WORD("type"), WORD("parameters"), WORD("trackway.tool"), { NULL, 0 } };
	struct val how = val_get(v, TOOL_HOW), name = val_get(v, STR("name")), value = val_get(v, STR("value"));
	struct val parameters = val_get(v, STR("parameters"));

	if (val_text_is(how, STR("name")) && val_is(name, JSON_STRING)) {
		buf_add_str(out, val_source(name));
	} else if (val_text_is(how, STR("value")) && !val_is_none(value)) {
		buf_add_str(out, val_source(value));
	} else if (val_text_is(how, STR("function"))) {
		buf_add_str(out, STR("{\"type\":\"function\",\"function\":{"));
		tool_copy(out, v, typed);
		buf_add_str(out, STR("}}"));
	} else if (val_text_is(how, STR("input_schema")) && !val_is_none(parameters)) {
		buf_add_str(out, STR("{\"input_schema\":"));
		buf_add_str(out, val_source(parameters));
		tool_copy(out, v, schema);
		buf_add_byte(out, '}');
	} else if (val_text_is(how, STR("untyped")) || val_text_is(how, STR("unnamed"))) {
		buf_add_byte(out, '{');
		tool_copy(out, v, val_text_is(how, STR("untyped")) ? typed : named);
		buf_add_byte(out, '}');
	} else {
		buf_add_str(out, val_source(v));
	}
}

void otlp_tools_back(struct buf *out, struct val list)
{
	struct val_iter it = val_begin(list);
	struct val v;
	size_t n = 0;

	buf_add_byte(out, '[');
	while (val_next(&it, &v)) {
		if (n++)
			buf_add_byte(out, ',');
		tool_back(out, v);
	}
	buf_add_byte(out, ']');
}
