/* Facts of a cassette in the order in which they decide about a replay. */
#include "cmd/replay_tape.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/replay_output.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/term.h"
#include "json/put.h"
#include "replay/tape_status.h"

static const char *const lane_names[] = { "model", "mcp_http", "mcp", "shell" };

static void add_json(struct buf *b, const struct tape *t, const struct tape_status *s, uint64_t age_us, const char *why)
{
	struct json_writer w;

	json_write_init(&w, b, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "schema", STR("trackway.replay-status/1"));
	json_put_text_or_null(&w, "run_id", t->run_id);
	json_put_text_or_null(&w, "sha256", t->sha256);
	json_put_u64(&w, "age_seconds", age_us / 1000000);
	json_put_u64(&w, "entries", t->count);
	json_put_object(&w, "lanes");
	for (size_t i = 0; i < COUNT(lane_names); i++)
		json_put_u64(&w, lane_names[i], s->lanes[i]);
	json_write_end_object(&w);
	json_put_u64(&w, "streams", s->streams);
	json_put_u64(&w, "websocket_requests", s->sockets);
	json_put_u64(&w, "bytes", s->bytes);
	json_put_array(&w, "repeats");
	for (size_t i = 0; i < s->repeat_count; i++) {
		json_write_begin_object(&w);
		json_put_u64(&w, "x", s->repeats[i].x);
		json_put_text(&w, "target", s->repeats[i].target);
		json_put_u64(&w, "count", s->repeats[i].count);
		json_write_end_object(&w);
	}
	json_write_end_array(&w);
	json_put_bool(&w, "redacted", t->redacted);
	json_put_text_or_null(&w, "redacted_with", t->redacted_with);
	json_put_bool(&w, "replayable", !why);
	json_put_text_or_null(&w, "why", why ? str_from(why) : str_of(NULL, 0));
	json_write_end_object(&w);
	buf_add_byte(b, '\n');
}

static void add_text(struct buf *b, const struct tape *t, const struct tape_status *s, uint64_t age_us, const char *why)
{
	buf_printf(b, "replayable:  %s%s%s\n", why ? "no" : "yes", why ? ": " : "", why ? why : "");
	if (!t->sha256.n)
		return; /* there is none */
	buf_printf(b, "cassette:    sha256 %.*s\n", STR_ARG(t->sha256));
	buf_add_str(b, STR("age:         "));
	if (age_us < UINT64_C(48) * 3600 * 1000000)
		buf_printf(b, "%" PRIu64 " hours\n", age_us / UINT64_C(3600000000));
	else
		buf_printf(b, "%" PRIu64 " days\n", age_us / (UINT64_C(24) * 3600 * 1000000));
	buf_printf(b, "entries:     %zu: model %" PRIu64 ", MCP over HTTP %" PRIu64 ", MCP messages %" PRIu64
		   ", commands %" PRIu64 "\n", t->count, s->lanes[0], s->lanes[1], s->lanes[2], s->lanes[3]);
	buf_printf(b, "             %" PRIu64 " streams, %" PRIu64 " requests through WebSockets, %" PRIu64
		   " bytes of content\n", s->streams, s->sockets, s->bytes);
	for (size_t i = 0; i < s->repeat_count; i++) {
		buf_printf(b, "repeated:    request %" PRIu64 " (", s->repeats[i].x);
		term_add_text(b, s->repeats[i].target);
		buf_printf(b, ") was recorded %" PRIu64 " times; its answers are given in their order\n",
			   s->repeats[i].count);
	}
	buf_add_str(b, STR("redacted:    "));
	if (t->redacted_with.n) {
		buf_add_str(b, STR("with the key "));
		term_add_text(b, t->redacted_with);
	} else {
		buf_add_str(b, t->redacted ? STR("yes, without a key that is known") : STR("no"));
	}
	buf_add_byte(b, '\n');
}

int replay_tape_status(struct arena *a, struct str run, bool json, struct err *err)
{
	struct replaying_outcome out;
	const struct tape *t = &out.tape;
	struct tape_status s;
	struct buf b;
	int64_t age;

	if (!replaying_look(a, run, &out, err))
		return EXIT_FAIL;
	tape_status_read(a, t, &s);
	age = (int64_t)(clock_wall_ns() / 1000) - t->clock0_us;
	buf_init(&b);
	(json ? add_json : add_text)(&b, t, &s, age > 0 && t->sha256.n ? (uint64_t)age : 0, replay_output_why(&out));
	stream_write(stdout, buf_str(&b));
	buf_free(&b);
	return out.refusal ? EXIT_CANNOT : EXIT_YES;
}

static void add_pin_json(struct buf *b, const struct replay_pin *pin)
{
	struct json_writer w;

	json_write_init(&w, b, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "schema", STR("trackway.replay-pin/1"));
	json_put_bool(&w, "new", pin->is_new);
	json_put_text(&w, "ledger", pin->ledger);
	json_put_u64(&w, "index", pin->index);
	json_put_u64(&w, "run_index", pin->run_index);
	json_put_digest(&w, "run_leaf", pin->run_leaf);
	json_write_end_object(&w);
	buf_add_byte(b, '\n');
}

static void add_pin_text(struct buf *b, struct arena *a, struct str run, const struct replay_pin *pin)
{
	buf_printf(b, "%s: the cassette of ", pin->is_new ? "pinned" : "was pinned before");
	term_add_text(b, run);
	buf_add_str(b, STR(", in "));
	term_add_text(b, pin->ledger);
	buf_printf(b, " at index %" PRIu64 ", for the run at index %" PRIu64 "\nleaf of the run: %.*s\n", pin->index,
		   pin->run_index, STR_ARG(ledger_args_hex(a, pin->run_leaf)));
}

int replay_tape_pin(struct arena *a, const struct frame *f, const struct ledger_choice *where, struct str run,
		    bool json, struct err *err)
{
	struct replay_pin pin;
	struct buf b;

	if (!file_is_dir(run)) {
		usage_set(err, "trackway replay --pin @last", "%.*s: a run is pinned by its directory",
			  STR_ARG(run));
		return EXIT_FAIL;
	}
	if (!replay_pin_seal(a, f, where, run, &pin, err))
		return EXIT_FAIL;
	buf_init(&b);
	if (json)
		add_pin_json(&b, &pin);
	else
		add_pin_text(&b, a, run, &pin);
	stream_write(stdout, buf_str(&b));
	buf_free(&b);
	return EXIT_YES;
}
