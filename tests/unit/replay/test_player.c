#include "replay/player.h"

#include "harness/test.h"
#include "unit/replay/replay_kit.h"

struct scene {
	struct arena arena;
	struct tape tape;
	struct player *player;
	unsigned diverged, served;
};

static void note_diverged(void *context)
{
	((struct scene *)context)->diverged++;
}

static void note_served(void *context, const struct match_entry *e)
{
	(void)e;
	((struct scene *)context)->served++;
}

static void scene_open(struct scene *s, bool stop, bool strict)
{
	struct player_options o = { .tape = &s->tape, .stop = stop, .strict_params = strict, .diverged = note_diverged,
				    .served = note_served, .context = s };
	struct err err;
	struct buf b;

	*s = (struct scene){ .diverged = 0 };
	arena_init(&s->arena);
	kit_cassette(&b);
	CHECK(tape_load_memory(&s->arena, STR("c"), buf_str(&b), &s->tape, &err));
	buf_free(&b);
	o.match.recorded_clock_us = o.match.live_clock_us = KIT_BEGUN / 1000;
	s->player = player_open(&o);
	for (size_t i = 0; i < s->tape.count; i++) {
		const struct tape_line *l = &s->tape.lines[i];
		struct match_entry *e = arena_new(&s->arena, struct match_entry);

		*e = (struct match_entry){
			.q = { .lane = STR("model"), .method = l->http.method, .target = l->http.target,
			       .body = l->http.request.bytes },
			.answer = l->http.answer.bytes, .x = l->x, .group = l->group, .begun_us = l->begun_us,
			.ended_us = l->ended_us, .own = l,
		};
		match_add(player_match(s->player), e);
	}
	player_seal(s->player);
}

static void scene_close(struct scene *s)
{
	player_close(s->player);
	arena_free(&s->arena);
}

static bool ask(struct scene *s, struct str body, struct str *why)
{
	struct match_question q = { .lane = STR("model"), .method = STR("POST"), .target = STR("/v1/chat/completions"),
				    .body = body };
	struct match_result r;

	return player_ask(s->player, &s->arena, &q, &r, why);
}

TEST(what_was_recorded_is_served_and_nothing_is_noted)
{
	struct scene s;
	struct str why;

	scene_open(&s, true, false);
	CHECK(ask(&s, STR(KIT_FIRST), &why) && ask(&s, STR(KIT_SECOND), &why));
	CHECK(!player_divergences(s.player));
	CHECK_INT(s.served, 2);
	CHECK_INT(s.diverged, 0);
	scene_close(&s);
}

TEST(a_changed_request_is_a_mismatch_and_stops_the_replay)
{
	struct divergence *d;
	struct scene s;
	struct str why;

	scene_open(&s, true, false);
	CHECK(!ask(&s, STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"ho\"}]}"), &why));
	d = player_divergences(s.player);
	CHECK(d && d->fatal && d->class == DIVERGENCE_REQUEST_MISMATCH && d->x == 0);
	CHECK_STR(d->difference.path, STR("/messages/0/content"));
	CHECK_STR(str_from(divergence_class_name(d->class)), STR("request_mismatch"));
	CHECK_INT(s.diverged, 1);
	CHECK(player_is_stopped(s.player));
	CHECK(!ask(&s, STR(KIT_FIRST), &why)); /* nothing is served any more */
	CHECK(!d->next);
	scene_close(&s);
}

TEST(a_request_once_more_is_an_extra_call_and_without_stopping_others_are_served)
{
	struct scene s;
	struct str why;

	scene_open(&s, false, false);
	CHECK(ask(&s, STR(KIT_FIRST), &why));
	CHECK(!ask(&s, STR(KIT_FIRST), &why));
	CHECK_INT(player_count(s.player, DIVERGENCE_EXTRA_CALL), 1);
	CHECK(ask(&s, STR(KIT_SECOND), &why));
	scene_close(&s);
}

TEST(another_order_is_noted)
{
	struct scene s;
	struct str why;

	scene_open(&s, false, false);
	CHECK(ask(&s, STR(KIT_SECOND), &why) && ask(&s, STR(KIT_FIRST), &why));
	CHECK_INT(player_count(s.player, DIVERGENCE_ORDER), 1);
	CHECK(player_divergences(s.player)->fatal);
	scene_close(&s);
}

TEST(a_parameter_is_fatal_only_where_that_is_wanted)
{
	static const char hotter[] = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"temperature\":1}";
	struct scene s;
	struct str why;

	for (int strict = 0; strict < 2; strict++) {
		scene_open(&s, true, strict);
		CHECK(ask(&s, str_from(hotter), &why));
		CHECK_INT(player_count(s.player, DIVERGENCE_PARAM_CHANGED), 1);
		CHECK_INT(player_divergences(s.player)->fatal, strict);
		scene_close(&s);
	}
}

TEST(tools_are_counted_by_name)
{
	struct scene s;
	const struct player_tool_row *t;

	scene_open(&s, true, false);
	player_note_tool(s.player, STR("a"), PLAYER_STUBBED);
	player_note_tool(s.player, STR("b"), PLAYER_LIVE);
	player_note_tool(s.player, STR("a"), PLAYER_STUBBED);
	t = player_tools(s.player);
	CHECK(t && t->stubbed == 2 && t->live == 0 && t->next && t->next->live == 1 && !t->next->next);
	scene_close(&s);
}
