/*
 * Chunks are read straight into the caller's buffer; only what stands behind the last whole line is copied, to the
 * carry.
 */
#include "source/source.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "source/decode.h"
#include "source/file_group.h"
#include "source/lines.h"
#include "source/walk.h"

#define PAGE ((size_t)4096)
#define LOOK ((size_t)64)            /* bytes of an input that are seen before it is decided what it is */
#define KEEP ((size_t)4 << 20)       /* a carry buffer that one giant line made larger than this is given back */

struct source {
	const struct source_io *io;
	size_t limit, chunk_size;
	bool patient;
	bool by_content; /* whether an input has lines shows in its first chunk */
	bool file_groups;
	enum source_shape shape;
	struct arena *arena;
	uint64_t index, file_group; /* the next free numbers */
	uint64_t total; /* stored bytes of all inputs, 0 when not known */
	uint64_t groups; /* file groups that the walk found */
	bool (*want)(void *context, const struct source_group *group);
	void *want_context;

	struct walk_item *item; /* being read, or the next one to open; NULL at the end */
	bool is_open; /* its file is */
	bool began;   /* and it is being read */
	struct raw raw;
	struct decode decode;
	struct zip *zip; /* the archive whose members are being read; NULL otherwise */
	uint64_t taken; /* stored bytes of the inputs already closed */
	uint64_t passed; /* those of them that nobody wanted */
	uint64_t begun, asked; /* how many file groups had their turn, and the number of the last */

	size_t start;     /* of the chunk in the lent buffer */
	struct buf carry; /* read but not yet given: an unfinished line, or the first byte of the next */
	uint64_t origin, line; /* of the next chunk */
	bool first;            /* the next chunk is its input's first */
	bool failed;           /* `failure` is to be reported once the whole lines before it were given */
	struct err failure;
};

/* Of an archive the file stays open from member to member. */
static void input_close(struct source *s)
{
	struct walk_item *next = s->item->next;
	bool stays = s->zip && next && next->entry;

	if (s->is_open && !stays) {
		s->taken += s->raw.taken;
		raw_close(&s->raw);
	}
	if (!stays) {
		zip_close(s->zip);
		s->zip = NULL;
	}
	s->is_open = stays;
	s->began = false;
	s->item = next;
}

/* The members come in place of the archive. */
static bool archive_open(struct source *s, struct err *err)
{
	struct walk_item *members;

	s->zip = zip_open(&s->raw, err);
	if (!s->zip)
		return false;
	members = file_group_members(s->arena, s->zip, s->shape, s->item, &s->file_group);
	if (!members)
		return err_set(err, ERR_DATA, "%.*s: nothing in this zip archive is named .json, .jsonl or .ndjson",
			       STR_ARG(s->raw.title));
	s->item = members;
	return zip_begin(s->zip, members->entry, err);
}

/* What the walk met but could not take is told here, in its place among the inputs. */
static bool file_open(struct source *s, struct err *err)
{
	struct str name = s->item->input.name, head;

	if (s->item->refused)
		return err_system(err, s->item->refused, "%.*s: cannot list the directory", STR_ARG(name));
	if (s->item->outside)
		return err_set(err, ERR_DATA, "%.*s: this link leads out of the directory, and is not followed" ERR_HELP
			       "name the file itself to have it read", STR_ARG(name));
	if (!raw_open(&s->raw, s->io, name, err))
		return false;
	s->is_open = true;
	if (s->file_groups && !raw_peek(&s->raw, &head, err))
		return false;
	return s->file_groups && zip_matches(head) ? archive_open(s, err) : decode_begin(&s->decode, &s->raw, err);
}

static bool input_open(struct source *s, struct err *err)
{
	s->origin = 0;
	s->line = 1;
	s->first = true;
	s->failed = false;
	s->began = true;
	s->item->input.index = s->index++;
	buf_clear(&s->carry);
	return s->item->entry ? zip_begin(s->zip, s->item->entry, err) : file_open(s, err);
}

static enum next input_read(struct source *s, char *into, size_t n, size_t *got, struct err *err)
{
	return s->zip ? zip_read(s->zip, into, n, got, err) : decode_read(&s->decode, into, n, got, err);
}

