/**
 * Importers on damaged files: an import returns a scenario or throws an InputError with clear issues, and nothing else.
 * One scenario in ten is simulated for a while. The seed is printed; ROCELAB_SEED repeats it, ROCELAB_BUDGET multiplies
 * the number of inputs.
 */
import { describe, expect, test } from 'vitest'
import { InputError } from '../../src/core/base/issue.ts'
import { createSimulation } from '../../src/lab/index.ts'
import { importers } from '../../src/importers/index.ts'
import { SAMPLES } from '../../src/importers/samples.test-files.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const BUDGET = Number(process.env['ROCELAB_BUDGET'] ?? 1)
const SEED = Number(process.env['ROCELAB_SEED'] ?? Date.now() % 2 ** 31)
const INPUTS = Math.ceil(10_000 * BUDGET)
/** Events simulated for one import in ten. */
const EVENTS = 3000

interface Case {
  readonly importer: string
  readonly path: string
  readonly options: Readonly<Record<string, string>>
  /** The file that is damaged. */
  readonly victim: string
}

const CASES: readonly Case[] = [
  ...['run/config.txt', 'run/net.txt', 'run/sends.txt', 'run/routes.txt'].map((victim) => ({
    importer: 'hpcc',
    path: 'run/config.txt',
    options: {},
    victim,
  })),
  ...['cw/config.txt', 'cw/sends.txt', 'cw/env.txt'].map((victim) => ({
    importer: 'hpcc',
    path: 'cw/config.txt',
    options: { dialect: 'conweave' },
    victim,
  })),
  { importer: 'topology', path: 'simai.txt', options: { dialect: 'simai' }, victim: 'simai.txt' },
  { importer: 'topology', path: 'datacenter.txt', options: { dialect: 'ns3-datacenter' }, victim: 'datacenter.txt' },
  { importer: 'htsim', path: 'leaf-spine.topo', options: {}, victim: 'leaf-spine.topo' },
  { importer: 'htsim', path: 'bundles.topo', options: {}, victim: 'bundles.topo' },
  { importer: 'htsim', path: 'some.cm', options: { 'start-unit': 'us' }, victim: 'some.cm' },
  { importer: 'htsim', path: 'failed.cm', options: {}, victim: 'failed.cm' },
  { importer: 'htsim', path: 'chain.cm', options: {}, victim: 'chain.cm' },
  { importer: 'htsim', path: 'messages.cm', options: {}, victim: 'messages.cm' },
  { importer: 'cdf', path: 'percent.txt', options: {}, victim: 'percent.txt' },
  { importer: 'cdf', path: 'fractions.txt', options: {}, victim: 'fractions.txt' },
  { importer: 'simai', path: 'step.txt', options: {}, victim: 'step.txt' },
  { importer: 'simai', path: 'micro.txt', options: { gpus: '4', tuner: 'nccl_tuner.conf' }, victim: 'micro.txt' },
  { importer: 'simai', path: 'micro.txt', options: { gpus: '4', tuner: 'nccl_tuner.conf' }, victim: 'nccl_tuner.conf' },
  ...['job.0.json', 'groups.json'].map((victim) => ({
    importer: 'chakra',
    path: 'job',
    options: { groups: 'groups.json' },
    victim,
  })),
]

/** A separate small generator (xorshift32): the tests must not share a random stream with the code under test. */
function createDraw(seed: number): (bound: number) => number {
  let state = (seed ^ 0x9e3779b9) | 1
  return (bound) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
}

const WORDS = [
  '', '0', '-1', '1', '2', '99999999999999999999', '4294967296', '1e400', '1e-400', 'NaN', 'Infinity', '0x10', '007', '1.5',
  'constructor', '__proto__', 'toString', 'CC_MODE', 'KMAX_MAP', 'trigger', '->', '1->', 'start', 'size', 'Tier', '#', 'ü', '\u0000', '\uFEFF',
  '100Gbps', '1us', 'off', ':', '=', 'ALLTOALL_EP', '-1,', '[', '{}', 'null', 'x'.repeat(300),
] // prettier-ignore

