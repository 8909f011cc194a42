/*
 * Reads each file into a list of prompts, with a copy for each row of the table where a prompt uses one. Reading goes
 * on after every problem, so that a user sees all of them; whether the suite may be used is told by the number of
 * errors.
 */
#include "bench/suite/suite.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/map.h"
#include "bench/suite/builtin.h"
#include "bench/suite/fill.h"
#include "bench/suite/python_text.h"
#include "json/canon.h"
#include "json/issue.h"

struct loading {
	struct suite *suite;
	struct arena *arena;
	const struct suite_options *options;
	struct validator_options validators;
	struct suite_values values;
	struct map ids; /* to the prompt's number */
	size_t cap;
	struct json_parser *again; /* for prompts that were filled in */
	struct canon *canon;
	size_t file; /* that is being read */
	struct issue_mark mark; /* at the prompt that is being read */
	bool full;
};

/* ---- one prompt ---- */

/* A member that is a string, copied; an empty text, and the problem told, when it is wrong. Blanks alone are empty. */
static struct str read_text(struct loading *l, struct val prompt, const char *name, bool required, struct problems *p)
{
	struct val v = val_get(prompt, str_from(name));
	struct str text = STR("");

	if (val_is_none(v)) {
		if (required)
			problem_at(p, SUITE_MISSING, prompt, "the prompt has no \"%s\"", name);
		return text;
	}
	if (!val_is(v, JSON_STRING)) {
		problem_at(p, SUITE_TYPE, v, "\"%s\" should be a string, not %s", name, problem_type_name(v));
		return text;
	}
	text = arena_copy(l->arena, val_text(v, l->arena));
	if (required && python_strip(text).n == 0)
		problem_at(p, SUITE_EMPTY, v, "\"%s\" is empty", name);
	return text;
}

/* True when there is such a list. */
static bool read_texts(struct loading *l, struct val prompt, const char *name, const struct str **out, size_t *count,
		       struct problems *p)
{
	struct val v = val_get(prompt, str_from(name)), one;
	struct val_iter it = val_begin(v);
	struct str *list = arena_array(l->arena, struct str, val_count(v) + 1);

	*out = list;
	*count = 0;
	if (!val_is_none(v) && !val_is(v, JSON_ARRAY))
		problem_at(p, SUITE_TYPE, v, "\"%s\" should be a list of strings, not %s", name, problem_type_name(v));
	while (val_is(v, JSON_ARRAY) && val_next(&it, &one)) {
		if (val_is(one, JSON_STRING))
			list[(*count)++] = arena_copy(l->arena, val_text(one, l->arena));
		else
			problem_at(p, SUITE_TYPE, one, "\"%s\" should be a list of strings, not of %s", name,
				   problem_type_name(one));
	}
	return !val_is_none(v);
}

/* Only a warning: other harnesses have members of their own. */
static void check_members(struct val prompt, struct problems *p)
{
	static const char *const known[] = { "id",	"name",	   "prompt", "validator", "expected_tool_calls",
					     "variant", "tags" };
	struct val_iter it = val_begin(prompt);
	struct val key, v;

	while (val_next_member(&it, &key, &v)) {
		bool is_known = false;

		for (size_t i = 0; i < COUNT(known); i++)
			is_known = is_known || val_text_is(key, str_from(known[i]));
		if (!is_known)
			problem_at(p, SUITE_UNKNOWN, key, "%.*s means nothing in a prompt", STR_ARG(val_source(key)));
	}
}

/* What the validator looks for goes before expected_tool_calls, or a prompt could pass and yet miss its tools. */
static void read_expected(struct loading *l, struct val prompt, struct suite_prompt *out, struct problems *p)
{
	const struct str *tools;
	size_t count;

	out->expects = read_texts(l, prompt, "expected_tool_calls", &out->expected, &out->expected_count, p);
	if (!out->validator || strcmp(validator_type(out->validator), "tool_invocation") != 0)
		return;
	tools = validator_expected_tools(out->validator, &count);
	out->expects = true;
	out->expected = tools;
	out->expected_count = count;
}

