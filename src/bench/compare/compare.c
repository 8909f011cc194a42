/*
 * Reads both runs into sorted lists of small rows, pairs targets, pairs their rows in one walk, runs the tests of each
 * pair (test.c), and corrects all of them together at the end: no answer is given before the number of tests is known.
 */
#include "bench/compare/compare.h"


#include "bench/compare/test.h"
#include "bench/run/run_dir.h"

#define SHOWN 8           /* targets named in a message */
#define NONE UINT32_MAX
#define PAIRS_MAX 100   /* of targets: more are a table for a machine, and Holm's p would be 1 for all */

static const char *const metric_names[] = { "pass", "tools", "latency", "ttft", "cost" };

const char *compare_metric_name(enum compare_metric m)
{
	return metric_names[m];
}

bool compare_metric_parse(struct str word, enum compare_metric *out)
{
	for (int i = 0; i < COMPARE_METRICS; i++) {
		if (str_eq(word, str_from(metric_names[i]))) {
			*out = (enum compare_metric)i;
			return true;
		}
	}
	return false;
}

/* Everything while it is at work. */
struct work {
	struct arena *arena;
	const struct compare_options *options;
	struct compare *out;
	struct attempt_names names;
	struct attempts a, b;
	struct buf pairs;    /* struct compare_pair */
	struct buf warnings; /* struct str */
};

/* ---- reading ---- */

/* A run without a readable config.json is compared all the same; words.c warns of it. */
static bool read_side(struct work *w, struct str path, struct sha256 *hash, struct attempts *rows,
		      struct compare_side *side, struct err *err)
{
	struct err why = { .kind = ERR_NONE };

	if (!attempts_read(rows, &w->names, path, hash, err))
		return false;
	*side = (struct compare_side){ .path = path, .run_id = rows->run_id, .rows = rows->count,
				       .repeated = rows->repeated, .skipped = rows->skipped };
	path = ARENA_JOIN(w->arena, results_dir(w->arena, path), STR("/config.json"));
	side->has_config = config_read(&side->config, w->arena, path, &why);
	if (rows->count == 0)
		return err_set(err, ERR_DATA, "%.*s has no results", STR_ARG(side->path));
	return true;
}

/* The seed is made of the rows, so that the same rows give the same resamples. */
static uint64_t seed_of(struct digest d)
{
	uint64_t seed = 0;

	for (size_t i = 0; i < 8; i++)
		seed = seed << 8 | d.b[i];
	return seed;
}

/* Compared with itself a run is read twice, since each side has its own list of rows. */
static bool compare_read_all(struct work *w, struct err *err)
{
	const struct compare_options *o = w->options;
	struct sha256 hash;
	bool done;

	sha256_init(&hash);
	done = read_side(w, o->a, &hash, &w->a, &w->out->a, err) &&
	       read_side(w, o->b.p ? o->b : o->a, &hash, &w->b, &w->out->b, err);
	if (done)
		w->out->seed = seed_of(sha256_end(&hash));
	sha256_free(&hash);
	return done;
}

/* ---- targets ---- */

static bool has_target(const struct attempts *rows, uint32_t target)
{
	size_t n;

	attempts_of(rows, target, &n);
	return n > 0;
}

/* Names at most SHOWN targets that have rows, for a message. */
static void add_targets(struct work *w, const struct attempts *rows, struct buf *out)
{
	size_t shown = 0;

	for (uint32_t i = 0; i < attempt_target_count(&w->names); i++) {
		if (!has_target(rows, i))
			continue;
		if (shown++ < SHOWN)
			buf_printf(out, "%s%.*s", shown > 1 ? ", " : "", STR_ARG(attempt_target(&w->names, i)->name));
	}
	if (shown > SHOWN)
		buf_printf(out, " and %zu more", shown - SHOWN);
}

/* Fails, naming the targets that the run has. */
static bool tell_targets(struct work *w, const struct attempts *rows, struct str name, const char *why,
			 struct err *err)
{
	struct buf list;

