/*
 * What the files of sight.h share. Both forms of a request go through one table of messages: the decoders only find
 * where a field is and whether it is well-formed, and hand it over; so protobuf and JSON give the same.
 *
 * Of a request are kept: its spans and log records as items, and of their attributes those whose names mean something,
 * as nodes in one list.
 */
#ifndef DIALECT_OTLP_SIGHT_PRIVATE_H
#define DIALECT_OTLP_SIGHT_PRIVATE_H

#include "base/buf.h"
#include "dialect/otlp/attr.h"
#include "dialect/otlp/sight.h"
#include "dialect/otlp/sight_kept.h"
#include "dialect/otlp/sight_schema.h"

#define SIGHT_DEPTH 100               /* messages inside each other */
#define SIGHT_NODES ((uint32_t)4 << 20) /* of a request, at once */
#define SIGHT_ITEMS ((uint32_t)1 << 20)
#define SIGHT_NONE UINT32_MAX

/* ---- what is kept ---- */

/* Names beside those of attr.h: of contexts, and of what Claude Code and Codex send of themselves. */
enum sight_slot {
	SIGHT_SESSION = OTLP_SLOTS,
	SIGHT_RUN,
	SIGHT_SERVICE,
	SIGHT_VERSION,
	SIGHT_AGENT,
	SIGHT_PARENT_AGENT,
	SIGHT_CALLS,   /* JSON with calls that were asked for */
	SIGHT_RESULTS, /* JSON with what the request carried */
	SIGHT_PARAMETERS, /* JSON with those of the request */
	SIGHT_SPAN_TYPE,  /* of Logfire */
	SIGHT_SECONDS,    /* of what a log of Logfire tells */
	SIGHT_EVENT,
	SIGHT_EVENT_KIND,
	SIGHT_DURATION_MS,
	SIGHT_SUCCESS,
	SIGHT_OWN_TOOL,
	SIGHT_OWN_CALL,
	SIGHT_OWN_MODEL,
	SIGHT_OWN_INPUT,
	SIGHT_OWN_OUTPUT,
	SIGHT_OWN_CACHE_READ,
	SIGHT_OWN_CACHE_WRITE,
	SIGHT_OWN_REASONING,
	SIGHT_OWN_STOP,
	SIGHT_OWN_SIZE,
	SIGHT_OWN_RESULT,
	SIGHT_OWN_SERVER,
	SIGHT_OWN_TTFT_MS,
	SIGHT_OWN_REQUEST,
	SIGHT_OWN_USD,
	SIGHT_OWN_SOURCE, /* who decided */
	SIGHT_OWN_ERROR,
	SIGHT_SLOTS,
	SIGHT_FLAT = SIGHT_SLOTS, /* gen_ai.prompt.0.role and its like */
	SIGHT_NO_SLOT,
};

enum sight_node_type {
	SIGHT_V_NULL,
	SIGHT_V_TEXT,
	SIGHT_V_BOOL,
	SIGHT_V_INT,
	SIGHT_V_DOUBLE,
	SIGHT_V_BYTES,
	SIGHT_V_ARRAY,
	SIGHT_V_LIST,
};

/* An attribute, or a value inside one; what an array or a list holds follows it. */
struct sight_node {
	struct str key; /* p NULL in an array */
	uint32_t next;  /* the node behind it, and behind all that it holds */
	uint8_t type, slot, rank;
	union {
		struct str text;
		int64_t n; /* an integer, a truth */
		double d;
	} u;
};

struct sight_resource {
	struct str run, session, service, version;
	uint32_t items; /* that were there before it */
};

struct sight_scope {
	struct sight_resource *resource;
	struct str name;
	uint32_t items;
};

/* A span or a log record. */
struct sight_item {
	struct sight_scope *scope;
	struct str name;       /* of the span, or of the record's event */
	uint64_t begin, end;   /* ns; 0: not told. A log record: when it was observed, and its time */
	uint64_t token;        /* the first event that tells of an answer's first token; 0: none */
	uint32_t first, last;  /* its nodes */
	uint32_t body;         /* of a log record; SIGHT_NONE: none */
	uint32_t place;        /* in the request */
	uint8_t trace[16], span[8], parent[8];
	bool has_trace, has_span, has_parent, bad_id;
	bool is_log, is_claude, failed;
};

/* A message that is open. */
struct sight_frame {
	const struct sight_message *message;
	uint32_t node;         /* of a value, a pair and what is in them */
	const char *end;       /* protobuf */
	struct val_iter it;    /* JSON: members */
	struct val_iter list;  /* and elements of `field`, where that is not NULL */
	const struct sight_field *field;
};

enum sight_clean { SIGHT_CLEAN_ID, SIGHT_CLEAN_TOOL, SIGHT_CLEAN_MODEL };

/* A text that was cleaned: what came of it is a part of it, or a constant. */
struct sight_cleaned {
	char text[88];
	const char *constant;
	uint8_t n, how, at, length;
	bool inside;
};

#define SIGHT_NAMES_SIZE 1024 /* a power of two, several times the names */

