/* What a comparison says in words. */
#include <math.h>

#include "bench/compare/test.h"
#include "json/json.h"

#define NAMED 5 /* prompts named in a sentence */

/* ---- the line ---- */

void compare_add_p(struct buf *out, double p)
{
	if (isnan(p))
		buf_add_str(out, STR(" n/a"));
	else if (p < 0.001)
		buf_add_str(out, STR("<.001"));
	else if (p >= 0.9995)
		buf_add_str(out, STR("=1.0"));
	else
		buf_printf(out, "=.%03d", (int)lround(p * 1000));
}

/* The unit of a metric: times `scale`, with so many digits. */
struct unit {
	double scale;
	int digits;
	const char *text;
};

/* Rates differ by percentage points, not by percent. */
static struct unit compare_words_unit_of(enum compare_metric m)
{
	switch (m) {
	case COMPARE_PASS:
	case COMPARE_TOOLS:
		return (struct unit){ 100, 1, "pp" };
	case COMPARE_LATENCY:
	case COMPARE_TTFT:
		return (struct unit){ 1, 0, " ms" };
	case COMPARE_COST:
	case COMPARE_METRICS:
		break;
	}
	return (struct unit){ 1, 6, " usd" };
}

static void add_signed(struct buf *out, struct unit u, double v)
{
	double shown = v * u.scale, least = 0.5 * pow(10, -u.digits);

	buf_printf(out, "%+.*f", u.digits, fabs(shown) < least ? 0.0 : shown); /* no "-0.0" */
}

static void add_interval(struct buf *out, struct unit u, struct interval i)
{
	if (isnan(i.low) || isnan(i.high)) {
		buf_add_str(out, STR(" [n too small]"));
		return;
	}
	buf_add_str(out, STR(" ["));
	add_signed(out, u, i.low);
	buf_add_str(out, STR(", "));
	add_signed(out, u, i.high);
	buf_add_byte(out, ']');
}

void compare_add_line(struct buf *out, const struct compare_test *t)
{
	bool is_rate = t->metric == COMPARE_PASS || t->metric == COMPARE_TOOLS;
	struct unit u = compare_words_unit_of(t->metric);

	if (t->pairs == 0) {
		buf_add_str(out, STR("A-B: no pair to compare"));
		return;
	}
	buf_add_str(out, STR("A-B "));
	add_signed(out, u, is_rate ? t->difference.mean : t->median);
	buf_add_str(out, str_from(u.text));
	if (is_rate && !(t->difference.se > 0))
		buf_add_str(out, t->prompts < 2 ? STR(" [n too small]") : STR(" (all prompts alike)"));
	else
		add_interval(out, u, is_rate ? t->difference.interval : t->median_interval);
	buf_printf(out, "%s paired%s, Holm p", is_rate ? "" : " median", t->repeats ? ", cluster=task" : "");
	compare_add_p(out, t->holm);
}

/* ---- warnings ---- */

struct talk {
	struct buf *out;
	struct arena *arena;
};

static void say(struct talk *t, struct str sentence)
{
	buf_add(t->out, &sentence, sizeof(sentence));
}

/* A member of a prompt as it stands in the configuration, which is canonical. */
static struct str member_of(struct json_parser *p, struct arena *a, const struct suite_prompt *prompt, const char *name)
{
	struct val v;

	if (!json_parse_copy(p, prompt->canonical, &v, NULL))
		return STR("");
	v = val_get(v, str_from(name));
	return val_is_none(v) ? STR("") : arena_copy(a, val_source(v));
}

struct gap {
	uint64_t count;
	struct buf names;
};

static void add_gap(struct gap *g, struct str id)
{
	if (g->count++ < NAMED)
		buf_printf(&g->names, "%s%.*s", g->count > 1 ? ", " : "", STR_ARG(id));
}

/* One sentence for all prompts of a kind, or none; frees the names. */
static void end_gap(struct talk *t, struct gap *g, const char *what)
{
	struct str more = STR("");

	if (g->count > NAMED)
		more = arena_printf(t->arena, " and %llu more", (unsigned long long)(g->count - NAMED));
	if (g->count)
		say(t, arena_printf(t->arena, "%s: %.*s%.*s", what, STR_ARG(buf_str(&g->names)), STR_ARG(more)));
	buf_free(&g->names);
}

