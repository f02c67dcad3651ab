/**
 * Reference runs: another simulator's inputs and outputs, compared with our run of the same inputs.
 * A case is a folder of the HPCC family: config.txt and the files it names, fct.txt (completions) and pfc.txt (frames).
 * Both sides are compared in that simulator's file format, row by row, so no conversion rounds a value. Flows match if
 * source, destination, both ports, size and start are equal, and are exact if their nanoseconds are equal too.
 * Deviation: |ours / theirs - 1| of a completion time. Source of the columns: rdma-hw.cc and qbb-net-device.cc there.
 */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { inputError } from '../../core/base/issue.ts'
import { exporters } from '../../exporters/index.ts'
import { type Branch, importers } from '../../importers/index.ts'
import { mean, quantileOfSorted, type Result, sortedValues } from '../../core/results/index.ts'
import { parseScenario, type Scenario } from '../../lab/scenario/index.ts'
import { fileMistake } from './files.ts'
import { readText, readBytesIfThere, readTextIfThere } from './input-file.ts'

/** How to read a case, in place of the guess from its folder. */
export interface CaseOptions {
  readonly dialect?: 'hpcc' | 'conweave'
  readonly rounding?: 'truncate' | 'nearest'
}

export interface ReferenceCase {
  readonly name: string
  /** Simulator that ran the case: a dialect of the importer. */
  readonly dialect: string
  /** Scenario as an object, with a pause log added. */
  readonly tree: Branch
  /** Contents of the case's fct.txt and pfc.txt. */
  readonly completions: string
  readonly pauses: string
}

/** A completion that both sides have. */
interface MatchedFlow {
  /** "0>7 20000B at 2000000000ns", by node numbers. */
  readonly flow: string
  readonly theirsNs: number
  readonly oursNs: number
  readonly deviation: number
}

export interface CaseComparison {
  readonly name: string
  readonly dialect: string
  /** Completions in the reference, those that our run has too, and those equal to the nanosecond. */
  readonly flows: number
  readonly matched: number
  readonly exact: number
  readonly median: number
  readonly p90: number
  readonly worst: MatchedFlow | null
  /** Our mean completion time over the reference's, for matched flows. */
  readonly meanRatio: number
  /** PFC frames: the reference's, ours, and those equal in time, node, port and kind. */
  readonly pauses: { readonly theirs: number; readonly ours: number; readonly equal: number }
  readonly digest: string
}

/** Cases directly below `folder`, sorted by name; `folder` itself if it is a case. */
export function findCases(folder: string, shown: string): string[] {
  const isCase = (at: string): boolean => ['config.txt', 'fct.txt'].every((name) => existsSync(path.join(at, name)))
  if (isCase(folder)) return [folder]
  let names: string[]
  try {
    names = readdirSync(folder).toSorted()
  } catch (error) {
    throw fileMistake(error, shown, 'a folder of reference runs')
  }
  const found = names.map((name) => path.join(folder, name)).filter(isCase)
  if (found.length > 0) return found
  throw inputError('fidelity', 'folders with config.txt and fct.txt', 'none', `looked in ${shown}`)
}

/** Reads a case. Throws InputError for features that the importer does not support. */
export function openCase(folder: string, options: CaseOptions = {}): ReferenceCase {
  const name = path.basename(folder)
  const config = readText(folder, 'config.txt', 'the configuration of a run')
  // Only conweave has these keys. Rounding is compiled into the simulator, so only the folder's name can indicate it.
  const dialect = options.dialect ?? (/^(?:LB_MODE|ENABLE_IRN)\s/m.test(config) ? 'conweave' : 'hpcc')
  const rounding = options.rounding ?? (name.includes('clean') ? 'nearest' : 'truncate')
  const importer = importers.find((candidate) => candidate.name === 'hpcc')
  if (importer === undefined) throw new Error('no importer hpcc')
  const { scenario } = importer.import({
    path: path.join(folder, 'config.txt'),
    readFile: (file) => readTextIfThere('', file, 'a file of a run'),
    readBytes: (file) => readBytesIfThere('', file, 'a file of a run'),
    options: { dialect, rounding },
  })
  return {
    name,
    dialect,
    tree: { ...scenario, name, observe: [{ kind: 'pause-log' }] },
    completions: readTextIfThere(folder, 'fct.txt', 'completion times') ?? '',
    pauses: readTextIfThere(folder, 'pfc.txt', 'pauses') ?? '',
  }
}

