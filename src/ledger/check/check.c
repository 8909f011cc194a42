/*
 * One log after the other, the main one first, since the key of the second follows from its key: first who claims
 * what about the head, then the content against it.
 */
#include "ledger/check/check.h"

#include "ledger/check/private.h"
#include "ledger/dir/log_dir.h"
#include "ledger/dir/signer_head.h"

/* ---- one log ---- */

/* What the run owns. Everything else in it is set by the caller, or zero; free_run ends it. */
static void init_run(struct check_run *r)
{
	arena_init(&r->arena);
	arena_init(&r->scratch);
	sha256_init(&r->sha);
	r->parser = json_parser_open((struct json_options){ .max_depth = JSON_DEPTH });
	buf_init(&r->path);
	buf_init(&r->file);
	buf_init(&r->far);
	r->far_n = CHECK_NONE;
	r->sealed_index = CHECK_NONE;
	r->edge = mem_alloc(sizeof(*r->edge));
	check_edge_init(r->edge);
	r->bundle = mem_alloc(sizeof(*r->bundle));
	buf_init(&r->bundle->bytes);
	buf_init(&r->bundle->tile);
	r->kept = mem_alloc(CHECK_KEPT_TILES * sizeof(*r->kept));
	for (size_t i = 0; i < CHECK_KEPT_TILES; i++)
		r->kept[i].n = CHECK_NONE;
}

static void free_run(struct check_run *r)
{
	if (r->ids)
		ids_close(r->ids);
	buf_free(&r->bundle->bytes);
	buf_free(&r->bundle->tile);
	mem_free(r->bundle);
	mem_free(r->edge);
	mem_free(r->kept);
	mem_free(r->heads);
	mem_free(r->things);
	mem_free(r->erased);
	mem_free(r->tail);
	mem_free(r->tail_leaves);
	check_set_free(&r->idents);
	check_set_free(&r->links);
	buf_free(&r->path);
	buf_free(&r->file);
	buf_free(&r->far);
	json_parser_close(r->parser);
	sha256_free(&r->sha);
	explicit_bzero(&r->wal_key, sizeof(r->wal_key));
	arena_free(&r->scratch);
	arena_free(&r->arena);
}

/* Where an older checkpoint belongs: to the log whose name it has, and to the main one when it has neither. */
static bool is_older_of(const struct check_run *r, struct str against)
{
	struct str rest, origin = str_cut(against, '\n', &rest);
	bool is_diagnostic = str_ends(origin, STR(LEDGER_SECOND));

	if (!against.p)
		return false;
	if (r->has_key && str_eq(origin, r->key.name))
		return true;
	return (r->part == LEDGER_DIAGNOSTIC) == is_diagnostic;
}

static bool has_log_of(const struct policy *p, const struct key *k)
{
	for (size_t i = 0; i < p->log_count; i++)
		if (memcmp(p->logs[i].id, k->id, KEY_ID) == 0 && str_eq(p->logs[i].name, k->name))
			return true;
	return false;
}

/* Who says what about the head. */
static bool check_claims(struct check_run *r, const struct key *main_key, struct err *err)
{
	struct ledger_check *c = r->check;

	if (!check_load_checkpoint(r, err) || !check_choose_key(r, main_key, err) || !check_collect_heads(r, err))
		return false;
	check_sort_heads(r);
	check_checkpoint(r);
	if (is_older_of(r, c->against))
		check_against(r);
	if (c->policy && (r->part == LEDGER_MAIN || (r->has_key && has_log_of(c->policy, &r->key))))
		check_policy(r);
	if (c->local && !r->log) {
		check_open_ids(r);
		check_find_secret(r, main_key);
	}
	check_sort_heads(r);
	return true;
}

/* What there is, held against it. */
static bool check_content(struct check_run *r, struct err *err)
{
	bool local = r->check->local && !r->log;

	if (!r->root_is_known)
		return true; /* nothing says what belongs to the log */
	if (!check_tree(r, err) || (local && !check_wal(r, err)))
		return false;
	check_finish_objects(r);
	check_finish_ids(r);
	return check_tell_heads(r, err) && (r->log || check_strays(r, err));
}

