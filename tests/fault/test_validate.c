/*
 * Every validator against damaged files: each sample cut off at every byte (at 256 seeded places when it is
 * large), and 100,000 seeded mutations over all of them, in the three modes. Nothing crashes, the verdict is
 * one of three, and where a file is cut into chunks makes no difference. To keep the input that a run ended
 * with, set TRACKWAY_MUTATE_KEEP to the name of a file.
 */
#include "fault/mutate.h"
#include "fault/samples.h"

#define MUTATIONS 100000
#define SMALL 4096
#define CUTS 256
#define FINDINGS 2 /* few: making them presentable costs more than finding them */
#define ROOM ((size_t)256 << 10)

enum verdict { VALID, INVALID, UNREADABLE, VERDICTS };

/* One format in one mode, used for one input after another, as a worker does. */
struct checker {
	const struct dialect *dialect;
	void *scanner, *batch, *fold;
};

struct bench {
	struct checker checkers[DIALECTS_MOST][3];
	struct json_parser *detector;
	char *room; /* chunks lie at its end, so that a read beyond their padding is one beyond the room */
	const char *keep;
	size_t verdicts[DIALECTS_MOST][VERDICTS], detected;
};

struct outcome {
	struct arena arena;
	struct findings findings;
	struct check_tally tally;
	enum verdict verdict;
};

static size_t number_of(const struct dialect *d)
{
	size_t i = 0;

	while (dialects[i] != d)
		i++;
	return i;
}

static void bench_init(struct bench *b)
{
	*b = (struct bench){ .detector = dialect_detect_open(), .keep = getenv("TRACKWAY_MUTATE_KEEP") };
	b->room = malloc(ROOM);
	CHECK(b->room != NULL);
	for (size_t i = 0; dialects[i]; i++)
		for (size_t mode = 0; mode < 3 && dialects[i]->ops; mode++) {
			const struct check_ops *ops = dialects[i]->ops;
			struct check_options how = { .mode = (enum check_mode)mode, .finding_limit = FINDINGS, .secrets = mode > 0 };
			struct checker *c = &b->checkers[i][mode];

			c->dialect = dialects[i];
			c->scanner = ops->scanner_open(dialects[i], &how);
			c->batch = ops->batch_open(dialects[i]);
			c->fold = ops->fold_open(dialects[i], &how);
		}
}

static void bench_free(struct bench *b)
{
	for (size_t i = 0; dialects[i]; i++)
		for (size_t mode = 0; mode < 3 && dialects[i]->ops; mode++) {
			struct checker *c = &b->checkers[i][mode];

			c->dialect->ops->scanner_close(c->scanner);
			c->dialect->ops->batch_close(c->batch);
			c->dialect->ops->fold_close(c->fold);
		}
	json_parser_close(b->detector);
	free(b->room);
}

static struct str placed(struct bench *b, struct str text)
{
	char *at = b->room + ROOM - JSON_PAD - text.n;

	CHECK(text.n <= ROOM - JSON_PAD);
	memcpy(at, text.p, text.n);
	memset(at + text.n, 0, JSON_PAD);
	return str_of(at, text.n);
}

/* So many lines from `at` on; 0 is all. */
static size_t length_of(struct str text, size_t at, size_t lines)
{
	size_t end = at;

	if (lines == 0)
		return text.n - at;
	while (lines-- > 0 && end < text.n) {
		const char *lf = memchr(text.p + end, '\n', text.n - end);

		end = lf ? (size_t)(lf - text.p) + 1 : text.n;
	}
	return end - at;
}

static void check(struct bench *b, struct checker *c, struct str text, bool is_lines, size_t step, struct outcome *o)
{
	struct check_chunk in = { .first_line = 1, .lines = is_lines };
	struct err err = { .kind = ERR_NONE };
	bool done = true;

	arena_init(&o->arena);
	findings_init(&o->findings, &o->arena, FINDINGS);
	o->tally = (struct check_tally){ .records = 0 };
	c->dialect->ops->begin(c->fold, &o->findings);
	do {
		in.bytes = placed(b, str_of(text.p + in.origin, length_of(text, in.origin, step)));
		c->dialect->ops->scan(c->scanner, &in, c->batch);
		done = c->dialect->ops->fold(c->fold, c->batch, &err);
		for (size_t i = 0; i < in.bytes.n; i++)
			in.first_line += in.bytes.p[i] == '\n';
		in.origin += in.bytes.n;
	} while (done && in.origin < text.n);
	c->dialect->ops->finish(c->fold, &o->tally);
	CHECK(done == (err.kind == ERR_NONE));
	o->verdict = !done ? UNREADABLE : o->findings.errors ? INVALID : VALID;
}

