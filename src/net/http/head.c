/*
 * The strict reader of a head. Lines gather in one text, which may move while it grows, so what is found in it is noted
 * as spans and made into texts at the end.
 */
#include "net/http/head.h"

#include "base/ascii.h"
#include "net/http/second.h"

enum { BLANK_LINES = 8 }; /* before a message; RFC 9112, 2.2 wants one to be passed over */

static enum http_gathered http_head_bad(struct http_gather *g, int status, const char *why)
{
	g->status = g->side == HTTP_RESPONSE ? 502 : status;
	g->why = why;
	return HTTP_GATHER_BAD;
}

static struct http_span span_of(const struct http_gather *g, struct str s)
{
	return (struct http_span){ .at = (size_t)(s.p - g->text.p), .n = s.n };
}

static struct str span_text(const struct http_gather *g, struct http_span s)
{
	return str_of(g->text.p + s.at, s.n);
}

/* ---- bytes ---- */

/* RFC 9110, 5.6.2: an x for each byte of a token. */
static const char token[256] = "................................"
			       ".x.xxxxx..xx.xx.xxxxxxxxxx......"
			       ".xxxxxxxxxxxxxxxxxxxxxxxxxx...xx"
			       "xxxxxxxxxxxxxxxxxxxxxxxxxxx.x.x.";

static size_t count_token(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && token[(unsigned char)p[i]] == 'x')
		i++;
	return i;
}

bool http_is_token(struct str s)
{
	return s.n > 0 && count_token(s.p, s.n) == s.n;
}

static bool is_control(unsigned char c)
{
	return (c < 0x20 && c != '\t') || c == 0x7F;
}

/* Whether one of eight bytes is below 0x20 or 0x7F: each such byte, and sometimes one behind it, sets its high bit. */
static bool may_have_control(const char *p)
{
	const uint64_t ones = 0x0101010101010101, highs = ones << 7;
	uint64_t x, del;

	memcpy(&x, p, 8);
	del = x ^ ones * 0x7F;
	return (((x - ones * 0x20) & ~x) | ((del - ones) & ~del)) & highs;
}

size_t http_find_control(const char *p, size_t n)
{
	size_t i = 0;

	while (n - i >= 8 && !may_have_control(p + i))
		i += 8;
	if (n >= 8 && n - i < 8 && !may_have_control(p + n - 8))
		return n;
	while (i < n && !is_control((unsigned char)p[i]))
		i++;
	return i;
}

bool http_parse_length(struct str s, uint64_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_digit(s.p[i]))
			return false;
		if (n > (INT64_MAX - (uint64_t)(s.p[i] - '0')) / 10)
			return false;
		n = n * 10 + (uint64_t)(s.p[i] - '0');
	}
	*out = n;
	return s.n > 0;
}

/* ---- the first line ---- */

/* Those of the IANA registry, and the few that are spoken without being in it. */
static bool is_method(struct str s)
{
	static const char *const methods[] = {
		"POST", "GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "ACL",
		"BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "LABEL", "LINK", "LOCK", "M-SEARCH",
		"MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "NOTIFY",
		"ORDERPATCH", "PROPFIND", "PROPPATCH", "PURGE", "REBIND", "REPORT", "SEARCH", "SOURCE",
		"SUBSCRIBE", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UNSUBSCRIBE", "UPDATE",
		"UPDATEREDIRECTREF", "VERSION-CONTROL",
	};

	return str_is_word_of(s, methods, COUNT(methods));
}

/* "HTTP/1.1" or "HTTP/1.0". */
static enum http_gathered read_version(struct http_gather *g, struct str s)
{
	if (s.n != 8 || memcmp(s.p, "HTTP/", 5) != 0 || !ascii_is_digit(s.p[5]) || s.p[6] != '.' ||
	    !ascii_is_digit(s.p[7]))
		return http_head_bad(g, 400, "a first line without an HTTP version");
	if (s.p[5] != '1' || s.p[7] > '1')
		return http_head_bad(g, 505, "another version than HTTP/1.1 or HTTP/1.0");
	g->head.minor = s.p[7] - '0';
	return HTTP_GATHER_MORE;
}

