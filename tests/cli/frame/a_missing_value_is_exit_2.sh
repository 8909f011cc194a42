trackway version --color
