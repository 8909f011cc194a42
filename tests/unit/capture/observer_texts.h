/* Texts that exchanges of each API are made of: requests with a result, pieces of answers. */
#ifndef UNIT_CAPTURE_OBSERVER_TEXTS_H
#define UNIT_CAPTURE_OBSERVER_TEXTS_H

/* A piece of a chat stream, an event of a message. */
#define CHUNK(delta, finish) \
	"data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1750000000,\"model\":\"gpt-4o-2024-08-06\"," \
	"\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":" finish "}]}\n\n"
#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"," rest "}\n\n"

#define CHAT_REQUEST(stream) \
	"{\"model\":\"gpt-4o\",\"stream\":" stream ",\"user\":\"canary-u\",\"tool_choice\":{\"type\":\"function\",\"function\":" \
	"{\"name\":\"look_up\"}},\"messages\":[{\"role\":\"system\",\"content\":\"canary-a\"},{\"role\":\"user\",\"content\":" \
	"[{\"type\":\"text\",\"text\":\"canary-b\"}]},{\"role\":\"assistant\",\"content\":\"canary-c\",\"reasoning_content\":" \
	"\"canary-d\",\"tool_calls\":[{\"id\":\"call_0\",\"type\":\"function\",\"function\":{\"name\":\"look_up\",\"arguments\":" \
	"\"{\\\"q\\\":\\\"canary-e\\\"}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"call_0\",\"content\":\"canary-f\"}]," \
	"\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look_up\",\"description\":\"canary-g\",\"parameters\":" \
	"{\"type\":\"object\"}}}]}"
#define CHAT_SEES "choice=required|result[3] call=call_0 tool=look_up size=8 kind=text|framework=raw_openai"

#define MESSAGES_REQUEST(stream) \
	"{\"model\":\"claude-sonnet-4-5\",\"stream\":" stream ",\"max_tokens\":100,\"tool_choice\":{\"type\":\"any\"}," \
	"\"system\":[{\"type\":\"text\",\"text\":\"canary-a\",\"cache_control\":{\"type\":\"ephemeral\"}}],\"metadata\":" \
	"{\"user_id\":\"canary-m\"},\"tools\":[{\"name\":\"look_up\",\"description\":\"canary-b\",\"input_schema\":" \
	"{\"type\":\"object\"}}],\"messages\":[{\"role\":\"user\",\"content\":\"canary-c\"},{\"role\":\"assistant\",\"content\":" \
	"[{\"type\":\"thinking\",\"thinking\":\"canary-d\",\"signature\":\"canary-e\"},{\"type\":\"text\",\"text\":\"canary-f\"}," \
	"{\"type\":\"tool_use\",\"id\":\"toolu_0\",\"name\":\"look_up\",\"input\":{\"q\":\"canary-g\"}}]},{\"role\":\"user\"," \
	"\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_0\",\"is_error\":true,\"content\":\"canary-h\"}]}]}"
#define MESSAGES_SEES "choice=required|result[3] call=toolu_0 tool=look_up size=8 kind=text error|anthropic"

#define RESPONSES_REQUEST(stream) \
	"{\"model\":\"gpt-5\",\"stream\":" stream ",\"tool_choice\":\"auto\",\"instructions\":\"canary-a\",\"previous_response_id\":" \
	"\"resp_0\",\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"canary-b\"}]},{\"type\":" \
	"\"function_call\",\"call_id\":\"call_0\",\"name\":\"look_up\",\"arguments\":\"{\\\"q\\\":\\\"canary-c\\\"}\"},{\"type\":" \
	"\"function_call_output\",\"call_id\":\"call_0\",\"output\":\"canary-d\"}],\"tools\":[{\"type\":\"function\",\"name\":" \
	"\"look_up\",\"description\":\"canary-e\"}]}"
