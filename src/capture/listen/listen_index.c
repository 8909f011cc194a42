/* A table of digests with chains. What a message says is in its mark already: nothing here sees a text. */
#include "capture/listen/listen_index.h"

#include "base/arena.h"

#define FIRST_BUCKETS 1024
#define ID_LEAST 16 /* bytes: shorter ids are often counted, so that those of several runs are the same */
#define PREFIXES_KEPT 512 /* messages of a request whose digests lie on the stack; longer ones take memory */

struct listen_mark {
	uint64_t digest;
	struct listen_marks *run;
	struct listen_mark *next, **here; /* in the bucket, the latest first */
	struct listen_mark *younger;      /* of the same run */
};

static struct listen_mark **new_buckets(size_t count)
{
	struct listen_mark **b = mem_alloc(count * sizeof(struct listen_mark *));

	memset(b, 0, count * sizeof(struct listen_mark *));
	return b;
}

void listen_index_init(struct listen_index *x)
{
	*x = (struct listen_index){ .buckets = new_buckets(FIRST_BUCKETS), .mask = FIRST_BUCKETS - 1 };
}

void listen_index_free(struct listen_index *x)
{
	assert(x->count == 0);
	mem_free(x->buckets);
}

static void link_mark(struct listen_index *x, struct listen_mark *m)
{
	struct listen_mark **at = &x->buckets[m->digest & x->mask];

	m->next = *at;
	m->here = at;
	if (m->next)
		m->next->here = &m->next;
	*at = m;
}

/* Chains are walked from their ends, so that the latest stay first. */
static void index_grow(struct listen_index *x)
{
	struct listen_mark **old = x->buckets, *m, *before;
	size_t count = x->mask + 1;

	x->buckets = new_buckets(2 * count);
	x->mask = 2 * count - 1;
	for (size_t i = 0; i < count; i++) {
		struct listen_mark *turned = NULL;

		for (m = old[i]; m; m = before) {
			before = m->next;
			m->next = turned;
			turned = m;
		}
		for (m = turned; m; m = before) {
			before = m->next;
			link_mark(x, m);
		}
	}
	mem_free(old);
}

static void drop_mark(struct listen_index *x, struct listen_mark *m)
{
	*m->here = m->next;
	if (m->next)
		m->next->here = m->here;
	mem_free(m);
	x->count--;
}

static void drop_oldest(struct listen_index *x, struct listen_marks *run)
{
	struct listen_mark *m = run->oldest;

	run->oldest = m->younger;
	if (!run->oldest)
		run->last = &run->oldest;
	run->count--;
	drop_mark(x, m);
}

void listen_index_add(struct listen_index *x, struct listen_marks *run, uint64_t digest)
{
	struct listen_mark *m;

	for (m = x->buckets[digest & x->mask]; m; m = m->next)
		if (m->digest == digest && m->run == run)
			return;
	if (run->count == LISTEN_INDEX_MARKS)
		drop_oldest(x, run);
	if (x->count > x->mask)
		index_grow(x);
	m = mem_alloc(sizeof(*m));
	*m = (struct listen_mark){ .digest = digest, .run = run };
	link_mark(x, m);
	x->count++;
	if (!run->last)
		run->last = &run->oldest;
	*run->last = m;
	run->last = &m->younger;
	run->count++;
}

struct listen_marks *listen_index_find(const struct listen_index *x, uint64_t digest, bool *several)
{
	struct listen_marks *found = NULL;

	if (several)
		*several = false;
	for (const struct listen_mark *m = x->buckets[digest & x->mask]; m; m = m->next) {
		if (m->digest != digest)
			continue;
		if (found) {
			*several = true;
			break;
		}
		found = m->run;
		if (!several)
			break;
	}
	return found;
}

void listen_index_leave(struct listen_index *x, struct listen_marks *run)
{
	while (run->oldest)
		drop_oldest(x, run);
}

/* ---- digests ---- */

static uint64_t listen_mix(uint64_t digest, uint64_t more)
{
	digest = (digest ^ more) * UINT64_C(0x9E3779B97F4A7C15);
	digest ^= digest >> 29;
	digest *= UINT64_C(0xBF58476D1CE4E5B9);
	return digest ^ digest >> 32;
}

uint64_t listen_index_key(enum listen_key kind, uint64_t digest)
{
	return listen_mix(digest, (uint64_t)kind) | 1;
}

/*
 * Digests of the beginnings of a request: [i] is that of the messages before the i-th. Without prompts of the system
 * where `talk`: some clients change them from turn to turn.
 */
struct beginnings {
	uint64_t kept[PREFIXES_KEPT + 1], *at;
};

