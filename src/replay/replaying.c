/* The run is found and checked, played in the recorder, and judged by what the player noted and what both runs left. */
#include "replay/replaying.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/output.h"
#include "capture/run_declared.h"
#include "proc/isolate.h"
#include "replay/mcp_lane.h"
#include "replay/stage.h"
#include "replay/tape_status.h"
#include "transform/redact.h"

#define REDACTED_FILE "redacted.jsonl"
#define CASSETTE_MOST ((size_t)4 << 30)
#define LEFT_MS 1000 /* for processes that the command left behind to end */

static const char *const verdict_names[] = {
	[VERDICT_EXACT] = "EXACT",
	[VERDICT_EQUIVALENT] = "EQUIVALENT",
	[VERDICT_DIVERGED] = "DIVERGED",
	[VERDICT_INCOMPLETE] = "INCOMPLETE",
	[VERDICT_NOT_REPLAYABLE] = "NOT_REPLAYABLE",
};

const char *verdict_name(enum verdict v)
{
	return verdict_names[v];
}

const char *replay_mode_name(enum replay_mode m)
{
	static const char *const names[] = { "all stubbed", "live tools", "live model", "live from the fork on",
					     "update" };

	return names[m];
}

const char *replaying_mode(const struct replaying_outcome *out)
{
	return out->serves ? "served" : replay_mode_name(out->mode);
}

/* ---- the run ---- */

struct play {
	struct arena *arena;
	const struct replaying_options *o;
	struct replaying_outcome *out;
	struct str dir;      /* of the recorded run: where its cassette is */
	struct str cassette;
	char place[64];      /* a directory of ours, removed at the end */
	int place_fd;
	struct recording_outcome recording;
	struct stage *stage;
	struct isolation isolation;
};

static bool refuse(struct play *p, enum replay_refusal why)
{
	p->out->verdict = VERDICT_NOT_REPLAYABLE;
	p->out->refusal = why;
	return false;
}

/* A file means itself; of a directory its cassette is meant. False: there is a verdict already. */
static bool find_cassette(struct play *p)
{
	struct str run = p->o->run;

	if (!file_is_dir(run)) {
		p->cassette = run;
		p->dir = str_dirname(run);
		return !str_eq(str_basename(run), STR("agent-trace.jsonl")) || refuse(p, REFUSAL_TRACE);
	}
	p->dir = run;
	p->cassette = ARENA_JOIN(p->arena, run, STR("/cassette.jsonl"));
	return access(p->cassette.p, F_OK) == 0 || refuse(p, REFUSAL_NO_CASSETTE);
}

/* The run's own list of files names the cassette's digest; a cassette alone has none. */
static bool check_meta(struct play *p, struct err *err)
{
	struct str meta = ARENA_JOIN(p->arena, p->dir, STR("/meta.json"));
	struct run_declared said;

	if (!file_is_dir(p->o->run) || access(meta.p, F_OK) != 0)
		return true;
	if (!run_declared_read(p->arena, p->dir, &said, err))
		return false;
	if (said.cassette_sha256.n && !str_eq(said.cassette_sha256, p->out->tape.sha256))
		refuse(p, REFUSAL_CHANGED);
	return true;
}

/* Tokens of another key are never the recorded ones: every request would be a miss. */
static bool is_other_key(const struct play *p)
{
	const struct tape *t = &p->out->tape;

	return p->o->redact && t->redacted_with.n && !str_eq(redact_key_id(p->o->redact), t->redacted_with);
}

static bool check_tape(struct play *p)
{
	const struct tape *t = &p->out->tape;

	if (p->o->pinned && !p->o->pinned(p->o->pin_context, t))
		return refuse(p, REFUSAL_PIN);
	if (t->redacted && is_other_key(p))
		return refuse(p, REFUSAL_KEY);
	if (t->redacted && p->o->redact) {
		p->out->redacted_with = t->redacted_with;
		redact_set_mode(p->o->redact, t->redacted_secrets ? REDACT_SECRETS : REDACT_CONTENT);
	} else if (t->redacted && !p->o->allow_redacted) {
		return refuse(p, REFUSAL_REDACTED);
	}
	if (t->count == 0)
		return refuse(p, REFUSAL_EMPTY);
	for (size_t i = 0; i < t->count; i++)
		if (tape_status_is_lost(&t->lines[i])) {
			p->out->lost_x = t->lines[i].x;
			return refuse(p, REFUSAL_LOST);
		}
	return true;
}

