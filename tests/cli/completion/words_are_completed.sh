for words in 'vers' 'version --js' '--color al' 'help exi' 'completion z' 'nothing x'; do
	# shellcheck disable=SC2086 # words, on purpose
	trackway __complete -- $words
done
trackway __complete -- canon ''