/* host [":" port], where the host is a name, an address or an address in brackets: RFC 3986, 3.2.2. */
static bool is_host(struct str s)
{
	struct str port = str_of(NULL, 0);
	size_t i = 0;

	if (s.n && s.p[0] == '[') {
		for (i = 1; i < s.n && s.p[i] != ']'; i++)
			if (!strchr("0123456789abcdefABCDEF:.", s.p[i]) || s.p[i] == '\0')
				return false;
		if (i == s.n || i == 1)
			return false;
		i++;
		if (i < s.n && s.p[i] != ':')
			return false;
		port = i < s.n ? str_skip(s, i + 1) : port;
	} else {
		struct str host = str_cut(s, ':', &port);

		for (i = 0; i < host.n; i++) {
			unsigned char c = (unsigned char)host.p[i];

			if (token[c] != 'x' && !strchr("(),;=", c))
				return false;
			if (strchr("#^`|", c))
				return false;
		}
	}
	for (i = 0; i < port.n; i++)
		if (!ascii_is_digit(port.p[i]))
			return false;
	return port.n <= 5;
}

/* Behind "http:": "//[user@]host[:port]" and a path, a query or nothing. */
static bool has_host(struct str s)
{
	size_t n = 2, host = 2;

	if (!str_starts(s, STR("//")))
		return false;
	for (; n < s.n && s.p[n] != '/' && s.p[n] != '?' && s.p[n] != '#'; n++)
		if (s.p[n] == '@' && host > 2)
			return false; /* whose host would it be? */
		else if (s.p[n] == '@')
			host = n + 1;
	return host < n && s.p[host] != ':';
}

/* NULL when the target is a path, "*" with OPTIONS, or an address with a host; else the fault, a constant. */
static const char *find_target_fault(struct str method, struct str target)
{
	struct str rest, scheme;

	if (target.n == 0)
		return "a request line without a target";
	for (size_t i = 0; i < target.n; i++)
		if ((unsigned char)target.p[i] <= ' ' || (unsigned char)target.p[i] >= 0x7F)
			return "a target with a character that must be percent-encoded";
	if (target.p[0] == '/')
		return NULL;
	if (str_eq(target, STR("*")))
		return str_eq(method, STR("OPTIONS")) ? NULL : "the target * without OPTIONS";
	scheme = str_cut(target, ':', &rest);
	if (!http_name_eq(scheme, STR("http")) && !http_name_eq(scheme, STR("https")))
		return "a target that is neither a path nor an http address";
	return has_host(rest) ? NULL : "a target without a host";
}

/* CONNECT names a host and a port, and both have to be there (RFC 9110, 9.3.6). NULL or the fault, a constant. */
static const char *find_tunnel_fault(struct str target)
{
	size_t digits = 0;
	uint64_t port;

	while (digits < target.n && ascii_is_digit(target.p[target.n - digits - 1]))
		digits++;
	if (!is_host(target) || digits == 0 || digits + 1 >= target.n || target.p[target.n - digits - 1] != ':')
		return "a CONNECT without host and port";
	if (!http_parse_length(str_skip(target, target.n - digits), &port) || port == 0 || port > UINT16_MAX)
		return "a CONNECT with a port that is not one";
	return NULL;
}

/* The version is read before the method is judged: another version gets 505, not 501. */
static enum http_gathered read_request_line(struct http_gather *g, struct str line)
{
	struct str rest, version, method = str_cut(line, ' ', &rest), target = str_cut(rest, ' ', &version);
	const char *fault;

	if (!http_is_token(method))
		return http_head_bad(g, 400, "a method that is not a token");
	if (read_version(g, version) == HTTP_GATHER_BAD)
		return HTTP_GATHER_BAD;
	g->tunnel = str_eq(method, STR("CONNECT"));
	if (g->tunnel && !g->limits.connect)
		return http_head_bad(g, 501, "CONNECT: tunnels are not made here");
	if (str_eq(method, STR("PRI")))
		return http_head_bad(g, 505, "the preface of HTTP/2: only HTTP/1.1 is supported");
	if (!g->tunnel && !is_method(method))
		return http_head_bad(g, 501, "an unknown method");
	fault = g->tunnel ? find_tunnel_fault(target) : find_target_fault(method, target);
	if (fault)
		return http_head_bad(g, 400, fault);
	g->method = span_of(g, method);
	g->target = span_of(g, target);
	return HTTP_GATHER_MORE;
}

