/*
 * The trial record of AEC-Bench: one agent run on one task, closed at every level. A file holds one
 * record, or one per line. The tables say what a field may be; the functions below them what holds
 * between fields, and between the records of a file.
 */
#include "base/map.h"
#include "dialect/formats.h"
#include "dialect/identity.h"
#include "dialect/trial/trial_rules.h"
#include "dialect/values.h"


/* ---- the tables ---- */

/* Each takes the field's name and, after it, what else is to be said. */
#define NAME(...) \
	{ .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_NOT_BLANK, .rule = TRIAL_BLANK, \
	  .name = __VA_ARGS__ }
#define TEXT(...) { .types = T_STRING, .need = FIELD_OPTIONAL, .name = __VA_ARGS__ }
#define FREE(...) { .types = T_OBJECT, .need = FIELD_OPTIONAL, .name = __VA_ARGS__ }
#define LIST(each_, ...) { .types = T_ARRAY, .need = FIELD_OPTIONAL, .each = &(each_), .name = __VA_ARGS__ }
#define PART(need_, type_, ...) { .types = T_OBJECT, .need = FIELD_##need_, .object = &(type_), .name = __VA_ARGS__ }
#define FLAG(...) { .types = T_BOOL, .need = FIELD_REQUIRED, .name = __VA_ARGS__ }
#define STAMP(...) \
	{ .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_STAMP, .rule = TRIAL_STAMP, .name = __VA_ARGS__ }
#define ENUM(rule_, words_, ...) \
	{ .types = T_STRING, .need = FIELD_REQUIRED, .check = CHECK_WORD, .rule = (rule_), .words = (words_), \
	  .name = __VA_ARGS__ }
#define SHARE(need_, rule_, ...) \
	{ .types = T_NUMBER, .need = FIELD_##need_, .check = CHECK_RANGE, .rule = (rule_), .max = 1, \
	  .name = __VA_ARGS__ }
#define TRIAL_NUMBER(types_, need_, rule_, ...) \
	{ .types = (types_), .need = FIELD_##need_, .check = CHECK_NOT_NEGATIVE, .rule = (rule_), \
	  .name = __VA_ARGS__ }
#define A_COUNT(...) TRIAL_NUMBER(T_INTEGER, OPTIONAL, TRIAL_COUNT, __VA_ARGS__)
#define SECONDS(need_, ...) TRIAL_NUMBER(T_NUMBER, need_, TRIAL_SECONDS, __VA_ARGS__)

static const struct field any_text = { .name = "an element", .types = T_STRING, .need = FIELD_REQUIRED };

static const struct field task_fields[] = {
	NAME("task_id"),
	NAME("task_revision", .about = "what the task was, by content: a hash"),
};
static const struct record_type task_type = { .name = "task", RECORD_TYPE(task_fields), .closed = true };

