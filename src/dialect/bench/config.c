/* config.json of a benchmark run: what was sent to whom, and how it was judged. */
#include "base/ascii.h"
#include "base/map.h"
#include "dialect/bench/config.h"
#include "dialect/bench/rules.h"
#include "dialect/formats.h"
#include "dialect/identity.h"
#include "dialect/record/leak.h"
#include "dialect/record/record.h"
#include "dialect/record/scan.h"
#include "dialect/values.h"

#define SCHEMA "trackway.bench-config/1"
#define RUN_ID_MAX 200
#define HEX "[0-9a-f]{64}"

static const struct field text_element = { "text", PLAIN(T_STRING, FIELD_REQUIRED), .about = "a text" };

static const struct field suite_fields[] = {
	{ "path", NAME, FIELD_AT(struct config_suite, path), .about = "the file, or builtin:NAME" },
	{ "sha256", PLAIN(T_STRING, FIELD_REQUIRED), FIELD_AT(struct config_suite, sha256),
	  .about = "digest of its bytes, 64 hexadecimal digits" },
};

static const struct record_type suite_type = {
	.name = "suite",
	RECORD_TYPE(suite_fields),
	.size = sizeof(struct config_suite),
	.about = "a file of prompts",
	.schema = "\"allOf\":[{\"$comment\":\"BR042\",\"properties\":{\"sha256\":{\"pattern\":\"^" HEX "$\"}}}]",
};

static const struct field prompt_fields[] = {
	{ "id", NAME, .about = "the prompt_id of its results" },
	{ "name", NAME, .about = "its name for people" },
	{ "prompt", NAME, .about = "what was sent" },
	{ "validator", PLAIN(T_OBJECT, FIELD_REQUIRED), .about = "what the answers were judged by" },
	{ "expected_tool_calls", PLAIN(T_ARRAY, FIELD_EXTRA), .each = &text_element, .about = "tools it should call" },
	{ "variant", PLAIN(T_STRING, FIELD_EXTRA), .about = "a word for tables" },
	{ "tags", PLAIN(T_ARRAY, FIELD_EXTRA), .each = &text_element, .about = "words by which prompts are chosen" },
};

static const struct record_type prompt_type = {
	.name = "prompt",
	RECORD_TYPE(prompt_fields),
	.about = "a prompt, its variables filled in",
};

#define AT(member) FIELD_AT(struct config_target, member)

static const struct field target_fields[] = {
	{ "provider", T_STRING, FIELD_REQUIRED, CHECK_WORD, BENCH_PROVIDER, AT(provider),
	  .words = BENCH_PROVIDERS,
	  .about = "who serves the model" },
	{ "model", NAME, AT(model), .about = "the model's name there" },
	{ "thinking_level", T_STRING | T_NULL, FIELD_REQUIRED, CHECK_WORD, BENCH_THINKING, AT(thinking),
	  .words = BENCH_THINKING_LEVELS, .about = "how much the model is asked to think" },
	{ "tag", NAME, AT(tag),
	  .about = "provider__model__thinking_level, or __none, as in names of files" },
	{ "base", PLAIN(T_STRING, FIELD_EXTRA), AT(base),
	  .about = "the address of the service, without credentials" },
};

#undef AT

static const struct record_type target_type = {
	.name = "target",
	RECORD_TYPE(target_fields),
	.size = sizeof(struct config_target),
	.about = "who is asked",
};

static const struct field suite_element = { "suite", PLAIN(T_OBJECT, FIELD_REQUIRED), .object = &suite_type };
static const struct field prompt_element = { "prompt", PLAIN(T_OBJECT, FIELD_REQUIRED), .object = &prompt_type };
static const struct field target_element = { "target", PLAIN(T_OBJECT, FIELD_REQUIRED), .object = &target_type };

static const struct field header_fields[] = {
	{ "name", NAME, FIELD_AT(struct config_header, name), .about = "the header" },
	{ "sha256", NAME, FIELD_AT(struct config_header, sha256), .about = "digest of its value" },
};

static const struct record_type header_type = { .name = "header", RECORD_TYPE(header_fields),
						.size = sizeof(struct config_header) };

static const struct field headers_fields[] = {
	{ "path", NAME, FIELD_AT(struct config_headers, header_file), .about = "the file" },
	{ "headers", PLAIN(T_ARRAY, FIELD_REQUIRED),
	  FIELD_LIST(KIND_LIST, struct config_headers, headers, header_count),
	  .inside = &header_type, .about = "those in it" },
};

