/**
 * perftest FILE: times RDMA operations over the network of a scenario, one kind after another, in RoCE and in IRN mode.
 */
import { InputError, type Issue } from '../../core/base/issue.ts'
import {
  type Background,
  Perftest,
  PERFTEST_OPERATIONS,
  type PerftestPlan,
  type PerftestResult,
} from '../../lab/index.ts'
import { exactCount, humanBytes, humanDuration, humanRate, right, textTable } from '../../show/index.ts'
import { knownQuantile, mean, quantile, sortedValues } from '../../core/results/index.ts'
import type { Scenario, ScenarioText } from '../../lab/scenario/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { choicesFlag, defaultFlag, givenFlag, repeatedFlag, seedFlag, setFlag, valueFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { BrokenRun } from '../failure.ts'
import { watchRun } from '../workers/watch-run.ts'
import { anyText, fileText, quantity, wholeNumber } from '../parsers.ts'
import { leftText, percent } from '../progress-line.ts'
import { openScenario, located, readScenario } from '../files/scenario-file.ts'
import { VERSION } from '../../core/base/version.ts'
import { yieldToEvents } from '../workers/simulate.ts'

const OPERATIONS = PERFTEST_OPERATIONS
const MODES = ['roce', 'irn'] as const
const PAIR_FORM = '"FROM TO", two hosts, such as "0 1"'

const FLAGS = {
  operation: { ...choicesFlag(OPERATIONS, 'Operation; may be repeated [default = all]'), placeholder: 'NAME' },
  mode: { ...choicesFlag(MODES, 'Mode of the queue pairs; may be repeated [default = both]'), placeholder: 'MODE' },
  size: defaultFlag(
    'SIZE',
    quantity('size', 0, 2 ** 31, 'a size up to 2GiB, such as 4KB'),
    '64KB',
    'Payload of a request; atomics always have 8 bytes',
  ),
  requests: defaultFlag('N', wholeNumber(1, 1e7), '1000', 'Requests on each queue pair'),
  depth: defaultFlag(
    'N',
    wholeNumber(1, 65_536),
    '1',
    'Outstanding requests per queue pair: 1 to measure latency, more for goodput',
  ),
  receives: valueFlag(
    'N',
    wholeNumber(0, 65_536),
    'Receive WQEs that the responder keeps posted [default = twice the depth]',
  ),
  pair: repeatedFlag(
    '"FROM TO"',
    anyText,
    'Hosts of a queue pair, requester first; may be repeated [default = first and last host]',
  ),
  mtu: valueFlag('N', wholeNumber(1, 65_536), 'Payload bytes of a full packet [default = frames.payload]'),
  background: givenFlag('Run the workload of FILE at the same time'),
  check: givenFlag('Check conservation laws throughout the run'),
  seed: seedFlag,
  set: setFlag('Change a parameter; may be repeated'),
  json: givenFlag('Print one JSON object instead of the table'),
  quiet: givenFlag('Show no progress'),
}
type PerftestFlags = FlagsOf<typeof FLAGS>

export const perftest = command({
  brief: 'Time RDMA operations (SEND, WRITE, READ, atomics) over the network of a scenario, in RoCE and IRN mode',
  about: [
    'Posts work requests on verbs queue pairs and times them, from the call to the CQE, as the perftest tools do on NICs.',
    'All of FILE applies except its workload: topology, switches, PFC, faults, classes, congestion control, verbs.',
    'Its recovery is used in one mode: roce if it accepts packets in order only, irn if it accepts any order. The other',
    'mode uses go-back-n or irn with their defaults.',
    'With --background the workload runs at the same time. Requests begin at the end of measure.warmUp.',
    '',
    'Examples:',
    '  rocelab perftest scenarios/incast-pfc.yaml',
    '  rocelab perftest scenarios/incast-pfc.yaml --operation read --size 1MB --depth 4 --pair "0 1" --pair "2 1"',
    '  rocelab perftest scenarios/leaf-spine-websearch-dcqcn.yaml --operation write --size 8 --background',
    '  rocelab perftest scenarios/incast-pfc.yaml --set pfc.classes=[] --set "faults=[{kind: bernoulli, probability: 0.001}]"',
  ],
  args: [{ brief: 'Scenario; - reads standard input', placeholder: 'FILE', parse: fileText }],
  flags: FLAGS,
  run: runPerftest,
})

interface Cell {
  readonly plan: PerftestPlan
  readonly result: PerftestResult
  /** Interrupted by a signal. */
  readonly isPartial: boolean
}

