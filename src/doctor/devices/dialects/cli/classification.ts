/**
 * Classification: class-maps and input policies, by which a switch gives packets a group or traffic class by their DSCP.
 * A policy takes the first of its classes that matches. The class of a DSCP is unknown where only other fields decide.
 */
import { DSCP_COUNT, DSCPS } from '../../../../core/device-model/index.ts'
import type { PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { allOf, type Entry, type Form, lastOf, namedOf } from './entries.ts'

/** Class-maps and policies as NX-OS, EOS and OS10 write them; their kinds are "class-map" and "input policy". */
export const CLASSIFICATION_FORMS: readonly Form[] = [
  {
    kind: 'class-map',
    is: /^class-map type qos (?:match-(?:any|all) )?(\S+)(?: match-(?:any|all))?$/,
    inside: [
      { kind: 'dscp', is: /^match (?:ip )?dscp (.+)$/ },
      { kind: 'precedence', is: /^match (?:ip )?precedence (.+)$/ },
      { kind: 'cos', is: /^match cos (.+)$/ },
      { kind: 'other', is: /^match (.+)$/ },
    ],
  },
  {
    kind: 'input policy',
    is: /^policy-map type (?:qos|quality-of-service) (\S+)$/,
    inside: [
      {
        kind: 'class',
        is: /^class (?:type qos )?(\S+)$/,
        inside: [
          { kind: 'set', is: /^set (?:qos-group|traffic-class) ([0-7])$/ },
          { kind: 'rewrite', is: /^set (?:dscp|cos|precedence) / },
        ],
      },
    ],
  },
]

/** DSCP of a number or a name: "af31", "cs6", "ef". Undefined: neither. */
function dscpOf(word: string): number | undefined {
  if (/^\d{1,2}$/.test(word)) return Number(word) < DSCP_COUNT ? Number(word) : undefined
  const [, kind, high, low] = /^(af|cs)([0-7])([1-3])?$/.exec(word) ?? []
  if (kind === 'cs' && low === undefined) return Number(high) * 8
  if (kind === 'af' && low !== undefined) return Number(high) * 8 + Number(low) * 2
  return new Map([
    ['ef', 46],
    ['va', 44],
    ['default', 0],
  ]).get(word)
}

/** DSCPs of "24-31,48" or "24 25 af31", ascending; undefined: not such a list. */
export function dscpsIn(text: string): number[] | undefined {
  const dscps = new Set<number>()
  for (const piece of text.split(/[\s,]+/)) {
    const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(piece) ?? [null, piece, piece]
    const [first, last] = [dscpOf(from!), dscpOf(to!)]
    if (first === undefined || last === undefined) return undefined
    for (let dscp = first; dscp <= last; dscp++) dscps.add(dscp)
  }
  return [...dscps].sort((a, b) => a - b)
}

/** DSCPs that a class-map takes: surely, by the line that says so, and perhaps. */
interface Match {
  readonly sure: ReadonlyMap<number, Line>
  readonly perhaps: readonly number[]
  readonly hasDscp: boolean
  readonly hasCos: boolean
}

function matchOf(map: Entry, isAnyUnlessAll: boolean): Match {
  const sure = new Map<number, Line>()
  let hasOther = false
  for (const { kind, args, line } of map.entries) {
    const list = kind === 'dscp' || kind === 'precedence' ? dscpsIn(args[0]!) : undefined
    if (list === undefined) hasOther = true
    else if (kind === 'dscp') for (const dscp of list) sure.set(dscp, line)
    else for (const precedence of list) for (let i = 0; i < 8; i++) sure.set(precedence * 8 + i, line)
  }
  const hasCos = allOf(map.entries, 'cos').length > 0
  const hasDscp = sure.size > 0
  if (!hasOther) return { sure, perhaps: [], hasDscp, hasCos }
  if (isAnyUnlessAll) return { sure, perhaps: DSCPS, hasDscp, hasCos }
  return { sure: new Map(), perhaps: hasDscp ? [...sure.keys()] : DSCPS, hasDscp, hasCos }
}

/** Decision about a DSCP. */
export interface Verdict {
  /** Undefined: the class that it falls into gives none. */
  readonly group: number | undefined
  readonly line: Line
}

export interface InputPolicy {
  readonly line: Line
  /** By DSCP; null: other fields decide; undefined: no class takes it. */
  readonly verdicts: readonly (Verdict | null | undefined)[]
  /** Groups that it gives. */
  readonly groups: ReadonlySet<number>
  /** Names of its classes, and the lines that use them. */
  readonly classes: readonly { readonly name: string; readonly line: Line }[]
  /** Field that it reads, as in the model; undefined: others than DSCP and PCP. */
  readonly trust: 'dscp' | 'pcp' | 'both' | undefined
}

/** Notes the policy that sorts what comes in, and the class that it asks first. */
export function nameInput(into: PortFacts, { args, line }: Entry, { classes }: InputPolicy): void {
  into.name('input policy', args[0]!, line)
  if (classes[0] !== undefined) into.name('first class', classes[0].name, classes[0].line)
}

/** Input policies of a configuration, by name. */
export function inputPoliciesOf(entries: readonly Entry[]): Map<string, InputPolicy> {
  const matches = new Map<string, Match>()
  for (const [name, map] of namedOf(entries, 'class-map'))
    matches.set(name, matchOf(map, /\bmatch-any\b/.test(map.line.text)))
  const policies = new Map<string, InputPolicy>()
  for (const [name, { line, entries: inner }] of namedOf(entries, 'input policy'))
    policies.set(name, policyOf(line, inner, matches))
  return policies
}

function policyOf(line: Line, inner: readonly Entry[], matches: ReadonlyMap<string, Match>): InputPolicy {
  const verdicts: (Verdict | null | undefined)[] = Array.from({ length: DSCP_COUNT })
  const groups = new Set<number>()
  const classes: { name: string; line: Line }[] = []
  let [hasDscp, hasCos] = [false, false]
  for (const each of allOf(inner, 'class')) {
    const name = each.args[0]!
    const set = lastOf(each.entries, 'set')
    const group = set === undefined ? undefined : Number(set.args[0])
    if (group !== undefined) groups.add(group)
    classes.push({ name, line: each.line })
    const match = matches.get(name)
    if (name === 'class-default') {
      for (const dscp of DSCPS)
        if (verdicts[dscp] === undefined) verdicts[dscp] = { group, line: set?.line ?? each.line }
    } else {
      for (const [dscp, decides] of match?.sure ?? [])
        if (verdicts[dscp] === undefined) verdicts[dscp] = { group, line: decides }
      for (const dscp of match === undefined ? DSCPS : match.perhaps)
        if (verdicts[dscp] === undefined) verdicts[dscp] = null
    }
    hasDscp ||= match?.hasDscp === true
    hasCos ||= match?.hasCos === true
  }
  const trust = hasDscp ? (hasCos ? 'both' : 'dscp') : hasCos ? 'pcp' : undefined
  return { line, verdicts, groups, classes, trust }
}
