/**
 * Cut-through, frame by frame and to the picosecond. Frames have 1086 bytes and 20 of preamble and gap; links have a delay of 1us.
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { type GivenPause, type Seen, watch } from '../../../../tests/support/frame-log.ts'

const US = 1_000_000
/** Serialization times at 100 Gb/s: a frame, and its first 64 bytes. */
const FRAME = 1106 * 80
const HEADER = 84 * 80
/** At 40 Gb/s. */
const SLOW = 1106 * 200
const SLOW_HEADER = 84 * 200
/** Times when header and last bit of a frame sent at 0 reach the first switch. */
const HEADER_IN = HEADER + US
const LAST_IN = FRAME + US

const HUB = 4
const STAR = `topology: {kind: graph, nodes: 5, switches: [${HUB}], links:
  ["0 4 100Gbps 1us", "1 4 100Gbps 1us", "2 4 100Gbps 1us", "3 4 100Gbps 1us"]}`
const flows = (...lines: string[]): string =>
  `workload: [{kind: trace, flows: ${JSON.stringify(lines.map((line) => `${line} op=send`))}}]`
/** A host at each end of a row of switches: node 0, switches 2, 3, ..., node 1. */
const row = (...gbps: number[]): string => {
  const last = gbps.length - 1
  const links = gbps.map((rate, i) => `${i === 0 ? 0 : i + 1} ${i === last ? 1 : i + 2} ${rate}Gbps 1us`)
  const switches = Array.from({ length: last }, (_, i) => i + 2)
  return `topology: {kind: graph, nodes: ${last + 2}, switches: ${JSON.stringify(switches)}, links: ${JSON.stringify(links)}}`
}
const cut = (more = ''): string => `switch: {forwarding: cut-through${more}}`
/** One frame from host 0 to host 1. */
const ONE = flows('0 1 1024B 0us')

/** Times when the data frame of each host has arrived. */
function times(seen: Seen): number[] {
  return seen.arrivals.toSorted((a, b) => a.from - b.from).map(({ ps }) => ps)
}
const alone = (network: string, more = '', pause?: GivenPause): Seen =>
  watch(`${network}\n${cut(more)}\n${ONE}`, 20 * US, pause)

describe('a frame alone', () => {
  test('leaves a switch when its header is in, and is at the host with its last bit', () => {
    expect(times(alone(STAR))).toEqual([HEADER_IN + FRAME + US])
    expect(times(watch(`${STAR}\n${ONE}`, 20 * US))).toEqual([LAST_IN + FRAME + US])
    expect(times(alone(row(100, 100, 100, 100)))).toEqual([3 * HEADER_IN + FRAME + US])
  })

  test('waits for `header` bytes; a shorter frame is stored', () => {
    const of = (header: string): number[] =>
      times(watch(`${STAR}\nswitch: {forwarding: {kind: cut-through, header: ${header}}}\n${ONE}`, 20 * US))
    expect(of('128B')).toEqual([148 * 80 + US + FRAME + US])
    expect(of('1085B')).toEqual([LAST_IN - 80 + FRAME + US])
    expect(of('1086B')).toEqual([LAST_IN + FRAME + US])
    expect(of('9000B')).toEqual([LAST_IN + FRAME + US])
  })

  test('is cut through from a fast link to a slow one, and stored from a slow one to a fast one', () => {
    expect(times(alone(row(100, 40)))).toEqual([HEADER_IN + SLOW + US])
    expect(times(alone(row(40, 100)))).toEqual([SLOW + US + FRAME + US])
    expect(times(alone(row(40, 100, 100, 40)))).toEqual([SLOW + US + 2 * HEADER_IN + SLOW + US])
    expect(times(alone(row(100, 40, 40)))).toEqual([HEADER_IN + SLOW_HEADER + US + SLOW + US])
  })

  test('passes the latency of a switch as its header does', () => {
    expect(times(alone(STAR, ', latency: 450ns'))).toEqual([HEADER_IN + 450_000 + FRAME + US])
    expect(times(alone(row(40, 100), ', latency: 450ns'))).toEqual([SLOW + US + 450_000 + FRAME + US])
  })

  test.each(['scheduler: dwrr', 'ecn: {kmin: 0KB, kmax: 9KB}', 'release: end', 'buffer: {kind: input-queued}'])(
    'leaves as early with %s',
    (more) => expect(times(alone(STAR, `, ${more}`))).toEqual([HEADER_IN + FRAME + US]),
  )
})