#define RESPONSES_SEES "choice=auto|previous=resp_0|result[3] call=call_0 tool=look_up size=8 kind=text|framework=raw_openai"
#define RESPONSES_OUTPUT \
	"[{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"canary-f\"}]},{\"type\":" \
	"\"message\",\"id\":\"msg_1\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\"," \
	"\"text\":\"canary-g\",\"annotations\":[]}]},{\"type\":\"function_call\",\"id\":\"fc_1\",\"status\":\"completed\"," \
	"\"call_id\":\"call_1\",\"name\":\"look_up\",\"arguments\":\"{\\\"q\\\":\\\"canary-h\\\"}\"}]"
#define RESPONSES_USAGE \
	"{\"input_tokens\":30,\"input_tokens_details\":{\"cached_tokens\":10},\"output_tokens\":20,\"output_tokens_details\":" \
	"{\"reasoning_tokens\":5},\"total_tokens\":50}"

#define GEMINI_REQUEST \
	"{\"systemInstruction\":{\"parts\":[{\"text\":\"canary-a\"}]},\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":" \
	"\"canary-b\"}]},{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"look_up\",\"args\":{\"q\":\"canary-c\"}}}]}," \
	"{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"look_up\",\"response\":{\"r\":\"canary-d\"}}}]}]," \
	"\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"ANY\"}}}"
#define GEMINI_SEES "choice=required|result[3] tool=look_up size=16 kind=json|gemini|model=gemini-2.5-flash"
#define GEMINI_PIECE(parts, more) \
	"{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[" parts "]},\"index\":0" more "}],\"modelVersion\":" \
	"\"gemini-2.5-flash\",\"responseId\":\"r-1\",\"usageMetadata\":{\"promptTokenCount\":11,\"candidatesTokenCount\":6," \
	"\"thoughtsTokenCount\":2,\"totalTokenCount\":19}}"

#define COHERE_REQUEST(stream) \
	"{\"model\":\"command-a\",\"stream\":" stream ",\"tool_choice\":\"REQUIRED\",\"messages\":[{\"role\":\"system\",\"content\":\"canary-a\"}," \
	"{\"role\":\"user\",\"content\":\"canary-b\"},{\"role\":\"assistant\",\"tool_plan\":\"canary-c\",\"tool_calls\":[{\"id\":\"look_0\"," \
	"\"type\":\"function\",\"function\":{\"name\":\"look_up\",\"arguments\":\"{\\\"q\\\":\\\"canary-d\\\"}\"}}]},{\"role\":\"tool\"," \
	"\"tool_call_id\":\"look_0\",\"content\":\"canary-e\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look_up\"}}]}"
#define COHERE_SEES "choice=required|result[3] call=look_0 tool=look_up size=8 kind=text|cohere|model=command-a"
#define COHERE_EVENT(type, rest) EVENT(type, "\"delta\":{\"message\":{" rest "}}")
#define COHERE_USAGE \
	"\"usage\":{\"billed_units\":{\"input_tokens\":3,\"output_tokens\":2},\"tokens\":{\"input_tokens\":90.0,\"output_tokens\":14.0}," \
	"\"cached_tokens\":5}"

#define OLLAMA_REQUEST(stream) \
	"{\"model\":\"llama3.2\"" stream ",\"messages\":[{\"role\":\"system\",\"content\":\"canary-a\"},{\"role\":\"user\",\"content\":" \
	"\"canary-b\"},{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"look_up\",\"arguments\":" \
	"{\"q\":\"canary-c\"}}}]},{\"role\":\"tool\",\"tool_name\":\"look_up\",\"content\":\"canary-d\"}]}"
#define OLLAMA_SEES "result[3] tool=look_up size=8 kind=text|ollama|model=llama3.2"
#define OLLAMA_PIECE(message, more) \
	"{\"model\":\"llama3.2\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\"," message "}," more "}\n"
#define OLLAMA_END "\"done_reason\":\"stop\",\"done\":true,\"total_duration\":5,\"prompt_eval_count\":13,\"eval_count\":7"

#endif
