echo old >run.dot
echo "no log" >x.txt
trackway export x.txt --format dot -o run.dot
status=$?
cat run.dot
exit $status
