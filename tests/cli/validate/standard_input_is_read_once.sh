trackway validate - - </dev/null
echo $?
echo 'hello' | trackway validate - | sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/'
