/*
 * Files that a text from elsewhere names, opened so that the name cannot lead out of a directory: a record may name
 * whatever it likes, and what it names is sealed for others to read.
 */
#ifndef TRIAL_BENEATH_H
#define TRIAL_BENEATH_H

#include "base/arena.h"
#include "base/str.h"

#define BENEATH_MAX ((uint64_t)256 << 20) /* bytes of a file that is taken: what fits a row of a database */

enum beneath {
	BENEATH_FOUND,
	BENEATH_ABSENT,
	BENEATH_OUTSIDE, /* absolute, or with "..", or no name at all */
	BENEATH_HIDDEN,  /* a part of the name begins with a dot: keys and settings are called so */
	BENEATH_LINK,    /* on the way there is a symbolic link */
	BENEATH_NO_FILE, /* a directory, a pipe, a device */
	BENEATH_LARGE,   /* longer than BENEATH_MAX */
	BENEATH_UNREAD,
	BENEATH_STATES,
};

/*
 * Opens a plain file of the directory or below it for reading, by a relative name. Nothing is waited for, and no link
 * is followed below the directory. *fd is open for BENEATH_FOUND and BENEATH_LARGE only. The arena is for work.
 */
enum beneath beneath_open(struct arena *a, struct str dir, struct str name, int *fd);

/* Behind a name, as an end of a sentence: "is not there". Static. */
const char *beneath_why(enum beneath state);

/* The media type that a name tells by its end; application/octet-stream when it tells none. Static. */
struct str beneath_media(struct str name);

#endif
