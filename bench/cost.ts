/**
 * Cost: the counts of cache.ts as a check. The record in bench/data/cost.json has what a packet-hop of a few cases cost;
 * `npm run bench -- cache --check` counts anew and fails where one has grown, `--record` writes the record.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DATA } from './cases.ts'
import { ASSOCIATIVE, countCase, type Span, Uncountable, valgrindLacks } from './cache.ts'

const RECORD = path.join(DATA, 'cost.json')
export const RECORD_COMMAND = 'npm run bench -- cache --record'
/** Cases that are counted, which take different ways through the program. */
const CASES = ['s1', 's2']
/** Short, as a change waits for it, and after V8 has compiled what counts. */
const SPAN: Span = { warmUpHops: 1e6, hops: 40_000 }
/** Growth that fails. */
const GROWTH_MOST = 0.02

/** Both per packet-hop. */
export interface Cost {
  readonly case: string
  readonly instructions: number
  readonly l1iMisses: number
}

/** The machine code of a program, and so its cost, is that of one V8 on one architecture. */
interface Compiler {
  readonly node: string
  readonly v8: string
  readonly arch: string
}

export interface CostRecord extends Compiler {
  readonly costs: readonly Cost[]
}

const compilerHere = (): Compiler => ({ node: process.version, v8: process.versions.v8, arch: process.arch })

/** Why counts of this program cannot be compared with a record; undefined: they can. */
export function otherCompiler(recorded: Compiler, here: Compiler = compilerHere()): string | undefined {
  if (recorded.v8 === here.v8 && recorded.arch === here.arch) return undefined
  const named = ({ node, v8, arch }: Compiler): string => `Node ${node} (V8 ${v8}, ${arch})`
  return `the record is of ${named(recorded)}, this is ${named(here)}`
}

/** Lines about counts that have grown, and that have shrunk, by more than GROWTH_MOST: case, count, value now and recorded. */
export function compareCosts(
  recorded: readonly Cost[],
  found: readonly Cost[],
): { readonly grown: readonly string[]; readonly shrunk: readonly string[] } {
  const [grown, shrunk]: [string[], string[]] = [[], []]
  for (const one of found) {
    const before = recorded.find((each) => each.case === one.case)
    if (before === undefined) {
      grown.push(`${one.case}: not in the record`)
      continue
    }
    for (const [key, title, digits] of [
      ['instructions', 'instructions', 0],
      ['l1iMisses', 'L1I misses', 2],
    ] as const) {
      const ratio = one[key] / before[key]
      const line = `${one.case}: ${one[key].toFixed(digits)} ${title} a packet-hop, ${before[key].toFixed(digits)} recorded (${ratio.toFixed(3)})`
      // A count that is no number has not been counted.
      if (!(ratio <= 1 + GROWTH_MOST)) grown.push(line)
      else if (ratio < 1 - GROWTH_MOST) shrunk.push(line)
    }
  }
  return { grown, shrunk }
}

/** All cases at the same time. */
async function countAll(folder: string): Promise<Cost[]> {
  return Promise.all(
    CASES.map(async (name) => {
      const { profile, hops } = await countCase(folder, name, SPAN, ASSOCIATIVE)
      const { instructions, l1iMisses } = profile.total
      return { case: name, instructions: instructions / hops, l1iMisses: l1iMisses / hops }
    }),
  )
}

/** @returns exit code, and what to print */
export async function checkCost(folder: string): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as CostRecord
  const hindrance = valgrindLacks() ?? otherCompiler(recorded)
  if (hindrance !== undefined) return { code: 0, lines: [`skipped: ${hindrance}`] }
  let found: Cost[]
  try {
    found = await countAll(folder)
  } catch (error) {
    if (error instanceof Uncountable && error.isMachine) return { code: 0, lines: [`skipped: ${error.message}`] }
    throw error
  }
  const { grown, shrunk } = compareCosts(recorded.costs, found)
  if (grown.length > 0)
    return {
      code: 1,
      lines: [
        ...grown,
        `A packet-hop costs more than recorded. Find the cause (npm run bench -- cache ${CASES.join(' ')} --against REF),`,
        `or record the cost anew, with the reason in the commit: ${RECORD_COMMAND}`,
      ],
    }
  return { code: 0, lines: shrunk.map((line) => `${line}; to hold it: ${RECORD_COMMAND}`) }
}

/** Writes the record. @returns exit code, and what to print */
export async function recordCost(
  folder: string,
): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const hindrance = valgrindLacks()
  if (hindrance !== undefined) return { code: 1, lines: [`not recorded: ${hindrance}`] }
  const rounded = (value: number): number => Number(value.toFixed(3))
  const costs = (await countAll(folder)).map((each) => ({
    ...each,
    instructions: rounded(each.instructions),
    l1iMisses: rounded(each.l1iMisses),
  }))
  const record: CostRecord = { ...compilerHere(), costs }
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`)
  return {
    code: 0,
    lines: costs.map(
      (each) => `${each.case}: ${each.instructions} instructions, ${each.l1iMisses} L1I misses a packet-hop`,
    ),
  }
}