async function runPerftest(this: Context, flags: PerftestFlags, file: string): Promise<void> {
  const text = readScenario(openScenario(this.directory, file), { sets: flags.set ?? [], seed: flags.seed })
  const plans = plansOf(flags)
  const { progress, interruption, end } = watchRun(this, flags.quiet)
  const { stdout } = this.process
  const cells: Cell[] = []
  try {
    for (const plan of plans) {
      const test = build(text, plan, flags.check === true)
      try {
        while (interruption.signal === undefined && test.advance()) {
          progress.update((elapsedMs) => progressText(cells, plans.length, test, elapsedMs))
          await yieldToEvents()
        }
        const isPartial = interruption.signal !== undefined
        cells.push({ plan, result: test.result(isPartial), isPartial })
      } catch (error) {
        const { name, seed } = text.scenario
        throw new BrokenRun({ name, seed, nowPs: test.nowPs, events: test.events }, error)
      } finally {
        test.close()
      }
      if (interruption.signal !== undefined) break
    }
  } finally {
    end()
  }
  if (flags.json === true) stdout.write(`${JSON.stringify(jsonOf(text.scenario, cells))}\n`)
  else stdout.write(textOf(cells, this))
  if (interruption.signal !== undefined) this.process.exitCode = interruption.exitCode
}

/** One plan per mode and operation. */
function plansOf(flags: PerftestFlags): PerftestPlan[] {
  const { size, requests, depth, receives = 2 * depth, mtu, background = false } = flags
  const pairs = pairsOf(flags.pair)
  return (flags.mode ?? MODES).flatMap((mode) =>
    (flags.operation ?? OPERATIONS).map((operation) => ({
      mode,
      operation,
      sizeBytes: size,
      requests,
      depth,
      receives,
      pairs,
      ...(mtu === undefined ? {} : { mtuBytes: mtu }),
      hasBackground: background,
    })),
  )
}

/** Throws InputError with the mistakes of all pairs. */
function pairsOf(texts: readonly string[] = []): PerftestPlan['pairs'] {
  const issues: Issue[] = []
  const pairs = texts.map((each): readonly [number, number] => {
    const [, from = '', to = ''] = /^\s*(\d{1,9})\s+(\d{1,9})\s*$/.exec(each) ?? []
    if (from === '') issues.push({ path: '--pair', expected: PAIR_FORM, received: JSON.stringify(each), hint: '' })
    return [Number(from), Number(to)]
  })
  if (issues.length > 0) throw new InputError(issues)
  return pairs
}

/** Option that sets a field of the plan or a scenario path. */
const OPTION_OF: Readonly<Record<string, string>> = { pairs: '--pair', 'frames.payload': '--mtu' }

/** Builds a test. Mistakes in values from options are reported at the option instead of the scenario. */
function build(text: ScenarioText, plan: PerftestPlan, isChecked: boolean): Perftest {
  return located(text, () => new Perftest(text.scenario, plan, isChecked), OPTION_OF)
}

function progressText(cells: readonly Cell[], tests: number, test: Perftest, elapsedMs: number): string {
  const seconds = elapsedMs / 1000
  const fraction = (cells.length + test.fraction) / tests
  const hops = cells.reduce((sum, { result }) => sum + result.packetHops, test.packetHops)
  return [
    percent(fraction),
    `${exactCount(cells.length)} of ${exactCount(tests)} tests`,
    `${(hops / seconds / 1e6).toFixed(2)} M packet-hops/s`,
    leftText(fraction, seconds).padStart(11),
  ].join('  ')
}

const COLUMNS = [
  'mode',
  'operation',
  ...[
    'done',
    'mean',
    'p50',
    'p99',
    'slowest',
    'goodput',
    'retransmitted',
    'timeouts',
    'RNR NAKs',
    'lost',
    'pauses',
  ].map(right),
]

