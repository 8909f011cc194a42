/*
 * ATIF held against its tables and against itself. The tables have what Harbor's models ask of each member; the
 * functions below them what holds between members, steps and embedded trajectories. A document is one record, so
 * everything is known when it is read.
 */
#include "dialect/atif/check.h"

#include "base/ascii.h"
#include "base/map.h"
#include "dialect/atif/rules.h"
#include "dialect/atif/time.h"
#include "dialect/values.h"

/* ---- the tables ---- */

/* Each takes the field's name and, after it, what else is to be said. */
#define NEEDED(...) { .types = T_STRING, .need = FIELD_REQUIRED, .name = __VA_ARGS__ }
#define TEXT(...) { .types = T_STRING, .need = FIELD_EXTRA, .name = __VA_ARGS__ }
#define FREE(...) { .types = T_OBJECT, .need = FIELD_EXTRA, .name = __VA_ARGS__ }
#define LIST(need_, each_, ...) { .types = T_ARRAY, .need = FIELD_##need_, .each = &(each_), .name = __VA_ARGS__ }
#define PART(need_, type_, ...) { .types = T_OBJECT, .need = FIELD_##need_, .object = &(type_), .name = __VA_ARGS__ }
#define AMOUNT_OF(types_, ...) \
	{ .types = (types_), .need = FIELD_EXTRA, .check = CHECK_NOT_NEGATIVE, .rule = ATIF_NEGATIVE, \
	  .name = __VA_ARGS__ }
#define COUNT_OF(...) AMOUNT_OF(T_INTEGER, __VA_ARGS__)

static const struct field any_object = { .name = "an element", .types = T_OBJECT, .need = FIELD_REQUIRED };
static const struct field any_integer = { .name = "an element", .types = T_INTEGER, .need = FIELD_REQUIRED };
static const struct field any_number = { .name = "an element", .types = T_NUMBER, .need = FIELD_REQUIRED };

static const struct field agent_fields[] = {
	NEEDED("name"),
	NEEDED("version"),
	TEXT("model_name"),
	LIST(EXTRA, any_object, "tool_definitions", .about = "objects, as in a request to OpenAI"),
	FREE("extra"),
};
static const struct record_type agent_type = { .name = "agent", RECORD_TYPE(agent_fields), .closed = true };

static const struct field media_fields[] = {
	NEEDED("media_type", .about = "of an image or of audio, as the part's type says"),
	NEEDED("path"),
	AMOUNT_OF(T_NUMBER, "duration_sec", .about = "of audio alone"),
};
static const struct record_type media_type = { .name = "media", RECORD_TYPE(media_fields), .closed = true };

