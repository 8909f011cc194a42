/*
 * Arguments of a call that come piece by piece, each with the path it belongs to:
 *
 *	{"jsonPath":"$.city","stringValue":"Bos","willContinue":true}, {"jsonPath":"$.city","stringValue":"ton"}
 *
 * become {"city":"Boston"}. Texts of one path are joined; paths lead through names and places ("$.a.b[0]['c d']"). A
 * path that is none of these is a name itself, so that nothing gets lost.
 */
#ifndef DIALECT_GEMINI_ARGS_H
#define DIALECT_GEMINI_ARGS_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/json.h"

#define GEMINI_ARGS_DEPTH 64   /* names in a path */
#define GEMINI_ARGS_NODES 4096 /* of one call; what is more is left out */

struct gemini_args_node;

struct gemini_args {
	struct arena arena;
	struct gemini_args_node *root;
	size_t count;
	struct json_parser *parser;
};

void gemini_args_init(struct gemini_args *g);
void gemini_args_free(struct gemini_args *g);

/* Another call begins. */
void gemini_args_reset(struct gemini_args *g);

/* A list of pieces, as JSON. What is no piece is passed over. */
void gemini_args_add(struct gemini_args *g, struct str json);

/* Adds what they make, a JSON object, in the order they came. */
void gemini_args_end(const struct gemini_args *g, struct buf *out);

#endif
