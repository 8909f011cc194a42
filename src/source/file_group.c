#include "source/file_group.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/map.h"

#define AWAITED UINT64_MAX      /* until its session comes: the file_group of a sub-agent's file */
#define HEAD ((size_t)64 << 10) /* of a sub-agent's file: as far as its first line, or enough of it */

/* A file of a sub-agent. */
struct agent {
	struct agent *next;
	struct str path;
	struct str session; /* p NULL when it does not tell */
};

struct sessions {
	struct arena *arena;
	const struct source_io *io;
	enum source_shape shape;
	struct map given;    /* path to struct walk_item */
	struct map taken;    /* paths that follow a session */
	struct map siblings; /* directory to its list of struct agent */
	char *head;          /* room for the beginning of a file */
	struct walk_item **end;
	uint64_t index, file_group;
};

static bool is_agent(struct str name)
{
	return str_starts(name, STR("agent-")) && str_ends(name, STR(".jsonl"));
}

static int agent_cmp(const void *a, const void *b)
{
	const struct agent *const *x = a, *const *y = b;

	return str_cmp((*x)->path, (*y)->path);
}

/* The sub-agents' files of a directory in byte order; none when it cannot be listed. */
static struct agent *agents_list(struct arena *a, struct str dir)
{
	DIR *d = opendir(arena_copy(a, dir).p);
	struct agent **sorted = NULL, *first = NULL;
	const struct dirent *entry;
	size_t count = 0, cap = 0;

	while (d && (entry = readdir(d))) {
		struct agent *agent;

		if (!is_agent(str_from(entry->d_name)))
			continue;
		agent = arena_new(a, struct agent);
		agent->path = str_eq(dir, STR(".")) ? arena_copy(a, str_from(entry->d_name)) :
			      arena_printf(a, "%.*s/%s", (int)dir.n, dir.p, entry->d_name);
		arena_grow(a, sorted, count, cap, 16);
		sorted[count++] = agent;
	}
	if (d)
		closedir(d);
	if (count)
		qsort(sorted, count, sizeof(sorted[0]), agent_cmp);
	for (size_t i = count; i-- > 0; first = sorted[i])
		sorted[i]->next = first;
	return first;
}

/* "sessionId" in the first bytes: a search is enough, what does not fit is only not bundled. */
static struct str session_of(struct sessions *s, struct str path)
{
	struct source_look look;
	char *bytes;
	int handle = s->io->open(s->io->context, path.p, &look);
	size_t n = 0, at;
	ssize_t got = handle < 0 ? 0 : 1;
	struct str name = STR("\"sessionId\":"), left, rest;

	s->head = bytes = s->head ? s->head : arena_array(s->arena, char, HEAD);
	for (; got > 0 && n < HEAD; n += got > 0 ? (size_t)got : 0)
		got = look.regular ? s->io->read(s->io->context, handle, bytes + n, HEAD - n) : 0;
	if (handle >= 0)
		s->io->close(s->io->context, handle);
	at = str_find(str_of(bytes, n), name);
	if (at == (size_t)-1)
		return str_of(NULL, 0);
	left = str_trim(str_of(bytes + at + name.n, n - at - name.n));
	if (!str_starts(left, STR("\"")))
		return str_of(NULL, 0);
	return arena_copy(s->arena, str_cut(str_skip(left, 1), '"', &rest));
}

/* Those beside a session, each directory listed and read once. */
static const struct agent *siblings_of(struct sessions *s, struct str dir)
{
	bool added;
	uint64_t *slot = map_add(&s->siblings, dir, &added);
	struct agent *list;

	if (!added)
		return (const struct agent *)(uintptr_t)*slot;
	list = agents_list(s->arena, dir);
	*slot = (uintptr_t)list;
	for (struct agent *a = list; a; a = a->next)
		a->session = session_of(s, a->path);
	return list;
}

static bool is_session(struct str path)
{
	return str_ends(path, STR(".jsonl")) && !is_agent(str_basename(path));
}

static void append_item(struct sessions *s, struct walk_item *item)
{
	item->input.index = s->index++;
	item->input.file_group = s->file_group;
	item->next = NULL;
	*s->end = item;
	s->end = &item->next;
}

/* A sub-agent's file goes to one session only; when it was given itself, that item moves here. */
static void follow(struct sessions *s, struct str path)
{
	const uint64_t *given = map_find(&s->given, path);
	struct walk_item *item;
	bool added;

	*map_add(&s->taken, path, &added) = 1;
	if (!added)
		return;
	item = given ? (struct walk_item *)(uintptr_t)*given : walk_item_new(s->arena, s->shape, path);
	if (!given && s->io->look(s->io->context, path.p, &item->look) < 0)
		item->look.regular = true; /* opening it will tell */
	append_item(s, item);
}