static void make_canonical(struct loading *l, struct val prompt, struct suite_prompt *out, struct problems *p)
{
	enum json_code code;
	struct buf text;
	uint32_t bad;

	buf_init(&text);
	if (canon_value(l->canon, prompt, &text, &bad, &code))
		out->canonical = arena_copy(l->arena, buf_str(&text));
	else
		problem_at(p, SUITE_VALUE, (struct val){ prompt.tape, bad }, "the value has no canonical form: %s",
			   json_code_name(code));
	buf_free(&text);
}

static struct suite_prompt *next_prompt(struct loading *l)
{
	struct suite *s = l->suite;

	arena_grow(l->arena, s->prompts, s->count, l->cap, 64);
	return &s->prompts[s->count];
}

/* Ids are one space over all files of the run. The second of two is the one to blame. */
static void check_id(struct loading *l, struct val prompt, struct suite_prompt *out, struct problems *p)
{
	uint64_t *number;
	bool added;

	if (out->id.n == 0)
		return;
	number = map_add(&l->ids, out->id, &added);
	if (added) {
		*number = l->suite->count;
		return;
	}
	problem_at(p, SUITE_DUPLICATE, val_get(prompt, STR("id")),
		   "the id %.*s was given before, in %.*s, line %" PRIu64 ", column %" PRIu64, STR_ARG(out->id),
		   STR_ARG(l->suite->files[l->suite->prompts[*number].file].name), l->suite->prompts[*number].at.line,
		   l->suite->prompts[*number].at.column);
}

/* Adds a prompt even when something is wrong with it; nobody uses a suite with errors. */
static void read_prompt(struct loading *l, struct val prompt, struct problems *p)
{
	struct suite_prompt *out = next_prompt(l);
	struct val validator = val_get(prompt, STR("validator"));

	*out = (struct suite_prompt){ .file = l->file, .row = p->row };
	out->at = (struct place){ l->mark.line, l->mark.column, l->mark.offset };
	check_members(prompt, p);
	out->id = read_text(l, prompt, "id", true, p);
	out->name = read_text(l, prompt, "name", true, p);
	out->prompt = read_text(l, prompt, "prompt", true, p);
	out->variant = read_text(l, prompt, "variant", false, p);
	read_texts(l, prompt, "tags", &out->tags, &out->tag_count, p);
	if (val_is_none(validator))
		problem_at(p, SUITE_MISSING, prompt, "the prompt has no \"validator\"");
	else
		out->validator = validator_new(l->arena, validator, &l->validators, p);
	read_expected(l, prompt, out, p);
	check_id(l, prompt, out, p);
	make_canonical(l, prompt, out, p);
	l->suite->count++;
}

/* ---- variables ---- */

/*
 * A prompt with its variables filled in is parsed again from its text; what is wrong with it is told at the prompt that
 * it was made from. `row` is SIZE_MAX for none.
 */
static void read_filled(struct loading *l, struct val prompt, size_t row, struct problems *p)
{
	struct buf text;
	struct val v;

	p->stands_for = prompt;
	p->row = row == SIZE_MAX ? 0 : row + 1;
	buf_init(&text);
	if (suite_fill(&text, prompt, &l->values, row, p)) {
		if (json_parse_copy(l->again, buf_str(&text), &v, NULL))
			read_prompt(l, v, p);
		else /* a value that is not UTF-8 */
			problem_at(p, SUITE_VARIABLE, prompt, "the value of a variable is not UTF-8");
	}
	buf_free(&text);
	p->stands_for = VAL_NONE;
	p->row = 0;
}

