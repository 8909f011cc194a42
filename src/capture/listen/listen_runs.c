/*
 * Runs stand in a list, the one that was silent longest first; a look at its beginning tells which are to be closed.
 * What a run needs of memory is its own arena, small, and its graph.
 */
#include "capture/listen/listen_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/seed.h"
#include "capture/listen/listen_index.h"
#include "capture/run_end.h"
#include "dialect/agent_trace/clean.h"

#define TRY_AGAIN_NS INT64_C(1000000000) /* after a run could not be begun */

struct listened {
	struct listen_marks marks; /* first: the index gives it back */
	struct recorder_run run;
	struct listen_runs *all;
	struct listened *before, *after; /* silent for longer, for less */
	struct arena arena;
	struct run_files files;
	struct line_file trace, cassette;
	struct run_tag *tags;
	struct digest blocks; /* the key of its own numbers of blocks, where it has some */
	uint64_t calls; /* of models that passed, and are counted */
	int signal; /* that cut off what was on its way; 0: none did */
};

struct listen_runs {
	struct listen_runs_options o;
	struct recorder *recorder;
	struct listen_index index;
	struct listened *first, *last; /* the one that was silent longest first */
	bool is_full, was_full;        /* writing failed since the last tick; and it was told */
	int64_t failed_ns;             /* when no run could be begun */
	uint64_t unmarked;             /* requests that no run could be begun for, not told in any trace yet */
	_Atomic uint64_t open, closed, calls, failed, unrecorded;
	_Atomic bool more;
};

struct listen_runs *listen_runs_open(const struct listen_runs_options *o)
{
	struct listen_runs *l = mem_alloc(sizeof(*l));

	*l = (struct listen_runs){ .o = *o };
	listen_index_init(&l->index);
	return l;
}

void listen_runs_set_recorder(struct listen_runs *l, struct recorder *d)
{
	l->recorder = d;
}

struct listen_runs_tally listen_runs_tally(const struct listen_runs *l)
{
	return (struct listen_runs_tally){
		.open = l->open, .closed = l->closed, .calls = l->calls, .failed = l->failed,
		.unrecorded = l->unrecorded, .more = l->more,
	};
}

static struct listened *of_run(struct recorder_run *r)
{
	return (struct listened *)((char *)r - offsetof(struct listened, run));
}

static struct listened *of_marks(struct listen_marks *m)
{
	return (struct listened *)m;
}

/* ---- the list ---- */

static void unlink_run(struct listened *r)
{
	struct listen_runs *l = r->all;

	if (r->before)
		r->before->after = r->after;
	else
		l->first = r->after;
	if (r->after)
		r->after->before = r->before;
	else
		l->last = r->before;
	r->before = r->after = NULL;
}

static void link_last(struct listened *r)
{
	struct listen_runs *l = r->all;

	r->before = l->last;
	if (l->last)
		l->last->after = r;
	else
		l->first = r;
	l->last = r;
}

static void touch(struct listened *r, int64_t ns)
{
	r->run.last_ns = ns > r->run.last_ns ? ns : r->run.last_ns;
	unlink_run(r);
	link_last(r);
}

/* ---- files ---- */

static void note_full(struct listen_runs *l, const char *why)
{
	l->is_full = true;
	if (l->was_full)
		return;
	l->was_full = true;
	l->o.full(l->o.context, why, l->unrecorded);
}

/* One run has descriptors at a time: that which is written to. */
static void wake(struct listened *r)
{
	if (!run_files_reopen(&r->files))
		return;
	line_file_unpark(&r->trace, r->files.dir);
	if (r->files.content)
		line_file_unpark(&r->cassette, r->files.dir);
}

static void park(struct listened *r)
{
	line_file_park(&r->trace);
	if (r->files.content)
		line_file_park(&r->cassette);
	run_files_close(&r->files);
}

static bool make_files(struct listened *r, struct err *err)
{
	struct run_files *d = &r->files;

	r->trace.fd = r->cassette.fd = -1;
	/* meta.json first: without it nobody knows whose the rest is */
	if (!run_files_make(&r->arena, d, err) || !run_files_write_meta(&r->arena, d, NULL, err) ||
	    !line_file_open(&r->trace, d->dir, "agent-trace.jsonl", 0666, err))
		return false;
	r->trace.room = r->all->o.room;
	r->trace.later = true;
	if (d->content) {
		if (!line_file_open(&r->cassette, d->dir, "cassette.jsonl", 0600, err))
			return false;
		r->cassette.room = r->all->o.room;
		r->cassette.later = true;
	}
	return true;
}

