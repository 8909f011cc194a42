/* What the strings of a trace must not hold: keys, credentials, paths, prompts, arguments. */
#include "dialect/agent_trace/agent_trace.h"
#include "dialect/agent_trace/fields.h"
#include "dialect/record/leak.h"

/* Of a URL that carries credentials its password has been told. */
static bool check_key(struct record_scan *s, struct val v, unsigned rule, bool url)
{
	const char *service;

	if (!record_is_secret(s, v, &service) || (url && strncmp(service, "a password", 10) == 0))
		return true;
	record_note_secret(s, rule, v, "this string resembles %s", service);
	return false;
}

bool agent_trace_is_private(struct str text, const char **what)
{
	*what = leak_has_path(text, NULL, NULL) ? "holds an absolute path" : "holds environment variables";
	return leak_has_path(text, NULL, NULL) || leak_has_environment(text);
}

/* False, after a finding, when the text holds a path or an environment. */
static bool check_private(struct record_scan *s, struct val v, struct str text)
{
	const char *what;

	if (!agent_trace_is_private(text, &what))
		return true;
	record_note(s, AT064, v, "this string %s", what);
	return false;
}

/* False, after a finding. A key is told by its own rule too, and never shown. */
static bool check_error(struct record_scan *s, struct val v, struct str text)
{
	const char *what;
	bool clean = check_key(s, v, AT062, false);

	if (!clean)
		record_note_secret(s, AT066, v, "error_message holds a key");
	else if (leak_error_text(text, &what))
		record_note(s, AT066, v, "error_message holds %s", what);
	else
		return true;
	return false;
}

/* True when there is nothing to say about it. */
static bool check_all(struct record_scan *s, struct val v, enum at_text kind)
{
	struct str text = val_text(v, s->arena);
	bool clean;

	if (kind == AT_TEXT_ERROR)
		return check_error(s, v, text);
	clean = check_key(s, v, AT062, kind == AT_TEXT_ENDPOINT && leak_url_credentials(text));
	if (kind == AT_TEXT_ENDPOINT) {
		if (leak_url_credentials(text)) {
			record_note_secret(s, AT061, v, "endpoint carries credentials");
			return false;
		}
		return clean && (str_has(text, STR("://")) || check_private(s, v, text));
	}
	if (kind == AT_TEXT_TOOL && leak_has_arguments(text)) {
		record_note(s, AT067, v, "the tool's name carries arguments");
		return false;
	}
	return check_private(s, v, text) && clean;
}

void agent_trace_check_text(struct record_scan *s, struct val v, enum at_text kind)
{
	struct str raw = val_raw(v);
	uint64_t ticket;

	if (kind == AT_TEXT_ID) {
		record_gather(s, v);
		return;
	}
	if (record_is_clean(s, raw, kind, &ticket))
		return;
	if (check_all(s, v, kind))
		record_mark_clean(s, ticket);
}

/* Whether a value is, or holds, a string with something in it. */
static bool holds_text(struct val value)
{
	for (struct val v = value; v.at < val_end(value); v.at++)
		if (val_is(v, JSON_STRING) && val_tok(v)->len > 0)
			return true;
	return false;
}

/* A field that an event of another kind has: out of place, but no prompt. */
static bool agent_trace_text_is_known(struct val key)
{
	static const struct record_type *const types[] = {
		&at_node, &at_summary, &at_model_call, &at_tool_call, &at_branch,
	};

	for (size_t i = 0; i < COUNT(types); i++)
		for (size_t k = 0; k < types[i]->count; k++)
			if (val_text_is(key, str_from(types[i]->fields[k].name)))
				return true;
	return false;
}

void agent_trace_check_unknown(struct record_scan *s, struct val key)
{
	struct val value = { key.tape, key.at + 1 };
	bool told = false, known = agent_trace_text_is_known(key);
	uint32_t empty = 0; /* up to there no text is to come */

	if (val_is(value, JSON_NULL))
		return;
	for (struct val v = key; v.at < val_end(value); v.at++) {
		struct str text;

		if (val_is(v, JSON_KEY)) {
			text = val_text(v, s->arena);
			record_gather(s, v);
			if (told || (known && v.at == key.at) || v.at < empty || !leak_is_blocked_name(text))
				continue;
			if (!holds_text((struct val){ v.tape, v.at + 1 })) {
				empty = val_end((struct val){ v.tape, v.at + 1 });
			} else {
				record_note(s, AT063, v, "a field named %.*s is not part of the schema",
					    STR_ARG(record_show(s, v)));
				told = true;
			}
		} else if (val_is(v, JSON_STRING)) {
			text = val_text(v, s->arena);
			record_gather(s, v);
			if (!told && leak_is_text(text)) {
				record_note(s, AT063, v, "a field that is not part of the schema holds text");
				told = true;
			}
		}
	}
}
