/* The completion scripts: each asks `trackway __complete` and knows no command itself. */
#include "cmd/frame/completion.h"

/* bash breaks words at "=", so they are put together again, and answers lose what stands before it. */
static const char bash_script[] =
	"# bash completion for trackway\n"
	"_trackway_names()\n"
	"{\n"
	"	compopt -o filenames\n"
	"	mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen \"$1\" -- \"$2\")\n"
	"}\n"
	"_trackway()\n"
	"{\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} joined='' i word about\n"
	"	local -a words=()\n"
	"	for ((i = 1; i <= COMP_CWORD; i++)); do\n"
	"		word=${COMP_WORDS[i]}\n"
	"		if [[ $word == = && ${#words[@]} -gt 0 ]]; then\n"
	"			words[${#words[@]}-1]+==\n"
	"			joined=yes\n"
	"		elif [[ $joined ]]; then\n"
	"			words[${#words[@]}-1]+=$word\n"
	"			joined=''\n"
	"		else\n"
	"			words+=(\"$word\")\n"
	"		fi\n"
	"	done\n"
	"	[[ $cur == = ]] && cur=''\n"
	"	COMPREPLY=()\n"
	"	while IFS=$'\\t' read -r word about; do\n"
	"		case $word in\n"
	"		:files) _trackway_names -f \"$cur\" ;;\n"
	"		:dirs) _trackway_names -d \"$cur\" ;;\n"
	"		--*=*) COMPREPLY+=(\"${word#*=}\") ;;\n"
	"		*[:=]) compopt -o nospace && COMPREPLY+=(\"$word\") ;;\n"
	"		*) COMPREPLY+=(\"$word\") ;;\n"
	"		esac\n"
	"	done < <(trackway __complete -- \"${words[@]}\" 2>/dev/null)\n"
	"}\n"
	"complete -o nosort -F _trackway trackway\n";

static const char zsh_script[] =
	"#compdef trackway\n"
	"_trackway()\n"
	"{\n"
	"	local word about files='' dirs=''\n"
	"	local -a answers\n"
	"	while IFS=$'\\t' read -r word about; do\n"
	"		case $word in\n"
	"		(:files) files=yes ;;\n"
	"		(:dirs) dirs=yes ;;\n"
	"		(*) answers+=(\"${word//:/\\\\:}${about:+:$about}\") ;;\n"
	"		esac\n"
	"	done < <(trackway __complete -- \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\n"
	"	(( $#answers )) && _describe -V -t trackway trackway answers\n"
	"	[[ $PREFIX == --*=* ]] && compset -P '*='\n"
	"	[[ -n $files ]] && _files\n"
	"	[[ -n $dirs ]] && _files -/\n"
	"	return 0\n"
	"}\n"
	"if [[ $funcstack[1] == _trackway ]]; then\n"
	"	_trackway \"$@\"\n"
	"else\n"
	"	compdef _trackway trackway\n"
	"fi\n";

static const char fish_script[] =
	"# fish completion for trackway\n"
	"function __trackway_complete\n"
	"	set -l words (commandline -opc)\n"
	"	set -l cur (commandline -ct)\n"
	"	set -l before (string match -r -- '^--[^=]*=' \"$cur\")\n"
	"	set -l value (string replace -r -- '^--[^=]*=' '' \"$cur\")\n"
	"	for line in (trackway __complete -- $words[2..-1] \"$cur\" 2>/dev/null)\n"
	"		switch \"$line\"\n"
	"			case :files\n"
	"				for path in (__fish_complete_path \"$value\")\n"
	"					echo \"$before$path\"\n"
	"				end\n"
	"			case :dirs\n"
	"				for path in (__fish_complete_directories \"$value\")\n"
	"					echo \"$before$path\"\n"
	"				end\n"
	"			case '*'\n"
	"				echo $line\n"
	"		end\n"
	"	end\n"
	"end\n"
	"complete -c trackway -k -f -a '(__trackway_complete)'\n";

static const char powershell_script[] =
	"# PowerShell completion for trackway\n"
	"Register-ArgumentCompleter -Native -CommandName trackway -ScriptBlock {\n"
	"	param($word, $ast, $cursor)\n"
	"	$words = @($ast.CommandElements | Select-Object -Skip 1 |\n"
	"		Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })\n"
	"	trackway __complete -- @words \"$word\" 2>$null | ForEach-Object {\n"
	"		$answer, $about = $_ -split \"`t\", 2\n"
	"		if ($answer -eq ':files') { Get-ChildItem -Name -Path \"$word*\" }\n"
	"		elseif ($answer -eq ':dirs') { Get-ChildItem -Name -Directory -Path \"$word*\" }\n"
	"		else {\n"
	"			if (-not $about) { $about = $answer }\n"
	"			[System.Management.Automation.CompletionResult]::new(\n"
	"				$answer, $answer, 'ParameterValue', $about)\n"
	"		}\n"
	"	}\n"
	"}\n";

const char *const completion_shells[] = { "bash", "zsh", "fish", "powershell", NULL };

struct str completion_find_script(struct str shell)
{
	static const struct str scripts[] = {
		{ bash_script, sizeof(bash_script) - 1 },
		{ zsh_script, sizeof(zsh_script) - 1 },
		{ fish_script, sizeof(fish_script) - 1 },
		{ powershell_script, sizeof(powershell_script) - 1 },
	};

	for (size_t i = 0; completion_shells[i]; i++)
		if (str_eq(shell, str_from(completion_shells[i])))
			return scripts[i];
	return str_of(NULL, 0);
}
