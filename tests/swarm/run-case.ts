/**
 * One case of the swarm: a scenario is built, run in slices of random length with all laws checked between them, and its
 * result is checked against properties of every result.
 */
import { InputError } from '../../src/core/base/issue.ts'
import { createSimulation, topologyOf, pathVarietyOf } from '../../src/lab/index.ts'
import { ACK_PARTS, numbersOf, PARTS, type Result, textsOf } from '../../src/core/results/index.ts'
import { formatScenario, type Scenario, schemeSets } from '../../src/lab/scenario/index.ts'
import { wrongSums } from '../support/origin-sums.ts'
import { Dice } from './dice.ts'
import { ANY_WORLD, randomScenario, type World } from './random-scenario.ts'

/** Drop reasons that are faults; WRED and full buffers are rules of the network. */
const FAULTS = [
  'link loss',
  'FCS error',
  'link down',
  'no route',
  'switch down',
  'host down',
  'NIC',
  'watchdog',
  'VLAN',
  'frame too long',
  'no MAC entry',
  'flooded, wrong host',
]

export interface CaseOutcome {
  readonly scenario: Scenario
  readonly result: Result
  /** Packets lost to a fault: on a link, with a link that went down, or damaged; not for lack of buffer. */
  readonly faults: number
  readonly events: number
  /** Scenarios before this one that could not be built. */
  readonly redraws: number
}

/** A run of more events than this counts as endless. */
const EVENTS_MAX = 400_000_000

interface DrawnCase {
  readonly scenario: Scenario
  /** Scenarios before it that could not be built. */
  readonly redraws: number
}

/** Cases of this process: several tests run the same ones. */
const drawn = new Map<number, DrawnCase>()

/** The case of a seed, drawn once. */
export function caseOf(seed: number): DrawnCase {
  let known = drawn.get(seed)
  if (known === undefined) drawn.set(seed, (known = drawCase(seed)))
  return known
}

/** Draws the first scenario from this seed on that can be built. */
export function drawCase(seed: number, world: World = ANY_WORLD): DrawnCase {
  for (let redraws = 0; ; redraws++) {
    try {
      const scenario = randomScenario(seed + redraws * 1_000_003, world)
      createSimulation(scenario).close()
      if (!mayStarve(scenario)) return { scenario, redraws }
    } catch (error) {
      if (!(error instanceof InputError) || redraws === 200) throw error
    }
  }
}

/**
 * LDCP-PCC requests the next round-trip time as soon as it has one. Where links have no delay, the responses for several
 * queue pairs fill the link and go before data (docs/models/ldcp.md).
 */
function mayStarve(scenario: Scenario): boolean {
  const hasProbes = schemeSets(scenario).some((set) => set.scenario.congestion.kind === 'ldcp-pcc')
  const { links, tiers } = topologyOf(scenario)
  return hasProbes && links.some(({ a, b, delayPs }) => delayPs < 1000 && (tiers[a] === 0 || tiers[b] === 0))
}

/** Runs a case. Every second one has an autopsy. Errors carry the seed and the text of the scenario. */
export function runCase(seed: number, world: World = ANY_WORLD): CaseOutcome {
  const { scenario: plain, redraws } = world === ANY_WORLD ? caseOf(seed) : drawCase(seed, world)
  const scenario = seed % 2 === 0 ? plain : { ...plain, observe: [...plain.observe, AUTOPSY] }
  try {
    return { ...runScenario(scenario), scenario: plain, redraws }
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
    throw new Error(`swarm case ${seed}: ${what}\n\n${formatScenario(scenario, { compact: true })}`, { cause: error })
  }
}

function runScenario(scenario: Scenario): Omit<CaseOutcome, 'redraws'> {
  const dice = new Dice(scenario.seed)
  const simulation = createSimulation(scenario, { check: true })
  let budget = EVENTS_MAX
  for (;;) {
    const slice = dice.log(1, 20_000)
    if (!simulation.advance(slice)) break
    budget -= slice
    if (budget < 0) throw new Error(`no end after ${EVENTS_MAX} events, ${simulation.progress().nowPs} ps`)
  }
  const result = simulation.result(false)
  simulation.close()
  const wrong = [...wrongsOf(scenario, result), ...wrongPartsOf(scenario, result)]
  if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join('\n'))
  return {
    scenario,
    result,
    faults: FAULTS.reduce((sum, reason) => sum + (result.counters.drops[reason] ?? 0), 0),
    events: result.counters.events,
  }
}

const REASONS =
  /^(?:finished|retry limit reached|link down|livelock: .+|stalled.*|received, not yet .+|waiting behind .+|still sending at the stop|server went down)$/

const AUTOPSY = { kind: 'autopsy', acks: true, table: null, maxRows: null } as const

/** One packet each, however short packets are. */
const ATOMICS = ['compare-and-swap', 'fetch-and-add']

