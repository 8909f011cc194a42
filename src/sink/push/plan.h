/*
 * Where spans and metrics are sent, and how: from what the command line says, the variables that users of OpenTelemetry
 * have set already, and the presets of four receivers. What is said first in this order holds:
 *
 *	endpoint     the wish (a base), the receiver's own variable (a base), OTEL_EXPORTER_OTLP_<SIGNAL>_ENDPOINT (as
 *	             it is), OTEL_EXPORTER_OTLP_ENDPOINT (a base), the preset's, http://localhost:4318
 *	encoding     the wish, ..._<SIGNAL>_PROTOCOL, ..._PROTOCOL, the preset's, protobuf
 *	headers      merged by name: the wish, ..._<SIGNAL>_HEADERS, ..._HEADERS, the preset's. Those that describe
 *	             the body or the connection are ours alone
 *	timeout      ..._<SIGNAL>_TIMEOUT, ..._TIMEOUT (milliseconds, for one try), 10 s
 *	compression  ..._<SIGNAL>_COMPRESSION, ..._COMPRESSION (gzip or none), the preset's, none
 *
 * A base gets /v1/traces, /v1/metrics or /v1/logs behind it. An empty variable counts as not set.
 */
#ifndef SINK_PUSH_PLAN_H
#define SINK_PUSH_PLAN_H

#include "net/http/http.h"
#include "net/url.h"
#include "sink/export/export.h"

enum push_signal { PUSH_TRACES, PUSH_METRICS, PUSH_LOGS, PUSH_SIGNALS };
enum push_encoding { PUSH_ANY, PUSH_PROTOBUF, PUSH_JSON };

struct push_preset {
	const char *name, *title;
	const char *endpoint;       /* the base, without path */
	const char *path;           /* of the receiver's OTLP, before /v1/...: "" for most */
	const char *variables[2];   /* its own, which hold its base; the first that is set counts */
	enum push_encoding only;    /* it takes no other; PUSH_ANY: both */
	bool gzip;
	bool needs_authorization;
	const char *bearer;         /* the variable with its key, or NULL */
	const char *user, *password; /* variables for Basic, or NULL */
	const char *project;        /* the variable with its x-project-name, or NULL */
	const char *fixed[2];       /* a header: name and value; NULL for none */
	const char *help;           /* what to do without authorization */
	size_t text_limit;          /* bytes of a text attribute; 0 for no limit */
	size_t batch_limit;         /* bytes of one request; 0 for the usual */
	bool takes[PUSH_SIGNALS];
};

/* Ended by a row without a name. */
extern const struct push_preset push_presets[];

/* By its name; NULL when there is none. */
const struct push_preset *push_preset_find(struct str name);

/* What the command line says; zero where it says nothing. */
struct push_wish {
	const struct push_preset *preset;
	struct str endpoint;        /* a base; an end of /v1/traces or /v1/metrics is fine, too */
	enum push_encoding encoding;
	const struct http_header *headers;
	size_t header_count;
	bool as_it_is;              /* bodies of others: what the environment wants them to be is not ours */
};

#define PUSH_TIMEOUT_MS 10000
#define PUSH_TRIES 5
#define PUSH_BUDGET_MS 120000

struct push_plan {
	enum push_signal signal;
	struct url url;
	struct str target;          /* path and query, as they are sent */
	struct str shown;           /* the address without user and query: for messages */
	enum push_encoding encoding; /* PUSH_PROTOBUF or PUSH_JSON */
	const struct http_header *headers; /* with secrets */
	size_t header_count;
	unsigned timeout_ms;        /* for one try */
	unsigned tries;             /* of one body, at most */
	unsigned budget_ms;         /* for all tries of one body and the waits between them */
	bool gzip;
	struct str note;            /* what the user should know, or empty */
};

/*
 * The plan for one signal; `get` is getenv. It lives in the arena and as long as the wish. False and ERR_USAGE, with
 * the place and the remedy and without any secret, when something is said that cannot be.
 */
bool push_plan_read(struct arena *a, const struct push_wish *wish, enum push_signal signal,
		    const char *(*get)(const char *name), struct push_plan *out, struct err *err);

/*
 * What the environment and the preset (may be NULL) say of the spans themselves: service and resource
 * (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES), profile (OTEL_SEMCONV_STABILITY_OPT_IN), limits. Leaves the other
 * members as they are. The texts live in the arena. False and ERR_USAGE as above.
 */
bool push_plan_export(struct arena *a, const struct push_preset *preset, const char *(*get)(const char *name),
		      struct export_options *o, struct err *err);

#endif
