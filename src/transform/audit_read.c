/*
 * What an audit counts in the events of a run. A call is counted by the URI of its tool. What it fetches is taken from
 * its arguments: texts that are URIs, paths that tools for reading are given, URIs among the words of a command line.
 * From results it is taken where content stands beside the URI that it came from.
 */
#include <math.h>

#include "json/json.h"
#include "model/shell.h"
#include "model/words.h"
#include "transform/audit.h"

#define NANO_MAX 1e18 /* billionths of a dollar; what is beyond counts as this */

struct audit_reader {
	struct json_parser *parser;
	struct arena scratch; /* of one event */
	/* the call at hand */
	struct audit_run *run;
	uint64_t seq;
	unsigned flags; /* enum audit_use_flag */
};

struct audit_reader *audit_reader_open(void)
{
	struct audit_reader *r = mem_alloc(sizeof(*r));

	*r = (struct audit_reader){ 0 };
	r->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	arena_init(&r->scratch);
	return r;
}

void audit_reader_close(struct audit_reader *r)
{
	json_parser_close(r->parser);
	arena_free(&r->scratch);
	mem_free(r);
}

struct audit_run *audit_run_new(struct arena *a)
{
	struct audit_run *run = arena_new(a, struct audit_run);

	run->arena = a;
	map_init(&run->known, a);
	return run;
}

/* The number of a name. One text may be a tool and a URI: these are two names. */
static uint32_t audit_read_name(struct audit_reader *r, uint8_t kind, struct str name)
{
	struct audit_run *run = r->run;
	char byte = (char)('0' + kind);
	bool added;
	uint64_t *n = map_add(&run->known, ARENA_JOIN(&r->scratch, str_of(&byte, 1), name), &added);

	if (added) {
		arena_grow(run->arena, run->names, run->name_count, run->name_cap, 16);
		run->names[run->name_count] = arena_copy(run->arena, name);
		*n = run->name_count++;
	}
	return (uint32_t)*n;
}

static struct audit_use *audit_read_use(struct audit_reader *r, uint8_t kind, struct str name)
{
	struct audit_run *run = r->run;
	struct audit_use *u;

	arena_grow(run->arena, run->uses, run->use_count, run->use_cap, 64);
	u = &run->uses[run->use_count++];
	*u = (struct audit_use){ .seq = r->seq, .order = (uint32_t)run->use_count, .kind = kind,
				 .name = audit_read_name(r, kind, name) };
	return u;
}

static void audit_read_fetch(struct audit_reader *r, struct str uri)
{
	audit_read_use(r, AUDIT_USE_FETCH, audit_uri_normal(&r->scratch, uri));
}

/* ---- command lines ---- */

/* Programs that run what they are told in words of their own, which are not read here. */
static bool audit_read_is_runner(struct str program)
{
	static const char *const names[] = { "sh", "bash", "dash", "zsh", "ksh", "eval", "source", ".", "xargs",
					     "ssh" };

	return str_is_word_of(program, names, COUNT(names));
}

static void audit_read_program(void *context, struct str word)
{
	struct audit_reader *r = context;
	struct str plain, name;

	if (!shell_plain_word(&r->scratch, word, &plain) || str_basename(plain).n == 0) {
		r->flags |= AUDIT_SOME_PROGRAMS;
		return;
	}
	name = str_basename(plain);
	if (audit_read_is_runner(name))
		r->flags |= AUDIT_SOME_PROGRAMS;
	audit_read_use(r, AUDIT_USE_PROGRAM, words_program_uri(&r->scratch, name));
}

static void audit_read_word(void *context, struct str word)
{
	struct audit_reader *r = context;
	struct str plain;
	bool known = shell_plain_word(&r->scratch, word, &plain);
	bool command = str_has(plain, STR("$(")) || str_has(plain, STR("`"));

	/* A command within a word is one in double quotes: the reader takes others for words of their own. */
	if (!known && command)
		r->flags |= AUDIT_SOME_PROGRAMS;
	if (!known && (command || str_has(plain, STR("$"))))
		r->flags |= str_has(plain, STR("://")) ? AUDIT_SOME_URIS : 0;
	else if (audit_is_uri(plain))
		audit_read_fetch(r, plain);
}

