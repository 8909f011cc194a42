#include "provider/mock_match.h"

void mock_matcher_init(struct mock_matcher *m, struct arena *a, const struct mock_script *script)
{
	m->script = script;
	m->fitted = arena_array(a, uint64_t, script->count);
}

/*
 * Goes back to the last star only: what an earlier one took need not change, since the last one can take
 * whatever is left. So the work is at most the product of the lengths.
 */
bool mock_match_glob(struct str pattern, struct str text)
{
	size_t p = 0, t = 0, star = (size_t)-1, from = 0;

	while (t < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			from = t;
		} else if (p < pattern.n && (pattern.p[p] == '?' || pattern.p[p] == text.p[t])) {
			p++;
			t++;
		} else if (star != (size_t)-1) {
			p = star + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

static bool has_wildcard(struct str s)
{
	return s.n && (memchr(s.p, '*', s.n) || memchr(s.p, '?', s.n));
}

static bool fits_path(struct str pattern, struct str path)
{
	return has_wildcard(pattern) ? mock_match_glob(pattern, path) : str_ends(path, pattern);
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
	return (!m->path.p || fits_path(m->path, q->path)) && (!m->model.p || mock_match_glob(m->model, q->model)) &&
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
