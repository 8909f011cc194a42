printf '{"b":1,"a":2}' > good.json
printf '{"b":1,"b":2}' > bad.json
trackway canon good.json --output out.json && cat out.json && echo
trackway canon bad.json -o out.json 2> err.txt
echo "exit $?"
cat out.json && echo
ls