/* ---- playing ---- */

static bool make_place(struct play *p, struct err *err)
{
	snprintf(p->place, sizeof(p->place), "/tmp/trackway-replay-XXXXXX");
	if (!mkdtemp(p->place))
		return err_system(err, errno, "no directory can be made in /tmp");
	p->place_fd = open(p->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return p->place_fd >= 0 || err_system(err, errno, "%s", p->place);
}

/* The names are ours: what a recording writes, and the two logs. */
static void remove_place(struct play *p)
{
	static const char *const names[] = { "agent-trace.jsonl", "summary.json", "meta.json", "cassette.jsonl",
					     "run.otutl.jsonl", "trajectory.jsonl", "stdout" };
	char path[128];

	if (p->place_fd < 0)
		return;
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "run/%s", names[i]);
		unlinkat(p->place_fd, path, 0);
	}
	unlinkat(p->place_fd, "run", AT_REMOVEDIR);
	unlinkat(p->place_fd, "recorded.otutl.jsonl", 0);
	unlinkat(p->place_fd, "live.otutl.jsonl", 0);
	unlinkat(p->place_fd, REDACTED_FILE, 0);
	close(p->place_fd);
	rmdir(p->place);
}

static bool uses_shell(const struct tape *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->lines[i].lane == TAPE_SHELL)
			return true;
	return false;
}

static void isolate(struct play *p)
{
	struct replaying_outcome *out = p->out;
	struct err err;

	if (p->o->share_network || p->o->mode >= REPLAY_LIVE_MODEL)
		return;
	out->isolated = isolate_network(&p->isolation, &err);
	if (!out->isolated)
		out->not_isolated = arena_copy(p->arena, str_from(err.text));
}

/* A replay that asks services makes a run of its own, which is kept and says where it comes from. */
static bool makes_run(const struct play *p)
{
	return p->o->mode >= REPLAY_FORK;
}

/* The log of the recorded run; its hash is that of the file beside the cassette, which says what was declared too. */
static bool read_recorded(struct play *p, struct err *err)
{
	struct str place = str_from(p->place), log = ARENA_JOIN(p->arena, p->dir, STR("/run.otutl.jsonl"));
	struct replaying_outcome *out = p->out;
	struct origin file = { .run_hash = { NULL, 0 } };

	if (!origin_make(p->arena, p->cassette, p->place_fd, ARENA_JOIN(p->arena, place, STR("/recorded.otutl.jsonl")),
			 STR("recorded.otutl.jsonl"), NULL, 0, &out->recorded, err))
		return false;
	if (!makes_run(p))
		return true;
	if (access(log.p, F_OK) == 0 && !origin_hash_file(p->arena, log, &file, err))
		return false;
	out->forked_run = file.run_hash.p ? file.run_hash : out->recorded.run_hash;
	if (!out->forked_run.p)
		return err_set(err, ERR_DATA, "%.*s: the run's log has no hash that a new run could name" ERR_HELP
			       "'trackway validate' says what is wrong with it", STR_ARG(p->o->run));
	return p->o->mode != REPLAY_FORK ||
	       fork_init(&out->fork, &out->recorded, &out->tape, p->o->from, err);
}

static struct str lineage_of(const struct play *p)
{
	if (!makes_run(p))
		return str_of(NULL, 0);
	return arena_printf(p->arena, "{\"run_hash\":\"%.*s\",\"seq\":%llu}", STR_ARG(p->out->forked_run),
			    (unsigned long long)p->out->fork.seq);
}

/* Where the files of this run are. */
static struct str live_dir(const struct play *p)
{
	return p->out->dir.p ? p->out->dir : ARENA_JOIN(p->arena, str_from(p->place), STR("/run"));
}

