/* Opens the ledger for writing and the index over it, publishing first what an earlier command could not publish. */
#include "cmd/ledger/amend.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"

const char *const ledger_amend_fields[] = { "part", "index", "leaf", "id", "was_there", "erased_objects",
					    "shared_objects", NULL };

bool ledger_amend_open(struct ledger_amend *x, struct arena *a, const struct frame *f, const struct ledger_choice *c,
		       struct err *err)
{
	*x = (struct ledger_amend){ .arena = a, .frame = f };
	if (!ledger_args_open(&x->ledger, a, f, c, LEDGER_WRITE, err))
		return false;
	/* what a crash left unpublished is published now, or the index would not have it */
	if (ledger_publish(&x->ledger, err))
		x->index = ledger_args_open_index(&x->ledger, f, err);
	if (x->index)
		return true;
	ledger_close(&x->ledger);
	return false;
}

void ledger_amend_close(struct ledger_amend *x)
{
	index_close(x->index);
	ledger_close(&x->ledger);
}

bool ledger_amend_find(struct ledger_amend *x, struct str word, struct index_row *row, struct amend_target *out,
		       struct err *err)
{
	if (!ledger_row_find_trial(&x->ledger, x->index, x->arena, word, row, err))
		return false;
	*out = amend_target_of(row);
	return true;
}

bool ledger_amend_find_any(struct ledger_amend *x, struct str word, struct index_row *row, struct amend_target *out,
			   struct err *err)
{
	if (!ledger_row_find(&x->ledger, x->index, x->arena, word, row, err))
		return false;
	*out = amend_target_of(row);
	return entry_may_refer(ENTRY_ERASE, row->kind) ||
	       err_set(err, ERR_DATA, "entry %" PRIu64 " of the %s log is neither a trial nor a run: its kind is %s",
		       row->index, ledger_part_name(row->part), entry_kind_name(row->kind));
}

static void ledger_amend_add_json(struct buf *out, const struct ledger_amend_answer *a)
{
	const struct amend_result *r = &a->result;
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, a->schema);
	field_put_word(&w, a->json, "part", ledger_part_name(a->part));
	field_put_u64(&w, a->json, "index", r->index);
	field_put_digest(&w, a->json, "leaf", r->leaf);
	field_put_text(&w, a->json, "id", a->id);
	field_put_bool(&w, a->json, "was_there", r->was_there);
	field_put_u64(&w, a->json, "erased_objects", r->erased);
	field_put_u64(&w, a->json, "shared_objects", r->shared);
	field_end_document(&w);
}

void ledger_amend_print(const struct ledger_amend *x, const struct ledger_amend_answer *a)
{
	char leaf[SHA256_HEX];
	struct buf out;

	buf_init(&out);
	if (a->json.given) {
		ledger_amend_add_json(&out, a);
	} else {
		digest_hex(leaf, a->result.leaf);
		buf_printf(&out, "%" PRIu64 " %.*s ", a->result.index, SHA256_HEX, leaf);
		term_add_text(&out, a->id);
		buf_add_byte(&out, '\n');
	}
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	if (a->said.p && !a->json.given)
		inputs_note(x->frame, "%.*s", STR_ARG(a->said));
}

int ledger_amend_fail(const struct frame *f, const struct err *err)
{
	if (err->kind != ERR_DATA || !str_has(str_from(err->text), STR("[E_CONFLICT]")))
		return EXIT_FAIL;
	inputs_print_failure(f, err);
	return EXIT_NO;
}
