/* One loop: whenever a place is free the next slot gets it, whenever a trial is over it is sealed. */
#include "trial/run/crew.h"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/id.h"
#include "base/stop.h"
#include "proc/piped.h"

#define CREW_TICK_MS 100
#define CREW_PUBLISH_NS UINT64_C(1000000000)

struct crew_place {
	struct crew *crew;
	struct piped *child; /* NULL: free */
	struct trial_how how;
};

struct crew {
	struct arena *arena;
	const struct crew_options *o;
	struct crew_tally *tally;
	uv_loop_t loop;
	uv_timer_t timer;
	struct crew_place *places;
	bool *done;        /* by slot */
	uint64_t next;     /* slot */
	struct id_series ids;
	struct sealer *sealer;
	struct arena scratch; /* of a trial that is over */
	struct crew_trial over; /* the one that is sealed */
	uint64_t published_ns;
	bool failed, killed;
	struct err *err;
};

/* ---- a trial that is over ---- */

static bool crew_sealed(void *context, const struct seal_result *r, struct err *err)
{
	struct crew *c = context;

	c->over.sealed = r;
	c->tally->sealed += r->outcome == SEAL_ADDED;
	c->tally->already += r->outcome == SEAL_SAME;
	c->tally->refused += r->outcome == SEAL_CONFLICT || r->outcome == SEAL_REFUSED;
	return c->o->each(c->o->context, &c->over, err);
}

static bool crew_publish(struct crew *c, bool now, struct err *err)
{
	if (!now && clock_mono_ns() - c->published_ns < CREW_PUBLISH_NS)
		return true;
	c->published_ns = clock_mono_ns();
	return ledger_publish(c->o->ledger, err);
}

/* Only the attempt that ends a slot counts for it. */
static bool crew_seal(struct crew *c, struct str id, uint64_t slot, struct str record, bool counts, bool is_old,
		      struct err *err)
{
	struct crew_trial *over = &c->over;
	struct str dir = ARENA_JOIN(&c->scratch, c->o->job->dir, STR("/"), id, STR("/artifacts"));

	*over = (struct crew_trial){ .id = id, .slot = slot, .is_old = is_old };
	over->task_dir = job_task_of(c->o->job, slot, &over->attempt);
	if (!finish_read(&c->scratch, record, &over->facts))
		return err_set(err, ERR_DATA, "%.*s/%.*s/" JOB_RECORD " is no record of a trial that ended",
			       STR_ARG(c->o->job->dir), STR_ARG(id));
	if (counts) {
		c->done[slot] = true;
		c->tally->done++;
	}
	c->tally->by_class[over->facts.class]++;
	if (over->facts.class != CLASS_INFRASTRUCTURE)
		c->tally->reward_sum += over->facts.reward;
	return finish_seal(&c->scratch, c->sealer, id, record, dir, err) && crew_publish(c, false, err);
}

/* A disk that is full cannot take it; the ledger, on another one, may. */
static void crew_keep(struct crew *c, struct str id, struct str record)
{
	struct str path = ARENA_JOIN(&c->scratch, c->o->job->dir, STR("/"), id, STR("/" JOB_RECORD));
	struct err ignored = { .kind = ERR_NONE };

	(void)file_replace(path, record, 0644, &ignored);
}

/* A trial that did not come to its end: from what it wrote, or from what was asked of it. */
static bool crew_conclude(struct crew *c, const struct trial_how *how, struct str reason, struct str *record,
			  struct err *err)
{
	struct str dir = ARENA_JOIN(&c->scratch, c->o->job->dir, STR("/"), how->id), there;
	struct err ignored = { .kind = ERR_NONE };

	there = tree_read_file(&c->scratch, dir, STR(JOB_RECORD), SEAL_RECORD_MAX);
	if ((!there.p || !finish_stopped(&c->scratch, there, reason, record, &ignored)) &&
	    !finish_lost(&c->scratch, how, reason, record, err))
		return false;
	crew_keep(c, how->id, *record);
	return true;
}

