/* Events for tests of the audit, and what it took from them as text. */
#ifndef UNIT_TRANSFORM_AUDIT_KIT_H
#define UNIT_TRANSFORM_AUDIT_KIT_H

#include "base/buf.h"
#include "harness/test.h"
#include "transform/audit.h"

struct audit_kit {
	struct arena arena;
	struct audit_reader *reader;
	struct audit_run *run;
	uint64_t seq;
};

static inline void audit_kit_open(struct audit_kit *k)
{
	arena_init(&k->arena);
	k->reader = audit_reader_open();
	k->run = audit_run_new(&k->arena);
	k->seq = 0;
	audit_run_add(k->reader, k->run, &(struct event){ .kind = EVENT_RUN_START, .vendor = STR("v") }, k->seq++);
}

static inline void audit_kit_close(struct audit_kit *k)
{
	audit_reader_close(k->reader);
	arena_free(&k->arena);
}

static inline void audit_kit_add(struct audit_kit *k, struct event e)
{
	audit_run_add(k->reader, k->run, &e, k->seq++);
}

/* A call with these arguments; NULL: they are withheld. */
static inline void audit_kit_call(struct audit_kit *k, const char *tool, const char *args)
{
	audit_kit_add(k, (struct event){ .kind = EVENT_CALL, .tool = str_from(tool), .args = str_from(args ? args : "null"),
					 .flags = args ? 0 : EVENT_WITHHELD });
}

static inline void audit_kit_cost(struct audit_kit *k, double usd, uint64_t tokens)
{
	audit_kit_add(k, (struct event){ .kind = EVENT_COST, .model = STR("m"), .usd = AMOUNT(usd),
					 .usage = { .input = FIGURE(tokens), .output = FIGURE(0) } });
}

/* "KIND name" of every use of this kind, parted by "; ". */
static inline struct str audit_kit_uses(struct audit_kit *k, enum audit_use_kind kind)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < k->run->use_count; i++) {
		if (k->run->uses[i].kind != kind)
			continue;
		buf_add_str(&b, b.n ? STR("; ") : STR(""));
		buf_add_str(&b, k->run->names[k->run->uses[i].name]);
	}
	return arena_take(&k->arena, &b);
}

#endif
