#include "base/crypto/secret.h"

#include <ftw.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/mask.h"
#include "harness/test.h"
#include "json/json.h"
#include "source/source.h"

static struct secret_scanner *open_scanner(void)
{
	struct err err = { 0 };
	struct secret_scanner *s = secret_scanner_open(&err);

	if (!s)
		FAIL("%s", err.text);
	return s;
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"

/* ---- the corpus of labelled strings ---- */

static struct str base64(struct arena *a, struct str in)
{
	char *out = arena_array(a, char, in.n);
	unsigned bits = 0, have = 0;
	size_t n = 0;

	for (size_t i = 0; i < in.n && in.p[i] != '='; i++) {
		static const char alphabet[] = UPPER LOWER DIGIT "+/";

		bits = bits << 6 | (unsigned)(strchr(alphabet, in.p[i]) - alphabet);
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[n++] = (char)(bits >> have);
			bits &= (1u << have) - 1;
		}
	}
	return str_of(out, n);
}

struct labelled {
	struct str id, expect, rule, text;
};

static size_t read_labelled(struct arena *a, struct labelled *out, size_t room)
{
	struct str file = test_read(test_shared("corpora/10-secrets/dev/cases.jsonl")), line;
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	size_t n = 0;

	while (file.n) {
		struct val v;

		line = str_cut(file, '\n', &file);
		if (line.n == 0)
			continue;
		CHECK(json_parse_copy(p, line, &v, NULL));
		CHECK(n < room);
		out[n++] = (struct labelled){
			.id = arena_copy(a, val_text(val_get(v, STR("id")), a)),
			.expect = arena_copy(a, val_text(val_get(v, STR("expect")), a)),
			.rule = arena_copy(a, val_text(val_get(v, STR("rule")), a)),
			.text = base64(a, val_text(val_get(v, STR("text_b64")), a)),
		};
	}
	json_parser_close(p);
	return n;
}

#define LABELLED 2000

TEST(labelled_strings_are_flagged_as_their_labels_say)
{
	static struct labelled rows[LABELLED];
	struct secret_scanner *s = open_scanner();
	size_t count, wanted = 0, missed = 0, clean = 0, wrong = 0, other = 0, recalled = 0, renamed = 0;
	struct arena a;

	arena_init(&a);
	count = read_labelled(&a, rows, LABELLED);
	for (size_t i = 0; i < count; i++) {
		const struct labelled *r = &rows[i];
		struct secret_hit hit = { 0 };
		bool found = secret_find(s, r->text, &hit);

		if (str_eq(r->expect, STR("flag"))) {
			wanted++;
			missed += !found;
			renamed += found && !str_starts(r->rule, STR("detect")) &&
				   !str_eq(r->rule, str_from(hit.rule->id));
			if (!found)
				printf("missed: %.*s %.*s\n", STR_ARG(r->id), STR_ARG(r->rule));
		} else if (str_eq(r->expect, STR("no-flag"))) {
			clean++;
			wrong += found;
			if (found)
				printf("wrong: %.*s as %s\n", STR_ARG(r->id), hit.rule->id);
		} else if (str_eq(r->expect, STR("flag-detect-secrets-only"))) {
			other++;
			recalled += found;
		}
	}
	printf("%zu of %zu flagged; %zu of %zu clean ones flagged; %zu of %zu of the other tool's; %zu renamed\n",
	       wanted - missed, wanted, wrong, clean, recalled, other, renamed);
	CHECK(wanted > 100 && clean > 100);
	CHECK_INT(missed, 0);
	CHECK_INT(wrong, 0);
	secret_scanner_close(s);
	arena_free(&a);
}

TEST(many_texts_in_one_buffer_give_the_answer_of_each_alone)
{
	static struct labelled rows[LABELLED];
	static size_t ends[LABELLED], found[LABELLED];
	struct secret_scanner *s = open_scanner();
	struct secret_hits hits;
	struct arena a;
	struct buf all;
	size_t count;

	arena_init(&a);
	buf_init(&all);
	count = read_labelled(&a, rows, LABELLED);
	for (size_t i = 0; i < count; i++) {
		buf_add_str(&all, rows[i].text);
		ends[i] = all.n;
		buf_add_byte(&all, '\n');
	}
	hits = secret_scan_many(s, buf_str(&all), ends, count);
	for (size_t i = 0, at = 0; i < hits.count; i++) {
		const struct secret_hit *h = &hits.list[i];

		while (h->at >= ends[at])
			at++;
		CHECK(h->at + h->length <= ends[at]);
		found[at]++;
	}
	for (size_t i = 0; i < count; i++) {
		test_case("%.*s", STR_ARG(rows[i].id));
		CHECK_INT(found[i], secret_scan(s, rows[i].text).count);
	}
	secret_scanner_close(s);
	buf_free(&all);
	arena_free(&a);
}

