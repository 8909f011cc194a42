/* Leaves of a log: what is taken for an entry means the same when it is written and read again. */
#include "fuzz/fuzz.h"

#include "ledger/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	struct err err = { .kind = ERR_NONE };
	struct entry e, again;
	struct arena a;
	struct str why = STR("");
	struct buf text;

	arena_init(&a);
	buf_init(&text);
	if (!entry_parse(parser, &a, str_of(data, size), &e, &why)) {
		FUZZ_CHECK(why.n > 0);
	} else if (entry_add_text(&text, &e, &err)) {
		FUZZ_CHECK(text.n <= size); /* members that are not known are left out, nothing is added */
		FUZZ_CHECK(entry_parse(parser, &a, buf_str(&text), &again, &why));
		FUZZ_CHECK(str_eq(entry_ident(&a, &e), entry_ident(&a, &again)));
		FUZZ_CHECK(memcmp(entry_digest(&e).b, entry_digest(&again).b, SHA256_SIZE) == 0);
		FUZZ_CHECK(e.kind == again.kind && e.record.size == again.record.size);
		entry_link_name(&a, &e);
	}
	buf_free(&text);
	arena_free(&a);
	json_parser_close(parser);
	return 0;
}
