/* Checks the object of each entry against its digest, and the names that people find it under. */
#include <errno.h>
#include <stdlib.h>

#include "base/stop.h"
#include "ledger/check/private.h"

#define PIECE ((size_t)128 << 10)
#define LONGER ((uint64_t)1 << 20) /* bytes beyond the size in the entry that are read all the same */

void check_add_erased(struct check_run *r, uint64_t trial)
{
	mem_grow(r->erased, r->erased_count, r->erased_cap, 64);
	r->erased[r->erased_count++] = trial;
}

/* ---- hashing ---- */

struct content {
	bool absent;
	uint64_t size, inode;
	struct digest digest;
};

/*
 * The digest of a file; false with *err when it cannot be read. One that is much longer than what was sealed is not
 * read to its end, which there need not be, and has no digest.
 */
static bool hash_file(struct check_run *r, const char *path, uint64_t sealed, struct content *out, struct err *err)
{
	const struct io *io = r->io;
	int fd = io->ops->open(io->own, path, IO_READ, 0);
	int64_t n = fd;

	*out = (struct content){ .absent = true };
	if (fd < 0)
		return check_is_absence(fd) || err_system(err, -fd, "%s: cannot open", path);
	buf_clear(&r->file);
	buf_reserve(&r->file, PIECE);
	sha256_restart(&r->sha);
	do {
		n = io->ops->read(io->own, fd, r->file.p, PIECE, out->size);
		if (n > 0) {
			sha256_add(&r->sha, str_of(r->file.p, (size_t)n));
			out->size += (uint64_t)n;
		}
	} while ((n > 0 || n == -EINTR) && out->size <= sealed + LONGER && !stop_signal());
	io->ops->close(io->own, fd);
	if (stop_signal())
		return err_set(err, ERR_IO, "stopped");
	if (n < 0)
		return check_is_absence(n) || err_system(err, (int)-n, "%s: cannot read", path);
	out->absent = false;
	if (n == 0)
		out->digest = sha256_end(&r->sha);
	r->out->bytes += out->size;
	return true;
}

/* The same for a row of a database, whose bytes come in one piece. */
static bool hash_row(struct check_run *r, struct digest d, struct content *out, struct err *err)
{
	struct arena a;
	struct str bytes;
	bool found = false, got;

	*out = (struct content){ .absent = true };
	arena_init(&a);
	got = r->log->ops->object(r->log, &a, d, &bytes, &found, err);
	if (got && found) {
		out->absent = false;
		out->size = bytes.n;
		out->digest = sha256_of(&r->sha, bytes);
		r->out->bytes += bytes.n;
	}
	arena_free(&a);
	return got;
}

/* "trial 'run-7'", "artifact 'run-7/out.txt'" */
static void tell_object(struct check_run *r, enum ledger_rule rule, uint64_t index, const struct entry *e,
			const char *what)
{
	char name[OBJECT_PATH_MAX];

	object_path(name, e->record.digest);
	check_note(r, rule, "%s: %s: it is the %s '%.*s' of entry %llu", name, what, entry_kind_name(e->kind),
		   STR_ARG(e->id), N(index));
}

/* An absent object is only remembered; other bytes, or another size, are a finding at once. */
static bool hash_object(struct check_run *r, uint64_t index, const struct entry *e, struct check_thing *t,
			struct err *err)
{
	char name[OBJECT_PATH_MAX];
	struct content is;

	object_path(name, e->record.digest);
	if (r->log ? !hash_row(r, e->record.digest, &is, err) :
		     !hash_file(r, check_path(r, str_from(name)), e->record.size, &is, err))
		return false;
	t->absent = is.absent;
	if (is.absent)
		return true; /* perhaps a later entry erases it */
	r->out->objects++;
	if (!digest_eq(is.digest, e->record.digest))
		tell_object(r, LG_OBJECT, index, e, "its bytes are not those that were sealed");
	else if (is.size != e->record.size)
		tell_object(r, LG_OBJECT, index, e, "the entry has another size than it");
	return true;
}

/* ---- names for people ---- */

/* Whether a directory above the name is a symbolic link. Names of one directory mostly come one after the other. */
static bool is_under_link(struct check_run *r, struct str name)
{
	size_t n = name.n - str_basename(name).n;
	struct hash dir = str_hash_wide(str_of(name.p, n));

	if (dir.a == r->names_dir.a && dir.b == r->names_dir.b)
		return r->names_linked;
	r->names_dir = dir;
	r->names_linked = false;
	for (size_t i = 0; i < n && !r->names_linked; i++)
		r->names_linked = name.p[i] == '/' && io_is_link(r->io, check_path(r, str_of(name.p, i)));
	return r->names_linked;
}

