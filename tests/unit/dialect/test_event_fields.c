/*
 * What a scan gives holds, in each field, what model/event.h says: a field of another kind of event is empty. What only
 * a dialect's own fold can read goes to event.hint. Every dialect reads the corpus of its fuzz target.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>

#include "dialect/dialect.h"
#include "dialect/reading/reading.h"
#include "harness/test.h"

#define BIT(kind) (1u << EVENT_##kind)
#define INSIDE (BIT(MESSAGE) | BIT(CALL) | BIT(RESULT) | BIT(COST) | BIT(ERROR) | BIT(NOTE))

/* The kinds that have a field, as event.h says it. */
struct field {
	const char *name;
	size_t offset;
	unsigned kinds;
};

#define FIELD(name, kinds) { #name, offsetof(struct event, name), kinds }

static const struct field texts[] = {
	FIELD(step, INSIDE | BIT(STEP)),
	FIELD(call, INSIDE),
	FIELD(vendor, BIT(RUN_START) | BIT(CALL)),
	FIELD(run, BIT(RUN_START)),
	FIELD(agent, BIT(RUN_START)),
	FIELD(agent_version, BIT(RUN_START)),
	FIELD(framework, BIT(RUN_START)),
	FIELD(parent_run, BIT(RUN_START)),
	FIELD(tools, BIT(RUN_START)),
	FIELD(model, BIT(RUN_START) | BIT(STEP) | BIT(COST)),
	FIELD(provider, BIT(STEP) | BIT(COST)),
	FIELD(endpoint, BIT(STEP)),
	FIELD(request_id, BIT(STEP)),
	FIELD(response_id, BIT(STEP)),
	FIELD(stop_reason, BIT(STEP)),
	FIELD(tool_choice, BIT(RUN_START) | BIT(STEP)),
	FIELD(text, BIT(STEP) | BIT(ERROR)),
	FIELD(reasoning, BIT(STEP)),
	FIELD(calls, BIT(STEP)),
	FIELD(role, BIT(MESSAGE) | BIT(NOTE)),
	FIELD(content, BIT(MESSAGE) | BIT(RESULT) | BIT(NOTE)),
	FIELD(tool, BIT(CALL) | BIT(RESULT)),
	FIELD(server, BIT(CALL)),
	FIELD(args, BIT(CALL)),
	FIELD(args_text, BIT(CALL)),
	FIELD(chunks, BIT(RESULT)),
	FIELD(media, BIT(RESULT)),
	FIELD(price_table, BIT(COST)),
	FIELD(scope, BIT(COST)),
	FIELD(class, BIT(ERROR)),
	FIELD(code, BIT(ERROR)),
	FIELD(reason, BIT(RUN_END)),
	FIELD(output, BIT(RUN_END)),
};

/* Amounts begin with a state, as figures do. */
static const struct field figures[] = {
	FIELD(latency_ms, BIT(STEP) | BIT(COST)), FIELD(ttft_ms, BIT(STEP)),      FIELD(duration_ms, BIT(RESULT)),
	FIELD(stall_ms, BIT(RESULT)),             FIELD(exit_code, BIT(RESULT)),  FIELD(usd, BIT(STEP) | BIT(COST)),
	FIELD(is_error, BIT(RESULT)),             FIELD(retryable, BIT(ERROR)),
};

static const char *const kinds[] = { "RUN_START", "MESSAGE", "STEP", "CALL",   "RESULT",
				     "COST",      "ERROR",   "NOTE", "RUN_END" };

static const char *find_foreign(const struct event *e)
{
	unsigned bit = 1u << e->kind;

	for (size_t i = 0; i < COUNT(texts); i++)
		if (!(texts[i].kinds & bit) && ((const struct str *)((const char *)e + texts[i].offset))->p)
			return texts[i].name;
	for (size_t i = 0; i < COUNT(figures); i++)
		if (!(figures[i].kinds & bit) && *((const uint8_t *)e + figures[i].offset))
			return figures[i].name;
	if (usage_is_known(&e->usage) && e->kind != EVENT_STEP && e->kind != EVENT_COST)
		return "usage";
	if (e->status != STATUS_UNKNOWN && e->kind != EVENT_RUN_END)
		return "status";
	if (e->index != -1 && e->kind != EVENT_CALL)
		return "index";
	if ((e->digest || e->position) && !(e->flags & EVENT_HISTORY))
		return "digest or position";
	return NULL;
}

static size_t check_text(struct buf *wrong, const struct dialect *d, const char *file, struct str text)
{
	struct reading r;
	struct arena a;
	size_t count;
	char *padded;

	arena_init(&a);
	padded = arena_alloc(&a, text.n + JSON_PAD, 1);
	memcpy(padded, text.p, text.n);
	reading_init(&r, d);
	reading_chunk(&r, &a, str_of(padded, text.n), 1, (d->forms & DIALECT_LINES) && text.p[0] != '[');
	for (size_t i = 0; i < r.count; i++) {
		const char *name = find_foreign(&r.events[i]);

		if (name)
			buf_printf(wrong, "%s, %s: %s has %s\n", d->name, file, kinds[r.events[i].kind], name);
	}
	count = r.count;
	reading_free(&r);
	arena_free(&a);
	return count;
}

/* How many events the corpus of a dialect gave. */
static size_t check_dialect(struct buf *wrong, const struct dialect *d)
{
	char folder[128], path[512];
	struct dirent *entry;
	size_t count = 0;
	DIR *list;

	snprintf(folder, sizeof(folder), "tests/fuzz/corpus/read_%s",
		 strcmp(d->name, "otlp-json") == 0 ? "otlp" : d->name);
	for (char *p = folder; *p; p++)
		*p = *p == '-' ? '_' : *p;
	list = opendir(folder);
	if (!list)
		FAIL("%s is not there", folder);
	while ((entry = readdir(list))) {
		struct str text;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		text = test_read(path);
		if (text.n > 1) /* the first byte is the fuzz target's */
			count += check_text(wrong, d, entry->d_name, str_of(text.p + 1, text.n - 1));
	}
	closedir(list);
	return count;
}

TEST(a_scan_fills_only_the_fields_of_the_events_kind)
{
	for (size_t i = 0; dialects[i]; i++) {
		struct buf wrong;

		if (!dialects[i]->read)
			continue;
		test_case("%s", dialects[i]->name);
		buf_init(&wrong);
		CHECK(check_dialect(&wrong, dialects[i]) > 0);
		if (wrong.n)
			FAIL("%.*s", (int)wrong.n, wrong.p);
		buf_free(&wrong);
	}
}
