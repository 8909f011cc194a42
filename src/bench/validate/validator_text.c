/* Validators that look at the answer as text. */
#include <inttypes.h>

#include "bench/suite/python_text.h"
#include "bench/validate/private.h"
#include "json/write.h"

#define LINES_SHOWN 20 /* of exact_bullets, in parsed_output */

/* The verdict stays null: nobody judges the answer. */
static void run_noop(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	(void)r;
	(void)n;
	(void)out;
}

/* ---- exact, one_of ---- */

static bool compile_exact(struct validator_compile *c, struct val v, struct validator_node *n)
{
	validator_say(c, n, "exact_mismatch want=", val_get(v, STR("value")));
	return validator_read_text(c, v, "value", &n->value);
}

static void run_exact(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	verdict_set(out, str_eq(r->out, n->value), n->failure);
	verdict_text(r, NULL, 0, out);
}

static bool compile_one_of(struct validator_compile *c, struct val v, struct validator_node *n)
{
	validator_say(c, n, "not_one_of ", val_get(v, STR("values")));
	return validator_read_texts(c, v, "values", true, &n->values, &n->value_count);
}

static void run_one_of(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	bool found = false;

	for (size_t i = 0; i < n->value_count && !found; i++)
		found = str_eq(r->out, n->values[i]);
	verdict_set(out, found, n->failure);
	verdict_text(r, NULL, 0, out);
}

/* ---- patterns ---- */

/* validator_read_pattern adds to what is made here and does not grow it. */
static void room_for_patterns(struct validator_compile *c, struct validator_node *n, size_t count)
{
	n->patterns = (const struct regex **)arena_alloc_array(c->arena, count + 1, sizeof(*n->patterns),
							       _Alignof(const struct regex *));
}

static bool compile_regex(struct validator_compile *c, struct val v, struct validator_node *n)
{
	struct val pattern = val_get(v, STR("pattern"));

	room_for_patterns(c, n, 1);
	if (!validator_read_pattern(c, pattern, REGEX_PYTHON, n))
		return false;
	validator_say(c, n, "pattern=", pattern);
	return true;
}

static void run_regex(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	enum regex_answer answer = regex_match(n->patterns[0], r->out, true, r->budget);

	verdict_set(out, answer == REGEX_YES,
		    ARENA_JOIN(r->arena, answer == REGEX_LIMIT ? STR("regex_limit ") : STR("regex_fullmatch_failed "),
			       n->failure));
	verdict_text(r, NULL, 0, out);
}

/* Texts that must be there, letters of either case when it is asked for; a pattern that must match somewhere. */
static bool compile_contains(struct validator_compile *c, struct val v, struct validator_node *n)
{
	struct val value = val_get(v, STR("value")), values = val_get(v, STR("values")), one;
	struct val pattern = val_get(v, STR("pattern"));
	struct val_iter it = val_begin(values);
	struct str *list;

	if (!validator_read_flag(c, v, "ignore_case", &n->flag))
		return false;
	if (val_is_none(value) + val_is_none(values) + val_is_none(pattern) != 2)
		return problem_at(c->problems, SUITE_MISSING, v,
			   "the validator contains needs one of \"value\", \"values\", \"pattern\"");
	room_for_patterns(c, n, val_count(values) + 1);
	if (!val_is_none(pattern)) {
		validator_say(c, n, "pattern=", pattern);
		return validator_read_pattern(c, pattern, REGEX_PYTHON, n);
	}
	if (!val_is_none(value)) {
		list = arena_new(c->arena, struct str);
		n->values = list;
		n->value_count = 1;
		return validator_read_text(c, v, "value", list) &&
		       (!n->flag || validator_read_pattern(c, value, REGEX_TEXT, n));
	}
	if (!validator_read_texts(c, v, "values", true, &n->values, &n->value_count))
		return false;
	while (n->flag && val_next(&it, &one))
		validator_read_pattern(c, one, REGEX_TEXT, n);
	return true;
}

/*
 * All texts must be there; the first that is not, or that could not be decided, is the violation. A pattern has no
 * values and is asked once.
 */
static void run_contains(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	enum regex_answer answer = REGEX_YES;
	struct buf text;
	size_t i = 0;

	for (i = 0; i < n->value_count + (n->value_count == 0); i++) {
		if (n->pattern_count)
			answer = regex_match(n->patterns[i], r->out, false, r->budget);
		else
			answer = str_has(r->out, n->values[i]) ? REGEX_YES : REGEX_NO;
		if (answer != REGEX_YES)
			break;
	}
	buf_init(&text);
	buf_add_str(&text, answer == REGEX_LIMIT ? STR("regex_limit ") : STR("not_contained "));
	if (n->failure.n)
		buf_add_str(&text, n->failure);
	else if (answer != REGEX_YES)
		python_repr(&text, n->values[i]);
	verdict_set(out, answer == REGEX_YES, arena_take(r->arena, &text));
	verdict_text(r, NULL, 0, out);
}

