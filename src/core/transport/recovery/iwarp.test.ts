import { describe, expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { frameSizes } from '../../../lab/network/frames.ts'
import { numbersOf, type Result, textsOf } from '../../results/index.ts'
import { InputError } from '../../base/issue.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { dataFrameBytes } from '../endpoint.ts'
import { FIRST, RETH, SEND } from '../segment.ts'

const text = (more: string): string => `
name: iwarp
topology: {kind: star, hosts: 3, linkRate: 40Gbps, linkDelay: 2us}
workload: [{kind: trace, flows: ["0 2 1MB 0us", "1 2 1MB 0us op=send"]}]
${more}`
const framesWith = (recovery: string, more = '') =>
  frameSizes(parseScenario(text(`recovery: {kind: iwarp, ${recovery}}\n${more}`)))

describe('frames', () => {
  test('of 1024 bytes: 1102 tagged, 1106 untagged, and the first packet of a WRITE as all others', () => {
    const frames = framesWith('')
    expect([0, FIRST | RETH, SEND].map((flags) => dataFrameBytes(frames, 1024, flags))).toEqual([1102, 1102, 1106])
    expect([frames.dataOverheadBytes, frames.writeOverheadBytes]).toEqual([78, 0])
  })

  test('have MPA, DDP and RDMAP between TCP and the payload, where those of RoCE have UDP, BTH and a checksum', () => {
    const ethernet = 14 + 4
    const ipTcp = 20 + 20
    // MPA: length and CRC; DDP and RDMAP: a control byte each, and the tag and offset of DDP (RFC 5040, 5041, 5044).
    const layers = 2 + 4 + (1 + 1) + (4 + 8)
    expect(dataFrameBytes(framesWith(''), 1024, 0)).toBe(1024 + layers + ipTcp + ethernet)
    const roce = frameSizes(parseScenario(text('recovery: go-back-n')))
    expect(dataFrameBytes(roce, 1024, 0)).toBe(1024 + (12 + 4) + (20 + 8) + ethernet)
  })

  test('1440 bytes fill an Ethernet frame to the last byte', () => {
    expect(dataFrameBytes(framesWith('', 'frames: {payload: 1440B}'), 1440, RETH)).toBe(1518)
  })

  test('short packets are padded to four bytes', () => {
    const frames = framesWith('')
    expect([8, 9, 12, 13].map((payload) => dataFrameBytes(frames, payload, 0))).toEqual([86, 90, 90, 94])
  })

  test('of ACKs hold no more than TCP, with the option where they name a packet; READ requests are untagged', () => {
    const { ackBytes, sackAckBytes, readRequestBytes } = framesWith('')
    expect([ackBytes, sackAckBytes, readRequestBytes]).toEqual([58, 70, 110])
  })

  test('timestamps are 12 bytes in every segment, markers 4 in every 512 of the stream', () => {
    const frames = framesWith('timestamps: true')
    expect([dataFrameBytes(frames, 1024, 0), frames.ackBytes, frames.sackAckBytes]).toEqual([1114, 70, 82])
    expect(dataFrameBytes(framesWith('markers: true'), 1024, 0)).toBe(1110)
  })

  test('of plain TCP have the payload behind 40 bytes of headers', () => {
    const frames = framesWith('framing: tcp')
    expect([0, RETH, SEND].map((flags) => dataFrameBytes(frames, 1001, flags))).toEqual([1059, 1059, 1059])
    expect(dataFrameBytes(frames, 1, 0)).toBe(64)
  })

  test('carry a VLAN tag and what every packet carries, as those of RoCE', () => {
    const frames = framesWith('', 'classes: {classify: pcp}\nframes: {everyOverhead: 8B}')
    expect([dataFrameBytes(frames, 1024, 0), frames.ackBytes, frames.readRequestBytes]).toEqual([1114, 62, 114])
  })
})

describe('a scenario', () => {
  const issuesOf = (more: string): string[] => {
    try {
      parseScenario(text(`recovery: iwarp\n${more}`))
      return []
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return error.issues.map((issue) => `${issue.path}: ${issue.expected}, got ${issue.received}`)
    }
  }

  test('may name no other congestion control', () => {
    expect(issuesOf('')).toEqual([])
    expect(issuesOf('congestion: aimd')).toEqual([
      'congestion: a congestion control that sets neither rate nor window, as iwarp needs sole control, got aimd',
    ])
  })

  test('has an ACK for every packet, and no RNR NAKs', () => {
    expect(issuesOf('qp: {ackInterval: 4, receiveQueue: 2}').toSorted()).toEqual([
      'qp.ackInterval: 1, as iwarp needs per-packet ACKs, got 4',
      'qp.receiveQueue: off, as iwarp has no RNR NAK, got 2',
    ])
  })
})

const finished = (result: Result): boolean => textsOf(result.flows, 'status').every((status) => status === 'finished')

describe('in a network', () => {
  test('a short flow alone takes its ideal time, all headers counted', () => {
    const result = run(
      parseScenario(text('recovery: iwarp').replace(/flows: .*/, 'flows: ["0 2 4KB 0us", "1 0 3000B 0us op=send"]}]')),
    )
    const [start, received, ideal] = ['startPs', 'receivedPs', 'idealPs'].map((name) => numbersOf(result.flows, name))
    for (const row of [0, 1]) expect(received![row]! - start![row]!).toBe(ideal![row])
  })

  test.each(['sack', 'newreno'])('without PFC two flows overrun a buffer, and %s recovers', (flavour) => {
    const result = run(
      parseScenario(
        text(`recovery: {kind: iwarp, flavour: ${flavour}}\npfc: {classes: []}
switch: {buffer: {kind: input-queued, portBuffer: 60KB, xoff: 60KB}}`),
      ),
      { check: true },
    )
    expect(finished(result)).toBe(true)
    expect(result.counters.pauseFrames).toBe(0)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(result.counters.retransmissions).toBeGreaterThan(0)
  })

  test('in a lossy class it is not paused while the lossless class beside it may be', () => {
    const result = run(
      parseScenario(
        text(`recovery: {kind: iwarp, framing: tcp}
classes: {data: 0, ackAtHost: 0, ackAtSwitch: 0}
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: 200KB}}`),
      ),
      { check: true },
    )
    expect(finished(result)).toBe(true)
    expect(result.counters.pauseFrames).toBe(0)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
  })

  test('a lost packet is found by its timeout though no timeout is set', () => {
    const result = run(parseScenario(text('recovery: iwarp\nfaults: [{kind: every-nth, n: 3, links: "0>3"}]')))
    expect(finished(result)).toBe(true)
  })

  test('on a link that is down for good the QP fails after its retries', () => {
    const result = run(parseScenario(text('recovery: iwarp\nfaults: [{kind: link-down, links: "2-3", down: 100us}]')))
    expect([...new Set(textsOf(result.flows, 'status'))]).toEqual(['retry limit reached'])
  })
})