/* Calls `follow` for what belongs to a session, or only notes it as taken. */
static void session_visit(struct sessions *s, struct str path, void (*visit)(struct sessions *s, struct str path))
{
	struct str stem = str_of(path.p, path.n - STR(".jsonl").n);
	struct str below = arena_printf(s->arena, "%.*s/subagents", (int)stem.n, stem.p);

	for (const struct agent *a = siblings_of(s, str_dirname(path)); a; a = a->next)
		if (a->session.p && str_eq(a->session, str_basename(stem)))
			visit(s, a->path);
	for (const struct agent *a = agents_list(s->arena, below); a; a = a->next)
		visit(s, a->path);
}

static void note(struct sessions *s, struct str path)
{
	const uint64_t *given = map_find(&s->given, path);

	/* It will come with its session, wherever it stands in the list itself. */
	if (given)
		((struct walk_item *)(uintptr_t)*given)->input.file_group = AWAITED;
}

struct walk_item *file_group_sessions(struct arena *a, const struct source_io *io, enum source_shape shape,
				      struct walk_item *list)
{
	struct walk_item *result = NULL, **all;
	struct sessions s = { .arena = a, .io = io, .shape = shape, .end = &result };
	size_t count = 0;

	map_init(&s.given, a);
	map_init(&s.taken, a);
	map_init(&s.siblings, a);
	for (const struct walk_item *item = list; item; item = item->next)
		count++;
	all = arena_array(a, struct walk_item *, count + 1); /* the list itself is taken apart below */
	for (size_t i = 0; i < count; i++, list = list->next) {
		all[i] = list;
		if (is_agent(str_basename(list->input.name)))
			*map_add(&s.given, list->input.name, &(bool){ false }) = (uintptr_t)list;
	}
	for (size_t i = 0; i < count; i++)
		if (is_session(all[i]->input.name))
			session_visit(&s, all[i]->input.name, note);
	for (size_t i = 0; i < count; i++) {
		if (all[i]->input.file_group == AWAITED || map_find(&s.taken, all[i]->input.name))
			continue;
		append_item(&s, all[i]);
		if (is_session(all[i]->input.name))
			session_visit(&s, all[i]->input.name, follow);
		s.file_group++;
	}
	return result;
}

/* ---- archives ---- */

/* The members of an archive that are to be read, in order. */
struct members {
	const struct zip_entry **chosen;
	size_t count;
};

static const struct zip_entry *member_find(const struct zip *z, struct str name)
{
	size_t count;
	const struct zip_entry *all = zip_entries(z, &count);

	for (size_t i = 0; i < count; i++)
		if (!all[i].hidden && str_eq(all[i].name, name))
			return &all[i];
	return NULL;
}

static int entry_cmp(const void *a, const void *b)
{
	const struct zip_entry *const *x = a, *const *y = b;

	return str_cmp((*x)->name, (*y)->name);
}

static bool is_sample(struct str name)
{
	return str_starts(name, STR("samples/")) && str_ends(name, STR(".json"));
}

/* Those that `wanted` takes, in byte order, behind those chosen before. */
static void choose_members(struct members *m, const struct zip *z, bool (*wanted)(struct str name))
{
	size_t count, first = m->count;
	const struct zip_entry *all = zip_entries(z, &count);

	for (size_t i = 0; i < count; i++)
		if (!all[i].hidden && wanted(all[i].name))
			m->chosen[m->count++] = &all[i];
	qsort(m->chosen + first, m->count - first, sizeof(m->chosen[0]), entry_cmp);
}

struct walk_item *file_group_members(struct arena *a, const struct zip *z, enum source_shape shape,
				     const struct walk_item *archive, uint64_t *file_group)
{
	const struct zip_entry *header = member_find(z, STR("header.json"));
	struct members m = { .count = 0 };
	struct walk_item *result = NULL, **end = &result;
	size_t count;
	bool log;

	zip_entries(z, &count);
	m.chosen = arena_array(a, const struct zip_entry *, count + 1);
	if (!header)
		header = member_find(z, STR("_journal/start.json"));
	if (header)
		m.chosen[m.count++] = header;
	choose_members(&m, z, is_sample);
	log = m.count > 0;
	if (!log)
		choose_members(&m, z, walk_is_wanted);
	for (size_t i = 0; i < m.count; i++) {
		struct str name = arena_copy(a, m.chosen[i]->name);
		struct walk_item *item = walk_item_new(a, shape, arena_printf(a, "%.*s/%.*s",
				(int)archive->input.name.n, archive->input.name.p, (int)name.n, name.p));

		item->input.member = name;
		item->input.index = archive->input.index + i;
		item->input.file_group = log || i == 0 ? archive->input.file_group : (*file_group)++;
		item->entry = m.chosen[i];
		*end = item;
		end = &item->next;
	}
	*end = m.count > 0 ? archive->next : NULL;
	return result;
}
