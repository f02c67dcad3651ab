/**
 * Cut-through against simple arithmetic: a message alone takes its ideal time, to the picosecond, and frames of many
 * hosts that pass a row of switches leave each of them when a naive list of the port's arrivals says so.
 */
import { describe, expect, test } from 'vitest'
import { watch } from '../support/frame-log.ts'
import { run } from '../../src/lab/index.ts'
import { numbersOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { Dice } from '../swarm/dice.ts'

const ROWS: readonly (readonly number[])[] = [
  [100, 100],
  [40, 100],
  [100, 100, 100],
  [100, 90, 80, 70],
  [70, 80, 90, 100],
  [25, 400, 400, 25],
  [100, 70, 100, 40, 50],
  [200, 10, 100, 25, 25, 24],
  [40, 40, 40, 40, 40, 40],
]

const rowOf = (rates: readonly number[]): string => {
  const last = rates.length - 1
  const links = rates.map((rate, i) => `${i === 0 ? 0 : i + 1} ${i === last ? 1 : i + 2} ${rate}Gbps ${i * 130 + 1}ns`)
  const switches = Array.from({ length: last }, (_, i) => i + 2)
  return `{kind: graph, nodes: ${last + 2}, switches: ${JSON.stringify(switches)}, links: ${JSON.stringify(links)}}`
}

describe.each(ROWS.map((rates) => [rates.join(', '), rates] as const))('over links of %s Gb/s', (_, rates) => {
  test.each(['write', 'send', 'read'])('a %s alone has a slowdown of exactly 1', (operation) => {
    for (const bytes of [1, 20, 700, 1024, 1025, 2100, 7000, 100_001, 1_000_000]) {
      for (const more of ['header: 64B}', 'header: 300B}, latency: 450ns', 'header: 1000B}, release: end']) {
        const { flows } = run(
          parseScenario(`{name: alone, topology: ${rowOf(rates)}, switch: {forwarding: {kind: cut-through, ${more}},
            workload: [{kind: trace, flows: ["0 1 ${bytes}B 0us op=${operation}"]}]}`),
        )
        expect(numbersOf(flows, 'receivedPs')[0], `${bytes} bytes, ${more}`).toBe(numbersOf(flows, 'idealPs')[0])
      }
    }
  })
})

test('each switch in a long row adds the time of a header, not of a frame', () => {
  const idealPs = (forwarding: string): number => {
    const { flows } = run(
      parseScenario(`{name: alone, topology: ${rowOf([40, 40, 40, 40, 40, 40])}, switch: {forwarding: ${forwarding}},
        workload: [{kind: trace, flows: ["0 1 100KiB 0us op=send"]}]}`),
    )
    return numbersOf(flows, 'idealPs')[0]!
  }
  expect(idealPs('store-and-forward') - idealPs('cut-through')).toBe(5 * (1086 - 64) * 200)
})

/** A frame before a switch: when its header and its last bit reach the output port. */
interface Coming {
  readonly from: number
  readonly psn: number
  readonly frameBytes: number
  readonly headerPs: number
  readonly wholePs: number
}

/** Start times of the frames of one port, in order. */
function departures(coming: readonly Coming[], bytePs: number): (Coming & { readonly startPs: number })[] {
  const events = coming.flatMap((frame) => [
    { frame, timePs: frame.headerPs, isHeader: true },
    { frame, timePs: frame.wholePs, isHeader: false },
  ])
  const left: (Coming & { readonly startPs: number })[] = []
  const queue: Coming[] = []
  const port = { freePs: 0 }
  const start = (frame: Coming, startPs: number): void => {
    left.push({ ...frame, startPs })
    port.freePs = startPs + (frame.frameBytes + 20) * bytePs
  }
  for (const { frame, timePs, isHeader } of events.toSorted((a, b) => a.timePs - b.timePs)) {
    while (queue.length > 0 && port.freePs <= timePs) start(queue.shift()!, port.freePs)
    if (left.some(({ from, psn }) => from === frame.from && psn === frame.psn)) continue
    const isIdle = port.freePs <= timePs && queue.length === 0
    // A frame from a slower link must be complete before it starts.
    if (isHeader && frame.headerPs < frame.wholePs && isIdle) start(frame, timePs)
    else if (!isHeader && isIdle) start(frame, timePs)
    else if (!isHeader) queue.push(frame)
  }
  while (queue.length > 0) start(queue.shift()!, port.freePs)
  return left
}

/** Hosts that each send a message to the last one through a row of switches; all link delays differ. */
interface Row {
  readonly headerBytes: number
  readonly latencyPs: number
  /** By switch: link to the next one or to the receiver. */
  readonly trunks: readonly TestLink[]
  readonly senders: readonly (TestLink & {
    readonly at: number
    readonly startPs: number
    readonly payloads: number[]
  })[]
}
interface TestLink {
  readonly gbps: number
  readonly delayPs: number
}

const PAYLOAD = 1000
const RATES = [10, 25, 40, 50, 100, 100, 100]

function randomRow(seed: number): Row {
  const dice = new Dice(seed)
  const link = (): TestLink => ({ gbps: dice.one(RATES), delayPs: dice.from(1, 500_000) })
  const trunks = Array.from({ length: dice.from(1, 5) }, link)
  const senders = Array.from({ length: dice.from(1, 6) }, () => ({
    ...link(),
    at: dice.from(0, trunks.length - 1),
    startPs: dice.from(0, 2_000_000),
    payloads: [...Array.from({ length: dice.from(0, 8) }, () => PAYLOAD), dice.from(1, PAYLOAD)],
  }))
  return { headerBytes: dice.one([14, 64, 64, 200, 1000]), latencyPs: dice.one([0, 0, 300_001]), trunks, senders }
}

/** Arrival time of each frame at the receiver, as "host/psn ps". */
function expectedArrivals({ headerBytes, latencyPs, trunks, senders }: Row): string[] {
  const reach = (
    frame: Omit<Coming, 'headerPs' | 'wholePs'>,
    startPs: number,
    link: TestLink,
    to: TestLink,
  ): Coming => {
    const bytePs = 8000 / link.gbps
    const wholePs = startPs + (frame.frameBytes + 20) * bytePs + link.delayPs + latencyPs
    const isCut = to.gbps <= link.gbps && headerBytes < frame.frameBytes
    return { ...frame, wholePs, headerPs: isCut ? wholePs - (frame.frameBytes - headerBytes) * bytePs : wholePs }
  }
  let coming: Coming[] = []
  trunks.forEach((trunk, at) => {
    senders.forEach((sender, from) => {
      if (sender.at !== at) return
      let startPs = sender.startPs
      sender.payloads.forEach((payload, psn) => {
        const frameBytes = Math.max(64, payload + 62)
        coming.push(reach({ from, psn, frameBytes }, startPs, sender, trunk))
        startPs += (frameBytes + 20) * (8000 / sender.gbps)
      })
    })
    const next = trunks[at + 1]
    coming = departures(coming, 8000 / trunk.gbps).map((frame) => {
      if (next !== undefined) return reach(frame, frame.startPs, trunk, next)
      const lastPs = frame.startPs + (frame.frameBytes + 20) * (8000 / trunk.gbps) + trunk.delayPs
      return { ...frame, headerPs: lastPs, wholePs: lastPs }
    })
  })
  return coming.map(({ from, psn, wholePs }) => `${from}/${psn} ${wholePs}`).toSorted()
}

function simulatedArrivals({ headerBytes, latencyPs, trunks, senders }: Row): string[] {
  const first = senders.length + 1
  const links = [
    ...senders.map(({ at, gbps, delayPs }, i) => `${i} ${first + at} ${gbps}Gbps ${delayPs}ps`),
    ...trunks.map(({ gbps, delayPs }, at) => {
      const to = at === trunks.length - 1 ? senders.length : first + at + 1
      return `${first + at} ${to} ${gbps}Gbps ${delayPs}ps`
    }),
  ]
  const lines = senders.map(({ startPs, payloads }, i) => {
    const bytes = payloads.reduce((sum, payload) => sum + payload, 0)
    return `${i} ${senders.length} ${bytes}B ${startPs}ps op=send`
  })
  const { arrivals } = watch(
    `
topology: {kind: graph, nodes: ${first + trunks.length}, switches: ${JSON.stringify(trunks.map((__, at) => first + at))},
  links: ${JSON.stringify(links)}}
frames: {payload: ${PAYLOAD}B}
pfc: {classes: []}
switch: {forwarding: {kind: cut-through, header: ${headerBytes}B}, latency: ${latencyPs}ps}
workload: [{kind: trace, flows: ${JSON.stringify(lines)}}]`,
    Infinity,
  )
  return arrivals.map(({ from, psn, ps }) => `${from}/${psn} ${ps}`).toSorted()
}

test('frames of many hosts arrive when a naive model of each port says so', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const row = randomRow(seed)
    expect(simulatedArrivals(row), `row ${seed}: ${JSON.stringify(row)}`).toEqual(expectedArrivals(row))
  }
})