static void unmake_files(struct listened *r)
{
	line_file_close(&r->trace);
	line_file_close(&r->cassette);
	for (size_t i = 0; r->files.dir >= 0 && run_files_each(i); i++)
		unlinkat(r->files.dir, run_files_each(i), 0);
	run_files_close(&r->files);
	run_files_remove(&r->arena, &r->files);
}

/* ---- beginning ---- */

/* A name or a session that says nothing else becomes a tag, by which people find the run. */
static void add_own_tag(struct listened *r, const char *key, struct str value)
{
	for (size_t i = 0; i < r->files.tag_count; i++)
		if (str_eq(r->tags[i].key, str_from(key)))
			return;
	if (clean_id(value).p)
		r->tags[r->files.tag_count++] = (struct run_tag){ str_from(key), arena_copy(&r->arena, value) };
}

static void name_listened(struct listened *r, struct id *id, int64_t ns, struct str name, struct str session)
{
	const struct listen_runs_options *o = &r->all->o;
	struct run_files *d = &r->files;

	*d = (struct run_files){
		.program = STR("listen"), .listened = true, .content = o->content, .budget = o->budget,
		.retrieval_set = o->retrieval_digests, .tag_count = o->tag_count, .dir = -1,
	};
	run_files_name(&r->arena, d, ns, id);
	d->path = ARENA_JOIN(&r->arena, o->dir, STR("/"), d->run_id);
	r->tags = arena_array(&r->arena, struct run_tag, o->tag_count + 2);
	if (o->tag_count)
		memcpy(r->tags, o->tags, o->tag_count * sizeof(*r->tags));
	add_own_tag(r, "run", name);
	add_own_tag(r, "session", session);
	d->tags = r->tags;
}

static void begin_graph(struct listened *r, struct id id)
{
	const struct listen_runs_options *o = &r->all->o;
	struct recorder_run_options d = {
		.run_graph = {
			.trace = id,
			.framework = o->framework,
			.rig = o->rig,
			.engine = o->engine,
			.plain = o->plain,
			.blocks = o->own_blocks ? &r->blocks : NULL,
			.prices = o->prices,
		},
		.trace = &r->trace,
		.cassette = o->content ? &r->cassette : NULL,
		.run_id = r->files.run_id,
		.begun_ns = r->files.begun_ns,
	};

	if (o->own_blocks)
		seed_random(r->blocks.b, sizeof(r->blocks.b));
	recorder_run_init(&r->run, &d);
}

static void close_run(struct listened *r);

/* A full table closes the run that was silent longest; one with something on its way is passed over. */
static void make_place(struct listen_runs *l)
{
	struct listened *r = l->first;

	if (l->open < LISTEN_RUNS_MOST)
		return;
	while (r && r->run.slot_count)
		r = r->after;
	if (r)
		close_run(r);
}

static void listen_free(struct listened *r)
{
	explicit_bzero(&r->blocks, sizeof(r->blocks));
	arena_free(&r->arena);
	mem_free(r);
}

/* NULL: it cannot be; that is told once, and tried again after a second. */
static struct listened *begin_listened(struct listen_runs *l, int64_t ns, struct str name, struct str session)
{
	struct listened *r;
	struct err err;
	struct id id;

	if (l->failed_ns && l->o.now(l->o.context) - l->failed_ns < TRY_AGAIN_NS)
		return NULL;
	make_place(l);
	r = mem_alloc(sizeof(*r));
	*r = (struct listened){ .all = l };
	arena_init_small(&r->arena);
	name_listened(r, &id, ns, name, session);
	if (!make_files(r, &err)) {
		unmake_files(r);
		listen_free(r);
		l->failed_ns = l->o.now(l->o.context);
		note_full(l, err.text);
		return NULL;
	}
	l->failed_ns = 0;
	if (!run_files_list(&r->arena, &r->files, &err))
		l->o.trouble(l->o.context,
			     ARENA_JOIN(&r->arena, STR("the list of runs, which @last needs: "), str_from(err.text)));
	begin_graph(r, id);
	if (l->unmarked)
		run_graph_gap(r->run.graph, ns);
	l->unmarked = 0;
	park(r);
	link_last(r);
	l->open++;
	return r;
}

/* ---- the end ---- */

static void tell_trouble(void *context, struct str text)
{
	struct listened *r = context;

	r->all->o.trouble(r->all->o.context, ARENA_JOIN(&r->arena, r->files.path, STR(": "), text));
}

static const char *listened_status(struct listened *r, struct run_files_end *end, struct str *error)
{
	*error = str_of(NULL, 0);
	if (r->signal) {
		end->signal = r->signal;
		*error = arena_printf(&r->arena, "recorder ended by signal %d", r->signal);
		return "interrupted";
	}
	end->status = r->run.last_failed;
	if (r->run.last_failed)
		*error = STR("the last model call failed");
	return r->run.last_failed ? "error" : "success";
}

