trackway __complete -- validate --as agent
trackway __complete -- validate --as=json
trackway __complete -- validate --report s
