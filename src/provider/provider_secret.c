#include "provider/provider_secret.h"

#define USER_SECRETS 2 /* of an address: both words, and the password alone */

static void add(struct provider_client *c, struct str secret)
{
	if (secret.n >= SECRET_IN_WORDS)
		c->secrets[c->secret_count++] = secret;
}

/* "Bearer abc": what stands behind the last blank. */
static struct str last_word(struct str value)
{
	size_t at = value.n;

	while (at > 0 && value.p[at - 1] != ' ')
		at--;
	return str_of(value.p + at, value.n - at);
}

void provider_secrets_gather(struct provider_client *c)
{
	c->secrets = arena_array(c->arena, struct str, 1 + c->o.header_count + USER_SECRETS);
	c->secret_count = 0;
	add(c, c->o.key);
	for (size_t i = 0; i < c->o.header_count; i++)
		add(c, last_word(str_trim(c->o.headers[i].value)));
}

void provider_secrets_add_user(struct provider_client *c, struct str user)
{
	const char *colon = user.n ? memchr(user.p, ':', user.n) : NULL;

	add(c, user);
	if (colon)
		add(c, str_of(colon + 1, user.n - (size_t)(colon + 1 - user.p)));
}

static struct str hide_one(struct arena *a, struct str secret, struct str text)
{
	size_t at = text.n ? str_find(text, secret) : (size_t)-1;
	struct buf out;

	if (at == (size_t)-1)
		return text;
	buf_init(&out);
	for (; at != (size_t)-1; at = str_find(text, secret)) {
		buf_add(&out, text.p, at);
		buf_add_str(&out, STR("..."));
		text = str_of(text.p + at + secret.n, text.n - at - secret.n);
	}
	buf_add_str(&out, text);
	text = arena_copy(a, buf_str(&out));
	buf_free(&out);
	return text;
}

struct str provider_hide(struct arena *a, const struct provider_client *c, size_t least, struct str text)
{
	for (size_t i = 0; i < c->secret_count; i++)
		if (c->secrets[i].n >= least)
			text = hide_one(a, c->secrets[i], text);
	return text;
}

static bool has_long(const struct provider_client *c)
{
	for (size_t i = 0; i < c->secret_count; i++)
		if (c->secrets[i].n >= SECRET_IN_TEXT)
			return true;
	return false;
}

void provider_hide_answer(struct arena *a, const struct provider_client *c, struct provider_answer *out)
{
	struct provider_call_made *calls;

	if (!has_long(c))
		return;
	out->text = provider_hide(a, c, SECRET_IN_TEXT, out->text);
	out->model = provider_hide(a, c, SECRET_IN_TEXT, out->model);
	out->request_id = provider_hide(a, c, SECRET_IN_TEXT, out->request_id);
	if (out->call_count == 0)
		return;
	calls = arena_array(a, struct provider_call_made, out->call_count);
	for (size_t i = 0; i < out->call_count; i++) {
		calls[i].name = provider_hide(a, c, SECRET_IN_TEXT, out->calls[i].name);
		calls[i].arguments = provider_hide(a, c, SECRET_IN_TEXT, out->calls[i].arguments);
	}
	out->calls = calls;
}
