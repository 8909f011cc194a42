/*
 * What is kept of one request of OTLP for those after it: programs send what belongs together when each part is over,
 * seconds apart. What is not asked for gives way to what comes later.
 */
#ifndef DIALECT_OTLP_SIGHT_KEPT_H
#define DIALECT_OTLP_SIGHT_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request of Codex that is not answered yet: its records come in several requests of ours. */
struct sight_asked {
	uint64_t session; /* digest; 0: there is none */
	int64_t begun_ns;
};

/* A span of Claude Code inside that of a tool, which comes behind it, perhaps in another request. */
struct sight_inside {
	uint8_t trace[16], tool[8];
	bool waits; /* a person was asked; else the tool ran */
	int64_t begun_ns, ended_ns, ran_ns;
};

struct sight_kept {
	struct sight_asked asked[64];     /* by the digest of their session */
	struct sight_inside inside[1024]; /* a ring */
	size_t inside_next;
};

#endif
