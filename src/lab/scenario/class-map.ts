/**
 * Class map: the traffic class that switches derive from a packet's codepoint (DSCP, or PCP of the VLAN tag), and the
 * codepoint that hosts write for a given class.
 * Source: [MS-Scale] section 3 (DSCP i to priority i, many to one allowed); DSCP 48 of CNPs is the adapters' default.
 */
import { InputError, type Issue } from '../../core/base/issue.ts'
import { ROCE_PORT } from '../../core/wire/frame.ts'
import type { Scenario } from './scenario.ts'
import { quote } from './text/wording.ts'

type Classes = Scenario['classes']

const CNP_DSCP = 48
const DSCP_COUNT = 64
const PORT_COUNT = 65_536

/** Destination ports of one class. */
interface PortRow {
  readonly from: number
  readonly to: number
  readonly trafficClass: number
}

/** "PORT: CLASS" or "FROM-TO: CLASS"; null: the line is neither. */
function portRow(line: string): PortRow | null {
  const parts = /^\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?\s*:\s*([0-7])\s*$/.exec(line)
  const from = Number(parts?.[1] ?? NaN)
  const to = Number(parts?.[2] ?? from)
  return from <= to && to < PORT_COUNT ? { from, to, trafficClass: Number(parts?.[3]) } : null
}

/** @throws InputError with every unreadable line of `nic.trafficClasses` */
export function expectPortClasses(lines: readonly string[]): void {
  const expected = '"PORT: CLASS" or "FROM-TO: CLASS" with port 0..65535 and class 0..7'
  const issues = lines.flatMap((line, i): Issue[] =>
    portRow(line) === null ? [{ path: `nic.trafficClasses.${i}`, expected, received: quote(line), hint: '' }] : [],
  )
  if (issues.length > 0) throw new InputError(issues)
}

/** Class of messages by destination port, as `nic.trafficClasses` gives it. */
export class PortClasses {
  readonly #rows: readonly PortRow[]
  readonly #standard: number

  /** Lines that cannot be read are left out; `expectPortClasses` reports them. */
  constructor({ nic, classes }: Pick<Scenario, 'nic' | 'classes'>) {
    this.#standard = classes.data
    this.#rows = nic.trafficClasses.flatMap((line) => portRow(line) ?? [])
  }

  /** Class of a message that names none. @param destinationPort -1: RoCEv2's */
  of(destinationPort: number): number {
    const port = destinationPort < 0 ? ROCE_PORT : destinationPort
    return this.#rows.find(({ from, to }) => from <= port && port <= to)?.trafficClass ?? this.#standard
  }
}

/** Distinct traffic classes of data, in the order in which workloads and lines of traces name them. */
export function dataClasses(scenario: Pick<Scenario, 'classes' | 'workload' | 'nic'>): number[] {
  const byPort = new PortClasses(scenario)
  const given = (line: string, key: string): number | null => {
    const text = new RegExp(`\\s${key}=(\\d+)(?:\\s|$)`).exec(line)?.[1]
    return text === undefined ? null : Number(text)
  }
  const named = scenario.workload.flatMap((source) =>
    source.kind === 'trace'
      ? source.flows.map((line) => given(line, 'class') ?? byPort.of(given(line, 'dport') ?? -1))
      : [source.trafficClass ?? byPort.of(source.destinationPort ?? -1)],
  )
  return [...new Set(named)]
}

/** Whether ports of switches have VLANs: then packets carry a DSCP and, on tagged links, a PCP as well. */
export function usesVlans({ switch: { vlan } }: Pick<Scenario, 'switch'>): boolean {
  return vlan.ports !== 'off'
}

/**
 * Table of traffic classes by the codepoint that hosts write: the DSCP, or without VLANs the field that switches read.
 * @throws InputError with every unreadable line of `classes.dscpMap`.
 */
export function hostTable(scenario: Pick<Scenario, 'classes' | 'switch'>): Uint8Array {
  return usesVlans(scenario) ? dscpTable(scenario.classes) : classTable(scenario.classes)
}

/**
 * Table of traffic classes by the field that switches read, DSCP or PCP.
 * @throws InputError with every unreadable line of `classes.dscpMap`.
 */
export function classTable(classes: Pick<Classes, 'classify' | 'dscpMap'>): Uint8Array {
  return classes.classify === 'pcp' ? Uint8Array.from({ length: 8 }, (_, pcp) => pcp) : dscpTable(classes)
}

/**
 * Table of traffic classes by DSCP.
 * @throws InputError with every unreadable line of `classes.dscpMap`.
 */
export function dscpTable(classes: Pick<Classes, 'dscpMap'>): Uint8Array {
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

/** The codepoint of CNPs: their own DSCP if the table maps it to their class. A table by PCP has none for it. */
export function cnpCodepointFor(table: Uint8Array, { cnpAtSwitch }: Pick<Classes, 'cnpAtSwitch'>): number {
  if (table[CNP_DSCP] === cnpAtSwitch) return CNP_DSCP
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
