import { describe, expect, test } from 'vitest'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { run } from '../index.ts'
import { headroomPlan, type PortHeadroom } from './headroom-plan.ts'
import { topologyOf } from './scenario-topology.ts'

function scenarioWith(
  more: string,
  buffer = '{kind: shared-buffer, size: 4MB}',
  topology = '{kind: star, hosts: 5, linkRate: 100Gbps, linkDelay: 500ns}',
): Scenario {
  return parseScenario(`
name: planned
topology: ${topology}
switch: {family: spc1, buffer: ${buffer}}
workload: [{kind: incast, senders: 4, receiver: 4, sizeEach: 2MB}]
${more}`)
}

const kindsOf = (scenario: Scenario): readonly PortHeadroom[] => headroomPlan(scenario, topologyOf(scenario))!.kinds

describe('each hardware term is simulated too: without it packets are lost, with it none', () => {
  const dropsOf = (scenario: Scenario): number =>
    Object.values(run(scenario).counters.drops).reduce((sum, count) => sum + count, 0)

  test.each([
    ['pfc.sendDelay', 'pfc: {sendDelay: 2us}', 'pipeline'],
    ['pfc.reactionTime', 'pfc: {reactionTime: 2us}', "peer's reaction"],
  ])('%s', (_path, more, name) => {
    const [{ strict } = { strict: undefined }] = kindsOf(scenarioWith(more))
    const term = strict!.terms.find((each) => each.name === name)!
    expect(term.bytes).toBe(25_000)
    const withHeadroom = (bytes: number): Scenario =>
      scenarioWith(more, `{kind: shared-buffer, size: 4MB, headroom: ${bytes}B}`)
    expect(dropsOf(withHeadroom(strict!.bytes))).toBe(0)
    expect(dropsOf(withHeadroom(strict!.bytes - term.bytes))).toBeGreaterThan(100)
  })

  test('cells', () => {
    const small = 'frames: {payload: 64B}'
    const managed = (headroom: string): string => `{kind: memory-manager, size: 4MB, cell: 254B, headroom: ${headroom}}`
    const [{ strict } = { strict: undefined }] = kindsOf(scenarioWith(small, managed('off')))
    const cells = strict!.terms.find(({ name }) => name === 'cells')!
    // Packets of 142 bytes in cells of 254.
    expect(cells.bytes).toBeGreaterThan(5_000)
    expect(dropsOf(scenarioWith(small, managed(`${strict!.bytes}B`)))).toBe(0)
    expect(dropsOf(scenarioWith(small, managed(`${strict!.bytes - cells.bytes}B`)))).toBeGreaterThan(100)
  })
})

describe('kinds of ports', () => {
  test('the default headroom is the exact sum and its rounding; the sum of the hardware stands beside it', () => {
    const [kind, ...others] = kindsOf(scenarioWith(''))
    expect(others).toEqual([])
    expect(kind).toMatchObject({
      ports: 5,
      node: 'switch',
      peer: 'host 0',
      family: 'spc1',
      givenBytes: kind!.roundedBytes,
    })
    expect(kind!.roundedBytes - kind!.strict.bytes).toBeGreaterThanOrEqual(0)
    expect(kind!.asic!.bytes).toBeGreaterThan(kind!.strict.bytes)
  })

  test.each(['{kind: shared-buffer, size: 400MB}', '{kind: memory-manager, size: 400MB}'])(
    'several lossless classes: refreshes and resumes of the others may go first, and the default is enough (%s)',
    (buffer) => {
      const at = (classes: string, metres: number): PortHeadroom =>
        kindsOf(
          scenarioWith(`pfc: {classes: ${classes}}`, buffer, `{kind: star, hosts: 5, linkDelay: ${metres * 5000}ps}`),
        )[0]!
      const pauses = (classes: string): number | undefined =>
        at(classes, 40).strict.terms.find(({ name }) => name === 'pause frames')?.bytes
      expect([pauses('[3]'), pauses('[3, 4]'), pauses('[0, 1, 2, 3, 4, 5, 6, 7]')]).toEqual([84, 3 * 84, 15 * 84])
      for (let metres = 1; metres < 400; metres += 7) {
        const { strict, givenBytes } = at('[0, 1, 2, 3, 4]', metres)
        expect(givenBytes).toBeGreaterThanOrEqual(strict.bytes)
      }
    },
  )

  test('headroomFormula=hardware keeps what the family needs', () => {
    const [kind] = kindsOf(scenarioWith('', '{kind: shared-buffer, size: 4MB, headroomFormula: hardware}'))
    expect(kind!.givenBytes).toBe(kind!.asic!.bytes)
  })

  test('a peer that reacts later is another kind, with its own sum', () => {
    const kinds = kindsOf(scenarioWith('changes: [{path: pfc.reactionTime, value: 1us, nodes: host 2}]'))
    expect(kinds.map(({ ports, strict }) => [ports, strict.bytes - kinds[0]!.strict.bytes])).toEqual([
      [4, 0],
      [1, expect.closeTo(12_500, -3)],
    ])
  })

  test('without PFC there is no plan', () => {
    const scenario = scenarioWith('pfc: {classes: []}')
    expect(headroomPlan(scenario, topologyOf(scenario))).toBeNull()
  })
})

test('hardware headroom without a family is a mistake', () => {
  const text = 'switch: {buffer: {kind: shared-buffer, headroomFormula: hardware}}'
  expect(() =>
    parseScenario(`
name: nameless
topology: {kind: star, hosts: 2}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
${text}`),
  ).toThrow(/switch\.family: expected the family that headroomFormula=hardware computes headroom for/)
})