static const struct field part_fields[] = {
	{ .name = "type", .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_WORD, .rule = ATIF_PART,
	  .words = WORDS(WORD("text"), WORD("image"), WORD("audio")) },
	TEXT("text"),
	PART(EXTRA, media_type, "source"),
};
#define AUDIO "^\\\\s*[Aa][Uu][Dd][Ii][Oo]/"
static const struct record_type part_type = {
	.name = "part", RECORD_TYPE(part_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"AF019\",\"if\":{\"properties\":{\"type\":{\"const\":\"text\"}}},"
		  "\"then\":{\"required\":[\"text\"],\"properties\":{\"text\":{\"type\":\"string\"},\"source\":"
		  "{\"type\":\"null\"}}},\"else\":{\"required\":[\"source\"],"
		  "\"properties\":{\"text\":{\"type\":\"null\"},"
		  "\"source\":{\"type\":\"object\"}}}},{\"if\":{\"properties\":{\"type\":{\"const\":\"image\"}}},"
		  "\"then\":{\"properties\":{\"source\":{\"not\":{\"required\":[\"duration_sec\"]},\"properties\":"
		  "{\"media_type\":{\"enum\":[\"image/jpeg\",\"image/png\",\"image/gif\",\"image/webp\"]}}}}}},"
		  "{\"if\":{\"properties\":{\"type\":{\"const\":\"audio\"}}},\"then\":{\"properties\":{\"source\":"
		  "{\"properties\":{\"media_type\":{\"pattern\":\"" AUDIO "\"}}}}}}]",
};
static const struct field any_part = PART(REQUIRED, part_type, "part");

static const struct field ref_fields[] = {
	TEXT("trajectory_id"),
	TEXT("session_id"),
	TEXT("trajectory_path"),
	FREE("extra"),
};
static const struct record_type ref_type = {
	.name = "subagent_ref", RECORD_TYPE(ref_fields), .closed = true,
	.schema = "\"anyOf\":[{\"$comment\":\"AF020\",\"required\":[\"trajectory_id\"],\"properties\":"
		  "{\"trajectory_id\":"
		  "{\"type\":\"string\"}}},{\"required\":[\"trajectory_path\"],\"properties\":{\"trajectory_path\":"
		  "{\"type\":\"string\"}}}]",
};
static const struct field any_ref = PART(REQUIRED, ref_type, "subagent_ref");

static const struct field result_fields[] = {
	TEXT("source_call_id"),
	{ .name = "content", .types = T_STRING | T_ARRAY, .need = FIELD_EXTRA, .each = &any_part },
	LIST(EXTRA, any_ref, "subagent_trajectory_ref"),
	FREE("extra"),
};
static const struct record_type result_type = { .name = "result", RECORD_TYPE(result_fields), .closed = true };
static const struct field any_result = PART(REQUIRED, result_type, "result");

static const struct field observation_fields[] = { LIST(REQUIRED, any_result, "results") };
static const struct record_type observation_type = {
	.name = "observation", RECORD_TYPE(observation_fields), .closed = true,
};

static const struct field call_fields[] = {
	NEEDED("tool_call_id"),
	NEEDED("function_name"),
	{ .name = "arguments", .types = T_OBJECT, .need = FIELD_REQUIRED },
	FREE("extra"),
};
static const struct record_type call_type = { .name = "tool_call", RECORD_TYPE(call_fields), .closed = true };
static const struct field any_call = PART(REQUIRED, call_type, "tool_call");

static const struct field metrics_fields[] = {
	COUNT_OF("prompt_tokens", .about = "with those read from the cache"),
	COUNT_OF("completion_tokens"),
	COUNT_OF("cached_tokens"),
	AMOUNT_OF(T_NUMBER, "cost_usd"),
	LIST(EXTRA, any_integer, "prompt_token_ids"),
	LIST(EXTRA, any_integer, "completion_token_ids"),
	LIST(EXTRA, any_number, "logprobs"),
	FREE("extra"),
};
static const struct record_type metrics_type = { .name = "metrics", RECORD_TYPE(metrics_fields), .closed = true };

static const struct field step_fields[] = {
	{ .name = "step_id", .types = T_INTEGER, .need = FIELD_REQUIRED },
	TEXT("timestamp", .about = "ISO 8601"),
	{ .name = "source", .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_WORD, .rule = ATIF_SOURCE,
	  .words = WORDS(WORD("system"), WORD("user"), WORD("agent")) },
	TEXT("model_name"),
	{ .name = "reasoning_effort", .types = T_STRING | T_NUMBER, .need = FIELD_EXTRA },
	{ .name = "message", .types = T_STRING | T_ARRAY, .need = FIELD_REQUIRED, .each = &any_part },
	TEXT("reasoning_content"),
	LIST(EXTRA, any_call, "tool_calls"),
	PART(EXTRA, observation_type, "observation"),
	PART(EXTRA, metrics_type, "metrics"),
	{ .name = "is_copied_context", .types = T_BOOL, .need = FIELD_EXTRA },
	COUNT_OF("llm_call_count"),
	FREE("extra"),
};
static const struct record_type step_type = { .name = "step", RECORD_TYPE(step_fields), .closed = true };
static const struct field any_step = PART(REQUIRED, step_type, "step");

static const struct field totals_fields[] = {
	COUNT_OF("total_prompt_tokens"),
	COUNT_OF("total_completion_tokens"),
	COUNT_OF("total_cached_tokens"),
	AMOUNT_OF(T_NUMBER, "total_cost_usd"),
	COUNT_OF("total_steps"),
	FREE("extra"),
};
static const struct record_type totals_type = { .name = "final_metrics", RECORD_TYPE(totals_fields), .closed = true };

static const struct record_type trajectory_type;
static const struct field any_trajectory = PART(REQUIRED, trajectory_type, "trajectory");

static const struct field trajectory_fields[] = {
	{ .name = "schema_version", .types = T_STRING, .need = FIELD_EXTRA, .check = CHECK_WORD, .rule = ATIF_VERSION,
	  .words = WORDS(WORD("ATIF-v1.0"), WORD("ATIF-v1.1"), WORD("ATIF-v1.2"), WORD("ATIF-v1.3"), WORD("ATIF-v1.4"),
			 WORD("ATIF-v1.5"), WORD("ATIF-v1.6"), WORD("ATIF-v1.7"), WORD("ATIF-v1.8")) },
	TEXT("session_id", .about = "of the run; several trajectories may share it"),
	TEXT("trajectory_id", .about = "of this trajectory alone; required where it is embedded"),
	PART(REQUIRED, agent_type, "agent"),
	LIST(REQUIRED, any_step, "steps"),
	TEXT("notes"),
	PART(EXTRA, totals_type, "final_metrics"),
	TEXT("continued_trajectory_ref"),
	FREE("extra"),
	LIST(EXTRA, any_trajectory, "subagent_trajectories"),
};
static const struct record_type trajectory_type = {
	.name = "trajectory", RECORD_TYPE(trajectory_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"AF025\",\"properties\":{\"steps\":{\"minItems\":1}}},"
		  "{\"$comment\":\"AF008\",\"properties\":{\"schema_version\":{\"type\":\"string\"}}}]",
	.about = "the steps of a run",
};

const struct record_type *const atif_roots[] = { &trajectory_type, NULL };

/* ---- versions ---- */

#define NEWEST 8

/* One trajectory, the document or an embedded one, while it is checked. */
struct walk {
	struct record_scan *s;
	struct val root, outermost;
	const struct map *own, *outer; /* ids of the trajectories embedded in either */
	int version; /* the minor number; NEWEST where it is not known */
};

/* What came with which version, as Harbor's models say. */
static void note_newer(const struct walk *w, struct val v, struct str what, int since)
{
	record_note(w->s, ATIF_NEWER, v, "%.*s came with version 1.%d, and schema_version says 1.%d", STR_ARG(what),
		    since, w->version);
}

static void check_newer(const struct walk *w, struct val object, struct str name, int since)
{
	struct val v = val_get(object, name);

	if (w->version < since && !val_is_unset(v))
		note_newer(w, v, name, since);
}

/* Absent or unknown: nothing is held against the version then, and an unknown one was told by its row. */
static int atif_read_version(struct record_scan *s, struct val root)
{
	struct val v = val_get(root, STR("schema_version"));
	struct str text = val_is(v, JSON_STRING) ? val_raw(v) : STR("");

	if (val_is(v, JSON_NULL))
		record_note(s, ATIF_VERSION, v, "schema_version must be a version of ATIF, found null");
	if (text.n != 9 || !str_starts(text, STR("ATIF-v1.")) || !ascii_is_digit(text.p[8]) || text.p[8] > '0' + NEWEST)
		return NEWEST;
	return text.p[8] - '0';
}

/* ---- parts of messages ---- */

static bool is_image(struct str type)
{
	static const struct str types[] = { WORD("image/jpeg"), WORD("image/png"), WORD("image/gif"),
					    WORD("image/webp") };

	for (size_t i = 0; i < COUNT(types); i++)
		if (str_eq(type, types[i]))
			return true;
	return false;
}

/* With the other spellings that Harbor takes, in any case and with spaces around. */
static bool is_audio(struct str type)
{
	static const struct str types[] = {
		WORD("wav"), WORD("mpeg"), WORD("mp4"), WORD("aac"), WORD("ogg"), WORD("flac"), WORD("webm"),
		WORD("aiff"),
		WORD("mp3"), WORD("mpga"), WORD("x-mpeg"), WORD("x-wav"), WORD("wave"), WORD("vnd.wave"), WORD("x-m4a"),
		WORD("m4a"), WORD("x-aac"), WORD("x-flac"), WORD("x-aiff"),
	};

	type = str_trim(type);
	if (type.n < 6 || !str_eq_nocase(str_of(type.p, 6), STR("audio/")))
		return false;
	for (size_t i = 0; i < COUNT(types); i++)
		if (str_eq_nocase(str_of(type.p + 6, type.n - 6), types[i]))
			return true;
	return false;
}

static void check_media(const struct walk *w, struct val part, bool audio)
{
	struct val source = val_get(part, STR("source")), type = val_get(source, STR("media_type"));
	struct val duration = val_get(source, STR("duration_sec"));
	struct str text = val_text_or_none(type, w->s->arena);

	if (val_is_unset(source)) {
		record_note(w->s, ATIF_PART, part, "a part of type %s must have a source", audio ? "audio" : "image");
		return;
	}
	if (text.p && !(audio ? is_audio(text) : is_image(text)))
		record_note(w->s, ATIF_PART, type, "media_type must be that of %s, found %.*s",
			    audio ? "audio" : "an image", STR_ARG(record_show(w->s, type)));
	if (!audio && !val_is_none(duration))
		record_note(w->s, ATIF_PART, duration, "an image has no duration_sec");
}

/* What a part has beside its type must be that of its type. */
static void check_part(const struct walk *w, struct val part)
{
	struct val type = val_get(part, STR("type")), text = val_get(part, STR("text"));
	bool audio = val_text_is(type, STR("audio")), is_text = val_text_is(type, STR("text"));

	if (!val_is(part, JSON_OBJECT) || (!is_text && !audio && !val_text_is(type, STR("image"))))
		return; /* told by its row */
	if (audio && w->version < 8)
		note_newer(w, type, STR("audio"), 8);
	if (!is_text) {
		if (!val_is_unset(text))
			record_note(w->s, ATIF_PART, text, "a part of type %s has no text", audio ? "audio" : "image");
		check_media(w, part, audio);
		return;
	}
	if (val_is_unset(text))
		record_note(w->s, ATIF_PART, part, "a part of type text must have a text");
	if (!val_is_unset(val_get(part, STR("source"))))
		record_note(w->s, ATIF_PART, val_get(part, STR("source")), "a part of type text has no source");
}

static void check_content(const struct walk *w, struct val object, struct str name)
{
	struct val content = val_get(object, name);

	if (val_is(content, JSON_ARRAY) && w->version < 6)
		note_newer(w, content, STR("a list of parts"), 6);
	VALUES_EACH(part, content)
		check_part(w, part);
}

/* ---- calls and results ---- */

/* The ids of a step's calls; one that stands there twice is a finding. */
static void read_calls(const struct walk *w, struct val calls, struct map *ids)
{
	map_init(ids, w->s->arena);
	VALUES_EACH(call, calls) {
		struct val id = val_get(call, STR("tool_call_id"));
		bool added;

		check_newer(w, call, STR("extra"), 7);
		if (!val_is(id, JSON_STRING))
			continue;
		map_add(ids, val_text(id, w->s->arena), &added);
		if (!added)
			record_note(w->s, ATIF_CALL_TWICE, id, "an earlier call of the step has this tool_call_id");
	}
}

static void check_ref(const struct walk *w, struct val ref)
{
	struct val id = val_get(ref, STR("trajectory_id")), path = val_get(ref, STR("trajectory_path"));

	if (!val_is(ref, JSON_OBJECT))
		return;
	if (val_is_unset(id) && val_is_unset(path)) {
		record_note(w->s, ATIF_REF, ref, "the reference must have a trajectory_id or a trajectory_path");
		return;
	}
	check_newer(w, ref, STR("trajectory_id"), 7);
	if (val_is(id, JSON_STRING) && val_is_unset(path) && !map_find(w->own, val_text(id, w->s->arena)) &&
	    !map_find(w->outer, val_text(id, w->s->arena)))
		record_note(w->s, ATIF_REF_NOWHERE, id, "subagent_trajectories has no trajectory with this id");
}

static void check_results(const struct walk *w, struct val step)
{
	struct val results = val_get(val_get(step, STR("observation")), STR("results"));
	struct map ids;

	read_calls(w, val_get(step, STR("tool_calls")), &ids);
	VALUES_EACH(result, results) {
		struct val id = val_get(result, STR("source_call_id"));

		if (val_is(id, JSON_STRING) && !map_find(&ids, val_text(id, w->s->arena)))
			record_note(w->s, ATIF_NO_CALL, id, "no tool call of this step has the id %.*s",
				    STR_ARG(record_show(w->s, id)));
		check_newer(w, result, STR("extra"), 7);
		check_content(w, result, STR("content"));
		VALUES_EACH(ref, val_get(result, STR("subagent_trajectory_ref")))
			check_ref(w, ref);
	}
}

/* ---- steps ---- */

/* Members of whom a model has spoken: only the agent's steps have them, and only where a model was asked. */
static void check_model_members(const struct walk *w, struct val step)
{
	static const struct {
		struct str name;
		bool of_model;
	} members[] = {
		{ WORD("model_name"), false }, { WORD("reasoning_effort"), false }, { WORD("reasoning_content"), true },
		{ WORD("tool_calls"), false }, { WORD("metrics"), true },
	};
	struct val source = val_get(step, STR("source")), count = val_get(step, STR("llm_call_count"));
	bool agent = val_text_is(source, STR("agent"));
	bool other = val_text_is(source, STR("user")) || val_text_is(source, STR("system"));
	int64_t calls;

	for (size_t i = 0; i < COUNT(members); i++) {
		struct val v = val_get(step, members[i].name);

		if (val_is_unset(v))
			continue;
		if (other)
			record_note(w->s, ATIF_AGENT_ONLY, v, "%.*s is for steps of the agent, and source is %.*s",
				    STR_ARG(members[i].name), STR_ARG(record_show(w->s, source)));
		else if (agent && members[i].of_model && val_i64(count, &calls) && calls == 0)
			record_note(w->s, ATIF_NO_MODEL, v, "%.*s must be absent where llm_call_count is 0",
				    STR_ARG(members[i].name));
	}
}

/* What is carried from step to step. */
struct steps {
	size_t count;
	int64_t id; /* of the latest */
	struct atif_time last;
	bool has_time;
	uint64_t tokens[3]; /* prompt, completion, cached; without copied steps */
	double usd;
	bool has[4]; /* a step gave such a figure */
};

static void atif_check_time(const struct walk *w, struct val step, struct steps *all)
{
	struct val v = val_get(step, STR("timestamp"));
	struct atif_time now;

	if (!val_is(v, JSON_STRING))
		return;
	if (!atif_time_parse(val_text(v, w->s->arena), &now)) {
		record_note(w->s, ATIF_TIME, v, "timestamp must be an ISO 8601 time, found %.*s",
			    STR_ARG(record_show(w->s, v)));
		return;
	}
	if (all->has_time && now.has_zone == all->last.has_zone &&
	    (now.seconds < all->last.seconds || (now.seconds == all->last.seconds && now.nanos < all->last.nanos)))
		record_note(w->s, ATIF_TIME_BACK, v, "the step before is younger");
	all->last = now;
	all->has_time = true;
}

/* The order of totals_fields: tokens, then dollars. */
static const struct str figures[] = { WORD("prompt_tokens"), WORD("completion_tokens"), WORD("cached_tokens"),
				      WORD("cost_usd") };

static void add_metrics(struct val step, struct steps *all)
{
	struct val metrics = val_get(step, STR("metrics"));
	int64_t n;
	double usd;

	if (val_is(val_get(step, STR("is_copied_context")), JSON_TRUE))
		return;
	for (size_t i = 0; i < 3; i++) {
		if (!val_i64(val_get(metrics, figures[i]), &n) || n < 0 || n >= (int64_t)1 << 53)
			continue;
		all->tokens[i] += (uint64_t)n;
		all->has[i] = true;
	}
	if (!val_double(val_get(metrics, figures[3]), &usd) || usd < 0)
		return;
	all->usd += usd;
	all->has[3] = true;
}

static void atif_check_step(const struct walk *w, struct val step, struct steps *all)
{
	struct val id = val_get(step, STR("step_id"));
	int64_t n;

	all->count++;
	if (!val_is(step, JSON_OBJECT))
		return;
	if (val_i64(id, &n)) { /* after a gap the count goes on from there: one loss is one finding */
		if (all->id == INT64_MAX || n != all->id + 1)
			record_note(w->s, ATIF_STEP_ID, id, "step_id must be one more than %lld, found %lld",
				    (long long)all->id, (long long)n);
		all->id = n;
	}
	atif_check_time(w, step, all);
	check_newer(w, step, STR("is_copied_context"), 5);
	check_newer(w, step, STR("llm_call_count"), 7);
	check_content(w, step, STR("message"));
	check_model_members(w, step);
	check_results(w, step);
	add_metrics(step, all);
}

/* ---- trajectories ---- */

static void note_total(const struct walk *w, struct val v, const char *name, double total, double sum)
{
	bool less = total < sum;

	record_note(w->s, less ? ATIF_TOTAL_LESS : ATIF_TOTAL_MORE, v, "%s is %.*s, and the steps add up to %.15g",
		    name, STR_ARG(val_raw(v)), sum);
}

/* Figures are compared only where a step has one. Dollars are sums of fractions and agree but for the last digits. */
static void atif_check_totals(const struct walk *w, const struct steps *all)
{
	struct val totals = val_get(w->root, STR("final_metrics")), count = val_get(totals, STR("total_steps"));
	double total;

	for (size_t i = 0; i < 4; i++) {
		const char *name = totals_fields[i].name;
		struct val v = val_get(totals, str_from(name));
		double sum = i < 3 ? (double)all->tokens[i] : all->usd, slack = i < 3 ? 0 : 1e-6 + sum * 1e-6;

		if (all->has[i] && val_double(v, &total) && (total < sum - slack || total > sum + slack))
			note_total(w, v, name, total, sum);
	}
	if (val_double(count, &total) && total != (double)all->count && val_is_unset(val_get(w->root, STR("notes"))))
		note_total(w, count, "total_steps", total, (double)all->count);
}

/* Entries of subagent_trajectories are found by their trajectory_id; *ids gets them all. */
static void read_embedded(struct record_scan *s, struct val root, struct map *ids)
{
	bool added;

	map_init(ids, s->arena);
	VALUES_EACH(sub, val_get(root, STR("subagent_trajectories"))) {
		struct val id = val_get(sub, STR("trajectory_id"));

		if (!val_is(sub, JSON_OBJECT))
			continue;
		if (val_is_unset(id)) {
			record_note(s, ATIF_EMBEDDED, sub, "an embedded trajectory must have a trajectory_id");
		} else if (val_is(id, JSON_STRING)) {
			map_add(ids, val_text(id, s->arena), &added);
			if (!added)
				record_note(s, ATIF_EMBEDDED, id,
					    "an earlier embedded trajectory has this trajectory_id");
		}
	}
}

/* Gives the number of its steps. */
static size_t check_trajectory(const struct walk *w)
{
	struct val steps = val_get(w->root, STR("steps"));
	bool embedded = w->root.at != w->outermost.at;
	struct steps all = { 0 };

	if (val_is(steps, JSON_ARRAY) && val_count(steps) == 0)
		record_note(w->s, ATIF_STEPLESS, steps, "steps must have at least one step");
	if (val_is_unset(val_get(w->root, STR("session_id"))) && (w->version < 7 || !embedded) &&
	    (w->version < 7 || val_is_unset(val_get(w->root, STR("trajectory_id")))))
		record_note(w->s, ATIF_NO_SESSION, VAL_NONE, "the document has no session_id");
	check_newer(w, w->root, STR("trajectory_id"), 7);
	check_newer(w, w->root, STR("subagent_trajectories"), 7);
	VALUES_EACH(step, steps)
		atif_check_step(w, step, &all);
	atif_check_totals(w, &all);
	return all.count;
}

/* Embedded trajectories wait in a list, whatever their depth. */
static void atif_check(struct record_scan *s, struct val root, void *fact)
{
	uint32_t at[COUNT(trajectory_fields)], *waiting = NULL;
	struct map outer, own;
	size_t count = 0, cap = 0;

	record_check_object(s, root, &trajectory_type, at);
	arena_grow(s->arena, waiting, count, cap, 16);
	waiting[count++] = root.at;
	for (size_t i = 0; i < count; i++) {
		struct walk w = { .s = s, .root = { root.tape, waiting[i] }, .outermost = root, .outer = &outer };

		w.own = i ? &own : &outer;
		read_embedded(s, w.root, i ? &own : &outer);
		w.version = atif_read_version(s, w.root);
		*(uint64_t *)fact += check_trajectory(&w);
		VALUES_EACH(sub, val_get(w.root, STR("subagent_trajectories"))) {
			if (!val_is(sub, JSON_OBJECT))
				continue;
			arena_grow(s->arena, waiting, count, cap, 16);
			waiting[count++] = sub.at;
		}
	}
}

/* ---- the file ---- */

static void atif_add_steps(struct record_fold *f, const struct record_batch *b)
{
	const uint64_t *facts = (const void *)b->facts.p;

	for (size_t i = 0; i < record_batch_count(b); i++)
		*(uint64_t *)f->state += facts[i];
}

/* What is counted for the reader are steps. */
static void atif_finish(struct record_fold *f)
{
	if (f->records)
		f->records = *(const uint64_t *)f->state;
}

const struct record_format atif_format = {
	.on_utf8 = ATIF_UTF8,
	.on_syntax = ATIF_SYNTAX,
	.on_duplicate = ATIF_DUPLICATE,
	.on_not_object = ATIF_NOT_OBJECT,
	.on_missing = ATIF_MISSING,
	.on_type = ATIF_TYPE,
	.on_unknown = ATIF_UNKNOWN,
	.on_blank = RECORD_NO_RULE,
	.on_torn = RECORD_NO_RULE,
	.on_empty = ATIF_EMPTY,
	.on_secret = RECORD_NO_RULE,
	.fact_size = sizeof(uint64_t),
	.check = atif_check,
	.state_size = sizeof(uint64_t),
	.add = atif_add_steps,
	.finish = atif_finish,
};
