/*
 * A validator in words, from its JSON: a sentence for each type, with its members as they are written. Groups are
 * walked with a stack of a fixed depth, since a config.json may come from anywhere.
 */
#include "bench/validate/validator.h"

#include "base/buf.h"

#define DEPTH_MAX 8 /* of groups inside groups; what is deeper is shown as it is written */

/* {member} stands for the member's JSON. The first row of a type whose `needs` is there counts. */
static const struct words_row {
	const char *type, *needs, *words;
	const char *inside; /* the member with further validators */
} words_rows[] = {
	{ "noop", NULL, "says anything: it is not judged", NULL },
	{ "exact", "value", "is exactly {value}", NULL },
	{ "one_of", "values", "is one of {values}", NULL },
	{ "regex_fullmatch", "pattern", "matches the pattern {pattern} as a whole", NULL },
	{ "max_words", "value", "has at most this many words: {value}", NULL },
	{ "max_sentences", "value", "has at most this many sentences: {value}", NULL },
	{ "max_sentences", NULL, "has at most one sentence", NULL },
	{ "exact_bullets", "value", "has exactly this many lines that begin with '-': {value}", NULL },
	{ "json_keys", "key_rules", "is a JSON object with the keys {required_keys}, and keys obey {key_rules}", NULL },
	{ "json_keys", "required_keys", "is a JSON object with the keys {required_keys}", NULL },
	{ "tool_invocation", "expected_tools", "calls one of the tools {expected_tools}", NULL },
	{ "contains", "value", "contains {value}", NULL },
	{ "contains", "values", "contains all of {values}", NULL },
	{ "contains", "pattern", "matches the pattern {pattern} somewhere", NULL },
	{ "json_schema", "schema", "is JSON that obeys the schema {schema}", NULL },
	{ "max_tokens", "value", "has at most this many tokens, as the service counts them: {value}", NULL },
	{ "tool_sequence", "exact", "calls the tools {tools} in this order; no others: {exact}", NULL },
	{ "tool_sequence", "tools", "calls the tools {tools} in this order", NULL },
	{ "tool_args", "args", "calls the tool {tool} with the arguments {args}", NULL },
	{ "tool_args", "schema", "calls the tool {tool} with arguments that obey {schema}", NULL },
	{ "tool_args", "tool", "calls the tool {tool}", NULL },
	{ "command", "argv", "makes the program {argv} end with status 0", NULL },
	{ "all_of", "validators", "meets all of these:", "validators" },
	{ "any_of", "validators", "meets one of these:", "validators" },
	{ "not", "validator", "does not meet this:", "validator" },
};

static const struct words_row *words_row_of(struct val v)
{
	struct val type = val_get(v, STR("type"));

	for (size_t i = 0; i < COUNT(words_rows); i++)
		if (val_text_is(type, str_from(words_rows[i].type)) &&
		    (!words_rows[i].needs || !val_is_none(val_get(v, str_from(words_rows[i].needs)))))
			return &words_rows[i];
	return NULL;
}

static void words_fill_in(struct buf *out, struct str words, struct val v)
{
	while (words.n) {
		struct str rest, before = str_cut(words, '{', &rest), name;
		struct val member;

		buf_add_str(out, before);
		if (before.n == words.n)
			return;
		name = str_cut(rest, '}', &words);
		member = val_get(v, name);
		buf_add_str(out, val_is_none(member) ? STR("?") : val_source(member));
	}
}

/* One line, and the row of it when there are further validators inside. */
static const struct words_row *words_add_line(struct buf *out, struct val v, size_t depth)
{
	const struct words_row *row = words_row_of(v);

	for (size_t i = 0; i < depth; i++)
		buf_add_str(out, i + 1 < depth ? STR("  ") : STR("- "));
	if (row && (!row->inside || depth < DEPTH_MAX))
		words_fill_in(out, str_from(row->words), v);
	else
		buf_add_str(out, val_source(v));
	buf_add_byte(out, '\n');
	return row && row->inside && depth < DEPTH_MAX ? row : NULL;
}

/* `not` has one validator where the others have a list. */
static bool words_next(struct val_iter *it, struct val *one, struct val *v)
{
	if (val_next(it, v))
		return true;
	*v = *one;
	*one = VAL_NONE;
	return val_is(*v, JSON_OBJECT);
}

void validator_add_words(struct buf *out, struct val v)
{
	struct {
		struct val_iter list;
		struct val one;
	} stack[DEPTH_MAX];
	const struct words_row *row = val_is(v, JSON_OBJECT) ? words_add_line(out, v, 0) : NULL;
	size_t depth = 0;

	while (row || depth) {
		if (row) {
			struct val inside = val_get(v, str_from(row->inside));

			stack[depth].list = val_begin(inside);
			stack[depth++].one = inside;
		}
		row = NULL;
		if (words_next(&stack[depth - 1].list, &stack[depth - 1].one, &v))
			row = words_add_line(out, v, depth);
		else
			depth--;
	}
}
