for options in --hash-blocks=15 --hash-blocks=4097 --hash-blocks=many '--block-key mine' \
	'--hash-blocks --block-key ./none.key'; do
	# shellcheck disable=SC2086
	trackway record $options -- true
	echo "exit $?"
done
