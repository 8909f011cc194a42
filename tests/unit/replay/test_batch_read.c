#include <math.h>
#include <signal.h>

#include "harness/test.h"
#include "replay/batch.h"

#define DOCUMENT(verdict, class, replayed) \
	"{\"verdict\":\"" verdict "\",\"served\":3,\"coverage\":0.5,\"network\":{\"isolated\":true},\"first_divergence\":" \
	"{\"class\":\"" class "\",\"sentence\":\"s\"},\"divergences\":[{\"class\":\"" class "\"}]," \
	"\"exit\":{\"recorded\":0,\"replayed\":" replayed "},\"why\":null}\n"

static struct batch_row row_of(struct arena *a, struct batch_left left)
{
	struct batch_row r = { .name = STR("run") };

	batch_read(a, &left, &r);
	return r;
}

TEST(a_document_becomes_a_row)
{
	struct arena a;
	struct batch_row r;

	arena_init(&a);
	r = row_of(&a, (struct batch_left){ .document = STR(DOCUMENT("DIVERGED", "order", "0")), .status = 1 });
	CHECK(r.end == BATCH_JUDGED && r.verdict == VERDICT_DIVERGED && !batch_is_replayed(&r));
	CHECK_STR(r.class, STR("order"));
	CHECK(r.served == 3 && r.isolated && r.coverage == 0.5 && !r.why.p);
	r = row_of(&a, (struct batch_left){ .document = STR("{\"verdict\":\"EXACT\"}") });
	CHECK(batch_is_replayed(&r) && isnan(r.coverage));
	arena_free(&a);
}

TEST(without_a_document_there_is_a_reason_and_no_verdict)
{
	static const struct { struct str document, complaint; int signal; const char *why; } cases[] = {
		{ { "", 0 }, { "agent says\nerror: no such run\n   = help: x\n", 41 }, 0, "no such run" },
		{ { "{}", 2 }, { "one\ntwo\n\n", 9 }, 0, "two" },
		{ { "{\"verdict\":\"FINE\"}", 18 }, { "", 0 }, 0, "the replay gave no verdict and ended with 3" },
		{ { "{\"verdict\":\"EXACT\"}", 19 }, { "", 0 }, SIGKILL, "the replay was ended by signal 9" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct batch_row r;

		test_case("%zu", i);
		r = row_of(&a, (struct batch_left){ cases[i].document, cases[i].complaint, 3, cases[i].signal, false });
		CHECK(r.end == BATCH_UNABLE);
		CHECK_STR(r.why, str_from(cases[i].why));
	}
	arena_free(&a);
}

TEST(a_command_that_somebody_killed_is_no_divergence)
{
	static const struct { const char *document; enum batch_end end; } cases[] = {
		{ DOCUMENT("INCOMPLETE", "unconsumed", "137"), BATCH_UNABLE },
		{ DOCUMENT("DIVERGED", "exit_status", "143"), BATCH_UNABLE },
		{ DOCUMENT("DIVERGED", "exit_status", "139"), BATCH_JUDGED },       /* it crashed by itself */
		{ DOCUMENT("INCOMPLETE", "timeout", "143"), BATCH_JUDGED },         /* we ended it */
		{ DOCUMENT("DIVERGED", "request_mismatch", "143"), BATCH_JUDGED },  /* it had differed before */
		{ DOCUMENT("DIVERGED", "exit_status", "1"), BATCH_JUDGED },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct batch_row r = row_of(&a, (struct batch_left){ .document = str_from(cases[i].document) });

		test_case("%zu", i);
		CHECK_INT(r.end, cases[i].end);
	}
	arena_free(&a);
}

TEST(what_we_stopped_is_interrupted_unless_it_was_done)
{
	struct batch_left left = { .document = STR(DOCUMENT("DIVERGED", "order", "0")), .stopping = true };
	struct arena a;
	struct batch_row r;

	arena_init(&a);
	r = row_of(&a, left);
	CHECK_INT(r.end, BATCH_INTERRUPTED);
	left.document = STR("{\"verdict\":\"EQUIVALENT\"}");
	r = row_of(&a, left);
	CHECK(batch_is_replayed(&r));
	arena_free(&a);
}
