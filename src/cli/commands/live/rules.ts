/** Scripts of faults on the command line: they are read, and what each rule met is shown. */
import { inputError } from '../../../base/issue.ts'
import type { FaultEvent, FaultScript, RuleCount } from '../../../live/index.ts'
import { readFaultScript } from '../../../live/index.ts'
import { exactCount, textTable, type TextColumn } from '../../../report/index.ts'
import type { Context } from '../../context.ts'
import { readText } from '../../files/input-file.ts'

/** The exit code where a rule of the script never acted. */
export const EXIT_UNUSED = 1

/** @param file undefined: no rules. @throws InputError with every mistake */
export function scriptOf(directory: string, file: string | undefined): FaultScript {
  if (file === undefined) return { seed: 0, rules: [], peer: undefined }
  return readFaultScript(readText(directory, file, 'a fault script'), file)
}

/** A script for a line between two ends, neither of which is ours. @throws InputError */
export function lineScriptOf(directory: string, file: string | undefined): FaultScript {
  const script = scriptOf(directory, file)
  const closing = script.rules.findIndex(({ action }) => action.kind === 'close')
  if (closing < 0) return script
  throw inputError(`${file}: rule ${closing + 1}`, 'what a box can do', 'close', 'only a peer ends its connection')
}

/** Says when a rule acts for the first time. */
export function firstActs({ rules }: FaultScript, say: (text: string) => void): (event: FaultEvent) => void {
  const seen = new Set<number>()
  return ({ rule, timePs, direction }) => {
    if (rule < 0 || seen.has(rule)) return
    seen.add(rule)
    const { action, line } = rules[rule]!
    say(`${(timePs / 1e9).toFixed(1)} ms: rule ${rule + 1} (line ${line}) acts: ${action.kind}, ${direction}`)
  }
}

const right = (head: string): TextColumn => ({ head, align: 'right' })

/** A row for each rule. */
export function rulesText({ rules }: FaultScript, counts: readonly RuleCount[], { text }: Context): string {
  const rows = rules.map(({ fit, action, line }, at) => {
    const { fitted, acted } = counts[at]!
    const note = acted === 0 ? 'never acted' : ''
    return [`${at + 1}`, `${line}`, fit.mad ?? fit.kind, action.kind, exactCount(fitted), exactCount(acted), note]
  })
  const heads = [right('rule'), right('line'), { head: 'match' }, { head: 'do' }, right('fitted'), right('acted')]
  return textTable([...heads, { head: '' }], rows, text)
}

export function rulesJson({ rules }: FaultScript, counts: readonly RuleCount[]): object[] {
  return rules.map((rule, at) => ({ ...rule, ...counts[at]! }))
}
