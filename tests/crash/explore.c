#include "crash/explore.h"

#include <stdio.h>

#include "crash/signing.h"
#include "crash/work.h"

#define INSIDE 3 /* times that a recovery is stopped in a row */

static const char origin[] = "crash.example/log";

/* ---- what is met ---- */

static void meet(struct explorer *x, const struct sim *s)
{
	uint64_t h = sim_hash(s) | 1;
	size_t i;

	x->states++;
	if (x->met_count * 2 >= x->met_cap) {
		uint64_t *old = x->met;
		size_t cap = x->met_cap;

		x->met_cap = cap ? 2 * cap : 1 << 16;
		x->met = mem_alloc(x->met_cap * sizeof(*x->met));
		memset(x->met, 0, x->met_cap * sizeof(*x->met));
		for (size_t k = 0; k < cap; k++)
			if (old[k]) {
				for (i = (size_t)(old[k] >> 20) & (x->met_cap - 1); x->met[i]; i = (i + 1) & (x->met_cap - 1))
					;
				x->met[i] = old[k];
			}
		mem_free(old);
	}
	for (i = (size_t)(h >> 20) & (x->met_cap - 1); x->met[i] && x->met[i] != h; i = (i + 1) & (x->met_cap - 1))
		;
	x->met_count += x->met[i] == 0;
	x->met[i] = h;
}

/* ---- one state ---- */

static struct sim_loss loss_of(enum variant v, struct mutate *chance)
{
	static const unsigned percent[] = { 0, 10, 50, 90, 100 };

	switch (v) {
	case VARIANT_ALL:
		return (struct sim_loss){ 100, 100 };
	case VARIANT_NONE:
		return (struct sim_loss){ 0, 0 };
	case VARIANT_ONLY_NAMES:
		return (struct sim_loss){ 0, 100 };
	case VARIANT_ONLY_BYTES:
		return (struct sim_loss){ 100, 0 };
	default:
		return (struct sim_loss){ percent[mutate_below(chance, 5)], percent[mutate_below(chance, 5)] };
	}
}

/* The disk as the next process finds it, as a process and as a disk. */
static struct sim *disrupt(const struct sim *s, const struct sim_op *op, enum variant v, struct mutate *chance)
{
	struct sim *found = sim_copy(s);

	if (op && op->p && v >= VARIANT_KILLED)
		sim_begin_write(found, op, mutate_below(chance, op->n + 1));
	if (v != VARIANT_KILLED)
		sim_lose_power(found, loss_of(v, chance), chance);
	if (mutate_below(chance, 2))
		found->clock += 120000000000;
	return found;
}

/* What a reader sees before anybody recovers anything. */
static bool look(struct explorer *x, struct sim *s, struct model *m, struct mutate *chance)
{
	struct work w;
	uint64_t size;

	meet(x, s);
	if (x->is_making)
		return true;
	if (!model_look(m, &x->items, s, &size, x->why) || !model_look_objects(m, &x->items, s, x->why))
		return false;
	if (mutate_below(chance, 8))
		return true;
	work_init(&w, x, s, m, chance);
	return work_read_only(&w, size) == DID;
}

/* A log that was being made is there, or can be made. */
static enum did make_again(struct work *w)
{
	struct log_dir_options o = work_options(w);
	struct err first, err;
	struct log *l = log_dir_open(&o, &first);

	if (!l && !w->process.is_dead && !log_dir_make(&o, str_from(origin), &err) && !w->process.is_dead &&
	    !w->process.has_failed) {
		snprintf(w->why, MODEL_WHY, "a log half made can be neither opened (%.300s) nor made (%.300s)", first.text,
			 err.text);
		return BROKE;
	}
	log_close(l);
	return w->process.is_dead || w->process.has_failed ? DIED : DID;
}

/* Runs a process until its end, or until operation `stop` (0: none). */
static enum did live(struct explorer *x, struct sim *s, struct model *m, uint64_t stop, struct mutate *chance)
{
	enum did did = DID;
	struct work w;

	s->trace = x->trace;
	work_init(&w, x, s, m, chance);
	w.process.die_at = stop;
	if (stop && mutate_below(chance, 4) == 0) {
		w.process.fail_at = stop;
		w.process.die_at = mutate_below(chance, 2) ? 0 : stop + 1 + mutate_below(chance, 3);
	}
	if (x->is_making)
		did = make_again(&w);
	if (did == DID)
		did = work_live(&w);
	sim_end(&w.process);
	return did;
}

