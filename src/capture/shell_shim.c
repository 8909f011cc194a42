/* Nothing is set up that a command does not need: this runs before every program of a shell's script. */
#include "capture/shell_shim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/crypto/hex.h"
#include "base/seed.h"
#include "base/clock.h"
#include "capture/shell_find.h"
#include "capture/shell_names.h"
#include "capture/shell_replay.h"
#include "capture/shell_tape.h"
#include "dialect/sighting/sighting_line.h"
#include "net/local.h"
#include "proc/shim.h"

#define SHELL_TELL_MS 250     /* for telling the recorder; of content more */
#define SHELL_TAPE_MS 5000
#define SHELL_USUAL_PATH "/usr/local/bin:/usr/bin:/bin"

struct shell_shim {
	struct arena arena;
	const char *started; /* the path of the link */
	struct str name, path; /* of the program */
	char **argv, **env;
	struct str socket, id, parent, run;
	struct shell_tape tape;
	bool keeps;
};

/* The path that was executed, as its caller wrote it. */
static const char *shell_shim_link(void)
{
	return (const char *)(uintptr_t)getauxval(AT_EXECFN);
}

bool shell_shim_is_asked(void)
{
	const char *link = shell_shim_link();

	return link && (shell_find_is_shim(link) || str_eq(str_basename(str_from(link)), STR(SHELL_SHIM)));
}

/* ---- which program ---- */

/* By the link; who resolved it before running it has the name in argv[0] alone. */
static struct str shell_shim_name(const struct shell_shim *s)
{
	struct str name = str_basename(str_from(s->started));

	if (!str_eq(name, STR(SHELL_SHIM)) || !s->argv[0])
		return name;
	name = str_basename(str_from(s->argv[0]));
	return str_starts(name, STR("-")) ? str_skip(name, 1) : name;
}

/* The user's own shell is not looked for: SHELL said where it is. 0, or the exit status of one that is not there. */
static int shell_shim_find(struct shell_shim *s)
{
	struct str shell = str_from(getenv("TRACKWAY_SHELL_PATH")), search = str_from(getenv("PATH"));
	bool refused = false;

	if (str_eq(s->name, STR(SHELL_SHIM)))
		return 127; /* called by our own name we would find ourselves, for ever */
	if (str_eq(str_basename(str_dirname(str_from(s->started))), STR(SHELL_OWN)) &&
	    str_eq(str_basename(shell), s->name) && access(shell.p, X_OK) == 0)
		s->path = shell;
	else
		s->path = shell_find_program(&s->arena, search.p ? search : STR(SHELL_USUAL_PATH), s->name, &refused);
	return s->path.p ? 0 : refused ? 126 : 127;
}

/* Who asked for the link by its path meant the program by its path. */
static void shell_shim_name_it(struct shell_shim *s)
{
	const struct shell_name *n = shell_name_find(s->name.p);
	char *path = (char *)(uintptr_t)s->path.p;

	if (!s->argv[0])
		return;
	if (strcmp(s->argv[0], s->started) == 0 || (n && n->seeks_itself && !strchr(s->argv[0], '/')))
		s->argv[0] = path;
}

/* ---- telling ---- */

static void shell_shim_tell(const struct shell_shim *s, struct sighting *seen, unsigned ms)
{
	struct buf line;

	buf_init(&line);
	seen->run = s->run;
	seen->name = s->name;
	seen->command = s->id;
	seen->parent_command = s->parent;
	sighting_line_add(&line, seen);
	local_send(s->socket, buf_str(&line), ms);
	buf_free(&line);
}

static void shell_shim_ended(void *context, const struct shim_end *end)
{
	struct shell_shim *s = context;
	struct sighting seen = sighting_of(SIGHT_COMMAND_END, SIGHT_SHELL);
	struct sighting kept = sighting_of(SIGHT_TAPE, SIGHT_SHELL);
	struct buf tape;

	seen.begun_ns = end->begun_ns;
	seen.ended_ns = end->ended_ns;
	seen.cpu_ns = end->cpu_ns;
	seen.size = end->out < 0 ? end->err : end->err < 0 ? end->out : end->out + end->err;
	seen.exit = WIFSIGNALED(end->status) ? 128 + WTERMSIG(end->status) : WEXITSTATUS(end->status);
	seen.failed = seen.exit != 0;
	shell_shim_tell(s, &seen, SHELL_TELL_MS);
	if (!s->keeps)
		return;
	/* for itself: times must not be lost when the content is too much to be taken */
	buf_init(&tape);
	shell_tape_add(&tape, &s->tape, end);
	kept.tape = buf_str(&tape);
	shell_shim_tell(s, &kept, SHELL_TAPE_MS);
	buf_free(&tape);
}

