/* Validators that look for JSON in the answer. */
#include <math.h>

#include "base/ascii.h"
#include "base/map.h"
#include "bench/suite/python_text.h"
#include "bench/validate/private.h"

/* ---- where the JSON is ---- */

static bool is_info_byte(char c)
{
	return ascii_is_name(c) || c == '+';
}

struct str validator_json_part(struct str answer)
{
	size_t open = str_find(answer, STR("```")), at, close;
	const char *first, *last;

	if (open != (size_t)-1) {
		at = open + 3;
		while (at < answer.n && is_info_byte(answer.p[at]))
			at++;
		close = str_find(str_skip(answer, at), STR("```"));
		if (close != (size_t)-1)
			return str_of(answer.p + at, close);
	}
	first = answer.n ? memchr(answer.p, '{', answer.n) : NULL;
	last = answer.n ? memrchr(answer.p, '}', answer.n) : NULL;
	if (first && last && first < last)
		return str_of(first, (size_t)(last - first) + 1);
	return answer;
}

/* ---- a value as it was written ---- */

/* Numbers each name of an object by its last key, so that the earlier ones can be left out. */
static struct map *last_keys(struct arena *a, struct val object)
{
	struct map *m = NULL;
	struct val_iter it = val_begin(object);
	struct val key, v;
	bool repeated = false;

	while (!repeated && val_next_member(&it, &key, &v))
		repeated = val_tok(key)->flags & JSON_DUPLICATE;
	if (!repeated)
		return NULL;
	m = arena_new(a, struct map);
	map_init(m, a);
	it = val_begin(object);
	while (val_next_member(&it, &key, &v))
		*map_add(m, val_text(key, a), &(bool){ false }) = key.at;
	return m;
}

struct level {
	uint32_t container;
	struct map *last; /* NULL when no name repeats */
};

/* A string as it was written, quotes around it, unless it has lone surrogates: then its text is escaped anew. */
static void add_key(struct buf *out, struct val key)
{
	if (val_tok(key)->flags & JSON_LONE) {
		struct arena a;

		arena_init(&a);
		buf_add_byte(out, '"');
		for (struct str rest = val_text(key, &a), *s = &rest; s->n; *s = str_skip(*s, 1)) {
			if (s->p[0] == '"' || s->p[0] == '\\')
				buf_add_byte(out, '\\');
			if ((unsigned char)s->p[0] < 0x20)
				buf_printf(out, "\\u%04x", (unsigned)s->p[0]);
			else
				buf_add_byte(out, s->p[0]);
		}
		buf_add_byte(out, '"');
		arena_free(&a);
		return;
	}
	buf_add_byte(out, '"');
	buf_add_str(out, val_raw(key));
	buf_add_byte(out, '"');
}

/* A name or a scalar. Lone surrogates, which no other reader takes, become U+FFFD. */
static void validator_json_add_scalar(struct buf *out, struct val v)
{
	if (val_is(v, JSON_STRING) || val_is(v, JSON_KEY))
		add_key(out, v);
	else
		buf_add_str(out, val_source(v));
}

void validator_squeeze(struct buf *out, struct val v)
{
	struct level levels[VALIDATOR_JSON_DEPTH + 1];
	uint32_t end = val_end(v);
	size_t depth = 0;
	bool first = true;
	struct arena a;

	arena_init(&a);
	for (uint32_t at = v.at; at < end;) {
		struct val one = { v.tape, at };
		bool is_key = val_is(one, JSON_KEY), holds = val_is(one, JSON_ARRAY) || val_is(one, JSON_OBJECT);
		struct map *last = depth ? levels[depth - 1].last : NULL;

		if (is_key && last && *map_find(last, val_text(one, &a)) != at) {
			at = val_end((struct val){ v.tape, at + 1 });
		} else {
			bool named = at > v.at && val_is((struct val){ v.tape, at - 1 }, JSON_KEY);

			if (!first && !named)
				buf_add_byte(out, ',');
			first = holds;
			if (holds)
				buf_add_byte(out, val_is(one, JSON_ARRAY) ? '[' : '{');
			else
				validator_json_add_scalar(out, one);
			if (is_key)
				buf_add_byte(out, ':');
			if (holds)
				levels[depth++] = (struct level){ at, last_keys(&a, one) };
			at++;
		}
		while (depth > 0 && val_end((struct val){ v.tape, levels[depth - 1].container }) == at) {
			depth--;
			buf_add_byte(out, val_is((struct val){ v.tape, levels[depth].container }, JSON_ARRAY)
						  ? ']'
						  : '}');
			first = false;
		}
	}
	arena_free(&a);
}

