for shell in bash zsh fish powershell; do
	trackway completion $shell | grep -c 'trackway __complete --'
done