/* What is behind a link is none of the ledger's names; the link is a finding of its own. */
static bool name_is_same_file(struct check_run *r, struct str link, const char *object, bool *absent)
{
	struct io_stat a, b;

	*absent = is_under_link(r, link) || r->io->ops->stat(r->io->own, check_path(r, link), &a) < 0;
	if (*absent || io_is_link(r->io, check_path(r, link)) ||
	    r->io->ops->stat(r->io->own, check_path(r, str_from(object)), &b) < 0)
		return false;
	return a.inode == b.inode && a.device == b.device && a.links > 1;
}

/* What stands under a name: *fits when it is what the entry seals. `optional`: when there is nothing, it is no name. */
static bool look_at_name(struct check_run *r, const struct entry *e, struct str name, bool optional, bool *fits,
			 struct err *err)
{
	char object[OBJECT_PATH_MAX];
	struct content is;
	uint64_t *state;
	bool added;

	object_path(object, e->record.digest);
	*fits = name_is_same_file(r, name, object, &is.absent);
	if (is.absent && optional)
		return true;
	state = check_set_add(&r->links, str_hash_wide(name), CHECK_LINK_GONE, &added);
	*state += added ? 0 : CHECK_LINK_OWNER;
	if (is.absent)
		return true;
	if (!*fits && !io_is_link(r->io, check_path(r, name))) {
		if (!hash_file(r, check_path(r, name), e->record.size, &is, err))
			return false;
		*fits = !is.absent && digest_eq(is.digest, e->record.digest);
	}
	if (*fits)
		*state = (*state & ~CHECK_LINK_STATE) | CHECK_LINK_FITS;
	else if ((*state & CHECK_LINK_STATE) != CHECK_LINK_FITS)
		*state = (*state & ~CHECK_LINK_STATE) | CHECK_LINK_WRONG;
	return true;
}

/* What is missing or wrong is told at the end: it may have been erased, and two entries can have one name. */
static bool check_link(struct check_run *r, const struct entry *e, struct check_thing *t, struct err *err)
{
	struct str name = entry_link_name(&r->scratch, e), old = entry_old_link_name(&r->scratch, e);
	bool fits, old_fits = false;
	uint64_t *old_state;

	if (!name.p)
		return true;
	t->named = true;
	if (!look_at_name(r, e, name, false, &fits, err))
		return false;
	if (old.p && !str_eq(old, name) && !look_at_name(r, e, old, true, &old_fits, err))
		return false;
	old_state = old.p ? check_set_find(&r->links, str_hash_wide(old)) : NULL;
	t->misnamed = !(fits || old_fits);
	t->doubtful = t->misnamed || (old_state && !old_fits);
	return true;
}

/* ---- an entry's object ---- */

/* Reviews outlive the trial that they are about; only a trial, a run or a benchmark and its artifacts are erased. */
static uint64_t owner_of(uint64_t index, const struct entry *e)
{
	if (entry_may_refer(ENTRY_ERASE, e->kind))
		return index;
	return e->kind == ENTRY_ARTIFACT && e->ref.given ? e->ref.index : CHECK_NONE;
}

bool check_object(struct check_run *r, uint64_t index, const struct entry *e, struct err *err)
{
	struct check_thing *t;

	if (!r->check->objects && !r->check->local)
		return true;
	mem_grow(r->things, r->thing_count, r->thing_cap, 1024);
	t = r->things + r->thing_count++;
	*t = (struct check_thing){ .owner = owner_of(index, e), .index = index };
	memcpy(&t->a, e->record.digest.b, sizeof(t->a));
	memcpy(&t->b, e->record.digest.b + sizeof(t->a), sizeof(t->b));
	if (r->check->objects && !hash_object(r, index, e, t, err))
		return false;
	return r->log || check_link(r, e, t, err);
}

