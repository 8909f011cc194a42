/* Members of what a hook was told, taken with care. */
#include "dialect/sighting/hook.h"

#include "dialect/agent_trace/clean.h"

struct str hook_id(struct arena *a, struct val told, struct str name)
{
	return clean_id(val_get_text(told, name, a));
}

struct str hook_name(struct arena *a, struct val told, struct str name)
{
	struct str text = val_get_text(told, name, a);

	return text.p ? clean_tool(text) : text;
}

int64_t hook_ms(struct val told, struct str name)
{
	double ms;

	if (!val_double(val_get(told, name), &ms) || !(ms >= 0 && ms < 1e12))
		return -1;
	return (int64_t)(ms * 1e6);
}

/* Bytes of a text, if it is one. */
static bool hook_add_text(struct arena *a, struct val text, int64_t *size)
{
	if (!val_is(text, JSON_STRING))
		return false;
	*size += (int64_t)val_text(text, a).n;
	return true;
}

/* Blocks of content, as MCP and models have them. False: it is something else. */
static bool hook_is_blocks(struct arena *a, struct val list, struct sighting *s)
{
	struct val_iter it = val_begin(list);
	bool image = false, other = !val_is(list, JSON_ARRAY) || val_count(list) == 0;
	struct val block;
	int64_t size = 0;

	while (!other && val_next(&it, &block)) {
		bool drawn = val_text_is(val_get(block, STR("type")), STR("image"));

		image = image || drawn;
		other = !drawn && !hook_add_text(a, val_get(block, STR("text")), &size);
	}
	if (other)
		return false;
	s->size = image ? (int64_t)val_source(list).n : size;
	s->result_kind = image ? STR("image") : STR("text");
	return true;
}

/* What a command printed, or what a file has. */
static bool hook_is_output(struct arena *a, struct val result, struct sighting *s)
{
	bool image = val_is(val_get(result, STR("isImage")), JSON_TRUE);
	int64_t size = 0;

	if (!hook_add_text(a, val_get(result, STR("stdout")), &size) &&
	    !hook_add_text(a, val_get(val_get(result, STR("file")), STR("content")), &size))
		return false;
	hook_add_text(a, val_get(result, STR("stderr")), &size);
	s->size = size;
	s->result_kind = image ? STR("image") : STR("text");
	return true;
}

static bool hook_looks_like_json(struct str text)
{
	text = str_trim(text);
	return text.n > 1 && ((text.p[0] == '{' && text.p[text.n - 1] == '}') ||
			      (text.p[0] == '[' && text.p[text.n - 1] == ']'));
}

void hook_result(struct arena *a, struct val result, struct sighting *s)
{
	if (val_is_unset(result))
		return;
	if (val_is(result, JSON_STRING)) {
		struct str text = val_text(result, a);

		s->size = (int64_t)text.n;
		s->result_kind = hook_looks_like_json(text) ? STR("json") : STR("text");
		return;
	}
	if (hook_is_blocks(a, result, s) || hook_is_blocks(a, val_get(result, STR("content")), s) ||
	    hook_is_output(a, result, s))
		return;
	s->size = (int64_t)val_source(result).n;
	s->result_kind = STR("json");
}
