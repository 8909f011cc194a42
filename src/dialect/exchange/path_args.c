/*
 * A tree of names and places, in the order they came first. It is written without recursion: paths are a stranger's,
 * and their depth is bounded by PATH_ARGS_DEPTH.
 */
#include "dialect/exchange/path_args.h"

#include <assert.h>

#include "base/ascii.h"
#include "dialect/values.h"
#include "json/text.h"

struct path_args_node {
	struct path_args_node *next, *first, *last;
	struct str name; /* of a member; p NULL: an element */
	uint64_t place;  /* of an element */
	bool leaf, text; /* it has a value; the value is a text, that may grow */
	struct buf value; /* the text, or JSON */
};

void path_args_init(struct path_args *g)
{
	*g = (struct path_args){ .count = 0 };
	arena_init(&g->arena);
	g->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	path_args_reset(g);
}

/* Buffers are the nodes' own: the list of all is walked along the tree, deepest first by its links. */
static void free_values(struct path_args_node *n)
{
	struct path_args_node *last = n;

	/* children are put behind the node that is walked: no stack is needed, and the tree is gone afterwards */
	while (last && last->next)
		last = last->next;
	for (; n; n = n->next) {
		buf_free(&n->value);
		if (!n->first)
			continue;
		last->next = n->first;
		last = n->last;
	}
}

void path_args_free(struct path_args *g)
{
	free_values(g->root);
	arena_free(&g->arena);
	json_parser_close(g->parser);
}

void path_args_reset(struct path_args *g)
{
	free_values(g->root);
	arena_reset(&g->arena);
	g->count = 0;
	g->root = arena_new(&g->arena, struct path_args_node);
}

/* ---- paths ---- */

struct step {
	struct str name; /* p NULL: a place */
	uint64_t place;
};

/* "[12]" or "['name']"; *rest gets what follows. */
static bool cut_bracket(struct str path, struct step *step, struct str *rest)
{
	const char *end = memchr(path.p, ']', path.n);
	struct str inside;

	if (!end)
		return false;
	inside = str_of(path.p + 1, (size_t)(end - path.p) - 1);
	*rest = str_of(end + 1, (size_t)(path.p + path.n - end) - 1);
	if (inside.n >= 2 && (inside.p[0] == '\'' || inside.p[0] == '"') && inside.p[inside.n - 1] == inside.p[0]) {
		step->name = str_of(inside.p + 1, inside.n - 2);
		return true;
	}
	step->name = str_of(NULL, 0);
	step->place = 0;
	for (size_t i = 0; i < inside.n; i++) {
		if (!ascii_is_digit(inside.p[i]) || i > 9)
			return false;
		step->place = step->place * 10 + (uint64_t)(inside.p[i] - '0');
	}
	return inside.n > 0;
}

/* ".name"; *rest gets what follows. */
static bool cut_name(struct str path, struct step *step, struct str *rest)
{
	size_t n = 1;

	while (n < path.n && path.p[n] != '.' && path.p[n] != '[')
		n++;
	step->name = str_of(path.p + 1, n - 1);
	*rest = str_of(path.p + n, path.n - n);
	return n > 1;
}

/* How many steps; 0 when it is no path of ours. */
static size_t path_args_split(struct str path, struct step steps[PATH_ARGS_DEPTH])
{
	size_t n = 0;

	if (path.n == 0 || path.p[0] != '$')
		return 0;
	path = str_of(path.p + 1, path.n - 1);
	while (path.n) {
		bool good = n < PATH_ARGS_DEPTH && (path.p[0] == '.'   ? cut_name(path, &steps[n], &path)
						      : path.p[0] == '[' ? cut_bracket(path, &steps[n], &path)
									 : false);

		if (!good)
			return 0;
		n++;
	}
	return n && steps[0].name.p ? n : 0; /* arguments are an object */
}

/* The child of this name or place, made when there is none; NULL where it cannot be. */
static struct path_args_node *child_of(struct path_args *g, struct path_args_node *n, const struct step *s)
{
	struct path_args_node *child = n->first;

