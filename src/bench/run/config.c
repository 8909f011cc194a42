/*
 * Translates between prompts and targets as the runner has them and the flat record that dialect/bench/config.h reads
 * and writes. Whatever the user typed is masked on the way out.
 */
#include "bench/run/config.h"

#include "base/file.h"
#include "base/mask.h"
#include "dialect/record/io.h"

#define CONFIG_MAX ((size_t)256 << 20)

_Static_assert(offsetof(struct config, rescored_from) == offsetof(struct bench_config, rescored_from), "the same head");
_Static_assert(sizeof(struct suite_var) == 2 * sizeof(struct str), "a pair of texts");

/* ---- writing ---- */

/* Whatever the user typed may hold a key, though no option wants one. */
static struct str config_mask(struct arena *a, struct str text)
{
	struct buf shown;

	buf_init(&shown);
	mask_text(&shown, text, 0, NULL, NULL);
	return arena_take(a, &shown);
}

static const struct str *config_mask_all(struct arena *a, const struct str *texts, size_t count)
{
	struct str *out = arena_array(a, struct str, count + 1);

	for (size_t i = 0; i < count; i++)
		out[i] = config_mask(a, texts[i]);
	return out;
}

static void config_mask_vars(struct arena *a, struct config *c)
{
	struct suite_var *out = arena_array(a, struct suite_var, c->var_count + 1);

	for (size_t i = 0; i < c->var_count; i++)
		out[i] = (struct suite_var){ c->vars[i].name, config_mask(a, c->vars[i].value) };
	c->vars = out;
}

static void config_list_prompts(struct arena *a, struct config *c)
{
	struct str *out = arena_array(a, struct str, c->prompt_count + 1);

	for (size_t i = 0; i < c->prompt_count; i++)
		out[i] = c->prompts[i].canonical;
	c->prompts_sent = out;
	c->prompts_sent_count = c->prompt_count;
}

/* A target whose provider this version does not know was read with none, and is written with an empty name. */
static void config_list_targets(struct arena *a, struct config *c)
{
	struct config_target *out = arena_array(a, struct config_target, c->target_count + 1);

	for (size_t i = 0; i < c->target_count; i++) {
		const struct target *t = &c->targets[i];

		out[i] = (struct config_target){
			.provider = str_from(t->provider ? provider_name(t->provider) : ""),
			.model = t->model,
			.thinking = t->thinking,
			.tag = t->tag,
			.base = c->bases ? c->bases[i] : str_of(NULL, 0),
		};
	}
	c->targets_asked = out;
	c->targets_asked_count = c->target_count;
}

void config_write(struct buf *out, const struct config *given)
{
	struct config c = *given;
	struct json_writer w;
	struct arena a;

	arena_init(&a);
	c.command = config_mask_all(&a, c.command, c.command_count);
	c.tags = config_mask_all(&a, c.tags, c.tag_count);
	config_mask_vars(&a, &c);
	config_list_prompts(&a, &c);
	config_list_targets(&a, &c);
	json_write_init(&w, out, JSON_PRETTY);
	record_write(&w, &bench_config_type, &c);
	buf_add_byte(out, '\n');
	arena_free(&a);
}

/* ---- reading ---- */

static struct str config_copy_text(struct arena *a, struct val from, struct str name)
{
	struct val v = val_get(from, name);

	return val_is(v, JSON_STRING) ? arena_copy(a, val_text(v, a)) : str_of(NULL, 0);
}

/* Validators stay text, in `canonical`: who needs them compiles the suite again. */
static void config_read_prompts(struct config *c, struct arena *a, struct val list)
{
	struct val_iter it = val_begin(list);
	struct suite_prompt *out;
	struct val v;

	if (!val_is(list, JSON_ARRAY))
		return;
	out = arena_array(a, struct suite_prompt, val_count(list));
	while (val_next(&it, &v))
		if (val_is(v, JSON_OBJECT))
			out[c->prompt_count++] = (struct suite_prompt){
				.id = config_copy_text(a, v, STR("id")),
				.name = config_copy_text(a, v, STR("name")),
				.prompt = config_copy_text(a, v, STR("prompt")),
				.canonical = arena_copy(a, val_source(v)),
			};
	c->prompts = out;
}

/* The head of the record has texts; here they become providers, as far as we know them. */
static void config_find_targets(struct config *c, struct arena *a)
{
	c->target_count = c->targets_asked_count;
	c->targets = arena_array(a, struct target, c->target_count + 1);
	c->bases = arena_array(a, struct str, c->target_count + 1);
	for (size_t i = 0; i < c->target_count; i++) {
		const struct config_target *t = &c->targets_asked[i];

		c->bases[i] = t->base;
		c->targets[i] = (struct target){
			.provider = provider_find(t->provider),
			.model = t->model,
			.thinking = t->thinking,
			.tag = t->tag,
		};
	}
}

/* Defaults stand for members that older versions did not write. */
static void config_read_all(struct config *c, struct arena *a, struct val root)
{
	c->concurrency = 0;
	c->timeout_ms = 120000;
	c->retries = 5;
	c->retry_delay_ms = 1000;
	c->stream = true;
	c->temperature = c->budget_usd = -1;
	record_read(&bench_config_type, c, root, a, RECORD_READ_COPY);
	config_read_prompts(c, a, val_get(root, STR("prompts")));
	config_find_targets(c, a);
	c->knows_files = !val_is_none(val_get(root, STR("mock_script")));
}

bool config_read(struct config *c, struct arena *a, struct str path, struct err *err)
{
	struct json_parser *parser;
	struct json_issue issue;
	struct str text;
	struct val root;
	bool done;

	*c = (struct config){ .repeat = 1 };
	if (!file_read(a, path, CONFIG_MAX, &text, err))
		return false;
	parser = json_parser_open((struct json_options){ .max_depth = 0 });
	done = json_parse_copy(parser, text, &root, &issue) && val_is(root, JSON_OBJECT);
	if (done)
		config_read_all(c, a, root);
	json_parser_close(parser);
	return done || err_set(err, ERR_DATA, "%.*s: this is not the configuration of a run" ERR_HELP
			       "'trackway validate %.*s' says what is wrong with it", STR_ARG(path), STR_ARG(path));
}
