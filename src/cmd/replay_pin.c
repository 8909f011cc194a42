/*
 * The pin is a small document, not the cassette: a ledger is made to be given away, and the cassette holds what was
 * said. Its entry refers to the run's, which has the cassette's digest among its files.
 */
#include "cmd/replay_pin.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/frame/stream.h"
#include "cmd/ledger/add_run.h"
#include "cmd/screen/term.h"
#include "json/put.h"

#define PIN_NAME "cassette.pin.json"
#define PIN_MEDIA "application/vnd.trackway-cassette-pin+json"
#define CASSETTE_NAME "cassette.jsonl"

/* Members in canonical order: the same run gives the same bytes. */
static struct str pin_text(struct arena *a, struct str run_id, struct str sha256)
{
	struct json_writer w;
	struct buf b;

	buf_init(&b);
	json_write_init(&w, &b, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "cassette_sha256", sha256);
	json_put_text(&w, "run_id", run_id);
	json_put_text(&w, "v", STR("cassette-pin/v1"));
	json_write_end_object(&w);
	return arena_take(a, &b);
}

static bool pin_find_entry(struct arena *a, struct ledger *l, const struct entry *wanted, bool *found, uint64_t *index,
		       struct entry *out, struct str *bytes, struct err *err)
{
	struct json_parser *p;
	bool done;

	if (!l->logs[LEDGER_MAIN]->ops->find(l->logs[LEDGER_MAIN], entry_ident(a, wanted), found, index, err))
		return false;
	if (!*found)
		return true;
	p = json_parser_open((struct json_options){ .max_depth = 0 });
	done = log_read_entry(l->logs[LEDGER_MAIN], p, a, *index, out, bytes, err);
	json_parser_close(p);
	return done;
}

static const struct entry_file *pin_find_cassette(const struct entry *run)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (str_eq(run->files[i].name, STR(CASSETTE_NAME)))
			return &run->files[i];
	return NULL;
}

/* The run's entry, and whether there is a pin; is_same when both name this digest. */
static bool pin_look(struct arena *a, struct ledger *l, struct str run_id, struct str sha256, struct replay_pin *out,
		 bool *has_run, struct err *err)
{
	struct entry wanted = { .kind = ENTRY_RUN, .id = run_id }, run, pin;
	const struct entry_file *file;
	struct str bytes, text = pin_text(a, run_id, sha256);
	struct digest said;
	struct sha256 s;

	if (!pin_find_entry(a, l, &wanted, has_run, &out->run_index, &run, &bytes, err) || !*has_run)
		return err->kind == ERR_NONE;
	sha256_init(&s);
	out->run_leaf = merkle_leaf(&s, bytes);
	said = sha256_of(&s, text);
	sha256_free(&s);
	wanted = (struct entry){ .kind = ENTRY_ARTIFACT, .id = ARENA_JOIN(a, run_id, STR("/" PIN_NAME)) };
	wanted.ref.trial_id = run_id;
	if (!pin_find_entry(a, l, &wanted, &out->is_pinned, &out->index, &pin, &bytes, err))
		return false;
	file = pin_find_cassette(&run);
	out->is_same = file && str_eq(ledger_args_hex(a, file->digest), sha256) &&
		       (!out->is_pinned || digest_eq(pin.record.digest, said));
	return true;
}

bool replay_pin_find(struct arena *a, const struct frame *f, const struct ledger_choice *where, struct str run_id,
		     struct str sha256, struct replay_pin *out, struct err *err)
{
	struct ledger l;
	bool has_run, done;

	*out = (struct replay_pin){ .index = 0 };
	err->kind = ERR_NONE;
	if (!ledger_args_open(&l, a, f, where, LEDGER_READ, err))
		return false;
	out->ledger = arena_copy(a, l.where);
	done = pin_look(a, &l, run_id, sha256, out, &has_run, err);
	ledger_close(&l);
	return done;
}

void replay_pin_say(const struct replay_pin *pin, struct str sha256)
{
	struct buf b;

	buf_init(&b);
	buf_printf(&b, "cassette:         sha256 %.*s, ", STR_ARG(sha256));
	buf_add_str(&b, !pin->is_pinned ? STR("not pinned in ") : pin->is_same ? STR("pinned in ")
									     : STR("NOT the one pinned in "));
	term_add_text(&b, pin->ledger);
	if (pin->is_pinned)
		buf_printf(&b, " at index %llu", (unsigned long long)pin->index);
	buf_add_byte(&b, '\n');
	stream_write(stdout, buf_str(&b));
	buf_free(&b);
}

