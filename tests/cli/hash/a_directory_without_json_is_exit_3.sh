mkdir logs
trackway hash logs
