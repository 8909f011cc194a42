/* One source at a time is at hand; its runs wait as unfinished files until it is known how many there are. */
#include "sink/mirror/mirror.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "json/json.h"
#include "sink/mirror/index.h"
#include "sink/mirror/name.h"
#include "sink/mirror/place.h"

#define MIRROR_HEAD ((size_t)64 << 10) /* of an output, to find the id of its run */

/* A source that was asked for. */
struct mirror_offer {
	struct str name, below, stamp;
	uint64_t size;
	bool is_known;
	struct index_source *known; /* what the index has of it */
};

/* An unfinished output. */
struct mirror_run {
	struct mirror_run *next;
	uint64_t number, size;
	struct str id; /* p NULL: not known */
};

struct mirror {
	struct arena *arena; /* the command's */
	struct mirror_options o;
	struct mirror_sums sums;
	struct place place;
	struct mirror_index index;
	struct map offers;   /* source to struct mirror_offer */
	struct arena source; /* of the source at hand */
	struct arena scratch; /* of the question at hand: reading is ahead of writing */
	struct mirror_offer *at_hand; /* NULL: none */
	struct str source_format;
	bool complete;
	struct mirror_run *first, *last;
	uint64_t runs, number; /* of the source at hand; of all */
	int fd;                /* of the run at hand, or -1 */
	struct buf head;       /* its first bytes */
	struct json_parser *parser;
	bool is_open, is_finished, is_changed;
};

/* ---- opening ---- */

static bool mirror_load(struct mirror *m, struct err *err)
{
	struct str text;

	if (!place_read(&m->place, MIRROR_INDEX, &text, err))
		return false;
	if (text.p && !mirror_index_read(&m->index, text, false, err)) {
		struct err told = *err;

		return err_set(err, ERR_DATA, "%.*s/" MIRROR_INDEX ": %s" ERR_HELP "move that file away, or write to "
			       "another directory", STR_ARG(m->o.dir), told.text);
	}
	m->is_changed = m->place.journal_text.p != NULL;
	return !m->is_changed || mirror_index_read(&m->index, m->place.journal_text, true, err);
}

struct mirror *mirror_open(struct arena *a, const struct mirror_options *o, struct err *err)
{
	struct mirror *m = arena_new(a, struct mirror);

	m->arena = a;
	m->o = *o;
	m->fd = -1;
	while (m->o.dir.n > 1 && str_ends(m->o.dir, STR("/")))
		m->o.dir.n--;
	m->o.dir = arena_copy(a, m->o.dir);
	arena_init(&m->source);
	arena_init(&m->scratch);
	buf_init(&m->head);
	map_init(&m->offers, a);
	mirror_index_init(&m->index, a);
	m->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	m->is_open = place_open(&m->place, a, m->o.dir, err) && mirror_load(m, err);
	if (m->is_open)
		return m;
	mirror_close(m);
	return NULL;
}

/* ---- what is wanted ---- */

static struct mirror_offer *mirror_find_offer(const struct mirror *m, struct str source)
{
	const uint64_t *slot = map_find(&m->offers, source);

	return slot ? (struct mirror_offer *)(uintptr_t)*slot : NULL;
}

static struct mirror_offer *mirror_add_offer(struct mirror *m, const struct mirror_source *s)
{
	struct mirror_offer *offer = arena_new(m->arena, struct mirror_offer);

	*offer = (struct mirror_offer){
		.name = arena_copy(m->arena, s->name),
		.below = arena_copy(m->arena, s->below),
		.stamp = arena_printf(m->arena, "%016llx", (unsigned long long)s->stamp),
		.size = s->size,
		.is_known = s->is_known,
		.known = mirror_index_get(&m->index, mirror_spelling(m->arena, s->name), m->o.suffix),
	};
	*map_add(&m->offers, s->name, &(bool){ false }) = (uintptr_t)offer;
	return offer;
}

/* Whether the outputs that the index has of a source are those of this stem. */
static bool mirror_has_stem(struct arena *a, const struct index_source *s, struct str stem)
{
	return s->first &&
	       str_eq(s->first->output, mirror_spelling(a, mirror_output(a, stem, 1, s->count, s->suffix)));
}

/* All outputs are there as they were made, by the same program with the same options, of the same source. */
static bool mirror_is_current(struct mirror *m, const struct mirror_offer *offer)
{
	const struct index_source *s = offer->known;
	struct arena *a = &m->scratch;
	struct str stem = mirror_stem(a, offer->below, str_of(NULL, 0));
	uint64_t run = 0;

	if (!offer->is_known || s->count == 0)
		return false;
	if (!mirror_has_stem(a, s, stem))
		stem = mirror_stem(a, offer->below, offer->name);
	for (const struct index_run *r = s->first; r; r = r->next) {
		struct str output = mirror_output(a, stem, ++run, s->count, s->suffix);

		if (!r->complete || !str_eq(r->stamp, offer->stamp) || !str_eq(r->maker, m->o.maker) ||
		    !str_eq(r->output, mirror_spelling(a, output)) || !place_has(&m->place, output, r->size))
			return false;
	}
	return true;
}

