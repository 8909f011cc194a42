printf '{"model":"m","messages":[{"role":"user","content":"\302\2331m \342\200\256abc"}]}\n' >chat.jsonl
script -qec 'trackway convert -q chat.jsonl --to conversation' /dev/null | grep -c '"\\u009b1m \\u202eabc"'
trackway convert -q chat.jsonl --to conversation | grep -c "$(printf ' \342\200\256abc"')"
