/* Four receivers, a row each: doc/export.md says what each of them makes of a run. None of them takes metrics. */
#include "sink/push/plan.h"

const struct push_preset push_presets[] = {
	{
		.name = "jaeger", .title = "Jaeger 2",
		.endpoint = "http://localhost:4318", .path = "",
		.takes = { [PUSH_TRACES] = true },
	},
	{
		.name = "tempo", .title = "Grafana Tempo",
		.endpoint = "http://localhost:4318", .path = "",
		.text_limit = 2000, /* it cuts values at 2048 bytes, without a word */
		.takes = { [PUSH_TRACES] = true },
	},
	{
		.name = "phoenix", .title = "Arize Phoenix",
		.endpoint = "http://localhost:6006", .path = "", .variables = { "PHOENIX_COLLECTOR_ENDPOINT" },
		.only = PUSH_PROTOBUF, .gzip = true,
		.bearer = "PHOENIX_API_KEY", .project = "PHOENIX_PROJECT_NAME",
		.takes = { [PUSH_TRACES] = true },
	},
	{
		.name = "langfuse", .title = "Langfuse",
		.endpoint = "https://cloud.langfuse.com", .path = "/api/public/otel",
		.variables = { "LANGFUSE_BASE_URL", "LANGFUSE_HOST" }, .gzip = true, .needs_authorization = true,
		.user = "LANGFUSE_PUBLIC_KEY", .password = "LANGFUSE_SECRET_KEY",
		.fixed = { "x-langfuse-ingestion-version", "4" }, /* without it, spans show up to ten minutes later */
		.help = "set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or give an Authorization header in a file",
		.batch_limit = (size_t)1 << 20, /* one bad span makes it refuse a whole batch */
		.takes = { [PUSH_TRACES] = true },
	},
	{ .name = NULL },
};

const struct push_preset *push_preset_find(struct str name)
{
	for (const struct push_preset *p = push_presets; p->name; p++)
		if (str_eq(name, str_from(p->name)))
			return p;
	return NULL;
}
