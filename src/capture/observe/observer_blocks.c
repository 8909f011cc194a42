/*
 * The prompt of a request as numbers of its blocks (block_chain.h): tools, prompts of the system, messages, as the
 * reader of its API gives them. So what does not reach the model (marks for a cache, ids of calls, spaces of JSON) does
 * not part two prompts that begin alike.
 */
#include "capture/observe/block_chain.h"
#include "capture/observe/observer_private.h"
#include "dialect/record/field.h"
#include "dialect/writing.h"

#define BLOCKS_KEPT 64 /* answers that a later request may go on from: the latest */

/* Where the prompt of an answered request stood. */
struct kept_chain {
	uint64_t answer; /* digest of its id; 0: none */
	char *held;      /* what block_chain_held gave */
	size_t held_size;
	uint64_t *ids;
	size_t count;
};

struct observer_blocks {
	struct block_chain chain;
	struct kept_chain kept[BLOCKS_KEPT];
	size_t next;
};

static void free_kept(struct kept_chain *kept)
{
	mem_free(kept->held);
	mem_free(kept->ids);
	*kept = (struct kept_chain){ .answer = 0 };
}

void observers_hash_blocks(struct observers *l, const struct block_options *o)
{
	if (!o->tokens || l->blocks)
		return;
	l->blocks = mem_alloc(sizeof(*l->blocks));
	memset(l->blocks, 0, sizeof(*l->blocks));
	block_chain_init(&l->blocks->chain, o);
}

void observer_blocks_close(struct observer_blocks *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < COUNT(b->kept); i++)
		free_kept(&b->kept[i]);
	block_chain_free(&b->chain);
	mem_free(b);
}

static void blocks_add_field(struct block_chain *c, struct str text)
{
	if (!text.n)
		return;
	block_chain_add(c, text);
	block_chain_add(c, STR("\n"));
}

/*
 * Content by its values, so that a text is the same alone and as the only block of a list. Of its members the kind of a
 * block is left out, and what marks it for a cache: clients move that mark from message to message.
 */
static void blocks_add_content(struct observers *l, struct block_chain *c, struct str json)
{
	static const struct str unseen[] = { WORD("type"), WORD("cache_control") };
	struct val v = VAL_NONE;
	uint32_t end;

	if (json.n >= 2 && json.p[0] == '"') {
		blocks_add_field(c, str_of(json.p + 1, json.n - 2));
		return;
	}
	if (json.n)
		v = writing_parse(l->content, json);
	if (!val_is(v, JSON_OBJECT) && !val_is(v, JSON_ARRAY)) {
		blocks_add_field(c, json);
		return;
	}
	for (end = val_end(v); v.at < end;) {
		struct val value = { v.tape, v.at + 1 };

		if (val_is(v, JSON_OBJECT) || val_is(v, JSON_ARRAY)) {
			v.at++;
		} else if (val_tok(v)->type == JSON_KEY && str_is_one_of(val_raw(v), unseen, COUNT(unseen))) {
			v.at = val_end(value);
		} else {
			if (val_tok(v)->type != JSON_KEY || !str_eq(val_raw(v), STR("text")))
				blocks_add_field(c, val_raw(v));
			v.at++;
		}
	}
}

/* What a model is given of an event. Ids of calls are left out: some clients make them up again for each request. */
static void blocks_add_event(struct observers *l, struct block_chain *c, const struct event *e)
{
	const struct str parts[] = { e->role, e->tools, e->reasoning, e->text, e->tool, e->args, e->args_text };

	for (size_t i = 0; i < COUNT(parts); i++)
		blocks_add_field(c, parts[i]);
	blocks_add_content(l, c, e->content);
}

