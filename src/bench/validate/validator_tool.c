/* Validators that look at the tools an answer calls. */
#include "bench/suite/python_text.h"
#include "bench/validate/private.h"
#include "json/put.h"

/* parsed_output of all three, whatever the verdict. */
static void show_tools(const struct validator_run *r, struct verdict *out)
{
	const struct tool_use *use = &r->in->tools;
	struct json_writer w;
	struct buf text;

	buf_init(&text);
	json_write_init(&w, &text, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_texts(&w, "detected_tools", use->names, use->count);
	json_put_u64(&w, "count", use->count);
	json_write_end_object(&w);
	out->parsed = arena_take(r->arena, &text);
}

/* ---- tool_invocation ---- */

static bool compile_invocation(struct validator_compile *c, struct val v, struct validator_node *n)
{
	validator_say(c, n, "no_tool_invocation expected=", val_get(v, STR("expected_tools")));
	return validator_read_texts(c, v, "expected_tools", false, &n->values, &n->value_count);
}

static void run_invocation(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	verdict_set(out, detect_is_success(&r->in->tools, n->values, n->value_count), n->failure);
	show_tools(r, out);
}

/* ---- tool_sequence ---- */

/* The tools in this order, others between them; with "exact": true, these and no others. */
static bool compile_sequence(struct validator_compile *c, struct val v, struct validator_node *n)
{
	validator_say(c, n, "tool_sequence want=", val_get(v, STR("tools")));
	return validator_read_flag(c, v, "exact", &n->flag) &&
	       validator_read_texts(c, v, "tools", true, &n->values, &n->value_count);
}

static void validator_tool_add_names(struct buf *out, const struct tool_use *use)
{
	buf_add_byte(out, '[');
	for (size_t i = 0; i < use->count; i++) {
		if (i)
			buf_add_str(out, STR(", "));
		python_repr(out, use->names[i]);
	}
	buf_add_byte(out, ']');
}

/* Goes through the calls once and waits for the next wanted name; letters of either case. */
static void run_sequence(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	const struct tool_use *use = &r->in->tools;
	size_t met = 0;
	struct buf text;

	for (size_t i = 0; i < use->count && met < n->value_count; i++)
		met += str_eq_nocase(use->names[i], n->values[met]);
	buf_init(&text);
	buf_add_str(&text, n->failure);
	buf_add_str(&text, STR(" got="));
	validator_tool_add_names(&text, use);
	verdict_set(out, met == n->value_count && (!n->flag || use->count == n->value_count),
		    arena_take(r->arena, &text));
	show_tools(r, out);
}

/* ---- tool_args ---- */

/* A call of "tool" whose arguments have the members of "args" with the same values, or obey "schema". */
static bool compile_args(struct validator_compile *c, struct val v, struct validator_node *n)
{
	struct val args = val_get(v, STR("args")), schema = val_get(v, STR("schema")), key, one;
	struct val_iter it = val_begin(args);
	struct validator_rule *list = arena_array(c->arena, struct validator_rule, val_count(args) + 1);
	struct str *text;

	validator_say(c, n, "tool=", val_get(v, STR("tool")));
	if (!validator_read_text(c, v, "tool", &n->value))
		return false;
	if (val_is_none(args) == val_is_none(schema))
		return problem_at(c->problems, SUITE_MISSING, v,
			   "the validator tool_args needs \"args\" or \"schema\", one of them");
	if (!val_is_none(schema)) {
		n->schema = jsonschema_new(c->arena, schema, c->problems);
		return n->schema;
	}
	if (!val_is(args, JSON_OBJECT))
		return validator_fault(c, args, "args", "an object");
	n->rules = list;
	while (val_next_member(&it, &key, &one)) {
		text = arena_new(c->arena, struct str);
		if (!validator_canonical(c->arena, one, text))
			return problem_at(c->problems, SUITE_VALUE, one, "the value has no canonical form");
		list[n->rule_count++] = (struct validator_rule){ .key = arena_copy(c->arena, val_text(key, c->arena)),
								 .type = "one_of", .values = text, .value_count = 1 };
	}
	return true;
}

/* Members that "args" does not name may have any value. */
static bool has_args(const struct validator_run *r, const struct validator_node *n, struct val v)
{
	struct str text;

	if (!val_is(v, JSON_OBJECT))
		return false;
	for (size_t i = 0; i < n->rule_count; i++) {
		struct val member = val_get(v, n->rules[i].key);

		if (val_is_none(member) || !validator_canonical(r->arena, member, &text) ||
		    !str_eq(text, n->rules[i].values[0]))
			return false;
	}
	return true;
}

/* A call without arguments has the empty object. Arguments that are no JSON fit nothing. */
static bool fits_call(const struct validator_run *r, const struct validator_node *n, struct json_parser *p,
		      const struct validator_call *call)
{
	struct jsonschema_fault fault;
	struct val v;

	if (!json_parse_copy(p, call->arguments.n ? call->arguments : STR("{}"), &v, NULL))
		return false;
	if (!n->schema)
		return has_args(r, n, v);
	return jsonschema_check(n->schema, v, r->arena, r->budget, &fault) == JSONSCHEMA_VALID;
}

/*
 * One call that fits is enough. Only calls that the service reported have arguments: names found in the text never
 * pass.
 */
static void run_args(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = VALIDATOR_JSON_DEPTH });
	bool called = false, fits = false;

	for (size_t i = 0; i < r->in->call_count && !fits; i++) {
		if (!str_eq_nocase(r->in->calls[i].name, n->value))
			continue;
		called = true;
		fits = fits_call(r, n, p, &r->in->calls[i]);
	}
	verdict_set(out, fits,
		    ARENA_JOIN(r->arena, called ? STR("tool_args_mismatch ") : STR("no_tool_call "), n->failure));
	show_tools(r, out);
	json_parser_close(p);
}

const struct validator_kind validator_tool_invocation = { "tool_invocation",
							  { { "expected_tools", true }, { NULL, false } },
							  compile_invocation, run_invocation };
const struct validator_kind validator_tool_sequence = { "tool_sequence",
							{ { "tools", true }, { "exact", false }, { NULL, false } },
							compile_sequence, run_sequence };
const struct validator_kind validator_tool_args = {
	"tool_args",
	{ { "tool", true }, { "args", false }, { "schema", false }, { NULL, false } },
	compile_args,
	run_args
};
