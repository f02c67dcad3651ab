/**
 * completion SHELL: prints a script that completes commands, options and values with proposals from this program.
 */
import { command } from '../command.ts'
import type { Context, NoFlags } from '../context.ts'
import { anyText, wordOf } from '../parsers.ts'

/**
 * Proposals are whole words. Bash also splits words at "=", so its script splits the line itself and returns the part
 * after the last "=". No space follows a proposal that ends in "=" or ".", as it is to be continued.
 */
const SCRIPTS = {
  bash: `_rocelab() {
  local IFS=$' \\t\\n' line=\${COMP_LINE:0:COMP_POINT} words last
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  last=\${words[\${#words[@]}-1]}
  IFS=$'\\n'
  COMPREPLY=($(rocelab complete -- "\${words[@]:1}" 2>/dev/null))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  elif [[ $last == *=* && $COMP_WORDBREAKS == *=* ]]; then
    COMPREPLY=("\${COMPREPLY[@]#"\${last%%=*}="}")
  fi
  [[ \${#COMPREPLY[@]} -gt 0 && \${COMPREPLY[0]} == *[=.] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o filenames -F _rocelab rocelab
`,
  zsh: `#compdef rocelab
_rocelab() {
  local -a found open whole
  found=(\${(f)"$(rocelab complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  open=(\${(M)found:#*[=.]})
  whole=(\${found:#*[=.]})
  (( \${#open} )) && compadd -S '' -a open
  (( \${#whole} )) && compadd -a whole
  (( \${#found} )) || _files
}
compdef _rocelab rocelab
`,
  fish: `complete -c rocelab -a '(rocelab complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
} as const
const SHELLS = ['bash', 'zsh', 'fish'] as const

export const completion = command({
  brief: 'Print a completion script for a shell',
  about: ['To enable it in every bash session: echo \'eval "$(rocelab completion bash)"\' >> ~/.bashrc'],
  args: [
    {
      brief: 'bash, zsh or fish',
      placeholder: 'SHELL',
      proposeCompletions: (partial: string) => SHELLS.filter((name) => name.startsWith(partial)),
      parse: wordOf(SHELLS, 'bash, zsh or fish'),
    },
  ],
  run: function printScript(this: Context, _flags: NoFlags, shell: (typeof SHELLS)[number]) {
    this.process.stdout.write(SCRIPTS[shell])
  },
})

/** Hidden command that the scripts call: prints completions of the last word, one per line. */
export const complete = command({
  brief: 'Print completions of the last word',
  manyArgs: { brief: 'Words of a command line', placeholder: 'WORDS', parse: anyText },
  run: async function printProposals(this: Context, _flags: NoFlags, ...words: string[]) {
    const proposals = (await this.propose?.(words)) ?? []
    this.process.stdout.write(proposals.map((word) => `${word}\n`).join(''))
  },
})