/* The reason is kept as it came; what stands in it decides nothing. */
static enum http_gathered read_status_line(struct http_gather *g, struct str line)
{
	struct str rest, code;

	if (read_version(g, str_cut(line, ' ', &rest)) == HTTP_GATHER_BAD)
		return HTTP_GATHER_BAD;
	code = str_cut(rest, ' ', &rest);
	if (code.n != 3 || !ascii_is_digit(code.p[0]) || code.p[0] == '0' || !ascii_is_digit(code.p[1]) ||
	    !ascii_is_digit(code.p[2]))
		return http_head_bad(g, 502, "a status that is not a number from 100 to 999");
	g->head.status = (code.p[0] - '0') * 100 + (code.p[1] - '0') * 10 + (code.p[2] - '0');
	g->reason = (struct http_span){ .at = span_of(g, code).at + 4, .n = rest.n };
	return HTTP_GATHER_MORE;
}

/* ---- headers ---- */

static enum http_gathered note_length(struct http_gather *g, struct str value)
{
	if (g->has_length)
		return http_head_bad(g, 400, "two Content-Length headers");
	if (g->chunked)
		return http_head_bad(g, 400, "Content-Length and Transfer-Encoding together");
	if (!http_parse_length(value, &g->length))
		return http_head_bad(g, 400, "a Content-Length that is not a number");
	g->has_length = true;
	return HTTP_GATHER_MORE;
}

static enum http_gathered note_coding(struct http_gather *g, struct str value)
{
	if (g->chunked)
		return http_head_bad(g, 400, "two Transfer-Encoding headers");
	if (g->has_length)
		return http_head_bad(g, 400, "Content-Length and Transfer-Encoding together");
	if (g->head.minor == 0)
		return http_head_bad(g, 400, "Transfer-Encoding in HTTP/1.0");
	if (!http_name_eq(value, STR("chunked")))
		return http_head_bad(g, 501, "a Transfer-Encoding other than chunked");
	g->chunked = true;
	return HTTP_GATHER_MORE;
}

static enum http_gathered note_host(struct http_gather *g, struct str value)
{
	if (g->side == HTTP_RESPONSE)
		return HTTP_GATHER_MORE;
	if (g->has_host)
		return http_head_bad(g, 400, "two Host headers");
	if (!is_host(value))
		return http_head_bad(g, 400, "a Host that is not a host name");
	g->has_host = true;
	return HTTP_GATHER_MORE;
}

/* The headers that decide how the message goes on. Chosen by length first: few others have these lengths. */
static enum http_gathered note_header(struct http_gather *g, struct str name, struct str value)
{
	switch (name.n) {
	case 4:
		return http_name_eq(name, STR("host")) ? note_host(g, value) : HTTP_GATHER_MORE;
	case 6:
		if (http_name_eq(name, STR("expect")) && http_name_eq(value, STR("100-continue")))
			g->head.expect_continue = g->head.minor == 1;
		return HTTP_GATHER_MORE;
	case 7:
		g->has_upgrade |= http_name_eq(name, STR("upgrade"));
		return HTTP_GATHER_MORE;
	case 10:
		if (http_name_eq(name, STR("connection"))) {
			g->close |= http_list_has(value, STR("close"));
			g->keep |= http_list_has(value, STR("keep-alive"));
			g->wants_upgrade |= http_list_has(value, STR("upgrade"));
		}
		return HTTP_GATHER_MORE;
	case 14:
		return http_name_eq(name, STR("content-length")) ? note_length(g, value) : HTTP_GATHER_MORE;
	case 17:
		return http_name_eq(name, STR("transfer-encoding")) ? note_coding(g, value) : HTTP_GATHER_MORE;
	default:
		return HTTP_GATHER_MORE;
	}
}

static void add_place(struct http_gather *g, struct str name, struct str value)
{
	size_t room = g->room;

	mem_grow(g->places, g->count, room, 32);
	mem_grow(g->headers, g->count, g->room, 32);
	g->places[g->count++] = (struct http_place){ .name = span_of(g, name), .value = span_of(g, value) };
}

