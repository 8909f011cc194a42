#include "net/upstream/lookup.h"

#include <string.h>

#include "base/arena.h"

enum { KEPT_MS = 10 * 1000 };

struct lookup_name {
	uv_getaddrinfo_t ask; /* first */
	struct lookups *all;
	struct lookup_name *next;
	char *text;
	bool asking;
	uint64_t until; /* loop time: so long what was found is used */
	struct lookup *waiting;
	union dial_address found[DIAL_MOST];
	size_t count;
};

struct lookups {
	uv_loop_t *loop;
	struct lookup_name *names; /* few, and there to the end */
};

struct lookups *lookups_open(uv_loop_t *loop)
{
	struct lookups *s = mem_alloc(sizeof(*s));

	*s = (struct lookups){ .loop = loop };
	return s;
}

void lookups_close(struct lookups *s)
{
	for (struct lookup_name *n = s->names; n; n = n->next) {
		while (n->waiting)
			lookup_end(n->waiting);
		if (n->asking)
			uv_cancel((uv_req_t *)&n->ask);
	}
}

void lookups_free(struct lookups *s)
{
	struct lookup_name *next;

	for (struct lookup_name *n = s->names; n; n = next) {
		next = n->next;
		mem_free(n->text);
		mem_free(n);
	}
	mem_free(s);
}

/* The next one of this family, or else of any; *at moves on behind it. */
static const struct addrinfo *next_address(const struct addrinfo **at, int family)
{
	const struct addrinfo *a = *at;

	while (a && a->ai_family != family)
		a = a->ai_next;
	if (a)
		*at = a->ai_next;
	return a;
}

/* The system's order, best first; but the two families by turns, since all of one may be out of reach. */
static void take_found(struct lookup_name *n, const struct addrinfo *list)
{
	int first = list ? list->ai_family : AF_INET6, other = first == AF_INET6 ? AF_INET : AF_INET6;
	const struct addrinfo *at[2] = { list, list };

	for (unsigned turn = 0; n->count < DIAL_MOST && (at[0] || at[1]); turn++) {
		const struct addrinfo **from = &at[turn % 2], *a = next_address(from, turn % 2 ? other : first);

		if (!a)
			*from = NULL;
		else if (a->ai_addrlen <= sizeof(n->found[0]))
			memcpy(&n->found[n->count++], a->ai_addr, a->ai_addrlen);
	}
}

static const char *why_not(int status)
{
	return status == UV_EAI_NONAME || status == UV_EAI_NODATA || status == 0 ? "no address of this name was found"
										   : uv_strerror(status);
}

/* Those who wait may ask again, or give up others, from within. */
static void looked_up(uv_getaddrinfo_t *ask, int status, struct addrinfo *list)
{
	struct lookup_name *n = (struct lookup_name *)ask;
	struct lookup *l;

	n->asking = false;
	n->count = 0;
	if (status == 0)
		take_found(n, list);
	uv_freeaddrinfo(list);
	n->until = n->count ? uv_now(n->all->loop) + KEPT_MS : 0;
	while ((l = n->waiting)) {
		lookup_end(l);
		l->found(l, n->found, n->count, n->count ? NULL : why_not(status));
	}
}

static struct lookup_name *name_get(struct lookups *s, struct str name)
{
	struct lookup_name *n;

	for (n = s->names; n; n = n->next)
		if (str_eq(str_from(n->text), name))
			return n;
	n = mem_alloc(sizeof(*n));
	*n = (struct lookup_name){ .all = s, .next = s->names, .text = mem_alloc(name.n + 1) };
	memcpy(n->text, name.p, name.n);
	n->text[name.n] = '\0';
	s->names = n;
	return n;
}

/* An address needs no looking up. */
static bool lookup_is_address(const char *text, union dial_address *out)
{
	return uv_ip4_addr(text, 0, &out->v4) == 0 || uv_ip6_addr(text, 0, &out->v6) == 0;
}

void lookup_begin(struct lookups *s, struct str name, struct lookup *l,
		  void (*found)(struct lookup *l, const union dial_address *to, size_t count, const char *why))
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct lookup_name *n = name_get(s, name);
	union dial_address address;
	int error = 0;

	*l = (struct lookup){ .found = found };
	if (lookup_is_address(n->text, &address)) {
		found(l, &address, 1, NULL);
		return;
	}
	if (uv_now(s->loop) < n->until) {
		found(l, n->found, n->count, NULL);
		return;
	}
	if (!n->asking)
		error = uv_getaddrinfo(s->loop, &n->ask, looked_up, n->text, NULL, &hints);
	if (error) {
		found(l, NULL, 0, uv_strerror(error));
		return;
	}
	n->asking = true;
	l->name = n;
	l->next = n->waiting;
	if (l->next)
		l->next->prev = l;
	n->waiting = l;
}

void lookup_end(struct lookup *l)
{
	if (!l->name)
		return;
	if (l->prev)
		l->prev->next = l->next;
	else
		l->name->waiting = l->next;
	if (l->next)
		l->next->prev = l->prev;
	l->prev = l->next = NULL;
	l->name = NULL;
}

void lookup_forget(struct lookups *s, struct str name)
{
	name_get(s, name)->until = 0;
}
