. "$DATA/../cli/trial-run/common"
echo "echo 4 >answer" >solve.sh
trackway trial run task --agent "sh solve.sh" --isolation none -q -o job | plain
grep -h "\"adapter\"\|\"command\"" job/*/record.json | head -n 2 | plain
printf '#!/bin/sh\necho 4 >answer\n' >solve.sh
chmod +x solve.sh
trackway trial run task --agent solve.sh --isolation none -q -o job2 | plain