/* The same beside a process that has the log open, and goes on when the other one was stopped. */
static enum did live_beside(struct explorer *x, struct sim *s, struct model *m, uint64_t stop, struct mutate *chance)
{
	struct work w;
	enum did did;

	s->trace = x->trace;
	work_init(&w, x, s, m, chance);
	did = work_open(&w);
	if (did == DID) {
		did = live(x, s, m, stop, chance);
		if (did != BROKE)
			did = work_go_on(&w);
	}
	work_close(&w);
	sim_end(&w.process);
	return did;
}

static void trace(const struct explorer *x, const char *what, const struct sim *s)
{
	if (x->trace)
		printf("  == %s (after %llu operations)\n", what, (unsigned long long)s->ops);
}

/* Everything that follows from one disk. */
static bool go_on(struct explorer *x, struct sim **s, struct model *m, struct mutate *chance)
{
	size_t inside = mutate_below(chance, 2) ? 0 : 1 + mutate_below(chance, INSIDE);
	bool was_making = x->is_making;
	enum did did;

	for (;; inside--) {
		uint64_t stop = inside ? 1 + mutate_below(chance, mutate_below(chance, 2) ? 12 : 60) : 0;
		struct sim *next;

		trace(x, stop ? "a process that will be stopped" : "a process", *s);
		if (stop && !x->is_making && mutate_below(chance, 3) == 0)
			did = live_beside(x, *s, m, stop, chance);
		else
			did = live(x, *s, m, stop, chance);
		if (did != DIED)
			break;
		x->inside++;
		next = disrupt(*s, NULL, (enum variant)mutate_below(chance, VARIANTS), chance);
		sim_free(*s);
		*s = next;
		trace(x, "stopped; a reader", *s);
		if (!look(x, *s, m, chance))
			return false;
	}
	if (did == BROKE)
		return false;
	x->is_making = false;
	if (mutate_below(chance, 2)) {
		struct sim *next = disrupt(*s, NULL, VARIANT_NONE, chance);

		sim_free(*s);
		*s = next;
		trace(x, "the power goes after it ended well", *s);
		did = look(x, *s, m, chance) ? live(x, *s, m, 0, chance) : BROKE;
	}
	x->is_making = was_making;
	return did == DID;
}

/* An older copy of the ledger must be refused when the key has signed more, and may be used when it has not. */
static bool restore(struct explorer *x, struct sim *s, uint64_t seen, struct mutate *chance)
{
	struct log_dir_options o;
	struct work w;
	struct log *l;
	struct err err;

	meet(x, s);
	sim_restore(s, PLACE_LEDGER, x->old);
	work_init(&w, x, s, &x->model, chance);
	o = work_options(&w);
	s->trace = x->trace;
	l = log_dir_open(&o, &err);
	log_close(l);
	if (!l)
		x->refused++;
	if (l && seen > x->old_size) {
		snprintf(x->why, sizeof(x->why), "readers saw a checkpoint of %llu entries, and an older copy of %llu was not refused",
			 (unsigned long long)seen, (unsigned long long)x->old_size);
		return false;
	}
	if (!l && !str_starts(str_from(err.text), STR(LOG_E_ROLLBACK))) {
		snprintf(x->why, sizeof(x->why), "an older copy is refused, but not as E_ROLLBACK: %.200s", err.text);
		return false;
	}
	return true;
}

static uint64_t seen_size(struct explorer *x, const struct sim *s)
{
	struct model m = x->model;
	uint64_t size = 0;
	char why[MODEL_WHY];

	return model_look(&m, &x->items, s, &size, why) ? size : 0;
}

static void run_state(struct explorer *x, const struct sim *at, const struct sim_op *op, enum variant v)
{
	struct mutate chance = { .state = x->seed ^ (x->workload << 40) ^ (x->point << 8) ^ v };
	struct model m = x->model;
	size_t items = x->items.count, texts = signing_count();
	struct sim *s;
	bool good;

	mutate_next(&chance);
	x->variant = v;
	x->episodes++;
	if (x->trace)
		printf("  == before %s: variant %d\n", op ? op->what : "the end", (int)v);
	/* While a log is made little is at stake when the power goes, more when somebody finds what a killed one left. */
	s = disrupt(at, op, x->is_making && v >= VARIANT_RESTORED ? VARIANT_KILLED : v, &chance);
	if (v == VARIANT_RESTORED && !x->is_making)
		good = restore(x, s, seen_size(x, at), &chance);
	else
		good = look(x, s, &m, &chance) && go_on(x, &s, &m, &chance);
	for (size_t i = 0; i < PLACES; i++)
		x->syncs[i] += s->syncs[i];
	sim_free(s);
	x->items.count = items;
	signing_forget(texts);
	x->is_broken |= !good;
}

