/*
 * The list of all formats, and which of them the beginning of a file is in: each value is offered to every format,
 * and the best fit wins.
 */
#include <assert.h>

#include "base/sse.h"
#include "dialect/dialect.h"
#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "dialect/record/validate_rules.h"
#include "dialect/stranger.h"
#include "json/lenient.h"
#include "json/slow.h"

#define SURE 95  /* a fit that lines behind it do not put in doubt, though they may fit a format that has rules */
#define LINES 50 /* looked at, blank ones not counted */
#define PREFIX 256 /* bytes before a value on its line */
#define HEAD ((size_t)256 << 10) /* bytes of them, but for the last line */

const struct rule dialect_no_rules[] = { { .code = NULL } };

#define FORMAT_OF(name) &name##_dialect,

const struct dialect *const dialects[] = {
	&agent_trace_dialect,
	&otutl_dialect,
	&trajectory_dialect,
	&conversation_dialect,
	&trial_dialect,
	&review_dialect,
	&results_dialect,
	&summary_dialect,
	&bench_config_dialect,
	&bench_inventory_dialect,
	VENDORS(FORMAT_OF)
	&cassette_dialect,
	&claude_code_dialect,
	&codex_dialect,
	&atif_dialect,
	&inspect_dialect,
	&otlp_dialect,
	&langsmith_dialect,
	&crewai_dialect,
	&verifiers_dialect,
	&swe_agent_dialect,
	&openhands_dialect,
	&mcp_dialect,
	&mooncake_dialect,
	&autogen_dialect,
	&opencode_dialect,
	&pi_dialect,
	&copilot_dialect,
	&cline_dialect,
	&continue_dialect,
	&gptme_dialect,
	&aider_dialect,
	&cursor_dialect,
	&gemini_cli_dialect,
	&qwen_code_dialect,
	&json_dialect,
	&jsonl_dialect,
	NULL,
};

_Static_assert(COUNT(dialects) - 1 <= DIALECTS_MOST, "arrays with something for each format are too small");

const struct dialect *dialect_find(struct str name)
{
	for (const struct dialect *const *d = dialects; *d; d++)
		if (str_eq(str_from((*d)->name), name))
			return *d;
	return NULL;
}

/* The rule of a code in one table, or NULL. */
static const struct rule *find_in(const struct rule *rules, const char *code)
{
	for (const struct rule *r = rules; r->code; r++)
		if (strcmp(r->code, code) == 0)
			return r;
	return NULL;
}

size_t dialect_number(const struct dialect *d)
{
	size_t i = 0;

	for (; dialects[i] != d; i++)
		assert(dialects[i]);
	return i;
}

/* Rules of validate itself are in no format's table, and are looked at last. */
const struct rule *dialect_find_rule(const char *code, const struct dialect **owner)
{
	const struct rule *r;

	for (const struct dialect *const *d = dialects; *d; d++) {
		r = find_in((*d)->rules, code);
		if (r) {
			if (owner)
				*owner = *d;
			return r;
		}
	}
	if (owner)
		*owner = NULL;
	return find_in(validate_rules, code);
}

/* ---- detection ---- */

struct json_parser *dialect_detect_open(void)
{
	/* it is for the check to find fault with these */
	return json_parser_open((struct json_options){
		.max_depth = JSON_DEPTH_MAX,
		.allow_duplicates = true,
		.allow_lone = true,
		.allow_bom = true,
	});
}

/* Whether a format can do what the file is wanted for. */
static bool is_of_use(const struct dialect *d, enum dialect_use use)
{
	return use == DIALECT_TO_CHECK ? d->ops != NULL : d->read != NULL;
}

/* The best fit of one value; *looks_like is filled when there is none of use. */
static const struct dialect *best_fit(struct val v, enum dialect_use use, struct dialect_looks *looks)
{
	const struct dialect *best = NULL;
	struct stranger s;
	int most = 0;

	for (const struct dialect *const *d = dialects; *d; d++) {
		int fit = (*d)->fits ? (*d)->fits(v) : 0;

		if (fit > most) {
			most = fit;
			best = *d;
		}
	}
	if (best && is_of_use(best, use))
		return best;
	if (!looks->like) {
		if (stranger_find(v, &s))
			*looks = (struct dialect_looks){ .like = s.what, .is_log = s.is_log };
		if (best) {
			looks->best = best;
			looks->like = looks->like ? looks->like : best->title;
			looks->is_sure = most >= SURE && use == DIALECT_TO_CHECK;
		}
	}
	return NULL;
}

/* Where the lines end that are looked at; *lines gets how many they are. */
static size_t head_end(struct str text, size_t *lines)
{
	size_t at = 0;

	*lines = 0;
	while (*lines < LINES && at < text.n && at < HEAD) {
		const char *end = memchr(text.p + at, '\n', text.n - at);
		size_t n = end ? (size_t)(end - text.p) + 1 - at : text.n - at;

		*lines += str_trim(str_of(text.p + at, n)).n > 0;
		at += n;
	}
	return at;
}

struct str dialect_head(struct str text)
{
	size_t lines;

	return str_of(text.p, head_end(text, &lines));
}

bool dialect_head_is_full(struct str text)
{
	size_t lines, end = head_end(text, &lines);

	return lines == LINES || end >= HEAD;
}

/* What may be JSON in a line that is not: behind a time and a level, which may stand in brackets; p NULL for none. */
static struct str cut_line(struct str line)
{
	struct str trimmed = str_trim(line);
	const char *brace;