/** Frames to host 2, the first at 0: when each leaves the switch. */
const leavings = (more: string, ...lines: string[]): number[] =>
  times(watch(`${STAR}\n${cut(more)}\n${flows(...lines)}`, 20 * US)).map((ps) => ps - FRAME - US)

describe('a port that is busy', () => {
  const free = HEADER_IN + FRAME

  test('stores the frame, which leaves when it is complete and the port is free', () => {
    expect(leavings('', '0 2 1024B 0us', '1 2 1024B 1ns')).toEqual([HEADER_IN, free])
  })

  test('stores a frame until its last bit even if it is free before that', () => {
    expect(leavings('', '0 2 1024B 0us', '1 2 1024B 10ns')).toEqual([HEADER_IN, LAST_IN + 10_000])
    expect(LAST_IN + 10_000).toBeGreaterThan(free)
  })

  test.each(['', ', release: end'])('is free for a header that comes as it becomes idle%s', (more) => {
    expect(leavings(more, '0 2 1024B 0us', `1 2 1024B ${FRAME}ps`)).toEqual([HEADER_IN, free])
    expect(leavings(more, '0 2 1024B 0us', `1 2 1024B ${FRAME - 1}ps`)).toEqual([HEADER_IN, LAST_IN + FRAME - 1])
    // Consecutive frames from one host meet this case every time.
    const { arrivals } = watch(`${STAR}\n${cut(more)}\n${flows('0 2 10KiB 0us')}`, 20 * US)
    expect(arrivals.map(({ ps }) => ps)).toEqual(arrivals.map((_, i) => HEADER_IN + (i + 1) * FRAME + US))
  })

  test('serves its queue first, and the frame whose header comes then is stored', () => {
    const starts = leavings('', '0 2 1024B 0us', '1 2 1024B 1ns', `3 2 1024B ${FRAME}ps`)
    expect(starts).toEqual([HEADER_IN, free, free + FRAME])
  })

  test('is checked after the latency, when the frame could leave', () => {
    const latencyPs = 450_000
    const starts = leavings(', latency: 450ns', '0 2 1024B 0us', '1 2 1024B 1ns', '3 2 1024B 400ns')
    expect(starts).toEqual([HEADER_IN, free, HEADER_IN + 400_000].map((ps) => ps + latencyPs))
  })
})

describe('a class that is paused', () => {
  const paused = (quanta: number, flow: string): number[] =>
    times(watch(`${STAR}\n${cut()}\n${flows(flow)}`, 20 * US, { node: HUB, towards: 1, quanta })).map(
      (ps) => ps - FRAME - US,
    )

  test('stores its frames, and only those', () => {
    expect(paused(300, '0 1 1024B 0us')).toEqual([300 * 5120])
    expect(paused(300, '0 1 1024B 0us class=4')).toEqual([HEADER_IN])
  })

  test('stores a frame until its last bit even if the pause is over before that', () => {
    expect([HEADER_IN < 210 * 5120, 210 * 5120 < LAST_IN]).toEqual([true, true])
    expect(paused(210, '0 1 1024B 0us')).toEqual([LAST_IN])
    expect(paused(196, '0 1 1024B 0us')).toEqual([HEADER_IN])
  })
})

