. "$(dirname "$0")/common"
good --run-id r -q >/dev/null
