/*
 * Reads all lines of the list first and links those about one file, so that each file is read once however many lines
 * it has. A line is compared with what its label names; one without a label with the canonical digest or that of the
 * bytes.
 */
#include "cmd/hash_check.h"

#include "flow/file_digest.h"
#include "source/source.h"

#define SUMS_LIMIT ((size_t)1 << 30)

/* The whole list as one text in the arena. An empty answer of the source means that the path is a directory. */
static bool read_all(struct arena *a, struct str path, struct str *out, struct err *err)
{
	struct source_options how = { .shape = SOURCE_DOCUMENT, .record_limit = SUMS_LIMIT };
	struct source *s = source_open(a, &path, 1, how, err);
	struct chunk chunk;
	struct buf bytes;
	enum next got;

	if (!s)
		return false;
	buf_init(&bytes);
	got = source_next(s, &bytes, &chunk, err);
	if (got == NEXT_MORE)
		*out = arena_copy(a, chunk.bytes);
	buf_free(&bytes);
	source_close(s);
	return got == NEXT_MORE || (got == NEXT_END && err_set(err, ERR_DATA, "%.*s: a directory", STR_ARG(path)));
}

/* Asks the source, so that "-" and directories count as they do when they are read. */
static bool hash_check_is_there(struct arena *a, struct str path)
{
	struct err ignored;
	struct source *s = source_open(a, &path, 1, (struct source_options){ .shape = SOURCE_AUTO }, &ignored);

	if (s)
		source_close(s);
	return s != NULL;
}

/* "x#2" is a file of that name if there is one, else the second run of x. */
static void find_file(struct hash_check *c, struct hash_expected *e)
{
	e->file = e->sum.name;
	if (!map_find(&c->files, e->file) && !hash_check_is_there(c->arena, e->file))
		sum_cut_run(e->sum.name, &e->file, &e->run);
}

/* Adds a line at the end of the chain of its file. Numbers in chains count from 1, since 0 ends them. */
static void hash_check_add_line(struct hash_check *c, struct sum sum)
{
	size_t number = ++c->line_count;
	struct hash_expected *e = &c->lines[number - 1];
	uint64_t *first;
	bool added;

	e->sum = sum;
	find_file(c, e);
	first = map_add(&c->files, e->file, &added);
	if (added)
		*first = number;
	else
		c->lines[c->lines[*first - 1].last - 1].next = number;
	c->lines[*first - 1].last = number;
}

/* Each file once, in the order of the lines. */
static void list_paths(struct hash_check *c)
{
	struct str *paths = arena_array(c->arena, struct str, c->line_count + 1);

	for (size_t i = 0; i < c->line_count; i++)
		if (*map_find(&c->files, c->lines[i].file) == i + 1)
			paths[c->path_count++] = arena_copy(c->arena, c->lines[i].file);
	c->paths = paths;
}

bool hash_check_load(struct hash_check *c, struct arena *a, struct str path, struct err *err)
{
	struct str text, line;

	*c = (struct hash_check){ .arena = a };
	map_init(&c->files, a);
	if (!read_all(a, path, &text, err))
		return err_context(err, "file of checksums");
	c->lines = arena_array(a, struct hash_expected, str_count(text, '\n') + 1);
	while (text.n) {
		struct sum sum;

		line = str_cut(text, '\n', &text);
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (str_trim(line).n == 0 || line.p[0] == '#')
			continue;
		if (sum_parse(&sum, a, line))
			hash_check_add_line(c, sum);
		else
			c->malformed++;
	}
	list_paths(c);
	if (c->line_count == 0)
		return err_set(err, ERR_DATA, "%.*s: no line is a checksum", STR_ARG(path));
	return true;
}

/* The run a line is about, or NULL: with several in the file it must be numbered. */
static const struct otutl_run *find_run(const struct hash_expected *e, const struct digest_input *part)
{
	uint64_t number = e->run ? e->run : 1;

	if (number > part->run_count || (e->run == 0 && part->run_count > 1) || !part->runs[number - 1].hashed)
		return NULL;
	return &part->runs[number - 1];
}