TEST(expressions_compiled_now_find_what_the_stored_ones_find)
{
	static struct labelled rows[LABELLED];
	struct secret_scanner *stored = open_scanner(), *compiled;
	struct err err = { 0 };
	struct arena a;
	size_t count;

	arena_init(&a);
	compiled = secret_scanner_compile(&err);
	if (!compiled)
		FAIL("%s", err.text);
	count = read_labelled(&a, rows, LABELLED);
	for (size_t i = 0; i < count; i++) {
		struct secret_hits want = secret_scan(stored, rows[i].text), got = secret_scan(compiled, rows[i].text);

		test_case("%.*s", STR_ARG(rows[i].id));
		CHECK_INT(got.count, want.count);
		for (size_t h = 0; h < want.count; h++)
			CHECK(got.list[h].at == want.list[h].at && got.list[h].rule == want.list[h].rule);
	}
	secret_scanner_close(stored);
	secret_scanner_close(compiled);
	arena_free(&a);
}

/* Every byte as the escape \\u00xx, as a line of JSON may have it. */
static void escape(struct buf *out, struct str text)
{
	buf_clear(out);
	for (size_t i = 0; i < text.n; i++)
		buf_printf(out, "\\u00%02x", (unsigned char)text.p[i]);
}

TEST(what_is_shown_has_no_key_left_however_it_is_escaped)
{
	static struct labelled rows[LABELLED];
	struct secret_scanner *s = open_scanner();
	struct buf out, escaped, piece;
	struct arena a;
	size_t count;

	arena_init(&a);
	buf_init(&out);
	buf_init(&escaped);
	buf_init(&piece);
	count = read_labelled(&a, rows, LABELLED);
	for (size_t i = 0; i < count; i++) {
		struct secret_hit hit = { 0 };
		struct str middle;

		if (!secret_find(s, rows[i].text, &hit) || rows[i].text.n > 300)
			continue;
		test_case("%.*s", STR_ARG(rows[i].id));
		middle = str_of(rows[i].text.p + hit.at + hit.length / 2, 6);
		buf_clear(&out);
		CHECK(mask_text(&out, rows[i].text, 0, NULL, NULL));
		CHECK(!secret_find(s, buf_str(&out), NULL));
		CHECK(str_find(buf_str(&out), middle) == (size_t)-1);
		escape(&escaped, rows[i].text);
		escape(&piece, middle);
		buf_clear(&out);
		CHECK(mask_text(&out, buf_str(&escaped), 0, NULL, NULL));
		CHECK(str_find(buf_str(&out), buf_str(&piece)) == (size_t)-1);
	}
	secret_scanner_close(s);
	buf_free(&out);
	buf_free(&escaped);
	buf_free(&piece);
	arena_free(&a);
}

/* ---- the table against the rules it was made from ---- */

/* The entropy that the rows of a rule ask for, or -1 when there are none. */
static double entropy_of(struct str id)
{
	double entropy = -1;

	for (size_t i = 0; i < secret_rules_count; i++) {
		if (!str_eq(str_from(secret_rules[i].id), id))
			continue;
		CHECK(entropy < 0 || entropy == secret_rules[i].entropy);
		entropy = secret_rules[i].entropy;
	}
	return entropy;
}

TEST(every_published_rule_has_rows_with_its_entropy)
{
	struct str file = test_read(test_shared("corpora/10-secrets/dev/rules_selected.jsonl"));
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct arena a;
	size_t count = 0;

	arena_init(&a);
	while (file.n) {
		struct str line = str_cut(file, '\n', &file);
		double want = 0;
		struct val v;

		if (line.n == 0)
			continue;
		CHECK(json_parse_copy(p, line, &v, NULL));
		val_double(val_get(v, STR("min_entropy")), &want); /* null leaves it 0 */
		test_case("%.*s", STR_ARG(val_raw(val_get(v, STR("id")))));
		CHECK(entropy_of(val_text(val_get(v, STR("id")), &a)) == want);
		count++;
	}
	CHECK_INT(count, 71);
	json_parser_close(p);
	arena_free(&a);
}

