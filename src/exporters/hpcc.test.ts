import { expect, test } from 'vitest'
import type { Column, Result } from '../core/results/index.ts'
import { exampleResult } from '../core/results/example.test-data.ts'
import { exportHpcc } from './hpcc.ts'
import { exporters } from './index.ts'

const integers = (name: string, ...data: number[]): Column => ({ name, type: 'integer', data: Float64Array.from(data) })

const scenario = {
  topology: {
    kind: 'graph',
    nodes: 304,
    switches: [0, ...Array.from({ length: 300 }, (_, i) => i + 2)],
    links: ['1 0 100Gbps 1us', '302 0 100Gbps 1us', '303 0 40Gbps 1us'],
  },
  frames: { payload: '952B', dataOverhead: '48B', everyOverhead: '8B' },
  workload: [{ kind: 'trace', origin: '2s', flows: [] }],
}

/** Three flows between hosts 1, 302 and 303, of which the second does not finish. */
function result(series: Result['series'] = [], acknowledgedPs = 20_000_000): Result {
  const columns = [
    integers('source', 0, 1, 1),
    integers('destination', 1, 0, 2),
    integers('sizeBytes', 999_600, 5000, 952),
    integers('startPs', 0, 1000, 13_631_000),
    { name: 'acknowledgedPs', type: 'number' as const, data: Float64Array.of(88_090_000, NaN, acknowledgedPs) },
    { name: 'receivedPs', type: 'number' as const, data: Float64Array.of(86_000_000, 9000, 19_000_000) },
    { name: 'status', type: 'text' as const, data: ['finished', 'retry limit reached', 'finished'] },
    integers('sourcePort', 10000, 10000, 10001),
    integers('destinationPort', 100, 100, 200),
  ]
  return { ...exampleResult(), scenario, flows: { name: 'flows', kind: 'flows', rowCount: 3, columns }, series }
}

test("fct.txt has finished flows in order of completion, with addresses, ports and that simulator's ideal time", () => {
  expect(exportHpcc(result())).toEqual([
    {
      path: 'fct.txt',
      // 1.6 us of propagation twice, a payload at each of two hops, all bytes at the slowest link.
      text: '0b012e01 0b012f01 10001 200 952 2000013631 6369 4466\n0b000101 0b012e01 10000 100 999600 2000000000 88090 88152\n',
    },
  ])
})

test('a flow without ACKs completes at the receiver, with a note', () => {
  const [file] = exportHpcc(result([], NaN))
  expect(file!.text.split('\n')[0]).toBe('0b012e01 0b012f01 10001 200 952 2000013631 5369 4466')
  expect(file!.note).toBe("1 flows in fct.txt have no last ACK: their completion is the receiver's")
})

test('conweave writes node ids', () => {
  const conweave = exporters.find((exporter) => exporter.name === 'conweave')
  expect(conweave?.export(result())[0]?.text.split('\n')[1]).toBe('1 302 10000 100 999600 2000000000 88090 88152')
})

test('pfc.txt is written if pauses were observed', () => {
  const log = {
    name: 'pause-log',
    kind: 'pause-log',
    rowCount: 2,
    columns: [
      integers('timePs', 3_603_000, 9_999_000),
      integers('node', 4, 34),
      integers('nodeType', 0, 1),
      integers('port', 1, 2),
      integers('type', 1, 0),
      integers('leftOut', 0, 0),
    ],
  }
  expect(exportHpcc(result([log]))[1]).toEqual({ path: 'pfc.txt', text: '2000003603 4 0 1 1\n2000009999 34 1 2 0\n' })
  const [, ...rest] = log.columns.toReversed()
  const cut = { ...log, columns: [...rest, integers('leftOut', 0, 326)] }
  expect(exportHpcc(result([cut]))[1]!.note).toMatch(/first 2 of 328 PFC frames/)
})

test('a host with several ports has one node and one address, and a pause is at the port of its link', () => {
  const links = ['0 2 100Gbps 1us', '0 3 100Gbps 1us', '1 3 40Gbps 1us', '2 3 100Gbps 5us']
  const topology = { kind: 'graph', nodes: 4, switches: [2, 3], links }
  const flows = [integers('source', 0, 1), integers('destination', 1, 0), integers('sizeBytes', 952, 952)]
  const times = [integers('startPs', 0, 0), integers('acknowledgedPs', 9_000_000, 9_500_000)]
  const rest = [
    integers('receivedPs', 8_000_000, 8_500_000),
    integers('sourcePort', 1, 2),
    integers('destinationPort', 3, 4),
  ]
  const status = { name: 'status', type: 'text' as const, data: ['finished', 'finished'] }
  // Node 4 is the second port of host 0; the node itself has one port.
  const log = [integers('timePs', 1000, 2000, 3000), integers('node', 0, 4, 3), integers('nodeType', 0, 0, 1)]
  const logged = [...log, integers('port', 1, 1, 2), integers('type', 1, 1, 0), integers('leftOut', 0, 0, 0)]
  const files = exportHpcc({
    ...result([{ name: 'pause-log', kind: 'pause-log', rowCount: 3, columns: logged }]),
    scenario: { ...scenario, topology },
    flows: { name: 'flows', kind: 'flows', rowCount: 2, columns: [...flows, ...times, ...rest, status] },
  })
  expect(files.map(({ text }) => text)).toEqual([
    // Through switch 3, which both hosts are connected to: 2 us of propagation twice, a payload at each hop, all bytes at 40 Gb/s.
    '0b000001 0b000101 1 3 952 2000000000 9000 4466\n0b000101 0b000001 2 4 952 2000000000 9500 4466\n',
    '2000000001 0 0 1 1\n2000000002 0 0 2 1\n2000000003 3 1 2 0\n',
  ])
})

test('a host of a rails topology, whose ports are consecutive nodes, has one node and one address', () => {
  const topology = { kind: 'rails', rails: 2, groups: 1, hostsPerGroup: 2, spines: 0 }
  const log = [
    integers('timePs', 1000, 2000),
    integers('node', 3, 5),
    integers('nodeType', 0, 1),
    integers('port', 1, 2),
  ]
  const flows = result().flows
  const [source, destination, ...columns] = flows.columns
  const files = exportHpcc({
    ...result([
      {
        name: 'pause-log',
        kind: 'pause-log',
        rowCount: 2,
        columns: [...log, integers('type', 1, 0), integers('leftOut', 0, 0)],
      },
    ]),
    scenario: { ...scenario, topology },
    flows: {
      ...flows,
      columns: [
        { ...source!, data: Float64Array.of(0, 1, 1) } as Column,
        { ...destination!, data: Float64Array.of(1, 0, 0) } as Column,
        ...columns,
      ],
    },
  })
  // Hosts are the nodes 0 and 2 of their first ports; node 3 is the second port of the other host.
  expect(files[0]!.text.split('\n')[1]).toBe('0b000001 0b000201 10000 100 999600 2000000000 88090 88152')
  expect(files[1]!.text).toBe('2000000001 2 0 2 1\n2000000002 5 1 2 0\n')
})
