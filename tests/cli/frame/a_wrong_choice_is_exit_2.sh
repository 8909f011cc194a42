trackway version --color sometimes
