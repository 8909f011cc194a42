# The reader is gone before anything is written: no message, and exit 3, because nothing was delivered.
{
	sleep 0.5
	trackway help
	echo $? >status
} | :
cat status