describe('the buffer', () => {
  const buffer = (bytes: string): string => `buffer: {kind: input-queued, portBuffer: 240KB, xoff: ${bytes}}`

  test('is charged with the header, so that the frame that crosses XOFF pauses its sender then', () => {
    const { pauses } = alone(STAR, `, ${buffer('1000B')}`)
    // Charged and released at one instant: a pause, and the resume behind it.
    expect(pauses).toEqual([
      { node: 0, isPause: true, ps: HEADER_IN + HEADER + US },
      { node: 0, isPause: false, ps: HEADER_IN + 2 * HEADER + US },
    ])
    expect(alone(row(40, 100), `, ${buffer('1000B')}`).pauses[0]?.ps).toBe(SLOW + US + SLOW_HEADER + US)
    expect(alone(STAR, `, ${buffer('2000B')}`).pauses).toEqual([])
  })

  test('holds a frame that is stored from its header on, until it leaves', () => {
    const usedBytes = (untilPs: number): number =>
      watch(`${STAR}\n${cut()}\n${ONE}`, untilPs, { node: HUB, towards: 1, quanta: 300 }).built.network.switches[HUB]!
        .buffer.usedBytes
    expect([HEADER_IN - 1, HEADER_IN, LAST_IN, 300 * 5120 - 1, 300 * 5120].map(usedBytes)).toEqual([
      0, 1086, 1086, 1086, 0,
    ])
  })

  test('holds no bytes of a frame that goes on, unless they are released at the end', () => {
    const usedBytes = (more: string): number =>
      watch(`${STAR}\n${cut(more)}\n${ONE}`, HEADER_IN + 1).built.network.switches[HUB]!.buffer.usedBytes
    expect([usedBytes(''), usedBytes(', release: end')]).toEqual([0, 1086])
  })

  test('that refuses a frame does so with its header', () => {
    const { losses } = watch(
      `${STAR}\n${cut(', buffer: {kind: input-queued, portBuffer: 1000B, xoff: 900B}')}\n${ONE}`,
      3 * US,
    )
    expect(losses).toEqual([{ node: HUB, reason: 'buffer full', ps: HEADER_IN }])
  })
})

test('a PFC frame is received with its last bit, however short `header` is', () => {
  const buffer = 'buffer: {kind: input-queued, portBuffer: 240KB, xoff: 1000B}'
  const text = `${row(100, 100, 100)}\nswitch: {forwarding: {kind: cut-through, header: 14B}, ${buffer}}\n${ONE}`
  const headerIn = 34 * 80 + US
  // The second switch crosses XOFF and pauses the first.
  const [reported] = watch(text, 20 * US).pauses.filter(({ node }) => node === 2)
  expect(reported).toEqual({ node: 2, isPause: true, ps: 2 * headerIn + HEADER + US })
})

test('a PFC frame on a link that goes down is lost, also where it began just before', () => {
  const buffer = 'buffer: {kind: input-queued, portBuffer: 240KB, xoff: 1000B}'
  const begunPs = 2 * (34 * 80 + US)
  const heardPs = (cutPs: number): number[] => {
    const fault = `faults: [{kind: link-down, links: 2-3, down: ${cutPs}ps, up: ${cutPs + 1}ps}]`
    const text = `${row(100, 100, 100)}\nswitch: {forwarding: {kind: cut-through, header: 14B}, ${buffer}}\n${ONE}\n${fault}`
    return watch(text, 20 * US)
      .pauses.filter(({ node, isPause }) => node === 2 && isPause)
      .map(({ ps }) => ps)
  }
  // Its header of 14 bytes would have taken 50 of 64 bytes less, 4 ns.
  expect(heardPs(begunPs + 1000)).toEqual([])
  expect(heardPs(begunPs + HEADER + US + 1)).toEqual([begunPs + HEADER + US])
})

test('telemetry has the time when each switch began to forward the frame', () => {
  const exact = ', telemetry: {timeUnit: 1ps, sentUnit: 1B, queueUnit: 1B}'
  const { arrivals } = watch(`${row(100, 100, 100, 100)}\n${cut(exact)}\ncongestion: hpcc\n${ONE}`, 20 * US)
  expect(arrivals.map(({ leftPs }) => leftPs)).toEqual([[HEADER_IN, 2 * HEADER_IN, 3 * HEADER_IN]])
})

