/*
 * An exchange of each API, streamed and not, with a call and a result. Every text that was said by anyone holds the word
 * "canary"; what a observation must hold is beside it.
 */
#ifndef UNIT_CAPTURE_OBSERVER_BODIES_H
#define UNIT_CAPTURE_OBSERVER_BODIES_H

#include "observer_feed.h"
#include "observer_texts.h"

static const struct {
	const char *name;
	struct feed feed;
	const char *sees; /* words, separated by '|' */
	const char *end;  /* the answer is not complete before this; NULL: before its last byte */
} bodies[] = {
	{ "chat, streamed",
	  { .path = "/v1/chat/completions",
	    .body = { CHAT_REQUEST("true"), sizeof(CHAT_REQUEST("true")) - 1 },
	    .type = "text/event-stream; charset=utf-8",
#define ANSWER \
	": canary-z\n\n" \
	CHUNK("{\"role\":\"assistant\",\"content\":\"\"}", "null") CHUNK("{\"reasoning_content\":\"canary-h\"}", "null") \
	CHUNK("{\"content\":\"canary-i\"}", "null") \
	CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"look_up\",\"arguments\":" \
	      "\"\"}}]}", "null") \
	CHUNK("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"q\\\":\\\"canary-j\\\"}\"}}]}", "null") \
	CHUNK("{\"tool_calls\":[{\"index\":1,\"id\":\"call_2\",\"type\":\"function\",\"function\":{\"name\":\"other\",\"arguments\":" \
	      "\"{}\"}}]}", "null") \
	CHUNK("{}", "\"tool_calls\"") \
	"data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"model\":\"gpt-4o-2024-08-06\",\"choices\":[]," \
	"\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\"total_tokens\":13,\"prompt_tokens_details\":{\"cached_tokens\":3}}}\n\n" \
	"data: [DONE]\n\n"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "openai-chat|stream|stop=tool_use|input=9 output=4 cache_read=3|call id=call_1 name=look_up call id=call_2 name=other|"
	  "model=gpt-4o-2024-08-06|answer=chatcmpl-1|" CHAT_SEES,
	  "[DONE]" },
#undef ANSWER
	{ "chat, whole",
	  { .path = "/v1/chat/completions",
	    .body = { CHAT_REQUEST("false"), sizeof(CHAT_REQUEST("false")) - 1 },
#define ANSWER \
	"{\"id\":\"chatcmpl-2\",\"object\":\"chat.completion\",\"model\":\"gpt-4o-2024-08-06\",\"choices\":[{\"index\":0,\"message\":" \
	"{\"role\":\"assistant\",\"content\":\"canary-h\",\"refusal\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\"," \
	"\"function\":{\"name\":\"look_up\",\"arguments\":\"{\\\"q\\\":\\\"canary-i\\\"}\"}}]},\"finish_reason\":\"tool_calls\"," \
	"\"logprobs\":null}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\"total_tokens\":13}}"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "openai-chat|stop=tool_use|input=9 output=4|call id=call_1 name=look_up|token=0 content=0|answer=chatcmpl-2|" CHAT_SEES,
	  NULL },
#undef ANSWER
	{ "chat, streamed, broken by an error",
	  { .path = "/v1/chat/completions",
	    .body = { CHAT_REQUEST("true"), sizeof(CHAT_REQUEST("true")) - 1 },
	    .type = "text/event-stream",
#define ANSWER CHUNK("{\"content\":\"canary-h\"}", "null") "data: {\"error\":{\"message\":\"canary-i\",\"type\":\"server_error\"}}\n\n"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "partial|failed|stop=error|output=~2", NULL },
#undef ANSWER
	{ "messages, streamed",
	  { .path = "/v1/messages",
	    .provider = "anthropic",
	    .body = { MESSAGES_REQUEST("true"), sizeof(MESSAGES_REQUEST("true")) - 1 },
	    .type = "text/event-stream",
#define ANSWER \
	EVENT("message_start", "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":" \
	      "\"claude-sonnet-4-5-20250929\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":5," \
	      "\"cache_read_input_tokens\":40,\"cache_creation_input_tokens\":2,\"output_tokens\":1}}") \
	EVENT("ping", "\"x\":1") \
	EVENT("content_block_start", "\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}") \
	EVENT("content_block_delta", "\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"canary-i\"}") \
	EVENT("content_block_delta", "\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"canary-j\"}") \
	EVENT("content_block_stop", "\"index\":0") \
	EVENT("content_block_start", "\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}") \
	EVENT("content_block_delta", "\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"canary-k\"}") \
	EVENT("content_block_stop", "\"index\":1") \
	EVENT("content_block_start", "\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":" \
	      "\"mcp__files__read\",\"input\":{}}") \
	EVENT("content_block_delta", "\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"p\\\":\"}") \
	EVENT("content_block_delta", "\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"canary-l\\\"}\"}") \
	EVENT("content_block_stop", "\"index\":2") \
	EVENT("message_delta", "\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":25}") \
	EVENT("message_stop", "\"x\":1")
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "stream|stop=tool_use|input=47 output=25 cache_read=40 cache_write=2|call id=toolu_1 name=mcp__files__read|"
	  "model=claude-sonnet-4-5-20250929|answer=msg_1|" MESSAGES_SEES,
	  "message_stop" },
#undef ANSWER
	{ "messages, whole",
	  { .path = "/v1/messages",
	    .provider = "anthropic",
	    .body = { MESSAGES_REQUEST("false"), sizeof(MESSAGES_REQUEST("false")) - 1 },
#define ANSWER \
	"{\"id\":\"msg_2\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-sonnet-4-5-20250929\",\"content\":" \
	"[{\"type\":\"thinking\",\"thinking\":\"canary-i\",\"signature\":\"canary-j\"},{\"type\":\"text\",\"text\":\"canary-k\"}," \
	"{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{\"query\":\"canary-l\"}}," \
	"{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"type\":\"web_search_result\",\"title\":" \
	"\"canary-m\"}]},{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"look_up\",\"input\":{\"q\":\"canary-n\"}}]," \
	"\"stop_reason\":\"tool_use\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":5,\"cache_read_input_tokens\":40," \
	"\"cache_creation_input_tokens\":2,\"output_tokens\":25}}"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "stop=tool_use|input=47 output=25 cache_read=40 cache_write=2| call id=toolu_1 name=look_up|answer=msg_2|" MESSAGES_SEES, NULL },
#undef ANSWER
	{ "messages, an error",
	  { .path = "/v1/messages",
	    .provider = "anthropic",
	    .body = { MESSAGES_REQUEST("true"), sizeof(MESSAGES_REQUEST("true")) - 1 },
	    .status = 529,
#define ANSWER "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"canary-i\"}}"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "status=529|failed|stop=error|input=~0 output=~0", NULL },
#undef ANSWER
	{ "responses, streamed",
	  { .path = "/v1/responses",
	    .body = { RESPONSES_REQUEST("true"), sizeof(RESPONSES_REQUEST("true")) - 1 },
	    .type = "text/event-stream",
#define ANSWER \
	EVENT("response.created", "\"sequence_number\":0,\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":" \
	      "\"in_progress\",\"model\":\"gpt-5-2025\",\"output\":[]}") \
	EVENT("response.output_item.added", "\"sequence_number\":1,\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\"," \
	      "\"summary\":[]}") \
	EVENT("response.reasoning_summary_text.delta", "\"sequence_number\":2,\"item_id\":\"rs_1\",\"output_index\":0," \
	      "\"summary_index\":0,\"delta\":\"canary-f\"") \
	EVENT("response.output_item.added", "\"sequence_number\":3,\"output_index\":1,\"item\":{\"type\":\"message\",\"id\":\"msg_1\"," \
	      "\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}") \
	EVENT("response.output_text.delta", "\"sequence_number\":4,\"item_id\":\"msg_1\",\"output_index\":1,\"content_index\":0," \
	      "\"delta\":\"canary-g\"") \
	EVENT("response.output_item.added", "\"sequence_number\":5,\"output_index\":2,\"item\":{\"type\":\"function_call\",\"id\":" \
	      "\"fc_1\",\"call_id\":\"call_1\",\"name\":\"look_up\",\"arguments\":\"\"}") \
	EVENT("response.function_call_arguments.delta", "\"sequence_number\":6,\"item_id\":\"fc_1\",\"output_index\":2,\"delta\":" \
	      "\"{\\\"q\\\":\\\"canary-h\\\"}\"") \
	EVENT("response.output_item.done", "\"sequence_number\":7,\"output_index\":2,\"item\":{\"type\":\"function_call\",\"id\":\"fc_1\"," \
	      "\"status\":\"completed\",\"call_id\":\"call_1\",\"name\":\"look_up\",\"arguments\":\"{\\\"q\\\":\\\"canary-h\\\"}\"}") \
	EVENT("response.completed", "\"sequence_number\":8,\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":" \
	      "\"completed\",\"model\":\"gpt-5-2025\",\"output\":" RESPONSES_OUTPUT ",\"usage\":" RESPONSES_USAGE "}")
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "openai-responses|stream|stop=tool_use|input=30 output=20 cache_read=10 reasoning=5|call id=call_1 name=look_up|"
	  "model=gpt-5-2025|answer=resp_1|" RESPONSES_SEES,
	  "response.completed" },
#undef ANSWER
	{ "responses, whole",
	  { .path = "/v1/responses",
	    .body = { RESPONSES_REQUEST("false"), sizeof(RESPONSES_REQUEST("false")) - 1 },
#define ANSWER \
	"{\"id\":\"resp_2\",\"object\":\"response\",\"status\":\"completed\",\"model\":\"gpt-5-2025\",\"output\":" RESPONSES_OUTPUT \
	",\"usage\":" RESPONSES_USAGE "}"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "openai-responses|stop=tool_use|input=30 output=20 cache_read=10 reasoning=5|call id=call_1 name=look_up|answer=resp_2|" RESPONSES_SEES,
	  NULL },
#undef ANSWER
	{ "gemini, streamed as events",
	  { .path = "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
	    .provider = "gemini",
	    .body = { GEMINI_REQUEST, sizeof(GEMINI_REQUEST) - 1 },
	    .type = "text/event-stream",
#define ANSWER \
	"data: " GEMINI_PIECE("{\"text\":\"canary-e\",\"thought\":true}", "") "\r\n\r\n" \
	"data: " GEMINI_PIECE("{\"text\":\"canary-f\"}", "") "\r\n\r\n" \
	"data: " GEMINI_PIECE("{\"functionCall\":{\"name\":\"look_up\",\"args\":{\"q\":\"canary-g\"}}}", "") "\r\n\r\n" \
	"data: " GEMINI_PIECE("{\"functionCall\":{\"name\":\"look_up\",\"args\":{\"q\":\"canary-h\"}}}", ",\"finishReason\":\"STOP\"") "\r\n\r\n"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "stream|stop=tool_use|input=11 output=8|reasoning=2|call name=look_up call name=look_up|answer=r-1|" GEMINI_SEES, "finishReason" },
	{ "gemini, streamed as a list",
	  { .path = "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
	    .provider = "gemini",
	    .body = { GEMINI_REQUEST, sizeof(GEMINI_REQUEST) - 1 },
#undef ANSWER
#define ANSWER \
	"[" GEMINI_PIECE("{\"text\":\"canary-e {[\\\\\\\"\"}", "") "\n,\r\n" \
	GEMINI_PIECE("{\"functionCall\":{\"name\":\"look_up\",\"args\":{\"q\":\"canary-g\"}}}", ",\"finishReason\":\"STOP\"") "\n]\n"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "stream|stop=tool_use|input=11 output=8|call name=look_up|" GEMINI_SEES, "finishReason" },
#undef ANSWER
	{ "gemini, whole",
	  { .path = "/v1beta/models/gemini-2.5-flash:generateContent",
	    .provider = "gemini",
	    .body = { GEMINI_REQUEST, sizeof(GEMINI_REQUEST) - 1 },
#define ANSWER GEMINI_PIECE("{\"text\":\"canary-e\"}", ",\"finishReason\":\"MAX_TOKENS\"")
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "stop=length|input=11 output=8|token=0|" GEMINI_SEES, NULL },
#undef ANSWER
	{ "ollama, streamed",
	  { .path = "/api/chat",
	    .provider = "ollama",
	    .body = { OLLAMA_REQUEST(""), sizeof(OLLAMA_REQUEST("")) - 1 },
	    .type = "application/x-ndjson",
#define ANSWER \
	OLLAMA_PIECE("\"content\":\"canary-e\"", "\"done\":false") \
	OLLAMA_PIECE("\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"look_up\",\"arguments\":{\"q\":\"canary-f\"}}}]", \
		     "\"done\":false") \
	OLLAMA_PIECE("\"content\":\"\"", OLLAMA_END)
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "stream|stop=tool_use|input=13 output=7|call name=look_up|" OLLAMA_SEES, "done_reason" },
#undef ANSWER
	{ "ollama, whole",
	  { .path = "/api/chat",
	    .provider = "ollama",
	    .body = { OLLAMA_REQUEST(",\"stream\":false"), sizeof(OLLAMA_REQUEST(",\"stream\":false")) - 1 },
#define ANSWER OLLAMA_PIECE("\"content\":\"canary-e\",\"thinking\":\"canary-f\"", OLLAMA_END)
	    .answer = { ANSWER, sizeof(ANSWER) - 2 } },
	  "stop=end_turn|input=13 output=7|token=0|" OLLAMA_SEES, NULL },
#undef ANSWER
	{ "cohere, streamed",
	  { .path = "/v2/chat",
	    .provider = "cohere",
	    .body = { COHERE_REQUEST("true"), sizeof(COHERE_REQUEST("true")) - 1 },
	    .type = "text/event-stream",
#define ANSWER \
	EVENT("message-start", "\"id\":\"c-1\",\"delta\":{\"message\":{\"role\":\"assistant\",\"content\":[],\"tool_calls\":[]}}") \
	COHERE_EVENT("tool-plan-delta", "\"tool_plan\":\"canary-f\"") \
	EVENT("tool-call-start", "\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"look_1\",\"type\":\"function\",\"function\":" \
	      "{\"name\":\"look_up\",\"arguments\":\"\"}}}}") \
	EVENT("tool-call-delta", "\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"function\":{\"arguments\":" \
	      "\"{\\\"q\\\":\\\"canary-g\\\"}\"}}}}") \
	EVENT("tool-call-end", "\"index\":0") \
	EVENT("tool-call-start", "\"index\":1,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"other_1\",\"type\":\"function\",\"function\":" \
	      "{\"name\":\"other\",\"arguments\":\"{}\"}}}}") \
	EVENT("message-end", "\"delta\":{\"finish_reason\":\"TOOL_CALL\"," COHERE_USAGE "}") "data: [DONE]\n\n"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "stream|stop=tool_use|input=90 output=14 cache_read=5|call id=look_1 name=look_up call id=other_1 name=other|answer=c-1|" COHERE_SEES,
	  "TOOL_CALL" },
#undef ANSWER
	{ "cohere, whole",
	  { .path = "/v2/chat",
	    .provider = "cohere",
	    .body = { COHERE_REQUEST("false"), sizeof(COHERE_REQUEST("false")) - 1 },
#define ANSWER \
	"{\"id\":\"c-2\",\"finish_reason\":\"COMPLETE\",\"message\":{\"role\":\"assistant\",\"content\":[" \
	"{\"type\":\"text\",\"text\":\"canary-f\"}]}," \
	COHERE_USAGE "}"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "stop=end_turn|input=90 output=14 cache_read=5|token=0|answer=c-2|" COHERE_SEES, NULL },
#undef ANSWER
	{ "groq, streamed: figures beside the usual place",
	  { .path = "/openai/v1/chat/completions",
	    .provider = "groq",
	    .body = { CHAT_REQUEST("true"), sizeof(CHAT_REQUEST("true")) - 1 },
	    .type = "text/event-stream",
#define ANSWER \
	"data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"model\":\"llama\",\"choices\":[{\"index\":0,\"delta\":{\"role\":" \
	"\"assistant\",\"content\":null},\"finish_reason\":null}],\"x_groq\":{\"id\":\"req_1\"}}\n\n" \
	CHUNK("{\"reasoning\":\"canary-h\"}", "null") CHUNK("{\"content\":\"canary-i\"}", "null") \
	"data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"model\":\"llama\",\"choices\":[{\"index\":0,\"delta\":{}," \
	"\"finish_reason\":\"stop\"}],\"x_groq\":{\"id\":\"req_1\",\"usage\":{\"queue_time\":0.05,\"prompt_tokens\":9,\"prompt_time\":0.01," \
	"\"completion_tokens\":4,\"completion_time\":0.1,\"total_tokens\":13,\"total_time\":0.11}}}\n\ndata: [DONE]\n\n"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "openai-chat|stream|stop=end_turn|input=9 output=4|model=llama|answer=chatcmpl-1", "[DONE]" },
#undef ANSWER
	{ "mistral, streamed: whole calls in one piece, thoughts in lists",
	  { .path = "/v1/chat/completions",
	    .provider = "mistral",
	    .body = { CHAT_REQUEST("true"), sizeof(CHAT_REQUEST("true")) - 1 },
	    .type = "text/event-stream",
#define ANSWER \
	"data: {\"id\":\"cmpl-1\",\"object\":\"chat.completion.chunk\",\"model\":\"magistral\",\"choices\":[{\"index\":0,\"delta\":{\"role\":" \
	"\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n" \
	"data: {\"id\":\"cmpl-1\",\"object\":\"chat.completion.chunk\",\"model\":\"magistral\",\"choices\":[{\"index\":0,\"delta\":{\"content\":[" \
	"{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"canary-h\"}]}]},\"finish_reason\":null}]}\n\n" \
	"data: {\"id\":\"cmpl-1\",\"object\":\"chat.completion.chunk\",\"model\":\"magistral\",\"choices\":[{\"index\":0,\"delta\":{" \
	"\"content\":\"\",\"tool_calls\":[" \
	"{\"id\":\"D681PevKs\",\"function\":{\"name\":\"look_up\",\"arguments\":\"{\\\"q\\\":\\\"canary-i\\\"}\"}}," \
	"{\"id\":\"aBcDeFgHi\",\"function\":{\"name\":\"other\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]," \
	"\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\"total_tokens\":13}}\n\ndata: [DONE]\n\n"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "openai-chat|stream|stop=tool_use|input=9 output=4|call id=D681PevKs name=look_up call id=aBcDeFgHi name=other|model=magistral|"
	  "answer=cmpl-1", "[DONE]" },
#undef ANSWER
	{ "mistral, whole: the window was full",
	  { .path = "/v1/chat/completions",
	    .provider = "mistral",
	    .body = { CHAT_REQUEST("false"), sizeof(CHAT_REQUEST("false")) - 1 },
#define ANSWER \
	"{\"id\":\"cmpl-2\",\"object\":\"chat.completion\",\"model\":\"mistral-small\",\"choices\":[{\"index\":0,\"message\":{\"role\":" \
	"\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"canary-h\"}],\"tool_calls\":null,\"prefix\":false},\"finish_reason\":" \
	"\"model_length\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\"total_tokens\":13}}"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "openai-chat|stop=length|input=9 output=4|answer=cmpl-2", NULL },
#undef ANSWER
	{ "embeddings",
	  { .path = "/v1/embeddings",
#define BODY "{\"model\":\"text-embedding-3-small\",\"input\":[\"canary-a\",\"canary-b\"]}"
	    .body = { BODY, sizeof(BODY) - 1 },
#define ANSWER \
	"{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[0.1,0.2]}],\"model\":" \
	"\"text-embedding-3-small\",\"usage\":{\"prompt_tokens\":6,\"total_tokens\":6}}"
	    .answer = { ANSWER, sizeof(ANSWER) - 1 } },
	  "embeddings|input=6 output=0|model=text-embedding-3-small", NULL },
#undef ANSWER
};

#define BODIES (sizeof(bodies) / sizeof(bodies[0]))

#endif