struct otlp_sighter {
	struct json_parser *parser, *inner; /* of bodies, and of JSON inside them */
	struct arena arena;                 /* of a request */
	struct arena scratch;               /* of an item, when it is told */
	struct sight_node *nodes;
	uint32_t node_count, node_cap;
	struct sight_item *items;
	uint32_t item_count, item_cap;
	struct sight_item **order;
	uint32_t order_cap;
	struct sight_frame stack[SIGHT_DEPTH];
	size_t depth;
	struct sight_resource *resource; /* those that are open */
	struct sight_scope *scope;
	struct sight_item *item;
	struct str event;   /* the name of an event that is open, and its time */
	uint64_t event_ns;
	bool idle;          /* the attribute that is open means nothing: its value is only checked */
	struct str body;
	struct sight_kept kept;
	struct otlp_taken taken;
	const struct otlp_attr_name *names[SIGHT_NAMES_SIZE]; /* by hash */
	struct sight_cleaned cleaned[256];                    /* by hash too: the latest of those with the same */
	struct buf json; /* of a value that was no text */
	struct buf endpoint, endpoint_of, endpoint_clean; /* the latest one, its provider, what it became */
};

/* ---- decoding ---- */

/* sight_proto.c, sight_json.c: the body as that message, handed over below. False and *err when it is none. */
bool sight_proto_read(struct otlp_sighter *o, const struct sight_message *request, struct err *err);
bool sight_json_read(struct otlp_sighter *o, const struct sight_message *request, struct err *err);

/* ---- sight_take.c: what the decoders hand over ---- */

/* Makes the index of names. */
void sight_take_init(struct otlp_sighter *o);

/* Forgets the request before. */
void sight_take_begin(struct otlp_sighter *o, struct str body);

/*
 * A message begins (the request itself: field NULL), and a frame is on the stack for it. NULL, or else why it is
 * refused: it is too deep, or has too much in it.
 */
const char *sight_enter(struct otlp_sighter *o, const struct sight_field *field, const struct sight_message *message);
void sight_leave(struct otlp_sighter *o);

/* A text, bytes or an id; the text must live as long as the request. */
void sight_text(struct otlp_sighter *o, const struct sight_field *field, struct str text);

/* A number: an integer as it is, a double by its bits. */
void sight_number(struct otlp_sighter *o, const struct sight_field *field, uint64_t bits);

static inline struct sight_frame *sight_top(struct otlp_sighter *o)
{
	return &o->stack[o->depth - 1];
}

/* ---- sight_slots.c: what an item's attributes say ---- */

struct sight_slots {
	const struct sight_node *of[SIGHT_SLOTS]; /* NULL: not said */
};

void sight_slots_fill(const struct otlp_sighter *o, const struct sight_item *item, struct sight_slots *slots);

/* p NULL: it is not there, or no text. */
struct str sight_slot_text(const struct sight_slots *s, unsigned slot);

/* A count below 2^53, a number or digits; -1: it is none. */
int64_t sight_slot_count(const struct sight_slots *s, unsigned slot);

/* A number, or a text that is one; negative: there is none, or none that is finite and not negative. */
double sight_slot_double(const struct sight_slots *s, unsigned slot);

/* A truth, or its word in English. */
bool sight_slot_is(const struct sight_slots *s, unsigned slot, bool truth);

/* Milliseconds as nanoseconds; -1: there are none, or more than any run has. */
int64_t sight_slot_ms(const struct sight_slots *s, unsigned slot);

/* A text that is JSON, or a value of several, parsed; VAL_NONE: it is neither. Valid until the next call. */
struct val sight_slot_json(struct otlp_sighter *o, const struct sight_slots *s, unsigned slot);

/* ---- sight_clean.c ---- */

/* For texts that come again: the same as clean_id, clean_tool and clean_model; of none (n 0) nothing. */
struct str sight_clean(struct otlp_sighter *o, enum sight_clean how, struct str text);

/* As clean_endpoint, in the scratch arena; of none nothing. */
struct str sight_clean_endpoint(struct otlp_sighter *o, struct str endpoint, struct str provider);

/* ---- sight_ids.c ---- */

/* The ids of calls that the answer asks for, and of results that the request carries for the first time. */
void sight_ids_add(struct otlp_sighter *o, const struct sight_item *item, const struct sight_slots *slots,
		   struct sighting *s);

/* ---- sight_map.c, sight_habits.c, sight_logs.c ---- */

/* The context that all sightings of an item have: run, session, framework, ids of spans. */
void sight_map_context(struct otlp_sighter *o, const struct sight_item *item, const struct sight_slots *slots,
		       struct sighting *s);

/* Keeps what a span of Claude Code says of the tool around it; of all before any is told: clocks are uneven. */
void sight_map_inside(struct otlp_sighter *o, const struct sight_item *item);

/* What instrumentations do that the names of attributes do not tell: the sighting is set right. */
void sight_habits(struct otlp_sighter *o, const struct sight_item *item, const struct sight_slots *slots,
		  struct sighting *s);

/* Tells of a span, or of a log record. */
void sight_map_span(struct otlp_sighter *o, const struct sight_item *item, const struct otlp_sights *to);
void sight_map_log(struct otlp_sighter *o, const struct sight_item *item, const struct otlp_sights *to);

#endif
