. "$DATA/../cli/record/common"
for options in '--listen nonsense' '--listen 0.0.0.0:0' '--listen 0.0.0.0:0 --token-file t' \
	'--listen [::]:0 --tls-cert c --tls-key k' '--listen 127.0.0.1:0 --tls-cert c' '--listen 127.0.0.1:0 --keep 3x' \
	'--listen 127.0.0.1:0 --token-file short' '--listen 127.0.0.1:0 --intercept' \
	'--listen 127.0.0.1:0 --engine-metrics http://127.0.0.1:1' '--listen 127.0.0.1:0 -- true' '--listen 127.0.0.1:0 --shell' \
	'--listen 127.0.0.1:0 -o short' '--listen 127.0.0.1:0 --token-file gone' \
	'--listen 127.0.0.1:0 --tls-cert gone --tls-key gone' \
	'--idle 5 -- true' '--keep 3d -- true' '--token-file t -- true' '--tls-cert c -- true' '--tls-key k -- true'; do
	echo short >short
	# shellcheck disable=SC2086
	record $options
	echo "$options: $?"
done
ls
