/* Takes postgres:// URLs apart, refuses doubtful ones, and shows them without their secrets. */
#include "ledger/pg/private.h"

#include "base/ascii.h"

static bool cut_scheme(struct str url, struct str *scheme, struct str *rest)
{
	const struct str schemes[] = { STR("postgres://"), STR("postgresql://") };

	for (size_t i = 0; i < COUNT(schemes); i++) {
		if (!str_starts(url, schemes[i]))
			continue;
		*scheme = str_of(url.p, schemes[i].n);
		*rest = str_of(url.p + schemes[i].n, url.n - schemes[i].n);
		return true;
	}
	return false;
}

/* Where the last `c` is, or -1. */
static size_t find_last(struct str s, char c)
{
	const char *p = s.n ? memrchr(s.p, c, s.n) : NULL;

	return p ? (size_t)(p - s.p) : (size_t)-1;
}

/*
 * The parts behind the scheme. The user's part ends at the first '@' if that comes before any '/' (so libpq has it);
 * what may be a password reaches to the last '@' before the parameters. When the two differ, it has an '@' or '/' in
 * it.
 */
struct parts {
	struct str user, place, query;
	bool odd;
};

/* Never fails: what cannot be told apart is `odd`, and the user's part reaches too far rather than not far enough. */
static struct parts cut_parts(struct str rest)
{
	size_t first = str_find(rest, STR("@")), slash = str_find(rest, STR("/")), from, last;
	struct parts out = { .odd = false };

	if (first > slash)
		first = (size_t)-1;
	from = first == (size_t)-1 ? 0 : first;
	out.place = str_cut(str_skip(rest, from), '?', &out.query);
	out.place = str_of(rest.p, from + out.place.n);
	last = find_last(out.place, '@');
	out.odd = last != first;
	if (last != (size_t)-1) {
		out.user = str_of(out.place.p, last);
		out.place = str_skip(out.place, last);
	}
	return out;
}

bool pg_check_url(struct str url, struct err *err)
{
	struct str scheme, rest;

	if (!cut_scheme(url, &scheme, &rest))
		return err_set(err, ERR_USAGE, "the name of a database begins with postgres://");
	if (memchr(url.p, '\0', url.n))
		return err_set(err, ERR_USAGE, "the name of the database has a NUL byte in it");
	if (cut_parts(rest).odd)
		return err_set(err, ERR_USAGE, "the user or password in the name of the database has '@' or '/' in it"
			       ERR_HELP "write %%40 for '@' and %%2F for '/', or leave the password to ~/.pgpass");
	return true;
}

/* Without a user's part: is what stands behind the last ':' a port? Else it may be a password that went astray. */
static bool is_plain_place(struct str place)
{
	struct str rest, host = str_cut(place, '/', &rest);
	size_t at = find_last(host, ':');

	if (at == (size_t)-1 || (host.n && host.p[host.n - 1] == ']'))
		return true;
	for (size_t i = at + 1; i < host.n; i++)
		if (!ascii_is_digit(host.p[i]))
			return false;
	return true;
}

static bool is_secret(struct str parameter)
{
	const struct str names[] = { STR("password="), STR("sslpassword=") };

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_starts(parameter, names[i]))
			return true;
	return false;
}

/* The parameters that are not secret. Names may be percent-encoded, which nobody does: one with '%' is left out. */
static void add_query(struct buf *out, struct str query)
{
	char before = '?';

	while (query.n) {
		struct str one = str_cut(query, '&', &query), value, name = str_cut(one, '=', &value);

		if (is_secret(one) || memchr(name.p, '%', name.n))
			continue;
		buf_add_byte(out, before);
		buf_add_str(out, one);
		before = '&';
	}
}

/* Rather too little is shown than too much, also of a URL that we refuse. */
struct str log_pg_show_url(struct arena *a, struct str url)
{
	struct str scheme, rest, none;
	struct parts parts;
	struct buf out;

	if (!cut_scheme(url, &scheme, &rest))
		return STR("a database");
	parts = cut_parts(rest);
	if (!parts.user.p && !is_plain_place(parts.place))
		return ARENA_JOIN(a, scheme, STR("..."));
	buf_init(&out);
	buf_add_str(&out, scheme);
	buf_add_str(&out, str_cut(parts.user, ':', &none));
	buf_add_str(&out, parts.place);
	add_query(&out, parts.query);
	for (size_t i = 0; i < out.n; i++)
		if ((unsigned char)out.p[i] < 0x20 || out.p[i] == 0x7f)
			out.p[i] = '_'; /* '?' would begin parameters */
	return arena_take(a, &out);
}
