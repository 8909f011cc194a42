trackway bench load --target mock:echo --rate 100 --slo 'ttft>=1s'
trackway bench load --target mock:echo --rate 100 --fail-under 'p42_ttft<=1s'
