/* One recorder at a time, what is removed, and what is never touched. */
#include "unit/capture/listen_stage.h"

#include <sys/stat.h>

struct removed {
	int64_t now;
	uint64_t times, count, bytes, troubles;
};

static int64_t removed_now(void *context)
{
	return ((struct removed *)context)->now;
}

static void note_removed(void *context, uint64_t count, uint64_t bytes)
{
	struct removed *r = context;

	r->times++;
	r->count += count;
	r->bytes += bytes;
}

static void dir_trouble(void *context, struct str text)
{
	(void)text;
	((struct removed *)context)->troubles++;
}

static struct listen_dir_options options_of(struct removed *r, struct str path, int64_t days, uint64_t bytes)
{
	return (struct listen_dir_options){ .path = path, .keep_ns = days * 86400 * SECOND, .keep_bytes = bytes,
					    .now = removed_now, .removed = note_removed,
					    .recover = { .trouble = dir_trouble, .context = r } };
}

/* Three runs that are closed, an hour apart. */
static struct str three_runs(struct stage *s)
{
	for (int i = 0; i < 3; i++) {
		stage_talk(s, "", i == 0 ? "one" : i == 1 ? "two" : "three", "x", BEGUN + (1 + 3600 * i) * SECOND, NULL);
		stage_turn(s, BEGUN + (2000 + 3600 * i) * SECOND, 0);
	}
	CHECK_INT(s->closed, 3);
	return s->o.dir;
}

TEST(a_second_recorder_is_refused_and_the_lock_ends_with_the_first)
{
	struct removed r = { 0 };
	struct listen_dir_options o = options_of(&r, str_from(test_dir()), 0, 0);
	struct listen_dir_found found;
	struct listen_dir *d = listen_dir_open(&o, &found, &(struct err){ 0 });
	struct err err;

	CHECK(d != NULL);
	CHECK(listen_dir_open(&o, &found, &err) == NULL);
	CHECK(str_has(str_from(err.text), STR("another recorder listens")));
	listen_dir_close(d);
	d = listen_dir_open(&o, &found, &err);
	CHECK(d != NULL);
	listen_dir_close(d);
}

TEST(the_oldest_closed_runs_go_first_by_age_and_by_size)
{
	struct removed r = { .now = BEGUN + 86400 * SECOND + 3700 * SECOND };
	struct listen_dir_found found;
	struct listen_dir_options o;
	struct listen_dir *d;
	struct stage s;
	struct err err;

	stage_open(&s, test_dir(), false);
	o = options_of(&r, three_runs(&s), 1, 0);
	d = listen_dir_open(&o, &found, &err);
	CHECK(d != NULL);
	CHECK_INT(found.closed, 3);
	CHECK_INT(found.completed, 0);
	listen_dir_keep(d);
	listen_dir_keep(d);
	CHECK_INT(r.times, 1);
	CHECK_INT(r.count, 2);
	CHECK_INT(stage_count(o.path.p), 1);
	CHECK(stage_read(&s, s.last, "meta.json").n > 0);
	listen_dir_close(d);
	o.keep_ns = 0;
	o.keep_bytes = found.bytes;
	d = listen_dir_open(&o, &found, &err);
	listen_dir_keep(d);
	CHECK_INT(r.count, 2);
	listen_dir_close(d);
	o.keep_bytes = 1;
	d = listen_dir_open(&o, &found, &err);
	listen_dir_keep(d);
	CHECK_INT(r.count, 3);
	CHECK_INT(stage_count(o.path.p), 0);
	listen_dir_close(d);
	stage_close(&s);
}

TEST(runs_of_others_links_and_files_that_somebody_put_there_stay)
{
	struct removed r = { .now = BEGUN + 1000 * 86400 * SECOND };
	struct listen_dir_found found;
	struct listen_dir_options o;
	struct listen_dir *d;
	struct stage s;
	struct err err;
	struct str other;
	FILE *f;

	stage_open(&s, test_dir(), false);
	o = options_of(&r, three_runs(&s), 1, 0);
	/* a run of `record` by the name of a run; a link to one of ours; a file in one of ours */
	other = arena_printf(&s.arena, "%.*s/0193b3a1-7c00-7abc-8def-0123456789ab", STR_ARG(o.path));
	CHECK(mkdir(other.p, 0700) == 0);
	f = fopen(arena_printf(&s.arena, "%s/meta.json", other.p).p, "w");
	fputs("{\"schema\":\"trackway.run/1\",\"run_id\":\"0193b3a1-7c00-7abc-8def-0123456789ab\","
	      "\"started\":\"2020-01-01T00:00:00Z\",\"ended\":\"2020-01-01T00:00:00Z\"}", f);
	fclose(f);
	CHECK(symlink(s.last, arena_printf(&s.arena, "%.*s/0193b3a1-7c00-7abc-8def-0123456789ac",
					   STR_ARG(o.path)).p) == 0);
	fclose(fopen(arena_printf(&s.arena, "%.*s/%s/notes.txt", STR_ARG(o.path), s.last).p, "w"));
	d = listen_dir_open(&o, &found, &err);
	CHECK(d != NULL);
	CHECK_INT(found.closed, 3);
	listen_dir_keep(d);
	CHECK_INT(r.count, 3);
	CHECK_INT(stage_count(o.path.p), 3);
	CHECK_INT(stage_count(arena_printf(&s.arena, "%.*s/%s", STR_ARG(o.path), s.last).p), 1);
	CHECK_INT(stage_count(other.p), 1);
	listen_dir_close(d);
	stage_close(&s);
}

TEST(what_a_recorder_closes_counts_at_once)
{
	struct removed r = { .now = BEGUN };
	struct listen_dir_found found;
	struct listen_dir_options o;
	struct stage s;
	struct err err;

	stage_open(&s, test_dir(), false);
	o = options_of(&r, s.o.dir, 0, 5000);
	s.dir = listen_dir_open(&o, &found, &err);
	CHECK(s.dir != NULL);
	three_runs(&s);
	CHECK(r.count >= 1 && r.count < 3);
	CHECK_INT(stage_count(o.path.p), 3 - r.count);
	stage_turn(&s, BEGUN + 20000 * SECOND, 0);
	listen_dir_close(s.dir);
	s.dir = NULL;
	stage_close(&s);
}