static enum next report_failure(struct source *s, struct err *err)
{
	*err = s->failure;
	input_close(s);
	return NEXT_FAIL;
}

static enum next fail_too_long(struct source *s, struct err *err)
{
	bool mib = s->limit % (1 << 20) == 0, lines = s->item->input.lines;
	char what[40] = "the document";

	if (lines)
		snprintf(what, sizeof(what), "line %" PRIu64, s->line);
	err_set(&s->failure, ERR_LIMIT, "%.*s: %s is longer than %zu %s, the limit for one record",
		STR_ARG(raw_title(s->item->input.name)), what, mib ? s->limit >> 20 : s->limit,
		mib ? "MiB" : "bytes");
	err_advise(&s->failure, ADVICE_RECORD_LIMIT);
	return report_failure(s, err);
}

/*
 * Where in `into` the chunk is to begin: such that reads of a file land at the same place within a
 * memory page as they have in the file. Copies that are a few bytes off that run at a fifth of the
 * speed on some processors, and what malloc gives is a few bytes off.
 */
static void chunk_begin(struct source *s, struct buf *into)
{
	uintptr_t at = (uintptr_t)buf_reserve(into, s->chunk_size + PAGE + SOURCE_PAD);

	s->start = (size_t)(s->raw.given - at - s->carry.n) & (PAGE - 1);
	into->n = s->start;
	buf_add_str(into, buf_str(&s->carry));
}

/* How many bytes of the chunk are there so far. */
static size_t held(const struct source *s, const struct buf *into)
{
	assert(into->n >= s->start);
	return into->n - s->start;
}

/* A chunk of the first `n` bytes held; what stands behind them there is overwritten. */
static enum next chunk_end(struct source *s, struct buf *into, size_t n, bool last, struct chunk *out)
{
	assert(n <= held(s, into));
	into->n = s->start + n;
	memset(buf_reserve(into, SOURCE_PAD), 0, SOURCE_PAD);
	*out = (struct chunk){
		.bytes = str_of(into->p + s->start, n),
		.input = &s->item->input,
		.origin = s->origin,
		.first_line = s->line,
		.first = s->first,
		.last = last,
	};
	s->first = false;
	s->origin += n;
	if (last)
		input_close(s);
	else
		s->line += s->item->input.events ? lines_count_any(out->bytes) : lines_count(out->bytes);
	return NEXT_MORE;
}

/* Of a stream of events nothing is given early. */
static bool has_lines(const struct source *s, const struct buf *into)
{
	const struct input *input = &s->item->input;

	return input->lines && !input->events && lines_whole(str_of(into->p + s->start, held(s, into)));
}

/* Reads until `aim` bytes are held; less when the input ends, fails (see s->failure) or makes whole lines wait. */
static enum next source_fill(struct source *s, struct buf *into, size_t aim)
{
	while (held(s, into) < aim && (s->patient || raw_is_ready(&s->raw) || !has_lines(s, into))) {
		size_t room = aim - held(s, into), got;
		char *at = buf_reserve(into, room + SOURCE_PAD);
		enum next more = input_read(s, at, room, &got, &s->failure);

		assert(got <= room && (got > 0 || more != NEXT_MORE));
		into->n += got;
		if (more != NEXT_MORE)
			return more;
	}
	return NEXT_MORE;
}

static size_t grown(const struct source *s, size_t aim)
{
	size_t most = s->limit + 1; /* a line of just the limit, and its LF */

	assert(aim <= most);
	return aim < most / 2 ? aim * 2 : most;
}

/*
 * Keeps what follows the whole lines for the next call, and tells whether that was nothing. After
 * the last LF of an input the next read says so; we wait for it only where it cannot take long.
 */
