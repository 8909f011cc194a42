trackway bench run sanity --target opnai:gpt-5
trackway bench run sanity --target openai:gpt-5 --base opeani=http://localhost
trackway bench run sanity --target zzz:m
trackway bench run sanity --target azure:m
trackway bench run sanity --target azure:m --base azure=http://127.0.0.1:9
trackway bench run sanity --target gemini:m
trackway bench run sanity --target vllm:m --target openai-chat:m
