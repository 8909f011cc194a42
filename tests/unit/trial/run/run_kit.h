/*
 * A task, a job and a stand-in for this program: a script that runs the command behind "--" without any sandbox, and
 * writes the report that a sandbox would. With __trial it leaves the record that the test has put beside it.
 */
#ifndef UNIT_TRIAL_RUN_RUN_KIT_H
#define UNIT_TRIAL_RUN_RUN_KIT_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"
#include "trial/run/private.h"

static const char tried_program[] =
	"#!/bin/sh\n"
	"if [ \"$1\" = __trial ]; then\n"
	"	[ -f \"$0.record\" ] || exit 9\n"
	"	mkdir -p \"$2/$3\" && sed \"s/TRIAL/$3/; s/\\\"slot\\\": 0/\\\"slot\\\": $4/\" \"$0.record\" >\"$2/$3/record.json\"\n"
	"	exit 0\n"
	"fi\n"
	"shift\n"
	"while [ \"$1\" != -- ]; do\n"
	"	case $1 in report=*) report=${1#report=} ;; dir=*) dir=${1#dir=} ;; keep=*) keep=${1#keep=} ;; esac\n"
	"	shift\n"
	"done\n"
	"shift\n"
	"cd \"$dir\" || exit 125\n"
	"if [ -n \"$keep\" ]; then \"$@\" 3>/proc/self/fd/$keep; else \"$@\"; fi\n"
	"status=$?\n"
	"signal=0\n"
	"[ $status -le 128 ] || { signal=$((status - 128)); status=0; }\n"
	"[ -n \"$KIT_NO_REPORT\" ] || printf 'trackway-sandbox 1\\nlevel none\\nkernel k\\nended 1 0 %d %d 1 0\\nend\\n' "
	"$status $signal >\"$report\"\n"
	"exit $status\n";

struct tried {
	struct arena arena;
	struct job job;
	struct trial_how how;
	struct trial_running running;
	struct str dir, task;
};

static inline struct str tried_path(struct tried *k, const char *name)
{
	return ARENA_JOIN(&k->arena, k->dir, STR("/"), str_from(name));
}

static inline void tried_put(struct tried *k, const char *name, const char *text, unsigned mode)
{
	struct err err = { .kind = ERR_NONE };
	struct str path = tried_path(k, name);

	if (!file_make_dirs(str_dirname(path), 0700, NULL, &err) || !file_replace(path, str_from(text), mode, &err))
		FAIL("%s", err.text);
	CHECK(chmod(path.p, mode) == 0);
}

/* The agent's command and the verifier; the running trial is as trial_run would have it before its first phase. */
static inline void tried_open(struct tried *k, const char *command, const char *verifier)
{
	struct err err = { .kind = ERR_NONE };

	memset(k, 0, sizeof(*k));
	arena_init(&k->arena);
	k->dir = tree_real_path(&k->arena, str_from(test_dir()));
	unsetenv("KIT_NO_REPORT");
	setenv("TRACKWAY_HOME", tried_path(k, "home").p, 1);
	tried_put(k, "program", tried_program, 0700);
	tried_put(k, "task/task.toml", "id = \"t\"\n[agent]\ntimeout_sec = 20\n[verifier]\ntimeout_sec = 20\n", 0600);
	tried_put(k, "task/instruction.md", "Do it.", 0600);
	tried_put(k, "task/environment/in.txt", "in", 0600);
	tried_put(k, "task/environment/gone.txt", "gone", 0600);
	tried_put(k, "task/tests/test.sh", verifier, 0700);
	k->task = tried_path(k, "task");
	k->job = (struct job){
		.dir = tried_path(k, "job"), .experiment = STR("e"), .ledger = STR("l"), .tasks = &k->task, .task_count = 1,
		.repeat = 2, .isolation = SANDBOX_NONE,
		.agent = { .given = str_from(command), .command = str_from(command), .adapter = STR("a"),
			   .revision = STR("1"), .model = STR("m") },
	};
	k->how = (struct trial_how){ .job = &k->job, .id = STR("t-1"), .program = tried_path(k, "program"),
				     .prices = prices_new(&k->arena) };
	k->running = (struct trial_running){ .arena = &k->arena, .how = &k->how };
	k->running.dirs = trial_dirs_of(&k->arena, tried_path(k, "job/t-1"), SANDBOX_NONE);
	if (!task_read(&k->arena, k->task, &k->running.task, &err))
		FAIL("%s", err.text);
	k->running.facts.experiment = STR("e");
	k->running.facts.trial_id = STR("t-1");
	k->running.facts.model = STR("m");
}

static inline struct str tried_read(struct tried *k, const char *name)
{
	return tree_read_file(&k->arena, k->dir, str_from(name), (size_t)1 << 20);
}

#endif