bool mirror_wants(struct mirror *m, const struct mirror_source *s)
{
	struct mirror_offer *offer = mirror_find_offer(m, s->name);
	bool current;

	if (offer)
		return false;
	offer = mirror_add_offer(m, s);
	offer->known->is_met = true;
	if (!m->o.update)
		return true;
	current = mirror_is_current(m, offer);
	arena_reset(&m->scratch);
	m->sums.unchanged += current;
	offer->known->is_made = current;
	return !current;
}

/* ---- a run ---- */

static void mirror_forget_runs(struct mirror *m)
{
	for (const struct mirror_run *r = m->first; r; r = r->next)
		place_drop(&m->place, r->number);
	m->first = m->last = NULL;
	m->at_hand = NULL;
	m->runs = 0;
	arena_reset(&m->source);
}

static bool mirror_commit(struct mirror *m, struct err *err);

/* The source at hand becomes this one; the one before it is over then. */
static bool mirror_turn_to(struct mirror *m, struct str source, struct err *err)
{
	struct mirror_source unasked = { .name = source, .below = str_basename(source) };

	if (m->at_hand && str_eq(m->at_hand->name, source))
		return true;
	if (!mirror_commit(m, err))
		return false;
	m->at_hand = mirror_find_offer(m, source);
	if (!m->at_hand)
		m->at_hand = mirror_add_offer(m, &unasked);
	m->complete = true;
	m->source_format = STR("");
	return true;
}

bool mirror_begin_run(struct mirror *m, struct str source, struct err *err)
{
	struct mirror_run *r;

	assert(m->fd < 0);
	if (!mirror_turn_to(m, source, err))
		return false;
	r = arena_new(&m->source, struct mirror_run);
	r->number = ++m->number;
	m->fd = place_begin(&m->place, r->number, err);
	if (m->fd < 0)
		return false;
	if (m->last)
		m->last->next = r;
	else
		m->first = r;
	m->last = r;
	m->runs++;
	buf_clear(&m->head);
	return true;
}

bool mirror_put(struct mirror *m, struct str bytes, struct err *err)
{
	assert(m->fd >= 0);
	if (m->head.n < MIRROR_HEAD)
		buf_add_str(&m->head, utf8_cut(bytes, MIRROR_HEAD - m->head.n));
	m->last->size += bytes.n;
	return file_write_all(m->fd, bytes, err) || err_context(err, m->o.dir.p);
}

void mirror_set_id(struct mirror *m, struct str id)
{
	assert(m->fd >= 0);
	m->last->id = arena_copy(&m->source, id);
}

/* As the first line of the output has it. */
static struct str mirror_read_id(struct mirror *m)
{
	struct str rest, line = str_cut(buf_str(&m->head), '\n', &rest);
	struct val v;

	if (!json_parse_copy(m->parser, line, &v, NULL) || !val_is(v, JSON_OBJECT))
		return str_of(NULL, 0);
	return val_text_copy(val_get(v, STR("run_id")), &m->source);
}

bool mirror_end_run(struct mirror *m, struct err *err)
{
	struct str id;
	int fd = m->fd;

	assert(fd >= 0);
	m->fd = -1;
	id = mirror_read_id(m);
	if (id.p)
		m->last->id = id;
	return close(fd) == 0 || err_system(err, errno, "cannot write in %.*s", STR_ARG(m->o.dir));
}

/* ---- a source is over ---- */

