/*
 * Reads the words as cmdline.c would, finds out what may follow, and offers names from the tables that begin with what
 * is typed. Whatever fails here offers less and says nothing: the user is in the middle of a line.
 */
#include "cmd/frame/completion.h"

#include "bench/suite/builtin.h"
#include "cmd/frame/cmdline.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/topics.h"
#include "cmd/report/rules.h"
#include "dialect/target.h"
#include "provider/provider.h"
#include "store/runs.h"

#define RUNS_OFFERED 100

/* What is being completed: the tables, the word so far, and where answers go. */
struct question {
	struct buf *out;
	const struct command *const *table;
	struct str prefix; /* of the answers, as far as it is typed */
	struct str before; /* "--color=" when the value of an option is completed in its word */
};

static void offer(const struct question *q, struct str word, const char *sentence)
{
	if (!str_starts(word, q->prefix))
		return;
	buf_add_str(q->out, q->before);
	buf_add_str(q->out, word);
	buf_printf(q->out, "\t%s\n", sentence);
}

static void offer_files(const struct question *q)
{
	buf_add_str(q->out, STR(":files\n"));
}

static void offer_topics(const struct question *q)
{
	for (size_t i = 0; q->table[i]; i++)
		if (command_is_listed(q->table[i]))
			offer(q, str_from(q->table[i]->name), q->table[i]->summary);
	for (size_t i = 0; topics[i].name; i++)
		offer(q, str_from(topics[i].name), topics[i].summary);
}

static void offer_shells(const struct question *q)
{
	for (size_t i = 0; completion_shells[i]; i++)
		offer(q, str_from(completion_shells[i]), "");
}

static void completion_offer_codes(const struct question *q)
{
	struct rules_group g;
	size_t at = 0;

	while (rules_next_group(&at, &g))
		for (const struct rule *r = g.rules; r->code; r++)
			offer(q, str_from(r->code), r->sentence);
}

static void offer_formats(const struct question *q)
{
	for (size_t i = 0; dialects[i]; i++)
		offer(q, str_from(dialects[i]->name), dialects[i]->title);
}

static void offer_targets(const struct question *q)
{
	for (const struct target *t = targets; t->name; t++)
		offer(q, str_from(t->name), t->dialect->title);
}

/* Recent first. */
static void offer_runs(const struct question *q)
{
	struct err ignored = { .kind = ERR_NONE };
	struct run_entry *runs;
	struct arena a;
	size_t count = 0;

	arena_init(&a);
	if (runs_list_recent(&a, RUNS_OFFERED, &runs, &count, &ignored) && count)
		offer(q, STR("@last"), "the newest run");
	for (size_t i = 0; i < count; i++) {
		struct buf id, about;

		buf_init(&id);
		buf_init(&about);
		term_add_text(&id, runs[i].run_id);
		term_add_text(&about, runs[i].started);
		buf_add_byte(&about, ' ');
		term_add_text(&about, runs[i].program);
		buf_add_byte(&about, '\0');
		offer(q, buf_str(&id), about.p);
		buf_free(&id);
		buf_free(&about);
	}
	arena_free(&a);
	offer_files(q);
}

static void offer_suites(const struct question *q)
{
	struct buf name;

	buf_init(&name);
	for (size_t i = 0; suite_builtin_name(i); i++) {
		offer(q, str_from(suite_builtin_name(i)), "comes with the program");
		buf_clear(&name);
		buf_printf(&name, SUITE_BUILTIN "%s", suite_builtin_name(i));
		offer(q, buf_str(&name), "comes with the program");
	}
	buf_free(&name);
	offer_files(q);
}

static void offer_provider(const struct question *q, const char *name, const struct provider *p, char end)
{
	struct buf word;

	buf_init(&word);
	buf_printf(&word, "%s%c", name, end);
	offer(q, buf_str(&word), provider_about(p));
	buf_free(&word);
}

/* Of PROVIDER:MODEL and PROVIDER=VALUE the first part. */
static void offer_providers(const struct question *q, char end)
{
	for (const struct provider_alias *x = provider_aliases; x->name; x++)
		offer_provider(q, x->name, x->row, end);
	for (size_t i = 0; provider_rows[i]; i++)
		offer_provider(q, provider_name(provider_rows[i]), provider_rows[i], end);
}

/* A new kind of argument gets its answers here. */
static void (*const answers[ARGS_KINDS])(const struct question *) = {
	[ARGS_FILES] = offer_files,   [ARGS_TOPICS] = offer_topics,
	[ARGS_SHELLS] = offer_shells, [ARGS_CODES] = completion_offer_codes,
	[ARGS_RUNS] = offer_runs,     [ARGS_SUITES] = offer_suites,
	[ARGS_DIR] = offer_files,
};

