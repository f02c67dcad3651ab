/** Scripts of faults on the command line: they are read, and what each rule met is shown. */
import { inputError } from '../../../core/base/issue.ts'
import type { ActionKind, FaultEvent, FaultScript, RuleCount } from '../../../live/index.ts'
import { readFaultScript } from '../../../live/index.ts'
import { FORMAT_IRN, FORMAT_ROCE } from '../../../core/wire/index.ts'
import { exactCount, right, textTable } from '../../../show/index.ts'
import type { Context } from '../../context.ts'
import { readText } from '../../files/input-file.ts'

/** The exit code where a rule of the script never acted. */
export const EXIT_UNUSED = 1

/** @param file undefined: no rules. @param format FORMAT_ bits of the packets. @throws InputError with every mistake */
export function scriptOf(directory: string, file: string | undefined, format: number = FORMAT_ROCE): FaultScript {
  if (file === undefined) return { seed: 0, rules: [], peer: undefined }
  const script = readFaultScript(readText(directory, file, 'a fault script'), file)
  if ((format & FORMAT_IRN) === 0) return script
  const why = "IRN's refusals name packets that arrived, which a script does not know"
  return without(script, file, ['rnr', 'nak'], 'what can be done to IRN', why)
}

/** A script for a line whose ends are not ours to close. @throws InputError */
export function lineScriptOf(directory: string, file: string | undefined, format: number = FORMAT_ROCE): FaultScript {
  const script = scriptOf(directory, file, format)
  return without(script, file ?? '', ['close'], 'what a line can do', 'only a peer ends its connection')
}

/** @throws InputError where a rule has one of these actions */
function without(
  script: FaultScript,
  file: string,
  kinds: readonly ActionKind[],
  expected: string,
  why: string,
): FaultScript {
  const at = script.rules.findIndex(({ action }) => kinds.includes(action.kind))
  if (at < 0) return script
  throw inputError(`${file}: rule ${at + 1}`, expected, script.rules[at]!.action.kind, why)
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

/** A row for each rule. */
export function rulesText({ rules }: FaultScript, counts: readonly RuleCount[], { text }: Context): string {
  const rows = rules.map(({ fit, action, line }, at) => {
    const { fitted, acted } = counts[at]!
    const note = acted === 0 ? 'never acted' : ''
    return [`${at + 1}`, `${line}`, fit.mad ?? fit.kind, action.kind, exactCount(fitted), exactCount(acted), note]
  })
  const heads = [right('rule'), right('line'), 'match', 'do', right('fitted'), right('acted')]
  return textTable([...heads, ''], rows, text)
}

export function rulesJson({ rules }: FaultScript, counts: readonly RuleCount[]): object[] {
  return rules.map((rule, at) => ({ ...rule, ...counts[at]! }))
}