/* A prompt, or a copy of it for each row of the table when it uses a column. */
static void read_copies(struct loading *l, struct val prompt, struct problems *p)
{
	uint64_t before = p->count;
	struct suite_uses uses = { .any = false };
	size_t rows;

	if (!l->options->filled)
		uses = suite_find_variables(prompt, &l->values, p);
	rows = uses.column ? l->values.rows->count : 1;
	issue_mark_move(&l->mark, p->text, (size_t)(val_source(prompt).p - prompt.tape->text));
	if (p->count != before)
		return;
	if (rows > SUITE_PROMPTS_MAX - l->suite->count) {
		problem_at(p, SUITE_LIMIT, prompt, "with this there would be more than %u prompts", SUITE_PROMPTS_MAX);
		l->full = true;
		return;
	}
	if (!uses.any)
		read_prompt(l, prompt, p);
	else if (!uses.column)
		read_filled(l, prompt, SIZE_MAX, p);
	for (size_t i = 0; uses.column && i < rows; i++) {
		before = p->count;
		read_filled(l, prompt, i, p);
		if (p->count != before && i == 0)
			break; /* what is wrong with the first copy is most likely wrong with all */
	}
}

/* ---- one file ---- */

/* Reads one file of prompts; what is wrong with one of them does not keep the others from being read. */
static void read_file(struct loading *l, const struct suite_text *file)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .allow_bom = false });
	struct problems p = { .list = &l->suite->files[l->file].findings, .text = file->text };
	struct json_issue issue;
	struct val_iter it;
	struct val one;

	l->mark = (struct issue_mark){ .offset = 0, .line = 1, .column = 1 };
	if (!json_parse_copy(parser, file->text, &p.root, &issue)) {
		p.root = VAL_NONE;
		problem_in(&p, SUITE_SYNTAX, issue.offset, issue.length, "%s", issue.message);
	} else if (!val_is(p.root, JSON_ARRAY)) {
		problem_at(&p, SUITE_NOT_LIST, p.root, "a suite should be a list of prompts, not %s",
			   problem_type_name(p.root));
	} else if (val_count(p.root) == 0) {
		problem_at(&p, SUITE_NONE, p.root, "the list has no prompt");
	}
	for (it = val_begin(p.root); val_is(p.root, JSON_ARRAY) && !l->full && val_next(&it, &one);) {
		if (val_is(one, JSON_OBJECT))
			read_copies(l, one, &p);
		else
			problem_at(&p, SUITE_NOT_PROMPT, one, "a prompt should be an object, not %s",
				   problem_type_name(one));
	}
	json_parser_close(parser);
}

static void read_table(struct loading *l, const struct suite_text *table, struct rows *rows)
{
	struct problems p = { .list = &l->suite->files[l->file].findings, .text = table->text };

	if (str_ends(table->name, STR(".jsonl")) || str_ends(table->name, STR(".ndjson")))
		rows_read_jsonl(rows, l->arena, &p);
	else
		rows_read_csv(rows, l->arena, &p);
	l->values.rows = rows;
}

/* Files are numbered in the order of their reading, the table first. */
static void name_file(struct loading *l, const struct suite_text *text)
{
	struct suite_file *f = &l->suite->files[l->suite->file_count++];
	struct sha256 sha;

	f->name = arena_copy(l->arena, text->name);
	sha256_init(&sha);
	f->digest = sha256_of(&sha, text->text);
	sha256_free(&sha);
	findings_init(&f->findings, l->arena, l->options->finding_limit);
	l->file = l->suite->file_count - 1;
}

void suite_parse(struct suite *s, struct arena *a, const struct suite_text *texts, size_t count,
		 const struct suite_text *table, const struct suite_options *o)
{
	struct loading l = { .suite = s, .arena = a, .options = o,
			     .validators = { .allow_commands = o->allow_commands, .unsandboxed = o->unsandboxed,
					     .sandbox = o->allow_commands ? validator_sandbox() : NULL },
			     .values = { .vars = o->vars, .var_count = o->var_count } };
	struct rows rows;

	*s = (struct suite){ .files = arena_array(a, struct suite_file, count + 1) };
	map_init(&l.ids, a);
	l.again = json_parser_open((struct json_options){ .max_depth = 0 });
	l.canon = canon_open(CANON_JCS);
	if (table) {
		name_file(&l, table);
		read_table(&l, table, &rows);
	}
	for (size_t i = 0; i < count; i++) {
		name_file(&l, &texts[i]);
		read_file(&l, &texts[i]);
	}
	canon_close(l.canon);
	json_parser_close(l.again);
	for (size_t i = 0; i < s->file_count; i++) {
		findings_sort(&s->files[i].findings);
		s->errors += s->files[i].findings.errors;
	}
}

