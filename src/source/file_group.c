#include "source/file_group.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/map.h"

#define AWAITED UINT64_MAX      /* until its lead comes: the file_group of a file that follows another */
#define HEAD ((size_t)64 << 10) /* of a sub-agent's file: as far as its first line, or enough of it */

/* A file that may follow another. */
struct follower {
	struct follower *next;
	struct str path;
	struct str session; /* of a sub-agent: whose; p NULL when it does not tell */
};

struct groups {
	struct arena *arena;
	const struct source_io *io;
	enum source_shape shape;
	struct map given;    /* path to struct walk_item: those that may follow another */
	struct map taken;    /* paths that followed one */
	struct map agents;   /* directory to its list of struct follower: sub-agents' files */
	struct map events;   /* the same: files of events */
	char *head;          /* room for the beginning of a file */
	struct walk_item **end;
	uint64_t index, file_group;
};

/* What is done with each member of a group, in order. */
struct visitor {
	void (*visit)(struct groups *s, struct walk_item *lead, struct str path);
};

/* One kind of files that belong together, told by their names. The first row that leads decides. */
struct group_kind {
	bool (*leads)(struct groups *s, struct str path); /* the others come where this one is given */
	bool (*follows)(struct str path);                 /* may be one of the others */
	void (*members)(struct groups *s, struct walk_item *lead, struct visitor v); /* all, the lead too */
};

/* ---- directories ---- */

static int follower_cmp(const void *a, const void *b)
{
	const struct follower *const *x = a, *const *y = b;

	return str_cmp((*x)->path, (*y)->path);
}

/* What stands before the name, its slash included: another spelling of the directory would be another path. */
static struct str path_before(struct str path)
{
	return str_of(path.p, path.n - str_basename(path).n);
}

/* The files of a directory whose names are wanted, in this order; none when it cannot be listed. */
static struct follower *followers_list(struct arena *a, struct str before, bool (*wanted)(struct str name),
				       int (*cmp)(const void *a, const void *b))
{
	DIR *d = opendir(before.n ? arena_copy(a, before).p : ".");
	struct follower **sorted = NULL, *first = NULL;
	const struct dirent *entry;
	size_t count = 0, cap = 0;

	while (d && (entry = readdir(d))) {
		struct follower *f;

		if (!wanted(str_from(entry->d_name)))
			continue;
		f = arena_new(a, struct follower);
		f->path = ARENA_JOIN(a, before, str_from(entry->d_name));
		arena_grow(a, sorted, count, cap, 16);
		sorted[count++] = f;
	}
	if (d)
		closedir(d);
	if (count)
		qsort(sorted, count, sizeof(sorted[0]), cmp);
	for (size_t i = count; i-- > 0; first = sorted[i])
		sorted[i]->next = first;
	return first;
}

/* The first bytes of a file, until the next file is looked at; empty when it cannot be read. */
static struct str head_of(struct groups *s, struct str path)
{
	struct source_look look;
	int handle = s->io->open(s->io->context, path.p, &look);
	ssize_t got = handle < 0 ? 0 : 1;
	char *bytes;
	size_t n = 0;

	s->head = bytes = s->head ? s->head : arena_array(s->arena, char, HEAD);
	for (; got > 0 && n < HEAD; n += got > 0 ? (size_t)got : 0)
		got = look.regular ? s->io->read(s->io->context, handle, bytes + n, HEAD - n) : 0;
	if (handle >= 0)
		s->io->close(s->io->context, handle);
	return str_of(bytes, n);
}

/* ---- Claude Code: a session and its sub-agents ---- */

static bool is_agent(struct str name)
{
	return str_starts(name, STR("agent-")) && str_ends(name, STR(".jsonl"));
}

static bool session_follows(struct str path)
{
	return is_agent(str_basename(path));
}

static bool session_leads(struct groups *s, struct str path)
{
	(void)s;
	return str_ends(path, STR(".jsonl")) && !session_follows(path);
}

/* "sessionId" in the first bytes: a search is enough, what does not fit is only not bundled. */
static struct str session_of(struct groups *s, struct str path)
{
	struct str name = STR("\"sessionId\":"), head = head_of(s, path), left, rest;
	size_t at = str_find(head, name);

	if (at == (size_t)-1)
		return str_of(NULL, 0);
	left = str_trim(str_skip(head, at + name.n));
	if (!str_starts(left, STR("\"")))
		return str_of(NULL, 0);
	return arena_copy(s->arena, str_cut(str_skip(left, 1), '"', &rest));
}

