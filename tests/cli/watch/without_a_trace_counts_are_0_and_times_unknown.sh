mkdir runs
trackway watch runs --once --json=events,nodes,ttft_seconds,tool_stall_ratio,files
trackway watch runs --once | grep NaN
