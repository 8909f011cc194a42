/* The document of a replay, `trackway.replay/1`, as a row. What is no document becomes a reason. */
#include <math.h>
#include <signal.h>

#include "json/json.h"
#include "replay/batch.h"

static uint64_t get_count(struct val root, const char *name)
{
	int64_t n;

	return val_i64(val_get(root, str_from(name)), &n) && n > 0 ? (uint64_t)n : 0;
}

static struct str get_text(struct arena *a, struct val root, const char *name)
{
	struct val v = val_get(root, str_from(name));

	return val_is(v, JSON_STRING) ? val_text_copy(v, a) : str_of(NULL, 0);
}

static bool get_verdict(struct val root, enum verdict *out)
{
	for (int v = VERDICT_EXACT; v <= VERDICT_NOT_REPLAYABLE; v++)
		if (val_text_is(val_get(root, STR("verdict")), str_from(verdict_name((enum verdict)v)))) {
			*out = (enum verdict)v;
			return true;
		}
	return false;
}

static bool has_class(struct val root, enum divergence_class c)
{
	struct val_iter it = val_begin(val_get(root, STR("divergences")));
	struct val one;

	while (val_next(&it, &one))
		if (val_text_is(val_get(one, STR("class")), str_from(divergence_class_name(c))))
			return true;
	return false;
}

/*
 * The signal by which somebody else ended the command, 0 for none. What it asked until then was right, or the first
 * divergence would be another one; a timeout of ours has a class of its own.
 */
static int find_killer(struct val root, const struct batch_row *r)
{
	static const enum divergence_class ends[] = { DIVERGENCE_UNCONSUMED, DIVERGENCE_OUTPUT_MISMATCH,
						      DIVERGENCE_EXIT_STATUS };
	static const int signals[] = { SIGHUP, SIGINT, SIGKILL, SIGTERM };
	struct val exit = val_get(root, STR("exit"));
	int64_t was = -1, is;
	bool only_ended = false;

	for (size_t i = 0; i < COUNT(ends); i++)
		only_ended = only_ended || str_eq(r->class, str_from(divergence_class_name(ends[i])));
	if (!only_ended || has_class(root, DIVERGENCE_TIMEOUT) || !val_i64(val_get(exit, STR("replayed")), &is))
		return 0;
	(void)val_i64(val_get(exit, STR("recorded")), &was);
	for (size_t i = 0; i < COUNT(signals); i++)
		if (is == 128 + signals[i] && was != is)
			return signals[i];
	return 0;
}

static void read_document(struct arena *a, struct val root, struct batch_row *r)
{
	struct val first = val_get(root, STR("first_divergence"));
	double coverage;
	int killer;

	r->run_id = r->run_id.p ? r->run_id : get_text(a, root, "run_id");
	r->provider = get_text(a, root, "provider");
	r->api = get_text(a, root, "api");
	r->sha256 = get_text(a, root, "cassette_sha256");
	r->coverage = val_double(val_get(root, STR("coverage")), &coverage) ? coverage : NAN;
	r->served = get_count(root, "served");
	r->exact = get_count(root, "exact");
	r->masked = get_count(root, "masked");
	r->lenient = get_count(root, "lenient");
	r->missed = get_count(root, "missed");
	r->unconsumed = get_count(root, "unconsumed");
	r->isolated = val_is(val_get(val_get(root, STR("network")), STR("isolated")), JSON_TRUE);
	r->class = get_text(a, first, "class");
	r->sentence = get_text(a, first, "sentence");
	r->why = get_text(a, root, "why");
	killer = batch_is_replayed(r) ? 0 : find_killer(root, r);
	if (killer) {
		r->end = BATCH_UNABLE;
		r->why = arena_printf(a, "somebody ended the command with signal %d", killer);
	}
}

/* The sentence of an error of ours among what the command said; else the last line there is. */
static struct str find_reason(struct str complaint)
{
	struct str line, last = { NULL, 0 };

	while (complaint.n) {
		line = str_trim(str_cut(complaint, '\n', &complaint));
		if (str_starts(line, STR("error: ")))
			return str_skip(line, 7);
		if (line.n)
			last = line;
	}
	return last;
}

void batch_read(struct arena *a, const struct batch_left *left, struct batch_row *r)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 64 });
	struct val root;

	r->end = BATCH_UNABLE;
	r->coverage = NAN;
	if (left->signal) {
		r->why = arena_printf(a, "the replay was ended by signal %d", left->signal);
	} else if (json_parse_copy(parser, left->document, &root, NULL) && get_verdict(root, &r->verdict)) {
		r->end = BATCH_JUDGED;
		read_document(a, root, r);
	} else {
		struct str reason = find_reason(left->complaint);

		r->why = reason.n ? arena_copy(a, reason)
				  : arena_printf(a, "the replay gave no verdict and ended with %d", left->status);
	}
	if (left->stopping && !(r->end == BATCH_JUDGED && batch_is_replayed(r)))
		r->end = BATCH_INTERRUPTED;
	json_parser_close(parser);
}

bool batch_is_replayed(const struct batch_row *r)
{
	return r->end == BATCH_JUDGED && r->verdict <= VERDICT_EQUIVALENT;
}