/* Those beside a session, each directory listed and read once. */
static const struct follower *siblings_of(struct groups *s, struct str before)
{
	bool added;
	uint64_t *slot = map_add(&s->agents, before, &added);
	struct follower *list;

	if (!added)
		return (const struct follower *)(uintptr_t)*slot;
	list = followers_list(s->arena, before, is_agent, follower_cmp);
	*slot = (uintptr_t)list;
	for (struct follower *f = list; f; f = f->next)
		f->session = session_of(s, f->path);
	return list;
}

static void session_members(struct groups *s, struct walk_item *lead, struct visitor v)
{
	struct str path = lead->input.name, stem = str_of(path.p, path.n - STR(".jsonl").n);
	struct str below = arena_printf(s->arena, "%.*s/subagents/", (int)stem.n, stem.p);

	v.visit(s, lead, path);
	for (const struct follower *f = siblings_of(s, path_before(path)); f; f = f->next)
		if (f->session.p && str_eq(f->session, str_basename(stem)))
			v.visit(s, lead, f->path);
	for (const struct follower *f = followers_list(s->arena, below, is_agent, follower_cmp); f; f = f->next)
		v.visit(s, lead, f->path);
}

/* ---- OpenHands: a conversation's state and the files of its events ---- */

/* The digits of "event-00012-<id>.json"; empty when the name is none. */
static struct str event_number(struct str name)
{
	struct str start = STR("event-"), rest = { NULL, 0 };
	size_t n = 0;

	if (str_starts(name, start) && str_ends(name, STR(".json")))
		rest = str_skip(name, start.n);
	while (n < rest.n && ascii_is_digit(rest.p[n]))
		n++;
	return str_of(rest.p, n < rest.n && rest.p[n] == '-' ? n : 0);
}

static bool is_event_file(struct str name)
{
	return event_number(name).n > 0;
}

/* By their numbers, which have more digits from the hundred thousandth on. */
static int event_file_cmp(const void *a, const void *b)
{
	const struct follower *const *x = a, *const *y = b;
	struct str m = event_number(str_basename((*x)->path)), n = event_number(str_basename((*y)->path));

	return m.n != n.n ? (m.n > n.n) - (m.n < n.n) : follower_cmp(a, b);
}

static const struct follower *events_of(struct groups *s, struct str before)
{
	bool added;
	uint64_t *slot = map_add(&s->events, before, &added);

	if (added)
		*slot = (uintptr_t)followers_list(s->arena, before, is_event_file, event_file_cmp);
	return (const struct follower *)(uintptr_t)*slot;
}

static bool is_state(struct str path)
{
	return str_eq(str_basename(path), STR("base_state.json"));
}

static bool conversation_follows(struct str path)
{
	return is_event_file(str_basename(path)) || is_state(path);
}

/* Where the events of a conversation are, by the path of any of its files. */
static struct str events_before(struct groups *s, struct str path)
{
	return is_state(path) ? ARENA_JOIN(s->arena, path_before(path), STR("events/")) : path_before(path);
}

static bool conversation_leads(struct groups *s, struct str path)
{
	const struct follower *first;

	if (!conversation_follows(path))
		return false;
	first = events_of(s, events_before(s, path));
	return first && (is_state(path) || str_eq(first->path, path));
}

/* The state comes first, since it says whose run it is. */
static void conversation_members(struct groups *s, struct walk_item *lead, struct visitor v)
{
	struct str before = events_before(s, lead->input.name), inside = STR("events/"), name = STR("base_state.json");
	bool below = str_eq(before, inside) || str_ends(before, STR("/events/"));
	struct str up = below ? str_of(before.p, before.n - inside.n) : ARENA_JOIN(s->arena, before, STR("../"));
	struct str state = ARENA_JOIN(s->arena, up, name);
	struct source_look look;

	if (s->io->look(s->io->context, state.p, &look) >= 0)
		v.visit(s, lead, state);
	for (const struct follower *f = events_of(s, before); f; f = f->next)
		v.visit(s, lead, f->path);
}

/* ---- verifiers: the settings of an evaluation and its rollouts ---- */

static bool evaluation_follows(struct str path)
{
	struct str name = str_basename(path);

	return str_eq(name, STR("metadata.json")) || str_ends(name, STR(".metadata.json"));
}

/* "x.metadata.json" for "x.results.jsonl"; p NULL for any other file. The text is ended by a NUL. */
static struct str evaluation_settings(struct groups *s, struct str path)
{
	struct str end = STR("results.jsonl"), name = str_basename(path);

	if (!str_eq(name, end) && !str_ends(name, STR(".results.jsonl")))
		return str_of(NULL, 0);
	return ARENA_JOIN(s->arena, str_of(path.p, path.n - end.n), STR("metadata.json"));
}

