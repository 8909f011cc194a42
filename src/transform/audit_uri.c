/* URIs as the audit compares them: as little is changed as it takes to make two spellings of one address equal. */
#include "base/ascii.h"
#include "transform/audit_policy.h"

/* Bytes of the scheme before its colon; 0 when there is none. */
static size_t audit_uri_scheme(struct str uri)
{
	size_t n = 0;

	while (n < uri.n && (ascii_is_alnum(uri.p[n]) || ascii_is_one_of(uri.p[n], "+.-")))
		n++;
	return n > 0 && n < uri.n && uri.p[n] == ':' && ascii_is_alpha(uri.p[0]) ? n : 0;
}

bool audit_is_uri(struct str text)
{
	size_t n = audit_uri_scheme(text);
	bool file = n && str_eq_nocase(str_of(text.p, n), STR("file"));

	if (n == 0 || text.n < n + 2 || !(file || (text.n > n + 3 && memcmp(text.p + n, "://", 3) == 0)))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] <= ' ' || ascii_is_one_of(text.p[i], "<>\"\x7f"))
			return false;
	return true;
}

static void audit_uri_add_lower(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_add_byte(out, ascii_lower(s.p[i]));
}

/* The authority without what is before an '@', and without the port that its scheme has anyway. */
static void audit_uri_add_host(struct buf *out, struct str scheme, struct str host)
{
	const char *at = memrchr(host.p, '@', host.n);
	struct str port = str_eq_nocase(scheme, STR("https")) ? STR(":443") : STR(":80");

	if (at)
		host = str_skip(host, (size_t)(at - host.p) + 1);
	if ((str_eq_nocase(scheme, STR("https")) || str_eq_nocase(scheme, STR("http"))) && str_ends(host, port))
		host.n -= port.n;
	audit_uri_add_lower(out, host);
}

struct str audit_uri_normal(struct arena *a, struct str uri)
{
	size_t n = audit_uri_scheme(uri), end;
	struct str fragment, scheme = str_of(uri.p, n);
	struct buf out = { 0 };

	uri = str_cut(uri, '#', &fragment);
	audit_uri_add_lower(&out, scheme);
	if (uri.n < n + 3 || memcmp(uri.p + n, "://", 3) != 0) {
		buf_add_str(&out, str_skip(uri, n));
		return arena_take(a, &out);
	}
	for (end = n + 3; end < uri.n && uri.p[end] != '/' && uri.p[end] != '?';)
		end++;
	buf_add_str(&out, STR("://"));
	audit_uri_add_host(&out, scheme, str_of(uri.p + n + 3, end - n - 3));
	if ((end == uri.n || uri.p[end] == '?') &&
	    (str_eq_nocase(scheme, STR("https")) || str_eq_nocase(scheme, STR("http"))))
		buf_add_byte(&out, '/');
	buf_add_str(&out, str_skip(uri, end));
	return arena_take(a, &out);
}

struct str audit_uri_of_path(struct arena *a, struct str path)
{
	struct buf out = { 0 };

	while (str_starts(path, STR("./")))
		path = str_skip(path, 2);
	buf_add_str(&out, str_starts(path, STR("/")) ? STR("file://") : STR("file:"));
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (c <= ' ' || c >= 0x7f || ascii_is_one_of((char)c, "%?#<>\""))
			buf_printf(&out, "%%%02X", c);
		else
			buf_add_byte(&out, (char)c);
	}
	return arena_take(a, &out);
}
