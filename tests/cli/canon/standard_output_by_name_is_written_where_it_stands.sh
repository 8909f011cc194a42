echo '{"b":1,"a":2}' > value.json
(echo first; trackway canon value.json -o /dev/stdout; echo; echo last) > all.txt
cat all.txt
