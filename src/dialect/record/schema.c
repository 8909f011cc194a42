/*
 * Walks the record types from the roots, writes a definition of each, and notes the rules that the definitions say, so
 * that the rest can be named in the $comment.
 */
#include "dialect/record/schema.h"

#include <assert.h>

#include "dialect/record/record.h"
#include "dialect/record/schema_stamp.h"
#include "json/put.h"

#define TYPES_MAX 64  /* record types of a format */
#define RULES_MAX 128 /* rules of a format */

/* What record_is_blank takes for white space: ASCII's, and Unicode's White_Space. */
#define NOT_BLANK "[^\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]"

struct schema {
	struct json_writer w;
	const struct dialect *dialect;
	enum check_mode mode;
	const struct record_type *types[TYPES_MAX]; /* reached from the roots */
	size_t count;
	bool said[RULES_MAX]; /* rules that the schema can say */
	bool stamps;
};

static bool schema_is_error(const struct schema *s, unsigned rule)
{
	return rule != RECORD_NO_RULE && rule_severity(&s->dialect->rules[rule], s->mode) == SEV_ERROR;
}

/* The same for the rules that a table format names itself; a format without them refuses all such faults. */
static bool refuses_types(const struct schema *s)
{
	return !s->dialect->record || schema_is_error(s, s->dialect->record->on_type);
}

static bool refuses_missing(const struct schema *s, const struct record_type *type)
{
	if (!s->dialect->record)
		return true;
	return schema_is_error(s, type->on_missing ? type->on_missing : s->dialect->record->on_missing);
}

static bool wants_optional(const struct schema *s)
{
	return s->mode == MODE_STRICT && s->dialect->record && s->dialect->record->strict_wants_optional;
}

static bool is_closed(const struct schema *s, const struct record_type *type)
{
	const struct record_format *f = s->dialect->record;

	return (type->closed || wants_optional(s)) && (!f || schema_is_error(s, f->on_unknown));
}

static bool needs(const struct schema *s, const struct field *f)
{
	return f->need == FIELD_REQUIRED || (f->need == FIELD_OPTIONAL && wants_optional(s));
}

/* ---- what is reached, and what it says ---- */

static void reach(struct schema *s, const struct record_type *type)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->types[i] == type)
			return;
	assert(s->count < TYPES_MAX);
	s->types[s->count++] = type;
}

static void say(struct schema *s, unsigned rule)
{
	if (rule < RULES_MAX)
		s->said[rule] = true;
}

/* A fragment names the codes it says in its $comment. */
static void say_fragment(struct schema *s, const char *fragment)
{
	for (size_t i = 0; fragment && s->dialect->rules[i].code; i++)
		if (str_has(str_from(fragment), str_from(s->dialect->rules[i].code)))
			say(s, (unsigned)i);
}

/* Lists the types that the roots lead to, and the rules that their rows and fragments say. */
static void reach_all(struct schema *s)
{
	const struct record_format *format = s->dialect->record;

	for (size_t i = 0; s->dialect->roots[i]; i++)
		reach(s, s->dialect->roots[i]);
	for (size_t i = 0; i < s->count; i++) {
		const struct record_type *type = s->types[i];

		say_fragment(s, type->schema);
		if (type->on_missing)
			say(s, type->on_missing);
		for (size_t k = 0; k < type->count; k++) {
			for (const struct field *f = &type->fields[k]; f; f = f->each) {
				if (f->object)
					reach(s, f->object);
				if (f->check != CHECK_NONE)
					say(s, f->rule);
				s->stamps = s->stamps || f->check == CHECK_STAMP;
			}
		}
	}
	if (format) {
		say(s, format->on_missing);
		say(s, format->on_type);
		say(s, format->on_unknown);
		say(s, format->on_not_object);
	}
}

/* Formats that share their rules say some of them each: such a rule is not beyond schemas. */
static void say_others(struct schema *s)
{
	for (size_t i = 0; dialects[i]; i++) {
		struct schema other = { .dialect = dialects[i], .mode = s->mode };

		if (dialects[i] == s->dialect || dialects[i]->rules != s->dialect->rules || !schema_has(dialects[i]))
			continue;
		reach_all(&other);
		for (size_t k = 0; k < RULES_MAX; k++)
			s->said[k] = s->said[k] || other.said[k];
	}
}

/* Adds the name of a type's definition: two types of one name are told apart by a number. */
static void schema_add_name(const struct schema *s, const struct record_type *type, struct buf *out)
{
	unsigned same = 1;

	for (size_t i = 0; i < s->count && s->types[i] != type; i++)
		same += strcmp(s->types[i]->name, type->name) == 0;
	buf_add_str(out, str_from(type->name));
	if (same > 1)
		buf_printf(out, "_%u", same);
}

/* ---- members ---- */

static void put_ref(struct schema *s, const struct record_type *type)
{
	struct buf text = { 0 };

	buf_add_str(&text, STR("#/$defs/"));
	schema_add_name(s, type, &text);
	json_put_text(&s->w, "$ref", buf_str(&text));
	buf_free(&text);
}

