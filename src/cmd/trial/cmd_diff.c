/* `trackway trial diff`: whether one trial's result holds for another, by their locks. */
#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/stream.h"
#include "cmd/trial/run.h"
#include "cmd/trial/sealed.h"

#define LOCK_FILE_MAX ((size_t)64 << 20)

struct trial_diff_opts {
	struct ledger_choice ledger;
	struct opt_maybe json;
};

static const char *const trial_diff_fields[] = { "answer", "member", "a", "b", NULL };

static const struct opt trial_diff_options[] = {
	LEDGER_OPTION(struct trial_diff_opts),
	{ OPT_OPTIONAL, 0, "json", offsetof(struct trial_diff_opts, json), "FIELDS", "as JSON; only the named fields" },
	OPT_LAST,
};

/* A file wins over a trial of the ledger with such a name. */
static bool read_lock(struct arena *a, const struct frame *f, const struct ledger_choice *c, struct str name,
		      struct lock *out, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct index_row row;
	struct ledger ledger;
	struct str text;
	bool done;

	if (file_read(a, name, LOCK_FILE_MAX, &text, &why))
		return lock_read(a, name, text, out, err);
	if (str_has(name, STR("/")) || str_ends(name, STR(".json"))) {
		*err = why;
		return false;
	}
	if (!ledger_args_open(&ledger, a, f, c, LEDGER_READ, err))
		return false;
	done = trial_sealed_record(a, &ledger, f, name, &row, &text, err) && lock_read(a, name, text, out, err);
	ledger_close(&ledger);
	return done;
}

static void show_difference(struct opt_maybe json, const struct lock *x, const struct lock *y,
			    struct lock_difference d)
{
	const char *member = d.answer == LOCK_REUSE ? NULL : lock_member_name(d.first);
	struct str a = member ? x->members[d.first] : str_of(NULL, 0), b = member ? y->members[d.first] : a;
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	if (json.given) {
		field_begin_document(&w, &out, JSON_COMPACT, "trial-diff");
		field_put_word(&w, json, "answer", lock_answer_name(d.answer));
		field_put_word(&w, json, "member", member);
		field_put_text_or_null(&w, json, "a", a);
		field_put_text_or_null(&w, json, "b", b);
		field_end_document(&w);
	} else {
		buf_printf(&out, "%s", lock_answer_name(d.answer));
		if (member) {
			buf_printf(&out, ": %s differs\n  A  ", member);
			term_add_text(&out, a.p ? a : STR("not known"));
			buf_add_str(&out, STR("\n  B  "));
			term_add_text(&out, b.p ? b : STR("not known"));
		}
		buf_add_byte(&out, '\n');
	}
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
}

static int trial_diff_main(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct trial_diff_opts *o = options;
	struct lock_difference d;
	struct lock x, y;

	if (!read_lock(a, args.frame, &o->ledger, args.items[0], &x, err) ||
	    !read_lock(a, args.frame, &o->ledger, args.items[1], &y, err))
		return EXIT_FAIL;
	d = lock_compare(&x, &y);
	show_difference(o->json, &x, &y, d);
	return d.answer == LOCK_REUSE ? EXIT_YES : EXIT_NO;
}

static const struct example trial_diff_examples[] = {
	{ "trackway trial diff a.json b.json", "two locks" },
	{ "trackway trial diff a.json 01a1f063-bb54-7361-b1bb-b108c7378b17", "a lock and a trial of the ledger" },
	{ NULL, NULL },
};

const struct command trial_diff_command = {
	.name = "trial diff",
	.summary = "compare two locks: reuse the result, regrade it, or run the trial again",
	.usage = "A B [--ledger DIR] [--json]",
	.description =
		"A and B are files that 'trackway trial lock' wrote, records of trials, or names of trials in the "
		"ledger. The answer is one of\n\n"
		"  reuse    the locks are equal: the result of one is that of the other\n"
		"  regrade  only the verifier differs: see 'trackway trial regrade'\n"
		"  rerun    anything else differs, or is not known of one of them\n\n"
		"with the first member that differs. The exit status is 0 for reuse and 1 for the others.",
	.examples = trial_diff_examples,
	.options = trial_diff_options,
	.env = ledger_env,
	.fields = trial_diff_fields,
	.options_size = sizeof(struct trial_diff_opts),
	.args = ARGS_FILES,
	.args_min = 2,
	.args_max = 2,
	.run = trial_diff_main,
};
