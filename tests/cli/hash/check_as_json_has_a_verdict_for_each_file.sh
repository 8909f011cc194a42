printf '[1]' >one.json
printf '[2]' >two.json
trackway hash one.json two.json >SUMS
printf '[3]' >two.json
trackway hash --json=path,check --check SUMS 2>/dev/null