	if (trimmed.n == 0 || trimmed.p[0] == '{')
		return str_of(NULL, 0);
	brace = memchr(trimmed.p, '{', trimmed.n < PREFIX ? trimmed.n : PREFIX);
	return brace ? str_of(brace, (size_t)(trimmed.p + trimmed.n - brace)) : str_of(NULL, 0);
}

/* One value. What is to be read may have what JSON has not, as NaN. */
static bool parse_value(struct json_parser *p, struct str text, enum dialect_use use, struct val *v)
{
	struct slow s = { .text = text, .lenient = true, .single = true };

	return json_parse_copy(p, text, v, NULL) || (use != DIALECT_TO_CHECK && slow_parse_for(p, &s, 0, v));
}

/* The first value behind something else on its line; loggers put words behind it, too. */
static const struct dialect *detect_behind(struct json_parser *p, struct str text, enum dialect_use use,
					   struct dialect_looks *looks)
{
	const struct dialect *found = NULL;
	struct json_lenient it;
	uint64_t line;
	struct arena a;
	struct val v;
	char *padded;

	if (!text.p)
		return NULL;
	arena_init(&a);
	padded = arena_array(&a, char, text.n + JSON_PAD);
	memcpy(padded, text.p, text.n);
	memset(padded + text.n, 0, JSON_PAD);
	json_lenient_begin(&it, p, str_of(padded, text.n), 1, NULL, NULL);
	if (json_lenient_next(&it, &v, &line))
		found = best_fit(v, use, looks);
	arena_free(&a);
	return found;
}

/* The next event of a stream: its data is one value, or one on each line where no blank lines part the events. */
static const struct dialect *detect_event(struct json_parser *p, struct str *left, enum dialect_use use,
					  struct dialect_looks *looks)
{
	const struct dialect *found = NULL;
	struct sse_event e;
	struct arena a;
	struct val v;

	arena_init(&a);
	if (sse_next_in_text(left, &a, &e) && parse_value(p, e.data, use, &v))
		found = best_fit(v, use, looks);
	else
		while (!found && !looks->is_sure && e.data.n)
			if (parse_value(p, str_cut(e.data, '\n', &e.data), use, &v))
				found = best_fit(v, use, looks);
	arena_free(&a);
	return found;
}

/*
 * The format that the first line of use is in. Lines are looked at one by one, since nearly always the first decides.
 */
static const struct dialect *detect_lines(struct json_parser *p, struct str text, enum dialect_use use,
					  struct dialect_looks *looks)
{
	const struct dialect *found = NULL;
	struct val v;

	/* one by one: nearly always the first will do, and chunks of a large file are many */
	for (size_t at = 0; !found && !looks->is_sure && at < text.n;) {
		struct str left = str_of(text.p + at, text.n - at);
		const char *lf = memchr(left.p, '\n', left.n);
		struct str line = lf ? str_of(left.p, (size_t)(lf - left.p) + 1) : left;

		if (str_trim(line).n == 0) { /* no value, and a file of nothing else must not take long */
			at += line.n;
			continue;
		}
		if (use != DIALECT_TO_CHECK && sse_is_line(left)) {
			found = detect_event(p, &left, use, looks);
			at = text.n - left.n;
			continue;
		}
		at += line.n;
		if (parse_value(p, line, use, &v))
			found = best_fit(v, use, looks);
		else if (use != DIALECT_TO_CHECK)
			found = detect_behind(p, cut_line(line), use, looks);
	}
	return found;
}

/* The format whose mark stands somewhere in a text that is no JSON any more. */
static const struct dialect *detect_damaged(struct str text, enum dialect_use use)
{
	for (const struct dialect *const *d = dialects; *d; d++)
		if (is_of_use(*d, use) && (*d)->mark && str_has(text, str_from((*d)->mark)))
			return *d;
	return NULL;
}

/* The format that is no JSON and begins like this text, or NULL. */
static const struct dialect *detect_text(struct str text)
{
	for (const struct dialect *const *d = dialects; *d; d++)
		if ((*d)->fits_text && (*d)->fits_text(text))
			return *d;
	return NULL;
}

/* A value decides; a mark is looked for only when none did and nothing else is plain to see. */
const struct dialect *dialect_detect(struct json_parser *p, struct str text, bool lines, enum dialect_use use,
				     struct dialect_looks *looks)
{
	struct dialect_looks ignored;
	const struct dialect *found = NULL;
	struct str head = dialect_head(text);
	struct slow lenient = { .text = text, .lenient = true, .single = true };
	struct stranger s;
	struct val v;

	if (!looks)
		looks = &ignored;
	*looks = (struct dialect_looks){ .like = NULL };
	looks->best = detect_text(head);
	if (looks->best) {
		looks->like = looks->best->title;
		looks->is_sure = true;
		return is_of_use(looks->best, use) ? looks->best : NULL;
	}
	if (lines)
		found = detect_lines(p, head, use, looks);
	else if (json_parse(p, text, &v, NULL) ||
		 (use != DIALECT_TO_CHECK && slow_parse_for(p, &lenient, 0, &v)))
		found = best_fit(v, use, looks);
	/* unless something else is plain to see */
	if (!found && !looks->best && !looks->is_sure && use != DIALECT_TO_READ_ON)
		found = detect_damaged(lines ? head : text, use);
	if (!found && !looks->like && use == DIALECT_TO_READ && stranger_find_damaged(lines ? head : text, &s))
		*looks = (struct dialect_looks){ .like = s.what, .is_log = s.is_log, .is_damaged = s.is_damaged,
						 .help = s.help };
	return found;
}