describe('a frame that is damaged on the path', () => {
  const damage = 'faults: [{kind: corruption, bitErrorRatio: 1, links: "0>2"}]'
  const lost = (network: string, more = '', pause?: GivenPause) =>
    watch(`${network}\n${cut(more)}\n${damage}\n${ONE}`, 5 * US, pause).losses[0]

  test('goes on and is lost at the host, with its last bit', () => {
    expect(lost(row(100, 100))).toEqual({ node: 1, reason: 'FCS error', ps: HEADER_IN + FRAME + US })
    expect(lost(row(100, 100, 100))).toEqual({ node: 1, reason: 'FCS error', ps: 2 * HEADER_IN + FRAME + US })
  })

  test('is lost at the first switch that stores it', () => {
    const last = { reason: 'FCS error', ps: LAST_IN }
    expect(lost(row(100, 100), '', { node: 2, towards: 1, quanta: 300 })).toEqual({ node: 2, ...last })
    expect(lost(row(100, 100, 400))).toEqual({ node: 3, reason: 'FCS error', ps: HEADER_IN + LAST_IN })
    expect(lost(row(40, 100))).toEqual({ node: 2, reason: 'FCS error', ps: SLOW + US })
  })

  test('leaves no bytes behind in the switch', () => {
    const { built } = watch(`${row(100, 100)}\n${cut()}\n${damage}\n${ONE}`, LAST_IN, {
      node: 2,
      towards: 1,
      quanta: 300,
    })
    expect(built.network.switches[2]!.buffer.usedBytes).toBe(0)
  })
})

test('a frame that is lost on the link is counted when its header would have arrived', () => {
  const loss = 'faults: [{kind: bernoulli, probability: 1, links: "0>2", packets: data}]'
  const { losses } = watch(`${row(100, 100)}\n${cut()}\n${loss}\n${ONE}`, 2 * US)
  expect(losses).toEqual([{ node: 2, reason: 'link loss', ps: HEADER_IN }])
})

describe('a link that goes down during a frame', () => {
  const cutAt = (ns: number, flow = ONE, pause?: GivenPause, link = '0-2'): Seen =>
    watch(
      `${row(100, 100)}\n${cut()}\nfaults: [{kind: link-down, links: "${link}", down: ${ns}ns}]\n${flow}`,
      5 * US,
      pause,
    )

  test('before its header has arrived: the frame is lost there', () => {
    expect(cutAt(1000).losses).toEqual([{ node: 2, reason: 'link down', ps: HEADER_IN }])
  })

  test('after its header: a truncated frame goes on, and is dropped at the host or where it is stored', () => {
    const { arrivals, losses } = cutAt(1050)
    expect(arrivals).toHaveLength(1)
    expect(losses[0]).toEqual({ node: 1, reason: 'link down', ps: HEADER_IN + FRAME + US })
    const [stored] = cutAt(1050, ONE, { node: 2, towards: 1, quanta: 300 }).losses
    expect(stored).toEqual({ node: 2, reason: 'link down', ps: LAST_IN })
  })

  test('after its last bit: the frame arrives', () => {
    // Its ACK is lost.
    expect(cutAt(1090).losses.every(({ ps }) => ps > HEADER_IN + FRAME + US)).toBe(true)
  })

  test('on the link out: the frame is lost at the end of that link', () => {
    expect(cutAt(1050, ONE, undefined, '2-1').losses[0]).toEqual({
      node: 1,
      reason: 'link down',
      ps: HEADER_IN + FRAME + US,
    })
  })

  test('whose record has been reused after a loss at its header: the new packet is not touched', () => {
    const buffer = ', buffer: {kind: input-queued, portBuffer: 1000B, xoff: 900B}'
    const text = `${STAR}\n${cut(buffer)}\nfaults: [{kind: link-down, links: "0-4", down: 1060ns}]`
    const { arrivals, losses } = watch(`${text}\n${flows('0 2 1024B 0us', '1 2 100B 1050ns')}`, 5 * US)
    expect(losses.map(({ reason }) => reason)).toEqual(['buffer full'])
    expect(arrivals.map(({ from }) => from)).toEqual([1])
  })
})

test('switches that wait for whole frames have the same events as store and forward', () => {
  const digest = (forwarding: string): string =>
    run(
      parseScenario(`
name: same
topology: {kind: leaf-spine, fabricRate: 40Gbps}
switch: {forwarding: ${forwarding}, latency: 300ns, buffer: {kind: shared-buffer, size: 1MB}}
congestion: dcqcn
faults: [{kind: corruption, bitErrorRatio: 1e-6}, {kind: link-down, links: leaf 0-spine 0, down: 30us, up: 60us}]
workload: [{kind: incast, senders: 10, receiver: 0, total: 2MB}]`),
    ).digest
  expect(digest('{kind: cut-through, header: 9216B}')).toBe(digest('store-and-forward'))
  expect(digest('{kind: cut-through, header: 64B}')).not.toBe(digest('store-and-forward'))
})
