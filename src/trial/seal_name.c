/* Gives each entry its name in the directory and refuses one that another entry has. */
#include "trial/seal_name.h"

#include "ledger/dir/log_dir.h"
#include "trial/seal.h"

bool seal_is_artifact_name(struct str name)
{
	struct str rest = name;

	if (name.n == 0 || name.n > SEAL_NAME_MAX || memchr(name.p, '\\', name.n) || name.p[name.n - 1] == '/')
		return false;
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
			return false;
	while (rest.n) {
		struct str part = str_cut(rest, '/', &rest);

		if (part.n == 0 || str_eq(part, STR(".")) || str_eq(part, STR("..")))
			return false;
	}
	return true;
}

void seal_names_init(struct seal_names *n, struct ledger *l, struct arena *a)
{
	*n = (struct seal_names){ .ledger = l, .arena = a };
	map_init(&n->claimed, a);
}

struct str seal_names_claim(struct seal_names *n, enum ledger_part part, const struct entry *e)
{
	const struct str none = { NULL, 0 };
	struct str name = n->ledger->is_dir ? entry_link_name(n->arena, e) : none;
	struct log *log = n->ledger->logs[part];
	uint64_t *owner, mark;
	struct hash hash;
	bool added;

	if (!name.p)
		return none;
	hash = str_hash_wide(ARENA_JOIN(n->arena, str_from(ledger_part_name(part)), STR("/"), name));
	mark = str_hash(entry_ident(n->arena, e)) | 1;
	owner = map_add(&n->claimed, str_of(&hash, sizeof(hash)), &added);
	if (!added)
		return *owner == mark ? none : name;
	*owner = mark;
	return log && log_dir_is_taken(log, e->record.digest, name.p) ? name : none;
}
