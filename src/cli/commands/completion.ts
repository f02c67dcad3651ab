/**
 * completion SHELL: a script that makes the shell complete commands, options and values; it asks this program for proposals.
 */
import { buildCommand } from '@stricli/core'
import type { Context, NoFlags } from '../context.ts'
import { guarded } from '../failure.ts'
import { anyText } from '../parsers.ts'

/**
 * Proposals are whole words. Bash splits words at "=" too, so its script takes the line apart by itself and gives back
 * what stands behind the last one; no space follows a proposal that ends in "=" or ".", since it goes on.
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

export const completion = buildCommand<NoFlags, [keyof typeof SCRIPTS], Context>({
  docs: {
    brief: 'Print a completion script for a shell',
    fullDescription: 'To have it in every session of bash: echo \'eval "$(rocelab completion bash)"\' >> ~/.bashrc',
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'bash, zsh or fish',
          placeholder: 'SHELL',
          proposeCompletions: (partial: string) => Object.keys(SCRIPTS).filter((name) => name.startsWith(partial)),
          parse: (input: string): keyof typeof SCRIPTS => {
            if (Object.hasOwn(SCRIPTS, input)) return input as keyof typeof SCRIPTS
            throw new Error(`expected bash, zsh or fish, received ${JSON.stringify(input)}`)
          },
        },
      ],
    },
  },
  func: guarded(function printScript(this: Context, _flags: NoFlags, shell: keyof typeof SCRIPTS) {
    this.process.stdout.write(SCRIPTS[shell])
  }),
})

/** What the scripts call: proposals for the last word, one a line. */
export const complete = buildCommand<NoFlags, string[], Context>({
  docs: { brief: 'Print proposals for the last of these words' },
  parameters: {
    positional: {
      kind: 'array',
      parameter: { brief: 'Words of a command line', placeholder: 'WORDS', parse: anyText },
    },
  },
  func: guarded(async function printProposals(this: Context, _flags: NoFlags, ...words: string[]) {
    const proposals = (await this.propose?.(words)) ?? []
    this.process.stdout.write(proposals.map((word) => `${word}\n`).join(''))
  }),
})
