/*
 * A secret is looked for as it stands and in the shapes it takes inside base64 and hexadecimal: the characters of it
 * that do not depend on what stands beside it.
 */
#include "provider/provider_secret.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/crypto/base64.h"
#include "base/crypto/hex.h"

#define USER_SECRETS 2 /* of an address: both words, and the password alone */
#define SHAPES 8       /* of a secret: base64 at three places, in two alphabets; hexadecimal in two cases */

static void add_shape(struct provider_client *c, struct provider_shape s)
{
	assert(c->shape_count < c->secret_room * SHAPES);
	c->shapes[c->shape_count++] = s;
}

/* The other alphabet, of RFC 4648 section 5, when that makes a difference. */
static void add_url_safe(struct provider_client *c, struct provider_shape s)
{
	char *text = arena_alloc(c->arena, s.core.n + 1, 1);
	bool differs = false;

	for (size_t i = 0; i < s.core.n; i++) {
		char b = s.core.p[i];

		text[i] = (char)(b == '+' ? '-' : b == '/' ? '_' : b);
		differs = differs || text[i] != b;
	}
	s.core = str_of(text, s.core.n);
	if (differs)
		add_shape(c, s);
}

/* With 0, 1 or 2 bytes before it: what is encoded with the secret may begin at any place of a group of three. */
static void add_base64(struct provider_client *c, struct str secret)
{
	static const size_t skipped[] = { 0, 2, 3 };

	for (size_t before = 0; before < 3; before++) {
		size_t bits = 8 * (before + secret.n), from = skipped[before];
		struct buf text;
		struct str bytes = ARENA_JOIN(c->arena, str_of("\0\0", before), secret);
		struct provider_shape s = { .of = secret.n, .before = before > 0, .behind = bits % 6 != 0 };

		buf_init(&text);
		base64_add(&text, bytes);
		s.core = arena_copy(c->arena, str_of(text.p + from, bits / 6 - from));
		buf_free(&text);
		add_shape(c, s);
		add_url_safe(c, s);
	}
}

static void add_hex(struct provider_client *c, struct str secret)
{
	struct provider_shape s = { .of = secret.n };
	char *lower = arena_alloc(c->arena, 2 * secret.n + 1, 1), *upper = arena_alloc(c->arena, 2 * secret.n + 1, 1);

	hex_format(lower, secret.p, secret.n);
	for (size_t i = 0; i < 2 * secret.n; i++)
		upper[i] = ascii_upper(lower[i]);
	s.core = str_of(lower, 2 * secret.n);
	add_shape(c, s);
	s.core = str_of(upper, 2 * secret.n);
	add_shape(c, s);
}

static void provider_secret_add(struct provider_client *c, struct str secret)
{
	if (secret.n >= SECRET_IN_WORDS) {
		assert(c->secret_count < c->secret_room); /* provider_secrets_add_user is called once at most */
		c->secrets[c->secret_count++] = secret;
	}
	if (secret.n < SECRET_IN_SHAPE)
		return;
	add_base64(c, secret);
	add_hex(c, secret);
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
	c->secret_room = 1 + c->o.header_count + USER_SECRETS;
	c->secrets = arena_array(c->arena, struct str, c->secret_room);
	c->shapes = arena_array(c->arena, struct provider_shape, c->secret_room * SHAPES);
	c->secret_count = c->shape_count = 0;
	provider_secret_add(c, c->o.key);
	for (size_t i = 0; i < c->o.header_count; i++)
		provider_secret_add(c, last_word(str_trim(c->o.headers[i].value)));
}

void provider_secrets_add_user(struct provider_client *c, struct str user)
{
	const char *colon = user.n ? memchr(user.p, ':', user.n) : NULL;

	provider_secret_add(c, user);
	if (colon)
		provider_secret_add(c, str_of(colon + 1, user.n - (size_t)(colon + 1 - user.p)));
}

static bool is_base64(char c)
{
	return ascii_is_word(c) || c == '+' || c == '/' || c == '-';
}

/* A character beside the core that holds bits of the secret goes too, and padding behind it. */
static struct str hide_one(struct arena *a, const struct provider_shape *s, struct str text)
{
	size_t at = text.n ? str_find(text, s->core) : (size_t)-1;
	struct buf out;

	if (at == (size_t)-1)
		return text;
	buf_init(&out);
	for (; at != (size_t)-1; at = str_find(text, s->core)) {
		size_t end = at + s->core.n;

		if (s->before && at > 0 && is_base64(text.p[at - 1]))
			at--;
		if (s->behind && end < text.n && is_base64(text.p[end]))
			end++;
		while (s->behind && end < text.n && text.p[end] == '=')
			end++;
		buf_add(&out, text.p, at);
		buf_add_str(&out, STR("..."));
		text = str_of(text.p + end, text.n - end);
	}
	buf_add_str(&out, text);
	return arena_take(a, &out);
}

struct str provider_hide(struct arena *a, const struct provider_client *c, size_t least, struct str text)
{
	for (size_t i = 0; i < c->secret_count; i++)
		if (c->secrets[i].n >= least)
			text = hide_one(a, &(struct provider_shape){ .core = c->secrets[i] }, text);
	for (size_t i = 0; i < c->shape_count; i++)
		if (c->shapes[i].of >= least)
			text = hide_one(a, &c->shapes[i], text);
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
