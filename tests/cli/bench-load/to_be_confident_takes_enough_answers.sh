trackway bench load -q --target mock:echo --rate 100 --requests 4 --fail-under 'p99_e2e<=60s' --confident --json=confident 2>err
status=$?
sed 's/p99_e2e [0-9.]* m*s/p99_e2e T/' err
exit $status
