/* A table of names; every member is compared as text. */
#include "trial/run/lock.h"

#include "base/num.h"
#include "json/json.h"
#include "json/put.h"

static const struct { const char *name; bool is_number; } lock_members[LOCK_MEMBERS] = {
	[LOCK_TASK_REVISION] = { "task_revision", false },
	[LOCK_VERIFIER] = { "verifier_sha256", false },
	[LOCK_TASK_REST] = { "task_rest_sha256", false },
	[LOCK_ADAPTER] = { "adapter", false },
	[LOCK_ADAPTER_REVISION] = { "adapter_revision", false },
	[LOCK_CONFIGURATION] = { "configuration_sha256", false },
	[LOCK_MODEL] = { "model", false },
	[LOCK_PROMPTS] = { "prompts_sha256", false },
	[LOCK_ISOLATION] = { "isolation", false },
	[LOCK_K] = { "k", true },
	[LOCK_SEED] = { "seed", true },
};

const char *lock_member_name(enum lock_member m)
{
	return lock_members[m].name;
}

const char *lock_answer_name(enum lock_answer a)
{
	static const char *const names[] = { "reuse", "regrade", "rerun" };

	return names[a];
}

struct str lock_digest(struct arena *a, struct digest d)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	return arena_copy(a, str_of(hex, sizeof(hex)));
}

void lock_put(struct json_writer *w, const struct lock *l)
{
	json_write_begin_object(w);
	json_put_text(w, "schema", STR(LOCK_SCHEMA));
	for (size_t i = 0; i < LOCK_MEMBERS; i++) {
		if (lock_members[i].is_number && l->members[i].n)
			json_put_raw(w, lock_members[i].name, l->members[i]);
		else
			json_put_text_or_null(w, lock_members[i].name, l->members[i]);
	}
	json_write_end_object(w);
}

/* The record keeps it where nothing else may stand. */
static struct val lock_find(struct val root)
{
	struct val lock = root;

	if (!val_text_is(val_get(root, STR("schema")), STR(LOCK_SCHEMA)))
		lock = val_at(root, STR("/outputs/agent_result/trackway/lock"));
	return val_text_is(val_get(lock, STR("schema")), STR(LOCK_SCHEMA)) ? lock : VAL_NONE;
}

bool lock_read(struct arena *a, struct str name, struct str json, struct lock *out, struct err *err)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct val root, lock = VAL_NONE;

	if (json_parse_copy(p, json, &root, NULL))
		lock = lock_find(root);
	*out = (struct lock){ .members = { { NULL, 0 } } };
	for (size_t i = 0; i < LOCK_MEMBERS; i++) {
		struct val v = val_get(lock, str_from(lock_members[i].name));
		int64_t n;

		if (val_is(v, JSON_STRING))
			out->members[i] = val_text_copy(v, a);
		else if (val_i64(v, &n))
			out->members[i] = arena_printf(a, "%lld", (long long)n);
	}
	json_parser_close(p);
	return !val_is_none(lock) ||
	       err_set(err, ERR_DATA, "%.*s holds no lock" ERR_HELP "a lock is what 'trial lock' writes, or a record "
		       "of 'trial run', which has one", STR_ARG(name));
}

static bool lock_is_same(const struct lock *a, const struct lock *b, enum lock_member m)
{
	return a->members[m].p && b->members[m].p && str_eq(a->members[m], b->members[m]);
}

struct lock_difference lock_compare(const struct lock *a, const struct lock *b)
{
	for (unsigned m = LOCK_TASK_REST; m < LOCK_MEMBERS; m++)
		if (!lock_is_same(a, b, (enum lock_member)m))
			return (struct lock_difference){ LOCK_RERUN, (enum lock_member)m };
	if (!lock_is_same(a, b, LOCK_VERIFIER))
		return (struct lock_difference){ a->members[LOCK_VERIFIER].p && b->members[LOCK_VERIFIER].p ?
							 LOCK_REGRADE : LOCK_RERUN, LOCK_VERIFIER };
	if (!lock_is_same(a, b, LOCK_TASK_REVISION))
		return (struct lock_difference){ LOCK_RERUN, LOCK_TASK_REVISION };
	return (struct lock_difference){ LOCK_REUSE, LOCK_TASK_REVISION };
}
