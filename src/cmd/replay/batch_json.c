/* The document of a batch: `trackway.replay-batch/1`. Every run is in it, those that were not judged too. */
#include <math.h>

#include "cmd/replay/batch_output.h"
#include "json/put.h"

static void put_row(struct json_writer *w, const struct batch_row *r)
{
	static const char *const ends[] = { "not_begun", "judged", "could_not_run", "interrupted" };
	bool judged = r->end == BATCH_JUDGED;
	bool played = judged && r->verdict != VERDICT_NOT_REPLAYABLE;

	json_write_begin_object(w);
	json_put_text(w, "path", r->dir);
	json_put_text_or_null(w, "run_id", r->run_id);
	json_put_word(w, "end", ends[r->end]);
	json_put_word(w, "verdict", judged ? verdict_name(r->verdict) : NULL);
	json_put_text_or_null(w, "provider", r->provider);
	json_put_text_or_null(w, "api", r->api);
	json_put_text_or_null(w, "agent", r->agent);
	json_put_text_or_null(w, "model", r->model);
	json_put_text_or_null(w, "cassette_sha256", r->sha256);
	json_put_double(w, "coverage", judged ? r->coverage : NAN);
	json_put_u64_or_null(w, "served", r->served, played);
	json_put_u64_or_null(w, "exact", r->exact, played);
	json_put_u64_or_null(w, "masked", r->masked, played);
	json_put_u64_or_null(w, "missed", r->missed, played);
	json_put_u64_or_null(w, "unconsumed", r->unconsumed, played);
	json_put_text_or_null(w, "class", judged ? r->class : str_of(NULL, 0));
	json_put_text_or_null(w, "sentence", judged ? r->sentence : str_of(NULL, 0));
	json_put_text_or_null(w, "why", r->why);
	json_put_double(w, "seconds", r->end == BATCH_NOT_BEGUN ? NAN : r->seconds);
	json_write_end_object(w);
}

static void put_group(struct json_writer *w, const struct batch_group *g)
{
	json_write_begin_object(w);
	json_put_text_or_null(w, "name", g->name);
	json_put_u64(w, "runs", g->runs);
	json_put_u64(w, "judged", g->judged);
	json_put_u64(w, "replayed", g->replayed);
	json_put_u64(w, "exact", g->verdicts[VERDICT_EXACT]);
	json_put_u64(w, "equivalent", g->verdicts[VERDICT_EQUIVALENT]);
	json_put_u64(w, "diverged", g->verdicts[VERDICT_DIVERGED]);
	json_put_u64(w, "incomplete", g->verdicts[VERDICT_INCOMPLETE]);
	json_put_u64(w, "not_replayable", g->verdicts[VERDICT_NOT_REPLAYABLE]);
	json_put_u64(w, "could_not_run", g->unable);
	json_put_u64(w, "interrupted", g->interrupted);
	json_put_double(w, "coverage", g->coverage);
	json_put_double(w, "share", g->judged ? (double)g->replayed / (double)g->judged : NAN);
	stats_put_interval(w, "interval", g->interval);
	json_put_double(w, "share_of_all", g->runs ? (double)g->replayed / (double)g->runs : NAN);
	json_write_end_object(w);
}

static void put_gates(struct json_writer *w, const struct batch_tally *t)
{
	json_put_array(w, "gates");
	for (size_t k = 0; k < BATCH_GATES; k++) {
		const struct batch_gate *g = &t->gates[k];

		json_write_begin_object(w);
		json_put_word(w, "name", batch_gate_name((enum batch_gate_kind)k));
		json_put_bool(w, "asked", g->asked);
		json_put_bool(w, "holds", !g->asked || !g->count);
		json_put_texts(w, "runs", g->failed, g->asked ? g->count : 0);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

void batch_output_json(struct buf *out, const struct batch_told *t)
{
	static const char *const bys[] = { "vendor", "agent", "model" };
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "schema", STR("trackway.replay-batch/1"));
	json_put_u64(&w, "found", t->found);
	json_put_u64(&w, "taken", t->count);
	json_put_bool(&w, "stopped", t->stopped_by != 0);
	json_put_double(&w, "seconds", t->seconds);
	json_put_word(&w, "by", bys[t->by]);
	json_put_key(&w, "totals");
	put_group(&w, &t->tally.all);
	json_put_array(&w, "groups");
	for (size_t i = 0; i < t->tally.group_count; i++)
		put_group(&w, &t->tally.groups[i]);
	json_write_end_array(&w);
	json_put_object(&w, "failures");
	for (size_t i = 0; i < t->tally.class_count; i++) {
		json_write_key(&w, t->tally.classes[i].name);
		json_write_u64(&w, t->tally.classes[i].runs);
	}
	json_write_end_object(&w);
	put_gates(&w, &t->tally);
	json_put_u64(&w, "with_network", t->tally.online);
	json_put_array(&w, "runs");
	for (size_t i = 0; i < t->count; i++)
		put_row(&w, &t->rows[i]);
	json_write_end_array(&w);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
