/*
 * A policy (c2sp.org/tlog-policy): which log keys and how many of which witnesses make a checkpoint one to rely on.
 *
 *	log VKEY [URL]
 *	witness NAME VKEY [URL]
 *	group NAME any|all|K MEMBER...
 *	quorum NAME|none
 *
 * Lines that begin with # and blank ones mean nothing. Members and the quorum name witnesses or groups above them.
 */
#ifndef LEDGER_POLICY_H
#define LEDGER_POLICY_H

#include "ledger/note.h"

struct policy_witness {
	struct str name, url; /* url: p is NULL without one */
	struct key key;
};

struct policy_group {
	struct str name;
	size_t threshold; /* so many members must have cosigned: 1 to member_count */
	const size_t *members; /* below witness_count: a witness; else group number - witness_count */
	size_t member_count;
};

struct policy {
	struct key *logs;
	size_t log_count;
	struct policy_witness *witnesses;
	size_t witness_count;
	struct policy_group *groups;
	size_t group_count;
	size_t quorum; /* numbered as members are; SIZE_MAX: none */
};

/*
 * Reads a policy. Everything points into the text or lies in the arena. ERR_DATA when a line breaks the grammar or
 * repeats a name or a key (the line is named), or when no quorum is said; ERR_LIMIT beyond 4 MiB, 4096 logs, or 4096
 * witnesses and groups. *out is half filled then.
 */
bool policy_parse(struct arena *a, struct str text, struct policy *out, struct err *err);

/*
 * Whether the note is signed by one of the logs, the one that its text names, and by the quorum. A bad line of a key
 * of the policy refuses the note. *why gets what is missing, in the arena or static, and only when false is returned;
 * `signed_by` (witness_count flags, or NULL) which witnesses signed well, as far as the check came.
 */
bool policy_check(struct arena *a, const struct policy *p, const struct note *n, bool *signed_by, struct str *why);

#endif
