/**
 * A small made-up result, for tests here and in the rooms that render results.
 */
import type { Result } from './result.ts'
import { type Column, createTable } from './table.ts'

const integers = (name: string, ...data: number[]): Column => ({ name, type: 'integer', data: Float64Array.from(data) })
const numbers = (name: string, ...data: number[]): Column => ({ name, type: 'number', data: Float64Array.from(data) })
const texts = (name: string, ...data: string[]): Column => ({ name, type: 'text', data })

/** Five flows: two measured and finished, one finished outside the window, two unfinished for different reasons. */
export function exampleResult(): Result {
  return {
    schemaVersion: 1,
    version: '0.1.0',
    scenario: { name: 'example', seed: 7, links: [{ rate: '40Gbps' }] },
    name: 'example',
    seed: 7,
    digest: '0123456789abcdef',
    partial: false,
    simulatedPs: 50_000_000,
    stalledFromPs: null,
    pauseCircle: null,
    completion: 'receiver',
    windowFromPs: 0,
    windowToPs: Infinity,
    windowPayloadBytes: 400_000,
    windowPayloadBytesByTag: { '': 300_000, incast: 100_000 },
    unposted: {},
    counters: {
      packetHops: 1000,
      events: 1700,
      dataPacketsSent: 500,
      controlPacketsSent: 100,
      payloadBytesDelivered: 400_000,
      drops: { 'buffer full': 5, 'link loss': 2 },
      dataPacketsDropped: 6,
      pauseFrames: 12,
      resumeFrames: 11,
      pausedPs: { host: 2_000_000, 'tier 1': 500_000 },
      ecnMarks: 40,
      cnps: 9,
      cnms: 0,
      rnrNaks: 0,
      trimmed: 0,
      trimmedBytes: 0,
      retransmissions: 8,
      timeouts: { 'last packet lost': 3 },
    },
    flows: createTable('flows', [
      integers('flow', 0, 1, 2, 3, 4),
      integers('source', 0, 1, 2, 0, 1),
      integers('destination', 1, 2, 0, 2, 0),
      integers('sizeBytes', 1000, 2000, 1000, 400_000, 400_000),
      integers('startPs', 1_000_000, 1_500_000, 2_000_000, 3_000_000, 4_000_000),
      numbers('receivedPs', 3_000_000, 5_500_000, 4_500_000, NaN, NaN),
      numbers('acknowledgedPs', 3_500_000, 6_000_000, 5_000_000, NaN, NaN),
      numbers('idealPs', 1_000_000, 1_000_000, 1_000_000, 80_000_000, 80_000_000),
      numbers('idealAcknowledgedPs', 1_500_000, 1_500_000, 1_500_000, 80_500_000, 80_500_000),
      integers('trafficClass', 3, 3, 3, 3, 3),
      integers('sourcePort', 49152, 49153, 49154, 49155, 49156),
      integers('destinationPort', 4791, 4791, 4791, 4791, 4791),
      integers('retransmissions', 0, 2, 0, 6, 0),
      integers('timeouts', 0, 0, 0, 3, 0),
      numbers('deliveredBytes', 1000, 2000, 1000, 300_000, 96_000),
      integers('measured', 1, 1, 0, 1, 1),
      texts('operation', 'write', 'write', 'send', 'write', 'read'),
      texts('tag', '', '', 'incast', '', ''),
      texts('status', 'finished', 'finished', 'finished', 'retry limit', 'still sending at the stop'),
    ]),
    series: [
      createTable('queue depth', [
        integers('timePs', 0, 1_000_000, 2_000_000),
        texts('nodeName', 's0', 's0', 's0'),
        integers('queueBytes', 0, 1064, 2128),
      ]),
    ],
  }
}
