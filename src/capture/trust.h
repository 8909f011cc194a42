/*
 * The certificates that a child whose TLS is intercepted has to trust: those its clients trusted before, and ours. Each
 * kind of client has a variable of its own for a file of them, and takes that file for all it trusts; so there is one
 * file for all, with everything that any of the variables named.
 */
#ifndef CAPTURE_TRUST_H
#define CAPTURE_TRUST_H

#include "base/arena.h"
#include "base/buf.h"

struct trust_variable {
	const char *name;
	bool always; /* set for every child; else only where the user had set it, since it would win over ours */
};

/* The variables that name such a file; ended by a NULL name. */
extern const struct trust_variable trust_variables[];

/*
 * Adds to `out` what clients with this environment (NULL-ended) trust: the files and directories that the variables
 * name, and the system's where SSL_CERT_FILE names none. Certificates only, each once: a key in such a file is left
 * out, and so is a file that cannot be read. The arena is for work.
 */
void trust_gather(struct arena *a, const char *const *env, struct buf *out);

/* Adds the certificates of a PEM text to `out`. A text without any adds nothing. */
void trust_add(struct arena *a, struct str pem, struct buf *out);

#endif
