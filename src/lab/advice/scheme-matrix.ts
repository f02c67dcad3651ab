/**
 * Matrix: which loss recovery runs with which congestion control, by the rules that check a scenario. A pair whose needs
 * are met by settings other than the defaults runs with those settings; a pair that no setting helps is refused.
 */
import { defaultsOf } from '../../core/base/params.ts'
import { formatIssue } from '../../core/base/issue.ts'
import { type TextColumn, type TextOptions, textTable } from '../../show/index.ts'
import { parseTree, scenarioParams, type Scenario } from '../scenario/index.ts'
import { NEEDS } from '../scenario/rules/needs.ts'
import { type Refusal, refusalsOf } from '../scenario/rules/scheme-needs.ts'
import { congestions } from '../../core/transport/congestion/index.ts'
import { recoveries } from '../../core/transport/recovery/index.ts'
import type { Needs, SchemeDefinition } from '../../core/transport/scheme.ts'

/** Smallest scenario: all settings but the schemes at their defaults. */
const PLAIN = 'name: plain\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: incast, senders: 2}]\n'

export interface MatrixCell {
  readonly recovery: string
  readonly congestion: string
  readonly runs: boolean
  /** Settings that the pair needs, as for --set; empty if it runs with the defaults or is refused. */
  readonly settings: readonly string[]
  /** Mistakes reported for a scenario that names the pair and sets nothing else. */
  readonly refusals: readonly CellRefusal[]
}

interface CellRefusal {
  readonly scheme: string
  readonly need: keyof Needs
  readonly message: string
  /** Text without the values of this pair: equal for all pairs that are refused for the same reason. */
  readonly rule: string
}

/** A cell for every pair, by congestion control. */
export function schemeMatrix(): readonly MatrixCell[] {
  return congestions.flatMap((congestion) => recoveries.map((recovery) => cellOf(recovery, congestion)))
}

function cellOf(recovery: SchemeDefinition, congestion: SchemeDefinition): MatrixCell {
  const refused = (sets: readonly string[]): Refusal[] =>
    refusalsOf(plainScenario(recovery, congestion, sets), { recovery, congestion })
  const first = refused([])
  const settings: string[] = []
  let left: readonly Refusal[] = first
  // A setting for one need may break another; the loop ends when no new setting is proposed.
  for (;;) {
    const added = left.flatMap(({ setting }) => (setting === null || settings.includes(setting) ? [] : [setting]))
    if (added.length === 0) break
    settings.push(...added)
    left = refused(settings)
  }
  const runs = left.length === 0
  return {
    recovery: recovery.name,
    congestion: congestion.name,
    runs,
    settings: runs ? settings : [],
    refusals: (runs ? first : left).map((refusal) => ({
      scheme: refusal.scheme,
      need: refusal.need,
      message: formatIssue({ ...refusal, path: refusal.path.join('.') }),
      rule: `${refusal.path.join('.')}: ${refusal.expected} (${refusal.hint})`,
    })),
  }
}

function plainScenario(recovery: SchemeDefinition, congestion: SchemeDefinition, sets: readonly string[]): Scenario {
  const [ofRecovery, others] = [true, false].map((is) => sets.filter((set) => set.startsWith('recovery.') === is))
  const scenario = parseTree(scenarioParams, PLAIN, { sets: others! })
  // Settings that a control needs of a recovery always turn an option off, which is null in a scenario.
  const off = Object.fromEntries(ofRecovery!.map((set) => [set.slice('recovery.'.length, set.indexOf('=')), null]))
  return {
    ...scenario,
    recovery: { kind: recovery.name, ...defaultsOf(recovery.params), ...off },
    congestion: { kind: congestion.name, ...defaultsOf(congestion.params) },
  } as Scenario
}

/** One row per congestion control, one column per recovery, with footnotes below. */
export function matrixText(cells: readonly MatrixCell[], options: TextOptions): string {
  const notes: string[] = []
  const mark = (note: string): string => {
    if (!notes.includes(note)) notes.push(note)
    return `[${notes.indexOf(note) + 1}]`
  }
  const rows = congestions.map(({ name }) => [
    name,
    ...recoveries.map((recovery) => {
      const cell = cells.find((each) => each.congestion === name && each.recovery === recovery.name)
      return cell === undefined ? '' : cellText(cell, mark)
    }),
  ])
  const heads = ['congestion', ...recoveries.map((recovery) => recovery.name)]
  const parts = [
    `Which loss recovery (columns) runs with which congestion control (rows)\n\n${textTable(columnsOf(heads), rows, options)}`,
    ...(notes.length === 0
      ? []
      : [
          textTable(
            columnsOf(['', '']),
            notes.map((note, i) => [`[${i + 1}]`, note]),
            options,
          ),
        ]),
    textTable(columnsOf(['need', 'schemes', 'met by']), needRows(), options),
  ]
  return parts.join('\n')
}

function cellText({ runs, settings, refusals }: MatrixCell, mark: (note: string) => string): string {
  if (!runs) return `refused ${refusals.map(({ rule }) => mark(rule)).join(' ')}`
  if (settings.length === 0) return 'runs'
  const needs = [...new Set(refusals.map(({ need }) => NEEDS[need].name))]
  return `runs ${mark(`with ${settings.join(' and ')}, for ${needs.join(' and ')}`)}`
}

/** Needs that at least one scheme has. */
function needRows(): string[][] {
  return Object.entries(NEEDS).flatMap(([need, { name, metBy }]) => {
    const schemes = [...recoveries, ...congestions].filter(
      ({ needs }: SchemeDefinition) => needs[need as keyof Needs] === true,
    )
    return schemes.length === 0 ? [] : [[name, [...new Set(schemes.map((scheme) => scheme.name))].join(', '), metBy]]
  })
}

function columnsOf(heads: readonly string[]): TextColumn[] {
  return heads.map((head) => ({ head }))
}