/** The scenario of a case's tree, or of a variation of it. */
export function scenarioOf(tree: Branch): Scenario {
  return parseScenario(JSON.stringify(tree))
}

/** Compares a result with the case that it is a run of. */
export function compareCase(reference: ReferenceCase, result: Result): CaseComparison {
  const exporter = exporters.find(({ name }) => name === (reference.dialect === 'conweave' ? 'conweave' : 'hpcc'))
  const files = exporter?.export(result) ?? []
  const textOf = (name: string): string => files.find((file) => file.path === name)?.text ?? ''
  const pairs = matchFlows(completionsOf(reference.completions), completionsOf(textOf('fct.txt')))
  const deviations = sortedValues(pairs.map(({ deviation }) => deviation))
  const ourPauses = rowsOf(textOf('pfc.txt'))
  const theirPauses = rowsOf(reference.pauses)
  return {
    name: reference.name,
    dialect: reference.dialect,
    flows: rowsOf(reference.completions).length,
    matched: pairs.length,
    exact: pairs.filter(({ oursNs, theirsNs }) => oursNs === theirsNs).length,
    median: quantileOfSorted(deviations, 0.5),
    p90: quantileOfSorted(deviations, 0.9),
    worst: worstOf(pairs),
    meanRatio: mean(pairs.map(({ oursNs }) => oursNs)) / mean(pairs.map(({ theirsNs }) => theirsNs)),
    pauses: {
      theirs: theirPauses.length,
      ours: ourPauses.length,
      equal: countEqual(theirPauses, ourPauses),
    },
    digest: result.digest,
  }
}

/** A completion; `key` identifies its flow. */
interface Completion {
  readonly key: string
  readonly flow: string
  readonly durationNs: number
}

/** Rows "source destination sport dport bytes start_ns fct_ns ideal_ns" of fct.txt. */
function completionsOf(text: string): Completion[] {
  const seen = new Map<string, number>()
  return rowsOf(text).map((row) => {
    const words = row.split(' ')
    const [source = '', destination = '', , , bytes = '', start = ''] = words
    const words6 = words.slice(0, 6).join(' ')
    // Equal flows are matched in order.
    const location = (seen.get(words6) ?? 0) + 1
    seen.set(words6, location)
    return {
      key: `${words6} ${location}`,
      flow: `${nodeOf(source)}>${nodeOf(destination)} ${bytes}B at ${start}ns`,
      durationNs: Number(words[6]),
    }
  })
}

function matchFlows(theirs: readonly Completion[], ours: readonly Completion[]): MatchedFlow[] {
  const byKey = new Map(ours.map((completion) => [completion.key, completion.durationNs]))
  return theirs.flatMap(({ key, flow, durationNs }) => {
    const oursNs = byKey.get(key)
    if (oursNs === undefined) return []
    return [{ flow, theirsNs: durationNs, oursNs, deviation: Math.abs(oursNs / durationNs - 1) }]
  })
}

/** The flow with the largest deviation; the first of equal ones. */
function worstOf(pairs: readonly MatchedFlow[]): MatchedFlow | null {
  let worst: MatchedFlow | null = null
  for (const pair of pairs) if (worst === null || pair.deviation > worst.deviation) worst = pair
  return worst
}

/** Size of the multiset intersection of the rows. */
function countEqual(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>()
  for (const row of b) left.set(row, (left.get(row) ?? 0) + 1)
  let equal = 0
  for (const row of a) {
    const count = left.get(row) ?? 0
    if (count === 0) continue
    equal++
    left.set(row, count - 1)
  }
  return equal
}

/** HPCC writes node n as the address 0x0b00nn01, conweave as n. */
function nodeOf(word: string): number {
  return word.length === 8 ? (Number.parseInt(word, 16) >> 8) & 0xffff : Number(word)
}

function rowsOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '')
}
