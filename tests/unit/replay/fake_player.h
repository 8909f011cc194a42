/* In the place of the player: entries are served when lane, method, target and body are the same, each once. */
#ifndef UNIT_REPLAY_FAKE_PLAYER_H
#define UNIT_REPLAY_FAKE_PLAYER_H

#include "base/buf.h"
#include "harness/test.h"
#include "replay/lane.h"

struct fake_player {
	struct lane_entries entries;
	bool used[64];
	struct buf notes;    /* a line for each: class, fatal, path, expected, got */
	struct buf tools;
	struct buf consumed;
	size_t asked, missed;
	bool stopped;
	struct str from, to; /* of translate */
	struct player_pace pace;
	struct lane_ops ops;
};

static inline bool fake_ask(void *context, struct arena *a, const struct match_question *q, struct match_result *out,
			    struct str *why)
{
	struct fake_player *f = context;
	struct match_difference ignored;

	f->asked++;
	*out = (struct match_result){ .tier = MATCH_MISS };
	for (size_t i = 0; i < f->entries.count; i++) {
		const struct match_entry *e = &f->entries.items[i];

		if (!str_eq(e->q.lane, q->lane) || !str_eq(e->q.method, q->method) || !str_eq(e->q.target, q->target))
			continue;
		if (lane_differ(a, e->q.body, q->body, &ignored)) {
			out->near[0] = (struct match_near){ e->x, 1 };
			out->near_count = 1;
			out->difference = ignored;
			continue;
		}
		if (f->used[i]) {
			out->used_up = true;
			continue;
		}
		f->used[i] = true;
		*out = (struct match_result){ .tier = MATCH_EXACT, .entry = e };
		return true;
	}
	f->missed++;
	*why = STR("not on the tape");
	return false;
}

static inline void fake_note(void *context, const struct divergence *d)
{
	struct fake_player *f = context;

	buf_printf(&f->notes, "%d %d %.*s %.*s %.*s %.*s\n", d->class, d->fatal, STR_ARG(d->lane), STR_ARG(d->difference.path),
		   STR_ARG(d->difference.expected), STR_ARG(d->difference.got));
	CHECK(d->sentence.n > 0);
}

static inline struct str fake_translate(void *context, struct arena *a, struct str answer)
{
	struct fake_player *f = context;
	size_t at = f->from.n ? str_find(answer, f->from) : (size_t)-1;

	if (at == (size_t)-1)
		return answer;
	return ARENA_JOIN(a, str_of(answer.p, at), f->to, str_skip(answer, at + f->from.n));
}

static inline bool fake_stopped(void *context)
{
	return ((struct fake_player *)context)->stopped;
}

static inline void fake_tool(void *context, struct str name, enum player_tool how)
{
	struct fake_player *f = context;

	buf_printf(&f->tools, "%.*s %d\n", STR_ARG(name), how);
}

static inline void fake_consume(void *context, uint64_t x)
{
	struct fake_player *f = context;

	buf_printf(&f->consumed, "%llu ", (unsigned long long)x);
	for (size_t i = 0; i < f->entries.count; i++)
		if (f->entries.items[i].x == x)
			f->used[i] = true;
}

static inline void fake_open(struct fake_player *f)
{
	*f = (struct fake_player){ .asked = 0 };
	buf_init(&f->notes);
	buf_init(&f->tools);
	buf_init(&f->consumed);
	f->ops = (struct lane_ops){ .ask = fake_ask, .note = fake_note, .translate = fake_translate, .stopped = fake_stopped,
				    .tool = fake_tool, .consume = fake_consume, .pace = &f->pace, .context = f };
}

static inline void fake_close(struct fake_player *f)
{
	buf_free(&f->notes);
	buf_free(&f->tools);
	buf_free(&f->consumed);
}

/* ---- tapes ---- */

struct said {
	const char *server, *instance;
	char from; /* 'c' or 's' */
	const char *text; /* NULL: it was not kept */
};

/* One message for each, a millisecond apart. */
static inline struct tape tape_of(struct arena *a, const struct said *said, size_t count)
{
	struct tape t = { .lines = arena_array(a, struct tape_line, count + 1), .count = count };

	for (size_t i = 0; i < count; i++) {
		struct tape_line *l = &t.lines[i];

		*l = (struct tape_line){ .x = i, .number = i + 2, .lane = TAPE_MCP, .begun_us = (int64_t)(i + 1) * 1000 };
		l->ended_us = l->begun_us;
		l->message.server = str_from(said[i].server);
		l->message.instance = str_from(said[i].instance);
		l->message.client = said[i].from == 'c';
		l->message.body.bytes = said[i].text ? str_from(said[i].text) : str_of(NULL, 0);
		l->message.body.lost = !said[i].text;
	}
	return t;
}

#endif
