trackway explain --format bench-run
trackway explain --format bench-suite | head -4
trackway __complete -- explain BS01
trackway __complete -- explain --format bench-