static uint64_t count_of(const struct findings *list, const char *code)
{
	for (size_t i = 0; i < list->counts_count; i++)
		if (strcmp(list->counts[i].code, code) == 0)
			return list->counts[i].count;
	return 0;
}

static void compare(const struct outcome *a, const struct outcome *b)
{
	CHECK_INT(a->verdict, b->verdict);
	CHECK_INT(a->tally.records, b->tally.records);
	CHECK_INT(a->tally.interrupted, b->tally.interrupted);
	CHECK_STR(str_from(a->tally.variant), str_from(b->tally.variant));
	CHECK_INT(a->findings.counts_count, b->findings.counts_count);
	for (size_t i = 0; i < a->findings.counts_count; i++) {
		const char *code = a->findings.counts[i].code;

		test_case("%s", code);
		CHECK_INT(count_of(&b->findings, code), a->findings.counts[i].count);
	}
}

/* Places are inside the file, and what is kept can be printed. */
static void check_findings(const struct outcome *o, struct str text)
{
	CHECK(o->findings.kept_count <= FINDINGS);
	for (size_t i = 0; i < o->findings.kept_count; i++) {
		const struct finding *f = &o->findings.kept[i];

		CHECK(f->code && f->message.n > 0);
		CHECK(f->at.offset <= text.n && f->at.line <= text.n + 1);
		CHECK(f->mark + f->mark_length <= f->excerpt.n);
	}
}

static void keep_input(const struct bench *b, struct str text)
{
	FILE *f = b->keep ? fopen(b->keep, "wb") : NULL;

	if (f) {
		fwrite(text.p, 1, text.n, f);
		fclose(f);
	}
}

static void try(struct bench *b, const struct sample *s, struct str text, size_t number)
{
	size_t i = number_of(s->dialect);
	struct checker *c = &b->checkers[i][number % 3];
	const struct dialect *seen;
	struct outcome whole, parts;

	keep_input(b, text);
	test_case("%s, number %zu", s->name, number);
	seen = dialect_detect(b->detector, placed(b, text), s->lines, DIALECT_TO_CHECK, NULL);
	b->detected += seen == s->dialect;
	check(b, c, text, s->lines, 0, &whole);
	check_findings(&whole, text);
	b->verdicts[i][whole.verdict]++;
	if (s->lines) {
		check(b, c, text, true, 1 + number % 5, &parts);
		compare(&whole, &parts);
		arena_free(&parts.arena);
	}
	arena_free(&whole.arena);
}

/* Every format was tried, and neither verdict was the only one. */
static void check_spread(const struct bench *b)
{
	static const char *const formats[] = {
		"agent-trace", "otutl", "trial", "trajectory", "conversation", "results", "summary",
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		size_t at = number_of(dialect_find(str_from(formats[i])));

		test_case("%s", formats[i]);
		CHECK(b->verdicts[at][VALID] > 0 && b->verdicts[at][INVALID] > 0);
	}
}

TEST(a_file_cut_off_anywhere_has_a_verdict)
{
	struct samples *samples = samples_read();
	struct mutate m = { .state = 1 };
	struct bench b;

	bench_init(&b);
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *s = &samples->items[i];
		size_t cuts = s->text.n <= SMALL ? s->text.n + 1 : CUTS;

		for (size_t n = 0; n < cuts; n++)
			try(&b, s, str_of(s->text.p, s->text.n <= SMALL ? n : mutate_below(&m, s->text.n)), n);
	}
	check_spread(&b);
	bench_free(&b);
}

TEST(a_hundred_thousand_damaged_files_have_a_verdict)
{
	struct samples *samples = samples_read();
	size_t each[DIALECTS_MOST] = { 0 }, next[DIALECTS_MOST] = { 0 }, done = 0;
	struct bench b;
	struct buf text;

	bench_init(&b);
	buf_init(&text);
	for (size_t i = 0; i < samples->count; i++)
		each[number_of(samples->items[i].dialect)]++;
	/* the formats take turns, and within each its samples do */
	for (size_t turn = 0; done < MUTATIONS; turn++) {
		for (size_t d = 0; dialects[d]; d++) {
			size_t at = each[d] ? next[d]++ % each[d] : 0, i = 0;
			struct mutate m = { .state = done * 1000003 + turn };

			if (!each[d])
				continue;
			while (number_of(samples->items[i].dialect) != d || at-- > 0)
				i++;
			m.other = samples->items[mutate_below(&m, samples->count)].text;
			buf_clear(&text);
			buf_add_str(&text, samples->items[i].text);
			for (size_t times = 1 + mutate_below(&m, 4); times > 0; times--)
				mutate_once(&m, &text);
			try(&b, &samples->items[i], buf_str(&text), done++);
		}
	}
	check_spread(&b);
	CHECK(b.detected > MUTATIONS / 3);
	buf_free(&text);
	bench_free(&b);
}
