printf '[1]' >one.json
printf '[2]' >two.json
printf '[3]' >three.json
trackway hash one.json two.json >SUMS
rm two.json
trackway hash --check SUMS one.json
trackway hash --check SUMS one.json three.json
