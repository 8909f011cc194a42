trackway bench run builtin:sanity --target mock:echo --out runs --run-id one -q >summary 2>&1
trackway validate runs -q && echo valid
sed -i '/^| mock | echo /s/100\.0/98.0/' runs/one/summary.md
sed -i 's/<title>one /<title>two /' runs/one/report.html
trackway validate runs | grep -A 1 '^error'
trackway bench summary runs/one --write -q >written && trackway validate runs -q && echo valid again
echo "My own words." >runs/one/summary.md
trackway validate runs | grep -A 1 '^info'
