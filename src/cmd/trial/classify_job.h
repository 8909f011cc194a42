/* One run of `trial classify`: who tells the bonds, what they are held against, all trials one after the other. */
#ifndef CMD_TRIAL_CLASSIFY_JOB_H
#define CMD_TRIAL_CLASSIFY_JOB_H

#include "cmd/frame/command.h"

struct classify_opts {
	struct opt_maybe json;
	bool plain, print_rules, no_stream;
	struct str rules, reference, write_reference; /* p NULL when not given */
	struct str judge;
	struct opt_list bases, key_files;
	struct str header_file, mock_script;
	unsigned timeout, jobs; /* timeout in seconds */
};

/* The whole command; the arguments name at least one input. An exit status. */
int classify_job_run(struct arena *a, const struct classify_opts *o, struct args args, struct err *err);

/* Writes the built-in table of rules to standard output. */
int classify_job_print_rules(void);

#endif
