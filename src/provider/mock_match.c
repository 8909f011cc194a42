#include "provider/mock_match.h"

void mock_matcher_init(struct mock_matcher *m, struct arena *a, const struct mock_script *script)
{
	m->script = script;
	m->fitted = arena_array(a, uint64_t, script->count);
}

static bool has_wildcard(struct str s)
{
	return s.n && (memchr(s.p, '*', s.n) || memchr(s.p, '?', s.n));
}

static bool fits_path(struct str pattern, struct str path)
{
	return has_wildcard(pattern) ? str_is_like(path, pattern, STR_LIKE_ONE) : str_ends(path, pattern);
}

static bool contains(const struct mock_request *q, struct str part)
{
	if (part.n == 0)
		return true;
	for (size_t i = 0; i < q->text_count; i++)
		if (str_has(q->texts[i], part))
			return true;
	return false;
}

/* What is no talk with a model (embeddings, lists) is answered without rules, but for those that name its path. */
static bool fits(const struct mock_pattern *m, const struct mock_request *q)
{
	if (!m->path.p && !q->shape)
		return false;
	if (m->times && q->times > m->times)
		return false;
	return (!m->path.p || fits_path(m->path, q->path)) &&
	       (!m->model.p || str_is_like(q->model, m->model, STR_LIKE_ONE)) &&
	       (!m->last.p || m->last.n == 0 || str_has(q->last, m->last)) &&
	       (!m->contains.p || contains(q, m->contains));
}

const struct mock_rule *mock_match(struct mock_matcher *m, const struct mock_request *q)
{
	const struct mock_rule *found = NULL;

	for (size_t i = 0; i < m->script->count; i++) {
		const struct mock_rule *r = &m->script->rules[i];

		if (found && r->match.nth == 0)
			continue; /* nobody asks how often it fitted */
		if (!fits(&r->match, q))
			continue;
		m->fitted[i]++;
		if (!found && (r->match.nth == 0 || r->match.nth == m->fitted[i]))
			found = r;
	}
	return found;
}
