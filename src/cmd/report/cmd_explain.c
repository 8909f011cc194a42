/* `trackway explain`: pages of rules, by code or all of a format. */
#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/report/explain_page.h"
#include "cmd/screen/pager.h"
#include "json/put.h"

struct explain_opts {
	bool list;
	struct str format;
	struct opt_maybe json;
};

static const struct opt explain_options[] = {
	{ OPT_FLAG, 0, "list", offsetof(struct explain_opts, list), NULL, "a line for every code, as without CODE" },
	{ OPT_STR, 0, "format", offsetof(struct explain_opts, format), "FORMAT", "only the codes of this format" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct explain_opts, json), "FIELDS", "as JSON; only the named fields" },
	OPT_LAST,
};

struct explaining {
	const struct explain_opts *options;
	struct str format; /* as we spell it; p is NULL for all */
	const struct term *term;
	struct buf out;
	struct json_writer writer;
};

/* A page, or an object of the document; pages are parted by an empty line. */
static void add_rule(struct explaining *e, const struct rules_group *g, const struct rule *r)
{
	if (e->options->json.given) {
		explain_page_write(&e->writer, e->options->json, g, r);
		return;
	}
	if (e->out.n)
		buf_add_byte(&e->out, '\n');
	explain_page_add(&e->out, e->term, g, r);
}

/* Every rule of the chosen format, or of all: a list for people, whole pages as JSON. */
static void explain_add_all(struct explaining *e)
{
	struct str format = e->format;
	struct rules_group g;
	size_t at = 0;

	while (rules_next_group(&at, &g)) {
		if (!e->options->json.given) {
			explain_page_add_list(&e->out, e->term, &g, format);
			continue;
		}
		for (const struct rule *r = g.rules; r->code; r++)
			if (rules_is_of(&g, r, format))
				add_rule(e, &g, r);
	}
}

/* Formats may give one code to rows of their own: each has its page. */
static bool add_code(struct explaining *e, struct str word, struct err *err)
{
	struct rules_group g;
	bool found = false;
	size_t at = 0;

	while (rules_next_group(&at, &g)) {
		for (const struct rule *r = g.rules; r->code; r++) {
			if (!rules_is_code(r, word) || !rules_is_of(&g, r, e->format))
				continue;
			add_rule(e, &g, r);
			found = true;
		}
	}
	return found || rules_refuse_code(word, err);
}

static bool explain_add_codes(struct explaining *e, struct args args, struct err *err)
{
	for (size_t i = 0; i < args.count; i++)
		if (!add_code(e, rules_cut_code(args.items[i]), err))
			return false;
	return true;
}

/* *name becomes the format as we spell it, since users may write it in any case. */
static bool explain_check_options(const struct explain_opts *o, struct args args, struct str *name,
				  struct err *err)
{
	const struct dialect *format = NULL;

	if (o->list && args.count)
		return usage_set(err, "give one of them", "--list and a code exclude each other");
	if (o->format.p && !rules_get_format(o->format, &format, err))
		return false;
	if (format)
		*name = str_from(format->name);
	return true;
}

/* The command: pages of the codes named, or a list of all. An unknown code prints nothing but the error. */
static int explain_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	struct explaining e = { .options = options, .term = &args.frame->out };
	bool is_json = e.options->json.given, known = true;

	if (!explain_check_options(options, args, &e.format, err))
		return EXIT_FAIL;
	buf_init(&e.out);
	if (is_json) {
		field_begin_document(&e.writer, &e.out, JSON_COMPACT, "explain");
		json_put_array(&e.writer, "rules");
	}
	if (args.count == 0)
		explain_add_all(&e);
	else
		known = explain_add_codes(&e, args, err);
	if (known && is_json) {
		json_write_end_array(&e.writer);
		field_end_document(&e.writer);
		stream_write(stdout, buf_str(&e.out));
	} else if (known) {
		pager_show(a, args.frame, buf_str(&e.out));
	}
	buf_free(&e.out);
	return known ? EXIT_YES : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway explain E_SEQ_GAP", "what the code of a finding means" },
	{ "trackway explain --format agent-trace", "every rule of one format" },
	{ NULL, NULL },
};

const struct command explain_command = {
	.name = "explain",
	.summary = "explain the code of a finding",
	.usage = "[CODE...] [--format FORMAT]",
	.description =
		"Prints a page for each code: the sentence, how severe it is in which mode, why the rule exists, "
		"what to do, where it is written and an example that breaks it. Without a code, lists all of "
		"them.",
	.examples = examples,
	.options = explain_options,
	.fields = explain_fields,
	.options_size = sizeof(struct explain_opts),
	.args = ARGS_CODES,
	.args_max = ARGS_MANY,
	.run = explain_run,
};