/* ---- real files that hold no key ---- */

struct clean {
	struct secret_scanner *scanner;
	struct arena arena;
	struct buf strings;
	size_t *ends, count, cap;
	size_t bytes, hits;
};

static void gather(struct clean *c, struct val root)
{
	for (uint32_t i = root.at; i < val_end(root); i++) {
		struct val v = { root.tape, i };

		if (val_type(v) != JSON_STRING && val_type(v) != JSON_KEY)
			continue;
		if (c->count == c->cap) {
			c->cap = c->cap ? c->cap * 2 : 1024;
			c->ends = mem_resize(c->ends, c->cap * sizeof(*c->ends));
		}
		buf_add_str(&c->strings, val_text(v, &c->arena));
		c->ends[c->count++] = c->strings.n;
		buf_add_byte(&c->strings, '\n');
	}
}

static void scan_gathered(struct clean *c, struct str name)
{
	struct secret_hits hits = secret_scan_many(c->scanner, buf_str(&c->strings), c->ends, c->count);

	for (size_t i = 0; i < hits.count; i++)
		printf("%.*s: %s, %zu bytes\n", STR_ARG(name), hits.list[i].rule->id, hits.list[i].length);
	c->hits += hits.count;
	c->bytes += c->strings.n;
	c->count = 0;
	buf_clear(&c->strings);
	arena_reset(&c->arena);
}

static void scan_chunk(struct clean *c, struct json_parser *p, const struct chunk *chunk)
{
	struct json_issue issue;
	struct json_record r;
	struct json_lines it;
	enum json_line got;
	struct val v;

	if (!chunk->input->lines) {
		if (json_parse(p, chunk->bytes, &v, &issue))
			gather(c, v);
	} else {
		json_lines_begin(&it, p, chunk->bytes, 1);
		while ((got = json_lines_next(&it, &r, &issue)) != JSON_LINE_END)
			if (got == JSON_LINE_VALUE)
				gather(c, r.value);
	}
	scan_gathered(c, chunk->input->name);
}

/* Every string and name of the JSON files below a directory, in buffers of many. */
static void scan_directory(struct clean *c, const char *directory)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct str path = str_from(directory);
	struct err err = { 0 };
	struct arena a;
	struct source *from;
	struct chunk chunk;
	struct buf into;
	enum next got;

	arena_init(&a);
	buf_init(&into);
	from = source_open(&a, &path, 1, (struct source_options){ 0 }, &err);
	if (!from)
		FAIL("%s", err.text);
	while ((got = source_next(from, &into, &chunk, &err)) != NEXT_END)
		if (got == NEXT_MORE)
			scan_chunk(c, p, &chunk);
	source_close(from);
	json_parser_close(p);
	buf_free(&into);
	arena_free(&a);
}

static struct clean *walked; /* nftw passes nothing on */

static int scan_raw(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	struct str text;

	(void)st;
	(void)ftw;
	if (kind != FTW_F)
		return 0;
	text = test_read(path);
	buf_add_str(&walked->strings, text);
	scan_gathered(walked, str_from(path));
	return 0;
}

static size_t count_keys(const char *set, size_t *bytes)
{
	struct clean c = { .scanner = open_scanner() };
	char directory[500];

	snprintf(directory, sizeof(directory), "%s", test_shared(set));
	arena_init(&c.arena);
	buf_init(&c.strings);
	scan_directory(&c, directory);
	walked = &c;
	CHECK_INT(nftw(directory, scan_raw, 8, FTW_PHYS), 0);
	secret_scanner_close(c.scanner);
	buf_free(&c.strings);
	mem_free(c.ends);
	arena_free(&c.arena);
	*bytes = c.bytes;
	return c.hits;
}

TEST(recorded_streams_telemetry_trajectories_and_naughty_strings_hold_no_key)
{
	static const char *const sets[] = {
		"corpora/04-sse/dev", "corpora/07-otlp/dev", "corpora/11-naughty-strings/dev",
		"corpora/12-trajectories/dev",
	};

	for (size_t i = 0; i < COUNT(sets); i++) {
		size_t bytes = 0, hits = count_keys(sets[i], &bytes);

		test_case("%s, %zu bytes", sets[i], bytes);
		CHECK(bytes > 10000);
		CHECK_INT(hits, 0);
	}
}
