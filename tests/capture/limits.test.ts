/**
 * Limits and comments of captures: ports, times, lengths, numbers of frames, and on which frames comments are.
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { VerbsPacket } from '../../src/core/verbs/packet.ts'
import { readBth } from '../../src/core/wire/bth.ts'
import { type Capture, readFrame } from '../../src/core/wire/index.ts'
import { readPcapng } from '../../src/core/wire/captures/pcapng-reader.test-data.ts'
import { FORMAT_ROCE } from '../../src/core/wire/opcodes.ts'
import { readHeaders } from '../../src/core/wire/rc-headers.ts'
import { rowsOf } from './runs.ts'
import { dissect, TSHARK } from './tshark.ts'

const SLOW = `name: limits
topology: {kind: star, hosts: 3, linkRate: 10Gbps, linkDelay: 1us}
workload: [{kind: trace, flows: ["0 2 20KB 0us", "1 2 20KB 0us"]}]
`
const TRIMMING = `name: trimming
topology: {kind: star, hosts: 9, linkRate: 40Gbps, linkDelay: 500ns}
pfc: {classes: []}
switch: {buffer: {kind: shared-buffer, size: 60KB}, trimming: {of: lossy}, strictClasses: [6]}
recovery: irn
congestion: none
qp: {ackTimeout: 200us}
workload: [{kind: incast, senders: 8, receiver: 8, sizeEach: 60KB}]
`

if (TSHARK === undefined)
  console.warn('trimmed frames as Wireshark shows them: skipped, there is no tshark on this machine')

type Row = ReturnType<typeof rowsOf>[number]

function captured(text: string, params: string): { rows: Row[]; file: Capture; data: Uint8Array; leftOut: number } {
  const result = run(parseScenario(`${text}observe: [{kind: capture, ${params}}]\n`))
  const { data } = result.attachments![0]!
  return {
    rows: rowsOf(result),
    file: readPcapng(data),
    data,
    leftOut: numbersOf(result.series[0]!, 'leftOut').at(-1)!,
  }
}

test('a frame is at a port from its first bit: 1 us later at the other end of a link of 1 us', () => {
  const { rows, file } = captured(SLOW, 'ports: "host 0:1, switch:*"')
  expect(file.interfaces.map(({ name, rateBps }) => [name, rateBps])).toEqual([
    ['host 0 port 1', 10e9],
    ...[1, 2, 3].map((port) => [`switch port ${port}`, 10e9]),
  ])
  const at = (nodeName: string, port: number, direction: string): Row[] =>
    rows.filter((row) => row.nodeName === nodeName && row.port === port && row.direction === direction)
  const [sent, arrived] = [at('host 0', 1, 'out'), at('switch', 1, 'in')]
  expect(sent).toHaveLength(20)
  expect(arrived.map(({ timePs, psn, sizeBytes }) => [timePs - 1e6, psn, sizeBytes])).toEqual(
    sent.map(({ timePs, psn, sizeBytes }) => [timePs, psn, sizeBytes]),
  )
  // 1102 bytes and 20 of preamble and gap at 10 Gb/s.
  expect(sent.slice(0, 2).map(({ timePs }) => timePs)).toEqual([0, 1122 * 800])
  expect(file.frames.map(({ timePs }) => timePs)).toEqual(rows.map(({ timePs }) => timePs))
  expect(rows.map(({ timePs }) => timePs)).toEqual(rows.map(({ timePs }) => timePs).toSorted((a, b) => a - b))
})

test('behind switches that cut through a frame arrives a delay after its first bit has left, with its header on the way', () => {
  const { rows } = captured(
    `name: row
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 1, hostRate: 10Gbps, fabricRate: 40Gbps, hostDelay: 1us, fabricDelay: 2us}
switch: {forwarding: cut-through}
workload: [{kind: trace, flows: ["0 1 3000B 0us"]}]
`,
    'ports: all',
  )
  const timesAt = (nodeName: string, port: number, direction: string): number[] =>
    rows
      .filter(
        (row) => row.nodeName === nodeName && row.port === port && row.direction === direction && row.sizeBytes > 500,
      )
      .map(({ timePs }) => timePs)
  const hops = [
    ['host 0', 1, 'leaf 0', 1, 1e6],
    ['leaf 0', 2, 'spine 0', 1, 2e6],
    ['spine 0', 2, 'leaf 1', 2, 2e6],
    ['leaf 1', 1, 'host 1', 1, 1e6],
  ] as const
  for (const [from, out, to, into, delayPs] of hops) {
    const left = timesAt(from, out, 'out')
    expect(left, from).toHaveLength(3)
    expect(timesAt(to, into, 'in'), to).toEqual(left.map((timePs) => timePs + delayPs))
  }
})

test('`from` counts, `to` does not, and the frames between are those of the whole capture', () => {
  const whole = captured(SLOW, 'ports: all').rows
  const from = whole[20]!.timePs
  const to = whole[60]!.timePs
  const part = captured(SLOW, `ports: all, from: ${from}ps, to: ${to}ps`).rows
  expect(part).toEqual(whole.filter(({ timePs }) => timePs >= from && timePs < to))
  expect(part.length).toBeGreaterThan(30)
  expect(() => captured(SLOW, 'from: 2us, to: 2us')).toThrow('after `from`')
  expect(() => captured(SLOW, 'ports: "host 7:1"')).toThrow('host 7')
})

test('`snap` keeps the first bytes and tells the length; `maxRows` keeps the first frames and counts the rest', () => {
  const { file: whole } = captured(SLOW, 'ports: all')
  const { file: cut, rows } = captured(SLOW, 'ports: all, snap: 96B')
  expect(cut.frames.map(({ bytes }) => bytes)).toEqual(whole.frames.map(({ bytes }) => bytes.subarray(0, 96)))
  expect(cut.frames.map(({ sizeBytes }) => sizeBytes)).toEqual(rows.map(({ encodedBytes }) => encodedBytes - 4))
  const few = captured(SLOW, 'ports: all, maxRows: 25')
  const left = whole.frames.length - 25
  expect([few.rows.length, few.file.frames.length, few.leftOut]).toEqual([25, 25, left])
  expect(few.file.comment).toContain(`the first 25 frames, ${left} more are left out`)
  expect(few.file.interfaces.reduce((sum, port) => sum + port.seen, 0)).toBe(whole.frames.length)
  expect(few.file.interfaces.reduce((sum, port) => sum + port.leftOut, 0)).toBe(left)
})

test('a drop is a comment at the port by which the packet came in, and nowhere else', () => {
  const lossy = `${SLOW}pfc: {classes: []}\nqp: {ackTimeout: 100us}\nswitch: {buffer: {kind: shared-buffer, size: 20KB}}\n`
  const commentsAt = (ports: string): string[] =>
    captured(lossy, `ports: "${ports}"`).rows.map(({ comment }) => comment)
  const atInputs = commentsAt('switch:1, switch:2').filter((comment) => comment !== '')
  expect(atInputs.length).toBeGreaterThan(5)
  expect(new Set(atInputs)).toEqual(new Set(['dropped here: buffer full']))
  expect(new Set(commentsAt('switch:3'))).toEqual(new Set(['']))
})

test('a link that fails: frames on it are lost on the link', () => {
  const { rows } = captured(
    `${SLOW}qp: {ackTimeout: 100us}\nfaults: [{kind: link-down, links: host 0, down: 5us, up: 20us}]\n`,
    'ports: all',
  )
  const lost = rows.filter(({ comment }) => comment.startsWith('lost'))
  expect(lost.length).toBeGreaterThan(0)
  expect(new Set(lost.map(({ direction, comment }) => `${direction} ${comment}`))).toEqual(
    new Set(['out lost on the link: link down']),
  )
  // A frame on the link when it fails, towards the host or from it.
  expect(lost.every(({ timePs }) => timePs <= 5e6)).toBe(true)
})

describe('a trimmed frame', () => {
  const { rows, data, file } = captured(TRIMMING, 'ports: "switch:*"')
  const trimmed = rows.map((row, at) => ({ ...row, at })).filter(({ comment }) => comment === 'trimmed here')

  test('has a comment where it leaves, its PSN, and 64 bytes', () => {
    expect(trimmed.length).toBeGreaterThan(10)
    const facts = trimmed.map(({ direction, port, kind, sizeBytes }) => [
      direction,
      port,
      kind.endsWith('(trimmed)'),
      sizeBytes,
    ])
    expect(facts).toEqual(trimmed.map(() => ['out', 9, true, 64]))
    expect(trimmed.every(({ at }) => file.frames[at]!.bytes.length === 60)).toBe(true)
  })

  test.skipIf(TSHARK === undefined)('is shown by Wireshark with its PSN, as cut off', () => {
    const seen = dissect(data, ['infiniband.bth.psn', '_ws.malformed'])
    const shown = trimmed.map(({ at }) => [Number(seen[at]!['infiniband.bth.psn']), seen[at]!['_ws.malformed'] !== ''])
    expect(shown).toEqual(trimmed.map(({ psn }) => [psn, true]))
  })
})

test('RTT requests leave with the data, responses come back, and each has its name', () => {
  const { rows } = captured(
    `name: probes
topology: {kind: star, hosts: 2, linkRate: 25Gbps}
congestion: ldcp-pcc
qp: {ackInterval: 16}
workload: [{kind: trace, flows: ["0 1 200KB 0us"]}]
`,
    'ports: "host 0:1"',
  )
  const probes = rows.filter(({ kind }) => kind.startsWith('RTT'))
  expect(probes.length).toBeGreaterThan(2)
  expect(new Set(probes.map(({ kind, direction }) => `${kind} ${direction}`))).toEqual(
    new Set(['RTT request out', 'RTT response in']),
  )
})

test('what becomes of the frames of a full capture is said as in one that is not', () => {
  const whole = captured(TRIMMING, 'ports: all').rows
  const few = captured(TRIMMING, 'ports: all, maxRows: 200').rows
  const textOf = (row: Row): string => JSON.stringify(row)
  const all = new Set(whole.map(textOf))
  expect(few.filter((row) => !all.has(textOf(row)))).toEqual([])
  expect([few.length, new Set(few.map(({ comment }) => comment)).size > 1]).toEqual([200, true])
})

test('the READ request of a message asks for all of it, from the buffer on, and its responses follow', () => {
  const { file } = captured(
    'topology: {kind: star, hosts: 2}\nworkload: [{kind: trace, flows: ["0 1 2500B 0us op=read"]}]\n',
    'ports: "host 0:1"',
  )
  const found = file.frames.map(({ bytes }) => {
    const frame = readFrame(bytes)!
    if (frame.kind !== 'roce') throw new Error(`a frame of kind ${frame.kind}`)
    const view = new DataView(frame.packet.buffer)
    const headers = new VerbsPacket(0)
    readHeaders(view, 0, FORMAT_ROCE, headers)
    return { ...readBth(view, 0)!, virtualAddress: headers.virtualAddress, lengthBytes: headers.lengthBytes }
  })
  // InfiniBand, table 35: RDMA READ request, response first, middle and last.
  expect(found.map(({ opcode, psn }) => [opcode, psn])).toEqual([
    [12, 0],
    [13, 0],
    [14, 1],
    [15, 2],
  ])
  expect([found[0]!.lengthBytes, found[0]!.isAckRequested]).toEqual([2500, true])
})
