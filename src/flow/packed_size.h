/* How large bytes would be in gzip, without keeping them: for comparing formats by their sizes. */
#ifndef FLOW_PACKED_SIZE_H
#define FLOW_PACKED_SIZE_H

#include "base/err.h"
#include "base/str.h"

struct packed_size;

/* NULL, with *err, when there is no memory for it. Level 6 and a name-less header, as `gzip -n` has them. */
struct packed_size *packed_size_open(struct err *err);
void packed_size_close(struct packed_size *p);

void packed_size_add(struct packed_size *p, struct str bytes);

/* Bytes added so far. */
uint64_t packed_size_raw(const struct packed_size *p);

/* No more will be added: the size of all of it as one gzip member. */
uint64_t packed_size_end(struct packed_size *p);

#endif
