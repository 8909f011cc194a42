/* The one table of sightings: what the lines of the socket have, written and read by the same rows. */
#include "dialect/sighting/sighting_line.h"

#include "dialect/record/io.h"

static const struct words versions = { (const struct str[]){ WORD("sighting/1") }, 1 };

static const struct words kinds = {
	(const struct str[]){
		[SIGHT_TOOL_BEGIN] = WORD("tool_begin"),
		[SIGHT_TOOL_END] = WORD("tool_end"),
		[SIGHT_MODEL] = WORD("model"),
		[SIGHT_WAIT_BEGIN] = WORD("wait_begin"),
		[SIGHT_WAIT_END] = WORD("wait_end"),
		[SIGHT_INPUT] = WORD("input"),
		[SIGHT_AGENT_BEGIN] = WORD("agent_begin"),
		[SIGHT_AGENT_END] = WORD("agent_end"),
		[SIGHT_SPAN] = WORD("span"),
		[SIGHT_COMMAND_BEGIN] = WORD("command_begin"),
		[SIGHT_COMMAND_END] = WORD("command_end"),
		[SIGHT_TAPE] = WORD("tape"),
	},
	SIGHT_KINDS,
};

static const struct words layers = {
	(const struct str[]){
		[SIGHT_PROXY] = WORD("proxy"),
		[SIGHT_HOOK] = WORD("hook"),
		[SIGHT_OTLP] = WORD("otlp"),
		[SIGHT_MCP] = WORD("mcp"),
		[SIGHT_SHELL] = WORD("shell"),
	},
	SIGHT_LAYERS,
};

#define OF(member) FIELD_AT(struct sighting, member), .unknown = UNKNOWN_ABSENT
#define TEXT(name) { #name, T_STRING, FIELD_EXTRA, OF(name) }
#define COUNTED(name) { #name, T_INTEGER, FIELD_EXTRA, OF(name) }
#define FLAG(name) { #name, T_BOOL, FIELD_EXTRA, OF(name) }

static const struct field sighting_fields[] = {
	{ "v", T_STRING, FIELD_REQUIRED, .kind = KIND_CONST, .words = &versions },
	{ "kind", T_STRING, FIELD_REQUIRED, FIELD_AT(struct sighting, kind), .words = &kinds },
	{ "layer", T_STRING, FIELD_REQUIRED, FIELD_AT(struct sighting, layer), .words = &layers },
	COUNTED(begun_ns), COUNTED(ended_ns),
	TEXT(run), TEXT(session), TEXT(agent), TEXT(parent_agent), TEXT(framework), TEXT(framework_version),
	TEXT(trace), TEXT(span), TEXT(parent_span),
	TEXT(call), TEXT(name), TEXT(server),
	COUNTED(cpu_ns), COUNTED(wall_ns), COUNTED(size), TEXT(result_kind), COUNTED(exit), FLAG(failed), FLAG(partial),
	TEXT(command), TEXT(parent_command),
	TEXT(response_id), TEXT(model), TEXT(provider), TEXT(endpoint), TEXT(stop_reason), FLAG(stream),
	COUNTED(input), COUNTED(output), COUNTED(cache_read), COUNTED(cache_write), COUNTED(reasoning),
	COUNTED(ttft_ns),
	{ "usd", T_NUMBER, FIELD_EXTRA, OF(usd) },
	{ "calls", T_ARRAY, FIELD_EXTRA, FIELD_LIST(KIND_TEXTS, struct sighting, calls, call_count),
	  .unknown = UNKNOWN_ABSENT },
	{ "results", T_ARRAY, FIELD_EXTRA, FIELD_LIST(KIND_TEXTS, struct sighting, results, result_count),
	  .unknown = UNKNOWN_ABSENT },
	{ "tape", T_OBJECT, FIELD_EXTRA, FIELD_AS(KIND_JSON, struct sighting, tape), .unknown = UNKNOWN_ABSENT },
};

static const struct record_type sighting_type = { .name = "sighting", RECORD_TYPE(sighting_fields) };

void sighting_line_add(struct buf *out, const struct sighting *s)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	record_write(&w, &sighting_type, s);
	buf_add_byte(out, '\n');
}

/* What is kept of calls that wait is bounded only when each of their texts is. */
static void line_drop_long(struct sighting *s)
{
	struct str *const texts[] = { &s->run, &s->session, &s->agent, &s->parent_agent, &s->framework,
				      &s->framework_version, &s->trace, &s->span, &s->parent_span, &s->call, &s->name,
				      &s->server, &s->result_kind, &s->command, &s->parent_command, &s->response_id,
				      &s->model, &s->provider, &s->endpoint, &s->stop_reason };

	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i]->n > SIGHTING_TEXT_MOST)
			*texts[i] = str_of(NULL, 0);
}

bool sighting_line_read(struct arena *a, struct val line, struct sighting *s)
{
	if (!val_is(line, JSON_OBJECT) || !val_text_is(val_get(line, STR("v")), versions.items[0]))
		return false;
	*s = sighting_of(SIGHT_KINDS, SIGHT_LAYERS);
	record_read(&sighting_type, s, line, a, RECORD_READ_COPY);
	line_drop_long(s);
	return s->kind < SIGHT_KINDS && s->layer < SIGHT_LAYERS;
}
