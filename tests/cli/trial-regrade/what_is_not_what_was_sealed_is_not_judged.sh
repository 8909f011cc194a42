. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 5 >answer" --isolation none -q -o job >/dev/null
id=$(basename job/0*)
# An answer that is right now, and a list that says so.
was=$(echo 5 | sha256sum | cut -d ' ' -f 1) is=$(echo 4 | sha256sum | cut -d ' ' -f 1)
answer=ledger/artifacts/trials/$id/workspace%2Fanswer list=ledger/artifacts/trials/$id/manifest.json
chmod u+w "$answer" "$list"
echo 4 >"$answer"
changed=$(sed "s/$was/$is/" "$list") && echo "$changed" >"$list"
trackway trial regrade "$id" task 2>&1 | joined
trackway trial regrade "$id" task 2>/dev/null
