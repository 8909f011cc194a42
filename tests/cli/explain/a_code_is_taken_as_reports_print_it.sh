trackway explain AT041 >plain
for word in 'error[AT041]' 'at041' 'error[at041]: a sentence'; do
	trackway explain "$word" | cmp - plain
done
trackway explain --format OTUTL >shout
trackway explain --format otutl | cmp - shout
trackway help AT041