static bool play_run(struct play *p, struct err *err)
{
	const struct replaying_options *o = p->o;
	struct replaying_outcome *out = p->out;
	struct recording_options r = {
		.argv = o->argv,
		.env = o->env,
		.routes = o->routes,
		.plan = o->plan,
		.dir = o->dir.p || makes_run(p) ? o->dir : live_dir(p),
		.content = true,
		.shell = uses_shell(&out->tape),
		.program = o->program,
		.intercept = o->plan && o->plan->intercept,
		.unlisted = !o->dir.p && !makes_run(p),
		.forked_from = lineage_of(p),
		.no_websocket = makes_run(p),
		.child_out = o->child_out,
	};

	isolate(p);
	p->stage = out->stage = stage_new(p->arena, o, &out->tape);
	if (o->mode == REPLAY_FORK)
		stage_fork(p->stage, &out->fork);
	r.stage = stage_recording(p->stage);
	if (!makes_run(p))
		isolate_keep_processes();
	if (!recording_run(p->arena, &r, &p->recording, err))
		return false;
	if (!makes_run(p)) /* nobody answers them any more, and one that tries again would do so for ever */
		isolate_end_processes(LEFT_MS);
	out->attempts = out->isolated ? isolate_attempts(&p->isolation) : 0;
	out->dir = makes_run(p) ? p->recording.run.path : o->dir;
	out->made_run = p->recording.run.run_id;
	out->troubles = p->recording.troubles;
	out->asked = p->recording.asked;
	out->exit_live = p->recording.end.signal ? 128 + p->recording.end.signal : p->recording.end.status;
	return true;
}

/* ---- judging ---- */

static void note_plain(struct play *p, enum divergence_class c, struct str sentence)
{
	struct divergence d = { .class = c, .fatal = true, .seq = -1, .sentence = sentence };

	player_note(stage_player(p->stage), &d);
}

/* What was left out in the middle is another run; what comes behind its end may be the same one, ended early. */
static void judge_unused(struct play *p)
{
	struct player *player = stage_player(p->stage);
	const struct match_entry *e;
	size_t at = 0;

	while ((e = match_next_unused(player_match(player), &at))) {
		struct divergence d = {
			.class = DIVERGENCE_UNCONSUMED, .fatal = true, .has_x = true, .x = e->x, .group = e->group,
			.seq = -1, .lane = e->q.lane,
		};

		if (p->o->mode == REPLAY_FORK && !fork_is_before(&p->out->fork, e->x))
			continue;
		if (stage_covers(p->stage, e)) {
			p->out->covered++;
			continue;
		}
		if (match_is_passed(player_match(player), e))
			d.class = DIVERGENCE_MISSING_CALL;
		d.sentence = arena_printf(p->arena, "request %llu (%.*s) was recorded and %s",
					  (unsigned long long)e->x, STR_ARG(player_name_question(p->arena, &e->q)),
					  d.class == DIVERGENCE_MISSING_CALL ? "left out" : "not made");
		player_note(player, &d);
	}
}

/* A divergence of the output: where it begins, in bytes and in lines of this run. */
static void note_output(struct play *p, const struct match_difference *f, struct str is)
{
	struct divergence d = { .class = DIVERGENCE_OUTPUT_MISMATCH, .fatal = true, .seq = -1, .lane = STR("stdout"),
				.difference = *f };
	struct replaying_outcome *out = p->out;

	out->output_line = out->output_column = 1;
	for (uint64_t at = 0; at < f->byte && at < is.n; at++) {
		bool ends = is.p[at] == '\n';

		out->output_line += ends;
		out->output_column = ends ? 1 : out->output_column + 1;
	}
	d.sentence = arena_printf(p->arena, "standard output differs from byte %llu on (line %llu, column %llu)",
				  (unsigned long long)f->byte, (unsigned long long)out->output_line,
				  (unsigned long long)out->output_column);
	player_note(stage_player(p->stage), &d);
}

static void note_output_values(struct play *p, const struct match_result *r)
{
	struct divergence d = { .class = DIVERGENCE_VOLATILE_SUBSTITUTION, .seq = -1, .lane = STR("stdout"),
				.difference = r->difference };

	d.sentence = arena_printf(p->arena, "values of standard output: %zu, the first at byte %llu", r->swap_count,
				  (unsigned long long)r->difference.byte);
	player_note(stage_player(p->stage), &d);
}

