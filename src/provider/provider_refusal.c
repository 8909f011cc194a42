/*
 * Tables from the words of services to the few words a results file has: what a status means, and what an error's code
 * does.
 */
#include "provider/provider_refusal.h"

#include "base/ascii.h"
#include "base/mask.h"
#include "base/utf8.h"

#define CODE_MOST 60 /* bytes of a service's word for an error that become our word for it */

static void provider_refusal_set(struct provider_answer *out, enum provider_status status, const char *failure,
				 bool retryable)
{
	out->status = status;
	out->failure = failure;
	out->retryable = retryable;
}

void provider_refuse_status(struct arena *a, int status, struct provider_answer *out)
{
	const char *failure = arena_printf(a, "http_%d", status).p;

	switch (status) {
	case 401:
	case 403:
		provider_refusal_set(out, PROVIDER_AUTH, failure, false);
		break;
	case 404:
		provider_refusal_set(out, PROVIDER_UNAVAILABLE, "model_not_found", false);
		break;
	case 429:
		provider_refusal_set(out, PROVIDER_LIMITED, failure, true);
		break;
	case 503:
	case 529: /* Anthropic's "overloaded" */
		provider_refusal_set(out, PROVIDER_ERROR, failure, true);
		break;
	default:
		provider_refusal_set(out, PROVIDER_ERROR, failure, false);
		break;
	}
}

/* ---- words ---- */

/* Ollama: model 'x' not found. vLLM: The model `x` does not exist. */
static bool says_no_model(struct str message)
{
	return str_has_nocase(message, STR("model")) &&
	       (str_has_nocase(message, STR("not found")) || str_has_nocase(message, STR("not exist")));
}

static const struct meaning {
	const char *code;
	enum provider_status status;
	const char *failure; /* NULL: the code itself */
	bool retryable;
} meanings[] = {
	{ "overloaded_error", PROVIDER_ERROR, "http_529", true },
	{ "rate_limit_error", PROVIDER_LIMITED, "http_429", true },
	{ "rate_limit_exceeded", PROVIDER_LIMITED, "http_429", true },
	{ "insufficient_quota", PROVIDER_LIMITED, "http_429", false },
	{ "authentication_error", PROVIDER_AUTH, "http_401", false },
	{ "invalid_api_key", PROVIDER_AUTH, "http_401", false },
	{ "permission_error", PROVIDER_AUTH, "http_403", false },
	{ "model_not_found", PROVIDER_UNAVAILABLE, "model_not_found", false },
	{ "not_found_error", PROVIDER_UNAVAILABLE, "model_not_found", false },
};

static const struct meaning *meaning_of(struct str code)
{
	for (size_t i = 0; i < COUNT(meanings); i++)
		if (str_eq(code, str_from(meanings[i].code)))
			return &meanings[i];
	return NULL;
}

/* A word that may stand in a results file: small letters, digits and underscores. NULL when nothing is left. */
static const char *clean_code(struct arena *a, struct str code)
{
	char word[CODE_MOST + 1] = "";
	size_t n = 0;

	for (size_t i = 0; i < code.n && n < CODE_MOST; i++) {
		if (ascii_is_alnum(code.p[i]))
			word[n++] = ascii_lower(code.p[i]);
		else if (n && word[n - 1] != '_')
			word[n++] = '_';
	}
	while (n && word[n - 1] == '_')
		n--;
	return n && !ascii_is_digit(word[0]) ? arena_copy(a, str_of(word, n)).p : NULL;
}

/* ---- messages ---- */

struct str provider_message(struct arena *a, struct str text, struct str secret)
{
	struct buf line;

	buf_init(&line);
	mask_line(&line, text, &secret, 1, REFUSAL_MESSAGE); /* a service may say the key again */
	return line.n ? arena_take(a, &line) : STR("");
}

/* ---- bodies ---- */

void provider_refuse_body(struct arena *a, struct val body, struct provider_answer *out)
{
	struct val error = val_get(body, STR("error"));
	struct str message, code, type;

	if (!val_is(body, JSON_OBJECT))
		return;
	if (!val_is(error, JSON_OBJECT))
		error = val_is(error, JSON_STRING) ? error : body; /* older vLLM: the error is the body */
	message = val_is(error, JSON_STRING) ? val_text_or_none(error, a) : val_get_text(error, STR("message"), a);
	if (!message.n)
		message = val_get_text(body, STR("detail"), a);
	code = val_is(error, JSON_OBJECT) ? val_get_text(error, STR("code"), a) : str_of(NULL, 0);
	type = val_is(error, JSON_OBJECT) ? val_get_text(error, STR("type"), a) : str_of(NULL, 0);
	out->message = message.n ? message : out->message;
	if (out->http_status >= 500 || out->status == PROVIDER_AUTH)
		return;
	if (str_eq(code, STR("insufficient_quota")) || str_eq(type, STR("insufficient_quota")))
		provider_refusal_set(out, PROVIDER_LIMITED, "http_429", false); /* waiting does not help */
	else if (out->status == PROVIDER_ERROR && (str_eq(code, STR("model_not_found")) || says_no_model(message)))
		provider_refusal_set(out, PROVIDER_UNAVAILABLE, "model_not_found", false);
}

void provider_refuse_event(struct arena *a, struct str code, struct str message, struct provider_answer *out)
{
	const struct meaning *m = meaning_of(code);
	const char *word = clean_code(a, code);

	if (m)
		provider_refusal_set(out, m->status, m->failure, m->retryable);
	else if (says_no_model(message))
		provider_refusal_set(out, PROVIDER_UNAVAILABLE, "model_not_found", false);
	else
		provider_refusal_set(out, PROVIDER_ERROR, word ? word : "stream_error", false);
	out->message = message.n ? message : STR("");
}
