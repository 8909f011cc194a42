/*
 * Removes what is derived and lets the usual code make it again: opening a log makes its table of ids, opening the
 * index fills it, and the names are linked from the entries.
 */
#include "cmd/ledger/repair.h"

#include <errno.h>
#include <math.h>

#include "base/map.h"
#include "ledger/dir/log_dir.h"

/* Opening it makes it anew. */
static bool remove_ids(struct arena *a, struct str where, const char *part, struct err *err)
{
	struct str path = arena_printf(a, "%.*s%s/.state/ids.idx", STR_ARG(where), part);
	int status = io_system.ops->unlink(io_system.own, path.p);

	return status == 0 || status == -ENOENT ||
	       err_system(err, -status, "%.*s: cannot remove the table of ids", STR_ARG(path));
}

/* An erased object is not there to be linked. A name that an earlier entry has is not taken from it. */
static bool link_again(struct log *log, struct arena *scratch, struct map *named, const struct entry *e)
{
	struct str name = entry_link_name(scratch, e);
	struct hash hash;
	bool added = false;

	if (!name.p)
		return false;
	hash = str_hash_wide(name);
	map_add(named, str_of(&hash, sizeof(hash)), &added);
	if (added)
		(void)log_dir_unlink(log, name.p);
	return log_dir_link(log, e->record.digest, name.p);
}

/*
 * Makes the names in records/ and artifacts/ again, from the entries of one log. The first entry with a name keeps it.
 */
static bool link_part(struct ledger *l, enum ledger_part part, struct repair_counts *n, struct err *err)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	struct log *log = l->logs[part];
	struct log_entries it;
	struct checkpoint head;
	struct arena scratch, kept;
	struct str bytes, why;
	struct map named;
	struct entry e;
	uint64_t index;
	bool done;

	arena_init(&scratch);
	arena_init(&kept);
	map_init(&named, &kept);
	done = log_read_checkpoint(log, &scratch, &head, NULL, err);
	if (done) {
		log_entries_begin(&it, log, 0, head.size, head.size);
		while (log_entries_next(&it, &bytes, &index, err)) {
			arena_reset(&scratch);
			if (entry_parse(p, &scratch, bytes, &e, &why)) /* the check tells of what is damaged */
				n->links += link_again(log, &scratch, &named, &e);
		}
		log_entries_end(&it);
		done = err->kind == ERR_NONE;
	}
	arena_free(&kept);
	arena_free(&scratch);
	json_parser_close(p);
	return done;
}

/* Opening an index that is not there fills it from the log. */
static bool make_index(struct ledger *l, const struct frame *f, struct repair_counts *n, struct err *err)
{
	struct index_filter all = INDEX_ANY;
	struct index *x;
	bool done;

	if (!index_remove(l, err))
		return false;
	x = ledger_args_open_index(l, f, err);
	done = x && index_count(x, &all, &n->entries, err);
	index_close(x);
	return done;
}

bool ledger_repair(struct arena *a, const struct frame *f, const struct ledger_choice *c, struct repair_counts *out,
		   struct err *err)
{
	struct str where = ledger_args_where(c);
	struct ledger l;
	bool done;

	*out = (struct repair_counts){ .entries = 0 };
	if (!ledger_args_check_there(where, err))
		return false;
	if (!ledger_is_url(where) &&
	    (!remove_ids(a, where, "", err) || !remove_ids(a, where, LEDGER_SECOND, err)))
		return false;
	if (!ledger_args_open(&l, a, f, c, LEDGER_MEND, err))
		return false;
	done = make_index(&l, f, out, err);
	for (int p = 0; done && l.is_dir && p < LEDGER_PARTS; p++)
		done = !l.logs[p] || link_part(&l, (enum ledger_part)p, out, err);
	ledger_close(&l);
	return done;
}
