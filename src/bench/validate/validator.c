/*
 * Compiles the tree of validators into a list without recursion: each is read in turn and puts those inside it at the
 * end, where the loop finds them. Running goes through the list backwards. What a kind does is in validator_*.c; this
 * file has the table of kinds and what they share.
 */
#include "bench/validate/validator.h"

#include <assert.h>

#include "base/utf8.h"
#include "bench/suite/python_text.h"
#include "bench/validate/private.h"
#include "json/canon.h"
#include "json/put.h"

static const struct validator_kind *const kinds[] = {
	&validator_noop,	 &validator_exact,	    &validator_one_of,	      &validator_regex,
	&validator_max_words,	 &validator_max_sentences,  &validator_exact_bullets, &validator_json_keys,
	&validator_tool_invocation, &validator_all_of,	    &validator_any_of,	      &validator_not,
	&validator_contains,	 &validator_json_schema,    &validator_tool_sequence, &validator_tool_args,
	&validator_max_tokens,	 &validator_command,
};

#define KINDS COUNT(kinds)

const char *validator_type(const struct validator *v)
{
	return v->nodes[0].kind->name;
}

const struct str *validator_expected_tools(const struct validator *v, size_t *count)
{
	bool is_it = v->nodes[0].kind == &validator_tool_invocation;

	*count = is_it ? v->nodes[0].value_count : 0;
	return is_it ? v->nodes[0].values : NULL;
}

/* ---- reading members ---- */

bool validator_fault(struct validator_compile *c, struct val v, const char *name, const char *wanted)
{
	return problem_at(c->problems, SUITE_TYPE, v, "\"%s\" should be %s, not %s", name, wanted,
			  problem_type_name(v));
}

bool validator_read_text(struct validator_compile *c, struct val object, const char *name, struct str *out)
{
	struct val v = val_get(object, str_from(name));

	if (!val_is(v, JSON_STRING))
		return validator_fault(c, v, name, "a string");
	*out = arena_copy(c->arena, val_text(v, c->arena));
	return true;
}

bool validator_read_count(struct validator_compile *c, struct val object, const char *name, int64_t least, int64_t *out)
{
	struct val v = val_get(object, str_from(name));

	if (!val_is(v, JSON_NUMBER) || !num_integral(val_raw(v), out))
		return validator_fault(c, v, name, "a whole number");
	if (*out < least)
		return problem_at(c->problems, SUITE_VALUE, v, "\"%s\" should be at least %lld", name,
				  (long long)least);
	return true;
}

bool validator_read_flag(struct validator_compile *c, struct val object, const char *name, bool *out)
{
	struct val v = val_get(object, str_from(name));

	if (val_is_none(v))
		return true;
	if (!val_is_bool(v))
		return validator_fault(c, v, name, "true or false");
	*out = val_is(v, JSON_TRUE);
	return true;
}

bool validator_read_texts(struct validator_compile *c, struct val object, const char *name, bool some,
			  const struct str **out, size_t *count)
{
	struct val v = val_get(object, str_from(name)), one;
	struct val_iter it = val_begin(v);
	struct str *list = arena_array(c->arena, struct str, val_count(v) + 1);
	bool good = true;

	if (!val_is(v, JSON_ARRAY))
		return validator_fault(c, v, name, "a list of strings");
	*out = list;
	*count = 0;
	while (val_next(&it, &one)) {
		if (val_is(one, JSON_STRING))
			list[(*count)++] = arena_copy(c->arena, val_text(one, c->arena));
		else
			good = validator_fault(c, one, name, "a list of strings");
	}
	if (some && val_count(v) == 0)
		return problem_at(c->problems, SUITE_VALUE, v, "\"%s\" is empty: no answer could pass", name);
	return good;
}

bool validator_read_pattern(struct validator_compile *c, struct val v, enum regex_syntax syntax,
			    struct validator_node *n)
{
	struct regex_fault why;
	const struct regex *r;

	if (!val_is(v, JSON_STRING))
		return validator_fault(c, v, "pattern", "a string");
	r = regex_new(c->arena, val_text(v, c->arena), syntax, &why);
	if (!r)
		return problem_at(c->problems, SUITE_PATTERN, v, "the pattern is wrong at byte %zu: %s", why.at,
				  why.text);
	assert(n->patterns);
	n->patterns[n->pattern_count++] = r;
	c->out->pattern_count++;
	return true;
}

void validator_say(struct validator_compile *c, struct validator_node *n, const char *words, struct val v)
{
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, str_from(words));
	python_repr_value(&text, v);
	n->failure = arena_take(c->arena, &text);
}

bool validator_canonical(struct arena *a, struct val v, struct str *out)
{
	struct canon *canon = canon_open(CANON_JCS);
	enum json_code code;
	struct buf text;
	uint32_t bad;
	bool good;

	buf_init(&text);
	good = canon_value(canon, v, &text, &bad, &code);
	if (good)
		*out = arena_copy(a, buf_str(&text));
	buf_free(&text);
	canon_close(canon);
	return good;
}

/* ---- compiling ---- */

bool validator_add_inside(struct validator_compile *c, struct val v, struct validator_node *n)
{
	uint32_t number = c->out->count;

	if (number == VALIDATOR_NODES)
		return problem_at(c->problems, SUITE_LIMIT, v, "more than %d validators inside one", VALIDATOR_NODES);
	if (n->count == 0)
		n->first = number;
	n->count++;
	c->sources[number] = v;
	c->out->count++;
	return true;
}