static size_t list_swaps(struct play *p, struct origin_swap **out)
{
	struct divergence *d = player_divergences(stage_player(p->stage));
	size_t n = 0, cap = 0;

	*out = NULL;
	for (; d; d = d->next) {
		if (d->class != DIVERGENCE_VOLATILE_SUBSTITUTION || !d->has_x)
			continue; /* those of the output are no values alone */
		arena_grow(p->arena, *out, n, cap, 16);
		(*out)[n++] = (struct origin_swap){ d->difference.got, d->difference.expected };
	}
	return n;
}

static bool has_digest(struct str text, struct digest wanted)
{
	struct sha256 sha;
	bool has;

	sha256_init(&sha);
	has = digest_eq(sha256_of(&sha, text), wanted);
	sha256_free(&sha);
	return has;
}

/* Of the file of a run; empty where it cannot be read. */
static struct str read_output(struct play *p, struct str dir)
{
	struct str text;
	struct err err;

	return file_read(p->arena, ARENA_JOIN(p->arena, dir, STR("/" OUTPUT_FILE)), OUTPUT_KEPT, &text, &err) ? text
													      : STR("");
}

/*
 * By the digests, which are of all bytes and stand in the cassette; the files are there to say where they differ, and
 * may have gone, or have been changed since.
 */
static void judge_output(struct play *p, const struct origin_swap *swaps, size_t count)
{
	const struct output_tally *live = &p->recording.output;
	struct replaying_outcome *out = p->out;
	struct match_result r;
	struct str was, is;
	struct digest recorded;
	char *hex;

	if (!out->tape.ending.has_output || !digest_parse(out->tape.ending.output_sha256, &recorded) ||
	    out->tape.redacted || makes_run(p) || !p->recording.has_output || live->terminal)
		return;
	out->output_compared = true;
	out->output_equal = digest_eq(live->sha256, recorded);
	hex = arena_alloc(p->arena, SHA256_HEX, 1);
	digest_hex(hex, live->sha256);
	out->output_sha256 = str_of(hex, SHA256_HEX);
	if (out->output_equal)
		return;
	is = read_output(p, live_dir(p));
	if (has_digest(origin_swap_all(p->arena, is, swaps, count), recorded))
		return;
	was = read_output(p, p->dir);
	if (has_digest(was, recorded) && match_output(player_match(stage_player(p->stage)), p->arena, was, is, &r) &&
	    has_digest(is, live->sha256))
		note_output_values(p, &r);
	else if (has_digest(was, recorded))
		note_output(p, &r.difference, is);
	else
		note_plain(p, DIVERGENCE_OUTPUT_MISMATCH,
			   STR("standard output has another digest than the recorded one; where it differs is not "
			       "known, since the run's file " OUTPUT_FILE " is not there or has other bytes"));
}

static void judge_exit(struct play *p)
{
	struct replaying_outcome *out = p->out;

	out->exit_recorded = out->tape.ending.known ? out->tape.ending.code : -1;
	if (out->exit_recorded >= 0 && out->exit_recorded != out->exit_live)
		note_plain(p, DIVERGENCE_EXIT_STATUS,
			   arena_printf(p->arena, "the command ended with %d and is recorded with %d", out->exit_live,
					out->exit_recorded));
}

/* What a client of MCP sent besides requests, and this one did not. */
static void note_unsaid(void *context, const struct mcp_instance *i, const struct tape_line *line, struct str method,
			bool is_answer)
{
	struct play *p = context;
	struct player *player = stage_player(p->stage);
	struct match_entry e = { .begun_us = line->begun_us, .ended_us = line->begun_us };
	struct divergence d = { .class = DIVERGENCE_UNCONSUMED, .fatal = is_answer || !rpc_is_idle(method),
				.has_x = true, .x = line->x, .group = line->group, .seq = -1, .lane = i->lane };

	if (p->o->mode == REPLAY_FORK && !fork_is_before(&p->out->fork, line->x))
		return;
	if (stage_covers(p->stage, &e)) {
		p->out->covered++;
		return;
	}
	if (match_went_past(player_match(player), line->x))
		d.class = DIVERGENCE_MISSING_CALL;
	d.sentence = ARENA_JOIN(p->arena, STR("the client did not "), is_answer ? STR("answer ") : STR("send "),
				method.p ? method : STR("a line"), STR(", as it did in the recording"));
	player_note(player, &d);
}

