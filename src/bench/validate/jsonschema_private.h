/* A compiled schema: its subschemas as nodes that name each other by number. */
#ifndef BENCH_VALIDATE_JSONSCHEMA_PRIVATE_H
#define BENCH_VALIDATE_JSONSCHEMA_PRIVATE_H

#include "base/map.h"
#include "bench/validate/jsonschema.h"
#include "bench/validate/regex.h"

#define SCHEMA_NO_NODE UINT32_MAX

/* What `type` may name; integer is a number without a fraction. */
enum schema_type {
	SCHEMA_NULL = 1,
	SCHEMA_BOOLEAN = 2,
	SCHEMA_NUMBER = 4,
	SCHEMA_INTEGER = 8,
	SCHEMA_STRING = 16,
	SCHEMA_ARRAY = 32,
	SCHEMA_OBJECT = 64,
};

/* A bound that may be absent. Counts are doubles too: a schema may say 1e300. */
struct schema_bound {
	bool given;
	double value;
};

struct schema_list {
	const uint32_t *nodes;
	size_t count;
	bool given;
};

struct schema_texts {
	const struct str *items;
	size_t count;
	bool given;
};

struct schema_node {
	bool refuses;   /* the schema `false` */
	unsigned types; /* of enum schema_type; 0 for any */
	struct schema_texts values, constant; /* canonical JSON */
	struct schema_texts required;
	struct schema_bound minimum, maximum, above, below; /* above and below are the exclusive ones */
	struct schema_bound min_length, max_length, min_items, max_items;
	const struct regex *pattern;
	struct map *properties; /* name to node, NULL when there are none */
	uint32_t additional, items, never, ref; /* numbers of nodes, or SCHEMA_NO_NODE; never is `not` */
	struct schema_list prefix, all_of, any_of, one_of;
};

struct jsonschema {
	struct schema_node *nodes; /* the first is the whole schema */
	uint32_t count;
};

#endif