/* A line that is not empty. No space may stand before the colon, for readers differ about such a name. */
static enum http_gathered read_header(struct http_gather *g, struct str line)
{
	struct str name = { line.p, count_token(line.p, line.n) }, value;

	if (name.n == line.n)
		return http_head_bad(g, 400, "a header line without a colon");
	if (name.n == 0 || line.p[name.n] != ':')
		return http_head_bad(g, 400, "a header name that is not a token");
	value = str_skip(line, name.n + 1);
	while (value.n && (value.p[0] == ' ' || value.p[0] == '\t'))
		value = str_skip(value, 1);
	while (value.n && (value.p[value.n - 1] == ' ' || value.p[value.n - 1] == '\t'))
		value.n--;
	if (g->count == g->limits.headers)
		return http_head_bad(g, 431, "too many headers");
	add_place(g, name, value);
	return note_header(g, name, value);
}

/* ---- the whole ---- */

/* What is special about an answer's end: its status, and the method it answers, can take the body away. */
static enum http_gathered frame_answer(struct http_gather *g, bool answers_head)
{
	struct http_head *h = &g->head;
	bool empty = h->status / 100 == 1 || h->status == 204;

	/* such answers end with their head whatever it says, but not every reader knows that */
	if (empty && (g->chunked || (g->has_length && g->length)))
		return http_head_bad(g, 502, "a length for an answer that has no body");
	if (empty || h->status == 304 || answers_head)
		h->framing = HTTP_NONE;
	else if (!g->chunked && !g->has_length)
		h->framing = HTTP_TO_END;
	h->upgrade = h->status == 101;
	return HTTP_GATHER_WHOLE;
}

/* From what the headers said to how the body ends. Only here are they all known, so order among them is no matter. */
static enum http_gathered frame(struct http_gather *g, bool answers_head)
{
	struct http_head *h = &g->head;

	if (g->side == HTTP_REQUEST && h->minor == 1 && !g->has_host)
		return http_head_bad(g, 400, "no Host header");
	if (g->tunnel && (g->chunked || g->length))
		return http_head_bad(g, 400, "a CONNECT with a body");
	h->length = g->length;
	h->framing = g->chunked ? HTTP_CHUNKED : g->has_length ? HTTP_LENGTH : HTTP_NONE;
	h->upgrade = g->wants_upgrade && g->has_upgrade && h->minor == 1;
	if (g->side == HTTP_RESPONSE && frame_answer(g, answers_head) == HTTP_GATHER_BAD)
		return HTTP_GATHER_BAD;
	if (h->framing == HTTP_LENGTH && g->limits.body && h->length > g->limits.body)
		return http_head_bad(g, 413, "a body that is too large");
	h->keep_alive = !g->close && (h->minor == 1 || g->keep) && h->framing != HTTP_TO_END && h->status != 101;
	return HTTP_GATHER_WHOLE;
}

/* Both readers must agree on each thing that decides where the message ends. */
static enum http_gathered ask_second(struct http_gather *g)
{
	struct str text = buf_str(&g->text);
	size_t method = g->method.n;
	struct http_second s;
	bool ok = g->side == HTTP_REQUEST ? http_second_request(str_skip(text, method), g->tunnel, &s, &g->why)
					  : http_second_answer(text, &s, &g->why);

	if (!ok)
		return http_head_bad(g, 400, g->why);
	if (s.headers != g->count || s.minor != g->head.minor || s.chunked != g->chunked ||
	    s.has_length != g->has_length || (s.has_length && s.length != g->length) ||
	    (g->side == HTTP_RESPONSE && s.status != g->head.status))
		return http_head_bad(g, 400, "a head that can be read in two ways");
	return HTTP_GATHER_WHOLE;
}

/* The text moves no more from here on, so spans become texts. */
static enum http_gathered http_head_finish(struct http_gather *g, bool answers_head)
{
	struct http_head *h = &g->head;

