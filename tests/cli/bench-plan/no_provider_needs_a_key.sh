for provider in openai openai-chat anthropic ollama vllm gemini azure openrouter claude mock; do
	trackway bench plan sanity --target $provider:m --json=questions | grep -c '"questions": 36'
done