/* Other programs call their files so too: these settings say how many rollouts there are. */
static bool evaluation_leads(struct groups *s, struct str path)
{
	struct str settings = evaluation_settings(s, path);
	struct source_look look;

	return settings.p && s->io->look(s->io->context, settings.p, &look) >= 0 &&
	       str_has(head_of(s, settings), STR("\"rollouts_per_example\""));
}

static void evaluation_members(struct groups *s, struct walk_item *lead, struct visitor v)
{
	v.visit(s, lead, evaluation_settings(s, lead->input.name));
	v.visit(s, lead, lead->input.name);
}

/* ---- Cline: the messages of a session and its record ---- */

/* "ID.json" for "ID.messages.json"; p NULL for any other file. The text is ended by a NUL. */
static struct str record_of(struct groups *s, struct str path)
{
	struct str end = STR(".messages.json");

	if (!str_ends(path, end))
		return str_of(NULL, 0);
	return ARENA_JOIN(s->arena, str_of(path.p, path.n - end.n), STR(".json"));
}

static bool record_follows(struct str path)
{
	return str_ends(path, STR(".json")) && !str_ends(path, STR(".messages.json"));
}

static bool record_leads(struct groups *s, struct str path)
{
	struct str record = record_of(s, path);
	struct source_look look;

	return record.p && s->io->look(s->io->context, record.p, &look) >= 0 &&
	       str_has(head_of(s, record), STR("\"messages_path\""));
}

/* The record says how the session ended, so it comes last. */
static void record_members(struct groups *s, struct walk_item *lead, struct visitor v)
{
	v.visit(s, lead, lead->input.name);
	v.visit(s, lead, record_of(s, lead->input.name));
}

/* ---- the list ---- */

static const struct group_kind kinds[] = {
	{ evaluation_leads, evaluation_follows, evaluation_members },
	{ session_leads, session_follows, session_members },
	{ conversation_leads, conversation_follows, conversation_members },
	{ record_leads, record_follows, record_members },
};

static bool may_follow(struct str path)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].follows(path))
			return true;
	return false;
}

/* Shows the visitor the members of the group that an item leads. False, and nothing shown, when it leads none. */
static bool group_visit(struct groups *s, struct walk_item *lead, struct visitor v)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!kinds[i].leads(s, lead->input.name))
			continue;
		kinds[i].members(s, lead, v);
		return true;
	}
	return false;
}

static void append_item(struct groups *s, struct walk_item *item)
{
	item->input.index = s->index++;
	item->input.file_group = s->file_group;
	item->next = NULL;
	*s->end = item;
	s->end = &item->next;
}

/* A file follows one other only; when it was given itself, that item moves here. */
static void follow(struct groups *s, struct walk_item *lead, struct str path)
{
	const uint64_t *given = map_find(&s->given, path);
	struct walk_item *item;
	bool added;

	if (str_eq(path, lead->input.name)) {
		append_item(s, lead);
		return;
	}
	*map_add(&s->taken, path, &added) = 1;
	if (!added)
		return;
	item = given ? (struct walk_item *)(uintptr_t)*given : walk_item_new(s->arena, s->shape, path);
	if (!given && s->io->look(s->io->context, path.p, &item->look) < 0)
		item->look.regular = true; /* opening it will tell */
	append_item(s, item);
}

static void note(struct groups *s, struct walk_item *lead, struct str path)
{
	const uint64_t *given = map_find(&s->given, path);

	/* It will come with its lead, wherever it stands in the list itself. */
	if (given && !str_eq(path, lead->input.name))
		((struct walk_item *)(uintptr_t)*given)->input.file_group = AWAITED;
}

struct walk_item *file_group_join(struct arena *a, const struct source_io *io, enum source_shape shape,
				  struct walk_item *list)
{
	struct walk_item *result = NULL, **all;
	struct groups s = { .arena = a, .io = io, .shape = shape, .end = &result };
	size_t count = 0;

	map_init(&s.given, a);
	map_init(&s.taken, a);
	map_init(&s.agents, a);
	map_init(&s.events, a);
	for (const struct walk_item *item = list; item; item = item->next)
		count++;
	all = arena_array(a, struct walk_item *, count + 1); /* the list itself is taken apart below */
	for (size_t i = 0; i < count; i++, list = list->next) {
		all[i] = list;
		if (may_follow(list->input.name))
			*map_add(&s.given, list->input.name, &(bool){ false }) = (uintptr_t)list;
	}
	for (size_t i = 0; i < count; i++)
		if (all[i]->input.file_group != AWAITED)
			group_visit(&s, all[i], (struct visitor){ note });
	for (size_t i = 0; i < count; i++) {
		if (all[i]->input.file_group == AWAITED || map_find(&s.taken, all[i]->input.name))
			continue;
		if (!group_visit(&s, all[i], (struct visitor){ follow }))
			append_item(&s, all[i]);
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