/* What was wrapped for a screen, on one line. */
static struct str one_line(struct arena *a, struct str text)
{
	struct buf out;

	buf_init(&out);
	while (text.n) {
		struct str line = str_trim(str_cut(text, '\n', &text));

		if (line.n && out.n)
			buf_add_byte(&out, ' ');
		buf_add_str(&out, line);
	}
	return arena_take(a, &out);
}

static struct str crew_reason(struct crew *c, const struct piped_end *end)
{
	struct str said = one_line(&c->scratch, end->complaint);

	if (said.n)
		return ARENA_JOIN(&c->scratch, STR("the process of the trial failed: "),
				  str_of(said.p, said.n < 600 ? said.n : 600));
	if (end->signal)
		return arena_printf(&c->scratch, "the process of the trial was ended by signal %d", end->signal);
	return arena_printf(&c->scratch, "the process of the trial exited with status %d", end->status);
}

static void crew_start_more(struct crew *c);

static void crew_fail(struct crew *c)
{
	c->failed = true;
}

static void crew_ended(void *own, const struct piped_end *end)
{
	struct crew_place *p = own;
	struct crew *c = p->crew;
	struct str record, dir;
	struct finish_facts facts;

	p->child = NULL;
	c->tally->running--;
	if (c->failed || c->killed)
		return;
	arena_reset(&c->scratch);
	dir = ARENA_JOIN(&c->scratch, c->o->job->dir, STR("/"), p->how.id);
	record = tree_read_file(&c->scratch, dir, STR(JOB_RECORD), SEAL_RECORD_MAX);
	if ((!record.p || !finish_read(&c->scratch, record, &facts)) &&
	    !crew_conclude(c, &p->how, crew_reason(c, end), &record, c->err))
		crew_fail(c);
	else if (!crew_seal(c, p->how.id, p->how.slot, record, true, false, c->err))
		crew_fail(c);
	crew_start_more(c);
}

/* ---- starting ---- */

static void crew_ignore(void *own, struct str bytes)
{
	(void)own;
	(void)bytes;
}

static bool crew_start(struct crew *c, struct crew_place *p, uint64_t slot)
{
	const char *argv[7];
	struct piped_options o = { .argv = argv, .data = crew_ignore, .ended = crew_ended, .own = p };
	char id[ID_UUID_TEXT];

	id_format_uuid(id, id_series_next_uuid7(&c->ids, clock_wall_ns() / 1000000));
	p->how = (struct trial_how){ .job = c->o->job, .id = arena_copy(c->arena, str_of(id, sizeof(id))), .slot = slot,
				     .program = c->o->program, .prices = c->o->prices };
	argv[0] = arena_copy(c->arena, c->o->program).p;
	argv[1] = CREW_ENTRY;
	argv[2] = c->o->job->dir.p;
	argv[3] = p->how.id.p;
	argv[4] = arena_printf(c->arena, "%llu", (unsigned long long)slot).p;
	argv[5] = arena_printf(c->arena, "%ld", (long)getpid()).p;
	argv[6] = NULL;
	p->child = piped_start(&c->loop, &o, c->err);
	c->tally->running += p->child != NULL;
	return p->child != NULL;
}

static void crew_start_more(struct crew *c)
{
	for (unsigned i = 0; i < c->o->jobs && !c->failed && !stop_signal(); i++) {
		while (c->next < c->tally->slots && c->done[c->next])
			c->next++;
		if (c->next == c->tally->slots)
			break;
		if (!c->places[i].child && !crew_start(c, &c->places[i], c->next++))
			crew_fail(c);
	}
	if (!c->tally->running)
		uv_timer_stop(&c->timer);
}