/* Answers for the value of an option, by what its argument is called in help: FILE, FORMAT, RUN and so on. */
static void offer_value(const struct question *q, const struct opt *o)
{
	static const char *const files[] = { "FILE", "OUT", "PATH", "SUMS", "KEY|FILE", "PREFIX" };
	struct str words = str_from(o->argument), word;

	if (o->kind == OPT_CHOICE) {
		while ((word = opt_next_choice(&words)).p)
			offer(q, word, "");
		return;
	}
	for (size_t i = 0; i < COUNT(files); i++)
		if (str_eq(words, str_from(files[i])))
			offer_files(q);
	if (str_eq(words, STR("FORMAT")))
		offer_formats(q);
	if (str_eq(words, STR("TARGET")))
		offer_targets(q);
	if (str_starts(words, STR("PROVIDER")) && words.n > 8)
		offer_providers(q, words.p[8]);
	if (str_eq(words, STR("RUN")))
		offer_runs(q);
	if (str_eq(words, STR("SUITE")))
		offer_suites(q);
	if (str_eq(words, STR("DIR")) || str_eq(words, STR("DIR|URL")))
		buf_add_str(q->out, STR(":dirs\n"));
}

static void offer_options(const struct question *q, const struct opt *table)
{
	struct buf name;

	buf_init(&name);
	for (; table && table->kind != OPT_END; table++) {
		if (!table->name)
			continue;
		buf_clear(&name);
		buf_printf(&name, "--%s", table->name);
		offer(q, buf_str(&name), table->help);
	}
	buf_free(&name);
}

/* First words when none is typed yet, each once; the second words of a group otherwise. */
static void offer_commands(const struct question *q, struct str group)
{
	struct str last = STR("");

	for (size_t i = 0; q->table[i]; i++) {
		struct str second, first = str_cut(str_from(q->table[i]->name), ' ', &second);
		struct str word = group.n ? second : first;

		if (q->table[i]->hidden || word.n == 0 || (group.n && !str_eq(first, group)) || str_eq(word, last))
			continue;
		offer(q, word, second.n && !group.n ? "" : q->table[i]->summary);
		last = word;
	}
}

static bool has_ended_flags(const struct str *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(words[i], STR("--")))
			return true;
	return false;
}

/* Options after a dash, commands where none is complete yet, else what the command's arguments are. */
static void answer(struct question *q, const struct command *c, struct str group, bool flags_ended)
{
	if (!flags_ended && str_starts(q->prefix, STR("-"))) {
		offer_options(q, c ? c->options : NULL);
		offer_options(q, global_options);
	} else if (!c || c->is_group) {
		offer_commands(q, group);
	} else if (c->args == ARGS_TOPICS && group.n) {
		offer_commands(q, group);
	} else if (answers[c->args]) {
		answers[c->args](q);
	}
}

/* The option that waits for a value: the command's own, since -o is another one elsewhere; else that of any. */
static const struct opt *find_waiting(const struct question *q, const struct command *c, struct str word)
{
	const struct command *own[] = { c, NULL };
	const struct opt *o = cmdline_find_waiting(own, word);

	return o ? o : cmdline_find_waiting(q->table, word);
}

/* "--color=al": the value of an option in the same word. */
static bool answer_attached(struct question *q, const struct command *c, struct str word)
{
	struct str value, flag = str_cut(word, '=', &value);
	const struct opt *o = find_waiting(q, c, flag);

	if (!str_starts(word, STR("--")) || flag.n == word.n || !o)
		return false;
	q->before = str_of(word.p, flag.n + 1);
	q->prefix = value;
	offer_value(q, o);
	return true;
}

void completion_add(struct buf *out, const struct command *const *table, const struct str *words, size_t count)
{
	struct question q = { .out = out, .table = table };
	struct str names[2];
	size_t at[2], found, used;
	const struct command *c;
	const struct opt *waiting;
	bool is_group = false, flags_ended;

	if (count == 0)
		return;
	q.prefix = words[--count];
	flags_ended = has_ended_flags(words, count);
	found = cmdline_find_words(table, words, count, at);
	for (size_t i = 0; i < found; i++)
		names[i] = words[at[i]];
	c = command_find(table, names, found, &used, &is_group);
	waiting = count && !flags_ended ? find_waiting(&q, c, words[count - 1]) : NULL;
	if (waiting) {
		offer_value(&q, waiting);
		return;
	}
	if (!flags_ended && answer_attached(&q, c, q.prefix))
		return;
	if (c && c->args == ARGS_TOPICS && found == 2) { /* help ledger ...: the second word of a page's name */
		answer(&q, c, names[1], flags_ended);
		return;
	}
	if (c || found == 0 || (is_group && found == 1))
		answer(&q, c, is_group ? names[0] : STR(""), flags_ended);
}