	buf_init(&list);
	add_targets(w, rows, &list);
	err_set(err, ERR_USAGE, "%s '%.*s' in %.*s" ERR_HELP "it has %.*s", why, STR_ARG(name), STR_ARG(rows->run_id),
		STR_ARG(buf_str(&list)));
	buf_free(&list);
	return false;
}

/* By its name or its tag; by its model when that is enough. */
static bool find_target(struct work *w, const struct attempts *rows, struct str name, uint32_t *out, struct err *err)
{
	struct str whole = target_long_name(w->arena, name);
	size_t fits = 0;

	for (uint32_t i = 0; i < attempt_target_count(&w->names); i++) {
		const struct attempt_target *t = attempt_target(&w->names, i);

		if (!has_target(rows, i))
			continue;
		if (str_eq(t->name, whole) || str_eq(t->tag, name)) {
			*out = i;
			return true;
		}
		if (str_eq(t->model, name)) {
			*out = i;
			fits++;
		}
	}
	if (fits == 1)
		return true;
	return tell_targets(w, rows, name, fits ? "there are several targets" : "there is no target", err);
}

/* The only target of these rows, or NONE. */
static uint32_t only_target(const struct attempts *rows)
{
	if (rows->count == 0 || rows->items[0].target != rows->items[rows->count - 1].target)
		return NONE;
	return rows->items[0].target;
}

/* The names of the targets that only `mine` has. */
static const struct str *list_alone(struct work *w, const struct attempts *mine, const struct attempts *other,
				    size_t *count)
{
	struct str *out = arena_array(w->arena, struct str, attempt_target_count(&w->names) + 1);

	for (uint32_t i = 0; i < attempt_target_count(&w->names); i++)
		if (has_target(mine, i) && !has_target(other, i))
			out[(*count)++] = attempt_target(&w->names, i)->name;
	return out;
}

/* ---- one pair of targets ---- */

/* Adds a prompt to a list once: rows of one prompt follow each other. */
static void add_prompt(struct work *w, struct str **list, size_t *count, uint32_t prompt)
{
	struct str id = attempt_prompt(&w->names, prompt)->id;

	if (*count == 0 || !str_eq((*list)[*count - 1], id))
		(*list)[(*count)++] = id;
}

/* Whether rows of this prompt are among them; they are sorted. */
static bool compare_has_prompt(const struct attempt *rows, size_t n, uint32_t prompt)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].prompt < prompt)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && rows[low].prompt == prompt;
}

/* By prompt and repetition, as rows of one target are sorted. */
static int order(const struct attempt *x, const struct attempt *y)
{
	if (x->prompt != y->prompt)
		return x->prompt < y->prompt ? -1 : 1;
	return (x->repetition > y->repetition) - (x->repetition < y->repetition);
}

/* Pairs the rows of two targets by prompt and repetition: both lists are sorted, so one walk does it. */
static void match(struct work *w, struct compare_pair *out, struct compare_pairs *p, uint32_t ta, uint32_t tb)
{
	size_t n, m, i = 0, j = 0;
	const struct attempt *a = attempts_of(&w->a, ta, &n), *b = attempts_of(&w->b, tb, &m);
	struct str *only_a = arena_array(w->arena, struct str, n + 1);
	struct str *only_b = arena_array(w->arena, struct str, m + 1);

	p->names = &w->names;
	p->a = arena_array(w->arena, const struct attempt *, n + 1);
	p->b = arena_array(w->arena, const struct attempt *, n + 1);
	while (i < n && j < m) {
		int which = order(&a[i], &b[j]);

		if (which == 0) {
			out->failed_a += !a[i].success;
			out->failed_b += !b[j].success;
			p->a[p->count] = &a[i];
			p->b[p->count++] = &b[j];
		}
		i += which <= 0;
		j += which >= 0;
	}
	for (i = 0; i < n; i++)
		if (!compare_has_prompt(b, m, a[i].prompt))
			add_prompt(w, &only_a, &out->only_a_count, a[i].prompt);
	for (j = 0; j < m; j++)
		if (!compare_has_prompt(a, n, b[j].prompt))
			add_prompt(w, &only_b, &out->only_b_count, b[j].prompt);
	out->only_a = only_a;
	out->only_b = only_b;
	out->pairs = p->count;
	out->rows_a = n;
	out->rows_b = m;
}

