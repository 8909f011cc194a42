/* The SHA-256 of a file's bytes as they lie on the disk, compressed or not: what sha256sum says of it. */
#ifndef FLOW_FILE_DIGEST_H
#define FLOW_FILE_DIGEST_H

#include "base/crypto/sha256.h"

/* False, and *out as it was, when the path names no regular file or it cannot be read to its end. */
bool file_digest(struct str path, struct digest *out);

#endif
