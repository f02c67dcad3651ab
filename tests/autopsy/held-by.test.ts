/**
 * Columns heldBy... of flows: the origin of most of the waits, up to the end that the run measures; in files too.
 */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import {
  flowsOfMessages,
  numbersOf,
  partsOf,
  readCsv,
  type Result,
  spansOf,
  tableOfKind,
  textsOf,
  writeCsv,
  writeParquet,
} from '../../src/core/results/index.ts'
import { readFlows } from '../../src/core/results/stored/table.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const resultOf = (completion: string): Result =>
  run(
    parseScenario(`
name: held
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 50Gbps}
congestion: dcqcn
qp: {ackTimeout: 320us}
switch: {buffer: {kind: shared-buffer, size: 600KB}}
changes: [{path: nic.receive, nodes: host 5, value: {kind: pipeline, busRate: 5Gbps}}]
faults: [{kind: bernoulli, probability: 0.01, packets: both, links: "host 2"}]
workload:
  - {kind: poisson, load: 0.4, sizes: {kind: fixed, size: 32KB}}
  - {kind: trace, flows: ["1 5 64KB 10us op=read", "5 1 64KB 10us op=read"]}
measure: {generate: 500us, completion: ${completion}}
observe: [{kind: autopsy, acks: true}]
`),
  )

/** Flow by flow: origin of most of the waits, how much of them that is, and their sum. */
function recounted({ flows, series, completion }: Result): { by: string; ps: number; share: number }[] {
  const table = tableOfKind({ series }, 'autopsy/origins')!
  const waits = partsOf(completion).filter(({ isWait }) => isWait)
  const columns = new Set(waits.map(({ column }) => column))
  const sums = Array.from({ length: flows.rowCount }, () => new Map<string, number>())
  const [parts, kinds, names] = ['part', 'kind', 'origin'].map((name) => textsOf(table, name))
  flowsOfMessages(flows, table).forEach((flow, row) => {
    if (!columns.has(parts![row]!)) return
    const origin = `${kinds![row]!} ${names![row]!}`
    sums[flow]!.set(origin, (sums[flow]!.get(origin) ?? 0) + numbersOf(table, 'spanPs')[row]!)
  })
  const spans = waits.map((part) => spansOf({ flows }, part))
  return sums.map((byOrigin, row) => {
    const [by, ps] = [...byOrigin].toSorted((a, b) => b[1] - a[1])[0] ?? ['', 0]
    return { by, ps, share: ps === 0 ? 0 : ps / spans.reduce((sum, of) => sum + of[row]!, 0) }
  })
}

test.each(['receiver', 'sender'])('who held a flow longest, up to its completion at the %s', async (completion) => {
  const result = resultOf(completion)
  const expected = recounted(result)
  const stored = [
    result.flows,
    await readFlows(writeParquet(result.flows), 'flows.parquet'),
    readCsv('flows', writeCsv(result.flows)),
  ]
  for (const flows of stored) {
    const [kinds, names] = [textsOf(flows, 'heldByKind'), textsOf(flows, 'heldBy')]
    const [ps, share] = [numbersOf(flows, 'heldByPs'), numbersOf(flows, 'heldByShare')]
    // Origins that held equally long are in no order.
    const found = expected.map((_, row) => ({ ps: ps[row]!, share: share[row]! }))
    expect(found).toEqual(expected.map((one) => ({ ps: one.ps, share: one.share })))
    expect(names.filter((name, row) => `${kinds[row]!} ${name}`.trim() !== expected[row]!.by)).toEqual([])
    expect(Math.max(...share)).toBeLessThanOrEqual(1)
    expect(names).toContain('host 5')
    expect(names.some((name) => name.startsWith('host 2 port 1 to') || name.endsWith('to host 2'))).toBe(true)
  }
})

test('only the way of the ACK makes the two ends differ', () => {
  const [receiver, sender] = [resultOf('receiver'), resultOf('sender')]
  const waitOf = (result: Result): number =>
    partsOf(result.completion)
      .filter(({ isWait }) => isWait)
      .reduce((sum, part) => sum + spansOf(result, part).reduce((total, ps) => total + ps, 0), 0)
  const ackPs = partsOf('sender')
    .slice(partsOf('receiver').length)
    .filter(({ isWait }) => isWait)
    .reduce((sum, part) => sum + spansOf(sender, part).reduce((total, ps) => total + ps, 0), 0)
  expect(ackPs).toBeGreaterThan(0)
  expect(waitOf(sender) - waitOf(receiver)).toBe(ackPs)
})
