#include "bench/config.h"

#include "base/file.h"
#include "base/mask.h"
#include "json/write.h"

#define HELP "\n= help: "
#define CONFIG_MAX ((size_t)256 << 20)

/* ---- writing ---- */

static void write_name(struct json_writer *w, const char *name)
{
	json_write_key(w, str_from(name));
}

static void write_text(struct json_writer *w, const char *name, struct str text)
{
	write_name(w, name);
	if (text.p)
		json_write_string(w, text);
	else
		json_write_null(w);
}

/* Whatever the user typed may hold a key, though no option wants one. */
static void write_typed(struct json_writer *w, struct buf *scratch, struct str text)
{
	buf_clear(scratch);
	mask_text(scratch, text, 0, NULL, NULL);
	json_write_string(w, buf_str(scratch));
}

static void write_number(struct json_writer *w, const char *name, uint64_t n)
{
	write_name(w, name);
	json_write_u64(w, n);
}

static void write_some(struct json_writer *w, const char *name, uint64_t n)
{
	write_name(w, name);
	if (n)
		json_write_u64(w, n);
	else
		json_write_null(w);
}

static void write_positive(struct json_writer *w, const char *name, double v)
{
	write_name(w, name);
	if (v >= 0)
		json_write_double(w, v);
	else
		json_write_null(w);
}

static void write_bool(struct json_writer *w, const char *name, bool v)
{
	write_name(w, name);
	json_write_bool(w, v);
}

static void write_texts(struct json_writer *w, struct buf *scratch, const char *name, const struct str *texts,
			size_t count)
{
	write_name(w, name);
	json_write_begin_array(w);
	for (size_t i = 0; i < count; i++)
		write_typed(w, scratch, texts[i]);
	json_write_end_array(w);
}

