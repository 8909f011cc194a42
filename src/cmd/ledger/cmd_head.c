/* `trackway ledger head`: the signed head of one log, read without checking the entries below it. */
#include <stdio.h>

#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/ledger/args.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"

struct head_opts {
	struct ledger_choice ledger;
	struct opt_maybe json;
	bool text;
	int part; /* enum ledger_part */
};

static const struct opt options[] = {
	{ OPT_FLAG, 0, "text", offsetof(struct head_opts, text), NULL,
	  "only the three lines that are signed: origin, size, root" },
	{ OPT_CHOICE, 0, "part", offsetof(struct head_opts, part), "main|diagnostic", "which of the two logs" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct head_opts, json), "FIELDS", "as JSON; only the named fields" },
	LEDGER_VKEY_OPTION(struct head_opts),
	LEDGER_OPTION(struct head_opts),
	OPT_LAST,
};

static const char *const fields[] = { "part",	   "origin", "size", "root", "vkey", "vkey_is_trusted",
				      "sealed_at", "signatures", "checkpoint", NULL };

struct head {
	struct arena *arena;
	struct log *log;
	struct checkpoint checkpoint;
	struct note *note;
	struct str whole;     /* the note */
	struct str sealed_at; /* of the last entry; p NULL without any */
};

/* Reads the checkpoint and the time of the newest entry. An entry that cannot be parsed leaves the time out. */
static bool read_head(struct arena *a, struct log *log, struct head *out, struct err *err)
{
	struct json_parser *p;
	struct entry e;
	struct str bytes, why;

	*out = (struct head){ .arena = a, .log = log };
	if (!log_read_checkpoint(log, a, &out->checkpoint, &out->note, err) ||
	    !log->ops->checkpoint(log, a, &out->whole, err))
		return false;
	if (out->checkpoint.size == 0)
		return true;
	if (!log->ops->entry(log, a, out->checkpoint.size - 1, &bytes, err))
		return false;
	p = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	if (entry_parse(p, a, bytes, &e, &why)) /* verify tells what is wrong otherwise */
		out->sealed_at = e.sealed_at;
	json_parser_close(p);
	return true;
}

static void ledger_head_add_json(struct buf *out, const struct head *h, const struct head_opts *o)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "ledger-head");
	field_put_word(&w, o->json, "part", ledger_part_name((enum ledger_part)o->part));
	field_put_text(&w, o->json, "origin", h->checkpoint.origin);
	field_put_u64(&w, o->json, "size", h->checkpoint.size);
	field_put_digest(&w, o->json, "root", h->checkpoint.root);
	field_put_text(&w, o->json, "vkey", ledger_args_vkey(h->arena, &h->log->key));
	field_put_bool(&w, o->json, "vkey_is_trusted", h->log->key_is_trusted);
	field_put_text_or_null(&w, o->json, "sealed_at", h->sealed_at);
	field_put_u64(&w, o->json, "signatures", h->note->count);
	field_put_text(&w, o->json, "checkpoint", h->whole);
	field_end_document(&w);
}

/* Says whether the key is trusted, since a signature by a key from the ledger itself proves little. */
static void ledger_head_add_text(struct buf *out, const struct head *h)
{
	term_add_text(out, h->checkpoint.origin);
	buf_add_str(out, STR("\n  size    "));
	amounts_add_things(out, h->checkpoint.size, "entry");
	buf_printf(out, "\n  root    %.*s\n  key     ", STR_ARG(ledger_args_hex(h->arena, h->checkpoint.root)));
	term_add_text(out, ledger_args_vkey(h->arena, &h->log->key));
	buf_printf(out, "\n          %s\n", h->log->key_is_trusted ? "the one you have" :
		   "from the ledger itself: compare it with the one its owner gave you");
	if (h->sealed_at.p) {
		buf_add_str(out, STR("  newest  "));
		term_add_text(out, h->sealed_at);
		buf_add_str(out, STR(", according to its writer\n"));
	}
	buf_add_str(out, STR("  signed  by the log"));
	if (h->note->count > 1) {
		buf_add_str(out, STR(", and "));
		amounts_add_things(out, h->note->count - 1, "line");
		buf_add_str(out, STR(" of others ('trackway ledger verify --policy' checks them)"));
	}
	buf_add_byte(out, '\n');
}

/* The command: the head of one of the two logs, in one of three forms. */
static int head_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct head_opts *o = given;
	struct ledger l;
	struct head h;
	struct buf out;
	bool done;

	if (o->text && o->json.given && !usage_set(err, "give one of them", "--text and --json exclude each other"))
		return EXIT_FAIL;
	if (!ledger_args_open(&l, a, args.frame, &o->ledger, LEDGER_READ, err))
		return EXIT_FAIL;
	done = l.logs[o->part] ? read_head(a, l.logs[o->part], &h, err) :
				 err_set(err, ERR_DATA, "%.*s: this copy has no diagnostic log",
					 STR_ARG(l.where));
	if (done) {
		buf_init(&out);
		if (o->text)
			checkpoint_add_text(&out, &h.checkpoint);
		else if (o->json.given)
			ledger_head_add_json(&out, &h, o);
		else
			ledger_head_add_text(&out, &h);
		stream_write(stdout, buf_str(&out));
		buf_free(&out);
	}
	ledger_close(&l);
	return done ? EXIT_YES : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway ledger head", "how many entries, under which root, signed by whom" },
	{ "trackway ledger head --text",
	  "for a commit message, a paper or a page: whoever has it can detect a rewrite" },
	{ "trackway ledger head --part diagnostic --json=size,root", "two facts about the other log" },
	{ NULL, NULL },
};

const struct command ledger_head_command = {
	.name = "ledger head",
	.summary = "show the signed head: how many entries, under which root",
	.usage = "[--text] [--part main|diagnostic]",
	.description =
		"The head stands for everything in the log: no entry below it can be changed, inserted or left "
		"out without changing the root. Whoever keeps an old head can check it later with 'trackway "
		"ledger verify --against'. The file 'checkpoint' of the ledger is the same with its signatures.\n\n"
		"--text prints the lines that are signed, for places where people will find them again.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = fields,
	.options_size = sizeof(struct head_opts),
	.args = ARGS_NONE,
	.run = head_run,
};