static void audit_read_script(struct audit_reader *r, struct str text)
{
	struct shell_script s = { .command = audit_read_program, .word = audit_read_word, .context = r,
				  .prefixes = true };

	while (text.n)
		shell_read_line(&s, str_cut(text, '\n', &text));
	if (shell_is_within(&s)) /* a quote or here-document without an end: who knows what is in it */
		r->flags |= AUDIT_SOME_PROGRAMS | AUDIT_SOME_URIS;
}

/* A program and its arguments, one text each: ["bash", "-lc", "ls"] is a command line all the same. */
static void audit_read_argv(struct audit_reader *r, struct val list)
{
	struct val_iter it = val_begin(list);
	struct str argv[3] = { { NULL, 0 } };
	struct val v;

	for (size_t i = 0; i < COUNT(argv) && val_next(&it, &v); i++)
		argv[i] = val_text_or_none(v, &r->scratch);
	if (!argv[0].n)
		return;
	if (audit_read_is_runner(str_basename(argv[0])) && argv[1].n > 1 && argv[1].p[0] == '-' && argv[2].p &&
	    argv[1].p[argv[1].n - 1] == 'c')
		audit_read_script(r, argv[2]);
	else
		audit_read_program(r, ARENA_JOIN(&r->scratch, STR("'"), argv[0], STR("'")));
}

/* The command line of a call, wherever its tool has it; false when there is none. */
static bool audit_read_commands(struct audit_reader *r, struct val args)
{
	static const char *const names[] = { "command", "cmd", "commands", "script" };
	bool found = val_is(args, JSON_STRING);

	if (val_is(args, JSON_STRING))
		audit_read_script(r, val_text(args, &r->scratch));
	for (size_t i = 0; i < COUNT(names); i++) {
		struct val v = val_get(args, str_from(names[i])), line;
		struct val_iter it = val_begin(v);

		found = found || val_is(v, JSON_STRING) || val_is(v, JSON_ARRAY);
		if (val_is(v, JSON_STRING))
			audit_read_script(r, val_text(v, &r->scratch));
		else if (val_is(v, JSON_ARRAY) && i < 2)
			audit_read_argv(r, v);
		while (i >= 2 && val_is(v, JSON_ARRAY) && val_next(&it, &line))
			if (val_is(line, JSON_STRING))
				audit_read_script(r, val_text(line, &r->scratch));
	}
	return found;
}

/* ---- arguments and results ---- */

/* Paths under a name that means one: the value itself, or the texts of a list. URIs are found in another way. */
static void audit_read_path(struct audit_reader *r, struct val key, struct val value)
{
	static const char *const names[] = { "path", "paths", "file", "files", "file_path", "filepath", "filename",
					     "file_name", "absolute_path", "notebook_path", "target_file" };
	struct val_iter it = val_begin(value);
	struct val v = value;
	bool list = val_is(value, JSON_ARRAY);

	if (!str_is_word_of(val_text(key, &r->scratch), names, COUNT(names)))
		return;
	while (list ? val_next(&it, &v) : !val_is_none(v)) {
		struct str path = val_text_or_none(v, &r->scratch);

		if (path.n && !audit_is_uri(path))
			audit_read_use(r, AUDIT_USE_FETCH, audit_uri_of_path(&r->scratch, path));
		if (!list)
			break;
	}
}

/* Every token in order, so that no depth is too much. */
static void audit_read_args(struct audit_reader *r, struct val args, bool reader)
{
	for (uint32_t at = args.at, end = val_end(args); at < end; at++) {
		struct val v = { args.tape, at };
		struct str text;

		if (val_is(v, JSON_KEY) && reader)
			audit_read_path(r, v, (struct val){ args.tape, at + 1 });
		if (!val_is(v, JSON_STRING))
			continue;
		text = val_text(v, &r->scratch);
		if (audit_is_uri(text))
			audit_read_fetch(r, text);
	}
}

/* Content that says where it came from: what MCP gives for a resource, and what some searches give for a page. */
static void audit_read_result(struct audit_reader *r, struct val result)
{
	for (uint32_t at = result.at, end = val_end(result); at < end; at++) {
		struct val v = { result.tape, at };
		struct str uri;

		if (!val_is(v, JSON_OBJECT) ||
		    !(val_has(v, STR("text")) || val_has(v, STR("blob")) || val_has(v, STR("content"))))
			continue;
		uri = val_text_or_none(val_get_either(v, STR("uri"), STR("url")), &r->scratch);
		if (audit_is_uri(uri))
			audit_read_fetch(r, uri);
	}
}