	if (n->leaf || (child && (child->name.p != NULL) != (s->name.p != NULL)))
		return NULL;
	while (child && !(s->name.p ? str_eq(child->name, s->name) : child->place == s->place))
		child = child->next;
	if (child || g->count >= PATH_ARGS_NODES)
		return child;
	g->count++;
	child = arena_new(&g->arena, struct path_args_node);
	child->name = s->name.p ? arena_copy(&g->arena, s->name) : s->name;
	child->place = s->place;
	if (n->last)
		n->last->next = child;
	else
		n->first = child;
	n->last = child;
	return child;
}

/* The node of a path, or NULL when there is no room or a value stands in the way. */
static struct path_args_node *find(struct path_args *g, struct str path)
{
	struct step steps[PATH_ARGS_DEPTH], whole = { .name = path };
	struct path_args_node *n = g->root;
	size_t count = path_args_split(path, steps);

	for (size_t i = 0; i < count && n; i++)
		n = child_of(g, n, &steps[i]);
	if (count && n && !n->first)
		return n;
	n = child_of(g, g->root, &whole); /* it leads nowhere: the path is the name */
	return n && !n->first ? n : NULL;
}

/* ---- pieces ---- */

/* The value of a piece, in either spelling; VAL_NONE for null, and when it has none. */
static struct val value_of(struct val piece)
{
	static const char *const names[] = {
		"stringValue", "numberValue", "boolValue", "nullValue", "string_value", "number_value", "bool_value",
		"null_value",
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct val v = val_get(piece, str_from(names[i]));

		if (!val_is_none(v))
			return str_starts(str_from(names[i]), STR("null")) ? VAL_NONE : v;
	}
	return VAL_NONE;
}

/* Adds a piece to the node of its path: texts grow, other values replace what was there. */
static void path_args_add_piece(struct path_args *g, struct val piece)
{
	struct val path = val_get(piece, STR("jsonPath")), v = value_of(piece);
	struct path_args_node *n;
	bool text = val_is(v, JSON_STRING);

	if (!val_is(path, JSON_STRING))
		path = val_get(piece, STR("json_path"));
	if (!val_is(path, JSON_STRING))
		return;
	n = find(g, val_text(path, &g->arena));
	if (!n)
		return;
	if (!(n->leaf && n->text && text))
		buf_clear(&n->value);
	n->leaf = true;
	n->text = text;
	if (text)
		buf_add_str(&n->value, val_text(v, &g->arena));
	else
		buf_add_str(&n->value, val_is_none(v) ? STR("null") : val_source(v));
}

void path_args_add(struct path_args *g, struct str json)
{
	struct val list;

	if (!json_parse_copy(g->parser, json, &list, NULL))
		return;
	VALUES_EACH(piece, list)
		path_args_add_piece(g, piece);
}

/* Begins a node's JSON: its name, and its value or bracket. */
static void open_node(const struct path_args_node *n, struct buf *out)
{
	if (n->name.p) {
		text_quote(out, n->name);
		buf_add_byte(out, ':');
	}
	if (n->text)
		text_quote(out, buf_str(&n->value));
	else if (n->leaf)
		buf_add_str(out, buf_str(&n->value));
	else
		buf_add_byte(out, n->first && !n->first->name.p ? '[' : '{');
}

static void close_node(const struct path_args_node *n, struct buf *out)
{
	if (!n->leaf)
		buf_add_byte(out, n->first && !n->first->name.p ? ']' : '}');
}

/* A stack of the nodes that are open; each is closed when its last child is. */
void path_args_end(const struct path_args *g, struct buf *out)
{
	const struct path_args_node *stack[PATH_ARGS_DEPTH + 1];
	const struct path_args_node *n = g->root;
	size_t depth = 0;

	open_node(n, out);
	for (;;) {
		if (n->first) {
			assert(depth <= PATH_ARGS_DEPTH); /* paths are not longer */
			stack[depth++] = n;
			n = n->first;
			open_node(n, out);
			continue;
		}
		close_node(n, out);
		while (depth && !n->next) {
			n = stack[--depth];
			close_node(n, out);
		}
		if (depth == 0)
			return;
		n = n->next;
		buf_add_byte(out, ',');
		open_node(n, out);
	}
}