/** Violated properties of a result, in words. */
function wrongsOf(scenario: Scenario, result: Result): string[] {
  const { flows, counters } = result
  const [start, ideal, received, acknowledged, size] = [
    'startPs',
    'idealPs',
    'receivedPs',
    'acknowledgedPs',
    'sizeBytes',
  ].map((name) => numbersOf(flows, name)) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]
  const status = textsOf(flows, 'status')
  const operation = textsOf(flows, 'operation')
  const wrong: string[] = []
  const bound = hasOneIdeal(scenario)
  let whole = 0
  let packets = 0
  for (let row = 0; row < flows.rowCount; row++) {
    const said = status[row] ?? ''
    const flow = `flow ${row} (${said})`
    if (!REASONS.test(said)) wrong.push(`${flow}: no known status`)
    const isWhole = !Number.isNaN(received[row])
    if (said === 'finished' && !isWhole) wrong.push(`${flow}: not received`)
    if (!isWhole) continue
    whole += size[row] ?? NaN
    packets += ATOMICS.includes(operation[row] ?? '') ? 1 : Math.ceil((size[row] ?? NaN) / scenario.frames.payload)
    const took = (received[row] ?? NaN) - (start[row] ?? NaN)
    if (bound && took < (ideal[row] ?? NaN)) wrong.push(`${flow}: took ${took} ps, alone it takes ${ideal[row]}`)
    if ((acknowledged[row] ?? NaN) < (received[row] ?? NaN)) wrong.push(`${flow}: acknowledged before it was received`)
  }
  if (whole > counters.payloadBytesDelivered)
    wrong.push(`${whole} bytes in whole messages, ${counters.payloadBytesDelivered} delivered`)
  if (packets > counters.dataPacketsSent)
    wrong.push(`${packets} packets in whole messages, ${counters.dataPacketsSent} sent`)
  if (counters.retransmissions > counters.dataPacketsSent) wrong.push('more retransmissions than packets')
  if (counters.resumeFrames > counters.pauseFrames) wrong.push('more resumes than pauses')
  const isStormed = scenario.faults.some(({ kind }) => kind === 'pause-storm')
  const isChanged = scenario.changes.some(({ path }) => path === 'pfc' || path === 'pfc.classes')
  if (scenario.pfc.classes.length === 0 && counters.pauseFrames > 0 && !isStormed && !isChanged)
    wrong.push('pauses without a lossless class')
  return wrong
}

/** Messages whose parts are not all of their time, or are less than nothing. */
function wrongPartsOf({ observe }: Scenario, { flows, series, simulatedPs }: Result): string[] {
  if (!observe.some(({ kind }) => kind === 'autopsy')) return []
  const [start, received, acknowledged] = ['startPs', 'receivedPs', 'acknowledgedPs'].map((name) =>
    numbersOf(flows, name),
  ) as [Float64Array, Float64Array, Float64Array]
  const ackParts = ACK_PARTS.map(({ column }) => ({ column, times: numbersOf(flows, column) }))
  const parts = PARTS.map(({ column }) => ({ column, times: numbersOf(flows, column) }))
  const wrong = wrongSums({ flows, series })
  start.forEach((startPs, row) => {
    const endPs = Number.isNaN(received[row]) ? simulatedPs : received[row]!
    const sumPs = parts.reduce((sum, { times }) => sum + times[row]!, 0)
    if (sumPs !== endPs - startPs) wrong.push(`flow ${row}: parts of ${sumPs} ps, it took ${endPs - startPs} ps`)
    for (const { column, times } of parts)
      if (!(times[row]! >= 0)) wrong.push(`flow ${row}: ${column} is ${times[row]}`)
    // An ACK that is missing at the end is held until then; where there are none, nothing is known.
    const isHeld = Number.isNaN(acknowledged[row]) && ackParts[0]!.times[row]! >= 0
    const ackPs = (isHeld ? simulatedPs : acknowledged[row]!) - received[row]!
    const ackSumPs = ackParts.reduce((sum, { times }) => sum + times[row]!, 0)
    if (!Object.is(ackSumPs, ackPs)) wrong.push(`flow ${row}: parts of an ACK of ${ackSumPs} ps, it took ${ackPs} ps`)
    for (const { column, times } of ackParts) if (times[row]! < 0) wrong.push(`flow ${row}: ${column} is ${times[row]}`)
  })
  return wrong
}

/** Where links are not all alike, a frame that cut-through switches get later may leave them earlier. */
function isOfOneRate(scenario: Scenario): boolean {
  return new Set(topologyOf(scenario).links.map(({ rateBps }) => rateBps)).size === 1
}

/** All shortest paths take equally long, but for links with rates of their own, so that none is quicker than the first, and a message takes one of them. */
function hasOneIdeal(scenario: Scenario): boolean {
  const {
    topology,
    recovery,
    faults,
    time,
    switch: { forwarding },
  } = scenario
  return (
    topology.kind !== 'graph' &&
    topology.rates.length === 0 &&
    (forwarding.kind === 'store-and-forward' || isOfOneRate(scenario)) &&
    pathVarietyOf(scenario) !== 'several' &&
    recovery.kind !== 'mp-rdma' &&
    time.quantum === 1 &&
    faults.every(({ kind }) => kind !== 'link-down')
  )
}
