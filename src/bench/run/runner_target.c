/* What surrounds the rows of a target: what the machine has to spare before and after, warming up. */
#include <unistd.h>

#include "bench/run/resources.h"
#include "bench/run/runner_private.h"

struct look {
	uv_work_t work;
	struct runner *runner;
	size_t target;
	bool after;
	struct arena arena;
	struct str path;
	struct resources found;
};

/* On a thread: asking a GPU may take a second, in which other targets would seem slow. */
static void do_look(uv_work_t *work)
{
	struct look *l = work->data;

	resources_take(&l->found, &l->arena, l->path);
}

void runner_target_warmed(struct runner *r, size_t target)
{
	if (r->targets[target].warmed++ < r->o->config->warmup)
		runner_warm(r, target);
	else
		schedule_begun(r->schedule, target, clock_mono_ns());
}

static const char *look_name(struct look *l)
{
	return arena_printf(&l->arena, "resources_%.*s_%s.txt", STR_ARG(l->runner->o->config->targets[l->target].tag),
			    l->after ? "after" : "before").p;
}

static bool write_look(struct look *l, struct err *err)
{
	const struct runner_options *o = l->runner->o;
	const char *name = look_name(l);
	struct buf text;
	bool written;

	buf_init(&text);
	resources_write(&text, &l->found);
	written = run_dir_write(o->dir, name, buf_str(&text), err);
	buf_free(&text);
	return written;
}

static struct look *new_look(struct runner *r, size_t target, bool after)
{
	struct look *l = mem_alloc(sizeof(*l));

	*l = (struct look){ .runner = r, .target = target, .after = after, .path = run_dir_path(r->o->dir) };
	l->work.data = l;
	arena_init(&l->arena);
	return l;
}

static void free_look(struct look *l)
{
	arena_free(&l->arena);
	mem_free(l);
}

/* Back on the loop's thread. What was seen before the rows is written before the first of them is sent. */
static void on_looked(uv_work_t *work, int status)
{
	struct look *l = work->data;
	struct runner *r = l->runner;

	(void)status;
	r->threads--;
	if (!r->over) {
		runner_check(r, write_look(l, r->err));
		if (!l->after && !r->over)
			runner_target_warmed(r, l->target);
	}
	free_look(l);
	runner_pump(r);
}

static void begin_look(struct runner *r, size_t target, bool after)
{
	struct look *l = new_look(r, target, after);

	r->threads++;
	uv_queue_work(&r->loop, &l->work, do_look, on_looked);
}

/* Ended between its last row and what was to be written behind it, by a kill: that row is not asked again. */
static bool lost_its_end(struct look *l)
{
	struct str name = str_from(look_name(l));

	return l->runner->report->end == RUNNER_COMPLETE &&
	       access(ARENA_JOIN(&l->arena, l->path, STR("/"), name).p, F_OK) != 0;
}

/* A run that was stopped says what there was at its end, too. */
void runner_target_stopped(struct runner *r)
{
	for (size_t i = 0; i < r->o->config->target_count; i++) {
		struct look *l = new_look(r, i, true);
		struct err err;

		if (r->targets[i].runs || lost_its_end(l)) {
			do_look(&l->work);
			write_look(l, &err); /* nothing depends on it */
		}
		free_look(l);
	}
}

void runner_target_begin(struct runner *r, size_t target)
{
	r->targets[target].runs = true;
	runner_tell_target(r, target);
	json_put_text_or_null(&r->log.w, "endpoint", provider_endpoint(&r->work, r->o->config->targets[target].provider,
							       provider_address(r->lanes.clients[target])));
	runner_tell_end(r, "target_begin");
	arena_reset(&r->work);
	begin_look(r, target, false);
}

void runner_target_end(struct runner *r, size_t target)
{
	r->targets[target].runs = false;
	runner_tell_target(r, target);
	json_put_i64_or_null(&r->log.w, "rows_skipped", (int64_t)r->targets[target].skipped);
	runner_tell_end(r, "target_end");
	arena_reset(&r->work);
	begin_look(r, target, true);
}
