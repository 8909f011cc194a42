/*
 * Any output of a program that says it is claude: the answer made of it is whole, says why it failed when it did, and
 * holds no more than it may. The first byte is its exit status, the second says whether the rest up to the first NUL is
 * its standard error.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "provider/claude_lines.h"
#include "provider/provider_program.h"

static void check_answer(const struct provider_answer *a)
{
	FUZZ_CHECK(a->status < PROVIDER_STATUSES);
	FUZZ_CHECK((a->status == PROVIDER_OK) == (a->failure == NULL));
	FUZZ_CHECK(a->status != PROVIDER_OK || !a->retryable);
	FUZZ_CHECK(a->text.p != NULL || a->text.n == 0);
	FUZZ_CHECK(a->text.n <= SAID_MOST * 2);
	FUZZ_CHECK(a->retry_after_ms >= -1 && a->retry_after_ms <= 300 * 1000);
	FUZZ_CHECK(a->http_status == 0 || (a->http_status >= 100 && a->http_status <= 599));
	for (size_t i = 0; i < a->call_count; i++)
		FUZZ_CHECK(a->calls[i].name.n > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct provider_program *p = provider_claude_code_cli.program;
	struct provider_answer a = { .status = PROVIDER_OK, .retry_after_ms = -1 };
	struct program_end end = { .status = size > 0 ? data[0] & 3 : 0 };
	struct str out = size > 2 ? str_of(data + 2, size - 2) : STR("");
	struct answer_parser parser;
	void *reading;

	if (size > 2 && (data[1] & 1))
		end.complaint = str_cut(out, '\0', &out);
	end.cancelled = size > 1 && (data[1] & 2);
	answer_parser_init(&parser);
	reading = p->open(&parser);
	while (out.n) {
		struct str line = str_trim(str_cut(out, '\n', &out));
		unsigned news = line.n ? p->line(reading, line) : 0;

		FUZZ_CHECK(news == 0 || (news & PROGRAM_READ));
		FUZZ_CHECK(!(news & ANSWER_CONTENT) || (news & ANSWER_TOKEN));
	}
	p->end(reading, &end, &a);
	check_answer(&a);
	p->close(reading);
	answer_parser_free(&parser);
	return 0;
}
