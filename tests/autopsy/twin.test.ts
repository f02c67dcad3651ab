/**
 * A naive twin of the autopsy: keeps every frame that starts anywhere, and finds from that list, message by message, which
 * frame completed it, the way of that frame, and what the queue pair had sent before. It must agree with the autopsy on
 * every message of drawn networks with contention, pauses and losses. ROCELAB_SEED is the first seed.
 */
import { expect, test } from 'vitest'
import { INTS } from '../../src/core/base/memory.ts'
import { createRandomStreams } from '../../src/core/base/random.ts'
import { DIRECTION, FLAGS, KIND, PSN } from '../../src/core/fabric/packets.ts'
import { Mistakes } from '../../src/lab/network/mistakes.ts'
import { buildNetwork, type BuiltNetwork } from '../../src/lab/network/network-builder.ts'
import { layFaults } from '../../src/lab/run/faults/index.ts'
import { Observation } from '../../src/lab/run/observation.ts'
import { Traffic } from '../../src/lab/run/traffic.ts'
import { numbersOf, type Table } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { DATA, RETRANSMITTED } from '../../src/core/transport/segment.ts'
import { Dice } from '../swarm/dice.ts'

const FIRST = Number(process.env['ROCELAB_SEED'] ?? 1)
const CASES = 60
const PAYLOAD_BYTES = 1000
const LATENCY_PS = 300_000

interface Start {
  readonly port: number
  readonly psn: number
  readonly isAgain: boolean
  readonly startPs: number
  readonly endPs: number
}

/** Frames of a queue pair by copy: the time at which it left its NIC names it. */
type Copies = Map<number, Start[]>

interface Pause {
  readonly port: number
  readonly fromPs: number
  toPs: number
}

interface Twin {
  readonly built: BuiltNetwork
  readonly flows: Table
  readonly byPair: readonly Copies[]
  readonly pauses: readonly Pause[]
}

function observed(text: string): Twin {
  const scenario = parseScenario(text)
  const random = createRandomStreams(scenario.seed)
  const traffic = new Traffic(scenario)
  const built = buildNetwork(scenario, random, traffic)
  const { network } = built
  const { fabric } = network
  const mistakes = new Mistakes()
  layFaults(scenario, built, random, mistakes)
  const observation = new Observation(scenario, built, traffic, mistakes)
  const autopsy = fabric.watch!
  const byPair: Copies[] = []
  const pauses: Pause[] = []
  for (const { id } of network.ports) {
    fabric.transmitter.watch(id, {
      onStart(startPs, port, packet, transmitPs) {
        const direction = INTS[packet | DIRECTION]!
        if (INTS[packet | KIND] !== DATA || (direction & 1) !== 0) return
        const copies = (byPair[direction >> 1] ??= new Map<number, Start[]>())
        const sentPs = fabric.packets.sentPs(packet)
        const isAgain = (INTS[packet | FLAGS]! & RETRANSMITTED) !== 0
        const start = { port, psn: INTS[packet | PSN]!, isAgain, startPs, endPs: startPs + transmitPs }
        const known = copies.get(sentPs)
        if (known === undefined) copies.set(sentPs, [start])
        else known.push(start)
      },
    })
  }
  fabric.watch = {
    onDrop: autopsy.onDrop.bind(autopsy),
    onPfcReceived: autopsy.onPfcReceived.bind(autopsy),
    onPauseChanged(nowPs, port, trafficClass, isPaused) {
      autopsy.onPauseChanged(nowPs, port, trafficClass, isPaused)
      if (isPaused) pauses.push({ port, fromPs: nowPs, toPs: Infinity })
      else pauses.findLast((pause) => pause.port === port)!.toPs = nowPs
    },
  }
  traffic.start(built, random, mistakes)
  network.advance(Infinity, 20e9)
  const flows = observation.withColumns(
    traffic.log.table(() => true),
    fabric.queue.nowPs,
  )
  return { built, flows, byPair, pauses }
}

/** Paused time of a port within an interval. */
function pausedPs(pauses: readonly Pause[], port: number, fromPs: number, toPs: number): number {
  return pauses.reduce(
    (sum, pause) =>
      pause.port === port ? sum + Math.max(0, Math.min(pause.toPs, toPs) - Math.max(pause.fromPs, fromPs)) : sum,
    0,
  )
}

