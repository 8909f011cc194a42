/*
 * A program that writes its own trace: a question, an answer that asks for two tools at once, both tools, the last
 * answer.
 *
 *	cc -o emit emit.c $(pkg-config --static --cflags --libs trackway)
 *	./emit agent-trace.jsonl && trackway validate --strict agent-trace.jsonl && trackway show agent-trace.jsonl
 *
 * Without an argument it writes to the file that TRACKWAY_TRACE names, and to none when there is no such variable.
 */
#define _POSIX_C_SOURCE 200809L /* for nanosleep */
#include <stdio.h>
#include <time.h>

#include <trackway.h>

static void wait_ms(long ms)
{
	struct timespec time = { 0, ms * 1000000 };

	nanosleep(&time, NULL);
}

/* A call of a model, as it would look around a request that is streamed. */
static struct tw_node ask(struct tw_trace *t, const struct tw_node *parents, size_t count, const char *stop_reason)
{
	struct tw_model_call call = { .size = sizeof(call) };
	struct tw_model_result result = { .size = sizeof(result) };
	struct tw_node node;

	call.parents = parents;
	call.parent_count = count;
	call.endpoint = "http://localhost:8000/v1/chat/completions";
	call.model = "example-large-1";
	call.stream = 1;
	node = tw_model_call_begin(t, &call);
	wait_ms(8); /* the request is sent, the prompt is read */
	tw_model_call_first_token(t, node);
	wait_ms(12); /* tokens arrive */
	result.input_tokens.source = TW_API; /* the response said so */
	result.input_tokens.n = 412;
	result.output_tokens.source = TW_ESTIMATED; /* it did not say this */
	result.output_tokens.n = 58;
	result.stop_reason = stop_reason;
	tw_model_call_end(t, node, &result);
	return node;
}

/* Two tools side by side: the branch says that they belong together. */
static void use_tools(struct tw_trace *t, struct tw_node asked, struct tw_node tools[2])
{
	static const char *const names[] = { "grep", "read_file" };
	struct tw_node branch = tw_branch_begin(t, TW_FAN_OUT, &asked, 1);
	struct tw_tool_call call = { .size = sizeof(call) };
	struct tw_tool_result result = { .size = sizeof(result) };

	call.parents = &branch;
	call.parent_count = 1;
	for (int i = 0; i < 2; i++) {
		call.name = names[i];
		tools[i] = tw_tool_call_begin(t, &call);
	}
	tw_branch_end(t, branch, tools, 2);
	result.result_kind = "text";
	result.result_bytes.source = TW_API;
	for (int i = 0; i < 2; i++) {
		wait_ms(5);
		result.result_bytes.n = 600;
		tw_tool_call_end(t, tools[i], &result);
	}
}

int main(int argc, char **argv)
{
	struct tw_trace_options options = { .size = sizeof(options), .framework = "raw_openai" };
	struct tw_trace *t = tw_trace_open(argc > 1 ? argv[1] : NULL, &options);
	struct tw_node user, asked, tools[2];

	user = tw_user_input(t, NULL, 0);
	asked = ask(t, &user, 1, "tool_calls");
	use_tools(t, asked, tools);
	ask(t, tools, 2, "stop");
	if (t && !tw_trace_close(t, NULL))
		fprintf(stderr, "the trace is not whole: %s\n", tw_trace_error(t));
	tw_trace_free(t);
	return 0;
}