static void at_point(void *context, struct sim *s, const struct sim_op *op)
{
	struct explorer *x = context;

	if (x->is_broken || x->states >= x->limit)
		return;
	x->point++;
	x->points++;
	for (unsigned v = 0; v < VARIANTS && !x->is_broken; v++)
		if (!x->is_one || (x->one_point == x->point && x->one_variant == v))
			run_state(x, s, op, (enum variant)v);
	if (x->tick)
		x->tick(x);
}

/* ---- workloads ---- */

/* New items, with their objects or without, in one call; published or not. */
static enum did add(struct work *w, struct mutate *chance)
{
	static const size_t counts[] = { 1, 1, 1, 2, 3, 5, 8, MODEL_BATCH - 1 }; /* from 8 on the engine syncs all at once */
	size_t count = counts[mutate_below(chance, sizeof(counts) / sizeof(counts[0]))];
	int items[MODEL_BATCH];
	enum did did;

	if (w->m->next + count > w->x->items.fixed || w->m->acked + 2 * MODEL_BATCH > MODEL_ENTRIES)
		return DID;
	for (size_t i = 0; i < count; i++)
		items[i] = (int)w->m->next++;
	did = mutate_below(chance, 4) ? work_put(w, items, count) : DID;
	if (did == DID && count > 1 && mutate_below(chance, 3) == 0)
		items[count - 1] = items[0]; /* twice in one call */
	if (did == DID)
		did = work_append(w, items, count);
	return did == DID && mutate_below(chance, 2) ? work_publish(w) : did;
}

static enum did erase_one(struct work *w, struct mutate *chance)
{
	const struct model *m = w->m;

	for (size_t i = m->acked; i > 0 && i + 10 > m->acked; i--)
		if (m->objects[m->log[i - 1]] == OBJECT_THERE && mutate_below(chance, 3) == 0)
			return work_erase(w, m->log[i - 1]);
	return DID;
}

/* The newest again, alone: an answer without a write. */
static enum did repeat_newest(struct work *w)
{
	int item = w->m->acked ? w->m->log[w->m->acked - 1] : -1;

	return item < 0 ? DID : work_append(w, &item, 1);
}

/* One step of the work at hand: any call that an engine has. */
static enum did step(struct work *w, struct mutate *chance)
{
	switch (mutate_below(chance, 14)) {
	case 0:
	case 1:
		return work_publish(w);
	case 2:
		work_close(w);
		return work_open(w);
	case 3:
		return work_cosign(w);
	case 4:
		return repeat_newest(w);
	case 5:
		return erase_one(w, chance);
	case 6:
		return work_save_ids(w);
	default:
		return add(w, chance);
	}
}

/* Which disk a workload begins with: most with a small log, some just below a full tile, a few with none. */
static size_t image_of(uint64_t workload)
{
	static const size_t images[] = { 1, 0, 2, 1, 1, 2, 1, 1 };

	return images[workload % (sizeof(images) / sizeof(images[0]))];
}

static void begin(struct explorer *x, size_t image, struct mutate *chance)
{
	static const unsigned limits[] = { 0, 1, 600, 3000 };

	x->point = 0;
	x->items.count = x->items.fixed;
	x->model = (struct model){ .next = MODEL_BASE };
	x->is_making = image == 0;
	if (image == 2) {
		for (size_t i = 0; i < MODEL_BASE; i++)
			x->model.log[i] = (uint16_t)i;
		x->model.acked = MODEL_BASE;
		x->model.published = MODEL_BASE;
	}
	x->old_size = x->model.acked;
	signing_forget(0);
	x->old = x->images[image ? image : 1];
	x->disk = sim_copy(x->images[image]);
	x->disk->before = at_point;
	x->disk->context = x;
	x->disk->without = x->without;
	x->options = (struct log_dir_options){ .wal_limit = limits[mutate_below(chance, 4)],
					       .keep_partials = mutate_below(chance, 2) };
}

static enum did make(struct work *w)
{
	struct log_dir_options o = work_options(w);
	struct err err;

