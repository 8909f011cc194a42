#include "crash/work.h"

#include <stdarg.h>
#include <stdio.h>

#include "crash/signing.h"
#include "ledger/ids.h"

void work_init(struct work *w, struct explorer *x, struct sim *disk, struct model *m, struct mutate *chance)
{
	*w = (struct work){ .x = x, .disk = disk, .m = m, .chance = chance, .process.sim = disk, .process.chance = chance,
			    .why = x->why };
	w->io = sim_io(&w->process);
}

struct log_dir_options work_options(struct work *w)
{
	struct log_dir_options o = w->x->options;

	o.io = &w->io;
	o.dir = STR(PLACE_LEDGER);
	o.keys = STR(PLACE_KEYS);
	o.signer = &w->x->signer;
	return o;
}

/* A call failed: the process ended, or gives up because the disk failed; else a promise is broken. */
__attribute__((format(printf, 2, 3))) static enum did failed(struct work *w, const char *format, ...)
{
	va_list args;

	if (w->process.is_dead || w->process.has_failed)
		return DIED;
	va_start(args, format);
	vsnprintf(w->why, MODEL_WHY, format, args);
	va_end(args);
	return BROKE;
}

/* A call was answered, and wrongly. */
__attribute__((format(printf, 2, 3))) static enum did wrong(struct work *w, const char *format, ...)
{
	va_list args;

	if (w->process.is_dead)
		return DIED;
	va_start(args, format);
	vsnprintf(w->why, MODEL_WHY, format, args);
	va_end(args);
	return BROKE;
}

static enum did done(struct work *w)
{
	return w->process.is_dead ? DIED : DID;
}

static void settle(struct model *m, bool survived)
{
	if (survived)
		m->acked += m->flying;
	m->flying = 0;
}

/* What was asked for and not answered is there or is not, whole, from here on. */
static enum did settle_by_head(struct work *w)
{
	struct log_head head;
	struct err err;

	if (!w->log->ops->head(w->log, &head, &err))
		return failed(w, "the log is open, but has no head: %s", err.text);
	if (w->process.is_dead)
		return DIED;
	if (head.size != w->m->acked && head.size != w->m->acked + w->m->flying)
		return wrong(w, "the log has %llu entries; %zu were acknowledged, and %zu more asked for in one call",
			      (unsigned long long)head.size, w->m->acked, w->m->flying);
	settle(w->m, head.size > w->m->acked);
	return DID;
}

enum did work_open(struct work *w)
{
	struct log_dir_options o = work_options(w);
	struct err err;

	w->log = log_dir_open(&o, &err);
	return w->log ? settle_by_head(w) : failed(w, "the log cannot be opened: %s", err.text);
}

void work_close(struct work *w)
{
	log_close(w->log);
	w->log = NULL;
}

enum did work_put(struct work *w, const int *items, size_t count)
{
	struct str bytes[MODEL_BATCH];
	struct digest got[MODEL_BATCH];
	struct err err;

	for (size_t i = 0; i < count; i++) {
		const struct item *item = &w->x->items.list[items[i]];

		bytes[i] = item->object;
		if (w->m->objects[items[i]] == OBJECT_NONE)
			w->m->objects[items[i]] = OBJECT_ASKED;
	}
	if (!w->log->ops->put_objects(w->log, bytes, count, got, &err))
		return failed(w, "an object was refused: %s", err.text);
	if (w->process.is_dead)
		return DIED;
	for (size_t i = 0; i < count; i++) {
		if (memcmp(got[i].b, w->x->items.list[items[i]].digest.b, SHA256_SIZE) != 0)
			return wrong(w, "object %d got another digest", items[i]);
		w->m->objects[items[i]] = OBJECT_THERE;
	}
	return DID;
}

static size_t index_of(const struct model *m, int item, size_t size)
{
	for (size_t i = size; i > 0; i--)
		if (m->log[i - 1] == item)
			return i - 1;
	return SIZE_MAX;
}

enum did work_append(struct work *w, const int *items, size_t count)
{
	struct log_item asked[MODEL_BATCH];
	struct model *m = w->m;
	size_t indexes[MODEL_BATCH], before = m->acked;
	struct err err;