/** Applies one to four small random changes. */
function damage(text: string, draw: (bound: number) => number): string {
  let damaged = text
  for (let times = 1 + draw(4); times > 0; times--) damaged = damageOnce(damaged, draw)
  return damaged
}

function damageOnce(text: string, draw: (bound: number) => number): string {
  const at = draw(text.length + 1)
  const words = text.split(/(\s+)/)
  const word = 2 * draw(Math.ceil(words.length / 2))
  const lines = text.split('\n')
  const line = draw(lines.length)
  switch (draw(10)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + draw(8))
    case 2:
      return text.slice(0, at) + String.fromCodePoint(draw(10) === 0 ? draw(0xd800) : 32 + draw(95)) + text.slice(at)
    case 3:
      return lines.toSpliced(line, 1).join('\n')
    case 4:
      return lines.toSpliced(line, 0, lines[draw(lines.length)] ?? '').join('\n')
    case 5:
      return words.with(word, words[2 * draw(Math.ceil(words.length / 2))] ?? '').join('')
    case 6:
      return text.replaceAll('\n', draw(2) === 0 ? '\r\n' : ' ')
    case 7:
      return words.with(word, `${draw(2 ** 31)}`).join('')
    default:
      return words.with(word, WORDS[draw(WORDS.length)] ?? '').join('')
  }
}

/** 'imported', 'refused', or a description of the failure. */
function outcomeOf({ importer, path, options }: Case, files: Readonly<Record<string, string>>, isRun: boolean): string {
  const chosen = importers.find(({ name }) => name === importer)
  const readFile = (name: string): string | undefined => (Object.hasOwn(files, name) ? files[name] : undefined)
  let text = ''
  try {
    const imported = chosen?.import({ path, options, readFile })
    text = JSON.stringify(imported?.scenario)
  } catch (error) {
    if (!(error instanceof InputError)) return `threw ${String(error)}`
    const unclear = error.issues.filter((issue) => issue.expected === '' || issue.received === '')
    return error.issues.length === 0 || unclear.length > 0 ? `unclear issues: ${error.message}` : 'refused'
  }
  try {
    const scenario = parseScenario(text)
    if (!isRun) return 'imported'
    const simulation = createSimulation(scenario)
    simulation.advance(EVENTS)
    simulation.close()
    return 'imported'
  } catch (error) {
    // The scenario's rules may refuse an import when it is read again or built, for example a buffer smaller than its parts.
    return error instanceof InputError ? 'refused' : `imported, but does not run: ${String(error)}`
  }
}

describe('importers on damaged files', () => {
  test(`${INPUTS} inputs from seed ${SEED} each give a scenario or issues`, () => {
    console.log(`damaged inputs: ROCELAB_SEED=${SEED}`)
    const draw = createDraw(SEED)
    const counts = { imported: 0, refused: 0 }
    const failures: string[] = []
    for (let i = 0; i < INPUTS && failures.length === 0; i++) {
      const chosen = CASES[i % CASES.length]
      if (chosen === undefined) break
      const text = damage(SAMPLES[chosen.victim] ?? '', draw)
      const outcome = outcomeOf(chosen, { ...SAMPLES, [chosen.victim]: text }, draw(10) === 0)
      if (outcome === 'imported' || outcome === 'refused') counts[outcome]++
      else failures.push(`input ${i} of seed ${SEED}, ${chosen.victim}: ${outcome}\n${JSON.stringify(text)}`)
    }
    expect(failures).toEqual([])
    // The damage must be neither always harmless nor always refused.
    expect(counts.imported).toBeGreaterThan(INPUTS / 50)
    expect(counts.refused).toBeGreaterThan(INPUTS / 4)
  })

  test('the damage is effective: an importer that trusts its input fails', () => {
    const draw = createDraw(1)
    const naive = (text: string): number => JSON.parse(`[${text.trim().split(/\s+/).join(',')}]`).length as number
    const failures = Array.from({ length: 200 }, () => {
      try {
        return naive(damage(SAMPLES['percent.txt'] ?? '', draw)) < 0
      } catch {
        return true
      }
    })
    expect(failures.filter(Boolean).length).toBeGreaterThan(20)
  })
})