static bool wants(const struct compare_options *o, enum compare_metric m)
{
	bool any = false;

	for (int i = 0; i < COMPARE_METRICS; i++)
		any = any || o->metrics[i];
	return any ? o->metrics[m] : m != COMPARE_TTFT; /* which goes with latency: not tested unasked */
}

/* A test of which there is nothing to say is kept only when it was asked for. */
static void run_tests(struct work *w, struct compare_pair *pair, const struct compare_pairs *p)
{
	pair->tests = arena_array(w->arena, struct compare_test, (size_t)COMPARE_METRICS * 2);
	for (int m = 0; m < COMPARE_METRICS; m++) {
		struct compare_test t = { .metric = (enum compare_metric)m }, failing;

		if (!wants(w->options, t.metric))
			continue;
		failing = t;
		failing.errors_fail = true;
		compare_test_run(&t, w->arena, p, w->out->seed);
		if (t.pairs || w->options->metrics[m] || m == COMPARE_PASS)
			pair->tests[pair->test_count++] = t;
		if (m != COMPARE_PASS && m != COMPARE_TOOLS)
			continue;
		compare_test_run(&failing, w->arena, p, w->out->seed);
		if (failing.pairs > t.pairs)
			pair->tests[pair->test_count++] = failing;
	}
}

/* Adds the comparison of a target of A with one of B. */
static void compare_targets(struct work *w, uint32_t ta, uint32_t tb)
{
	struct compare_pair pair = { .a = attempt_target(&w->names, ta)->name,
				     .b = attempt_target(&w->names, tb)->name };
	struct compare_pairs p = { .count = 0 };

	match(w, &pair, &p, ta, tb);
	run_tests(w, &pair, &p);
	buf_add(&w->pairs, &pair, sizeof(pair));
}

/* ---- all of them ---- */

/* The two targets that the user named, of one run or of two. */
static bool pair_chosen(struct work *w, struct err *err)
{
	const struct compare_options *o = w->options;
	uint32_t ta, tb;

	if (!o->a_target.p || !o->b_target.p)
		return err_set(err, ERR_USAGE, "only one of two targets is given" ERR_HELP "name both");
	if (!find_target(w, &w->a, o->a_target, &ta, err) || !find_target(w, &w->b, o->b_target, &tb, err))
		return false;
	if (ta == tb && (!o->b.p || str_eq(o->a, o->b)))
		return err_set(err, ERR_USAGE, "both are the same target of the same run" ERR_HELP
			       "name another target, or another run");
	compare_targets(w, ta, tb);
	return true;
}

/* One run: when it has two targets there is no doubt who is meant. A is the one whose first row comes first. */
static bool pair_own(struct work *w, struct err *err)
{
	size_t count = attempt_target_count(&w->names);
	struct buf list;

	if (count == 2) {
		compare_targets(w, 0, 1);
		return true;
	}
	buf_init(&list);
	add_targets(w, &w->a, &list);
	err_set(err, ERR_USAGE, "%.*s has %zu target%s, and it takes two to compare" ERR_HELP
		"it has %.*s; give another run, or name two targets", STR_ARG(w->a.run_id), count,
		count == 1 ? "" : "s", STR_ARG(buf_str(&list)));
	buf_free(&list);
	return err_advise(err, ADVICE_COMPARE_TARGETS);
}