/* ---- files and directories ---- */

struct paths {
	struct arena *arena;
	struct str *list;
	size_t count, cap;
};

static void add_path(struct paths *p, struct str path)
{
	arena_grow(p->arena, p->list, p->count, p->cap, 16);
	p->list[p->count++] = arena_copy(p->arena, path);
}

/* Sorted, since readdir has no order and prompts are sent in that of the files. Not deeper than this directory. */
static bool add_directory(struct paths *p, struct str path, struct err *err)
{
	DIR *dir = opendir(arena_copy(p->arena, path).p);
	const struct dirent *entry;
	size_t first = p->count;

	if (!dir)
		return err_system(err, errno, "cannot list %.*s", STR_ARG(path));
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && str_ends(str_from(entry->d_name), STR(".json")))
			add_path(p, arena_printf(p->arena, "%.*s/%s", STR_ARG(path), entry->d_name));
	closedir(dir);
	if (p->count == first)
		return err_set(err, ERR_DATA,
			       "%.*s has no file whose name ends in .json" ERR_HELP "name the suite's file",
			       STR_ARG(path));
	qsort(p->list + first, p->count - first, sizeof(*p->list), str_cmp_first);
	return true;
}

bool suite_load(struct suite *s, struct arena *a, const struct str *paths, size_t count, const struct suite_options *o,
		struct err *err)
{
	struct paths all = { .arena = a };
	struct suite_text *texts, table = { o->table, STR("") };

	for (size_t i = 0; i < count; i++) {
		struct str shipped = suite_builtin_find(a, paths[i]);
		struct stat st;
		bool there = !suite_is_builtin(paths[i]) && stat(arena_copy(a, paths[i]).p, &st) == 0;

		if (there && S_ISDIR(st.st_mode)) {
			if (!add_directory(&all, paths[i], err))
				return false;
		} else {
			add_path(&all, !there && shipped.p ? shipped : paths[i]);
		}
	}
	texts = arena_array(a, struct suite_text, all.count + 1);
	for (size_t i = 0; i < all.count; i++) {
		texts[i].name = all.list[i];
		if (suite_is_builtin(all.list[i]) ? !suite_builtin_text(all.list[i], &texts[i].text, err)
						  : !file_read(a, all.list[i], SUITE_FILE_MAX, &texts[i].text, err))
			return false;
	}
	if (o->table.n && !file_read(a, o->table, SUITE_FILE_MAX, &table.text, err))
		return false;
	suite_parse(s, a, texts, all.count, o->table.n ? &table : NULL, o);
	return true;
}

/* ---- the whole ---- */

static bool has_tag(const struct suite_prompt *p, const struct str *tags, size_t count)
{
	for (size_t i = 0; i < p->tag_count; i++)
		if (str_is_one_of(p->tags[i], tags, count))
			return true;
	return false;
}

size_t suite_select(struct suite *s, const struct str *tags, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++)
		if (count == 0 || has_tag(&s->prompts[i], tags, count))
			s->prompts[kept++] = s->prompts[i];
	s->count = kept;
	return kept;
}

struct digest suite_digest(const struct suite *s)
{
	struct sha256 hash;
	struct digest d;

	sha256_init(&hash);
	for (size_t i = 0; i < s->count; i++) {
		sha256_add(&hash, s->prompts[i].canonical);
		sha256_add(&hash, STR("\n"));
	}
	d = sha256_end(&hash);
	sha256_free(&hash);
	return d;
}