/* Only to write and read them by: no rule is about what is inside. */
static const struct record_type headers_type = { .name = "header_file", RECORD_TYPE(headers_fields) };

#define AT(member) FIELD_AT(struct bench_config, member)
#define AS(kind, member) FIELD_AS(kind, struct bench_config, member)
#define LIST(kind, list, count) FIELD_LIST(kind, struct bench_config, list, count)

static const struct field config_fields[] = {
	{ "schema", T_STRING, FIELD_REQUIRED, CHECK_WORD, BENCH_SCHEMA, KIND_CONST, .words = WORDS(WORD(SCHEMA)),
	  .about = "what the file is" },
	{ "run_id", NAME, AT(run_id), .about = "the run, and its directory" },
	{ "created_at", T_STRING, FIELD_REQUIRED, CHECK_STAMP, BENCH_STAMP, AT(created_at),
	  .about = "before anything was sent" },
	{ "trackway_version", NAME, AT(version), .about = "the program's version" },
	{ "command", PLAIN(T_ARRAY, FIELD_REQUIRED), LIST(KIND_TEXTS, command, command_count), .each = &text_element,
	  .about = "the command line" },
	{ "suites", PLAIN(T_ARRAY, FIELD_REQUIRED), LIST(KIND_LIST, suites, suite_count),
	  .inside = &suite_type, .each = &suite_element, .about = "the files of prompts" },
	{ "suite_digest", PLAIN(T_STRING, FIELD_REQUIRED), AT(suite_digest),
	  .about = "over all prompts, 64 hexadecimal digits" },
	{ "prompts", PLAIN(T_ARRAY, FIELD_REQUIRED), LIST(KIND_JSONS, prompts_sent, prompts_sent_count),
	  .each = &prompt_element, .about = "what is sent, in order" },
	{ "targets", PLAIN(T_ARRAY, FIELD_REQUIRED), LIST(KIND_LIST, targets_asked, targets_asked_count),
	  .inside = &target_type, .each = &target_element, .about = "to whom" },
	{ "repeat", T_INTEGER, FIELD_REQUIRED, CHECK_RANGE, BENCH_REPEAT, AT(repeat), .min = 1, .max = 1e9,
	  .about = "how often each prompt is sent" },
	{ "concurrency", PLAIN(T_INTEGER | T_STRING, FIELD_REQUIRED), AT(concurrency), .words = WORDS(WORD("auto")),
	  .about = "calls at a time, or \"auto\"" },
	{ "timeout_ms", A_COUNT, AT(timeout_ms), .about = "how long a call may take" },
	{ "retries", A_COUNT, AT(retries), .about = "further attempts of a call" },
	{ "retry_delay_ms", A_COUNT, AT(retry_delay_ms), .about = "before the first of them" },
	{ "stream", PLAIN(T_BOOL, FIELD_REQUIRED), AT(stream),
	  .about = "answers are streamed where the provider can" },
	{ "temperature", NUMBER_OR_NULL, AT(temperature), .about = "null: the provider's own" },
	{ "max_tokens", COUNT_OR_NULL, AT(max_tokens), .about = "null: the provider's own" },
	{ "system", PLAIN(T_STRING | T_NULL, FIELD_REQUIRED), AT(system), .about = "null: the provider's own" },
	{ "detector", T_STRING, FIELD_REQUIRED, CHECK_WORD, BENCH_DETECTOR, AT(detector),
	  .words = WORDS(WORD("default"), WORD("reference")), .about = "how tools are found in text" },
	{ "seed", A_COUNT, AT(seed), .about = "of the order and the jitter" },
	{ "warmup", A_COUNT, AT(warmup), .about = "calls before those that count" },
	{ "budget_usd", NUMBER_OR_NULL, AT(budget_usd), .about = "nothing is sent beyond it" },
	{ "price_table", PLAIN(T_STRING | T_NULL, FIELD_REQUIRED), AT(price_table),
	  .about = "sha256: and the digest of its rows" },
	{ "allow_commands", PLAIN(T_BOOL, FIELD_REQUIRED), AT(allow_commands),
	  .about = "validators may run programs" },
	{ "sandbox", PLAIN(T_STRING, FIELD_EXTRA), AT(sandbox), .about = "what these are locked into" },
	{ "tags", PLAIN(T_ARRAY, FIELD_REQUIRED), LIST(KIND_TEXTS, tags, tag_count), .each = &text_element,
	  .about = "by which prompts were chosen" },
	{ "variables", PLAIN(T_OBJECT, FIELD_REQUIRED), LIST(KIND_PAIRS, vars, var_count),
	  .about = "values that were filled in" },
	{ "allow_unreachable", PLAIN(T_BOOL, FIELD_EXTRA), AT(allow_unreachable),
	  .about = "a target without an answer is no failure" },
	{ "mock_script", PLAIN(T_OBJECT, FIELD_EXTRA), AS(KIND_OBJECT, mock_script), .inside = &suite_type,
	  .about = "what the provider mock answers: path and sha256" },
	{ "header_file", PLAIN(T_OBJECT, FIELD_EXTRA), AS(KIND_OBJECT, header_file), .inside = &headers_type,
	  .about = "headers sent along: path, and of each name and sha256" },
	{ "prices", PLAIN(T_STRING, FIELD_EXTRA), AT(prices), .about = "the file of prices of the user's own" },
	{ "rescored_from", T_STRING, FIELD_EXTRA, CHECK_NOT_BLANK, BENCH_EMPTY, AT(rescored_from),
	  .unknown = UNKNOWN_ABSENT, .about = "the run that was judged again" },
};

