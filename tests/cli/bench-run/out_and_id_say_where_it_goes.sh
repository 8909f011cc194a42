. "$(dirname "$0")/common"
good --out deep/er --run-id r -q >/dev/null && ls deep/er
good --out deep/er --run-id r
good --run-id ../r
