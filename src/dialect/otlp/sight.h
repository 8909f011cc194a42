/*
 * Telemetry as it arrives: the requests of OTLP (ExportTraceServiceRequest and its like for metrics and logs), as
 * protobuf or as JSON, read into sightings (model/sighting.h). Spans about models, tools and agents in the names of
 * the conventions (now and before), OpenInference, OpenLLMetry, Vercel's AI SDK and MCP; the spans and log records that
 * Claude Code and Codex send of themselves. Other spans only tell where they stand. Metrics are checked and counted.
 *
 * Nothing of a prompt, an argument or a result is in a sighting: sizes at most, and ids and names where they look like
 * some.
 */
#ifndef DIALECT_OTLP_SIGHT_H
#define DIALECT_OTLP_SIGHT_H

#include "base/err.h"
#include "json/json.h"
#include "model/sighting.h"

#define OTLP_BODY_MOST ((size_t)64 << 20) /* bytes of a request, decoded */

enum otlp_signal { OTLP_TRACES, OTLP_METRICS, OTLP_LOGS };

/* What a request had. */
struct otlp_taken {
	uint64_t spans, logs, points; /* all that were there, those that were rejected too */
	uint64_t rejected;            /* spans whose ids cannot be used: for partial_success */
	struct str why;               /* rejected > 0: a sentence, a constant */
};

/* Who is told, in the order in which things ended. */
struct otlp_sights {
	void (*see)(void *context, const struct sighting *s);
	void *context;
};

struct otlp_sighter; /* parsers and memory that is used again; for one thread */

/* Never NULL. Closing takes NULL too. */
struct otlp_sighter *otlp_sighter_open(void);
void otlp_sighter_close(struct otlp_sighter *o);

/*
 * Reads a whole body (decoded, at most OTLP_BODY_MOST, with JSON_PAD zero bytes behind it), and tells `to` what it has.
 * False and *err (ERR_DATA, a sentence with the place) when it is no such request: then nothing was told, and *out is
 * zero. Texts of a sighting live until the call of see returns; see may not use o.
 */
bool otlp_sighter_read(struct otlp_sighter *o, enum otlp_signal signal, bool is_json, struct str body,
		       const struct otlp_sights *to, struct otlp_taken *out, struct err *err);

#endif
