/* Which strings are structure: a table of member names and of the looks that a value must have to stay. */
#ifndef TRANSFORM_REDACT_NAMES_H
#define TRANSFORM_REDACT_NAMES_H

#include "base/str.h"
#include "transform/redact.h"

enum redact_kind {
	NAME_CONTENT, /* a string is content */
	NAME_WORD,    /* type, role, status: one word of letters, digits and _.:/+- */
	NAME_METHOD,  /* such a word, or a method of MCP: "tools/call" */
	NAME_ID,      /* ids: no blanks, no path, no mail */
	NAME_MODEL,
	NAME_TOOL,    /* name, where its object is a tool, a call or a span */
	NAME_TIME,
	NAME_OPAQUE,  /* signatures and encrypted parts, of any length */
	NAME_HEADER,  /* values of harmless HTTP headers */
	NAME_URL,     /* where a request went */
	NAME_INHERIT, /* a box around the value: the rule of the name above it */
	NAME_ARGS,    /* everything below is content, also what looks like structure; text may be JSON */
	NAME_RESULT,  /* likewise, of a result */
	NAME_ITEMS,   /* a list of messages is walked; anything else is as NAME_ARGS or NAME_RESULT */
	NAME_BODY,    /* text may be JSON or a stream, with structure in it */
};

struct redact_name {
	const char *name;
	enum redact_kind kind;
	int class; /* of content below it: enum redact_class, or -1 for that of what is around */
};

/* The row of a member's name; one that is content for a name nobody knows. Never NULL. */
const struct redact_name *redact_name_find(struct str name);

/* That of an attribute's name, parts with points between: by the last, but for what tells of a person or machine. */
const struct redact_name *redact_name_of_attribute(struct str key);

/* Whether a value has the looks that its kind asks for. Of kinds that are content: never. */
bool redact_looks_right(enum redact_kind kind, struct str value);

/* Whether the name of a member may stay: short, of letters, digits and few signs. Paths and sentences may not. */
bool redact_name_is_plain(struct str name);

/* Data of an image or another file: a data: URL, or much base64. */
bool redact_is_media(struct str value);

#endif
