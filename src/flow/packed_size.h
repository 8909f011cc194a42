/* How large bytes would be in gzip, without keeping them: for comparing formats by their sizes. */
#ifndef FLOW_PACKED_SIZE_H
#define FLOW_PACKED_SIZE_H

#include "base/err.h"
#include "base/str.h"

struct packed_size;

/*
 * Level 6 and a name-less header, as `gzip -n` has them. NULL, with *err, when there is no memory for it. Lives until
 * packed_size_close.
 */
struct packed_size *packed_size_open(struct err *err);

/* NULL is fine. */
void packed_size_close(struct packed_size *p);

/* The next bytes, in order; none may come after packed_size_end. */
void packed_size_add(struct packed_size *p, struct str bytes);

/* No more will be added: the size in bytes of all of it as one gzip member. Asked twice, it says the same. */
uint64_t packed_size_end(struct packed_size *p);

/* As packed_size_end; then it begins anew, with nothing added. */
uint64_t packed_size_restart(struct packed_size *p);

#endif
