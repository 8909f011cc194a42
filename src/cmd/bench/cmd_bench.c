/* The page of the group `bench`: what a benchmark is, and the providers. */
#include "cmd/frame/commands.h"

static const struct example session[] = {
	{ "trackway bench plan builtin:sanity --target mock:good --repeat 3",
	  "what a run would send, and what it can show" },
	{ "trackway bench run builtin:sanity --target mock:good --run-id first",
	  "run it; the provider mock needs no key" },
	{ "trackway bench summary first", "show its figures again" },
	{ "trackway bench run builtin:tools --target mock:good --run-id tools", "which tools does a model call?" },
	{ "trackway bench tiers tools", "which targets can be trusted with tools" },
	{ "trackway validate runs/first", "check every file, and the figures against the rows" },
	{ NULL, NULL },
};

const struct command bench_command = {
	.name = "bench",
	.summary = "ask models the same questions and compare their answers",
	.usage = "COMMAND [ARGUMENTS]",
	.description =
		"A benchmark asks every prompt of a suite of every target, judges each answer by the prompt's "
		"validator, and sums them up: how many passed, how sure that is, how long they took, "
		"which tools they called and what they cost. A suite is a JSON file of prompts, a directory of them, "
		"or one of those shipped: sanity, instructions, tools; builtin:sanity is the shipped one even where a "
		"file is called sanity.\n\n"
		"A target is PROVIDER:MODEL or PROVIDER:MODEL@THINKING, where THINKING is low, medium, high or xhigh. "
		"The providers:\n\n"
		"  openai              OpenAI's Responses API; $OPENAI_API_KEY\n"
		"  anthropic           Anthropic's API; $ANTHROPIC_API_KEY\n"
		"  gemini              Google's Gemini; $GEMINI_API_KEY\n"
		"  azure               Azure OpenAI; $AZURE_OPENAI_ENDPOINT and\n"
		"                      $AZURE_OPENAI_API_KEY\n"
		"  openrouter          OpenRouter; $OPENROUTER_API_KEY\n"
		"  ollama              Ollama's own API; $OLLAMA_HOST\n"
		"  openai-chat, vllm   OpenAI's chat completions: Ollama, vLLM, SGLang,\n"
		"                      llama.cpp and others; $OLLAMA_OPENAI_BASE, else\n"
		"                      http://localhost:11434/v1; --key-file for a key\n"
		"  claude              the program 'claude', as it is logged in\n"
		"  mock                built in, offline: repeats the prompt, or answers by\n"
		"                      --mock-script\n\n"
		"Rows have a provider's long name, which may be typed as well: openai is openai_responses, anthropic "
		"anthropic_messages, ollama ollama_native, openai-chat and vllm ollama_openai, claude "
		"claude_code_cli. --base and --key-file take either name.\n\n"
		"Every run is a directory, runs/RUN_ID, with a row for each call in results.jsonl; everything else in "
		"it is derived from them. doc/bench.md has the details.",
	.examples = session,
	.is_group = true,
};