static void begin_all(struct beginnings *b, const struct observation *s, bool talk)
{
	size_t n = s->message_count;

	b->at = n <= PREFIXES_KEPT ? b->kept : mem_alloc((n + 1) * sizeof(uint64_t));
	b->at[0] = listen_mix(s->caller, talk ? 2 : 1);
	for (size_t i = 0; i < n; i++) {
		const struct observation_message *m = &s->messages[i];

		b->at[i + 1] = talk && m->role == OBSERVED_SYSTEM ? b->at[i] : listen_mix(b->at[i], m->mark);
	}
}

static void end_all(struct beginnings *b)
{
	if (b->at != b->kept)
		mem_free(b->at);
}

static struct listen_marks *find_talk(const struct listen_index *x, uint64_t at, uint64_t words)
{
	struct listen_marks *run = NULL;

	if (words)
		run = listen_index_find(x, listen_index_key(LISTEN_REPLY, listen_mix(at, words)), NULL);
	return run ? run : listen_index_find(x, listen_index_key(LISTEN_TALK, at), NULL);
}

/* A talk without its prompts counts only where an answer follows it: two agents with other prompts may ask the same. */
struct listen_marks *listen_index_goes_on(const struct listen_index *x, const struct observation *s)
{
	struct listen_marks *run = NULL;
	struct beginnings whole, talk;

	if (s->previous.p)
		run = listen_index_find(
			x, listen_index_key(LISTEN_ANSWER, listen_mix(s->caller, str_hash(s->previous))), NULL);
	if (run || !s->message_count)
		return run;
	begin_all(&whole, s, false);
	begin_all(&talk, s, true);
	for (size_t i = s->message_count; i > 0 && !run; i--) {
		bool more = i < s->message_count, said = more && s->messages[i].role == OBSERVED_SAID;
		uint64_t words = said ? s->messages[i].words : 0;

		run = find_talk(x, whole.at[i], words);
		if (!run && said && talk.at[i] != talk.at[0])
			run = find_talk(x, talk.at[i], words);
	}
	end_all(&whole);
	end_all(&talk);
	return run;
}

void listen_index_asked(struct listen_index *x, struct listen_marks *run, const struct observation *s)
{
	for (int talk = 0; talk < 2 && s->message_count; talk++) {
		struct beginnings b;

		begin_all(&b, s, talk);
		if (b.at[s->message_count] != b.at[0])
			listen_index_add(x, run, listen_index_key(LISTEN_TALK, b.at[s->message_count]));
		end_all(&b);
	}
}

static uint64_t text_key(uint64_t caller, uint64_t text)
{
	return listen_index_key(LISTEN_TEXT, listen_mix(caller, text));
}

static void add_id(struct listen_index *x, struct listen_marks *run, struct str id)
{
	if (id.n >= ID_LEAST)
		listen_index_add(x, run, listen_index_key(LISTEN_ID, str_hash(id)));
}

void listen_index_answered(struct listen_index *x, struct listen_marks *run, const struct observation *s)
{
	add_id(x, run, s->answer);
	add_id(x, run, s->request_id);
	if (s->answer.p)
		listen_index_add(x, run, listen_index_key(LISTEN_ANSWER, listen_mix(s->caller, str_hash(s->answer))));
	for (int talk = 0; talk < 2 && s->message_count && s->words; talk++) {
		struct beginnings b;

		begin_all(&b, s, talk);
		listen_index_add(x, run,
				 listen_index_key(LISTEN_REPLY, listen_mix(b.at[s->message_count], s->words)));
		end_all(&b);
	}
	for (size_t i = 0; i < s->call_count; i++) {
		add_id(x, run, s->calls[i].call);
		for (size_t k = 0; k < s->calls[i].text_count; k++)
			listen_index_add(x, run, text_key(s->caller, s->calls[i].texts[k].key));
	}
}

/* NULL: none has it, or several have. */
static struct listen_marks *find_id(const struct listen_index *x, struct str id)
{
	struct listen_marks *run;
	bool several;

	if (id.n < ID_LEAST)
		return NULL;
	run = listen_index_find(x, listen_index_key(LISTEN_ID, str_hash(id)), &several);
	return several ? NULL : run;
}

struct listen_marks *listen_index_seen(const struct listen_index *x, const struct sighting *s)
{
	struct listen_marks *run = find_id(x, s->response_id);

	if (!run)
		run = find_id(x, s->call);
	for (size_t i = 0; i < s->call_count && !run; i++)
		run = find_id(x, s->calls[i]);
	for (size_t i = 0; i < s->result_count && !run; i++)
		run = find_id(x, s->results[i]);
	return run;
}

struct listen_marks *listen_index_told(const struct listen_index *x, const struct observation *s)
{
	struct listen_marks *run;
	bool several;

	for (size_t i = 0; i < s->message_count; i++) {
		if (s->messages[i].role != OBSERVED_USER)
			continue;
		if (!s->messages[i].text)
			return NULL;
		run = listen_index_find(x, text_key(s->caller, s->messages[i].text), &several);
		return several ? NULL : run;
	}
	return NULL;
}
