/* The exit codes, one table for all commands. `trackway help exit-codes` tells users the same. */
#ifndef CMD_FRAME_EXIT_H
#define CMD_FRAME_EXIT_H

enum exit_status {
	EXIT_YES = 0,          /* done; the answer is yes */
	EXIT_NO = 1,           /* done; the answer is no */
	EXIT_USAGE = 2,        /* wrong usage */
	EXIT_CANNOT = 3,       /* could not do it */
	EXIT_INTERNAL = 70,    /* a fault of ours */
	EXIT_INTERRUPTED = 130, /* SIGINT */
	EXIT_TERMINATED = 143, /* SIGTERM */

	/* What only a command's run function may return; main turns them into one of the above. */
	EXIT_FAIL = -1, /* `err` is set: its kind decides between 2 and 3 */
	EXIT_HELP = -2, /* nothing to work on: prints the short page on standard error, 2 */
};

#endif
