/*
 * Each kind of text has a list of signs that make it unfit. A text that is not clearly fit becomes "unknown": a trace
 * may lose a name, and must not gain a secret.
 */
#include "dialect/agent_trace/clean.h"

#include "base/ascii.h"
#include "base/mask.h"
#include "dialect/agent_trace/trace_path.h"
#include "dialect/exchange/service.h"
#include "dialect/record/field.h"
#include "dialect/record/leak.h"
#include "dialect/record/leak_name.h"

#define KEY_LEAST 12 /* bytes: no key of a service is shorter */
#define ID_MAX 96
#define ID_RUN 64   /* letters and digits in a row: the longest ids of services have about 50 */
#define ID_WORDS 8  /* that many are a sentence, whatever stands between them */
#define NAME_MAX_BYTES 200
#define SCHEME_MAX 16

static const struct str frameworks[] = {
	WORD("langgraph"), WORD("crewai"), WORD("autogen"), WORD("claude_code"), WORD("cursor_sdk"), WORD("raw_openai"),
};

/* "unknown" for those that no row has. */
static struct str public_endpoint(struct str provider)
{
	const struct service *s;
	size_t at = 0;

	while ((s = service_next(&at)))
		if (s->endpoint && (str_eq_nocase(provider, str_from(s->name)) ||
				    (s->alias && str_eq_nocase(provider, str_from(s->alias)))))
			return str_from(s->endpoint);
	return STR("unknown");
}

/* Up to the first of these bytes. */
static struct str cut_at(struct str s, const char *stops)
{
	size_t n = 0;

	while (n < s.n && !ascii_is_one_of(s.p[n], stops))
		n++;
	return str_of(s.p, n);
}

/* Whether something in the text would be masked as a key. */
static bool has_key(struct str text)
{
	struct buf shown = { 0 };
	bool hidden;

	if (text.n < KEY_LEAST)
		return false;
	hidden = mask_text(&shown, text, 0, NULL, NULL);
	buf_free(&shown);
	return hidden;
}

/* What a host and its port are written with; the brackets are those of an IPv6 address. */
static bool is_host(struct str host)
{
	for (size_t i = 0; i < host.n; i++)
		if (host.p[i] <= ' ' || host.p[i] >= 0x7f || strchr("\"'`{}<>$%\\;|&*?!=,()^~+", host.p[i]))
			return false;
	return true;
}

/* "https" and its like: letters and digits, and what RFC 3986 lets stand between them. */
static bool is_scheme(struct str scheme)
{
	for (size_t i = 0; i < scheme.n; i++)
		if (!ascii_is_alnum(scheme.p[i]) && !ascii_is_one_of(scheme.p[i], "+-."))
			return false;
	return scheme.n > 0 && scheme.n <= SCHEME_MAX;
}

/* What is left of an address: without its user and its private parts it may look like a path of this machine. */
static bool is_clean_url(struct str url, size_t begin)
{
	return (begin || !leak_has_path(url, NULL, NULL)) && !leak_url_credentials(url) && !leak_has_environment(url) &&
	       !has_key(url);
}

struct str clean_endpoint(struct arena *a, struct str endpoint, size_t own, struct str provider)
{
	struct str url = cut_at(str_trim(endpoint), "?#\n\r\t "), host, path;
	size_t scheme = str_find(url, STR("://")), begin = scheme == (size_t)-1 ? 0 : scheme + 3, user = 0, before;

	if (url.n == 0 || str_eq(url, STR("unknown")))
		return public_endpoint(provider);
	host = cut_at(str_of(url.p + begin, url.n - begin), "/\\");
	before = begin + host.n;
	path = str_of(url.p + before, url.n - before);
	for (size_t i = 0; i < host.n; i++)
		if (host.p[i] == '@')
			user = i + 1;
	host = str_of(host.p + user, host.n - user);
	if (url.n > 1024 || !is_host(host) || (path.n && path.p[0] != '/') || (host.n == 0 && (begin || !path.n)))
		return STR("unknown");
	if (begin ? !is_scheme(str_of(url.p, scheme)) : leak_has_path(url, NULL, NULL))
		return STR("unknown");
	path = trace_path_clean(a, path, own > before ? own - before : 0);
	url = ARENA_JOIN(a, str_of(url.p, begin), host, path);
	return is_clean_url(url, begin) ? url : STR("unknown");
}

/* What stands behind the last slash of either kind. */
static struct str last_component(struct str path)
{
	size_t at = path.n;

	while (at > 0 && path.p[at - 1] != '/' && path.p[at - 1] != '\\')
		at--;
	return str_of(path.p + at, path.n - at);
}

