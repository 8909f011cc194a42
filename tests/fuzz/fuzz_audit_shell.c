/*
 * Any text as a command line, and as the arguments and result of a call. Programs have names and URIs, fetched URIs are
 * normal, and a line alone tells the words that it tells in a script.
 */
#include "fuzz/fuzz.h"

#include "base/utf8.h"
#include "json/write.h"
#include "model/shell.h"
#include "transform/audit.h"

struct heard {
	struct arena *arena;
	struct str line;
	size_t commands, words;
};

static void hear_word(void *context, struct str word)
{
	struct heard *h = context;
	struct str plain;

	FUZZ_CHECK(word.n > 0 && word.p >= h->line.p && word.p + word.n <= h->line.p + h->line.n);
	shell_plain_word(h->arena, word, &plain);
	FUZZ_CHECK(plain.n <= word.n);
	h->words++;
}

static void hear_command(void *context, struct str word)
{
	struct heard *h = context;

	FUZZ_CHECK(word.n > 0);
	h->commands++;
}

static void check_shell(struct arena *a, struct str text)
{
	struct heard h = { .arena = a };
	struct shell_script s = { .command = hear_command, .word = hear_word, .context = &h, .prefixes = true };

	while (text.n) {
		h.line = str_cut(text, '\n', &text);
		shell_read_line(&s, h.line);
		FUZZ_CHECK(h.commands <= h.words);
	}
}

static void check_call(struct arena *a, struct str json)
{
	struct audit_reader *r = audit_reader_open();
	struct audit_run *run = audit_run_new(a);

	audit_run_add(r, run, &(struct event){ .kind = EVENT_CALL, .tool = STR("read_bash"), .args = json }, 1);
	audit_run_add(r, run, &(struct event){ .kind = EVENT_RESULT, .content = json }, 2);
	for (size_t i = 0; i < run->use_count; i++) {
		struct str name = run->names[run->uses[i].name];

		if (run->uses[i].kind == AUDIT_USE_PROGRAM)
			FUZZ_CHECK(str_starts(name, STR("shell://local/")) && name.n > 14);
		if (run->uses[i].kind == AUDIT_USE_FETCH)
			FUZZ_CHECK(str_eq(audit_uri_normal(a, name), name));
	}
	audit_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(data, size);
	struct buf args = { 0 };
	struct arena a;

	arena_init(&a);
	check_shell(&a, text);
	check_call(&a, text);
	if (utf8_check(text) == text.n) {
		buf_add_str(&args, STR("{\"command\":"));
		json_write_quoted(&args, text);
		buf_add_byte(&args, '}');
		check_call(&a, buf_str(&args));
		buf_free(&args);
	}
	arena_free(&a);
	return 0;
}
