. "$DATA/../cli/trial-classify/common"
echo hello >a.txt
trackway trial classify a.txt
