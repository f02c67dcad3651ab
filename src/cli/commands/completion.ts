/**
 * completion SHELL: a script that makes the shell complete commands and options; it asks this program for proposals.
 */
import { buildCommand } from '@stricli/core'
import type { Context, NoFlags } from '../context.ts'
import { guarded } from '../failure.ts'
import { anyText } from '../parsers.ts'

const SCRIPTS = {
  bash: `_rocelab() {
  local IFS=$'\\n'
  COMPREPLY=($(rocelab complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o filenames -F _rocelab rocelab
`,
  zsh: `#compdef rocelab
_rocelab() {
  local -a found
  found=(\${(f)"$(rocelab complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
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
