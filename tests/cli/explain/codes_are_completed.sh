trackway __complete -- explain AT04
trackway __complete -- explain E_SEQ_G
trackway __complete -- explain --format otu