/* Prompts of both that are not the same question, or are not judged by the same rules. */
static void compare_prompts(struct talk *t, const struct config *x, const struct config *y)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct gap questions = { .count = 0 }, rules = { .count = 0 };
	struct map ids;

	map_init(&ids, t->arena);
	buf_init(&questions.names);
	buf_init(&rules.names);
	for (size_t i = 0; i < y->prompt_count; i++)
		if (y->prompts[i].id.n)
			*map_add(&ids, y->prompts[i].id, &(bool){ false }) = i;
	for (size_t i = 0; i < x->prompt_count; i++) {
		const struct suite_prompt *one = &x->prompts[i];
		uint64_t *at = one->id.n ? map_find(&ids, one->id) : NULL;

		if (!at)
			continue;
		if (!str_eq(one->prompt, y->prompts[*at].prompt))
			add_gap(&questions, one->id);
		if (!str_eq(member_of(p, t->arena, one, "validator"),
			    member_of(p, t->arena, &y->prompts[*at], "validator")))
			add_gap(&rules, one->id);
	}
	end_gap(t, &questions, "prompts of the same id ask different questions");
	end_gap(t, &rules, "answers are judged by different validators ('trackway bench rescore' makes them the same)");
	json_parser_close(p);
}

static bool is_same_number(double x, double y)
{
	return !(x < y) && !(x > y);
}

/* Settings that change answers; others, such as concurrency, are not looked at. */
static void compare_settings(struct talk *t, const struct config *x, const struct config *y)
{
	if (x->detector != y->detector)
		say(t, STR("tools were found by different detectors ('trackway bench rescore' makes them the same)"));
	if (!is_same_number(x->temperature, y->temperature))
		say(t, STR("the temperatures differ"));
	if (!str_eq(x->system, y->system))
		say(t, STR("the system prompts differ"));
	if (x->max_tokens != y->max_tokens)
		say(t, STR("the limits on output tokens differ"));
}

static void tell_side(struct talk *t, const char *which, const struct compare_side *s)
{
	if (!s->has_config)
		say(t, arena_printf(t->arena, "%s has no readable config.json: whether both were asked and judged "
				    "alike is not known", which));
	if (s->repeated)
		say(t, arena_printf(t->arena, "%s has %llu rows of the same prompt and repetition as an earlier row; "
				    "the earlier one counts", which, (unsigned long long)s->repeated));
	if (s->skipped)
		say(t, arena_printf(t->arena, "%s has %llu lines that are not results", which,
				    (unsigned long long)s->skipped));
}

void compare_add_warnings(struct buf *sentences, struct arena *a, const struct compare_side *x,
			  const struct compare_side *y)
{
	struct talk t = { .out = sentences, .arena = a };

	tell_side(&t, "A", x);
	if (!str_eq(x->path, y->path))
		tell_side(&t, "B", y);
	if (!x->has_config || !y->has_config)
		return;
	if (!str_eq(x->config.suite_digest, y->config.suite_digest))
		say(&t, STR("the suites differ: only prompts that both were asked are compared"));
	compare_prompts(&t, &x->config, &y->config);
	compare_settings(&t, &x->config, &y->config);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* What was asked of one side only is not compared, which a reader of figures may not expect. */
void compare_add_partners(struct buf *sentences, struct arena *a, const struct compare *c)
{
	struct talk t = { .out = sentences, .arena = a };
	const struct compare_side *sides[] = { &c->a, &c->b };

	for (size_t i = 0; i < c->count; i++) {
		const struct compare_pair *p = &c->pairs[i];
		unsigned long long alone_a = p->rows_a - p->pairs, alone_b = p->rows_b - p->pairs;

		if (alone_a || alone_b)
			say(&t, arena_printf(a, "%.*s%s%.*s: %llu row%s of A and %llu of B have no partner of the same "
					     "prompt and repetition and are left out", STR_ARG(p->a),
					     str_eq(p->a, p->b) ? "" : " against ",
					     STR_ARG(str_eq(p->a, p->b) ? STR("") : p->b), alone_a, plural(alone_a),
					     alone_b));
	}
	for (size_t i = 0; i < 2; i++)
		if (sides[i]->alone_count)
			say(&t, arena_printf(a, "%zu target%s of %s %s not in %s: %s rows are not compared",
					     sides[i]->alone_count, plural(sides[i]->alone_count), i ? "B" : "A",
					     sides[i]->alone_count == 1 ? "is" : "are", i ? "A" : "B",
					     sides[i]->alone_count == 1 ? "its" : "their"));
}
