/**
 * Damaged scenario texts: each gives a Scenario or messages, in bounded time.
 * ROCELAB_BUDGET multiplies the number of texts; ROCELAB_SEED repeats a run.
 */
import { expect, test } from 'vitest'
import { timesAsLong } from '../support/growth.ts'
import { numbers } from '../support/numbers.ts'
import { fc } from '../support/properties.ts'
import { InputError } from '../../src/core/base/issue.ts'
import { describeScenario, formatScenario, parseScenario, printScenario } from '../../src/lab/scenario/index.ts'
import { arbitraryScenario } from '../support/arbitrary-scenario.ts'

const BUDGET = Number(process.env['ROCELAB_BUDGET'] ?? '1')
const SEED = Number(process.env['ROCELAB_SEED'] ?? '20240917')
const COUNT = Math.round(10_000 * BUDGET)
/** Limit on the parsing time of a damaged text over that of the longest undamaged one; the slowest measured is about 1. */
const TIMES_MOST = 20
/** Number of slowest texts that are measured again. */
const SLOWEST = 3

/** Undamaged texts: random scenarios in every form, and handwritten ones with syntax that printing does not use. */
function corpus(): string[] {
  const printed = fc
    .sample(arbitraryScenario(), { numRuns: 12, seed: SEED })
    .flatMap((scenario) => [
      formatScenario(scenario, { compact: true }),
      formatScenario(scenario),
      JSON.stringify(printScenario(scenario, { compact: true }), null, 1),
    ])
  return [
    'name: a\ntopology: star\nworkload: [permutation]\n',
    '# comment\nname: "b"\ntopology: &t\n  kind: leaf-spine\n  leaves: 2\nworkload:\n- &w {kind: poisson, load: 1/2, flows: 0x10}\n- *w\nclasses: {dscpMap: {file: map.txt}}\n',
    "name: 'c'\ndescription: |\n  two\n  lines\ntopology: {kind: graph, nodes: 3, switches: [1], links: {file: links.txt}}\nworkload: [closed-loop]\nmeasure: {stop: 1 ms}\n",
    ...printed,
  ]
}

const PIECES = [
  'off',
  'null',
  '~',
  '1',
  '-1',
  '1e400',
  '.nan',
  '.inf',
  '0.1',
  '1/3',
  '40Gbps',
  '2us',
  '3 KB',
  '""',
  '[]',
  '{}',
  '[',
  '}',
  '&a',
  '*a',
  '!!x',
  '<<: *a',
  '---',
  '...',
  '\t',
  '\u0000',
  '\uFEFF',
  '\u2028',
  '? ',
  ': ',
  '- ',
  '# ',
  '|',
  '>',
  '"',
  "'",
  '__proto__: 1',
  'constructor: 2',
  'toString',
  'kind: dcqcn',
  'x'.repeat(300),
  '9'.repeat(400),
  '%YAML 1.1\n---\n',
]