/* Of the file as a whole: a digest without a label may be that of its bytes as well. */
static bool find_file_digest(const struct hash_expected *e, const struct digest_input *part, struct digest *out)
{
	struct digest raw;

	if (e->sum.kind != SUM_JCS && file_digest(part->name, &raw) &&
	    (e->sum.kind == SUM_RAW || part->format == DIGEST_ZIP || digest_eq(raw, e->sum.digest))) {
		*out = raw;
		return true;
	}
	*out = part->sha256;
	return part->has_sha256 && e->sum.kind != SUM_RAW;
}

/* What the file has where the line has its digest; false when it has nothing there. */
static bool find_digest(const struct hash_expected *e, const struct digest_input *part, bool lossy,
			struct digest *out)
{
	const struct otutl_run *run = find_run(e, part);

	if (e->sum.kind <= SUM_RAW && find_file_digest(e, part, out))
		return true;
	if (!run || e->sum.kind == SUM_JCS || e->sum.kind == SUM_RAW)
		return false;
	switch (e->sum.kind) {
	case SUM_RUN:
	case SUM_RUN_LOSSY:
		*out = run->run_hash;
		return lossy == (e->sum.kind == SUM_RUN_LOSSY);
	case SUM_ROOT:
		*out = run->run_root;
		return true;
	case SUM_BEHAVIOR:
		*out = run->behavior_hash;
		return run->has_behavior;
	default:
		*out = run->canonical_file;
		return true;
	}
}

/* Whether a line of the list has the canonical digest of the part, by its label. */
static bool has_same_values(const struct hash_check *c, size_t first, const struct digest_input *part)
{
	for (size_t i = first; i; i = c->lines[i - 1].next) {
		const struct sum *sum = &c->lines[i - 1].sum;

		if (sum->kind == SUM_JCS && part->has_sha256 && digest_eq(sum->digest, part->sha256))
			return true;
	}
	return false;
}

/*
 * Whether one line holds; if not, a sentence says what the file has instead. `same_values`: another line proved that
 * the canonical form is unchanged, so different bytes alone are not a failure.
 */
static bool check_line(const struct hash_expected *e, struct hash_output *o, const struct digest_input *part,
		       bool same_values)
{
	const char *what = sum_field(e->sum.kind);
	struct str name = e->sum.name;
	char hex[SHA256_HEX];
	struct digest has;

	if (!find_digest(e, part, o->lossy, &has)) {
		if (e->sum.kind == SUM_RUN_LOSSY && !o->lossy)
			hash_output_say(o, "%.*s: this %s needs --numbers=es", STR_ARG(name), what);
		else
			hash_output_say(o, "%.*s: it has no %s", STR_ARG(name), what);
		return false;
	}
	if (digest_eq(has, e->sum.digest))
		return true;
	if (e->sum.kind == SUM_RAW && same_values) {
		hash_output_say(o, "%.*s: the bytes differ, the values are the same", STR_ARG(name));
		return true;
	}
	digest_hex(hex, has);
	hash_output_say(o, "%.*s: %s is %.*s", STR_ARG(name), what, SHA256_HEX, hex);
	return false;
}

void hash_check_part(const struct hash_check *c, struct hash_output *o, const struct digest_input *part)
{
	const uint64_t *first = map_find(&c->files, part->name);
	bool matches = first != NULL, same_values = first && has_same_values(c, *first, part);

	if (part->failure) {
		hash_output_add_failure(o, part->name, part->failure);
		return;
	}
	if (!first)
		hash_output_say(o, "%.*s: the list has no checksum for it", STR_ARG(part->name));
	for (size_t i = first ? *first : 0; i; i = c->lines[i - 1].next)
		matches = check_line(&c->lines[i - 1], o, part, same_values) && matches;
	hash_output_add_check(o, part, matches);
}

void hash_check_end(const struct hash_check *c, struct hash_output *o)
{
	if (c->malformed == 0)
		return;
	hash_output_say(o, "%llu %s of the file of checksums %s", (unsigned long long)c->malformed,
			c->malformed == 1 ? "line" : "lines",
			c->malformed == 1 ? "is not a checksum" : "are not checksums");
	o->refused = true;
}
