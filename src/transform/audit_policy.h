/*
 * What a run may use: a budget and a retrieval set, as a file of the user's or the run itself declares them.
 *
 *	{"budget": {"max_calls": 20, "tool_limits": {"search": 5}, "max_cost_usd": 0.5, "max_tokens": 50000,
 *	            "allowed_tools": ["search", "mcp://docs/read"]},
 *	 "retrieval_set": ["https://example.org/a", "sha256:..."]}
 *
 * Nothing else is taken, at any level: a limit that is spelled wrong would be kept by every run. doc/audit.md says what
 * each means. "tools" is another name of "allowed_tools", which logs have.
 */
#ifndef TRANSFORM_AUDIT_POLICY_H
#define TRANSFORM_AUDIT_POLICY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"

#define AUDIT_TOOLS_MAX 1000               /* tools that a policy may name in one place */
#define AUDIT_POLICY_MAX ((size_t)16 << 20) /* bytes of a file that declares something */

struct audit_limit {
	struct str tool;
	uint64_t calls;
};

struct audit_policy {
	bool has_calls, has_cost, has_tokens, has_allowed, has_set; /* which of the members below are declared */
	uint64_t calls, tokens;
	double usd;
	struct audit_limit *limits;
	size_t limit_count;
	struct str *allowed; /* tools */
	size_t allowed_count;
	struct str *set; /* URIs as audit_uri_normal has them, and digests of such: "sha256:<hex>" */
	size_t set_count;
	struct map set_index;
};

/*
 * Adds what the text declares to *out, which is zero at first. False with ERR_DATA when it is not JSON or declares
 * something that is not known or not of its type: *err has the place, "line 2, column 5: budget.max_calls ...", and
 * what to write instead. Texts live in the arena.
 */
bool audit_policy_parse(struct arena *a, struct str text, struct audit_policy *out, struct err *err);
bool audit_budget_parse(struct arena *a, struct str text, struct audit_policy *out, struct err *err);
bool audit_set_parse(struct arena *a, struct str text, struct audit_policy *out, struct err *err);

/* Whether there is anything to hold a run against. */
bool audit_policy_declares(const struct audit_policy *p);

/* The set as a JSON list of digests, which tells nobody what was read. In the arena. */
struct str audit_set_digests(struct arena *a, const struct audit_policy *p);

/* Whether the set has this URI, which is normal. */
bool audit_set_has(const struct audit_policy *p, struct str uri);

/* ---- URIs ---- */

/* A whole text that is an absolute URI with an authority, or one of a file: "https://...", "file:...". */
bool audit_is_uri(struct str text);

/*
 * A URI in the form in which two are compared, in the arena: scheme and host in lower case; without user, password,
 * fragment and a port that is the scheme's own; the path of http and https is "/" when it is empty. All else stays to
 * the letter.
 */
struct str audit_uri_normal(struct arena *a, struct str uri);

/* The URI of a file's path: file:///etc/hosts, file:doc/a.md. In the arena, and normal. */
struct str audit_uri_of_path(struct arena *a, struct str path);

#endif