const struct record_type bench_config_type = {
	.name = "config",
	RECORD_TYPE(config_fields),
	.about = "what was sent to whom in a benchmark run, and how it was judged",
	.schema = "\"allOf\":["
		  "{\"$comment\":\"BR042\",\"properties\":{\"suite_digest\":{\"pattern\":\"^" HEX "$\"},"
		  "\"price_table\":{\"pattern\":\"^sha256:" HEX "$\"}}},"
		  "{\"$comment\":\"BR043\",\"properties\":{\"run_id\":{"
		  "\"pattern\":\"^(?!.*\\\\.\\\\.)[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$\"}}},"
		  "{\"$comment\":\"BR047\",\"properties\":{\"prompts\":{\"minItems\":1},\"targets\":{\"minItems\":1}}},"
		  "{\"$comment\":\"BR049\",\"properties\":{\"concurrency\":{\"if\":{\"type\":\"string\"},"
		  "\"then\":{\"const\":\"auto\"},\"else\":{\"minimum\":1}}}}]",
};

/* ---- single members ---- */

static void check_digest(struct record_scan *s, struct val object, const char *name, const char *before)
{
	struct val v = val_get(object, str_from(name));
	struct str text = val_is(v, JSON_STRING) ? val_text(v, s->arena) : STR("");
	size_t n = strlen(before);

	if (!val_is(v, JSON_STRING))
		return;
	if (!str_starts(text, str_from(before)) || !identity_is_digest(str_skip(text, n)))
		record_note(s, BENCH_DIGEST, v, "%s should be %s64 hexadecimal digits in lower case", name,
			    *before ? "sha256: and " : "");
}

static void bench_config_check_run_id(struct record_scan *s, struct val v)
{
	struct str id = val_is(v, JSON_STRING) ? val_text(v, s->arena) : STR("");
	bool good = id.n <= RUN_ID_MAX && !str_starts(id, STR(".")) && !str_has(id, STR(".."));

	for (size_t i = 0; i < id.n; i++)
		good = good && ascii_is_name(id.p[i]);
	if (val_is(v, JSON_STRING) && !good)
		record_note(s, BENCH_RUN_ID_FORM, v, "%.*s cannot be the name of a run's directory",
			    STR_ARG(record_show(s, v)));
}

/* A number of 1 and more, or "auto"; the type itself was checked by the table. */
static void check_concurrency(struct record_scan *s, struct val v)
{
	double n;

	if (val_is(v, JSON_STRING) ? !val_text_is(v, STR("auto")) : val_double(v, &n) && n < 1)
		record_note(s, BENCH_CONCURRENCY, v, "concurrency is %.*s", STR_ARG(record_show(s, v)));
}

/* ---- lists ---- */

static void check_some(struct record_scan *s, struct val list, const char *name)
{
	if (val_is(list, JSON_ARRAY) && val_count(list) == 0)
		record_note(s, BENCH_NOTHING, list, "%s is empty", name);
}

