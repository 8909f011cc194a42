/* `trackway ledger prove`: writes an entry and its proof as two files. */
#include <stdio.h>

#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "cmd/ledger/rows.h"
#include "cmd/report/report.h"
#include "ledger/proof.h"

struct prove_opts {
	struct ledger_choice ledger;
	struct str output;
	struct opt_maybe json;
};

static const struct opt options[] = {
	{ OPT_STR, 'o', "output", offsetof(struct prove_opts, output), "PREFIX",
	  "write PREFIX.tlog-proof and PREFIX.entry (default: the id)" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct prove_opts, json), "FIELDS",
	  "what was written, as JSON; only the named fields" },
	LEDGER_VKEY_OPTION(struct prove_opts),
	LEDGER_OPTION(struct prove_opts),
	OPT_LAST,
};

static const char *const fields[] = { "proof", "entry", "part", "index", "leaf", "size", "root", "vkey", NULL };

struct proving {
	struct arena *arena;
	const struct frame *frame;
	const struct prove_opts *options;
	struct log *log;
	struct index_row row;
	struct checkpoint head;
	struct str proof, entry; /* paths */
};

/* The proof goes last: who finds it finds the entry too. */
static bool ledger_prove_write_files(struct proving *x, const struct proof *p, struct err *err)
{
	struct str prefix = x->options->output, bytes;
	struct buf text;
	bool written;

	if (!prefix.p)
		prefix = entry_path_part(x->arena, x->row.id);
	x->proof = ARENA_JOIN(x->arena, prefix, STR(".tlog-proof"));
	x->entry = ARENA_JOIN(x->arena, prefix, STR(".entry"));
	if (!x->log->ops->entry(x->log, x->arena, x->row.index, &bytes, err))
		return false;
	buf_init(&text);
	proof_add_text(&text, p);
	written = file_replace(x->entry, bytes, 0644, err) && file_replace(x->proof, buf_str(&text), 0644, err);
	buf_free(&text);
	return written;
}

static bool prove(struct proving *x, struct err *err)
{
	struct proof *p = arena_new(x->arena, struct proof);

	return log_read_checkpoint(x->log, x->arena, &x->head, NULL, err) &&
	       log_prove(x->log, x->arena, x->row.index, p, err) && ledger_prove_write_files(x, p, err);
}

static void ledger_prove_add_json(struct buf *out, const struct proving *x)
{
	struct opt_maybe s = x->options->json;
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "ledger-prove");
	field_put_text(&w, s, "proof", x->proof);
	field_put_text(&w, s, "entry", x->entry);
	field_put_word(&w, s, "part", ledger_part_name(x->row.part));
	field_put_u64(&w, s, "index", x->row.index);
	field_put_digest(&w, s, "leaf", x->row.leaf);
	field_put_u64(&w, s, "size", x->head.size);
	field_put_digest(&w, s, "root", x->head.root);
	field_put_text(&w, s, "vkey", ledger_args_vkey(x->arena, &x->log->key));
	field_end_document(&w);
}

/* Names the files and the command that checks them, on standard error; or JSON on standard output. */
static void ledger_prove_print(const struct proving *x)
{
	struct buf out;

	if (!x->options->json.given) {
		inputs_note(x->frame, "wrote %.*s and %.*s (entry %llu of %llu)", STR_ARG(x->proof), STR_ARG(x->entry),
			    (unsigned long long)x->row.index, (unsigned long long)x->head.size);
		inputs_note(x->frame, "Anyone with the public key can check them:");
		inputs_note(x->frame, "  trackway ledger verify --proof %.*s --entry %.*s --vkey %.*s",
			    STR_ARG(x->proof), STR_ARG(x->entry),
			    STR_ARG(ledger_args_vkey(x->arena, &x->log->key)));
		return;
	}
	buf_init(&out);
	ledger_prove_add_json(&out, x);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
}

/* The command: finds the entry by its name, then writes both files. An error leaves no proof without its entry. */
static int prove_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	struct proving x = { .arena = a, .frame = args.frame, .options = given };
	struct ledger ledger;
	struct index *index;
	bool done;

	if (!ledger_args_open(&ledger, a, args.frame, &x.options->ledger, LEDGER_READ, err))
		return EXIT_FAIL;
	index = ledger_args_open_index(&ledger, args.frame, err);
	done = index && ledger_row_find(&ledger, index, a, args.items[0], &x.row, err);
	if (done) {
		x.log = ledger.logs[x.row.part];
		done = prove(&x, err);
	}
	if (done)
		ledger_prove_print(&x);
	index_close(index);
	ledger_close(&ledger);
	return done ? EXIT_YES : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway ledger prove t-001", "write t-001.tlog-proof and t-001.entry" },
	{ "trackway ledger prove 0 -o first --json=proof,size", "of an entry by its number; for a script" },
	{ NULL, NULL },
};

const struct command ledger_prove_command = {
	.name = "ledger prove",
	.summary = "write a proof that an entry is in the log, for anyone to check",
	.usage = "TRIAL|NUMBER|LEAF [-o PREFIX]",
	.description =
		"Writes two files: the entry, whose bytes are the leaf, and its proof (C2SP tlog-proof): its "
		"place, the hashes on its way up the tree, and the signed head. With the public key of the log "
		"they can be checked on any machine, by 'trackway ledger verify --proof' or by other programs. "
		"They stay valid whatever is added later.\n\n"
		"Entries are named as in 'trackway ledger show'.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = fields,
	.options_size = sizeof(struct prove_opts),
	.args = ARGS_WORDS,
	.args_min = 1,
	.args_max = 1,
	.run = prove_run,
};