static bool was_last(struct source *s, struct str rest)
{
	enum next more;
	size_t got;

	if (s->carry.cap > KEEP) {
		buf_free(&s->carry);
		buf_init(&s->carry);
	}
	buf_clear(&s->carry);
	buf_add_str(&s->carry, rest);
	if (rest.n > 0 || (!s->patient && !raw_is_ready(&s->raw)))
		return false;
	more = input_read(s, buf_reserve(&s->carry, 1), 1, &got, &s->failure);
	assert(got <= 1);
	s->carry.n = got;
	s->failed = more == NEXT_FAIL;
	return more == NEXT_END;
}

/* The length of the whole lines held, or of the whole events. Events beyond the limit are cut like any lines. */
static size_t whole_lines(const struct source *s, const struct buf *into)
{
	struct str all = str_of(into->p + s->start, held(s, into));
	size_t whole = s->item->input.events ? lines_whole_events(all) : lines_whole(all);
	const char *lf;

	if (whole || all.n <= s->limit)
		return whole;
	lf = memrchr(all.p, '\n', all.n);
	return lf ? (size_t)(lf + 1 - all.p) : 0;
}

/* Fills until there is a whole line or no way to get one. *lines gets the length of the whole lines. */
static enum next fill_lines(struct source *s, struct buf *into, size_t *lines)
{
	size_t aim = s->chunk_size;

	for (;; aim = grown(s, aim)) {
		enum next more = s->failed ? NEXT_FAIL : source_fill(s, into, aim);

		*lines = whole_lines(s, into);
		if (*lines || more != NEXT_MORE || held(s, into) > s->limit)
			return more;
	}
}

/* A chunk of whole lines. Those before a fault are given first, and the fault with the next call. */
static enum next next_lines(struct source *s, struct buf *into, struct chunk *out, struct err *err)
{
	size_t lines;
	enum next more = fill_lines(s, into, &lines);
	struct str rest = str_of(into->p + s->start + lines, held(s, into) - lines);

	if (rest.n > s->limit)
		return fail_too_long(s, err);
	if (more == NEXT_END)
		return chunk_end(s, into, lines + rest.n, true, out);
	if (more == NEXT_MORE)
		return chunk_end(s, into, lines, was_last(s, rest), out);
	if (lines == 0)
		return report_failure(s, err);
	s->failed = true;
	buf_clear(&s->carry);
	return chunk_end(s, into, lines, false, out);
}

static enum next next_document(struct source *s, struct buf *into, struct chunk *out, struct err *err)
{
	size_t aim = s->chunk_size;
	enum next more;

	if (s->failed)
		return report_failure(s, err);
	while ((more = source_fill(s, into, aim)) == NEXT_MORE && held(s, into) <= s->limit)
		aim = grown(s, aim);
	if (held(s, into) > s->limit)
		return fail_too_long(s, err);
	return more == NEXT_FAIL ? report_failure(s, err) : chunk_end(s, into, held(s, into), true, out);
}

/* Reads the first chunk, as far as it comes without waiting, and decides what the input is. */
static void look_inside(struct source *s, struct buf *into)
{
	struct input *input = &s->item->input;
	size_t aim = s->chunk_size < LOOK && s->limit >= LOOK ? LOOK : s->chunk_size;

	input->lines = true; /* so that a whole line is enough to begin with */
	s->failed = source_fill(s, into, aim) == NEXT_FAIL;
	input->lines = lines_are(str_of(into->p + s->start, held(s, into)), walk_is_lines(input->name));
	input->events = lines_are_events(str_of(into->p + s->start, held(s, into)));
}

struct source *source_open(struct arena *a, const struct str *paths, size_t count, struct source_options options,
			   struct err *err)
{
	struct source *s = arena_new(a, struct source);
	bool sized = true;

