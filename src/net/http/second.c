#include "net/http/second.h"

#include <llhttp/llhttp.h>

struct opinion {
	llhttp_t parser; /* first, so that its callbacks find the rest */
	struct http_second *out;
	bool whole;
};

static int count_header(llhttp_t *parser)
{
	((struct opinion *)parser)->out->headers++;
	return 0;
}

static int note_head(llhttp_t *parser)
{
	struct opinion *o = (struct opinion *)parser;

	o->out->status = parser->status_code;
	o->out->minor = parser->http_minor;
	o->out->has_length = parser->flags & F_CONTENT_LENGTH;
	o->out->chunked = parser->flags & F_CHUNKED;
	o->out->length = parser->content_length;
	o->whole = true;
	return 0;
}

/* One use of llhttp for one head; nothing is kept. A request's method is replaced by POST, which it knows. */
static bool ask(llhttp_type_t type, struct str method, struct str rest, struct http_second *out, const char **why)
{
	llhttp_settings_t settings;
	struct opinion o = { .out = out };
	llhttp_errno_t e = HPE_OK;

	*out = (struct http_second){ 0 };
	llhttp_settings_init(&settings);
	settings.on_header_value_complete = count_header;
	settings.on_headers_complete = note_head;
	llhttp_init(&o.parser, type, &settings);
	if (method.n)
		e = llhttp_execute(&o.parser, method.p, method.n);
	if (e == HPE_OK)
		e = llhttp_execute(&o.parser, rest.p, rest.n);
	if (o.whole)
		return true; /* what follows a head (an upgrade, a body) is not its business */
	*why = e == HPE_OK ? "a head that does not end where it ends" : llhttp_get_error_reason(&o.parser);
	return false;
}

bool http_second_request(struct str rest, bool tunnel, struct http_second *out, const char **why)
{
	return ask(HTTP_REQUEST, tunnel ? STR("CONNECT") : STR("POST"), rest, out, why);
}

bool http_second_answer(struct str head, struct http_second *out, const char **why)
{
	return ask(HTTP_RESPONSE, str_of(NULL, 0), head, out, why);
}
