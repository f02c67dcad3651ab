/**
 * Published scenarios with a few values at the limits of their ranges: each is refused with messages, or runs without
 * breaking a law. Networks keep their size, and a run stops after some thousand events.
 * ROCELAB_BUDGET multiplies the number of scenarios; ROCELAB_SEED repeats a run.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { InputError } from '../../src/core/base/issue.ts'
import { createSimulation } from '../../src/lab/index.ts'
import { parseScenario, printScenario } from '../../src/lab/scenario/index.ts'
import { numbers } from '../support/numbers.ts'

const BUDGET = Number(process.env['ROCELAB_BUDGET'] ?? '1')
const SEED = Number(process.env['ROCELAB_SEED'] ?? '20240917')
const COUNT = Math.round(300 * BUDGET)
/** Events of one run. */
const EVENTS = 40_000

const SCENARIOS = path.join(import.meta.dirname, '..', '..', 'scenarios')

type Tree = { [key: string]: unknown }

const TIMES = ['0ps', '1ps', '1ns', '7ns', '1us', '333us', '100ms', '10s', '1000s']
const RATES = ['0bps', '1bps', '1Kbps', '1Mbps', '100Mbps', '1Gbps', '400Gbps', '10Tbps']
const SIZES = ['0B', '1B', '63B', '64B', '1KB', '4096B', '1MiB', '1GB', '100TB']
const NUMBERS = [0, 1, 2, 3, -1, 0.5, 7, 64, 255, 1000, 65_535, 1e6, 2 ** 31, 2 ** 40]

/** Paths of all leaves of a tree. */
function leaves(tree: unknown, at: readonly string[] = []): string[][] {
  if (tree === null || typeof tree !== 'object') return [[...at]]
  return Object.entries(tree).flatMap(([key, value]) => leaves(value, [...at, key]))
}

/** The value at a path, and a function that replaces it. */
function locationOf(tree: Tree, at: readonly string[]): { value: unknown; put: (value: unknown) => void } {
  const key = at.at(-1)!
  const parent = at.slice(0, -1).reduce((part, each) => part[each] as Tree, tree)
  return { value: parent[key], put: (value) => void (parent[key] = value) }
}

test(`${COUNT} scenarios with values at their limits are refused or run without breaking a law`, () => {
  const below = numbers(SEED)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!
  const texts = readdirSync(SCENARIOS)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => JSON.stringify(printScenario(parseScenario(readFileSync(path.join(SCENARIOS, file), 'utf8')))))
  let ran = 0
  let refused = 0
  for (let i = 0; i < COUNT; i++) {
    const tree = JSON.parse(pick(texts)) as Tree
    const changes = changed(tree)
    try {
      const simulation = createSimulation(parseScenario(JSON.stringify(tree)))
      for (let events = 0; events < EVENTS && simulation.advance(EVENTS / 4); events += EVENTS / 4);
      const { counters } = simulation.result(true)
      expect(counters.payloadBytesDelivered).toBeGreaterThanOrEqual(0)
      simulation.close()
      ran++
    } catch (error) {
      if (!(error instanceof InputError)) throw new Error(`seed ${SEED}: ${changes.join(', ')}`, { cause: error })
      refused++
    }
  }
  console.log(`edges: ${ran} ran, ${refused} were refused when built`)
  expect(ran).toBeGreaterThan(COUNT / 2)

  /** Sets up to four values to limits that the parser accepts. Returns descriptions of the changes. */
  function changed(tree: Tree): string[] {
    const changes: string[] = []
    for (let wanted = 1 + below(4), tries = 0; changes.length < wanted && tries < 30; tries++) {
      const at = pick(leaves(tree))
      // Building time grows with the size of the network.
      if (at[0] === 'topology' && typeof locationOf(tree, at).value === 'number') continue
      const { value, put } = locationOf(tree, at)
      const edge = edgeOf(value, tree)
      put(edge)
      try {
        parseScenario(JSON.stringify(tree))
        changes.push(`${at.join('.')}=${JSON.stringify(edge)} (was ${JSON.stringify(value)})`)
      } catch (error) {
        if (!(error instanceof InputError)) throw new Error(`${at.join('.')}=${JSON.stringify(edge)}`, { cause: error })
        put(value)
      }
    }
    return changes
  }

  function edgeOf(value: unknown, tree: Tree): unknown {
    if (typeof value === 'boolean') return !value
    if (typeof value === 'number') return pick([...NUMBERS, value + 1, value - 1, value * 2, value * 10, value / 2])
    const text = String(value)
    if (/^[\d.]+ ?[pnum]?s$/u.test(text)) return pick(TIMES)
    if (text.endsWith('bps')) return pick(RATES)
    if (/^[\d.]+ ?[KMGTi]*B$/u.test(text)) return pick(SIZES)
    return pick(['off', 'none', 'on', ...TIMES, ...SIZES, ...leaves(tree).map((at) => locationOf(tree, at).value)])
  }
})