/* The kind that "type" names; NULL and told when there is none. */
static const struct validator_kind *find_kind(struct validator_compile *c, struct val v)
{
	struct val type = val_get(v, STR("type"));
	struct str known = STR("");

	if (!val_is(v, JSON_OBJECT)) {
		problem_at(c->problems, SUITE_TYPE, v, "a validator should be an object, not %s", problem_type_name(v));
		return NULL;
	}
	if (val_is_none(type)) {
		problem_at(c->problems, SUITE_MISSING, v, "the validator has no \"type\"");
		return NULL;
	}
	for (size_t i = 0; i < KINDS; i++) {
		if (val_text_is(type, str_from(kinds[i]->name)))
			return kinds[i];
		known = arena_printf(c->arena, "%.*s%s%s", STR_ARG(known), i ? ", " : "", kinds[i]->name);
	}
	problem_at(c->problems, SUITE_VALIDATOR, type, "%.*s is not a type of validator; the types are %.*s",
		   STR_ARG(val_source(type)), STR_ARG(known));
	return NULL;
}

/* "type" belongs to every kind and stands in no list of keys. */
static bool is_known(const struct validator_kind *kind, struct val key)
{
	if (val_text_is(key, STR("type")))
		return true;
	for (size_t i = 0; kind->keys[i].name; i++)
		if (val_text_is(key, str_from(kind->keys[i].name)))
			return true;
	return false;
}

/* Tells members that the kind does not know and those that it lacks; false when one is missing. */
static bool check_keys(struct validator_compile *c, const struct validator_kind *kind, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val key, value;
	bool good = true;

	while (val_next_member(&it, &key, &value))
		if (!is_known(kind, key))
			problem_at(c->problems, SUITE_UNKNOWN, key, "%.*s means nothing to the validator %s",
				   STR_ARG(val_source(key)), kind->name);
	for (size_t i = 0; kind->keys[i].name; i++) {
		if (kind->keys[i].required && !val_has(v, str_from(kind->keys[i].name))) {
			problem_at(c->problems, SUITE_MISSING, v, "the validator %s needs \"%s\"", kind->name,
				   kind->keys[i].name);
			good = false;
		}
	}
	return good;
}

const struct validator *validator_new(struct arena *a, struct val v, const struct validator_options *o,
				      struct problems *p)
{
	struct validator *out = arena_new(a, struct validator);
	struct validator_compile c = { .arena = a, .problems = p, .options = o, .out = out };
	uint64_t before = p->count;
	size_t room = val_end(v) - v.at + 1;

	room = room < VALIDATOR_NODES ? room : VALIDATOR_NODES;
	out->nodes = arena_array(a, struct validator_node, room);
	c.sources = arena_array(a, struct val, room);
	c.sources[out->count++] = v;
	for (uint32_t i = 0; i < out->count; i++) {
		struct validator_node *n = &out->nodes[i];

		n->kind = find_kind(&c, c.sources[i]);
		if (n->kind && check_keys(&c, n->kind, c.sources[i]) && n->kind->compile)
			n->kind->compile(&c, c.sources[i], n);
	}
	return p->count == before ? out : NULL;
}

/* ---- running ---- */

void verdict_set(struct verdict *out, bool pass, struct str violation)
{
	out->pass = pass ? VERDICT_TRUE : VERDICT_FALSE;
	out->violation = pass ? STR("") : violation;
}

void verdict_text(const struct validator_run *r, const char *name, uint64_t n, struct verdict *out)
{
	struct json_writer w;
	struct buf text;

	buf_init(&text);
	json_write_init(&w, &text, JSON_COMPACT);
	json_write_begin_object(&w);
	if (name)
		json_put_u64(&w, name, n);
	json_put_text(&w, "text", r->out);
	json_write_end_object(&w);
	out->parsed = arena_take(r->arena, &text);
}

/* The text itself when it is UTF-8, else a copy with U+FFFD for each byte that is not. */
static struct str as_utf8(struct arena *a, struct str text)
{
	struct str rest = text;
	struct buf b;
	size_t good;

	if (utf8_check(text) == text.n)
		return text;
	buf_init(&b);
	while (rest.n) {
		good = utf8_check(rest);
		buf_add(&b, rest.p, good);
		if (good < rest.n)
			buf_add_str(&b, STR("\xEF\xBF\xBD"));
		good += good < rest.n;
		rest = str_skip(rest, good);
	}
	return arena_take(a, &b);
}

/* From the last to the first: those inside another are behind it, so their verdicts are there when it needs them. */
struct verdict validator_run(const struct validator *v, struct arena *a, const struct validator_input *in)
{
	uint64_t budget = REGEX_BUDGET + REGEX_PER_BYTE * (v->pattern_count + 1) * in->output.n;
	struct validator_run r = { .arena = a, .in = in, .validator = v, .budget = &budget };

	r.raw = as_utf8(a, in->output);
	r.out = str_trim(r.raw);
	r.verdicts = arena_array(a, struct verdict, v->count);
	for (uint32_t i = v->count; i-- > 0;) {
		const struct validator_node *n = &v->nodes[i];

		assert(n->count == 0 || n->first > i);
		r.verdicts[i] = (struct verdict){ VERDICT_NULL, STR(""), STR("") };
		n->kind->run(&r, n, &r.verdicts[i]);
	}
	return r.verdicts[0];
}
