#include "dialect/codex/turn.h"

#include "harness/test.h"

/*
 * A thread by a few letters: T a turn begins, u the user says something, d the client does, s the model says something,
 * h it thinks, c it calls a tool, r there is a result, G the turn was good, B it failed, A it was aborted, x a line that
 * cannot be read, t one that breaks off.
 */
static struct event end_of(const char *thread)
{
	struct codex_turn t = { .open = false };

	for (; *thread; thread++) {
		struct event e = { .kind = EVENT_NOTE, .index = -1 };
		enum run_status ended = STATUS_UNKNOWN;

		switch (*thread) {
		case 'T':
			e.role = STR("task_started");
			break;
		case 'u':
		case 'd':
			e.kind = EVENT_MESSAGE;
			e.role = *thread == 'u' ? STR("user") : STR("developer");
			break;
		case 's':
			e.kind = EVENT_STEP;
			e.text = STR("so");
			break;
		case 'h':
			e.kind = EVENT_STEP;
			e.reasoning = STR("hm");
			break;
		case 'c':
			e.kind = EVENT_CALL;
			break;
		case 'r':
			e.kind = EVENT_RESULT;
			break;
		case 'G':
			ended = STATUS_SUCCESS;
			break;
		case 'B':
			e.kind = EVENT_ERROR;
			ended = STATUS_ERROR;
			break;
		case 'A':
			e.kind = EVENT_ERROR;
			ended = STATUS_INTERRUPTED;
			break;
		default:
			e.kind = EVENT_ERROR;
			e.code = STR("unreadable_line");
			e.flags = *thread == 't' ? EVENT_PARTIAL : 0;
		}
		codex_turn_follow(&t, &e, ended);
	}
	return codex_turn_end(&t);
}

TEST(a_thread_ends_as_its_last_turn_did)
{
	static const struct {
		const char *thread;
		enum run_status status;
		bool inferred;
	} cases[] = {
		{ "", STATUS_INTERRUPTED, true },       { "u", STATUS_INTERRUPTED, true },
		{ "us", STATUS_UNKNOWN, false },        { "uh", STATUS_INTERRUPTED, true },
		{ "usc", STATUS_INTERRUPTED, true },    { "uscr", STATUS_INTERRUPTED, true },
		{ "uscrs", STATUS_UNKNOWN, false },     { "Tus", STATUS_INTERRUPTED, true },
		{ "TusG", STATUS_SUCCESS, false },      { "TusGTu", STATUS_INTERRUPTED, true },
		{ "TusGu", STATUS_INTERRUPTED, true },  { "TusGus", STATUS_UNKNOWN, false },
		{ "TusGd", STATUS_SUCCESS, false },     { "TuB", STATUS_ERROR, false },
		{ "TuBc", STATUS_ERROR, false },        { "TuBTusG", STATUS_SUCCESS, false },
		{ "TuBTu", STATUS_INTERRUPTED, true },  { "TuA", STATUS_INTERRUPTED, false },
		{ "TuAus", STATUS_UNKNOWN, false },     { "TusGx", STATUS_SUCCESS, false },
		{ "TusGt", STATUS_INTERRUPTED, true },  { "ust", STATUS_INTERRUPTED, true },
		{ "TusGcr", STATUS_INTERRUPTED, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e = end_of(cases[i].thread);

		test_case("%s", cases[i].thread);
		CHECK_INT(e.kind, EVENT_RUN_END);
		CHECK_INT(e.status, cases[i].status);
		CHECK_INT((e.flags & EVENT_INFERRED) != 0, cases[i].inferred);
	}
}