function textOf(cells: readonly Cell[], { text }: Context): string {
  const hasControl = cells.some(({ result }) => result.congestion !== 'none')
  const hasBackground = cells.some(({ result }) => result.background !== null)
  const rows = cells.map(({ plan, result, isPartial }) => {
    const { meanPs, p50Ps, p99Ps, maxPs, goodputBps } = figuresOf(result)
    return [
      plan.mode,
      plan.operation,
      `${exactCount(result.latenciesPs.length)} of ${exactCount(result.asked)}${isPartial ? ', interrupted' : ''}`,
      ...[meanPs, p50Ps, p99Ps, maxPs].map((ps) => (Number.isNaN(ps) ? '-' : humanDuration(ps))),
      Number.isNaN(goodputBps) ? '-' : humanRate(goodputBps),
      ...[result.retransmissions, result.timeouts, result.rnrNaks, sumOf(result.drops), result.pauseFrames].map(
        exactCount,
      ),
      ...(hasControl ? [exactCount(result.cnps)] : []),
      ...(result.background === null ? [] : [shareText(result.background)]),
    ]
  })
  const [first] = cells
  const about = first === undefined ? '' : `${aboutText(first)}\n\n`
  const columns = [...COLUMNS, ...(hasControl ? [right('CNPs')] : []), ...(hasBackground ? [right('workload')] : [])]
  return `${about}${textTable(columns, rows, text)}${failuresText(cells)}${drainedText(cells)}${stateText(cells, text)}`
}

function shareText({ finished, posted }: Background): string {
  return `${exactCount(finished)} of ${exactCount(posted)} flows`
}

/** Tests whose last requests had no background traffic. */
function drainedText(cells: readonly Cell[]): string {
  const lines = cells.flatMap(({ plan, result: { background, startPs, elapsedPs } }) =>
    background !== null && background.drainedPs < startPs + elapsedPs
      ? [
          `${plan.mode} ${plan.operation}: the workload ended at ${humanDuration(background.drainedPs)}, ` +
            `before the test ended at ${humanDuration(startPs + elapsedPs)}\n`,
        ]
      : [],
  )
  return lines.length === 0 ? '' : `\n${lines.join('')}`
}

function aboutText({ plan, result }: Cell): string {
  const { sizeBytes, requests, depth } = plan
  const pairs = result.asked / requests
  const each = `${exactCount(requests)} requests of ${humanBytes(sizeBytes)} (atomics: 8 bytes)`
  return `${each} on ${pairs === 1 ? 'one queue pair' : `each of ${exactCount(pairs)} queue pairs`}, ${exactCount(depth)} outstanding, MTU ${result.mtuBytes}, ${result.congestion === 'none' ? 'at line rate' : result.congestion}`
}

/** Counts of requests that did not succeed, by status. */
function failuresText(cells: readonly Cell[]): string {
  const lines = cells.flatMap(({ plan, result }) => {
    const parts = Object.entries(result.endings).filter(([status]) => status !== 'finished')
    const unposted = result.asked - result.posted
    if (unposted > 0) parts.push(['not posted', unposted])
    return parts.length === 0
      ? []
      : [
          `${plan.mode} ${plan.operation}: ${parts.map(([status, count]) => `${status} ${exactCount(count)}`).join(', ')}\n`,
        ]
  })
  return lines.length === 0 ? '' : `\n${lines.join('')}`
}

/** NIC state that IRN adds, by field ([IRN] 6.1). */
function stateText(cells: readonly Cell[], text: Context['text']): string {
  const state = cells.find(({ result }) => result.nicState !== null)?.result.nicState ?? null
  if (state === null) return ''
  const rows = [...state.variables, ...state.bitmaps].map(({ name, side, bits }) => [name, side, exactCount(bits)])
  const columns = ['state added by IRN per queue pair', 'side', right('bits')]
  const total = ['total', '', exactCount(state.variableBits + state.bitmapBits)]
  return `\n${textTable(columns, [...rows, total], text)}and ${state.wqeBytes} bytes per WQE, ${state.sharedBytes} bytes shared by all queue pairs\n`
}

function figuresOf({ latenciesPs, elapsedPs, payloadBytes }: PerftestResult) {
  return {
    meanPs: mean(latenciesPs),
    p50Ps: quantile(latenciesPs, 0.5),
    p99Ps: knownQuantile(sortedValues(latenciesPs), 0.99),
    maxPs: quantile(latenciesPs, 1),
    goodputBps: elapsedPs > 0 ? (payloadBytes * 8e12) / elapsedPs : NaN,
  }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** JSON.stringify turns the NaN of a test without requests into null. */
function jsonOf(scenario: Scenario, cells: readonly Cell[]): object {
  return {
    schemaVersion: 1,
    version: VERSION,
    name: scenario.name,
    seed: scenario.seed,
    tests: cells.map(({ plan, result: { latenciesPs, ...rest }, isPartial }) => ({
      ...plan,
      isPartial,
      succeeded: latenciesPs.length,
      ...figuresOf({ latenciesPs, ...rest }),
      ...rest,
    })),
  }
}
