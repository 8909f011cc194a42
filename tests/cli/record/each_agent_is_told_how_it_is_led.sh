. "$DATA/../cli/record/common"
# What stands for the agents says with which words it was started, and makes no request.
# Our hooks of Claude Code are long: one of them is enough to see.
hooks() {
	sed -E 's|\{"hooks":\{"SessionStart".*/trackway hook claude-code".*\}\]\}\]\}\}|{"hooks":OURS}|
		s|"hooks":\{"SessionStart".*/trackway hook claude-code".*\}\]\}\]\}|"hooks":OURS|'
}
HOME=$PWD/person
export HOME
mkdir -p bin person/.claude person/.codex
for name in claude codex gemini opencode qwen aider mini llm gptme clai smolagent copilot pi cline cn hermes qodercli dsh \
	amp droid grok kimi codebuddy agy openclaw cursor-agent npx; do
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho "$(basename "$0") $*"\n' >"bin/$name"
	chmod +x "bin/$name"
done
PATH=$PWD/bin:$PATH
for name in claude codex gemini opencode qwen aider mini llm gptme clai smolagent copilot pi cline cn hermes qodercli dsh \
	amp droid grok kimi codebuddy agy openclaw cursor-agent; do
	trackway record -o "runs/$name" -- "$name" x >out 2>said
	echo "$name: $(grep -E '^[^ ].* is (led|recorded) by ' said || echo nothing)"
	stable <out | hooks
done
echo '{"env":{"ANTHROPIC_BASE_URL":"http://gateway.example/a"}}' >person/.claude/settings.json
echo 'openai_base_url = "http://gateway.example/v1"' >person/.codex/config.toml
trackway record -o runs/1 -- claude -p x 2>&1 | stable | hooks | head -2
trackway record -o runs/2 -- npx -y @openai/codex exec x 2>&1 | stable | head -2
trackway record --intercept -o runs/3 -- gemini x 2>&1 | head -2
trackway record -q -o runs/4 -- pi x 2>&1
