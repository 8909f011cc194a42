trackway version --quiet=yes