/* ---- at the end ---- */

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int compare_things(const void *a, const void *b)
{
	const struct check_thing *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_erased(const struct check_run *r, const struct check_thing *t)
{
	return r->erased_count && t->owner != CHECK_NONE &&
	       bsearch(&t->owner, r->erased, r->erased_count, sizeof(*r->erased), compare_numbers);
}

static bool is_same_thing(const struct check_thing *a, const struct check_thing *b)
{
	return a->a == b->a && a->b == b->b;
}

/* Whether another entry, which is not erased, has the same object. They stand side by side. */
static bool is_shared(const struct check_run *r, const struct check_thing *t)
{
	const struct check_thing *end = r->things + r->thing_count, *at = t;

	while (at > r->things && is_same_thing(at - 1, t))
		at--;
	for (; at < end && is_same_thing(at, t); at++)
		if (!is_erased(r, at))
			return true;
	return false;
}

static bool read_again(struct check_run *r, uint64_t index, struct entry *e)
{
	struct str bytes, why;

	return check_fetch(r, index, &bytes) && entry_parse(r->parser, &r->scratch, bytes, e, &why);
}

/* One name of an entry. *told: there is nothing more to say about it. */
static void finish_name(struct check_run *r, const struct check_thing *t, const struct entry *e, struct str name,
			bool *told)
{
	uint64_t *state = check_set_find(&r->links, str_hash_wide(name)), is;

	if (!state)
		return;
	is = *state & CHECK_LINK_STATE;
	if (is_erased(r, t)) {
		if (is != CHECK_LINK_GONE && *state < CHECK_LINK_OWNER)
			check_note(r, LG_ERASED_THERE, "%.*s: the %s '%.*s' of entry %llu was erased", STR_ARG(name),
				   entry_kind_name(e->kind), STR_ARG(e->id), N(t->index));
		*told = true;
	} else if (is == CHECK_LINK_WRONG) {
		if (!(*state & CHECK_LINK_TOLD))
			check_note(r, LG_LINK, "%.*s: it is not the %s '%.*s' that entry %llu seals", STR_ARG(name),
				   entry_kind_name(e->kind), STR_ARG(e->id), N(t->index));
		*state |= CHECK_LINK_TOLD;
		*told = true;
	}
}

/* A name that an erased entry had must be gone; any other must lead to its object, where names are kept. */
static void finish_link(struct check_run *r, const struct check_thing *t, const struct entry *e)
{
	struct str name = entry_link_name(&r->scratch, e), old = entry_old_link_name(&r->scratch, e);
	uint64_t *state = check_set_find(&r->links, str_hash_wide(name));
	bool told = false;

	finish_name(r, t, e, name, &told);
	if (old.p && !str_eq(old, name))
		finish_name(r, t, e, old, &told);
	/* a copy may do without names, but not with false ones */
	if (told || !t->misnamed || r->unread || !r->check->local)
		return;
	if ((*state & CHECK_LINK_STATE) == CHECK_LINK_FITS)
		check_note(r, LG_LINK_GONE, "%.*s: the name is taken by another entry: the %s '%.*s' of entry %llu "
			   "has none", STR_ARG(name), entry_kind_name(e->kind), STR_ARG(e->id), N(t->index));
	else if (!(*state & CHECK_LINK_TOLD))
		check_note(r, LG_LINK_GONE, "%.*s: it is missing: the %s '%.*s' of entry %llu", STR_ARG(name),
			   entry_kind_name(e->kind), STR_ARG(e->id), N(t->index));
	*state |= CHECK_LINK_TOLD;
}

/* Of most entries there is nothing to tell; they need not be read again. */
static bool may_have_fault(const struct check_run *r, const struct check_thing *t)
{
	return t->absent || is_erased(r, t) || t->doubtful;
}

/* `things` is sorted by digest, and `erased` by index. */
static void finish_thing(struct check_run *r, const struct check_thing *t)
{
	bool erased = is_erased(r, t);
	struct entry e;

	r->out->erased += erased && t->absent;
	if (!may_have_fault(r, t) || !read_again(r, t->index, &e))
		return;
	if (r->check->objects && t->absent && !erased && !r->unread)
		tell_object(r, LG_OBJECT_GONE, t->index, &e, "it is missing");
	if (r->check->objects && !t->absent && erased && !is_shared(r, t))
		tell_object(r, LG_ERASED_THERE, t->index, &e, "it was erased");
	if (t->named)
		finish_link(r, t, &e);
	arena_reset(&r->scratch);
}

void check_finish_objects(struct check_run *r)
{
	arena_reset(&r->scratch);
	if (r->erased_count)
		qsort(r->erased, r->erased_count, sizeof(*r->erased), compare_numbers);
	if (r->thing_count)
		qsort(r->things, r->thing_count, sizeof(*r->things), compare_things);
	for (size_t i = 0; i < r->thing_count; i++)
		finish_thing(r, r->things + i);
}

bool check_has_object(const struct check_run *r, struct digest d)
{
	struct check_thing t = { .index = 0 };
	size_t low = 0, high = r->thing_count;

	memcpy(&t.a, d.b, sizeof(t.a));
	memcpy(&t.b, d.b + sizeof(t.a), sizeof(t.b));
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_things(r->things + middle, &t) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->thing_count && is_same_thing(r->things + low, &t);
}