/** Parts of a message as the twin finds them, by column. */
function partsOf(twin: Twin, row: number, firstPsn: number): Record<string, number> {
  const { built, flows, byPair, pauses } = twin
  const { ports } = built.network
  const of = (name: string): number => numbersOf(flows, name)[row]!
  const [postedPs, receivedPs] = [of('startPs'), of('receivedPs')]
  const copies = byPair[of('pair')]!
  const destination = of('destination')
  const endPsn = firstPsn + of('sizeBytes') / PAYLOAD_BYTES
  const arrivalPs = ({ port, endPs }: Start): number => endPs + ports[port]!.delayPs
  const path = [...copies.values()].find((hops) => {
    const last = hops.at(-1)!
    return ports[last.port]!.peer.node === destination && arrivalPs(last) === receivedPs
  })!
  const leftPs = path[0]!.startPs
  const within = (fromPs: number, toPs: number): number =>
    Math.max(0, Math.min(toPs, receivedPs) - Math.max(fromPs, postedPs))
  const parts: Record<string, number> = { wirePs: 0, propagationPs: 0, switchPs: 0, queuePs: 0, pausedPs: 0 }
  path.forEach((hop, i) => {
    parts['wirePs']! += within(hop.startPs, hop.endPs)
    parts['propagationPs']! += within(hop.endPs, arrivalPs(hop))
    const next = path[i + 1]
    if (next === undefined) return
    const queuedPs = Math.min(next.startPs, arrivalPs(hop) + LATENCY_PS)
    parts['switchPs']! += within(arrivalPs(hop), queuedPs)
    const paused = pausedPs(pauses, next.port, Math.max(queuedPs, postedPs), next.startPs)
    parts['pausedPs']! += paused
    parts['queuePs']! += within(queuedPs, next.startPs) - paused
  })
  // At the sender: everything before is out when the last first copy of it has ended.
  const starts = [...copies.values()].map((hops) => hops[0]!).filter(({ startPs }) => startPs < leftPs)
  const earlier = [...copies.values()].map((hops) => hops[0]!).filter(({ psn, isAgain }) => psn < firstPsn && !isAgain)
  const begunPs = earlier.reduce((latest, { endPs }) => Math.max(latest, endPs), postedPs)
  const spent = (counts: (start: Start) => boolean): number =>
    starts
      .filter(counts)
      .reduce((sum, { startPs, endPs }) => sum + Math.max(0, Math.min(endPs, leftPs) - Math.max(startPs, begunPs)), 0)
  return {
    ...parts,
    behindPs: Math.max(0, Math.min(begunPs, leftPs) - postedPs),
    ownPs: spent(({ isAgain, psn }) => !isAgain && psn >= firstPsn && psn < endPsn),
    resendPs: spent(({ isAgain }) => isAgain),
  }
}

function drawn(seed: number): string {
  const dice = new Dice(seed)
  const isLossy = dice.chance(0.5)
  const flows = Array.from({ length: dice.from(4, 30) }, () => {
    const from = dice.from(0, 7)
    const to = dice.chance(0.5) ? (from === 0 ? 1 : 0) : (from + dice.from(1, 7)) % 8
    const connection = dice.chance(0.5) ? ` connection=${from * 8 + to}` : ''
    return `"${from} ${to} ${dice.log(1, 200) * PAYLOAD_BYTES}B ${dice.from(0, 100)}us${connection}"`
  })
  return `
name: twin
seed: ${seed}
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostRate: 10Gbps, fabricRate: ${dice.one(['10Gbps', '40Gbps'])}}
switch: {latency: ${LATENCY_PS}ps, buffer: {kind: shared-buffer, size: 600KB, alpha: 1/8}}
frames: {payload: ${PAYLOAD_BYTES}B}
recovery: ${dice.one(['go-back-n', 'irn'])}
congestion: ${dice.one(['none', 'dcqcn'])}
${isLossy ? `pfc: {classes: []}\nqp: {ackTimeout: 200us, retryLimit: off}\nfaults: [{kind: bernoulli, probability: 0.01}]` : ''}
observe: [autopsy]
workload: [{kind: trace, flows: [${flows.join(', ')}]}]
`
}

test(`the autopsy agrees with a naive twin in ${CASES} drawn networks`, () => {
  const wrong: string[] = []
  let messages = 0
  let paused = 0
  let resent = 0
  for (let seed = FIRST; seed < FIRST + CASES; seed++) {
    const twin = observed(drawn(seed))
    const { flows } = twin
    const [pair, size, received] = ['pair', 'sizeBytes', 'receivedPs'].map((name) => numbersOf(flows, name)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ]
    const next = new Map<number, number>()
    for (let row = 0; row < flows.rowCount; row++) {
      const firstPsn = next.get(pair[row]!) ?? 0
      next.set(pair[row]!, firstPsn + size[row]! / PAYLOAD_BYTES)
      if (Number.isNaN(received[row]!)) continue
      messages++
      paused += numbersOf(flows, 'pausedPs')[row]! > 0 ? 1 : 0
      resent += numbersOf(flows, 'resendPs')[row]! > 0 ? 1 : 0
      for (const [column, ps] of Object.entries(partsOf(twin, row, firstPsn))) {
        const own = numbersOf(flows, column)[row]!
        if (own !== ps) wrong.push(`seed ${seed}, flow ${row}: ${column} is ${own}, the twin has ${ps}`)
      }
    }
  }
  expect(wrong.slice(0, 8).join('\n'), `${wrong.length} of the parts of ${messages} messages`).toBe('')
  expect(messages).toBeGreaterThan(10 * CASES)
  expect(paused).toBeGreaterThan(10)
  expect(resent).toBeGreaterThan(10)
})
