# Every lane in one file; then an answer that was edited, a line that is there twice, and an end that was cut off.
trackway validate "$DATA/cassette/whole.jsonl"
sed -e '2s/"c1/"c2/' -e 's/"x":4/"x":3/' "$DATA/cassette/whole.jsonl" >edited.jsonl
trackway validate edited.jsonl | sed 's/ (.* ms)//'
head -n 7 "$DATA/cassette/whole.jsonl" | head -c -10 >torn.jsonl
trackway validate torn.jsonl | sed 's/ (.* ms)//'
trackway validate --json=verdict,interrupted torn.jsonl
sed 's/"mcp:files"/"mcpx"/' "$DATA/cassette/whole.jsonl" | trackway validate -q -
