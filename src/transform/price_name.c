/*
 * Cuts the name from both ends in a buffer of fixed size, then turns signs into hyphens. The rules follow the names
 * that services give today; a name that fits none of them stays as it is, and finds its row if the table has it.
 */
#include "transform/price_name.h"

#include "base/ascii.h"

/* Trimmed and in lower case; empty when it has no room. ASCII only: no model has other letters. */
static struct str copy_lower(char out[PRICE_NAME_MAX], struct str s)
{
	s = str_trim(s);
	if (s.n > PRICE_NAME_MAX)
		return str_of(out, 0);
	for (size_t i = 0; i < s.n; i++)
		out[i] = ascii_lower(s.p[i]);
	return str_of(out, s.n);
}

/* A model's name has a digit or a hyphen in it. */
static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (ascii_is_digit(s.p[i]) || s.p[i] == '-')
			return true;
	return false;
}

/*
 * "us.anthropic.claude-..." and "openai:gpt-4o": words of letters and hyphens that end in a dot or a colon. After a
 * colon may also come a variant, "deepseek-chat:free": a single word, which a model is not.
 */
static struct str cut_owner(struct str s)
{
	size_t at = 0;

	while (at < s.n && (ascii_is_lower(s.p[at]) || s.p[at] == '-'))
		at++;
	if (at == 0 || at + 1 >= s.n || (s.p[at] != '.' && s.p[at] != ':'))
		return s;
	return s.p[at] == '.' || is_name(str_skip(s, at + 1)) ? str_skip(s, at + 1) : s;
}

/* All owners in front: "openrouter/us.anthropic.claude-..." has two kinds of them. */
static struct str cut_owners(struct str s)
{
	size_t slash = s.n;
	struct str shorter;

	while (slash > 0 && s.p[slash - 1] != '/')
		slash--;
	s = str_skip(s, slash);
	while ((shorter = cut_owner(s)).n < s.n)
		s = shorter;
	return s;
}

/* How many digits stand right before `end`. */
static size_t digits_before(struct str s, size_t end)
{
	size_t at = end;

	while (at > 0 && ascii_is_digit(s.p[at - 1]))
		at--;
	return end - at;
}

/* "-v1:0", as Bedrock counts its own versions of a model. */
static struct str cut_version(struct str s)
{
	size_t minor = digits_before(s, s.n), end = s.n - minor, major;

	if (minor == 0 || end == 0 || s.p[end - 1] != ':')
		return s;
	end--;
	major = digits_before(s, end);
	end -= major;
	if (major == 0 || end < 2 || s.p[end - 1] != 'v' || s.p[end - 2] != '-')
		return s;
	return str_of(s.p, end - 2);
}

/* "[1m]", as Claude Code marks the large window. */
static struct str cut_bracket(struct str s)
{
	size_t at = s.n;

	if (at == 0 || s.p[at - 1] != ']')
		return s;
	while (at > 0 && s.p[at - 1] != '[')
		at--;
	return at > 1 ? str_of(s.p, at - 1) : s;
}

/* claude-3.5 and claude-3-5, model@date and model-date are the same. */
static void plain_signs(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] == '.' || p[i] == '_' || p[i] == '@')
			p[i] = '-';
}

/* The version "4" or "3-5" at the start of s: one digit, or two of them with a hyphen between. 0: none. */
static size_t version_length(struct str s)
{
	if (s.n < 2 || !ascii_is_digit(s.p[0]) || s.p[1] != '-')
		return 0;
	return s.n > 3 && ascii_is_digit(s.p[2]) && s.p[3] == '-' ? 3 : 1;
}

/* claude-3-5-sonnet and claude-sonnet-3-5: which comes first has changed; the family does, here. */
static void family_first(char *p, struct str rest)
{
	static const char *const families[] = { "opus", "sonnet", "haiku" };
	size_t version = version_length(rest);
	char kept[4] = { '-' };

	for (size_t i = 0; version && i < COUNT(families); i++) {
		struct str family = str_from(families[i]);

		if (!str_starts(str_skip(rest, version + 1), family))
			continue;
		memcpy(kept + 1, p, version);
		memmove(p, p + version + 1, family.n);
		memcpy(p + family.n, kept, version + 1);
		return;
	}
}

struct str price_name_fold(char out[PRICE_NAME_MAX], struct str model)
{
	static const struct str claude = { "claude-", 7 };
	struct str s = copy_lower(out, model);

	s = cut_version(cut_bracket(cut_owners(s)));
	memmove(out, s.p, s.n);
	s.p = out;
	plain_signs(out, s.n);
	if (str_starts(s, claude))
		family_first(out + claude.n, str_skip(s, claude.n));
	return s;
}

struct str price_name_undated(struct str s)
{
	static const char *const shapes[] = { "-########", "-####-##-##" };
	static const struct str latest = { "-latest", 7 };

	if (str_ends(s, latest))
		return str_of(s.p, s.n - latest.n);
	for (size_t i = 0; i < COUNT(shapes); i++) {
		size_t n = strlen(shapes[i]), k = 0;

		if (s.n <= n)
			continue;
		for (const char *at = s.p + s.n - n; k < n; k++)
			if (shapes[i][k] == '#' ? !ascii_is_digit(at[k]) : at[k] != shapes[i][k])
				break;
		if (k == n)
			return str_of(s.p, s.n - n);
	}
	return s;
}

struct str price_name_provider(char out[PRICE_NAME_MAX], struct str provider)
{
	static const char *const same[][2] = {
		{ "gcp.gemini", "google" },   { "gcp.gen_ai", "google" }, { "gemini", "google" },
		{ "google-genai", "google" }, { "google_genai", "google" }, { "google-ai-studio", "google" },
		{ "x_ai", "xai" },            { "x-ai", "xai" },          { "mistral_ai", "mistral" },
		{ "mistralai", "mistral" },   { "claude", "anthropic" },
	};
	struct str s = copy_lower(out, provider);

	for (size_t i = 0; i < COUNT(same); i++)
		if (str_eq(s, str_from(same[i][0])))
			return copy_lower(out, str_from(same[i][1]));
	return s;
}

bool price_name_is_local(struct str provider)
{
	static const char *const local[] = { "ollama", "vllm", "sglang", "llama.cpp", "llamacpp", "lmstudio",
					     "lm-studio", "tgi", "hf", "transformers", "local", "mockllm" };

	return str_is_word_of(provider, local, COUNT(local));
}
