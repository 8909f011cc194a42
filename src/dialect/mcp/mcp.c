/*
 * Logs of the Model Context Protocol: JSON-RPC messages between a client and a server, with whatever a logger put
 * around them. Both worlds of the protocol are read: the one with initialize and sessions, and the one since
 * 2026-07-28, in which every request says who sends it.
 */
#include "dialect/mcp/mcp.h"

#include "dialect/formats.h"

static const struct read_ops read_mcp = {
	.vendor = "mcp",
	.key = "mcp/1",
	.value = mcp_read_value,
	.fold_open = mcp_fold_open,
	.fold_close = mcp_fold_close,
	.fold = mcp_fold_event,
	.fold_end = mcp_fold_end,
};

const struct dialect mcp_dialect = {
	.name = "mcp",
	.title = "MCP: JSON-RPC messages of a client and a server, as loggers write them",
	.file = "mcp.log",
	.unit = "message",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = mcp_fits,
	.read = &read_mcp,
};