	for (size_t i = 0; i < count; i++) {
		const struct item *item = &w->x->items.list[items[i]];

		asked[i] = (struct log_item){ .ident = item->ident, .digest = item->digest, .entry = item->entry };
		indexes[i] = index_of(m, items[i], before + m->flying);
		if (indexes[i] == SIZE_MAX) {
			indexes[i] = before + m->flying;
			m->log[before + m->flying++] = (uint16_t)items[i];
		}
	}
	if (!log_append(w->log, asked, count, &err))
		return failed(w, "an entry was refused: %s", err.text);
	if (w->process.is_dead)
		return DIED;
	settle(m, true);
	for (size_t i = 0; i < count; i++) {
		const struct log_item *a = &asked[i];
		bool is_first = indexes[i] >= before && index_of(m, items[i], m->acked) == indexes[i];

		for (size_t k = 0; k < i; k++)
			is_first &= items[k] != items[i];
		if (a->index != indexes[i] || a->outcome != (is_first ? LOG_ADDED : LOG_SAME))
			return wrong(w, "item %d was answered with index %llu, outcome %d; it is at %zu", items[i],
				      (unsigned long long)a->index, (int)a->outcome, indexes[i]);
		if (memcmp(a->leaf.b, w->x->items.list[items[i]].leaf.b, SHA256_SIZE) != 0)
			return wrong(w, "item %d was answered with another leaf", items[i]);
	}
	return DID;
}

enum did work_publish(struct work *w)
{
	struct err err;

	if (!log_publish(w->log, &err))
		return failed(w, "publishing failed: %s", err.text);
	if (!w->process.is_dead)
		w->m->published = w->m->acked;
	return done(w);
}

enum did work_cosign(struct work *w)
{
	struct note *n = &w->x->items.note;
	struct checkpoint c;
	struct arena a;
	struct buf line;
	struct str note;
	const char *why = "";
	struct err err = { .kind = ERR_NONE };
	enum did did = work_publish(w); /* else the checkpoint may change between our look at it and the call */
	bool good;

	if (did != DID)
		return did;
	arena_init(&a);
	buf_init(&line);
	good = w->log->ops->checkpoint(w->log, &a, &note, &err) && note_parse(note, n, &why) &&
	       checkpoint_parse(n->text, &c, &why) &&
	       cosignature_add_line(&line, n->text, &w->x->witness, 1700000000 + c.size, &err) &&
	       w->log->ops->cosign(w->log, arena_copy(&a, n->text), buf_str(&line), &err);
	if (good && !w->process.is_dead)
		w->m->cosigned = c.size;
	buf_free(&line);
	arena_free(&a);
	return good ? done(w) : failed(w, "a cosignature was not added: %s %s", why, err.text);
}

enum did work_erase(struct work *w, int item)
{
	size_t at = index_of(w->m, item, w->m->acked);
	int erase = items_add_erase(&w->x->items, item, at);
	enum did did = work_append(w, &erase, 1);
	struct err err;
	bool found;

	if (did != DID)
		return did;
	w->m->objects[item] = OBJECT_GOING;
	if (!w->log->ops->erase_object(w->log, w->x->items.list[item].digest, w->m->acked - 1, &found, &err))
		return failed(w, "an object was not erased: %s", err.text);
	if (!w->process.is_dead)
		w->m->objects[item] = OBJECT_GONE;
	return done(w);
}

enum did work_save_ids(struct work *w)
{
	enum did did = work_publish(w);
	struct items *t = &w->x->items;
	struct merkle tree;
	struct ids *ids;
	struct err err;
	bool good;

	if (did != DID)
		return did;
	merkle_init(&tree);
	ids = ids_open(&w->io, PLACE_LEDGER "/.state/ids.idx");
	ids_forget(ids);
	for (size_t i = 0; i < w->m->acked; i++) {
		ids_add(ids, t->list[w->m->log[i]].ident, i);
		merkle_add(&tree, &t->sha, t->list[w->m->log[i]].leaf);
	}
	good = ids_save(ids, merkle_root(&tree, &t->sha), &err);
	ids_close(ids);
	return good ? done(w) : failed(w, "the table of idents was not written: %s", err.text);
}

/* An entry by its index and by its ident. */
static enum did check_entry(struct work *w, struct arena *a, size_t index)
{
	const struct item *item = &w->x->items.list[w->m->log[index]];
	struct str entry;
	uint64_t at;
	bool found;
	struct err err;

