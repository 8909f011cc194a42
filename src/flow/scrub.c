#include "flow/scrub.h"

#include "dialect/agent_trace/clean.h"

void scrub_init(struct scrub *s)
{
	static const char *const names[] = { "models", "tools", "ids", "endpoints" };

	*s = (struct scrub){ 0 };
	for (int i = 0; i < REDACT_CLASSES; i++)
		s->left_out[i].name = redact_class_name((enum redact_class)i);
	for (int i = 0; i < SCRUB_NAMES; i++)
		s->cleaned[i].name = names[i];
}

static void scrub_text(struct scrub *s, enum redact_class class, struct str text)
{
	if (text.n == 0)
		return;
	s->left_out[class].values++;
	s->left_out[class].bytes += text.n;
}

static void scrub_name(struct scrub *s, enum scrub_name what, struct str is, struct str becomes)
{
	s->cleaned[what].values += is.n > 0 && !str_eq(is, becomes);
}

/* What was said, by whom. */
static void scrub_content(struct scrub *s, const struct event *e)
{
	enum redact_class class = e->kind == EVENT_RESULT ? REDACT_RESULTS :
				  e->kind == EVENT_MESSAGE ? REDACT_PROMPT : REDACT_OTHER;

	scrub_text(s, class, e->content);
	scrub_text(s, e->kind == EVENT_ERROR ? REDACT_OTHER : REDACT_OUTPUT, e->text);
	scrub_text(s, REDACT_OUTPUT, e->output);
	scrub_text(s, REDACT_THINKING, e->reasoning);
	scrub_text(s, REDACT_ARGS, e->args.n ? e->args : e->args_text);
	scrub_text(s, REDACT_OTHER, e->tools);
	for (const struct extra *x = e->extras; x; x = x->next)
		scrub_text(s, REDACT_OTHER, x->json);
}

void scrub_add(void *scrub, const struct event *e)
{
	struct scrub *s = scrub;
	struct arena a;

	scrub_content(s, e);
	scrub_name(s, SCRUB_MODELS, e->model, clean_model(e->model));
	scrub_name(s, SCRUB_TOOLS, e->tool, clean_tool(e->tool));
	if (e->kind == EVENT_CALL)
		scrub_name(s, SCRUB_IDS, e->call, clean_id(e->call));
	if (e->endpoint.n) {
		arena_init_small(&a);
		scrub_name(s, SCRUB_ENDPOINTS, e->endpoint, clean_endpoint(&a, e->endpoint, 0, e->provider));
		arena_free(&a);
	}
}
