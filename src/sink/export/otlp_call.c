/* Who was called and what for: a trace has the address, and the conventions want the provider and the operation. */
#include "dialect/otlp/provider.h"
#include "dialect/otlp/server.h"
#include "sink/export/otlp.h"

struct otlp_call otlp_call_of(const struct trace_entry *e, const char *format)
{
	struct otlp_call c = { .operation = STR("chat"), .model = e->row.model, .failed = e->row.failed };
	struct otlp_server server;
	struct str by_path = { NULL, 0 };

	if (otlp_server_split(e->endpoint, &server)) {
		c.address = server.address;
		c.port = server.port;
		otlp_operation_of(server.path, &c.operation, &by_path);
	}
	c.provider = otlp_provider_of(c.address, by_path, str_from(format));
	return c;
}