	if (!w->log->ops->entry(w->log, a, index, &entry, &err))
		return failed(w, "entry %zu cannot be read: %s", index, err.text);
	if (!str_eq(entry, item->entry))
		return wrong(w, "entry %zu is another one: %.*s", index, entry.n < 100 ? (int)entry.n : 100, entry.p);
	if (!w->log->ops->find(w->log, item->ident, &found, &at, &err))
		return failed(w, "entry %zu cannot be looked for: %s", index, err.text);
	if (!found || at != index)
		return wrong(w, "entry %zu is not found by its ident", index);
	return DID;
}

enum did work_check(struct work *w)
{
	struct model *m = w->m;
	uint64_t size;
	struct arena a;
	enum did did = DID;

	if (!model_look(m, &w->x->items, w->disk, &size, w->why) ||
	    !model_look_objects(m, &w->x->items, w->disk, w->why) || !model_check_signed(m, &w->x->items, w->why))
		return BROKE;
	if (size != m->acked)
		return wrong(w, "after recovery %llu entries are published, of %zu", (unsigned long long)size, m->acked);
	m->published = size;
	arena_init(&a);
	/* Through the engine the last ones and one of the others: all of them were read above. */
	for (size_t i = m->acked; did == DID && i > 0 && i + 4 > m->acked; i--)
		did = check_entry(w, &a, i - 1);
	if (did == DID && m->acked)
		did = check_entry(w, &a, mutate_below(w->chance, m->acked));
	arena_free(&a);
	return did;
}

/* Adds what was asked for before, and something new. */
static enum did add_more(struct work *w, int *items, size_t count)
{
	struct model *m = w->m;
	enum did did;

	if (m->next >= w->x->items.fixed || m->acked + MODEL_BATCH >= MODEL_ENTRIES)
		return DID;
	items[count++] = (int)m->next++;
	did = work_put(w, items + count - 1, 1);
	return did == DID ? work_append(w, items, count) : did;
}

/* What is asked for again: a call that was not answered is made once more. */
static size_t unanswered(const struct model *m, int *items)
{
	size_t count = 0;

	while (count < m->flying && count < MODEL_BATCH - 1) {
		items[count] = m->log[m->acked + count];
		count++;
	}
	return count;
}

enum did work_live(struct work *w)
{
	struct model *m = w->m;
	int items[MODEL_BATCH];
	size_t count = unanswered(m, items);
	enum did did = work_open(w);

	if (did == DID)
		did = work_check(w);
	/* Often nothing is added to a log just made: it must stay all the same. */
	if (did == DID && mutate_below(w->chance, m->acked ? 8 : 2))
		did = add_more(w, items, count);
	if (did == DID)
		did = work_publish(w);
	if (did == DID && !model_check_signed(m, &w->x->items, w->why))
		did = BROKE;
	work_close(w);
	return did;
}

enum did work_go_on(struct work *w)
{
	int items[MODEL_BATCH];
	size_t count = unanswered(w->m, items);
	enum did did = settle_by_head(w);

	if (did == DID && mutate_below(w->chance, 2))
		did = add_more(w, items, count);
	if (did == DID)
		did = work_publish(w);
	return did == DID ? work_check(w) : did;
}

enum did work_read_only(struct work *w, uint64_t size)
{
	struct log_dir_options o = work_options(w);
	uint64_t ops = w->disk->ops;
	struct log_head head;
	struct err err;
	enum did did = DID;

	o.read_only = true;
	o.signer = NULL;
	o.keys = (struct str){ NULL, 0 };
	o.key = &w->x->signer.key;
	w->log = log_dir_open(&o, &err);
	if (!w->log)
		return failed(w, "a reader cannot open the log: %s", err.text);
	if (!w->log->ops->head(w->log, &head, &err))
		did = failed(w, "a reader gets no head: %s", err.text);
	else if (head.size != size)
		did = wrong(w, "a reader sees %llu entries, where the checkpoint has %llu", (unsigned long long)head.size,
			     (unsigned long long)size);
	work_close(w);
	return did == DID && w->disk->ops != ops ? wrong(w, "a reader changed the disk") : did;
}
