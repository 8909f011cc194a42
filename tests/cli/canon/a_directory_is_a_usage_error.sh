mkdir logs
trackway canon logs