/* Compares every target that both runs have; two runs of one target each need no names. */
static bool pair_same(struct work *w, struct err *err)
{
	struct compare *c = w->out;
	uint32_t ta = only_target(&w->a), tb = only_target(&w->b);

	if (!w->options->b.p || str_eq(w->options->a, w->options->b))
		return pair_own(w, err);
	for (uint32_t i = 0; i < attempt_target_count(&w->names); i++) {
		if (!has_target(&w->a, i) || !has_target(&w->b, i))
			continue;
		if (w->pairs.n / sizeof(struct compare_pair) == PAIRS_MAX)
			return err_set(err, ERR_LIMIT, "the two runs have more than %d targets in common" ERR_HELP
				       "name the targets to compare", PAIRS_MAX) ||
			       err_advise(err, ADVICE_COMPARE_TARGETS);
		compare_targets(w, i, i);
	}
	if (w->pairs.n == 0 && ta != NONE && tb != NONE) { /* one target each: there is no doubt who is meant */
		compare_targets(w, ta, tb);
		return true;
	}
	if (w->pairs.n == 0)
		return err_set(err, ERR_USAGE, "the two runs have no target in common" ERR_HELP
			       "name the targets to compare") || err_advise(err, ADVICE_COMPARE_TARGETS);
	c->a.alone = list_alone(w, &w->a, &w->b, &c->a.alone_count);
	c->b.alone = list_alone(w, &w->b, &w->a, &c->b.alone_count);
	return true;
}

/* Holm's correction over all tests of all pairs that could show something, then the answer of each. */
static void correct(struct work *w)
{
	struct compare *c = w->out;
	size_t all = 0, n = 0;
	double *p, *adjusted;

	for (size_t i = 0; i < c->count; i++)
		all += c->pairs[i].test_count;
	p = arena_array(w->arena, double, all + 1);
	adjusted = arena_array(w->arena, double, all + 1);
	for (size_t i = 0; i < c->count; i++)
		for (size_t j = 0; j < c->pairs[i].test_count; j++)
			if (compare_test_can_show(&c->pairs[i].tests[j]))
				p[n++] = c->pairs[i].tests[j].p;
	stats_holm(p, adjusted, n);
	c->family = n;
	n = 0;
	for (size_t i = 0; i < c->count; i++) {
		for (size_t j = 0; j < c->pairs[i].test_count; j++) {
			struct compare_test *t = &c->pairs[i].tests[j];

			if (compare_test_can_show(t))
				t->holm = adjusted[n++];
			compare_test_answer(t, c->family);
		}
	}
}

bool compare_runs(struct compare *c, struct arena *a, const struct compare_options *o, struct err *err)
{
	struct work w = { .arena = a, .options = o, .out = c };
	bool done;

	*c = (struct compare){ .count = 0 };
	attempt_names_init(&w.names, a);
	buf_init(&w.pairs);
	buf_init(&w.warnings);
	done = compare_read_all(&w, err) &&
	       (o->a_target.p || o->b_target.p ? pair_chosen(&w, err) : pair_same(&w, err));
	if (done) {
		c->count = w.pairs.n / sizeof(struct compare_pair);
		c->pairs = arena_move_array(a, w.pairs.p, c->count, c->count + 1, sizeof(*c->pairs));
		correct(&w);
		compare_add_warnings(&w.warnings, a, &c->a, &c->b);
		compare_add_partners(&w.warnings, a, c);
		c->warning_count = w.warnings.n / sizeof(struct str);
		c->warnings = arena_move_array(a, w.warnings.p, c->warning_count, c->warning_count + 1,
					       sizeof(struct str));
	}
	attempt_names_free(&w.names);
	buf_free(&w.pairs);
	buf_free(&w.warnings);
	return done;
}

bool compare_is_regression(const struct compare *c)
{
	for (size_t i = 0; i < c->count; i++)
		for (size_t j = 0; j < c->pairs[i].test_count; j++)
			if (c->pairs[i].tests[j].answer == COMPARE_A_BETTER)
				return true;
	return false;
}