/* ---- the command ---- */

/* The environment, with the command's own id for those inside it. */
static void shell_shim_set_env(struct shell_shim *s)
{
	struct str entry = ARENA_JOIN(&s->arena, STR(SHELL_COMMAND "="), s->id);
	size_t n = 0, k = 0;

	while (environ[n])
		n++;
	s->env = arena_array(&s->arena, char *, n + 2);
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], SHELL_COMMAND "=", sizeof(SHELL_COMMAND)) != 0)
			s->env[k++] = environ[i];
	s->env[k++] = (char *)(uintptr_t)entry.p;
	s->env[k] = NULL;
}

static struct str shell_shim_env(const char *name)
{
	struct str value = str_from(getenv(name));

	return value.n ? value : str_of(NULL, 0);
}

/* Random: commands of several machines or containers may tell one recorder. */
static void shell_shim_make_id(struct shell_shim *s)
{
	uint8_t random[8];
	char *text = arena_alloc(&s->arena, 2 * sizeof(random), 1);

	seed_random(random, sizeof(random));
	hex_format(text, random, sizeof(random));
	s->id = str_of(text, 2 * sizeof(random));
}

static void shell_shim_identify(struct shell_shim *s)
{
	shell_shim_make_id(s);
	s->run = shell_shim_env("TRACKWAY_RUN_ID");
	s->parent = shell_shim_env(SHELL_COMMAND);
}

static void shell_shim_begin_tape(struct shell_shim *s)
{
	shell_tape_begin(&s->tape, &s->arena, s->name, s->argv, getenv("TRACKWAY_SHELL_ROOT"));
	s->tape.id = s->id;
	s->tape.parent = s->parent;
}

static int shell_shim_watch(struct shell_shim *s)
{
	struct sighting begun = sighting_of(SIGHT_COMMAND_BEGIN, SIGHT_SHELL);
	struct shim_options o = { .path = s->path.p, .argv = s->argv, .ended = shell_shim_ended, .context = s };

	shell_shim_set_env(s);
	o.env = s->env;
	if (!s->keeps && str_eq(shell_shim_env("TRACKWAY_CONTENT"), STR("1"))) {
		s->keeps = true;
		shell_shim_begin_tape(s);
	}
	o.keep = s->keeps ? SHELL_TAPE_KEPT : 0;
	begun.begun_ns = (int64_t)clock_wall_ns();
	shell_shim_tell(s, &begun, SHELL_TELL_MS);
	return shim_run(&o);
}

/* Returns only when the program cannot be run, with an errno. */
static int shell_shim_become(struct shell_shim *s)
{
	int status;

	if (!s->socket.p)
		s->socket = shell_shim_env("TRACKWAY_SOCKET");
	if (s->socket.p && shell_name_find(s->name.p)) { /* nothing is told of a name that is not ours */
		status = shell_shim_watch(s);
		if (status >= 0)
			shim_leave(status);
	} else {
		shim_execute(s->path.p, s->argv, environ);
	}
	return errno;
}

/* In a replay: ends as the recorded command did, or returns when the command is to run and to be compared. */
static void shell_shim_replay(struct shell_shim *s)
{
	struct str door = shell_shim_env("TRACKWAY_REPLAY");
	int status;

	if (!door.p || !shell_name_find(s->name.p))
		return;
	shell_shim_begin_tape(s);
	if (shell_replay_run(door, &s->tape, &status))
		shim_leave(status);
	s->socket = door;
	s->keeps = true;
}

int shell_shim_run(char **argv, struct err *err)
{
	struct shell_shim s = { .started = shell_shim_link(), .argv = argv };
	int error, status;

	arena_init(&s.arena);
	s.name = shell_shim_name(&s);
	shell_shim_identify(&s);
	shell_shim_replay(&s); /* before the program is looked for: it need not be here */
	status = shell_shim_find(&s);
	if (status) {
		err_set(err, ERR_IO, "%.*s: %s", STR_ARG(s.name),
			status == 126 ? "Permission denied" : "command not found");
	} else {
		shell_shim_name_it(&s);
		error = shell_shim_become(&s);
		err_set(err, ERR_IO, "%.*s: %s", STR_ARG(s.path), strerror(error));
		status = error == ENOENT ? 127 : 126;
	}
	arena_free(&s.arena);
	return status;
}