	if (options.record_limit > SOURCE_RECORD_MAX) {
		err_set(err, ERR_USAGE, "a record can have at most 2 GiB");
		return NULL;
	}
	s->io = options.io ? options.io : source_io_system();
	s->by_content = options.shape == SOURCE_CONTENT;
	s->file_groups = options.file_groups;
	s->shape = options.shape;
	s->arena = a;
	s->limit = options.record_limit ? options.record_limit : SOURCE_RECORD_LIMIT;
	s->chunk_size = options.chunk_size ? options.chunk_size : SOURCE_CHUNK;
	if (s->chunk_size > s->limit)
		s->chunk_size = s->limit; /* so that a line beyond the limit always fills a chunk, and is seen */
	if (!walk_paths(a, s->io, paths, count, &options, &s->item, err))
		return NULL;
	if (s->file_groups)
		s->item = file_group_join(a, s->io, s->shape, s->item);
	s->want = options.want;
	s->want_context = options.want_context;
	for (const struct walk_item *item = s->item; item; item = item->next) {
		s->groups += item->input.file_group + 1 != s->file_group; /* they come one after the other */
		s->file_group = item->input.file_group + 1;
		sized = sized && (item->look.regular || item->look.dir);
		s->total += item->look.size;
	}
	if (!sized)
		s->total = 0;
	decode_init(&s->decode);
	buf_init(&s->carry);
	return s;
}

static uint64_t stamp_add(uint64_t stamp, const void *p, size_t n)
{
	/* FNV-1a: it must be the same in every process, and only tell changes that happen by themselves */
	for (const unsigned char *at = p, *end = at + n; at < end; at++)
		stamp = (stamp ^ *at) * UINT64_C(0x100000001b3);
	return stamp;
}

/* What the file group is that begins at the next item. *end gets the item behind it. */
static struct source_group group_look(const struct source *s, struct walk_item **end)
{
	const struct input *first = &s->item->input;
	struct source_group g = { .name = first->name, .below = first->below, .is_known = true,
				  .stamp = UINT64_C(0xcbf29ce484222325) };
	struct walk_item *item = s->item;

	for (; item && item->input.file_group == first->file_group; item = item->next) {
		struct str name = str_basename(item->input.name);

		g.size += item->look.size;
		g.is_known = g.is_known && item->look.regular && !item->refused && item->look.number;
		g.stamp = stamp_add(g.stamp, name.p, name.n + 1); /* with its terminator */
		g.stamp = stamp_add(g.stamp, &item->look.size, sizeof(item->look.size));
		g.stamp = stamp_add(g.stamp, &item->look.mtime_ns, sizeof(item->look.mtime_ns));
	}
	*end = item;
	return g;
}

/* Passes over the file groups from here on that nobody wants. Members of an archive have been asked for with it. */
static void groups_pass(struct source *s)
{
	while (s->item && !s->began && !s->item->entry && (!s->begun || s->item->input.file_group != s->asked)) {
		struct walk_item *end;
		struct source_group g = group_look(s, &end);

		s->begun++;
		s->asked = s->item->input.file_group;
		if (!s->want || s->want(s->want_context, &g))
			return;
		s->taken += g.size;
		s->passed += g.size;
		s->item = end;
	}
}

enum next source_next(struct source *s, struct buf *into, struct chunk *out, struct err *err)
{
	buf_clear(into);
	groups_pass(s);
	if (!s->item)
		return NEXT_END;
	if (!s->began && !input_open(s, err)) {
		out->input = &s->item->input;
		input_close(s);
		return NEXT_FAIL;
	}
	out->input = &s->item->input;
	chunk_begin(s, into);
	if (s->first && s->by_content)
		look_inside(s, into);
	return s->item->input.lines ? next_lines(s, into, out, err) : next_document(s, into, out, err);
}

void source_be_patient(struct source *s)
{
	s->patient = true;
}

bool source_is_ready(const struct source *s)
{
	return !s->is_open || s->failed || raw_is_ready(&s->raw);
}

uint64_t source_bytes_read(const struct source *s)
{
	return s->taken + (s->is_open ? s->raw.taken : 0);
}

uint64_t source_bytes_total(const struct source *s)
{
	return s->total;
}

uint64_t source_bytes_passed(const struct source *s)
{
	return s->passed;
}

uint64_t source_groups_begun(const struct source *s)
{
	return s->begun;
}

uint64_t source_groups_total(const struct source *s)
{
	return s->groups;
}

void source_close(struct source *s)
{
	if (s->is_open)
		raw_close(&s->raw);
	s->is_open = false;
	zip_close(s->zip);
	s->zip = NULL;
	decode_free(&s->decode);
	buf_free(&s->carry);
}
