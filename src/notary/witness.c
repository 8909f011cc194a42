/*
 * Everything that needs no state is checked first; then, under the lock, the state is read, the checkpoint held against
 * it, signed, and written back before anybody sees the line.
 */
#include "notary/witness.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/crypto/base64.h"
#include "base/num.h"
#include "notary/witness_key.h"

#define HASH_TEXT 44          /* characters of a hash in base64 */
#define STATE_MODE 0644
#define NANOS 1000000000

#define MEDIA_TEXT "text/plain; charset=utf-8"

/* ---- the body of a question ---- */

/* Plain digits without a leading zero: the only way to write it. */
static bool parse_size(struct str text, uint64_t *out)
{
	return text.n > 0 && (text.p[0] != '0' || text.n == 1) && num_parse_u64(text, out) && *out <= INT64_MAX;
}

/* Canonical only: what is written back must be what was read. */
static bool parse_hash(struct str text, struct digest *out)
{
	struct buf bytes, again;
	bool good;

	buf_init(&bytes);
	buf_init(&again);
	good = text.n == HASH_TEXT && base64_parse(&bytes, text) && bytes.n == SHA256_SIZE;
	if (good) {
		base64_add(&again, buf_str(&bytes));
		good = str_eq(buf_str(&again), text);
		memcpy(out->b, bytes.p, SHA256_SIZE);
	}
	buf_free(&again);
	buf_free(&bytes);
	return good;
}

bool witness_parse(struct str body, struct witness_ask *out, const char **why)
{
	struct str line = STR("");

	*out = (struct witness_ask){ .old = 0 };
	*why = "the first line must be \"old\", a space and a size";
	if (!note_next_line(&body, &line) || !str_starts(line, STR("old ")) ||
	    !parse_size(str_skip(line, 4), &out->old))
		return false;
	for (;;) {
		*why = "an empty line must part the proof from the checkpoint";
		if (!note_next_line(&body, &line))
			return false;
		if (line.n == 0)
			break;
		*why = "a proof has at most 63 lines";
		if (out->proof.count == TREE_PROOF_MAX)
			return false;
		*why = "a line of the proof must be one hash in base64";
		if (!parse_hash(line, &out->proof.hashes[out->proof.count]))
			return false;
		out->proof.count++;
	}
	*why = "the checkpoint is missing";
	out->note = body;
	return body.n > 0;
}

void witness_add_text(struct buf *out, const struct witness_ask *ask)
{
	buf_printf(out, "old %llu\n", (unsigned long long)ask->old);
	for (size_t i = 0; i < ask->proof.count; i++) {
		base64_add(out, str_of(ask->proof.hashes[i].b, SHA256_SIZE));
		buf_add_byte(out, '\n');
	}
	buf_add_byte(out, '\n');
	buf_add_str(out, ask->note);
}

/* ---- the state ---- */

struct witness {
	const struct io *io;
	struct arena arena;
	struct str dir, lock_path;
	const struct signer *signer;
	const struct key *logs;
	size_t log_count;
	int64_t (*now_ns)(void);
	int lock;
	struct sha256 sha;
};

/* What is known of a log: the size and root cosigned last; those of the empty tree at first. */
struct seen {
	uint64_t size;
	struct digest root;
};

/* <dir>/<hex SHA-256 of the origin>, in the arena: an origin may hold slashes, or be too long for a name. */
static const char *state_path(struct witness *w, struct arena *a, struct str origin)
{
	char hex[SHA256_HEX];

	digest_hex(hex, sha256_of(&w->sha, origin));
	return arena_printf(a, "%.*s/%.*s", STR_ARG(w->dir), SHA256_HEX, hex).p;
}

/*
 * The file is the last checkpoint with our own cosignature, so that what a disk or a hand has changed is not believed:
 * an older size would let a log take entries back.
 */
static bool read_state(struct witness *w, struct arena *a, const char *path, struct str origin, struct seen *out,
		       struct err *err)
{
	struct note *note = arena_new(a, struct note);
	struct checkpoint c;
	const char *why = "our cosignature of it does not hold";
	struct str text;
	bool found;

	*out = (struct seen){ .size = 0, .root = sha256_of(&w->sha, STR("")) };
	if (!io_read_file(w->io, a, path, NOTE_MAX, &text, &found, err))
		return false;
	if (!found)
		return true;
	if (!note_parse(text, note, &why) || note_check(note, &w->signer->key, NULL) != NOTE_GOOD ||
	    !checkpoint_parse(note->text, &c, &why) || !str_eq(c.origin, origin))
		return err_set(err, ERR_DATA,
			       "%s: the state of a log is damaged (%s)" ERR_HELP
			       "restore it from a copy that is as new "
			       "as the last cosignature given; removing it would make the witness forget the log",
			       path, why);
	out->size = c.size;
	out->root = c.root;
	return true;
}

/* The text with our own cosignature, which read_state asks for. Durable when it returns true. */
static bool write_state(struct witness *w, struct arena *a, const char *path, struct str text, struct str line,
			struct err *err)
{
	struct str bytes = ARENA_JOIN(a, text, STR("\n"), line);

	return io_put(w->io, path, bytes, STATE_MODE, false, err) && io_sync_dir(w->io, w->dir.p, err);
}

/* ---- opening ---- */

struct witness *witness_open(const struct witness_options *o, struct err *err)
{
	struct witness *w = mem_alloc(sizeof(*w));