/* ---- sealing ---- */

/* The sealer takes mappings. */
static bool map_text(struct str text, struct str *out, struct err *err)
{
	FILE *f = tmpfile();
	bool done;

	if (!f)
		return err_set(err, ERR_IO, "no temporary file can be made");
	done = file_write_all(fileno(f), text, err) && file_map_fd(fileno(f), STR(PIN_NAME), out, err);
	fclose(f);
	return done;
}

static bool pin_told(void *context, const struct seal_result *r, struct err *err)
{
	(void)context;
	if (r->outcome == SEAL_ADDED || r->outcome == SEAL_SAME)
		return true;
	return err_set(err, ERR_DATA, "the ledger has this run, or a pin of it, with other digests (%s)",
		       r->code ? r->code : "conflict");
}

static bool seal_pin(struct arena *a, struct ledger *l, struct seal_dir *dir, struct str sha256, struct err *err)
{
	struct seal_options how = { .ledger = l, .each = pin_told };
	struct seal_artifact *all = arena_array(a, struct seal_artifact, dir->source.artifact_count + 1);
	struct sealer *sealer;
	bool done;

	memcpy(all, dir->source.artifacts, dir->source.artifact_count * sizeof(*all));
	all[dir->source.artifact_count] = (struct seal_artifact){ .name = STR(PIN_NAME), .media = STR(PIN_MEDIA) };
	if (!map_text(pin_text(a, dir->source.id, sha256), &all[dir->source.artifact_count].bytes, err)) {
		seal_dir_free(dir);
		return false;
	}
	dir->source.artifacts = all;
	dir->source.artifact_count++;
	sealer = sealer_open(&how);
	done = seal_add_run(sealer, dir->path, &dir->source, err) && seal_commit(sealer, err) &&
	       ledger_publish(l, err);
	sealer_close(sealer);
	return done;
}

static struct str cassette_of(struct arena *a, const struct seal_dir *dir)
{
	for (size_t i = 0; i < dir->source.file_count; i++)
		if (str_eq(dir->source.files[i].name, STR(CASSETTE_NAME)))
			return ledger_args_hex(a, dir->source.files[i].digest);
	return str_of(NULL, 0);
}

static bool pin_run(struct arena *a, struct ledger *l, struct seal_dir *dir, struct replay_pin *out, struct err *err)
{
	struct str sha256 = cassette_of(a, dir);
	bool has_run = false;

	err->kind = ERR_NONE;
	if (!sha256.p)
		return err_set(err, ERR_DATA, "%.*s: the run has no cassette" ERR_HELP
			       "record it with 'trackway record --content'", STR_ARG(dir->path));
	if (!pin_look(a, l, dir->source.id, sha256, out, &has_run, err))
		return false;
	if (!has_run)
		return err_set(err, ERR_DATA, "%.*s: the run is not in the ledger %.*s" ERR_HELP
			       "trackway ledger add --ledger %.*s %.*s", STR_ARG(dir->path), STR_ARG(l->where),
			       STR_ARG(l->where), STR_ARG(dir->path));
	if (!out->is_same)
		return err_set(err, ERR_DATA, "%.*s: the ledger names another cassette of this run" ERR_HELP
			       "the one that was sealed is the one to replay", STR_ARG(dir->path));
	return true;
}

bool replay_pin_seal(struct arena *a, const struct frame *f, const struct ledger_choice *where, struct str path,
		     struct replay_pin *out, struct err *err)
{
	struct seal_dir dir = { .path = path };
	struct seal_run hashes = { .records = 0 };
	struct ledger l;
	bool done, has_run;

	*out = (struct replay_pin){ .index = 0 };
	if (!ledger_args_open(&l, a, f, where, LEDGER_WRITE, err))
		return false;
	out->ledger = arena_copy(a, l.where);
	done = add_run_read(a, &dir, &hashes, err);
	if (done && !pin_run(a, &l, &dir, out, err)) {
		seal_dir_free(&dir);
		done = false;
	} else if (done && out->is_pinned) {
		seal_dir_free(&dir);
	} else if (done) {
		out->is_new = true;
		done = seal_pin(a, &l, &dir, cassette_of(a, &dir), err) &&
		       pin_look(a, &l, dir.source.id, cassette_of(a, &dir), out, &has_run, err);
	}
	ledger_close(&l);
	return done;
}
