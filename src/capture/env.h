/*
 * The environment of a recorded child: its own, with the addresses of services replaced by ours under every name that
 * clients read, and the run's id. A proxy of the environment must not come between the child and us, so
 * loopback is added to NO_PROXY where there is one.
 *
 * Where commands are to be seen, the directory of shims is the first of PATH, and SHELL is the shim of the user's
 * shell. Those of a run around this one are taken away in any case.
 *
 * Telemetry comes to us, too: the variables of OpenTelemetry's exporters name us, also those for one signal that the
 * user has set, since they would win.
 *
 * Where connections are intercepted, we are the proxy: for all hosts, so NO_PROXY is empty, and in the place of any
 * other, which we ask ourselves. Addresses of services then stay as they are, but for those without TLS.
 */
#ifndef CAPTURE_ENV_H
#define CAPTURE_ENV_H

#include "base/arena.h"
#include "base/id.h"
#include "capture/agents/agents.h"
#include "capture/shell_dir.h"

struct env_options {
	const char *const *base; /* environ; NULL-ended */
	const struct routes *routes;
	const struct agent_plan *plan; /* what a known agent needs; NULL */
	uint16_t port;           /* of the proxy */
	struct id run;
	uint8_t span[8];         /* of TRACEPARENT */
	struct str dir;          /* of the run, absolute */
	struct str trust;        /* connections are intercepted: what to trust, a path; p NULL: they are not */
	struct str socket;       /* where the recorder takes sightings; empty: nowhere */
	bool content;            /* is kept: TRACKWAY_CONTENT is 1 */
	const struct shell_dir *shell; /* shims that see commands; NULL: none */
	bool otlp;               /* only telemetry comes to us: addresses of services stay as they are */
	const char *const *without; /* variables of services to leave as they are, NULL-ended; NULL: none */
};

/* The variables as "NAME=value", ended by NULL, in the arena; those that the child shares with us are copied too. */
const char *const *env_make(struct arena *a, const struct env_options *o);

#endif
