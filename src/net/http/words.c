/* Words of HTTP: finding headers, reasons of a status, and the lines of a head that is sent. */
#include <assert.h>

#include "base/ascii.h"
#include "base/num.h"
#include "net/http/http.h"

struct str http_find(const struct http_head *h, struct str name)
{
	for (size_t i = 0; i < h->count; i++)
		if (http_name_eq(h->headers[i].name, name))
			return h->headers[i].value;
	return str_of(NULL, 0);
}

bool http_list_has(struct str list, struct str item)
{
	while (list.n)
		if (http_name_eq(str_trim(str_cut(list, ',', &list)), item))
			return true;
	return false;
}

bool http_is_hop(const struct http_head *h, struct str name)
{
	/* RFC 9110, 7.6.1; Keep-Alive and Proxy-Connection are older than it and mean one connection too */
	static const struct str hops[] = {
		{ "connection", 10 }, { "keep-alive", 10 }, { "proxy-connection", 16 }, { "te", 2 },
		{ "trailer", 7 }, { "transfer-encoding", 17 }, { "upgrade", 7 }, { "proxy-authenticate", 18 },
		{ "proxy-authorization", 19 },
	};

	for (size_t i = 0; i < COUNT(hops); i++)
		if (http_name_eq(name, hops[i]))
			return true;
	for (size_t i = 0; i < h->count; i++)
		if (http_name_eq(h->headers[i].name, STR("connection")) && http_list_has(h->headers[i].value, name))
			return true;
	return false;
}

const char *http_reason(int status)
{
	static const struct { int status; const char *reason; } reasons[] = {
		{ 100, "Continue" }, { 101, "Switching Protocols" }, { 102, "Processing" },
		{ 103, "Early Hints" },
		{ 200, "OK" }, { 201, "Created" }, { 202, "Accepted" }, { 203, "Non-Authoritative Information" },
		{ 204, "No Content" }, { 205, "Reset Content" }, { 206, "Partial Content" },
		{ 207, "Multi-Status" }, { 208, "Already Reported" }, { 226, "IM Used" },
		{ 300, "Multiple Choices" }, { 301, "Moved Permanently" }, { 302, "Found" },
		{ 303, "See Other" }, { 304, "Not Modified" }, { 305, "Use Proxy" },
		{ 307, "Temporary Redirect" }, { 308, "Permanent Redirect" },
		{ 400, "Bad Request" }, { 401, "Unauthorized" }, { 402, "Payment Required" },
		{ 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" },
		{ 406, "Not Acceptable" }, { 407, "Proxy Authentication Required" }, { 408, "Request Timeout" },
		{ 409, "Conflict" }, { 410, "Gone" }, { 411, "Length Required" }, { 412, "Precondition Failed" },
		{ 413, "Content Too Large" }, { 414, "URI Too Long" }, { 415, "Unsupported Media Type" },
		{ 416, "Range Not Satisfiable" }, { 417, "Expectation Failed" }, { 421, "Misdirected Request" },
		{ 422, "Unprocessable Content" }, { 423, "Locked" }, { 424, "Failed Dependency" },
		{ 425, "Too Early" }, { 426, "Upgrade Required" }, { 428, "Precondition Required" },
		{ 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" },
		{ 451, "Unavailable For Legal Reasons" },
		{ 500, "Internal Server Error" }, { 501, "Not Implemented" }, { 502, "Bad Gateway" },
		{ 503, "Service Unavailable" }, { 504, "Gateway Timeout" },
		{ 505, "HTTP Version Not Supported" }, { 506, "Variant Also Negotiates" },
		{ 507, "Insufficient Storage" }, { 508, "Loop Detected" }, { 510, "Not Extended" },
		{ 511, "Network Authentication Required" },
	};
	/* the class of a status says what it means to whoever does not know it: RFC 9110, 15 */
	static const char *const classes[] = {
		"Information", "Success", "Redirection", "Client Error", "Server Error",
	};

	for (size_t i = 0; i < COUNT(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return status >= 100 && status < 600 ? classes[status / 100 - 1] : "Unknown";
}

struct str http_authority(struct str target)
{
	size_t at = target.n && target.p[0] != '/' ? str_find(target, STR("://")) : (size_t)-1, n = 0;

	if (at == (size_t)-1)
		return str_of(NULL, 0);
	target = str_skip(target, at + 3);
	while (n < target.n && !ascii_is_one_of(target.p[n], "/?#"))
		n++;
	target.n = n;
	while (n && target.p[n - 1] != '@')
		n--;
	return str_skip(target, n);
}

void http_add_header(struct buf *out, const struct http_header *h)
{
	buf_reserve(out, h->name.n + h->value.n + 4);
	buf_add_str(out, h->name);
	buf_add_str(out, STR(": "));
	buf_add_str(out, h->value);
	buf_add_str(out, STR("\r\n"));
}

void http_add_number(struct buf *out, uint64_t n)
{
	out->n += num_format_u64(buf_reserve(out, NUM_U64_MAX), n);
}

void http_add_chunk_size(struct buf *out, size_t n)
{
	char digits[2 * sizeof(n)];
	size_t at = sizeof(digits);

	assert(n > 0);
	for (; n; n >>= 4)
		digits[--at] = "0123456789abcdef"[n & 15];
	buf_add(out, digits + at, sizeof(digits) - at);
	buf_add_str(out, STR("\r\n"));
}
