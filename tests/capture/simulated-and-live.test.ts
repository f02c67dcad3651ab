/**
 * The same losses in the simulator and between two live endpoints, whose frames are recorded: both captures decode to the same
 * findings, and have the same PSNs in the same order.
 */
import { describe, expect, test } from 'vitest'
import { Decoder } from '../../src/live/decode/index.ts'
import { run } from '../../src/lab/index.ts'
import { IPV4, Pipe } from '../../src/live/peer/pipe.test-bench.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { CaptureReader, type CaptureRecord, dissect } from '../../src/core/wire/index.ts'

const PACKETS = 8
const MTU = 1024
const DELAY_PS = 10e6

interface Story {
  /** Those of the data, from the first PSN. */
  readonly psns: readonly number[]
  readonly ids: readonly string[]
}

function storyOf(records: readonly CaptureRecord[]): Story {
  const psns: number[] = []
  const decoder = new Decoder({
    observer: {
      onPacket: ({ roce: { payloadBytes }, psn }) => {
        if (payloadBytes > 0) psns.push(psn)
      },
    },
  })
  for (const record of records) decoder.add(record)
  const facts = { format: 'pcapng', interfaces: [''], startNs: 0n, recordCount: records.length } as const
  const decoded = decoder.end({ ...facts, unreadable: new Map(), lostByCapture: null, damage: null })
  // How packets are marked is not what is compared.
  const ids = decoded.findings.map(({ id }) => id).filter((id) => !/dscp-zero|not-ect/.test(id))
  return { psns: psns.map((psn) => (psn - psns[0]! + 2 ** 24) % 2 ** 24), ids: ids.toSorted() }
}

function simulated(n: number): Story {
  const result = run(
    parseScenario(`name: pair
topology: {kind: star, hosts: 2, linkRate: 100Gbps, linkDelay: 10us}
pfc: {classes: []}
congestion: none
frames: {payload: ${MTU}B}
qp: {ackTimeout: 1ms, ackInterval: 16}
faults: [{kind: every-nth, n: ${n}, packets: data, links: "host 0"}]
workload: [{kind: trace, flows: ["0 1 ${PACKETS * MTU}B 0us"]}]
observe: [{kind: capture, ports: "host 0:1"}]
`),
  )
  const records: CaptureRecord[] = []
  const reader = new CaptureReader((record) => records.push(record))
  reader.push(result.attachments![0]!.data)
  reader.end()
  return storyOf(records)
}

/** As the client's port sees it. @param isFailing the client gives up after its retries */
function live(n: number, isFailing = false): Story {
  const records: CaptureRecord[] = []
  let data = 0
  const plan = { program: 'ib_write_bw' as const, sizeBytes: PACKETS * MTU, iterations: 1, pairs: 1, mtuBytes: MTU }
  const pipe: Pipe = new Pipe({ ...plan, memoryBytes: 65_536, receives: 100 }, IPV4, (bytes, from) => {
    const timePs = pipe.nowPs + (from === 0 ? 0 : DELAY_PS)
    const one = { port: 0, link: 'ethernet' as const, timePs, sizeBytes: bytes.length, bytes: bytes.slice() }
    records.push({ ...one, hasCrcError: false, comment: '' })
    const frame = dissect(bytes, 'ethernet')
    return frame.kind === 'roce' && frame.payloadBytes > 0 && ++data % n === 0 ? [] : [0]
  })
  pipe.run()
  expect([pipe.isDone, pipe.sessions[0].failure !== null]).toEqual([!isFailing, isFailing])
  return storyOf(records.toSorted((a, b) => a.timePs - b.timePs))
}

describe('every n-th data packet is lost', () => {
  test.each([4, 5, 6, 7])('n = %i', (n) => {
    const story = simulated(n)
    expect(story.ids).not.toEqual([])
    expect(live(n)).toEqual(story)
  })

  // The train that is sent again is as long as the period of the losses, or a multiple of it: each time the same packet is lost.
  test('n = 8: the last packet is lost in each train of eight, until retries are used up', () => {
    const story = simulated(8)
    expect(story.psns).toHaveLength(8 * PACKETS)
    expect(live(8, true)).toEqual(story)
  })

  test.each([2, 3])('n = %i: PSN 2 is the first of a train of six, and never arrives', (n) => {
    const stories = [simulated(n), live(n, true)]
    for (const { psns, ids } of stories) {
      expect(psns.slice(-12)).toEqual([2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7])
      expect(ids).toContain('capture-retransmission-timeout')
    }
    // A receiver of the simulator refuses anew after each timeout, a live one, as Linux, once until it makes progress.
    expect(stories.map(({ ids }) => ids.includes('capture-peer-silent'))).toEqual([false, true])
  })

  test('or none is', () => {
    expect(live(1000)).toEqual({ psns: [0, 1, 2, 3, 4, 5, 6, 7], ids: [] })
    expect(simulated(1000)).toEqual(live(1000))
  })
})
