# U+009B begins an escape sequence on many terminals, U+202E reverses what follows.
printf '["\302\2331m","\342\200\256abc"]' >value.json
script -qec 'trackway canon value.json' /dev/null | tr -d '\r'
trackway canon value.json | od -An -c | tr -d ' \n'
echo