static bool has_any(const struct replaying_outcome *out, const enum divergence_class *classes, size_t n)
{
	for (const struct divergence *d = out->divergences; d; d = d->next)
		for (size_t i = 0; i < n && d->fatal; i++)
			if (d->class == classes[i])
				return true;
	return false;
}

/* As far as it is known. */
static bool is_same_behavior(const struct replaying_outcome *out)
{
	return !out->recorded.behavior_hash.p || str_eq(out->recorded.behavior_hash, out->live.behavior_hash);
}

/* There is no output to compare with: the requests alone tell. */
static enum verdict verdict_of_requests(const struct replaying_outcome *out)
{
	for (const struct divergence *d = out->divergences; d; d = d->next)
		if (!d->behind)
			return VERDICT_EQUIVALENT;
	return out->tape.redacted && !out->redacted_with.p ? VERDICT_EQUIVALENT : VERDICT_EXACT;
}

/* A miss is DIVERGED even when requests are left over; a command that ended early is INCOMPLETE, whatever it said. */
static enum verdict verdict_of(const struct replaying_outcome *out)
{
	static const enum divergence_class early[] = { DIVERGENCE_TIMEOUT, DIVERGENCE_UNCONSUMED };
	static const enum divergence_class late[] = { DIVERGENCE_OUTPUT_MISMATCH, DIVERGENCE_EXIT_STATUS };
	static const enum divergence_class asked[] = {
		DIVERGENCE_REQUEST_MISMATCH, DIVERGENCE_EXTRA_CALL, DIVERGENCE_MISSING_CALL, DIVERGENCE_ORDER,
		DIVERGENCE_PARAM_CHANGED, DIVERGENCE_PROTOCOL, DIVERGENCE_TOOL_DRIFT,
	};

	if (has_any(out, asked, COUNT(asked)))
		return VERDICT_DIVERGED;
	if (has_any(out, early, COUNT(early)) || (out->mode == REPLAY_FORK && !out->fork.is_parted))
		return VERDICT_INCOMPLETE;
	if (has_any(out, late, COUNT(late)))
		return VERDICT_DIVERGED;
	if (out->mode == REPLAY_FORK || out->serves)
		return verdict_of_requests(out);
	if (out->divergences || out->covered || out->mode != REPLAY_STUBBED ||
	    (out->tape.redacted && !out->redacted_with.p))
		return VERDICT_EQUIVALENT;
	if (out->output_equal || (out->redacted_with.p && is_same_behavior(out)))
		return VERDICT_EXACT;
	return VERDICT_EQUIVALENT;
}

/* Where in the recorded run's log each divergence is; the first fatal one is the first divergence. */
static void place_divergences(struct play *p)
{
	struct replaying_outcome *out = p->out;

	out->divergences = player_divergences(stage_player(p->stage));
	for (struct divergence *d = out->divergences; d; d = d->next) {
		if (d->has_x)
			d->seq = origin_seq(&out->recorded, d->x);
		if (d->fatal && !out->first)
			out->first = d;
		out->counts[d->class]++;
	}
}

/* The cassette of this run, as it would be redacted with the key of the recorded one; the path of its file. */
static bool redact_live(struct play *p, struct str *path, struct err *err)
{
	struct json_issue issue;
	struct str text, line;
	struct buf out;
	bool good;

	if (!file_read(p->arena, *path, CASSETTE_MOST, &text, err))
		return false;
	buf_init(&out);
	for (good = true; good && text.n;) {
		line = str_cut(text, '\n', &text);
		good = redact_line(p->o->redact, line, &out, &issue);
	}
	redact_flush(p->o->redact, &out);
	good = good && file_place(p->place_fd, STR(REDACTED_FILE), buf_str(&out), 0600, err);
	buf_free(&out);
	*path = ARENA_JOIN(p->arena, str_from(p->place), STR("/" REDACTED_FILE));
	return good;
}

/* What this run did, by the words of the recorded one. Nothing is known of it where it cannot be read. */
static void read_live(struct play *p, const struct origin_swap *swaps, size_t count)
{
	struct str path = ARENA_JOIN(p->arena, live_dir(p), STR("/cassette.jsonl"));
	struct str log = ARENA_JOIN(p->arena, str_from(p->place), STR("/live.otutl.jsonl"));
	struct err err;

	if ((p->out->redacted_with.p && !redact_live(p, &path, &err)) ||
	    !origin_make(p->arena, path, p->place_fd, log, STR("live.otutl.jsonl"), swaps, count, &p->out->live, &err))
		p->out->live = (struct origin){ .tools = NULL };
}