test(`${COUNT} damaged texts each give messages or a scenario`, () => {
  const below = numbers(SEED)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!
  const texts = corpus()
  const paths = describeScenario().map((row) =>
    row.path.replace(/\[\]|\[[^\]]*\]/g, () => (below(2) === 0 ? '.0' : '')),
  )
  const readFile = (path: string): string => {
    if (path === 'map.txt') return '# map\n46: 6\n'
    if (path === 'links.txt') return '0 1 40Gbps 2us\n1 2 40Gbps 2us\n'
    throw new Error('no such file')
  }

  const mutations: readonly ((text: string) => string)[] = [
    (text) => replace(text, below(text.length + 1), 1, String.fromCharCode(below(128))),
    (text) => replace(text, below(text.length + 1), 0, String.fromCharCode(below(0x10000))),
    (text) => replace(text, below(text.length + 1), below(20), ''),
    (text) => replace(text, below(text.length + 1), below(4), pick(PIECES)),
    (text) => text.slice(0, below(text.length + 1)),
    (text) => lines(text, (all, i) => all.splice(i, 1)),
    (text) => lines(text, (all, i) => all.splice(i, 0, all[i] ?? '')),
    (text) => lines(text, (all, i) => all.splice(i, 1, pick(all), all[i] ?? '')),
    (text) => lines(text, (all, i) => (all[i] = (all[i] ?? '').replace(/:.*/, `: ${pick(PIECES)}`))),
    (text) => lines(text, (all, i) => (all[i] = (all[i] ?? '').replace(/:.*/, /:.*/.exec(pick(all))?.[0] ?? ''))),
    (text) => lines(text, (all, i) => (all[i] = ' '.repeat(below(9)) + (all[i] ?? '').trimStart())),
    (text) => text.replace(pick(['kind', 'name', '2', 'us', ',', '"']), pick(PIECES)),
    (text) => text + text.slice(below(text.length + 1)),
  ]
  function lines(text: string, change: (all: string[], index: number) => unknown): string {
    const all = text.split('\n')
    change(all, below(all.length))
    return all.join('\n')
  }

  const outcomes = { scenarios: 0, messages: 0 }
  const failures: string[] = []
  const slowest: { readonly text: string; readonly sets: readonly string[]; readonly elapsedMs: number }[] = []
  for (let run = 0; run < COUNT; run++) {
    let text = pick(texts)
    const sets: string[] = []
    if (run % 4 === 3) for (let n = below(3) + 1; n > 0; n--) sets.push(damagedSet(pick(paths), below, pick))
    for (let n = below(4) + (sets.length === 0 ? 1 : 0); n > 0; n--) text = pick(mutations)(text)
    const begun = performance.now()
    const outcome = outcomeOf(text, sets, readFile)
    const elapsedMs = performance.now() - begun
    slowest.push({ text, sets, elapsedMs })
    if (slowest.length > SLOWEST) {
      slowest.sort((a, b) => b.elapsedMs - a.elapsedMs)
      slowest.length = SLOWEST
    }
    if (outcome === 'scenario') outcomes.scenarios++
    else if (outcome === 'messages') outcomes.messages++
    else failures.push(`text ${run}: ${outcome}\nsets: ${JSON.stringify(sets)}\n${JSON.stringify(text)}`)
  }
  console.log(
    `fuzz scenario: seed ${SEED}, ${COUNT} texts, ${outcomes.scenarios} scenarios, ${outcomes.messages} with messages, slowest ${slowest[0]?.elapsedMs.toFixed(0)} ms`,
  )
  const longest = texts.reduce((most, text) => (text.length > most.length ? text : most))
  for (const { text, sets } of slowest) {
    const slow = (): unknown => outcomeOf(text, sets, readFile)
    const times = timesAsLong(slow, () => outcomeOf(longest, [], readFile), TIMES_MOST)
    if (!(times < TIMES_MOST)) failures.push(`${times} times as long: ${JSON.stringify(text).slice(0, 2000)}`)
  }
  expect(failures, `seed ${SEED}`).toEqual([])
  // The damage must be neither always harmless nor always refused.
  expect(outcomes.scenarios).toBeGreaterThan(COUNT / 50)
  expect(outcomes.messages).toBeGreaterThan(COUNT / 4)
})

/** "scenario", "messages", or a description of the failure. */
function outcomeOf(text: string, sets: readonly string[], readFile: (path: string) => string): string {
  try {
    const scenario = parseScenario(text, { file: 'fuzz.yaml', sets, readFile })
    const printed = formatScenario(scenario)
    return formatScenario(parseScenario(printed)) === printed
      ? 'scenario'
      : 'printed, parsed and printed again it differs'
  } catch (error) {
    if (!(error instanceof InputError))
      return `threw ${String(error)} ${error instanceof Error ? (error.stack ?? '') : ''}`
    const isReported =
      error.issues.length > 0 && error.issues.every((issue) => issue.expected !== '' && issue.received !== '')
    return isReported ? 'messages' : 'an issue without words'
  }
}

function damagedSet(path: string, below: (n: number) => number, pick: <T>(items: readonly T[]) => T): string {
  const steps = path.split('.')
  if (below(6) === 0) steps.splice(below(steps.length), 1)
  if (below(6) === 0)
    steps.splice(below(steps.length), 0, pick(['0', '1', '99', 'kind', '', '__proto__', 'constructor']))
  return `${steps.join('.')}${below(20) === 0 ? '' : '='}${pick(PIECES)}`
}

function replace(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length)
}
