trackway show 2>&1 | head -3
trackway show >out 2>err