/* One finding for each id that came before. Prompts without an id were told by the table. */
static void check_prompts(struct record_scan *s, struct val list)
{
	struct map ids;

	map_init(&ids, s->arena);
	VALUES_EACH(one, list) {
		struct val id = val_get(one, STR("id"));
		bool added = true;

		if (val_is(id, JSON_STRING))
			map_add(&ids, arena_copy(s->arena, val_text(id, s->arena)), &added);
		if (!added)
			record_note(s, BENCH_PROMPT_ID, id, "an earlier prompt has this id");
	}
}

/* Runs of other characters as one underscore. */
static void bench_config_add_part(struct buf *out, struct str text)
{
	bool within = false;

	for (size_t i = 0; i < text.n; i++) {
		bool good = ascii_is_name(text.p[i]);

		if (good || !within)
			buf_add_byte(out, good ? text.p[i] : '_');
		within = !good;
	}
}

/* The text of a member, or another for one that is missing or no string. */
static struct str member_text(struct record_scan *s, struct val object, const char *name, const char *otherwise)
{
	struct val v = val_get(object, str_from(name));

	return val_is(v, JSON_STRING) ? val_text(v, s->arena) : str_from(otherwise);
}

/* The tag is made of the other members, as files are named by it: it must be theirs, and no other target's. */
static void check_target(struct record_scan *s, struct val target, struct map *tags)
{
	struct val tag = val_get(target, STR("tag")), base = val_get(target, STR("base"));
	struct buf want = { 0 };
	bool added;

	bench_config_add_part(&want, member_text(s, target, "provider", ""));
	buf_add_str(&want, STR("__"));
	bench_config_add_part(&want, member_text(s, target, "model", ""));
	buf_add_str(&want, STR("__"));
	bench_config_add_part(&want, member_text(s, target, "thinking_level", "none"));
	if (val_is(tag, JSON_STRING) && !str_eq(val_text(tag, s->arena), buf_str(&want)))
		record_note(s, BENCH_TAG, tag, "the tag of this target must be %.*s", STR_ARG(buf_str(&want)));
	map_add(tags, arena_copy(s->arena, buf_str(&want)), &added);
	if (!added)
		record_note(s, BENCH_TARGET, target, "an earlier target has the same tag");
	buf_free(&want);
	/* a password that the search for keys knows is told by that */
	if (val_is(base, JSON_STRING) && leak_url_credentials(val_text(base, s->arena)) &&
	    !record_is_secret(s, base, &(const char *){ NULL }))
		record_note_secret(s, BENCH_KEY, base, "base holds credentials");
}

static void check_targets(struct record_scan *s, struct val list)
{
	struct map tags;

	map_init(&tags, s->arena);
	VALUES_EACH(one, list)
		if (val_is(one, JSON_OBJECT))
			check_target(s, one, &tags);
}

static void check_suites(struct record_scan *s, struct val list)
{
	VALUES_EACH(one, list)
		check_digest(s, one, "sha256", "");
}

/* The table first; what one member says of another is only looked at when the root is an object. */
static void check_config(struct record_scan *s, struct val root, void *fact)
{
	uint32_t at[COUNT(config_fields)];

	(void)fact;
	if (!record_check_object(s, root, &bench_config_type, at))
		return;
	bench_config_check_run_id(s, val_get(root, STR("run_id")));
	check_digest(s, root, "suite_digest", "");
	check_digest(s, root, "price_table", "sha256:");
	check_concurrency(s, val_get(root, STR("concurrency")));
	check_some(s, val_get(root, STR("prompts")), "prompts");
	check_some(s, val_get(root, STR("targets")), "targets");
	check_suites(s, val_get(root, STR("suites")));
	check_prompts(s, val_get(root, STR("prompts")));
	check_targets(s, val_get(root, STR("targets")));
	record_gather_all(s);
}

/* ---- the format ---- */

/* Every program has a config.json: only one that says so is ours, of whatever version. */
static int bench_config_fits(struct val v)
{
	return bench_schema_fits(v, STR("trackway.bench-config/"));
}

static const struct record_format format = {
	BENCH_DOCUMENT,
	.on_secret = BENCH_KEY,
	.check = check_config,
};

static const struct record_type *const roots[] = { &bench_config_type, NULL };

const struct dialect bench_config_dialect = {
	.name = "bench-config",
	.title = "the configuration of a benchmark run",
	.file = "ID/config.json",
	.unit = "configuration",
	.forms = DIALECT_DOCUMENT,
	.rules = bench_rules,
	.fits = bench_config_fits,
	.mark = "\"trackway.bench-config/",
	DIALECT_RECORDS(format, roots),
};