static void write_suites(struct json_writer *w, const struct config *c)
{
	write_name(w, "suites");
	json_write_begin_array(w);
	for (size_t i = 0; i < c->suite_count; i++) {
		json_write_begin_object(w);
		write_text(w, "path", c->suites[i].path);
		write_text(w, "sha256", c->suites[i].sha256);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	write_text(w, "suite_digest", c->suite_digest);
	write_name(w, "prompts");
	json_write_begin_array(w);
	for (size_t i = 0; i < c->prompt_count; i++)
		json_write_raw(w, c->prompts[i].canonical);
	json_write_end_array(w);
}

static void write_targets(struct json_writer *w, const struct config *c)
{
	write_name(w, "targets");
	json_write_begin_array(w);
	for (size_t i = 0; i < c->target_count; i++) {
		const struct target *t = &c->targets[i];

		json_write_begin_object(w);
		write_text(w, "provider", str_from(t->provider ? provider_name(t->provider) : ""));
		write_text(w, "model", t->model);
		write_text(w, "thinking_level", t->thinking);
		write_text(w, "tag", t->tag);
		write_text(w, "base", c->bases ? c->bases[i] : str_of(NULL, 0));
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

static void write_sending(struct json_writer *w, const struct config *c)
{
	write_number(w, "repeat", c->repeat);
	write_name(w, "concurrency");
	if (c->concurrency)
		json_write_u64(w, c->concurrency);
	else
		json_write_string(w, STR("auto"));
	write_number(w, "timeout_ms", c->timeout_ms);
	write_number(w, "retries", c->retries);
	write_number(w, "retry_delay_ms", c->retry_delay_ms);
	write_bool(w, "stream", c->stream);
	write_positive(w, "temperature", c->temperature);
	write_some(w, "max_tokens", c->max_tokens);
	write_text(w, "system", c->system);
}

/* A path, as the user typed it, and a digest: what --resume compares. */
static void write_files(struct json_writer *w, const struct config *c)
{
	write_bool(w, "allow_unreachable", c->allow_unreachable);
	write_name(w, "mock_script");
	if (c->mock_script.path.p) {
		json_write_begin_object(w);
		write_text(w, "path", c->mock_script.path);
		write_text(w, "sha256", c->mock_script.sha256);
		json_write_end_object(w);
	} else {
		json_write_null(w);
	}
	write_name(w, "header_file");
	if (c->header_file.p) {
		json_write_begin_object(w);
		write_text(w, "path", c->header_file);
		write_name(w, "headers");
		json_write_begin_array(w);
		for (size_t i = 0; i < c->header_count; i++) {
			json_write_begin_object(w);
			write_text(w, "name", c->headers[i].name);
			write_text(w, "sha256", c->headers[i].sha256);
			json_write_end_object(w);
		}
		json_write_end_array(w);
		json_write_end_object(w);
	} else {
		json_write_null(w);
	}
	write_text(w, "prices", c->prices);
}

static void write_judging(struct json_writer *w, struct buf *scratch, const struct config *c)
{
	write_text(w, "detector", c->detector == DETECT_REFERENCE ? STR("reference") : STR("default"));
	write_number(w, "seed", c->seed);
	write_number(w, "warmup", c->warmup);
	write_positive(w, "budget_usd", c->budget_usd);
	write_text(w, "price_table", c->price_table);
	write_bool(w, "allow_commands", c->allow_commands);
	write_text(w, "sandbox", c->sandbox);
	write_texts(w, scratch, "tags", c->tags, c->tag_count);
	write_name(w, "variables");
	json_write_begin_object(w);
	for (size_t i = 0; i < c->var_count; i++) {
		json_write_key(w, c->vars[i].name);
		write_typed(w, scratch, c->vars[i].value);
	}
	json_write_end_object(w);
	write_files(w, c);
	if (c->rescored_from.p)
		write_text(w, "rescored_from", c->rescored_from);
}

void config_write(struct buf *out, const struct config *c)
{
	struct json_writer w;
	struct buf scratch;

	buf_init(&scratch);
	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	write_text(&w, "schema", STR("trackway.bench-config/1"));
	write_text(&w, "run_id", c->run_id);
	write_text(&w, "created_at", c->created_at);
	write_text(&w, "trackway_version", c->version);
	write_texts(&w, &scratch, "command", c->command, c->command_count);
	write_suites(&w, c);
	write_targets(&w, c);
	write_sending(&w, c);
	write_judging(&w, &scratch, c);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
	buf_free(&scratch);
}

/* ---- reading ---- */

struct reader {
	struct arena *arena;
	struct val root;
};

static struct str copy_text(struct reader *r, struct val v)
{
	return val_is(v, JSON_STRING) ? arena_copy(r->arena, val_text(v, r->arena)) : str_of(NULL, 0);
}

static struct str read_text(struct reader *r, struct val from, const char *name)
{
	return copy_text(r, val_get(from, str_from(name)));
}

static uint64_t read_number(struct reader *r, const char *name, uint64_t otherwise)
{
	int64_t n;

	return val_i64(val_get(r->root, str_from(name)), &n) && n >= 0 ? (uint64_t)n : otherwise;
}

static double read_double(struct reader *r, const char *name)
{
	double v;

	return val_double(val_get(r->root, str_from(name)), &v) && v >= 0 ? v : -1;
}

static const struct str *read_texts(struct reader *r, const char *name, size_t *count)
{
	struct val list = val_get(r->root, str_from(name)), v;
	struct val_iter it = val_begin(list);
	struct str *out;

	*count = 0;
	if (!val_is(list, JSON_ARRAY))
		return NULL;
	out = arena_array(r->arena, struct str, val_count(list));
	while (val_next(&it, &v))
		if (val_is(v, JSON_STRING))
			out[(*count)++] = copy_text(r, v);
	return out;
}

static void read_suites(struct reader *r, struct config *c)
{
	struct val list = val_get(r->root, STR("suites")), v;
	struct val_iter it = val_begin(list);
	struct config_suite *out;

	if (!val_is(list, JSON_ARRAY))
		return;
	out = arena_array(r->arena, struct config_suite, val_count(list));
	while (val_next(&it, &v))
		out[c->suite_count++] =
			(struct config_suite){ .path = read_text(r, v, "path"), .sha256 = read_text(r, v, "sha256") };
	c->suites = out;
}

static void read_prompts(struct reader *r, struct config *c)
{
	struct val list = val_get(r->root, STR("prompts")), v;
	struct val_iter it = val_begin(list);
	struct suite_prompt *out;

	if (!val_is(list, JSON_ARRAY))
		return;
	out = arena_array(r->arena, struct suite_prompt, val_count(list));
	while (val_next(&it, &v))
		if (val_is(v, JSON_OBJECT))
			out[c->prompt_count++] = (struct suite_prompt){
				.id = read_text(r, v, "id"),
				.name = read_text(r, v, "name"),
				.prompt = read_text(r, v, "prompt"),
				.canonical = arena_copy(r->arena, val_source(v)),
			};
	c->prompts = out;
}

static void read_targets(struct reader *r, struct config *c)
{
	struct val list = val_get(r->root, STR("targets")), v;
	struct val_iter it = val_begin(list);

	if (!val_is(list, JSON_ARRAY))
		return;
	c->targets = arena_array(r->arena, struct target, val_count(list));
	c->bases = arena_array(r->arena, struct str, val_count(list));
	while (val_next(&it, &v)) {
		struct str provider = read_text(r, v, "provider");

		c->bases[c->target_count] = read_text(r, v, "base");
		c->targets[c->target_count++] = (struct target){
			.provider = provider_find(provider),
			.model = read_text(r, v, "model"),
			.thinking = read_text(r, v, "thinking_level"),
			.tag = read_text(r, v, "tag"),
		};
	}
}

static void read_vars(struct reader *r, struct config *c)
{
	struct val map = val_get(r->root, STR("variables")), key, v;
	struct val_iter it = val_begin(map);
	struct suite_var *out;

	if (!val_is(map, JSON_OBJECT))
		return;
	out = arena_array(r->arena, struct suite_var, val_count(map));
	while (val_next_member(&it, &key, &v))
		out[c->var_count++] = (struct suite_var){ .name = arena_copy(r->arena, val_text(key, r->arena)),
							  .value = copy_text(r, v) };
	c->vars = out;
}

static void read_files(struct reader *r, struct config *c)
{
	struct val script = val_get(r->root, STR("mock_script")), file = val_get(r->root, STR("header_file"));
	struct val list = val_get(file, STR("headers")), v;
	struct val_iter it = val_begin(list);
	struct config_header *out = arena_array(r->arena, struct config_header, val_count(list) + 1);

	c->knows_files = !val_is_none(script);
	c->allow_unreachable = val_is(val_get(r->root, STR("allow_unreachable")), JSON_TRUE);
	c->mock_script = (struct config_suite){ .path = read_text(r, script, "path"),
						.sha256 = read_text(r, script, "sha256") };
	c->header_file = read_text(r, file, "path");
	while (val_is(list, JSON_ARRAY) && val_next(&it, &v))
		out[c->header_count++] =
			(struct config_header){ .name = read_text(r, v, "name"), .sha256 = read_text(r, v, "sha256") };
	c->headers = out;
	c->prices = read_text(r, r->root, "prices");
}

static void read_all(struct reader *r, struct config *c)
{
	c->run_id = read_text(r, r->root, "run_id");
	c->created_at = read_text(r, r->root, "created_at");
	c->version = read_text(r, r->root, "trackway_version");
	c->command = read_texts(r, "command", &c->command_count);
	read_suites(r, c);
	c->suite_digest = read_text(r, r->root, "suite_digest");
	read_prompts(r, c);
	read_targets(r, c);
	c->repeat = read_number(r, "repeat", 1);
	c->concurrency = read_number(r, "concurrency", 0);
	c->timeout_ms = read_number(r, "timeout_ms", 120000);
	c->retries = read_number(r, "retries", 5);
	c->retry_delay_ms = read_number(r, "retry_delay_ms", 1000);
	c->stream = !val_is(val_get(r->root, STR("stream")), JSON_FALSE);
	c->temperature = read_double(r, "temperature");
	c->max_tokens = read_number(r, "max_tokens", 0);
	c->system = read_text(r, r->root, "system");
	c->detector = DETECT_DEFAULT;
	detector_parse(read_text(r, r->root, "detector"), &c->detector);
	c->seed = read_number(r, "seed", 0);
	c->warmup = read_number(r, "warmup", 0);
	c->budget_usd = read_double(r, "budget_usd");
	c->price_table = read_text(r, r->root, "price_table");
	c->allow_commands = val_is(val_get(r->root, STR("allow_commands")), JSON_TRUE);
	c->sandbox = read_text(r, r->root, "sandbox");
	c->tags = read_texts(r, "tags", &c->tag_count);
	read_vars(r, c);
	read_files(r, c);
	c->rescored_from = read_text(r, r->root, "rescored_from");
}

bool config_read(struct config *c, struct arena *a, struct str path, struct err *err)
{
	struct reader r = { .arena = a };
	struct json_parser *parser;
	struct json_issue issue;
	struct str text;
	bool done;

	*c = (struct config){ .repeat = 1 };
	if (!file_read(a, path, CONFIG_MAX, &text, err))
		return false;
	parser = json_parser_open((struct json_options){ .max_depth = 0 });
	done = json_parse_copy(parser, text, &r.root, &issue) && val_is(r.root, JSON_OBJECT);
	if (done)
		read_all(&r, c);
	json_parser_close(parser);
	return done || err_set(err, ERR_DATA, "%.*s: this is not the configuration of a run" HELP
			       "'trackway validate %.*s' says what is wrong with it", STR_ARG(path), STR_ARG(path));
}
