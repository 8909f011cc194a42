/*
 * Arguments of a call that come piece by piece, each with the path it belongs to:
 *
 *	{"jsonPath":"$.city","stringValue":"Bos","willContinue":true}, {"jsonPath":"$.city","stringValue":"ton"}
 *
 * become {"city":"Boston"}. Texts of one path are joined; paths lead through names and places ("$.a.b[0]['c d']"). A
 * path that is none of these is a name itself, so that nothing gets lost.
 */
#ifndef DIALECT_EXCHANGE_PATH_ARGS_H
#define DIALECT_EXCHANGE_PATH_ARGS_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/json.h"

#define PATH_ARGS_DEPTH 64   /* names in a path */
#define PATH_ARGS_NODES 4096 /* of one call; what is more is left out */

struct path_args_node;

struct path_args {
	struct arena arena;
	struct path_args_node *root;
	size_t count;
	struct json_parser *parser;
};

/* Begins with no pieces. The parser and the tree of values live until path_args_free. */
void path_args_init(struct path_args *g);
void path_args_free(struct path_args *g);

/* Another call begins. */
void path_args_reset(struct path_args *g);

/*
 * A list of pieces, as JSON. What is no piece is passed over; a text that is no JSON adds nothing, nor does a piece
 * beyond PATH_ARGS_NODES.
 */
void path_args_add(struct path_args *g, struct str json);

/*
 * Adds what they make, a JSON object, in the order they came. "{}" when there were none. The pieces stay, so that more
 * may follow.
 */
void path_args_end(const struct path_args *g, struct buf *out);

#endif
