/*
 * Entities of an RO-Crate 1.3 by the profile Process Run Crate 0.6: objects of its @graph, which refer to each other by
 * @id. An entity is begun here, and ended by json_write_end_object.
 */
#ifndef SINK_EXPORT_CRATE_ENTITY_H
#define SINK_EXPORT_CRATE_ENTITY_H

#include "json/put.h"

#define CRATE_PROFILE "https://w3id.org/ro/wfrun/process/0.6"
#define CRATE_METADATA "ro-crate-metadata.json"

/* The document up to the root's entity: the context, and the entity that describes the document itself. */
extern const char crate_head[];

/* Begins an entity that is added to `out`. `type` NULL: the caller has several. */
void crate_begin(struct json_writer *w, struct buf *out, struct str id, const char *type);

/* name: {"@id": id} */
void crate_put_link(struct json_writer *w, const char *name, struct str id);

/* {"@id": id} behind what a list of references has. */
void crate_add_reference(struct buf *to, bool is_first, struct str id);

/* A time in UTC, with its offset in digits: some readers know no Z. */
void crate_put_time(struct json_writer *w, const char *name, int64_t ns);

/* What every file has beside its id and type. `about` p NULL: nothing. */
void crate_put_file(struct json_writer *w, struct str name, const char *what, struct str media, uint64_t bytes,
		    struct digest digest, struct str about);

/* How an action ended. An error is told only of one that failed. */
void crate_put_outcome(struct json_writer *w, bool failed, struct str error);

/* The whole entities of the profile and of the licence; `license` p NULL: none is stated, ask `whom`. */
void crate_add_profile(struct buf *out);
void crate_add_license(struct buf *out, struct str license, const char *whom);

#endif
