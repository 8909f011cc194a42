/* The working state of a stream, shared by stream.c and stream_fault.c only. */
#ifndef JSON_STREAM_PRIVATE_H
#define JSON_STREAM_PRIVATE_H

#include <assert.h>

#include "base/map.h"
#include "json/slow.h"
#include "json/stream.h"

enum stream_state {
	AT_START, /* a byte order mark may stand here */
	AT_VALUE,
	AT_FIRST, /* after an opening bracket */
	AT_NAME,
	AT_COLON,
	AT_NEXT, /* after a value */
	AT_END,  /* after the document's value */
	IN_NAME,
	IN_VALUE,
	FAILING, /* waiting for the bytes that the message may show */
	FAILED,
};

enum stream_fault {
	FAULT_PLACE, /* something that cannot stand there */
	FAULT_TOKEN, /* in the name or value that was being read */
	FAULT_LONG,  /* the name or value is too long */
};

enum stream_about { ABOUT_CONTAINER, ABOUT_MEMBER };

struct stream_frame { /* an entered container */
	bool object;
	uint64_t commas;
	size_t pointer_end;
	struct map names; /* of the object so far */
	struct arena arena;
};

/* The end of a name or value, as far as it has been looked for. */
struct stream_extent {
	uint64_t nest;
	bool scalar; /* neither string nor container: ends before a delimiter */
	bool quoted, escaped;
};

struct json_stream {
	struct json_stream_options options;
	struct json_options inner; /* of values, whose nesting begins inside the entered containers */
	uint32_t max_depth;
	struct json_parser *parser;

	struct str piece;
	size_t at; /* in the piece */
	bool finished;

	enum stream_state state;
	struct issue_mark place; /* of the next byte, or of the token that is being read */
	struct buf hold;         /* what came of the token with earlier pieces */
	struct stream_extent extent;

	struct stream_frame frames[JSON_STREAM_DEPTH];
	uint32_t depth;
	struct buf pointer; /* steps of the entered containers, and of the latest event */
	struct buf names;   /* room of the three below */
	struct str raw_name, name, shown_name; /* of the member: as written, as compared, as shown */
	struct slow_tape name_tape;

	enum stream_state failed_at;
	enum stream_fault fault;
	size_t ahead; /* bytes in hold that came after the fault was seen */
	struct json_issue issue;
	struct arena arena; /* of the issue */
};

/* The container entered last; there must be one. */
static inline struct stream_frame *stream_top(struct json_stream *s)
{
	assert(s->depth > 0 && s->depth <= JSON_STREAM_DEPTH);
	return &s->frames[s->depth - 1];
}

static inline bool stream_is_in_object(struct json_stream *s)
{
	return s->depth > 0 && stream_top(s)->object;
}

/* The pointer of the innermost entered container, or of its element or member at hand. */
struct str stream_make_pointer(struct json_stream *s, enum stream_about about);

/* Begins to fail: s->hold has the bytes from s->place on, `ahead` of them beyond the fault. */
void stream_begin_failing(struct json_stream *s, enum stream_fault fault, size_t ahead);

/* s->issue is set but for place and pointer, its offset counted from s->place. */
void stream_fail(struct json_stream *s, enum stream_about about);

/* Everything a message may show has come: says what is wrong. */
void stream_diagnose(struct json_stream *s);

#endif
