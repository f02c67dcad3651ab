/**
 * Class map: the traffic class that switches derive from a packet's codepoint (DSCP, or PCP of the VLAN tag), and the
 * codepoint that hosts write for a given class.
 * Source: [MS-Scale] section 3 (DSCP i to priority i, many to one allowed); DSCP 48 of CNPs is the adapters' default.
 */
import { InputError, type Issue } from '../base/issue.ts'
import type { Scenario } from './scenario.ts'
import { quote } from './text/wording.ts'

type Classes = Scenario['classes']

const CNP_DSCP = 48
const DSCP_COUNT = 64

/** Distinct traffic classes of data, in the order in which workloads and lines of traces name them. */
export function dataClasses({ classes, workload }: Pick<Scenario, 'classes' | 'workload'>): number[] {
  const named = workload.flatMap((source) =>
    source.kind === 'trace'
      ? source.flows.map((line) => Number(/\sclass=([0-7])(?:\s|$)/.exec(line)?.[1] ?? classes.data))
      : [source.trafficClass ?? classes.data],
  )
  return [...new Set(named)]
}

/**
 * Table of traffic classes, indexed by codepoint.
 * @throws InputError with every unreadable line of `classes.dscpMap`.
 */
export function classTable(classes: Pick<Classes, 'classify' | 'dscpMap'>): Uint8Array {
  if (classes.classify === 'pcp') return Uint8Array.from({ length: 8 }, (_, pcp) => pcp)
  const table = new Uint8Array(DSCP_COUNT)
  for (let c = 0; c < 8; c++) table[c] = c
  table[CNP_DSCP] = 6
  const issues: Issue[] = []
  classes.dscpMap.forEach((line, i) => {
    const parts = /^\s*(\d{1,2})(?:\s*-\s*(\d{1,2}))?\s*:\s*([0-7])\s*$/.exec(line)
    const from = Number(parts?.[1] ?? NaN)
    const to = Number(parts?.[2] ?? from)
    if (from <= to && to < DSCP_COUNT) table.fill(Number(parts?.[3]), from, to + 1)
    else {
      const expected = '"DSCP: CLASS" or "FROM-TO: CLASS" with DSCP 0..63 and class 0..7'
      issues.push({ path: `classes.dscpMap.${i}`, expected, received: quote(line), hint: '' })
    }
  })
  if (issues.length > 0) throw new InputError(issues)
  return table
}

/**
 * A codepoint that switches map to the class: the number of the class if possible, else the lowest.
 * @param path of the value that requires the class
 * @throws InputError if there is none.
 */
export function codepointFor(table: Uint8Array, trafficClass: number, path: string): number {
  if (table[trafficClass] === trafficClass) return trafficClass
  const found = table.indexOf(trafficClass)
  if (found < 0) throw new InputError([unmapped(trafficClass, path)])
  return found
}

/** The codepoint of CNPs: their own DSCP if switches map it to their class. */
export function cnpCodepointFor(table: Uint8Array, { classify, cnpAtSwitch }: Classes): number {
  if (classify === 'dscp' && table[CNP_DSCP] === cnpAtSwitch) return CNP_DSCP
  return codepointFor(table, cnpAtSwitch, 'classes.cnpAtSwitch')
}

/** Issue for a class that no codepoint maps to. */
export function unmapped(trafficClass: number, path: string): Issue {
  return {
    path,
    expected: 'a class that some DSCP maps to',
    received: `class ${trafficClass}`,
    hint: `map one to it in classes.dscpMap, such as "${trafficClass * 8}: ${trafficClass}"`,
  }
}