static const struct field agent_fields[] = {
	NAME("adapter", .about = "the harness"),
	NAME("model", .about = "the model, resolved"),
	TEXT("adapter_revision"),
	FREE("configuration", .about = "the effective configuration; {} when absent"),
};
static const struct record_type agent_type = {
	.name = "agent", RECORD_TYPE(agent_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"TR007\",\"properties\":{\"configuration\":{\"type\":\"object\"}}}]",
};

static const struct field environment_fields[] = {
	NAME("runtime_image"),
	NAME("compute_backend"),
	FREE("tool_versions", .each = &any_text),
};
static const struct record_type environment_type = {
	.name = "environment", RECORD_TYPE(environment_fields), .closed = true,
};

static const struct field file_fields[] = { NAME("path"), NAME("hash"), TEXT("source") };
static const struct record_type file_type = { .name = "input_file", RECORD_TYPE(file_fields), .closed = true };
static const struct field any_file = PART(REQUIRED, file_type, "input_file");

static const struct field inputs_fields[] = {
	NAME("instruction"),
	TEXT("system_prompt"),
	LIST(any_file, "input_files"),
};
static const struct record_type inputs_type = { .name = "inputs", RECORD_TYPE(inputs_fields), .closed = true };

static const struct field agent_output_fields[] = {
	ENUM(TRIAL_STATUS, WORDS(WORD("completed"), WORD("partial"), WORD("failed"), WORD("empty")), "status"),
	NAME("output_path"),
	NAME("output_format"),
	TEXT("error_message"),
};
static const struct record_type agent_output_type = {
	.name = "agent_output", RECORD_TYPE(agent_output_fields), .closed = true,
};

static const struct field outputs_fields[] = {
	PART(OPTIONAL, agent_output_type, "agent_output"),
	TEXT("raw_output_path"),
	TEXT("conversation_path"),
	TEXT("trajectory_path"),
	FREE("agent_result"),
};
static const struct record_type outputs_type = { .name = "outputs", RECORD_TYPE(outputs_fields), .closed = true };

static const struct field validity_fields[] = {
	FLAG("output_parseable"),
	FLAG("schema_valid"),
	FLAG("verifier_completed"),
	LIST(any_text, "errors", .about = "[] when absent"),
};
static const struct record_type validity_type = {
	.name = "validity", RECORD_TYPE(validity_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"TR007\",\"properties\":{\"errors\":{\"type\":\"array\"}}}]",
};

static const struct field tag_fields[] = {
	NAME("category"),
	TEXT("description"),
	ENUM(TRIAL_SOURCE, WORDS(WORD("mechanical"), WORD("human"), WORD("judge")), "source"),
};
static const struct record_type tag_type = { .name = "error_tag", RECORD_TYPE(tag_fields), .closed = true };
static const struct field any_tag = PART(REQUIRED, tag_type, "error_tag");

static const struct field any_number = { .name = "an end", .types = T_NUMBER, .need = FIELD_REQUIRED };
static const struct field confidence_fields[] = {
	TRIAL_NUMBER(T_INTEGER, OPTIONAL, TRIAL_ANNOTATORS, "annotator_count"),
	SHARE(OPTIONAL, TRIAL_AGREEMENT, "inter_rater_agreement"),
	LIST(any_number, "confidence_interval", .about = "the low and the high end"),
	TEXT("confidence_method", .check = CHECK_NOT_BLANK, .rule = TRIAL_BLANK),
};
static const struct record_type confidence_type = {
	.name = "confidence", RECORD_TYPE(confidence_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"TR016\",\"properties\":{\"confidence_interval\":"
		  "{\"minItems\":2,\"maxItems\":2}}}]",
};

static const struct field annotation_fields[] = {
	NAME("reviewer_id"),
	TEXT("reviewer_discipline", .check = CHECK_NOT_BLANK, .rule = TRIAL_BLANK),
	STAMP("timestamp"),
	ENUM(TRIAL_JUDGMENT, WORDS(WORD("pass"), WORD("fail"), WORD("defer")), "judgment"),
	LIST(any_text, "categories", .about = "[] when absent"),
	TEXT("notes"),
};
static const struct record_type annotation_type = {
	.name = "annotation", RECORD_TYPE(annotation_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"TR007\",\"properties\":{\"categories\":{\"type\":\"array\"}}}]",
};
static const struct field any_annotation = PART(REQUIRED, annotation_type, "annotation");

static const struct field evaluation_fields[] = {
	SHARE(REQUIRED, TRIAL_REWARD, "reward"),
	PART(REQUIRED, validity_type, "validity"),
	FREE("breakdown"),
	LIST(any_tag, "error_taxonomy"),
	PART(OPTIONAL, confidence_type, "confidence"),
	LIST(any_annotation, "annotations"),
};
static const struct record_type evaluation_type = {
	.name = "evaluation", RECORD_TYPE(evaluation_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"TR029\",\"if\":{\"properties\":{\"validity\":"
		  "{\"properties\":{\"output_parseable\":{\"const\":false}},\"required\":[\"output_parseable\"]}},"
		  "\"required\":[\"validity\"]},"
		  "\"then\":{\"properties\":{\"reward\":{\"const\":0}}}}]",
};

static const struct field timing_fields[] = {
	SECONDS(REQUIRED, "total_seconds"),
	SECONDS(OPTIONAL, "agent_seconds"),
	SECONDS(OPTIONAL, "setup_seconds"),
	SECONDS(OPTIONAL, "verification_seconds"),
};
static const struct record_type timing_type = { .name = "timing", RECORD_TYPE(timing_fields), .closed = true };

static const struct field cost_fields[] = {
	A_COUNT("tokens_in"),
	A_COUNT("tokens_out"),
	A_COUNT("cache_read_tokens"),
	A_COUNT("cache_write_tokens"),
	TRIAL_NUMBER(T_NUMBER, OPTIONAL, TRIAL_COST, "estimated_cost_usd"),
	A_COUNT("advisor_calls"),
	A_COUNT("advisor_input_tokens"),
	A_COUNT("advisor_output_tokens"),
};
static const struct record_type cost_type = { .name = "cost", RECORD_TYPE(cost_fields), .closed = true };

/* What record_is_blank takes for white space, as in the other patterns of the schema. */
#define NOT_BLANK \
	"[^\\\\t-\\\\r \\\\u0085\\\\u00a0\\\\u1680\\\\u2000-\\\\u200a\\\\u2028\\\\u2029\\\\u202f\\\\u205f\\\\u3000]"

static const struct field step_fields[] = { NAME("axis"), NAME("value"), NAME("parent_value") };
static const struct record_type step_type = { .name = "lineage_step", RECORD_TYPE(step_fields), .closed = true };
static const struct field any_step = PART(REQUIRED, step_type, "lineage_step");
static const struct field any_variation = {
	.name = "a value of variation", .types = T_STRING, .need = FIELD_REQUIRED,
	.check = CHECK_NOT_BLANK, .rule = TRIAL_BLANK_VARIATION,
};
static const struct field adaptation_fields[] = {
	NAME("family_id"),
	NAME("seed_task_id"),
	NAME("variation_key"),
	{ .name = "variation", .types = T_OBJECT, .need = FIELD_REQUIRED, .each = &any_variation },
	LIST(any_step, "derivation_lineage", .about = "[] when absent"),
};
static const struct record_type adaptation_type = {
	.name = "adaptation", RECORD_TYPE(adaptation_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"TR007, TR022, TR023\",\"properties\":{\"variation\":{\"minProperties\":1,"
		  "\"propertyNames\":{\"pattern\":\"" NOT_BLANK "\"}},\"derivation_lineage\":{\"type\":\"array\"}}}]",
};

enum {
	AT_TRIAL, AT_EXPERIMENT, AT_DATASET, AT_TIMESTAMP, AT_TASK, AT_AGENT, AT_ENVIRONMENT, AT_INPUTS, AT_OUTPUTS,
	AT_EVALUATION, AT_TIMING, AT_COST, AT_ADAPTATION, AT_COMPLETENESS, AT_COUNT,
};

static const struct field record_fields[AT_COUNT] = {
	[AT_TRIAL] = NAME("trial_id"),
	[AT_EXPERIMENT] = NAME("experiment_id"),
	[AT_DATASET] = TEXT("dataset_id", .about = "name@version"),
	[AT_TIMESTAMP] = STAMP("timestamp"),
	[AT_TASK] = PART(REQUIRED, task_type, "task"),
	[AT_AGENT] = PART(REQUIRED, agent_type, "agent"),
	[AT_ENVIRONMENT] = PART(REQUIRED, environment_type, "environment"),
	[AT_INPUTS] = PART(REQUIRED, inputs_type, "inputs"),
	[AT_OUTPUTS] = PART(REQUIRED, outputs_type, "outputs"),
	[AT_EVALUATION] = PART(REQUIRED, evaluation_type, "evaluation"),
	[AT_TIMING] = PART(REQUIRED, timing_type, "timing"),
	[AT_COST] = PART(OPTIONAL, cost_type, "cost"),
	[AT_ADAPTATION] = PART(OPTIONAL, adaptation_type, "adaptation"),
	[AT_COMPLETENESS] = ENUM(TRIAL_COMPLETENESS, WORDS(WORD("complete"), WORD("partial")), "completeness"),
};

#define NEEDS(name) "{\"required\":[\"" name "\"],\"properties\":{\"" name "\":{\"not\":{\"type\":\"null\"}}}}"
#define NEEDS_TEXT(name) \
	"{\"required\":[\"" name "\"],\"properties\":{\"" name "\":{\"not\":{\"enum\":[null,\"\"]}}}}"

static const struct record_type record_type = {
	.name = "trial", RECORD_TYPE(record_fields), .closed = true,
	.schema = "\"allOf\":[{\"$comment\":\"TR028\",\"if\":{\"properties\":{\"completeness\":"
		  "{\"const\":\"complete\"}},\"required\":[\"completeness\"]},"
		  "\"then\":{\"properties\":{\"agent\":" NEEDS_TEXT("adapter_revision")
		  ",\"environment\":" NEEDS("tool_versions") ",\"inputs\":" NEEDS("input_files") "}}}]",
	.about = "one agent run on one task",
};

static const struct record_type *const roots[] = { &record_type, NULL };

/* ---- between the fields of a record ---- */

/* A field with a default may be absent but, unlike an optional one, not null. */
static void check_default(struct record_scan *s, struct val object, struct str name, const char *expected)
{
	struct val v = val_get(object, name);

	if (val_is(v, JSON_NULL))
		record_note(s, TRIAL_TYPE, v, "%.*s must be %s or absent, found null", STR_ARG(name), expected);
}

/* A complete record must say what the run was made with. */
static void check_provenance(struct record_scan *s, const uint32_t *at)
{
	static const struct {
		unsigned at;
		struct str field;
		const char *name;
	} needed[] = {
		{ AT_AGENT, WORD("adapter_revision"), "agent.adapter_revision" },
		{ AT_ENVIRONMENT, WORD("tool_versions"), "environment.tool_versions" },
		{ AT_INPUTS, WORD("input_files"), "inputs.input_files" },
	};
	struct str lacks = STR("");

	if (!at[AT_COMPLETENESS] || !val_text_is(record_at(s, at[AT_COMPLETENESS]), STR("complete")))
		return;
	for (size_t i = 0; i < COUNT(needed); i++) {
		struct val v = at[needed[i].at] ? val_get(record_at(s, at[needed[i].at]), needed[i].field) : VAL_NONE;

		/* where the whole object is missing, that has been said; an empty text pins nothing */
		if (at[needed[i].at] && (val_is_unset(v) || (val_is(v, JSON_STRING) && val_tok(v)->len == 0)))
			lacks = arena_printf(s->arena, "%.*s%s%s", STR_ARG(lacks), lacks.n ? ", " : "", needed[i].name);
	}
	if (lacks.n > 0)
		record_note(s, TRIAL_PROVENANCE, record_at(s, at[AT_COMPLETENESS]),
			    "a complete record must also have %.*s", STR_ARG(lacks));
}

/* The two ends of an interval, in their order. */
static void check_confidence(struct record_scan *s, struct val confidence)
{
	struct val interval = val_get(confidence, STR("confidence_interval")), low, high;
	struct val_iter it = val_begin(interval);
	double from, to;

	if (!val_is(interval, JSON_ARRAY))
		return;
	if (val_count(interval) != 2) {
		record_note(s, TRIAL_INTERVAL, interval, "confidence_interval must have two numbers, found %zu",
			    val_count(interval));
		return;
	}
	if (val_next(&it, &low) && val_next(&it, &high) && val_double(low, &from) && val_double(high, &to) && from > to)
		record_note(s, TRIAL_INTERVAL_ORDER, low, "confidence_interval goes down, from %.*s to %.*s",
			    STR_ARG(val_raw(low)), STR_ARG(val_raw(high)));
}

/*
 * Fields that the table cannot judge alone: defaults that must not be null, and a reward for output that nobody could
 * parse.
 */
static void check_evaluation(struct record_scan *s, struct val evaluation)
{
	struct val validity = val_get(evaluation, STR("validity")), reward = val_get(evaluation, STR("reward"));
	struct val annotations = val_get(evaluation, STR("annotations"));
	double d;

	check_default(s, validity, STR("errors"), "an array");
	if (val_is(val_get(validity, STR("output_parseable")), JSON_FALSE) && val_double(reward, &d) && d != 0)
		record_note(s, TRIAL_UNPARSEABLE, reward,
			    "reward must be 0.0 when output_parseable is false, found %.*s", STR_ARG(val_raw(reward)));
	check_confidence(s, val_get(evaluation, STR("confidence")));
	VALUES_EACH(annotation, annotations)
		check_default(s, annotation, STR("categories"), "an array");
}

/* The axes of a variation, by name, with their places on the tape. */
static void read_variation(struct record_scan *s, struct val variation, struct map *axes)
{
	struct val_iter it = val_begin(variation);
	struct val key, value;

	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, s->arena);
		bool added;

		if (record_is_blank(name))
			record_note(s, TRIAL_BLANK_VARIATION, key, "a name in variation must have text in it");
		*map_add(axes, name, &added) = value.at;
	}
}

static bool same_text(struct record_scan *s, struct val a, struct val b)
{
	return val_is(a, JSON_STRING) && val_is(b, JSON_STRING) && val_text_is(a, val_text(b, s->arena));
}

/* A step of the lineage: its axis is one of the variation, is named once, and changes its value. */
static void check_step(struct record_scan *s, struct val step, const struct map *axes, struct map *seen)
{
	struct val axis = val_get(step, STR("axis")), value = val_get(step, STR("value"));
	struct val parent = val_get(step, STR("parent_value"));
	uint64_t *place;
	bool added;

	if (same_text(s, value, parent))
		record_note(s, TRIAL_NO_CHANGE, parent, "parent_value must differ from value");
	if (!val_is(axis, JSON_STRING) || record_is_blank(val_text(axis, s->arena)))
		return;
	map_add(seen, val_text(axis, s->arena), &added);
	if (!added) {
		record_note(s, TRIAL_AXIS_TWICE, axis, "the axis has an earlier step");
		return;
	}
	place = map_find(axes, val_text(axis, s->arena));
	if (!place)
		record_note(s, TRIAL_AXIS_UNKNOWN, axis, "variation has no such axis");
	else if (val_is(value, JSON_STRING) && val_is(record_at(s, (uint32_t)*place), JSON_STRING) &&
		 !same_text(s, value, record_at(s, (uint32_t)*place)))
		record_note(s, TRIAL_AXIS_VALUE, value, "value must be that of the axis in variation");
}

/*
 * The lineage is checked against the variation; without a variation that is an object there is nothing to check it by.
 */
static void check_adaptation(struct record_scan *s, struct val adaptation)
{
	struct val variation = val_get(adaptation, STR("variation"));
	struct val lineage = val_get(adaptation, STR("derivation_lineage"));
	struct map axes, seen;

	check_default(s, adaptation, STR("derivation_lineage"), "an array");
	if (!val_is(variation, JSON_OBJECT))
		return;
	map_init(&axes, s->arena);
	map_init(&seen, s->arena);
	read_variation(s, variation, &axes);
	if (val_count(variation) == 0)
		record_note(s, TRIAL_NO_VARIATION, variation, "variation must name at least one axis");
	VALUES_EACH(step, lineage)
		check_step(s, step, &axes, &seen);
}

/*
 * Checks one record, and makes its identity of both ids. One without a trial_id has none, and is compared with
 * nothing.
 */
static void trial_check(struct record_scan *s, struct val root, void *fact)
{
	struct str experiment, trial;
	uint32_t at[AT_COUNT];

	if (!record_check_object(s, root, &record_type, at))
		return;
	if (at[AT_AGENT])
		check_default(s, record_at(s, at[AT_AGENT]), STR("configuration"), "an object");
	if (at[AT_EVALUATION])
		check_evaluation(s, record_at(s, at[AT_EVALUATION]));
	if (at[AT_ADAPTATION])
		check_adaptation(s, record_at(s, at[AT_ADAPTATION]));
	check_provenance(s, at);
	if (!at[AT_TRIAL] || !at[AT_EXPERIMENT])
		return;
	experiment = val_text(record_at(s, at[AT_EXPERIMENT]), s->arena);
	trial = val_text(record_at(s, at[AT_TRIAL]), s->arena);
	if (trial.n) /* with the length in front, no id can pass for two */
		*(struct identity *)fact = identity_make(
			s, ARENA_JOIN(s->arena, arena_printf(s->arena, "%zu:", experiment.n), experiment, trial),
			record_at(s, at[AT_TRIAL]));
}

/* ---- between the records of a file ---- */

static void trial_add(struct record_fold *f, const struct record_batch *b)
{
	static const struct identity_kind kind = {
		TRIAL_TWICE, TRIAL_LIMIT, "/trial_id", "an earlier trial of the experiment has this id",
	};

	identities_add_all(f, b, &kind);
}

static const struct record_format format = {
	.on_utf8 = TRIAL_UTF8,
	.on_syntax = TRIAL_SYNTAX,
	.on_duplicate = TRIAL_DUPLICATE,
	.on_not_object = TRIAL_NOT_OBJECT,
	.on_missing = TRIAL_MISSING,
	.on_type = TRIAL_TYPE,
	.on_unknown = TRIAL_UNKNOWN,
	.on_blank = RECORD_NO_RULE,
	.on_torn = RECORD_NO_RULE,
	.on_empty = TRIAL_EMPTY,
	.on_secret = RECORD_NO_RULE,
	.fact_size = sizeof(struct identity),
	.check = trial_check,
	.state_size = sizeof(struct identities),
	.begin = identities_begin,
	.add = trial_add,
};

/* Any two of its parts beside the two ids: damaged and older records are still recognised. */
static int trial_fits(struct val v)
{
	static const struct str parts[] = {
		WORD("task"), WORD("agent"), WORD("environment"), WORD("inputs"),
		WORD("outputs"), WORD("evaluation"), WORD("timing"), WORD("completeness"),
	};
	size_t found;

	if (!val_is(v, JSON_OBJECT) || !val_has(v, STR("trial_id")) || !val_has(v, STR("experiment_id")))
		return 0;
	found = values_count_names(v, parts, COUNT(parts));
	return found < 2 ? 0 : found < 4 ? 70 : 90;
}

const struct dialect trial_dialect = {
	.name = "trial",
	.title = "TrialRecord, the sealed record of one agent run",
	.file = "trial.json",
	.unit = "record",
	.forms = DIALECT_DOCUMENT | DIALECT_LINES,
	.rules = trial_rules,
	.fits = trial_fits,
	.mark = "\"trial_id\"",
	DIALECT_RECORDS(format, roots),
};