/* Writes "type": one word, or a list; nothing when every type will do. */
static void put_types(struct schema *s, unsigned types)
{
	static const struct {
		unsigned bits;
		const char *name;
	} names[] = {
		{ T_NULL, "null" },     { T_BOOL, "boolean" }, { T_NUMBER, "number" },
		{ T_STRING, "string" }, { T_ARRAY, "array" },  { T_OBJECT, "object" },
	};
	struct str found[6];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(names); i++)
		if (types & names[i].bits)
			found[count++] = names[i].bits == T_NUMBER && (types & T_WHOLE) ? STR("integer")
										       : str_from(names[i].name);
	if (count == 6 && !(types & T_WHOLE))
		return;
	json_write_key(&s->w, STR("type"));
	if (count != 1)
		json_write_begin_array(&s->w);
	for (size_t i = 0; i < count; i++)
		json_write_string(&s->w, found[i]);
	if (count != 1)
		json_write_end_array(&s->w);
}

static void put_enum(struct schema *s, const struct words *words, bool null)
{
	if (words->count == 1 && !null) {
		json_put_text(&s->w, "const", words->items[0]);
		return;
	}
	json_put_array(&s->w, "enum");
	for (size_t i = 0; i < words->count; i++)
		json_write_string(&s->w, words->items[i]);
	if (null)
		json_write_null(&s->w);
	json_write_end_array(&s->w);
}

/* The words of a field that may also be no string hold for strings only. */
static void put_words(struct schema *s, const struct words *words, unsigned types)
{
	if (!(types & ~(unsigned)(T_STRING | T_NULL))) {
		put_enum(s, words, types & T_NULL);
		return;
	}
	/* the words are those of a string; what else the field may be is free */
	json_put_object(&s->w, "if");
	json_put_text(&s->w, "type", STR("string"));
	json_write_end_object(&s->w);
	json_put_object(&s->w, "then");
	put_enum(s, words, false);
	json_write_end_object(&s->w);
}

/* Writes what the check of a row asks of a value, if breaking it is an error in this mode. */
static void put_check(struct schema *s, const struct field *f, unsigned types)
{
	if (f->check == CHECK_NONE || !schema_is_error(s, f->rule))
		return;
	switch ((enum field_check)f->check) {
	case CHECK_NONE:
		break;
	case CHECK_NOT_EMPTY:
		json_put_double(&s->w, "minLength", 1);
		break;
	case CHECK_NOT_BLANK:
		json_put_text(&s->w, "pattern", STR(NOT_BLANK));
		break;
	case CHECK_WORD:
		put_words(s, f->words, types);
		break;
	case CHECK_RANGE:
		json_put_double(&s->w, "minimum", f->min);
		json_put_double(&s->w, "maximum", f->max);
		break;
	case CHECK_NOT_NEGATIVE:
		json_put_double(&s->w, "minimum", 0);
		break;
	case CHECK_STAMP:
		json_put_text(&s->w, "$ref", STR("#/$defs/stamp"));
		break;
	}
}

/* A field, with its elements inside it, and theirs. */
static void put_field(struct schema *s, const struct field *field)
{
	size_t open = 0;

	for (const struct field *f = field; f; f = f->each) {
		/* an element has no absence that null could stand for */
		unsigned types = f->types | (f == field && f->need != FIELD_REQUIRED ? T_NULL : 0);

		json_write_begin_object(&s->w);
		open++;
		if (f->about)
			json_put_text(&s->w, "description", str_from(f->about));
		if (refuses_types(s))
			put_types(s, types);
		put_check(s, f, types);
		if (f->object)
			put_ref(s, f->object);
		if (f->each)
			json_write_key(&s->w, f->types & T_ARRAY ? STR("items") : STR("additionalProperties"));
	}
	while (open-- > 0)
		json_write_end_object(&s->w);
}

/* ---- definitions ---- */

/* The containers of a fragment that are open. */
struct open_values {
	struct {
		uint32_t end;
		bool object;
	} items[JSON_WRITE_DEPTH];
	size_t depth;
};

/* One token, and the ends of the containers that it is the last of. */
static void put_token(struct schema *s, struct val v, struct open_values *open, struct arena *a)
{
	const struct json_tok *t = val_tok(v);
	bool object = t->type == JSON_OBJECT;

	if (t->type == JSON_KEY) {
		json_write_key(&s->w, val_text(v, a));
		return;
	}
	if (object || t->type == JSON_ARRAY) {
		open->items[open->depth].end = t->link;
		open->items[open->depth++].object = object;
		if (object)
			json_write_begin_object(&s->w);
		else
			json_write_begin_array(&s->w);
	} else {
		json_write_raw(&s->w, val_source(v));
	}
	for (; open->depth > 0 && open->items[open->depth - 1].end == v.at + 1; open->depth--) {
		if (open->items[open->depth - 1].object)
			json_write_end_object(&s->w);
		else
			json_write_end_array(&s->w);
	}
}

