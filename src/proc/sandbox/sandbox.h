/*
 * A command in a sandbox. What it may see, write and reach is said beforehand; at its end every process that it left is
 * ended and waited for; what it was denied is told in a report.
 *
 * The sandbox is a process of its own: sandbox_argv makes the command line "PROGRAM __sandbox ... -- COMMAND", which
 * anybody who starts children can start (the recorder, proc/piped.h), and sandbox_main is what that process does. Its
 * standard streams, its environment and its exit status are the command's.
 */
#ifndef PROC_SANDBOX_SANDBOX_H
#define PROC_SANDBOX_SANDBOX_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* From the weakest to the strongest; oci needs an engine for containers. */
enum sandbox_level { SANDBOX_NONE, SANDBOX_LANDLOCK, SANDBOX_BWRAP, SANDBOX_OCI, SANDBOX_LEVELS };

/* "none" and so on; a constant. */
const char *sandbox_level_name(enum sandbox_level level);

/* Whether this level works here: it is tried. False with *err (ERR_IO), which says what is missing and the remedy. */
bool sandbox_can(enum sandbox_level level, struct err *err);

/* The strongest level that works here, never below landlock. False with *err like sandbox_can. */
bool sandbox_best(enum sandbox_level *out, struct err *err);

/* The system's programs and libraries are always there, to be read. Besides them only these paths are. */
struct sandbox_path {
	struct str outside; /* absolute; a file or a directory */
	/*
	 * Where it is seen; p NULL: at the same path. Only bwrap and oci can move one: at the other levels it is where
	 * it is outside, and a `dir` that stands below `inside` is taken to be there, too.
	 */
	struct str inside;
	bool writable;
};

struct sandbox_limits {
	uint64_t memory_bytes, processes, file_bytes; /* 0: no limit */
	unsigned cpu_seconds;                         /* likewise */
};

struct sandbox_options {
	struct str program;           /* this program's own path */
	enum sandbox_level level;
	const struct sandbox_path *paths;
	size_t path_count;
	const struct str *hidden;     /* what is not to be seen although it lies below a path that is */
	size_t hidden_count;
	struct str dir;               /* the command's working directory, as it sees it */
	/*
	 * The variable of our environment with the one port of loopback that it may reach: "4321", "127.0.0.1:4321" or
	 * an address such as "http://127.0.0.1:4321/v1". p NULL: none.
	 */
	struct str port_variable;
	/*
	 * Not the user who runs us, where that is root: 65534 then, to whom the files below writable paths are given
	 * as far as they are ours. The report says who it was.
	 */
	bool other_user;
	int keep;                     /* a descriptor that the command has as 3, so that it can answer; 0: none */
	unsigned timeout_ms;          /* after it the command is ended; 0: never */
	struct sandbox_limits limits;
	struct str report;            /* a file outside of what the command sees; written when all has ended */
	const char *const *argv;      /* of the command; ended by NULL */
};

/* Whether the path is one of the system's programs, libraries and settings, which are shown at every level. */
bool sandbox_is_system(struct str path);

/* The command line that runs the command in the sandbox, in the arena; ended by NULL. */
const char *const *sandbox_argv(struct arena *a, const struct sandbox_options *o);

/*
 * What the process does: the arguments behind "__sandbox". Gives its exit status: that of the command, 128 and the
 * number of the signal that ended it, 126 or 127 when it could not be started, 125 when the sandbox could not be set up
 * (then the command did not run), 2 for wrong arguments.
 */
int sandbox_main(int argc, char **argv);

/*
 * The same for the small program (src/cmd/shim.c), which bwrap starts inside because it starts fast: whether the
 * arguments behind "__sandbox" ask for the first process there, and its life.
 */
bool sandbox_inside_is_asked(int argc, char **argv);
int sandbox_inside(char **argv);

/* Something the command tried and was denied. Where the level cannot see a kind, it is in `unseen`. */
struct sandbox_denial {
	int64_t t_ms;     /* since its start */
	struct str call;  /* connect, bind, ptrace, mount, clock_settime, init_module ...; open for a path */
	struct str what;  /* the address or the path; may be empty */
	uint64_t count;   /* of such attempts; only the first has its time */
};

struct sandbox_report {
	enum sandbox_level level;
	struct str kernel;           /* "6.18.44" */
	struct str limits_by;        /* cgroup2, cgroup1, rlimit, or empty where no limit was asked for */
	struct str user;             /* whom the command ran as: "root", "65534" ... */
	bool timed_out, started;     /* started: the command was there at all */
	int status, signal;          /* of the command's end; signal 0: none */
	uint64_t left_behind;        /* processes that were there when the command had ended, and were ended */
	bool emptied;                /* nobody was left when the report was written */
	struct sandbox_denial *denials;
	size_t denial_count;
	struct str *unseen;          /* "paths", "ptrace" ...: denied or not, this level could not observe it */
	size_t unseen_count;
	struct str failure;          /* why the sandbox itself failed; p NULL: it did not */
};

/* Reads a report. False with *err when there is none or it is damaged: then the sandbox did not come to its end. */
bool sandbox_report_read(struct arena *a, struct str path, struct sandbox_report *out, struct err *err);

#endif