static uint64_t count_bytes(struct listened *r)
{
	uint64_t all = 0;
	struct stat st;

	for (size_t i = 0; run_files_each(i); i++)
		if (fstatat(r->files.dir, run_files_each(i), &st, AT_SYMLINK_NOFOLLOW) == 0)
			all += (uint64_t)st.st_size;
	return all;
}

static void end_listened(struct listened *r)
{
	struct listen_runs *l = r->all;
	struct run_files_end end = { .ended_ns = r->run.last_ns, .lost_pieces = recorder_run_crowded(&r->run) };
	struct listen_closed told = { .run_id = r->files.run_id, .path = r->files.path,
				      .begun_ns = r->files.begun_ns, .ended_ns = end.ended_ns };
	struct run_end e = {
		.arena = &r->arena,
		.files = &r->files,
		.run = &r->run,
		.dot = l->o.dot,
		.budget = l->o.budget,
		.retrieval_set = l->o.retrieval_set,
		.trouble = tell_trouble,
		.context = r,
	};
	struct str error;
	struct err err;

	told.exit_status = listened_status(r, &end, &error);
	run_end_lines(&e, told.exit_status, error, &end);
	run_end_others(&e, &end, !r->trace.moved, r->files.content && !r->cassette.moved);
	told.is_whole = run_files_write_meta(&r->arena, &r->files, &end, &err);
	if (!told.is_whole)
		tell_trouble(r, ARENA_JOIN(&r->arena, STR("meta.json: "), str_from(err.text)));
	told.tally = end.tally;
	if (end.tally.counts[AT_MODEL_CALL] > r->calls) /* those that only telemetry told of */
		l->calls += end.tally.counts[AT_MODEL_CALL] - r->calls;
	told.bytes = count_bytes(r);
	l->closed++;
	l->open--;
	l->o.closed(l->o.context, &told);
}

static void close_run(struct listened *r)
{
	struct listen_runs *l = r->all;

	recorder_drop(l->recorder, &r->run);
	unlink_run(r);
	listen_index_leave(&l->index, &r->marks);
	wake(r);
	end_listened(r);
	run_files_close(&r->files);
	recorder_run_free(&r->run);
	listen_free(r);
}

