/*
 * Runs in memory (dialect/agent_trace/trace.h) written for other programs. A format is a row of export_formats and a
 * function that writes the whole list; what it writes goes out piece by piece, so the output may be longer than memory.
 *
 * Nothing here has content: a trace has none.
 */
#ifndef SINK_EXPORT_EXPORT_H
#define SINK_EXPORT_EXPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "dialect/agent_trace/trace.h"
#include "dialect/otlp/names.h"
#include "dialect/writing.h"

struct export_parts;

struct export_options {
	enum otlp_profile profile;
	bool include_estimated; /* estimated token counts are in metrics too */
	bool server_metrics;    /* also where no engine was measured */
	int64_t shift_ns;       /* added to every time; 0 for none */
	struct str service;     /* of the resource; p NULL: "agent-trace" */
	const struct str *resource; /* further attributes of the resource: key, value, key, value ... */
	size_t resource_count;      /* of texts: twice the attributes */
	size_t text_limit;          /* bytes of a text attribute; 0 for no limit */
	size_t batch_limit;         /* bytes of one OTLP request; 0 means EXPORT_BATCH */
	const char *version;        /* of this program */
};

#define EXPORT_BATCH ((size_t)4 << 20)
#define EXPORT_ATTRIBUTES 128 /* of a span, at most */

struct export {
	const struct export_options *options;
	struct arena *arena; /* for what lasts as long as the export */
	struct buf out;      /* what is not handed over yet */
	struct losses *losses; /* what the format had no place for; may be NULL */
	struct buf *notes;     /* gets what else is to be known of the output, a line each; may be NULL */
	const struct export_parts *parts; /* of the traces' bytes (parts.h); NULL: not kept */
	bool (*put)(void *context, struct str bytes, struct err *err);
	void *context;
};

struct export_format {
	const char *name;   /* "chrome", as in --format */
	const char *title;  /* for help and `formats` */
	const char *ending; /* of a file: ".chrome.json" */
	const char *in_dir; /* may be written to a directory with the traces beside it, under this name; else NULL */
	/* Writes all runs. False, with *err, when the output failed or the format cannot hold them. */
	bool (*write)(struct export *x, const struct trace_list *runs, struct err *err);
};

/* Ended by a row without a name. */
extern const struct export_format export_formats[];

/* By its name; NULL when there is none. */
const struct export_format *export_find(struct str name);

/* Hands over what x->out holds, once it is worth it; export_flush in any case. False, with *err, when that failed. */
bool export_drain(struct export *x, struct err *err);
bool export_flush(struct export *x, struct err *err);

#endif