/* Their records are left as they are. Each is a session of its own, so all that is in it ends. */
static void crew_kill(struct crew *c)
{
	c->killed = true;
	for (unsigned i = 0; i < c->o->jobs; i++)
		if (c->places[i].child)
			kill(-piped_pid(c->places[i].child), SIGKILL);
}

static void crew_tick(uv_timer_t *timer)
{
	struct crew *c = timer->data;

	if (c->o->tick)
		c->o->tick(c->o->context, c->tally);
	if ((stop_signal() || c->failed) && !c->killed)
		crew_kill(c);
	if (!c->tally->running)
		uv_timer_stop(timer);
}

/* ---- going on ---- */

static bool crew_take_old(struct crew *c, const struct job_trial *t, struct err *err)
{
	struct trial_how how = { .job = c->o->job, .id = t->id, .slot = t->slot };
	struct str record = t->record;

	arena_reset(&c->scratch);
	if (t->state == JOB_ABSENT || t->slot >= c->tally->slots)
		return true; /* it was killed before it had said anything: nothing had begun */
	if (t->state == JOB_ENDED)
		return crew_seal(c, t->id, t->slot, record, !c->done[t->slot], true, err);
	return crew_conclude(c, &how, STR("the trial was stopped before its end, and its slot is tried again"), &record,
			     err) &&
	       crew_seal(c, t->id, t->slot, record, false, true, err);
}

/* A trial that was stopped once has an ended record now, but no slot. */
static bool is_stopped_record(struct arena *a, struct str record)
{
	struct finish_facts f;

	return finish_read(a, record, &f) && f.class == CLASS_INFRASTRUCTURE && f.error.p &&
	       str_starts(f.error, STR("the trial was stopped"));
}

static bool crew_take_all(struct crew *c, struct err *err)
{
	struct job_trial *list;
	size_t count;

	if (!job_list(c->arena, c->o->job, &list, &count, err))
		return false;
	for (size_t i = 0; i < count && !stop_signal(); i++) {
		if (list[i].state == JOB_ENDED && is_stopped_record(c->arena, list[i].record)) {
			arena_reset(&c->scratch);
			if (!crew_seal(c, list[i].id, list[i].slot, list[i].record, false, true, err))
				return false;
		} else if (!crew_take_old(c, &list[i], err)) {
			return false;
		}
	}
	return true;
}

static bool crew_run_loop(struct crew *c)
{
	uv_loop_init(&c->loop);
	uv_timer_init(&c->loop, &c->timer);
	c->timer.data = c;
	uv_timer_start(&c->timer, crew_tick, CREW_TICK_MS, CREW_TICK_MS);
	crew_start_more(c);
	uv_run(&c->loop, UV_RUN_DEFAULT);
	uv_close((uv_handle_t *)&c->timer, NULL);
	uv_run(&c->loop, UV_RUN_DEFAULT);
	uv_loop_close(&c->loop);
	return !c->failed;
}

bool crew_run(struct arena *a, const struct crew_options *o, struct crew_tally *out, struct err *err)
{
	struct crew c = { .arena = a, .o = o, .tally = out, .err = err };
	struct seal_options how = { .ledger = o->ledger, .each = crew_sealed, .context = &c };
	int held = job_hold(a, o->job, err);
	bool done;

	*out = (struct crew_tally){ .slots = job_slots(o->job) };
	if (held < 0)
		return false;
	c.places = arena_array(a, struct crew_place, o->jobs);
	for (unsigned i = 0; i < o->jobs; i++)
		c.places[i].crew = &c;
	c.done = arena_array(a, bool, out->slots);
	id_series_init(&c.ids);
	arena_init(&c.scratch);
	c.sealer = sealer_open(&how);
	done = crew_take_all(&c, err) && crew_run_loop(&c);
	if (out->sealed)
		done = crew_publish(&c, true, done ? err : &(struct err){ .kind = ERR_NONE }) && done;
	sealer_close(c.sealer);
	arena_free(&c.scratch);
	close(held);
	return done;
}
