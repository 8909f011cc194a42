/* `trackway record --listen`: a recorder for many clients, until a signal. */
#ifndef CMD_RECORD_LISTEN_H
#define CMD_RECORD_LISTEN_H

#include "capture/recording.h"
#include "cmd/frame/command.h"

/* Its own options, as record's table fills them in. */
struct record_listen_opts {
	struct str address; /* p NULL: a command is recorded */
	unsigned idle;      /* seconds; 0 means 600 */
	struct opt_list keep;
	struct str token_file, tls_cert, tls_key;
};

/* False and *err (ERR_USAGE) when one of them is given without --listen. */
bool record_listen_is_absent(const struct record_listen_opts *o, struct err *err);

/*
 * Prints the addresses on standard output, and records until SIGINT or SIGTERM: 130 or 143. A second signal cuts off
 * what is on its way. EXIT_FAIL and *err when it cannot begin. `r` is what record's other options say.
 */
int record_listen(struct arena *a, const struct frame *f, const struct record_listen_opts *o,
		  const struct recording_options *r, struct err *err);

#endif