/* ---- json_keys ---- */

static const char *const rule_types[] = { "one_of", "number", "string",  "boolean",
					  "array",  "object", "integer", "null" };

#define RULE_TYPES COUNT(rule_types)

/* The constant of rule_types; NULL and told when the rule has none of them. */
static const char *rule_type(struct validator_compile *c, struct val rule)
{
	struct val type = val_get(rule, STR("type"));

	if (!val_is(rule, JSON_OBJECT)) {
		validator_fault(c, rule, "key_rules", "an object of {\"type\", ...}");
		return NULL;
	}
	for (size_t i = 0; i < RULE_TYPES; i++)
		if (val_text_is(type, str_from(rule_types[i])))
			return rule_types[i];
	problem_at(c->problems, val_is_none(type) ? SUITE_MISSING : SUITE_VALUE, val_is_none(type) ? rule : type,
		   "the type of a key rule should be one_of, number, string, boolean, array, object, integer or null");
	return NULL;
}

/* Reads the rule of one key; false and told when the rule cannot be used. */
static bool read_rule(struct validator_compile *c, struct val rule, struct validator_rule *out)
{
	struct val values = val_get(rule, STR("values")), one, key;
	struct val_iter it = val_begin(rule);
	struct str *list = arena_array(c->arena, struct str, val_count(values) + 1);
	bool is_one_of;

	out->type = rule_type(c, rule);
	if (!out->type)
		return false;
	is_one_of = strcmp(out->type, "one_of") == 0;
	while (val_next_member(&it, &key, &one))
		if (!val_text_is(key, STR("type")) && !(is_one_of && val_text_is(key, STR("values"))))
			problem_at(c->problems, SUITE_UNKNOWN, key, "%.*s means nothing to the key rule %s",
				   STR_ARG(val_source(key)), out->type);
	if (!is_one_of)
		return true;
	if (val_is_none(values))
		return problem_at(c->problems, SUITE_MISSING, rule, "the key rule one_of needs \"values\"");
	if (!val_is(values, JSON_ARRAY))
		return validator_fault(c, values, "values", "a list");
	out->values = list;
	for (it = val_begin(values); val_next(&it, &one);)
		if (validator_canonical(c->arena, one, &list[out->value_count]))
			out->value_count++;
		else
			problem_at(c->problems, SUITE_VALUE, one, "the value has no canonical form");
	return true;
}

/* Rules that cannot be used are left out, but have been told, so the suite is refused all the same. */
static bool compile_json_keys(struct validator_compile *c, struct val v, struct validator_node *n)
{
	struct val rules = val_get(v, STR("key_rules")), key, rule;
	struct val_iter it = val_begin(rules);
	struct validator_rule *list = arena_array(c->arena, struct validator_rule, val_count(rules) + 1);

	validator_read_texts(c, v, "required_keys", false, &n->values, &n->value_count);
	if (!val_is_none(rules) && !val_is(rules, JSON_OBJECT))
		return validator_fault(c, rules, "key_rules", "an object of {\"type\", ...}");
	n->rules = list;
	while (val_next_member(&it, &key, &rule)) {
		list[n->rule_count].key = arena_copy(c->arena, val_text(key, c->arena));
		if (read_rule(c, rule, &list[n->rule_count]))
			n->rule_count++;
	}
	return true;
}

static bool validator_json_is_whole(struct val v)
{
	double d;

	return val_double(v, &d) && d == floor(d);
}

