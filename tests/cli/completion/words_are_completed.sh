for words in 'vers' 'version --js' '--color al' 'help exi' 'completion z' 'nothing x'; do
	# shellcheck disable=SC2086 # words, on purpose
	trackway __complete -- $words
done
trackway __complete -- canon ''
for words in 'bench run --target mo' 'bench run --base ollama_n' 'bench run --target open' 'bench run --key-file azu' \
	'bench run sani' 'bench show r --tar' 'bench compare r --a anth' 'bench run builtin:s' \
	'bench rescore r --suite builtin:t' 'bench run --resume @'; do
	# shellcheck disable=SC2086 # words, on purpose
	trackway __complete -- $words
done
