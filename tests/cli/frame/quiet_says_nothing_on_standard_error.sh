mkdir pages
for words in help version 'completion bash' '--generate man pages' '--generate complete-zsh' '--generate examples'; do
	# shellcheck disable=SC2086 # words, on purpose
	trackway -q $words >/dev/null || echo "exit $?: $words"
done
