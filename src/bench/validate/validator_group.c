/*
 * Validators made of others. One that has nothing to say (noop, or tokens that were not counted) is left out of
 * account; when none has, neither has the group. All those inside are run, for parsed_output tells what each said.
 */
#include "bench/validate/private.h"
#include "json/put.h"

/* Members are only noted here; validator_new compiles them later, and tells what is wrong with each. */
static bool compile_list(struct validator_compile *c, struct val v, struct validator_node *n)
{
	struct val list = val_get(v, STR("validators")), one;
	struct val_iter it = val_begin(list);

	if (!val_is(list, JSON_ARRAY))
		return validator_fault(c, list, "validators", "a list of validators");
	if (val_count(list) == 0)
		return problem_at(c->problems, SUITE_VALUE, list, "\"validators\" is empty: there is nothing to ask");
	while (val_next(&it, &one))
		if (!validator_add_inside(c, one, n))
			return false;
	return true;
}

static bool compile_not(struct validator_compile *c, struct val v, struct validator_node *n)
{
	return validator_add_inside(c, val_get(v, STR("validator")), n);
}

/* The verdict of the i-th member, which has run before the group. */
static const struct verdict *inside(const struct validator_run *r, const struct validator_node *n, uint32_t i)
{
	return &r->verdicts[n->first + i];
}

static const char *name_inside(const struct validator_run *r, const struct validator_node *n, uint32_t i)
{
	return r->validator->nodes[n->first + i].kind->name;
}

/* {"results":[{"type","objective_pass","violation"}]} */
static void show_inside(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	struct json_writer w;
	struct buf text;

	buf_init(&text);
	json_write_init(&w, &text, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_array(&w, "results");
	for (uint32_t i = 0; i < n->count; i++) {
		const struct verdict *v = inside(r, n, i);

		json_write_begin_object(&w);
		json_put_text(&w, "type", str_from(name_inside(r, n, i)));
		json_write_key(&w, STR("objective_pass"));
		if (v->pass == VERDICT_NULL)
			json_write_null(&w);
		else
			json_write_bool(&w, v->pass == VERDICT_TRUE);
		json_write_key(&w, STR("violation"));
		if (v->violation.n)
			json_write_string(&w, v->violation);
		else
			json_write_null(&w);
		json_write_end_object(&w);
	}
	json_write_end_array(&w);
	json_write_end_object(&w);
	out->parsed = arena_take(r->arena, &text);
}

/* The first that fails speaks for all. */
static void run_all_of(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	show_inside(r, n, out);
	for (uint32_t i = 0; i < n->count; i++) {
		const struct verdict *v = inside(r, n, i);

		if (v->pass == VERDICT_TRUE)
			out->pass = VERDICT_TRUE;
		if (v->pass != VERDICT_FALSE)
			continue;
		verdict_set(out, false, ARENA_JOIN(r->arena, STR("all_of: "), v->violation));
		return;
	}
}

/* When all fail, the violation has those of all members. */
static void run_any_of(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	struct buf text;

	show_inside(r, n, out);
	buf_init(&text);
	buf_add_str(&text, STR("any_of: "));
	for (uint32_t i = 0; i < n->count && out->pass != VERDICT_TRUE; i++) {
		const struct verdict *v = inside(r, n, i);

		if (v->pass != VERDICT_NULL)
			out->pass = v->pass;
		if (v->pass == VERDICT_FALSE) {
			if (text.n > STR("any_of: ").n)
				buf_add_str(&text, STR("; "));
			buf_add_str(&text, v->violation);
		}
	}
	if (out->pass == VERDICT_FALSE)
		verdict_set(out, false, arena_copy(r->arena, buf_str(&text)));
	buf_free(&text);
}

/* What was not decided within its budget is no pass for its opposite either. */
static void run_not(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	const struct verdict *v = inside(r, n, 0);
	bool undecided = str_starts(v->violation, STR("regex_limit ")) ||
			 str_starts(v->violation, STR("json_schema_limit ")) ||
			 str_starts(v->violation, STR("command_"));

	show_inside(r, n, out);
	if (v->pass == VERDICT_NULL)
		return;
	if (undecided && !str_starts(v->violation, STR("command_failed ")))
		verdict_set(out, false, v->violation);
	else
		verdict_set(out, v->pass == VERDICT_FALSE,
			    ARENA_JOIN(r->arena, STR("not_failed "), str_from(name_inside(r, n, 0))));
}

const struct validator_kind validator_all_of = { "all_of", { { "validators", true }, { NULL, false } }, compile_list,
						 run_all_of };
const struct validator_kind validator_any_of = { "any_of", { { "validators", true }, { NULL, false } }, compile_list,
						 run_any_of };
const struct validator_kind validator_not = { "not", { { "validator", true }, { NULL, false } }, compile_not, run_not };
