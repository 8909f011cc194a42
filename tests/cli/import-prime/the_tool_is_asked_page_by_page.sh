. "$DATA/../cli/import/common"
mkdir bin
cat >bin/prime <<'END'
#!/bin/sh
echo "prime $*" >>asked
case "$*" in
'eval get ev-9 --plain -o json') echo '{"evaluation_id": "ev-9", "model_name": "m"}' ;;
'eval samples ev-9 --plain -n 100 -o json') echo '{"samples": [{"sample_id": "a", "reward": 1}], "total_pages": 2}' ;;
'eval samples ev-9 --plain -n 100 -p 2 -o json') echo '{"samples": [{"sample_id": "b", "reward": 0}], "total_pages": 2}' ;;
*) echo 'no such evaluation' >&2; exit 1 ;;
esac
END
chmod +x bin/prime
PATH=$PWD/bin:$PATH
trackway import prime ev-9
cat asked
trackway import prime ev-10
