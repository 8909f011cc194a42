/*
 * Texts of requests on their way into sightings (dialect/agent_trace/clean.h). To see whether a text is a key takes
 * longer than all the rest, and sessions, models and names of tools come again with every span: what was found of
 * them is kept. Ids that come once are not.
 */
#include "dialect/agent_trace/clean.h"
#include "dialect/otlp/sight_private.h"

static struct str clean_now(enum sight_clean how, struct str text)
{
	if (how == SIGHT_CLEAN_MODEL)
		return clean_model(text);
	return how == SIGHT_CLEAN_TOOL ? clean_tool(text) : clean_id(text);
}

/* What was found is a part of the text, or a constant, or nothing. */
static void clean_keep(struct sight_cleaned *c, struct str text, struct str found)
{
	bool inside = found.p && found.p >= text.p && found.p + found.n <= text.p + text.n;

	c->n = (uint8_t)text.n;
	memcpy(c->text, text.p, text.n);
	c->inside = inside;
	c->at = inside ? (uint8_t)(found.p - text.p) : 0;
	c->length = (uint8_t)found.n;
	c->constant = inside ? NULL : found.p;
}

struct str sight_clean(struct otlp_sighter *o, enum sight_clean how, struct str text)
{
	struct sight_cleaned *c;
	struct str found;

	if (!text.n)
		return str_of(NULL, 0);
	if (text.n > sizeof(c->text))
		return clean_now(how, text);
	c = &o->cleaned[(str_hash(text) + (unsigned)how) % COUNT(o->cleaned)];
	if (c->n == text.n && c->how == how && memcmp(c->text, text.p, text.n) == 0)
		return c->inside ? str_of(text.p + c->at, c->length) : str_of(c->constant, c->length);
	found = clean_now(how, text);
	c->how = (uint8_t)how;
	clean_keep(c, text, found);
	return found;
}

struct str sight_clean_endpoint(struct otlp_sighter *o, struct str endpoint, struct str provider)
{
	struct str found;

	if (!endpoint.n)
		return str_of(NULL, 0);
	if (str_eq(endpoint, buf_str(&o->endpoint)) && str_eq(provider, buf_str(&o->endpoint_of)))
		return arena_copy(&o->scratch, buf_str(&o->endpoint_clean));
	found = clean_endpoint(&o->scratch, endpoint, 0, provider);
	buf_clear(&o->endpoint);
	buf_clear(&o->endpoint_of);
	buf_clear(&o->endpoint_clean);
	buf_add_str(&o->endpoint, endpoint);
	buf_add_str(&o->endpoint_of, provider);
	buf_add_str(&o->endpoint_clean, found);
	return found;
}
