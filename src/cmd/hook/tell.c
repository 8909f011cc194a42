/*
 * The time is taken first, standard input is read to its end in any case, and the rest is given up at the first
 * trouble.
 */
#include "cmd/hook/tell.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/sight_teller.h"
#include "cmd/frame/exit.h"
#include "dialect/claude_code/hook.h"
#include "dialect/cursor/hook.h"
#include "dialect/sighting/sighting_line.h"
#include "net/local.h"

#define HOOK_INPUT ((size_t)64 << 20) /* bytes that are read; the rest is thrown away, and says nothing */
#define HOOK_PIECE ((size_t)64 << 10)
#define HOOK_MS 250 /* for telling it */

static const struct hook_agent {
	const char *name;
	size_t (*read)(struct arena *a, struct val told, int64_t ns, struct sighting out[HOOK_SIGHTINGS]);
	bool is_cursor;
} hook_agents[] = {
	{ "claude-code", claude_hook_see, false },
	{ "cursor", cursor_hook_see, true },
};

static const struct hook_agent *hook_agent_of(const char *name)
{
	for (size_t i = 0; i < COUNT(hook_agents); i++)
		if (strcmp(name, hook_agents[i].name) == 0)
			return &hook_agents[i];
	return NULL;
}

bool hook_is_asked(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "hook") != 0 || !hook_agent_of(argv[2]))
		return false;
	for (int i = 3; i < argc; i++)
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
			return false;
	return true;
}

/* All of standard input, with JSON_PAD zeros behind it. False: there is nothing, or more than is read. */
static bool hook_read_input(struct buf *in)
{
	bool fits = true;
	ssize_t n;

	if (isatty(0))
		return false;
	while ((n = read(0, buf_reserve(in, HOOK_PIECE + JSON_PAD), HOOK_PIECE)) != 0) {
		if (n < 0 && errno != EINTR)
			return false;
		in->n += n > 0 ? (size_t)n : 0;
		if (in->n > HOOK_INPUT) {
			in->n = 0;
			fits = false;
		}
	}
	memset(buf_reserve(in, JSON_PAD), 0, JSON_PAD);
	return fits && in->n > 0;
}

/* Cursor asks before it takes a prompt, and no answer may count as no. Nothing else that it asks is answered. */
static void hook_answer(const struct hook_agent *h, struct val told)
{
	struct str yes = STR("{\"continue\":true}\n");
	ssize_t n = 0;

	if (h->is_cursor && val_text_is(val_get(told, STR("hook_event_name")), STR("beforeSubmitPrompt")))
		n = write(1, yes.p, yes.n);
	(void)n; /* there is nobody to tell */
}

/* What the event says, to the recorder; nothing where there is none, or where it is no event. */
static void hook_tell_event(struct arena *a, const struct hook_agent *h, struct val told, int64_t ns)
{
	struct sighting seen[HOOK_SIGHTINGS];
	struct buf lines;
	struct str path;
	size_t count;

	if (!sight_teller_find(a, getenv("TRACKWAY_SOCKET"), getenv("XDG_RUNTIME_DIR"), &path))
		return;
	buf_init(&lines);
	count = h->read(a, told, ns, seen);
	for (size_t i = 0; i < count; i++) {
		seen[i].run = str_from(getenv("TRACKWAY_RUN_ID"));
		if (!seen[i].run.n)
			seen[i].run = str_of(NULL, 0);
		sighting_line_add(&lines, &seen[i]);
	}
	if (lines.n)
		local_send(path, buf_str(&lines), HOOK_MS);
	buf_free(&lines);
}

int hook_tell(const char *agent)
{
	int64_t ns = (int64_t)clock_wall_ns();
	const struct hook_agent *h = hook_agent_of(agent);
	struct json_parser *parser = json_parser_open((struct json_options){
		.allow_duplicates = true, .allow_lone = true, .allow_bom = true });
	struct arena a;
	struct buf in;
	struct val told;

	arena_init(&a);
	buf_init(&in);
	if (hook_read_input(&in) && json_parse(parser, buf_str(&in), &told, NULL)) {
		hook_answer(h, told);
		hook_tell_event(&a, h, told, ns);
	}
	buf_free(&in);
	json_parser_close(parser);
	arena_free(&a);
	return EXIT_YES;
}