/* Whether the owner of an output is the source at hand, maybe by another name. Outputs of one that is gone stay. */
static bool mirror_may_replace(const struct mirror *m, const struct index_source *owner)
{
	struct stat theirs, ours;

	if (owner == m->at_hand->known)
		return true;
	return stat(owner->name.p, &theirs) == 0 && stat(m->at_hand->name.p, &ours) == 0 &&
	       ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

static bool mirror_is_free(struct mirror *m, struct str stem)
{
	for (uint64_t run = 1; run <= m->runs; run++) {
		struct str output = mirror_output(&m->source, stem, run, m->runs, m->o.suffix);
		const struct index_source *owner =
			mirror_index_owner(&m->index, mirror_spelling(&m->source, output));

		if (owner && !mirror_may_replace(m, owner))
			return false;
	}
	return true;
}

/* A name once given stays, so that outputs are not renamed when another source comes or goes. */
static struct str mirror_choose_stem(struct mirror *m)
{
	const struct mirror_offer *offer = m->at_hand;
	struct str plain = mirror_stem(&m->source, offer->below, str_of(NULL, 0));
	struct str tagged = mirror_stem(&m->source, offer->below, offer->name);

	if (mirror_has_stem(&m->source, offer->known, tagged) || !mirror_is_free(m, plain))
		return tagged;
	return plain;
}

/* Outputs of before that the source does not have now. Only names that we would give: an index could name anything. */
static void mirror_remove_stale(struct mirror *m, struct str stem)
{
	const struct index_source *s = m->at_hand->known;
	struct arena *a = &m->source;

	for (const struct index_run *r = s->first; r; r = r->next) {
		bool is_new = r->runs == m->runs, is_removed;
		struct str output;

		if (is_new || r->run < 1 || r->run > r->runs)
			continue;
		output = mirror_output(a, stem, r->run, r->runs, s->suffix);
		if (!str_eq(r->output, mirror_spelling(a, output)))
			continue;
		is_removed = place_has(&m->place, output, r->size) && place_remove(&m->place, output);
		if (m->o.stale)
			m->o.stale(m->o.context, m->at_hand->name, r->output, is_removed);
	}
}

/* The lines of the source at hand, in the index and for the journal. */
static void mirror_index_runs(struct mirror *m, struct str stem, struct buf *lines)
{
	struct index_source *s = m->at_hand->known;
	uint64_t run = 0;

	mirror_index_clear(&m->index, s);
	for (const struct mirror_run *r = m->first; r; r = r->next) {
		struct index_facts f = {
			.source = s->name, .run_id = r->id, .format = m->o.format,
			.source_format = m->source_format, .stamp = m->at_hand->stamp, .maker = m->o.maker,
			.runs = m->runs, .source_size = m->at_hand->size, .size = r->size,
			.complete = m->complete,
		};
		struct index_source *before;

		f.run = ++run;
		f.output = mirror_spelling(&m->source, mirror_output(&m->source, stem, run, m->runs, m->o.suffix));
		before = mirror_index_owner(&m->index, f.output);
		if (before && before != s)
			mirror_index_clear(&m->index, before);
		mirror_index_add(&m->index, s, &f, lines);
	}
	s->is_made = true;
}

static bool mirror_place_runs(struct mirror *m, struct str stem, struct err *err)
{
	uint64_t run = 0;

	for (const struct mirror_run *r = m->first; r; r = r->next) {
		struct str output = mirror_output(&m->source, stem, ++run, m->runs, m->o.suffix);

		if (!place_move(&m->place, r->number, output, err))
			return false;
	}
	return true;
}

static void mirror_tell(struct mirror *m)
{
	m->sums.sources++;
	m->sums.files += m->runs;
	for (const struct index_run *r = m->at_hand->known->first; r && m->o.wrote; r = r->next)
		m->o.wrote(m->o.context, m->at_hand->name, r->output);
}

/* The outputs of the source at hand take their places, and the journal says so. */
static bool mirror_commit(struct mirror *m, struct err *err)
{
	struct buf lines;
	struct str stem;
	bool done;

	if (!m->at_hand || m->runs == 0) {
		mirror_forget_runs(m);
		return true;
	}
	buf_init(&lines);
	stem = mirror_choose_stem(m);
	done = mirror_place_runs(m, stem, err);
	if (done) {
		mirror_remove_stale(m, stem);
		mirror_index_runs(m, stem, &lines);
		m->is_changed = true;
		done = place_note(&m->place, buf_str(&lines), err);
	}
	if (done) {
		mirror_tell(m);
		m->first = NULL; /* they have their places */
	}
	buf_free(&lines);
	mirror_forget_runs(m);
	return done;
}

bool mirror_end_source(struct mirror *m, struct str source, struct str source_format, bool complete, bool more,
		       struct err *err)
{
	assert(m->fd < 0);
	if (!mirror_turn_to(m, source, err))
		return false;
	m->complete = m->complete && complete;
	if (source_format.n)
		m->source_format = source_format;
	return more || mirror_commit(m, err);
}

/* ---- the end ---- */

/* Sources whose outputs are of an earlier job, and not because they are unchanged or were not asked for. */
static void mirror_tell_stayed(struct mirror *m, bool whole)
{
	for (size_t i = 0; i < m->index.count; i++) {
		const struct index_source *s = m->index.all[i];

		if (s->count == 0 || s->is_made || !str_eq(s->suffix, m->o.suffix))
			continue;
		if (s->is_met ? !whole : access(s->name.p, F_OK) == 0)
			continue;
		m->sums.stayed++;
		if (m->o.stayed)
			m->o.stayed(m->o.context, s->name);
	}
}

static bool mirror_put_index(void *fd, struct str bytes, struct err *err)
{
	return file_write_all(*(int *)fd, bytes, err);
}

static bool mirror_write_index(void *mirror, int fd, struct err *err)
{
	return mirror_index_write(&((struct mirror *)mirror)->index, mirror_put_index, &fd, err);
}

bool mirror_finish(struct mirror *m, bool whole, struct err *err)
{
	if (whole && !mirror_commit(m, err))
		return false;
	if (m->is_changed && (!place_sync(&m->place, err) ||
			      !place_replace(&m->place, STR(MIRROR_INDEX), mirror_write_index, m, err)))
		return false;
	m->is_finished = true;
	mirror_tell_stayed(m, whole);
	return true;
}

const struct mirror_sums *mirror_sums(const struct mirror *m)
{
	return &m->sums;
}

void mirror_close(struct mirror *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		close(m->fd);
	place_close(&m->place, !m->is_finished);
	json_parser_close(m->parser);
	buf_free(&m->head);
	arena_free(&m->source);
	arena_free(&m->scratch);
}