/* Components that only paths have: . and .. and hidden ones, or the first one of a machine's own. */
static bool is_relative_path(struct str text)
{
	static const struct str firsts[] = {
		WORD("home"), WORD("Users"), WORD("root"), WORD("tmp"), WORD("var"), WORD("etc"),
		WORD("mnt"),  WORD("media"), WORD("opt"),  WORD("srv"), WORD("usr"), WORD("Volumes"),
	};
	struct str rest = text, part = cut_at(text, "/\\");

	if (memchr(text.p, '\\', text.n))
		return true;
	if (part.n < text.n && str_is_one_of(part, firsts, COUNT(firsts)))
		return true;
	while (rest.n) {
		part = str_cut(rest, '/', &rest);
		if (part.n && part.p[0] == '.')
			return true;
	}
	return false;
}

/*
 * "Claude 3 Opus", "GPT-5 mini": a capital or digit begins it, it has a number, and no long one. Of more than three
 * words each begins so.
 */
static bool is_shown_name(struct str text)
{
	size_t words = 0, small = 0, digits = 0, all = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		bool begins = i == 0 || text.p[i - 1] == ' ', digit = ascii_is_digit(c);

		words += begins;
		small += begins && !digit && !ascii_is_upper(c) && c != '(';
		digits = begins ? digit : digits + digit;
		all += digit;
		if (digits > 4 || (small && words == 1))
			return false;
	}
	return all > 0 && words <= (small ? 3 : 5);
}

/*
 * Names of models are made of these, with a few blanks; a sentence, a value of JSON or an address of somebody's
 * mail is none, whoever puts it there.
 */
static bool is_model_name(struct str text)
{
	size_t letters = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c <= ' ' ? c != ' ' : c >= 0x7f || strchr("\"'`{}<>$%\\;|&*?!=", c))
			return false;
		letters += ascii_is_alpha(c);
	}
	return letters > 0 && (!memchr(text.p, ' ', text.n) || is_shown_name(text));
}

/* "owner/name:digest" is owner/name. */
static struct str without_digest(struct str text)
{
	struct str digest, name = str_cut(text, ':', &digest);

	return digest.n && memchr(name.p, '/', name.n) && leak_looks_like_key(digest) ? name : text;
}

struct str clean_model(struct str model)
{
	struct str text = str_trim(model);
	bool path;

	if (text.n == 0 || leak_has_mail(text))
		return STR("unknown");
	path = text.p[0] == '/' || is_relative_path(text) || leak_has_path(text, NULL, NULL);
	while (path && text.n > 1 && (text.p[text.n - 1] == '/' || text.p[text.n - 1] == '\\'))
		text.n--;
	text = str_trim(path ? last_component(text) : without_digest(text));
	if (text.n == 0 || leak_is_prose(text) || leak_has_environment(text) || leak_has_path(text, NULL, NULL) ||
	    is_relative_path(text) || has_key(text) || leak_looks_like_key(text) || leak_has_person_number(text) ||
	    !is_model_name(text))
		return STR("unknown");
	return text;
}

/* Also behind the name of a server and a dot. */
static bool has_tool_path(struct str text)
{
	return leak_has_path(text, NULL, NULL) || is_relative_path(text) || str_has(text, STR("./")) ||
	       str_has(text, STR("~/"));
}

struct str clean_tool(struct str name)
{
	struct str text = str_trim(name);

	if (leak_has_arguments(text))
		text = cut_at(text, " \t\r\n\"'`([{<>|;&=");
	if (text.n == 0 || text.n > NAME_MAX_BYTES || leak_has_controls(text) || leak_has_arguments(text) ||
	    leak_is_prose(text) || has_tool_path(text) || leak_has_mail(text) || leak_has_person_number(text) ||
	    leak_has_environment(text) || has_key(text) || leak_has_key_run(text))
		return STR("unknown");
	return text;
}

/* Letters, digits and a few marks; no sentence in disguise, nothing that is longer than any id. */
static bool is_clean_id(struct str id)
{
	size_t run = 0, letters = 0, words = 0;

	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];
		bool letter = ascii_is_alpha(c), digit = ascii_is_digit(c);

		if (!letter && !digit && !ascii_is_one_of(c, "-_.:+|#$"))
			return false;
		if (letter || digit) {
			letters += letter;
			if (++run > ID_RUN)
				return false;
			continue;
		}
		words += run > 1 && letters == run;
		run = letters = 0;
	}
	return words < ID_WORDS;
}

struct str clean_id(struct str id)
{
	if (!id.p || id.n == 0 || id.n > ID_MAX || !is_clean_id(id) || leak_has_person_number(id) ||
	    str_starts(id, STR("sk-")) || has_key(id))
		return str_of(NULL, 0);
	return id;
}

struct str clean_framework(struct str word)
{
	for (size_t i = 0; i < COUNT(frameworks); i++)
		if (str_eq(word, frameworks[i]))
			return frameworks[i];
	return STR("unknown");
}