	if (!log_dir_make(&o, str_from(origin), &err)) {
		snprintf(w->why, MODEL_WHY, "the log cannot be made: %s", err.text);
		return BROKE;
	}
	w->x->is_making = false;
	return DID;
}

/* One or two processes, that take turns. */
static enum did take_turns(struct explorer *x, struct work *w, size_t steps, struct mutate *chance)
{
	size_t count = 1 + mutate_below(chance, 2);
	enum did did = work_open(&w[0]);

	if (did == DID && count == 2)
		did = work_open(&w[1]);
	for (size_t i = 0; i < steps && did == DID && !x->is_broken && x->states < x->limit; i++)
		did = step(&w[mutate_below(chance, count)], chance);
	work_close(&w[0]);
	work_close(&w[1]);
	return did;
}

static void run_workload(struct explorer *x)
{
	struct mutate chance = { .state = x->seed * 0x9e3779b97f4a7c15 + x->workload };
	size_t image = image_of(x->workload), steps = image == 0 ? 3 : 6 + mutate_below(&chance, 8);
	enum did did = DID;
	struct work w[2];

	begin(x, image, &chance);
	x->disk->trace = x->trace;
	work_init(&w[0], x, x->disk, &x->model, &chance);
	work_init(&w[1], x, x->disk, &x->model, &chance);
	if (image == 0)
		did = make(&w[0]);
	if (did == DID)
		did = take_turns(x, w, steps, &chance);
	/* Also the disk at the end, when everything was answered. */
	if (did == DID)
		at_point(x, x->disk, NULL);
	x->is_broken |= did == BROKE;
	for (size_t i = 0; i < PLACES; i++)
		x->syncs[i] += x->disk->syncs[i];
	sim_free(x->disk);
	x->workloads++;
}

void explorer_run(struct explorer *x)
{
	if (x->is_one)
		x->workload = x->one_workload;
	do {
		run_workload(x);
		if (!x->is_broken)
			x->workload++;
	} while (!x->is_one && !x->is_broken && x->states < x->limit);
}

/* ---- images ---- */

static bool make_image(struct explorer *x, struct work *w, size_t entries)
{
	struct log_item *items = arena_array(&x->items.arena, struct log_item, MODEL_BASE);
	struct err err;
	bool good;

	for (size_t i = 0; i < entries; i++)
		items[i] = (struct log_item){ .ident = x->items.list[i].ident, .digest = x->items.list[i].digest,
					      .entry = x->items.list[i].entry };
	good = make(w) == DID && work_open(w) == DID;
	if (good && entries && (!log_append(w->log, items, entries, &err) || !log_publish(w->log, &err))) {
		snprintf(x->why, sizeof(x->why), "%s", err.text);
		good = false;
	}
	work_close(w);
	return good;
}

bool explorer_init(struct explorer *x, uint64_t seed, enum place without)
{
	static const uint8_t log_seed[ED25519_SEED] = { 1, 2, 3 }, witness_seed[ED25519_SEED] = { 4, 5, 6 };
	struct mutate chance = { .state = seed };
	struct err err;

	memset(x, 0, sizeof(*x));
	x->seed = seed;
	x->without = without;
	if (!signer_init(&x->signer, str_from(origin), KEY_LOG, log_seed, &err) ||
	    !signer_init(&x->witness, STR("witness.example"), KEY_WITNESS, witness_seed, &err)) {
		snprintf(x->why, sizeof(x->why), "%s", err.text);
		return false;
	}
	items_init(&x->items, &x->signer.key);
	for (size_t i = 0; i < 3; i++) {
		struct sim *s = sim_new();
		struct sim_process first = { .sim = s };
		struct io io = sim_io(&first);
		struct work w;

		io.ops->mkdir(io.own, PLACE_LEDGER, 0755);
		io.ops->mkdir(io.own, PLACE_KEYS, 0700);
		sim_lose_power(s, (struct sim_loss){ 100, 100 }, &chance);
		x->images[i] = s;
		work_init(&w, x, s, &x->model, &chance);
		if (i > 0 && !make_image(x, &w, i == 2 ? MODEL_BASE : 0))
			return false;
		/* However it came about, the image is certain: what is left out is left out from here on. */
		sim_lose_power(s, (struct sim_loss){ 100, 100 }, &chance);
	}
	return true;
}

void explorer_free(struct explorer *x)
{
	for (size_t i = 0; i < 3; i++)
		sim_free(x->images[i]);
	items_free(&x->items);
	mem_free(x->met);
}