	*w = (struct witness){
		.io = o->io ? o->io : &io_system,
		.signer = o->signer,
		.logs = o->logs,
		.log_count = o->log_count,
		.now_ns = o->now_ns,
		.lock = -1,
	};
	arena_init(&w->arena);
	sha256_init(&w->sha);
	w->dir = arena_copy(&w->arena, o->dir);
	w->lock_path = arena_printf(&w->arena, "%.*s/lock", STR_ARG(w->dir));
	if (witness_make_dir(w->io, &w->arena, w->dir, err)) {
		w->lock = w->io->ops->open(w->io->own, w->lock_path.p, IO_CREATE, STATE_MODE);
		if (w->lock >= 0)
			return w;
		err_system(err, -w->lock, "%s: cannot open", w->lock_path.p);
	}
	witness_close(w);
	return NULL;
}

void witness_close(struct witness *w)
{
	if (!w)
		return;
	if (w->lock >= 0)
		w->io->ops->close(w->io->own, w->lock);
	sha256_free(&w->sha);
	arena_free(&w->arena);
	mem_free(w);
}

/* ---- the rules ---- */

static void say(struct witness_answer *out, int status, struct arena *a, const char *sentence)
{
	*out = (struct witness_answer){
		.status = status, .media = MEDIA_TEXT, .body = arena_printf(a, "%s\n", sentence),
	};
}

/* A 409, by which the asker learns where to prove from. */
static void say_size(struct witness_answer *out, struct arena *a, uint64_t size)
{
	*out = (struct witness_answer){
		.status = 409,
		.media = WITNESS_MEDIA_SIZE,
		.body = arena_printf(a, "%llu\n", (unsigned long long)size),
	};
}

/* Clients are not told of our paths. */
static void say_trouble(struct witness_answer *out, struct arena *a, const struct err *err)
{
	say(out, 500, a, "the witness cannot keep its state; nothing was cosigned");
	out->trouble = arena_copy(a, str_from(err->text));
}

/* The status: 200 when a key that is trusted for the origin signed the note, and none of them badly. */
static int check_signatures(const struct witness *w, const struct note *note, struct str origin)
{
	bool known = false, good = false, bad = false;

	for (size_t i = 0; i < w->log_count; i++) {
		if (!str_eq(w->logs[i].name, origin))
			continue;
		known = true;
		switch (note_check(note, &w->logs[i], NULL)) {
		case NOTE_GOOD:
			good = true;
			break;
		case NOTE_BAD:
			bad = true;
			break;
		case NOTE_ABSENT:
			break;
		}
	}
	return !known ? 404 : good && !bad ? 200 : 403;
}

/* Whether the checkpoint continues what was seen; else the answer is written. */
static bool continues(struct witness *w, struct arena *a, const struct witness_ask *ask, const struct checkpoint *c,
		      const struct seen *seen, struct witness_answer *out)
{
	if (ask->old != seen->size) {
		say_size(out, a, seen->size);
		return false;
	}
	if (c->size == seen->size && !digest_eq(c->root, seen->root)) {
		say_size(out, a, seen->size);
		return false;
	}
	if ((ask->old == 0 && ask->proof.count > 0) ||
	    !tree_is_consistent(&w->sha, ask->old, c->size, seen->root, c->root, ask->proof.hashes, ask->proof.count)) {
		say(out, 422, a, "the consistency proof does not hold");
		return false;
	}
	return true;
}

static uint64_t seconds_now(const struct witness *w)
{
	int64_t ns = w->now_ns ? w->now_ns() : (int64_t)clock_wall_ns();

	return ns > 0 ? (uint64_t)ns / NANOS : 0;
}

/* Under the lock. False with *err when the state could not be read or kept; then nothing was promised. */
static bool decide(struct witness *w, struct arena *a, const struct witness_ask *ask, struct str text,
		   const struct checkpoint *c, struct witness_answer *out, struct err *err)
{
	const char *path = state_path(w, a, c->origin);
	struct seen seen;
	struct buf line;
	bool done;

	if (!read_state(w, a, path, c->origin, &seen, err))
		return false;
	if (!continues(w, a, ask, c, &seen, out))
		return true;
	buf_init(&line);
	done = cosignature_add_line(&line, text, w->signer, seconds_now(w), err) &&
	       write_state(w, a, path, text, buf_str(&line), err);
	if (done)
		*out = (struct witness_answer){
			.status = 200, .media = MEDIA_TEXT, .body = arena_copy(a, buf_str(&line)),
		};
	buf_free(&line);
	return done;
}

/* Waits, however long. 0, or -errno. */
static int take_lock(const struct witness *w)
{
	int got;

	do
		got = w->io->ops->lock(w->io->own, w->lock, true);
	while (got == -EINTR);
	return got;
}

void witness_add_checkpoint(struct witness *w, struct arena *a, struct str body, struct witness_answer *out)
{
	struct err err = { .kind = ERR_NONE };
	struct note *note = arena_new(a, struct note);
	struct witness_ask ask;
	struct checkpoint c;
	const char *why;
	int status, got;
	bool done;

	if (!witness_parse(body, &ask, &why) || !note_parse(ask.note, note, &why) ||
	    !checkpoint_parse(note->text, &c, &why)) {
		say(out, 400, a, why);
		return;
	}
	status = check_signatures(w, note, c.origin);
	if (status != 200) {
		say(out, status, a, status == 404 ? "the log is not known here"
						  : "no good signature of a key that is trusted for this log");
		return;
	}
	if (ask.old > c.size) {
		say(out, 400, a, "the old size is larger than the checkpoint's");
		return;
	}
	got = take_lock(w);
	if (got != 0) {
		err_system(&err, -got, "%s: cannot lock", w->lock_path.p);
		say_trouble(out, a, &err);
		return;
	}
	done = decide(w, a, &ask, note->text, &c, out, &err);
	w->io->ops->unlock(w->io->own, w->lock);
	if (!done)
		say_trouble(out, a, &err);
}
