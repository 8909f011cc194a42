/*
 * Attributes of spans, whoever wrote them: OTLP's lists of {key, value: {stringValue}}, Jaeger's tags, plain objects;
 * the names of the semantic conventions (now and before), OpenInference, OpenLLMetry and a few frameworks. Several
 * names for one thing share a slot, and the first in the table wins.
 */
#ifndef DIALECT_OTLP_ATTR_H
#define DIALECT_OTLP_ATTR_H

#include "dialect/reading/reading.h"

enum otlp_shape {
	OTLP_NATIVE, /* startTimeUnixNano, attributes [{key, value}] */
	OTLP_JAEGER, /* operationName, tags [{key, type, value}] */
	OTLP_SDK,    /* start_time, attributes {}; also as SDKs of JavaScript spell it */
};

enum otlp_slot {
	OTLP_OPERATION,
	OTLP_KIND, /* openinference.span.kind */
	OTLP_REQUEST_TYPE,
	OTLP_ENTITY, /* traceloop.span.kind */
	OTLP_AI_OPERATION,
	OTLP_MCP_METHOD,
	OTLP_PROVIDER,
	OTLP_REQUEST_MODEL,
	OTLP_RESPONSE_MODEL,
	OTLP_RESPONSE_ID,
	OTLP_FINISH,
	OTLP_STREAM,
	OTLP_TTFT,    /* in seconds */
	OTLP_TTFT_MS, /* in milliseconds */
	OTLP_INPUT,
	OTLP_OUTPUT,
	OTLP_CACHE_READ,
	OTLP_CACHE_WRITE,
	OTLP_REASONING,
	OTLP_USD,        /* what it cost */
	OTLP_USD_SOURCE, /* our own: who says so */
	OTLP_TOOL_NAME,
	OTLP_TOOL_ID,
	OTLP_TOOL_ARGS,
	OTLP_TOOL_RESULT,
	OTLP_RESULT_ENCODING, /* our own: "json" */
	OTLP_SEQ,             /* our own too: places in the run */
	OTLP_RESULT_SEQ,
	OTLP_COST_SEQ,
	OTLP_RESULT_TIME,
	OTLP_START_TIME,
	OTLP_END_TIME,
	OTLP_CONVERSATION,
	OTLP_TOOLS, /* that were offered */
	OTLP_SERVER,          /* of an MCP tool */
	OTLP_SOURCE, /* of data: a collection, an index */
	OTLP_QUERY,
	OTLP_DOCUMENTS,
	OTLP_AGENT,
	OTLP_AGENT_ID,
	OTLP_AGENT_VERSION,
	OTLP_ADDRESS,
	OTLP_PORT,
	OTLP_OWN_SCHEME, /* our own: what an endpoint says beside its server */
	OTLP_OWN_PATH,
	OTLP_OWN_PROVIDER, /* what a step says itself; null when it says nothing */
	OTLP_OWN_STOP,
	OTLP_CALL_TIME,    /* of a call whose span is wider */
	OTLP_TIME_SOURCE,
	OTLP_BASE,
	OTLP_ERROR,
	OTLP_MESSAGES_IN,
	OTLP_MESSAGES_OUT,
	OTLP_SYSTEM,
	OTLP_ANSWER, /* all that the model said, and what it thought, as texts */
	OTLP_ANSWER_REASONING,
	OTLP_STATUS_CODE, /* Jaeger keeps the status in tags */
	OTLP_STATUS_TEXT,
	OTLP_ERROR_FLAG,
	OTLP_SLOTS,
};

struct otlp_attrs {
	struct val slots[OTLP_SLOTS]; /* VAL_NONE where nothing was said */
	uint8_t ranks[OTLP_SLOTS];     /* of the name that filled the slot; the smallest wins */
	bool flat; /* gen_ai.prompt.0.role and its like are among them */
};

/* A name of an attribute, and what it stands for. */
struct otlp_attr_name {
	struct str key;
	uint8_t slot, rank; /* the smallest rank wins */
};

/* All names that are read, in byte order; *count of them. Constants. */
const struct otlp_attr_name *otlp_attr_names(size_t *count);

/* Whether it is gen_ai.prompt.0.role or its like: a name with the number of a message in it. */
bool otlp_attr_is_flat(struct str key);

/* Goes through attributes one by one. */
struct otlp_attr_iter {
	struct val_iter it;
	enum otlp_shape shape;
};

/*
 * Begins at the first attribute; over nothing when `attributes` is neither a list nor an object. What it is decides
 * how it is read, where `shape` says otherwise.
 */
struct otlp_attr_iter otlp_attr_begin(struct val attributes, enum otlp_shape shape);

/*
 * False at the end, with *key and *value undefined. *key is the name's token; *value what it holds, without the
 * wrapping: for an array of OTLP, the array of values. Elements that are not {key, value} are passed over.
 */
bool otlp_attr_next(struct otlp_attr_iter *it, struct val *key, struct val *value);

/* Without {"stringValue": ...}; anything else is itself. */
struct val otlp_attr_unwrap(struct val v);

/*
 * A list or an object of wrapped values, as JSON without the wrappings: {"kvlistValue":...} is an object again. In
 * the arena. An absent text when v is neither of these, or when it is more than 64 levels deep.
 */
struct str otlp_attr_plain(struct arena *a, struct val v);

/* Whether v is OTLP's null, a value that holds nothing ({"value":{}}), or JSON's. */
bool otlp_attr_is_null(struct val v);

/* An integer, spelled as a number or as digits; false, with *n untouched or undefined, when v is none. */
bool otlp_attr_integer(struct val v, int64_t *n);

/* The value of one attribute of a span event by its name, without the wrapping; VAL_NONE when it has none. */
struct val otlp_attr_of_event(struct val event, enum otlp_shape shape, const char *name);

/* Fills the slots; of those filled before, better names win. */
void otlp_attr_gather(struct otlp_attrs *a, struct val attributes, enum otlp_shape shape);

/* The text of a string, a number or a truth, in the batch; absent otherwise. Marks it as mapped. */
struct str otlp_attr_text(struct reading *r, const struct otlp_attrs *a, enum otlp_slot slot);

/*
 * A count below 2^53, spelled as a number or as digits, and marked as mapped. Null is FIGURE_NULL; what is no such
 * count is absent and stays in the rest.
 */
struct figure otlp_attr_count(struct reading *r, const struct otlp_attrs *a, enum otlp_slot slot);

/*
 * The first word of a list that may also be a text of JSON: ["stop"]. A text that is no list is the word itself;
 * absent for all else.
 */
struct str otlp_attr_first(struct reading *r, const struct otlp_attrs *a, enum otlp_slot slot);

/* true or "true"; everything else is false, absent ones too. */
bool otlp_attr_is_true(const struct otlp_attrs *a, enum otlp_slot slot);

static inline bool otlp_attr_has(const struct otlp_attrs *a, enum otlp_slot slot)
{
	return !val_is_none(a->slots[slot]);
}

/*
 * "gen_ai.prompt.3.role" with the prefix "gen_ai.prompt.": *index 3, *rest "role", which points into the key. False,
 * with *index as it was, for a key of another form.
 */
bool otlp_attr_indexed(struct str key, struct str prefix, uint32_t *index, struct str *rest);

#endif