/* The requests are the new model's own: whether it did the same is told by what the run did and said. */
static void judge_behavior(struct play *p)
{
	if (p->o->mode == REPLAY_LIVE_MODEL && !is_same_behavior(p->out))
		note_plain(p, DIVERGENCE_OUTPUT_MISMATCH,
			   STR("what was said and done is not what was recorded: another behavior_hash"));
}

/* All is noted. */
static void judge_notes(struct play *p)
{
	struct replaying_outcome *out = p->out;

	place_divergences(p);
	out->tally = match_tally(player_match(stage_player(p->stage)));
	out->tools = player_tools(stage_player(p->stage));
	out->unverified = stage_unverified(p->stage);
	out->verdict = verdict_of(out);
}

static void judge(struct play *p)
{
	struct origin_swap *swaps;
	size_t count;

	if (p->recording.timed_out)
		note_plain(p, DIVERGENCE_TIMEOUT, STR("the command did not end in time, and was ended"));
	judge_unused(p);
	if (stage_mcp(p->stage))
		mcp_lane_list_unsaid(stage_mcp(p->stage), note_unsaid, p);
	if (p->o->mode != REPLAY_FORK)
		judge_exit(p);
	count = list_swaps(p, &swaps);
	judge_output(p, swaps, count);
	read_live(p, swaps, count);
	judge_behavior(p);
	judge_notes(p);
}

/*
 * False with *err, or with a refusal in the outcome: nothing can be played. That a cassette is not the run's own comes
 * before what is wrong inside of it.
 */
static bool load_tape(struct play *p, struct err *err)
{
	struct err damage = { .kind = ERR_NONE };
	bool loaded;

	if (!find_cassette(p))
		return false;
	loaded = tape_load(p->arena, p->cassette, &p->out->tape, &damage);
	if (p->out->tape.sha256.n && !check_meta(p, err))
		return false;
	if (p->out->refusal)
		return false;
	if (!loaded)
		*err = damage;
	return loaded && check_tape(p);
}

bool replaying_look(struct arena *a, struct str run, struct replaying_outcome *out, struct err *err)
{
	struct replaying_options o = { .run = run };
	struct play p = { .arena = a, .o = &o, .out = out, .place_fd = -1 };

	*out = (struct replaying_outcome){ .exit_recorded = -1, .exit_live = -1 };
	return load_tape(&p, err) || out->refusal;
}

bool replaying_run(struct arena *a, const struct replaying_options *o, struct replaying_outcome *out,
		   struct err *err)
{
	struct play p = { .arena = a, .o = o, .out = out, .place_fd = -1 };
	bool done;

	*out = (struct replaying_outcome){ .mode = o->mode, .exit_recorded = -1, .exit_live = -1 };
	if (!load_tape(&p, err))
		return out->refusal;
	done = make_place(&p, err) && read_recorded(&p, err) && play_run(&p, err);
	if (done)
		judge(&p);
	remove_place(&p);
	return done;
}

static bool serve_stage(struct play *p, const struct replaying_host *host, struct err *err)
{
	struct tape_server *server;

	p->stage = p->out->stage = stage_new(p->arena, p->o, &p->out->tape);
	server = stage_listen(p->stage, host, err);
	return server && host->serve(host->own, server, err);
}

bool replaying_serve(struct arena *a, const struct replaying_options *o, const struct replaying_host *host,
		     struct replaying_outcome *out, struct err *err)
{
	struct play p = { .arena = a, .o = o, .out = out, .place_fd = -1 };
	bool done;

	*out = (struct replaying_outcome){ .mode = o->mode, .serves = true, .exit_recorded = -1, .exit_live = -1 };
	if (!load_tape(&p, err))
		return out->refusal;
	done = make_place(&p, err) && read_recorded(&p, err) && serve_stage(&p, host, err);
	if (done) {
		judge_unused(&p);
		judge_notes(&p);
	}
	remove_place(&p);
	return done;
}

void replaying_free(struct replaying_outcome *out)
{
	if (out->stage)
		stage_close(out->stage);
	out->stage = NULL;
}