static void fill_report(struct check_run *r, struct arena *a)
{
	struct log_report *out = r->out;

	out->there = true;
	out->size = r->size;
	out->root = r->root;
	out->origin = arena_copy(a, r->has_key ? r->key.name : STR(""));
	out->where = arena_copy(a, r->log ? r->log->where : r->dir);
}

/* The key stays, for the second log; its name is copied. */
static bool run_part(struct check_run *r, const struct key *main_key, struct arena *a, struct err *err)
{
	bool done;

	init_run(r);
	done = check_claims(r, main_key, err) && check_content(r, err);
	fill_report(r, a);
	r->key.name = r->out->origin;
	free_run(r);
	return done;
}

/* ---- both ---- */

/* Gone as a whole, it is missed by nobody but the key that signed it. */
static bool was_signed(const struct check_run *r, const struct key *main_key, struct arena *a)
{
	struct err ignored = { .kind = ERR_NONE };
	struct signer_head h = { .found = false };
	struct key k;

	key_init(&k, ARENA_JOIN(a, main_key->name, STR(LEDGER_SECOND)), KEY_LOG, main_key->public);
	if (r->check->ledger && !r->check->ledger->is_dir)
		return false; /* a database that is open has what it has */
	return r->check->local && signer_head_read(r->io, r->keys, &k, k.name, &h, &ignored) && h.found;
}

/* Of one that is not there: whether somebody knows that there was one. */
static bool is_missed(const struct check_run *r, const struct key *main_key, struct arena *a)
{
	struct str rest, older = str_cut(r->check->against, '\n', &rest);

	if (main_key->kind && was_signed(r, main_key, a))
		return true;
	return !r->check->ledger && is_older_of(r, r->check->against) && !str_eq(older, main_key->name);
}

/* A database is asked through its log; a directory is read as it lies there, even when a ledger is open on it. */
static void check_open_part(struct check_run *r, struct str where, struct arena *a)
{
	struct ledger_check *c = r->check;
	bool is_dir = !c->ledger || c->ledger->is_dir;

	r->io = c->io ? c->io : &io_system;
	r->log = is_dir ? NULL : c->ledger->logs[r->part];
	r->dir = r->part == LEDGER_MAIN ? arena_copy(a, where) : ARENA_JOIN(a, where, STR(LEDGER_SECOND));
	r->prefix = r->part == LEDGER_MAIN ? STR("") : STR("diagnostic/");
}

bool ledger_check_run(struct ledger_check *c, struct log_report out[LEDGER_PARTS], struct err *err)
{
	struct str where = c->ledger ? c->ledger->where : c->where, keys = c->keys;
	struct arena *a = c->arena ? c->arena : c->ledger->arena;
	struct err none = { .kind = ERR_NONE };
	struct key main_key = { .kind = 0 };

	if (!keys.p && !keys_home(a, &keys, &none))
		keys = (struct str){ NULL, 0 };
	memset(out, 0, LEDGER_PARTS * sizeof(*out));
	for (int p = 0; p < LEDGER_PARTS; p++) {
		struct check_run r = { .check = c, .out = out + p, .part = (enum ledger_part)p, .keys = keys };
		bool is_main = p == LEDGER_MAIN, there;

		check_open_part(&r, where, a);
		there = r.log || ((!c->ledger || c->ledger->is_dir) && log_dir_is_one(r.io, r.dir));
		if (!there && is_main)
			return err_set(err, ERR_DATA, "%.*s: there is no ledger"
				       ERR_HELP "'trackway ledger init' makes one", STR_ARG(where));
		if (!there && !is_missed(&r, &main_key, a))
			continue;
		if (!run_part(&r, is_main || !main_key.kind ? NULL : &main_key, a, err))
			return false;
		if (is_main && r.has_key)
			main_key = r.key;
	}
	out[LEDGER_DIAGNOSTIC].key_is_trusted |= main_key.kind && out[LEDGER_MAIN].key_is_trusted;
	return true;
}