/* ---- counts ---- */

static bool compile_count(struct validator_compile *c, struct val v, struct validator_node *n)
{
	n->limit = 1; /* only max_sentences may do without */
	return !val_has(v, STR("value")) || validator_read_count(c, v, "value", 0, &n->limit);
}

static void judge_count(const struct validator_run *r, const struct validator_node *n, uint64_t got, const char *words,
			struct verdict *out)
{
	verdict_set(out, got <= (uint64_t)n->limit,
		    arena_printf(r->arena, "%s got=%" PRIu64 " limit=%" PRId64, words, got, n->limit));
}

static void run_max_words(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	uint64_t words = python_count_words(r->out);

	judge_count(r, n, words, "too_many_words", out);
	verdict_text(r, "words", words, out);
}

/* Parts between blanks that follow one of .!?; those of blanks alone do not count. */
static uint64_t count_sentences(struct str s)
{
	uint64_t count = 0;
	size_t from = 0, at = 0, n;

	while (at < s.n) {
		bool ended = s.p[at] == '.' || s.p[at] == '!' || s.p[at] == '?';

		at++;
		if (!ended || !python_space_at(s, at))
			continue;
		count += python_strip(str_of(s.p + from, at - from)).n > 0;
		while ((n = python_space_at(s, at)))
			at += n;
		from = at;
	}
	return count + (python_strip(str_skip(s, from)).n > 0);
}

static void run_max_sentences(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	uint64_t sentences = count_sentences(r->out.n ? r->out : STR(""));

	judge_count(r, n, sentences, "too_many_sentences", out);
	verdict_text(r, "sentences", sentences, out);
}

/* Counts lines that begin with a dash; the first lines go to parsed_output. */
static void run_exact_bullets(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	struct str rest = r->out, line;
	uint64_t bullets = 0, lines = 0;
	struct json_writer w;
	struct buf text, list;

	buf_init(&list);
	json_write_init(&w, &list, JSON_COMPACT);
	json_write_begin_array(&w);
	while (python_next_line(&rest, &line)) {
		if (python_strip(line).n == 0)
			continue;
		bullets += python_lstrip(line).p[0] == '-';
		if (lines++ < LINES_SHOWN)
			json_write_string(&w, python_rstrip(line));
	}
	json_write_end_array(&w);
	verdict_set(out, bullets == (uint64_t)n->limit,
		    arena_printf(r->arena, "bullet_count got=%" PRIu64 " want=%" PRId64, bullets, n->limit));
	buf_init(&text);
	buf_printf(&text, "{\"bullets\":%" PRIu64 ",\"lines\":", bullets);
	buf_add_str(&text, buf_str(&list));
	buf_add_byte(&text, '}');
	out->parsed = arena_take(r->arena, &text);
	buf_free(&list);
}

/* Tokens are the service's to count; when it did not, there is nothing to judge. */
static void run_max_tokens(const struct validator_run *r, const struct validator_node *n, struct verdict *out)
{
	if (r->in->output_tokens < 0)
		return;
	judge_count(r, n, (uint64_t)r->in->output_tokens, "too_many_tokens", out);
	out->parsed = arena_printf(r->arena, "{\"tokens\":%" PRId64 "}", r->in->output_tokens);
}

const struct validator_kind validator_noop = { "noop", { { NULL, false } }, NULL, run_noop };
const struct validator_kind validator_exact = {
	"exact", { { "value", true }, { NULL, false } }, compile_exact, run_exact
};
const struct validator_kind validator_one_of = { "one_of", { { "values", true }, { NULL, false } }, compile_one_of,
						 run_one_of };
const struct validator_kind validator_regex = {
	"regex_fullmatch", { { "pattern", true }, { NULL, false } }, compile_regex, run_regex
};
const struct validator_kind validator_max_words = { "max_words", { { "value", true }, { NULL, false } }, compile_count,
						    run_max_words };
const struct validator_kind validator_max_sentences = { "max_sentences", { { "value", false }, { NULL, false } },
							compile_count, run_max_sentences };
const struct validator_kind validator_exact_bullets = { "exact_bullets", { { "value", true }, { NULL, false } },
							compile_count, run_exact_bullets };
const struct validator_kind validator_contains = {
	"contains",
	{ { "value", false }, { "values", false }, { "pattern", false }, { "ignore_case", false }, { NULL, false } },
	compile_contains,
	run_contains,
};
const struct validator_kind validator_max_tokens = {
	"max_tokens", { { "value", true }, { NULL, false } }, compile_count, run_max_tokens
};
