echo '{"b":1,"a":2}' > value.json
echo old > out.json
chmod 640 out.json
trackway canon value.json -o out.json && stat -c %a out.json
