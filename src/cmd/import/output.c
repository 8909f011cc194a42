/*
 * Refusals are told as they come, the first SHOWN of them; in JSON they are kept, up to REFUSALS. The counts come from
 * the import itself.
 */
#include "cmd/import/output.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "json/put.h"

#define REFUSALS 1000 /* told one by one in JSON */
#define SHOWN 50      /* and in text */

const char *const import_fields[] = {
	"imported", "duplicates", "refused", "experiment_id", "evaluation_id", "ledger", "dry_run", "refusals", NULL,
};

/* Counts come from the import, which knows what is sealed already. */
static void import_output_show_progress(struct import_output *o)
{
	struct import_tally t = import_so_far(o->import);
	uint64_t now = clock_mono_ns();
	char text[160];

	if (!progress_is_due(&o->progress, now))
		return;
	snprintf(text, sizeof(text), "import %llu  new %llu  duplicates %llu  refused %llu",
		 (unsigned long long)o->begun, (unsigned long long)t.imported, (unsigned long long)t.duplicates,
		 (unsigned long long)t.refused);
	progress_show(&o->progress, str_from(text), now);
}

/* After the first SHOWN a last line says that more are only counted. */
static void print_refusal(struct import_output *o, const struct import_item *item)
{
	const struct term *t = &o->frame->err;
	struct buf text;

	progress_erase(&o->progress);
	buf_init(&text);
	buf_printf(&text, "%serror%s: ", term_style(t->color, STYLE_ERROR), term_style(t->color, STYLE_PLAIN));
	term_add_text(&text, item->name);
	buf_add_str(&text, STR(": "));
	term_add_text(&text, item->why);
	buf_add_byte(&text, '\n');
	if (o->refused_count == SHOWN)
		buf_printf(&text, "... more refusals are only counted\n");
	inputs_print(buf_str(&text));
	buf_free(&text);
}

/* Adds an object to the list; the comma between two is ours, since each has a writer of its own. */
static void keep_refusal(struct import_output *o, const struct import_item *item)
{
	struct json_writer w;

	if (o->refused_count)
		buf_add_byte(&o->refusals, ',');
	json_write_init(&w, &o->refusals, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text_or_null(&w, "name", item->name);
	json_put_text_or_null(&w, "experiment_id", item->experiment);
	json_put_text_or_null(&w, "trial_id", item->trial_id);
	json_put_text_or_null(&w, "why", item->why);
	json_write_end_object(&w);
}

/*
 * For import_options.each: counts the record and tells a refusal. Always true, since one refusal does not end the
 * import.
 */
static bool each(void *context, const struct import_item *item, struct err *err)
{
	struct import_output *o = context;

	(void)err;
	o->begun++;
	if (item->outcome == IMPORT_REFUSED) {
		if (o->options->json.given && o->refused_count < REFUSALS)
			keep_refusal(o, item);
		else if (!o->options->json.given && o->refused_count <= SHOWN)
			print_refusal(o, item);
		o->refused_count++;
	}
	import_output_show_progress(o);
	return true;
}

bool import_output_open(struct import_output *o, struct arena *a, const struct import_opts *options,
			const struct ledger_choice *ledger, const struct frame *frame, const char *noun,
			struct err *err)
{
	struct import_options how = { .ledger = &o->ledger, .dry_run = options->dry_run, .each = each, .context = o };

	*o = (struct import_output){ .options = options, .frame = frame, .noun = noun };
	if (!ledger_args_open(&o->ledger, a, frame, ledger, options->dry_run ? LEDGER_READ : LEDGER_WRITE, err))
		return false;
	buf_init(&o->refusals);
	progress_init(&o->progress, frame, STDERR_FILENO, clock_mono_ns());
	o->import = import_open(&how);
	return true;
}

/* ---- the answer ---- */

/* refusals is made of finished objects; their count may be smaller than `refused`. */
static void import_output_add_json(struct import_output *o, struct buf *out, const struct import_tally *t,
				   struct str experiment, struct str evaluation)
{
	struct opt_maybe json = o->options->json;
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "import");
	field_put_u64(&w, json, "imported", t->imported);
	field_put_u64(&w, json, "duplicates", t->duplicates);
	field_put_u64(&w, json, "refused", t->refused);
	field_put_text_or_null(&w, json, "experiment_id", experiment);
	field_put_text_or_null(&w, json, "evaluation_id", evaluation);
	field_put_text_or_null(&w, json, "ledger", o->ledger.where);
	field_put_bool(&w, json, "dry_run", o->options->dry_run);
	if (opt_has_field(json, STR("refusals"))) {
		json_put_array(&w, "refusals");
		if (o->refusals.n)
			json_write_raw(&w, buf_str(&o->refusals));
		json_write_end_array(&w);
	}
	field_end_document(&w);
}

static void import_output_add_text(struct import_output *o, struct buf *out, const struct import_tally *t,
				   struct str experiment)
{
	buf_printf(out, "%s %llu %s%s", o->options->dry_run ? "would import" : "imported",
		   (unsigned long long)t->imported, o->noun, t->imported == 1 ? "" : "s");
	if (experiment.p) {
		buf_add_str(out, STR(" of "));
		term_add_text(out, experiment);
	}
	buf_printf(out, ", %llu already there, %llu refused\n", (unsigned long long)t->duplicates,
		   (unsigned long long)t->refused);
}

static void import_output_print(struct import_output *o, const struct import_tally *t, struct str experiment,
				struct str evaluation)
{
	struct buf out;

	buf_init(&out);
	if (o->options->json.given)
		import_output_add_json(o, &out, t, experiment, evaluation);
	else
		import_output_add_text(o, &out, t, experiment);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
}

int import_output_end(struct import_output *o, bool done, struct str experiment, struct str evaluation,
		      struct err *err)
{
	struct import_tally tally = { .imported = 0 };
	struct err second = { .kind = ERR_NONE };
	bool sealed = import_end(o->import, &tally, &second);

	progress_erase(&o->progress);
	if (sealed && (done || tally.imported + tally.duplicates + tally.refused))
		import_output_print(o, &tally, experiment, evaluation);
	if (done && !sealed)
		*err = second;
	import_close(o->import);
	buf_free(&o->refusals);
	ledger_close(&o->ledger);
	if (!done || !sealed)
		return EXIT_FAIL;
	return tally.refused ? EXIT_NO : EXIT_YES;
}
