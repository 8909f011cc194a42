/* Followed by their names, part by part: where the verifier will be, other things lie at the same places than here. */
#include "trial/run/links.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "proc/sandbox/sandbox.h"

#define LINKS_FOLLOWED_MOST 40 /* as the kernel does */

/* p NULL: there is no link. */
static struct str links_read(struct arena *a, struct str dir, struct str name)
{
	char text[PATH_MAX];
	ssize_t n = readlink(ARENA_JOIN(a, dir, STR("/"), name).p, text, sizeof(text));

	return n < 0 ? str_of(NULL, 0) : arena_copy(a, str_of(text, (size_t)n));
}

/* What the system has for everybody, and the agent cannot write. */
static bool links_is_system(struct str path)
{
	for (struct str rest = path; rest.n;)
		if (str_eq(str_cut(rest, '/', &rest), STR("..")))
			return false;
	return sandbox_is_system(path) || str_is_at_or_below(path, STR("/dev/null"));
}

/* The directory of a relative name; empty at the top. */
static struct str links_above(struct str name)
{
	return str_has(name, STR("/")) ? str_dirname(name) : STR("");
}

bool links_lead_out(struct arena *a, struct str dir, struct str name, struct str seen)
{
	struct str at = links_above(name), rest = str_basename(name);

	for (unsigned followed = 0; rest.n && followed <= LINKS_FOLLOWED_MOST;) {
		struct str part = str_cut(rest, '/', &rest), next, target;

		if (!part.n || str_eq(part, STR(".")))
			continue;
		if (str_eq(part, STR(".."))) {
			if (!at.n)
				return true;
			at = links_above(at);
			continue;
		}
		next = at.n ? ARENA_JOIN(a, at, STR("/"), part) : part;
		target = links_read(a, dir, next);
		if (!target.p) {
			at = next;
			continue;
		}
		followed++;
		rest = ARENA_JOIN(a, target, STR("/"), rest);
		if (rest.p[0] != '/')
			continue;
		if (!str_is_at_or_below(rest, seen))
			return !links_is_system(rest);
		at = STR("");
		rest = str_skip(rest, seen.n);
	}
	return rest.n > 0; /* a circle */
}

bool links_cut(struct arena *a, struct str dir, const struct tree *t, struct str seen, size_t *count,
	       struct str *first, struct err *err)
{
	*count = 0;
	for (size_t i = 0; i < t->left_count; i++) {
		const struct tree_left *l = &t->left[i];
		struct str target;

		if (!l->is_link || !links_lead_out(a, dir, l->name, seen))
			continue;
		target = links_read(a, dir, l->name);
		if (!(*count)++)
			*first = ARENA_JOIN(a, l->name, STR(" -> "), target);
		if (unlink(ARENA_JOIN(a, dir, STR("/"), l->name).p) != 0)
			return err_system(err, errno, "%.*s/%.*s", STR_ARG(dir), STR_ARG(l->name));
	}
	return true;
}
