/*
 * Goes over the tokens of a prompt, which lie one after the other, twice: once to see which variables it has, once to
 * write it as JSON again with values in their places. Values are quoted as JSON, so none can break out of its string.
 */
#include "bench/suite/fill.h"

#include <inttypes.h>

#include "base/ascii.h"
#include "json/text.h"

static bool suite_fill_is_name_byte(char c, bool first)
{
	return first ? ascii_is_alpha(c) || c == '_' : ascii_is_name(c);
}

bool suite_next_variable(struct str text, size_t *at, size_t *from, struct str *name)
{
	for (size_t i = *at; i + 4 < text.n; i++) {
		size_t begin = i + 2, end;

		if (text.p[i] != '{' || text.p[i + 1] != '{')
			continue;
		while (begin < text.n && text.p[begin] == ' ')
			begin++;
		for (end = begin; end < text.n && suite_fill_is_name_byte(text.p[end], end == begin); end++)
			;
		*name = str_of(text.p + begin, end - begin);
		while (end < text.n && text.p[end] == ' ')
			end++;
		if (name->n == 0 || text.n - end < 2 || text.p[end] != '}' || text.p[end + 1] != '}')
			continue;
		*from = i;
		*at = end + 2;
		return true;
	}
	return false;
}

/* Pairs of the user go before columns of the table. */
static const struct str *find_pair(const struct suite_values *values, struct str name)
{
	for (size_t i = 0; i < values->var_count; i++)
		if (str_eq(values->vars[i].name, name))
			return &values->vars[i].value;
	return NULL;
}

/* Whether the token is a string in which variables count: not a name, and not the prompt's own id. */
static bool is_fillable(struct val prompt, uint32_t at)
{
	struct val id = val_get(prompt, STR("id"));

	return val_is((struct val){ prompt.tape, at }, JSON_STRING) && (val_is_none(id) || id.at != at);
}

struct suite_uses suite_find_variables(struct val prompt, const struct suite_values *values, struct problems *p)
{
	struct suite_uses uses = { false, false };
	struct arena a;

	arena_init(&a);
	for (uint32_t i = prompt.at; i < val_end(prompt); i++) {
		struct val v = { prompt.tape, i };
		struct str text, name;
		size_t at = 0, from;

		if (!is_fillable(prompt, i))
			continue;
		text = val_text(v, &a);
		while (suite_next_variable(text, &at, &from, &name)) {
			bool column = values->rows && rows_has(values->rows, name);

			uses.any = true;
			if (find_pair(values, name))
				continue;
			uses.column = uses.column || column;
			if (!column)
				problem_at(p, SUITE_VARIABLE, v, "the variable {{%.*s}} has no value", STR_ARG(name));
		}
	}
	arena_free(&a);
	return uses;
}

/* ---- writing ---- */

struct filling {
	struct buf *out;
	struct val prompt;
	const struct suite_values *values;
	size_t row;
	struct problems *problems;
	struct arena *arena;
	bool good;
};

/* An empty text, f->good false and the problem told, when the row has no value for it. */
static struct str suite_fill_value_of(struct filling *f, struct val v, struct str name)
{
	const struct str *pair = find_pair(f->values, name);
	struct str value = STR("");

	if (pair)
		return *pair;
	if (f->row == SIZE_MAX || !rows_find(f->values->rows, f->row, name, &value)) {
		problem_at(f->problems, SUITE_VARIABLE, v, "the variable {{%.*s}} has no value", STR_ARG(name));
		f->good = false;
	}
	return value;
}

/* The only string that is not fillable and no name is the id: it gets "#" and the row's number. */
static void add_string(struct filling *f, struct val v)
{
	struct str text = val_text(v, f->arena), name;
	size_t done = 0, at = 0, from;
	struct buf filled;

	buf_init(&filled);
	while (is_fillable(f->prompt, v.at) && suite_next_variable(text, &at, &from, &name)) {
		buf_add(&filled, text.p + done, from - done);
		buf_add_str(&filled, suite_fill_value_of(f, v, name));
		done = at;
	}
	buf_add(&filled, text.p + done, text.n - done);
	if (val_is(v, JSON_STRING) && !is_fillable(f->prompt, v.at) && f->row != SIZE_MAX)
		buf_printf(&filled, "#%zu", f->row + 1);
	text_quote(f->out, buf_str(&filled));
	buf_free(&filled);
}

static void add_token(struct filling *f, struct val v)
{
	if (val_is(v, JSON_STRING) || val_is(v, JSON_KEY))
		add_string(f, v);
	else if (val_is(v, JSON_ARRAY) || val_is(v, JSON_OBJECT))
		buf_add_byte(f->out, val_is(v, JSON_ARRAY) ? '[' : '{');
	else
		buf_add_str(f->out, val_source(v));
	if (val_is(v, JSON_KEY))
		buf_add_byte(f->out, ':');
}

bool suite_fill(struct buf *out, struct val prompt, const struct suite_values *values, size_t row, struct problems *p)
{
	struct filling f = { out, prompt, values, row, p, NULL, true };
	uint32_t end = val_end(prompt), *open;
	size_t depth = 0;
	bool first = true;
	struct arena a;

	arena_init(&a);
	f.arena = &a;
	open = arena_array(&a, uint32_t, (size_t)(end - prompt.at) + 1);
	for (uint32_t at = prompt.at; at < end; at++) {
		struct val v = { prompt.tape, at };
		bool holds = val_is(v, JSON_ARRAY) || val_is(v, JSON_OBJECT);

		if (!first && !val_is((struct val){ prompt.tape, at - 1 }, JSON_KEY))
			buf_add_byte(out, ',');
		first = holds;
		add_token(&f, v);
		if (holds)
			open[depth++] = at;
		while (depth > 0 && val_end((struct val){ prompt.tape, open[depth - 1] }) == at + 1) {
			depth--;
			buf_add_byte(out, val_is((struct val){ prompt.tape, open[depth] }, JSON_ARRAY) ? ']' : '}');
			first = false;
		}
	}
	arena_free(&a);
	return f.good;
}