/* ---- events ---- */

static void audit_read_call(struct audit_reader *r, const struct event *e)
{
	struct str uri = words_tool_uri(&r->scratch, e->vendor.p ? e->vendor : r->run->vendor, e->server, e->tool);
	bool shell = words_tool_is_shell(e->tool) && !str_has(e->tool, STR("://"));
	struct val args;

	r->flags = 0;
	if (e->flags & (EVENT_WITHHELD | EVENT_RAW_ARGS)) {
		r->flags = AUDIT_NO_ARGS | (shell ? AUDIT_SHELL : 0);
	} else if (e->args.n && json_parse_copy(r->parser, e->args, &args, NULL)) {
		audit_read_args(r, args, words_tool_is_reader(e->tool));
		if (shell && audit_read_commands(r, args))
			r->flags |= AUDIT_SHELL;
	}
	audit_read_use(r, AUDIT_USE_CALL, uri)->flags = (uint16_t)r->flags;
}

static struct audit_use *audit_read_tokens(struct audit_reader *r, uint8_t kind, const struct event *e)
{
	const struct usage *u = &e->usage;
	struct audit_use *use = audit_read_use(r, kind, e->model.p ? e->model : STR(""));
	uint64_t in, out;

	if (!figure_is_known(u->input) || !figure_is_known(u->output))
		use->flags |= AUDIT_NO_TOKENS;
	else if (u->input.source == FIGURE_ESTIMATED || u->output.source == FIGURE_ESTIMATED)
		use->flags |= AUDIT_ESTIMATED;
	in = figure_is_known(u->input) ? u->input.n : 0;
	out = figure_is_known(u->output) ? u->output.n : 0;
	use->tokens = out > UINT64_MAX - in ? UINT64_MAX : in + out;
	return use;
}

/* A cost that says neither tokens nor dollars only carries notes. */
static void audit_read_cost(struct audit_reader *r, const struct event *e)
{
	struct audit_use *use;

	if (!usage_is_known(&e->usage) && e->usd.state == FIGURE_ABSENT)
		return;
	use = audit_read_tokens(r, AUDIT_USE_COST, e);
	if (!amount_is_known(e->usd))
		use->flags |= AUDIT_NO_USD;
	else
		use->nano_usd = (uint64_t)llround(fmin(fmax(e->usd.n * 1e9, 0), NANO_MAX));
	if (amount_is_known(e->usd) && e->usd.source == FIGURE_ESTIMATED)
		use->flags |= AUDIT_ESTIMATED_USD;
	else if (amount_is_known(e->usd) && str_eq(e->scope, STR("run")))
		use->flags |= AUDIT_STATED_USD;
}

static void audit_read_start(struct audit_run *run, const struct event *e)
{
	run->vendor = e->vendor.p ? arena_copy(run->arena, e->vendor) : STR("unknown");
	for (const struct extra *x = e->extras; x; x = x->next) {
		if (!x->member || x->json.n == 0 || str_eq(x->json, STR("null")))
			continue;
		if (str_eq(x->key, STR("budget")))
			run->budget = arena_copy(run->arena, x->json);
		else if (str_eq(x->key, STR("retrieval_set")))
			run->retrieval_set = arena_copy(run->arena, x->json);
	}
}

void audit_run_add(struct audit_reader *r, struct audit_run *run, const struct event *e, uint64_t seq)
{
	struct val result;

	arena_reset(&r->scratch);
	r->run = run;
	r->seq = seq;
	switch (e->kind) {
	case EVENT_RUN_START:
		audit_read_start(run, e);
		break;
	case EVENT_CALL:
		audit_read_call(r, e);
		break;
	case EVENT_RESULT:
		if (e->content.n && json_parse_copy(r->parser, e->content, &result, NULL))
			audit_read_result(r, result);
		break;
	case EVENT_STEP:
		audit_read_tokens(r, AUDIT_USE_STEP, e);
		break;
	case EVENT_COST:
		audit_read_cost(r, e);
		break;
	case EVENT_RUN_END:
		run->complete = e->status != STATUS_INTERRUPTED;
		break;
	default:
		break;
	}
}