static bool is_full_error(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/* meta.json as it is, once more: what a full disk does not take of that it would not take of the end either. */
static bool has_room_for_end(struct listened *r)
{
	struct arena a;
	struct err err;
	bool fails;

	if (!run_files_reopen(&r->files))
		return true; /* somebody took the directory away: waiting brings it not back */
	arena_init_small(&a);
	fails = !run_files_write_meta(&a, &r->files, NULL, &err) && is_full_error(err.errnum);
	arena_free(&a);
	run_files_close(&r->files);
	if (fails)
		note_full(r->all, err.text);
	return !fails;
}

/* Where the disk takes nothing, runs wait with their last lines: what is closed now would have no summary. */
void listen_runs_tick(struct listen_runs *l)
{
	int64_t now = l->o.now(l->o.context);
	uint64_t before = l->closed;
	struct listened *r = l->first, *next;

	for (; r && l->closed - before < LISTEN_RUNS_CLOSED && now - r->run.last_ns >= l->o.idle_ns; r = next) {
		next = r->after;
		if (r->run.slot_count)
			touch(r, now);
		else if (r->run.dirty)
			continue;
		else if (has_room_for_end(r))
			close_run(r);
		else
			break;
	}
	l->more = l->closed - before == LISTEN_RUNS_CLOSED;
	if (l->was_full && !l->is_full && !l->failed_ns) {
		l->was_full = false;
		l->o.full(l->o.context, NULL, l->unrecorded);
	}
	l->is_full = false;
}

void listen_runs_interrupt(struct listen_runs *l, int signal)
{
	for (struct listened *r = l->first; r; r = r->after)
		if (r->run.slot_count)
			r->signal = signal;
}

void listen_runs_close(struct listen_runs *l, struct listen_runs_tally *out)
{
	while (l->first)
		close_run(l->first);
	if (out)
		*out = listen_runs_tally(l);
	listen_index_free(&l->index);
	mem_free(l);
}

/* ---- whose it is ---- */

static struct listen_marks *find_key(struct listen_runs *l, enum listen_key kind, uint64_t digest)
{
	return digest ? listen_index_find(&l->index, listen_index_key(kind, digest), NULL) : NULL;
}

static uint64_t digest_of(struct str text)
{
	return text.n ? str_hash(text) | 1 : 0;
}

/* What a client says of itself decides: only without it do we conclude. */
static struct listen_marks *find_run(struct listen_runs *l, const struct observation *s, uint64_t name,
				     uint64_t session)
{
	struct listen_marks *m;

	if (name)
		return find_key(l, LISTEN_NAME, name);
	if (session)
		return find_key(l, LISTEN_SESSION, session);
	m = listen_index_goes_on(&l->index, s);
	if (!m)
		m = find_key(l, LISTEN_TRACE, s->trace);
	return m ? m : listen_index_told(&l->index, s);
}

static void note_keys(struct listened *r, uint64_t name, uint64_t session, uint64_t trace)
{
	const struct { enum listen_key kind; uint64_t digest; } keys[] = {
		{ LISTEN_NAME, name }, { LISTEN_SESSION, session }, { LISTEN_TRACE, trace },
	};

	for (size_t i = 0; i < COUNT(keys); i++)
		if (keys[i].digest)
			listen_index_add(&r->all->index, &r->marks, listen_index_key(keys[i].kind, keys[i].digest));
}

static struct recorder_run *choose_listened(void *context, const struct observation *s, const struct http_head *h)
{
	struct listen_runs *l = context;
	struct str name = http_find(h, STR("x-trackway-run"));
	uint64_t named = digest_of(name), session = digest_of(s->session);
	struct listen_marks *m = find_run(l, s, named, session);
	struct listened *r = m ? of_marks(m) : NULL;

	if (!r && s->kind != OBSERVED_MODEL)
		return NULL;
	if (!r)
		r = begin_listened(l, s->begun_ns, name, s->session);
	if (!r) {
		l->unrecorded++;
		l->unmarked++;
		return NULL;
	}
	note_keys(r, named, session, s->trace);
	if (s->kind == OBSERVED_MODEL)
		listen_index_asked(&l->index, &r->marks, s);
	touch(r, s->begun_ns);
	return &r->run;
}

/* The end of what nobody saw begin is worth no run; telemetry tells whole calls when they are over. */
static bool begins_run(const struct sighting *s)
{
	bool ends = s->kind == SIGHT_TOOL_END || s->kind == SIGHT_WAIT_END || s->kind == SIGHT_AGENT_END ||
		    s->kind == SIGHT_COMMAND_END;

	if (s->kind == SIGHT_TAPE || (ends && s->layer != SIGHT_OTLP))
		return false;
	return s->run.n || s->session.n || (s->layer == SIGHT_OTLP && s->trace.n);
}

/* What tells of a session may come before its first request, or without any. A name decides alone, as for requests. */
static struct recorder_run *choose_sighted(void *context, const struct sighting *s)
{
	struct listen_runs *l = context;
	uint64_t name = digest_of(s->run), session = digest_of(s->session), trace = digest_of(s->trace);
	struct listen_marks *m = find_key(l, LISTEN_NAME, name);
	struct listened *r;
	int64_t ns = s->begun_ns > 0 ? s->begun_ns : s->ended_ns > 0 ? s->ended_ns : l->o.now(l->o.context);

	if (!m && !name)
		m = find_key(l, LISTEN_SESSION, session);
	if (!m && !name)
		m = find_key(l, LISTEN_TRACE, trace);
	if (!m && !name)
		m = listen_index_seen(&l->index, s);
	if (!m && !begins_run(s))
		return NULL;
	r = m ? of_marks(m) : begin_listened(l, ns, s->run, s->session);
	if (!r)
		return NULL;
	note_keys(r, name, session, trace);
	touch(r, l->o.now(l->o.context));
	return &r->run;
}

static void end_chosen(void *context, struct recorder_run *run, const struct observation *s)
{
	struct listen_runs *l = context;
	struct listened *r = of_run(run);

	touch(r, s->ended_ns);
	if (s->kind != OBSERVED_MODEL)
		return;
	l->calls++;
	r->calls++;
	l->failed += s->failed;
	listen_index_answered(&l->index, &r->marks, s);
}

static void wake_run(void *context, struct recorder_run *run)
{
	(void)context;
	wake(of_run(run));
}

static void rest_run(void *context, struct recorder_run *run, bool done)
{
	struct listened *r = of_run(run);
	const struct line_file *t = r->trace.failure.kind != ERR_NONE ? &r->trace : &r->cassette;

	if (!done && r->trace.fd >= 0)
		note_full(context, t->failure.kind != ERR_NONE ? t->failure.text : "writing stopped");
	park(r);
}

struct recorder_chooser listen_runs_chooser(struct listen_runs *l)
{
	return (struct recorder_chooser){ .exchange = choose_listened, .sighting = choose_sighted, .ended = end_chosen,
					  .wake = wake_run, .flushed = rest_run, .context = l };
}