/* Members that are JSON already, indented like the rest. */
static void put_fragment(struct schema *s, const char *fragment)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = JSON_WRITE_DEPTH / 2 });
	struct open_values open = { .depth = 0 };
	struct arena arena;
	struct buf text = { 0 };
	struct val v = VAL_NONE;
	bool right;

	arena_init(&arena);
	buf_printf(&text, "{%s}", fragment);
	right = json_parse_copy(p, buf_str(&text), &v, NULL);
	assert(right); /* a row of ours */
	if (right)
		for (uint32_t end = val_end(v); ++v.at < end;)
			put_token(s, v, &open, &arena);
	buf_free(&text);
	arena_free(&arena);
	json_parser_close(p);
}

/* Nothing when a missing member is a warning in this mode: a schema takes what has no error. */
static void put_required(struct schema *s, const struct record_type *type)
{
	bool any = false;

	for (size_t i = 0; i < type->count && !any; i++)
		any = needs(s, &type->fields[i]);
	if (!any || !refuses_missing(s, type))
		return;
	json_put_array(&s->w, "required");
	for (size_t i = 0; i < type->count; i++)
		if (needs(s, &type->fields[i]))
			json_write_string(&s->w, str_from(type->fields[i].name));
	json_write_end_array(&s->w);
}

/* Says nothing about what is no object: a field may also be null, or a string. */
static void schema_put_type(struct schema *s, const struct record_type *type)
{
	json_write_begin_object(&s->w);
	if (type->about)
		json_put_text(&s->w, "description", str_from(type->about));
	json_put_object(&s->w, "properties");
	for (size_t i = 0; i < type->count; i++) {
		json_write_key(&s->w, str_from(type->fields[i].name));
		put_field(s, &type->fields[i]);
	}
	json_write_end_object(&s->w);
	put_required(s, type);
	if (is_closed(s, type)) {
		json_put_bool(&s->w, "additionalProperties", false);
	}
	if (type->schema)
		put_fragment(s, type->schema);
	json_write_end_object(&s->w);
}

/* Lists the errors that no schema of these rules says. s->said is complete by then, by reach_all and say_others. */
static void put_comment(struct schema *s)
{
	struct buf text = { 0 };
	bool any = false;

	buf_printf(&text, "Errors that no schema can find:");
	for (unsigned i = 0; s->dialect->rules[i].code; i++) {
		if (!schema_is_error(s, i) || s->said[i])
			continue;
		buf_printf(&text, "%s %s", any ? "," : "", s->dialect->rules[i].code);
		any = true;
	}
	buf_printf(&text, "%s. Warnings are not in it.", any ? "" : " none");
	json_put_text(&s->w, "$comment", buf_str(&text));
	buf_free(&text);
}

/* A record is any one of the roots; a single root needs no anyOf. */
static void put_roots(struct schema *s)
{
	const struct record_type *const *roots = s->dialect->roots;

	json_put_text(&s->w, "type", STR("object"));
	if (!roots[1]) {
		put_ref(s, roots[0]);
		return;
	}
	json_put_array(&s->w, "anyOf");
	for (size_t i = 0; roots[i]; i++) {
		json_write_begin_object(&s->w);
		put_ref(s, roots[i]);
		json_write_end_object(&s->w);
	}
	json_write_end_array(&s->w);
}

/* The $id names format, version and mode, so that the three schemas of a format are told apart. */
static void put_head(struct schema *s)
{
	struct buf text = { 0 };

	json_put_text(&s->w, "$schema", STR("https://json-schema.org/draft/2020-12/schema"));
	buf_printf(&text, "urn:trackway:schema:%s:1%s", s->dialect->name,
		   s->mode == MODE_STRICT	? ":strict" :
		   s->mode == MODE_PERMISSIVE ? ":permissive" :
						"");
	json_put_text(&s->w, "$id", buf_str(&text));
	json_put_text(&s->w, "title", str_from(s->dialect->title));
	buf_clear(&text);
	buf_printf(&text, "one %s of %s", s->dialect->unit, s->dialect->file);
	json_put_text(&s->w, "description", buf_str(&text));
	buf_free(&text);
	put_comment(s);
}

bool schema_has(const struct dialect *d)
{
	return d->roots && d->roots[0];
}

void schema_add(struct buf *out, const struct dialect *d, enum check_mode mode)
{
	struct schema s = { .dialect = d, .mode = mode };
	struct buf name = { 0 };

	assert(schema_has(d));
	json_write_init(&s.w, out, JSON_PRETTY);
	reach_all(&s);
	say_others(&s);
	json_write_begin_object(&s.w);
	put_head(&s);
	put_roots(&s);
	json_put_object(&s.w, "$defs");
	for (size_t i = 0; i < s.count; i++) {
		buf_clear(&name);
		schema_add_name(&s, s.types[i], &name);
		json_write_key(&s.w, buf_str(&name));
		schema_put_type(&s, s.types[i]);
	}
	if (s.stamps) {
		json_write_key(&s.w, STR("stamp"));
		schema_stamp_add(&s.w);
	}
	json_write_end_object(&s.w);
	json_write_end_object(&s.w);
	buf_add_byte(out, '\n');
	buf_free(&name);
}