	if (frame(g, answers_head) == HTTP_GATHER_BAD || ask_second(g) == HTTP_GATHER_BAD)
		return HTTP_GATHER_BAD;
	for (size_t i = 0; i < g->count; i++) {
		g->headers[i].name = span_text(g, g->places[i].name);
		g->headers[i].value = span_text(g, g->places[i].value);
	}
	h->headers = g->headers;
	h->count = g->count;
	h->method = span_text(g, g->method);
	h->target = span_text(g, g->target);
	h->reason = span_text(g, g->reason);
	return HTTP_GATHER_WHOLE;
}

/* What is there of a line: true when nothing is wrong with its bytes so far. `whole`: it ends with an LF. */
static bool http_head_check_bytes(struct http_gather *g, bool whole)
{
	const char *p = g->text.p;
	size_t n = g->text.n, end = n - whole, at;

	if (end > g->line && (p[g->line] == ' ' || p[g->line] == '\t')) {
		http_head_bad(g, 400, g->begun ? "a folded header line" : "a space before the first line");
		return false;
	}
	if (end > g->line && p[end - 1] == '\r')
		end--;
	at = g->seen + http_find_control(p + g->seen, end > g->seen ? end - g->seen : 0);
	if (end > g->seen && at < end) {
		http_head_bad(g, 400, p[at] == '\r' ? "a CR without an LF" : "a control character");
		return false;
	}
	if (whole && end == n - 1) {
		http_head_bad(g, 400, "an LF without a CR");
		return false;
	}
	if (end > g->seen)
		g->seen = end;
	return true;
}

static void clear(struct http_gather *g)
{
	buf_clear(&g->text);
	g->line = g->seen = g->count = 0;
	g->begun = g->has_length = g->chunked = g->has_host = g->tunnel = false;
	g->close = g->keep = g->wants_upgrade = g->has_upgrade = false;
	g->method = g->target = g->reason = (struct http_span){ 0 };
	g->length = 0;
	g->head = (struct http_head){ .side = g->side };
	g->why = NULL;
	g->status = 0;
}

/* A complete line, without its CR LF. Empty ones before the first are forgotten, up to BLANK_LINES of them. */
static enum http_gathered read_line(struct http_gather *g, bool answers_head)
{
	struct str line = str_of(g->text.p + g->line, g->text.n - g->line - 2);
	enum http_gathered next;

	g->line = g->seen = g->text.n;
	if (line.n == 0 && g->begun)
		return http_head_finish(g, answers_head);
	if (line.n == 0) {
		clear(g);
		return ++g->blank > BLANK_LINES ? http_head_bad(g, 400, "empty lines and no message")
						: HTTP_GATHER_MORE;
	}
	if (g->begun)
		return read_header(g, line);
	next = g->side == HTTP_REQUEST ? read_request_line(g, line) : read_status_line(g, line);
	g->begun = true;
	return next;
}

enum http_gathered http_gather_push(struct http_gather *g, struct str *bytes, bool answers_head)
{
	enum http_gathered next = HTTP_GATHER_MORE;

	while (bytes->n && next == HTTP_GATHER_MORE) {
		const char *lf = memchr(bytes->p, '\n', bytes->n);
		size_t n = lf ? (size_t)(lf - bytes->p) + 1 : bytes->n, room = g->limits.head - g->text.n;
		bool over = n > room;

		n = over ? room : n;
		buf_add(&g->text, bytes->p, n);
		*bytes = str_skip(*bytes, n);
		if (!http_head_check_bytes(g, lf && !over))
			return HTTP_GATHER_BAD;
		if (over)
			return http_head_bad(g, 431, "a head that is too large");
		if (lf)
			next = read_line(g, answers_head);
	}
	return next;
}

void http_gather_init(struct http_gather *g, enum http_side side, const struct http_limits *limits)
{
	*g = (struct http_gather){ .side = side };
	if (limits)
		g->limits = *limits;
	g->limits.head = g->limits.head ? g->limits.head : (size_t)64 << 10;
	g->limits.headers = g->limits.headers ? g->limits.headers : 200;
	buf_init(&g->text);
	http_gather_restart(g);
}

void http_gather_free(struct http_gather *g)
{
	buf_free(&g->text);
	mem_free(g->places);
	mem_free(g->headers);
}

void http_gather_restart(struct http_gather *g)
{
	clear(g);
	g->blank = 0;
}