/* one_of compares canonical texts: 1.0 is 1. An integer may be written 2.0; true is no number. */
static bool obeys(const struct validator_run *r, const struct validator_rule *rule, struct val v)
{
	struct str text;

	if (strcmp(rule->type, "one_of") != 0) {
		const bool is[RULE_TYPES] = { false,
					      val_is(v, JSON_NUMBER),
					      val_is(v, JSON_STRING),
					      val_is_bool(v),
					      val_is(v, JSON_ARRAY),
					      val_is(v, JSON_OBJECT),
					      val_is(v, JSON_NUMBER) && validator_json_is_whole(v),
					      val_is(v, JSON_NULL) };

		for (size_t i = 1; i < RULE_TYPES; i++)
			if (strcmp(rule->type, rule_types[i]) == 0)
				return is[i];
	}
	return validator_canonical(r->arena, v, &text) && str_is_one_of(text, rule->values, rule->value_count);
}

/* The first key that is missing, else the first rule that is broken. A rule for a key that is absent holds. */
static void judge_keys(const struct validator_run *r, const struct validator_node *n, struct val v, struct verdict *out)
{
	verdict_set(out, true, STR(""));
	for (size_t i = 0; i < n->value_count; i++) {
		if (!val_has(v, n->values[i])) {
			verdict_set(out, false, ARENA_JOIN(r->arena, STR("missing_key:"), n->values[i]));
			return;
		}
	}
	for (size_t i = 0; i < n->rule_count; i++) {
		const struct validator_rule *rule = &n->rules[i];
		struct val member = val_get(v, rule->key);

		if (!val_is_none(member) && !obeys(r, rule, member)) {
			verdict_set(out, false, ARENA_JOIN(r->arena, STR("key_rule_"), str_from(rule->type),
							   STR("_failed:"), rule->key));
			return;
		}
	}
}

/* Parses the answer's JSON; a value that is an object becomes parsed_output. */
static bool read_answer(const struct validator_run *r, struct json_parser *p, struct val *v, struct verdict *out)
{
	struct json_issue issue;
	struct buf text;

	if (!json_parse_copy(p, validator_json_part(r->out), v, &issue)) {
		verdict_set(out, false, arena_printf(r->arena, "json_parse_error: %s", issue.message));
		return false;
	}
	if (!val_is(*v, JSON_OBJECT))
		return true;
	buf_init(&text);
	validator_squeeze(&text, *v);
	out->parsed = arena_take(r->arena, &text);
	return true;
}

static struct json_parser *open_parser(void)
{
	/* As Python reads it: of names that repeat, the last one counts. */
	return json_parser_open((struct json_options){ .max_depth = VALIDATOR_JSON_DEPTH,
						       .allow_duplicates = true,
						       .allow_lone = true });
}

static void run_json_keys(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	struct json_parser *p = open_parser();
	struct val v;

	if (read_answer(r, p, &v, out)) {
		if (val_is(v, JSON_OBJECT))
			judge_keys(r, n, v, out);
		else
			verdict_set(out, false, STR("json_not_object"));
	}
	json_parser_close(p);
}

/* ---- json_schema ---- */

static bool compile_json_schema(struct validator_compile *c, struct val v, struct validator_node *n)
{
	n->schema = jsonschema_new(c->arena, val_get(v, STR("schema")), c->problems);
	return n->schema;
}

/* Unlike json_keys it takes any JSON; only an object becomes parsed_output. */
static void run_json_schema(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	struct json_parser *p = open_parser();
	struct jsonschema_fault fault;
	enum jsonschema_answer answer;
	struct val v;

	if (read_answer(r, p, &v, out)) {
		answer = jsonschema_check(n->schema, v, r->arena, r->budget, &fault);
		verdict_set(out, answer == JSONSCHEMA_VALID,
			    ARENA_JOIN(r->arena,
				       answer == JSONSCHEMA_LIMIT ? STR("json_schema_limit keyword=")
								  : STR("json_schema_failed keyword="),
				       str_from(fault.keyword), STR(" at="),
				       fault.pointer.n ? fault.pointer : STR("/")));
	}
	json_parser_close(p);
}

const struct validator_kind validator_json_keys = {
	"json_keys",
	{ { "required_keys", true }, { "key_rules", false }, { NULL, false } },
	compile_json_keys,
	run_json_keys
};
const struct validator_kind validator_json_schema = { "json_schema", { { "schema", true }, { NULL, false } },
						      compile_json_schema, run_json_schema };