/* Only the service knows what comes first: a conversation, a cache, a template or tokens that it keeps by a name. */
static bool has_hidden_part(struct val body)
{
	static const struct { struct str name; enum json_type type; } hidden[] = {
		{ WORD("conversation"), JSON_STRING }, { WORD("conversation"), JSON_OBJECT },
		{ WORD("cachedContent"), JSON_STRING }, { WORD("cached_content"), JSON_STRING },
		{ WORD("prompt"), JSON_OBJECT }, { WORD("context"), JSON_ARRAY },
	};

	for (size_t i = 0; i < COUNT(hidden); i++)
		if (val_is(val_get(body, hidden[i].name), hidden[i].type))
			return true;
	return false;
}

/* False when what the prompt begins with is not known. */
static bool begin_chain(struct observer *k, struct val body)
{
	struct observer_blocks *b = k->all->blocks;
	struct val previous = val_get(body, STR("previous_response_id"));
	uint64_t id;

	block_chain_begin(&b->chain);
	if (has_hidden_part(body))
		return false;
	if (!val_is(previous, JSON_STRING))
		return true;
	id = str_hash(val_text(previous, &k->all->parser.batch));
	for (size_t i = 0; i < COUNT(b->kept); i++) {
		const struct kept_chain *kept = &b->kept[i];

		if (!kept->answer || kept->answer != id)
			continue;
		block_chain_resume(&b->chain, str_of(kept->held, kept->held_size), kept->ids, kept->count);
		return true;
	}
	return false;
}

void observer_read_blocks(struct observer *k, struct val body)
{
	const struct reading *r = &k->all->parser.reading;
	struct block_chain *c;
	uint64_t *ids, last;
	bool has_last;

	if (!k->all->blocks || !begin_chain(k, body))
		return;
	c = &k->all->blocks->chain;
	for (size_t i = 0; i < r->count; i++)
		if (r->events[i].flags & EVENT_HISTORY)
			blocks_add_event(k->all, c, &r->events[i]);
	has_last = block_chain_last(c, &last);
	if (c->over || c->count + has_last > BLOCK_CHAIN_IDS || answer_parser_is_crowded(&k->all->parser))
		return;
	ids = arena_array(&k->history, uint64_t, c->count + has_last);
	if (c->count)
		memcpy(ids, c->ids, c->count * sizeof(ids[0]));
	if (has_last)
		ids[c->count] = last;
	k->s.blocks = ids;
	k->s.block_count = c->count + has_last;
	k->chain_held = arena_copy(&k->history, block_chain_held(c));
	k->chain_count = c->count;
}

/*
 * Of the answer only its length is needed: a request that goes on from it has the same bytes there as any other that
 * does.
 */
void observer_keep_blocks(struct observer *k)
{
	struct observer_blocks *b = k->all->blocks;
	const struct figure output = k->s.usage.output;
	uint64_t most = (uint64_t)BLOCK_CHAIN_IDS * BLOCK_CHAIN_MOST, tokens = figure_is_known(output) ? output.n : 0;
	struct kept_chain *kept;
	struct str held;

	if (!b || k->api != &openai_responses_api || !k->chain_held.p || !k->s.answer.p || k->s.failed)
		return;
	block_chain_resume(&b->chain, k->chain_held, k->s.blocks, k->chain_count);
	block_chain_add_unknown(&b->chain, k->s.answer,
				(size_t)((tokens < most ? tokens : most) * BLOCK_CHAIN_PER_TOKEN));
	if (b->chain.over)
		return;
	kept = &b->kept[b->next];
	b->next = (b->next + 1) % BLOCKS_KEPT;
	free_kept(kept);
	held = block_chain_held(&b->chain);
	*kept = (struct kept_chain){
		.answer = str_hash(k->s.answer),
		.held = memcpy(mem_alloc(held.n), held.p, held.n),
		.held_size = held.n,
		.count = b->chain.count,
	};
	if (kept->count) {
		size_t size = kept->count * sizeof(kept->ids[0]);

		kept->ids = memcpy(mem_alloc(size), b->chain.ids, size);
	}
}
