trackway bench load -q --target mock:echo@low --rate 100 --requests 2 --no-stream --max-tokens 5 --temperature 0.5 --system 'Be brief.' \
	--input-tokens 30 --json=prompts
