/**
 * Notations of switch engineers: links by their length, shares of a buffer as powers of two.
 */
import { describe, expect, test } from 'vitest'
import { schemaMistakes } from '../../../../tests/support/schema-mistakes.ts'
import { InputError, formatIssue } from '../../../core/base/issue.ts'
import { graph } from '../../../core/topology/index.ts'
import { formatScenario, parseScenario, scenarioJsonSchema } from '../index.ts'

const WORK = 'workload: [{kind: permutation, messageSize: 1KB, messages: 1}]'

const mistakes = (text: string): string[] => {
  try {
    parseScenario(`name: x\n${text}\n${WORK}`)
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(formatIssue)
  }
}

describe('the delay of a cable', () => {
  const LENGTHS = `
name: lengths
topology: {kind: clos-podset, serverDelay: 5m, torLeafDelay: 40 m, leafSpineDelay: 0.3km}
switch:
  buffer:
    kind: memory-manager
    profiles: [{delay: 40m, headroom: 30KB}, {delay: 1.5us, headroom: 90KB}]
changes: [{path: switch.buffer.reserve, value: 2KB, ports: 100Gbps 40m}]
${WORK}`

  test('may be written as its length, in a scenario and on the command line, and is 5 ns a metre', () => {
    const scenario = parseScenario(LENGTHS)
    expect(scenario.topology).toMatchObject({ serverDelay: 25_000, torLeafDelay: 200_000, leafSpineDelay: 1_500_000 })
    expect(scenario.switch.buffer).toMatchObject({ profiles: [{ delay: 200_000 }, { delay: 1_500_000 }] })
    const set = parseScenario(LENGTHS, { sets: ['topology.leafSpineDelay=2km'] })
    expect(set.topology).toMatchObject({ leafSpineDelay: 10_000_000 })
    const believed = 'switch: {buffer: {kind: shared-buffer, believedDelay: 30m}}'
    const shared = parseScenario(`name: x\ntopology: {kind: star, hosts: 2, linkDelay: 300m}\n${believed}\n${WORK}`)
    expect([shared.topology, shared.switch.buffer]).toMatchObject([
      { linkDelay: 1_500_000 },
      { believedDelay: 150_000 },
    ])
  })

  test('is printed as the time that it is, and read again as the same', () => {
    const scenario = parseScenario(LENGTHS)
    expect(formatScenario(scenario)).toContain('torLeafDelay: 200ns')
    expect(parseScenario(formatScenario(scenario))).toEqual(scenario)
  })

  test('has lengths in the links of a graph, too', () => {
    const links = ['0 2 40Gbps 40m', '1 2 40Gbps 2us loss=1e-4']
    expect(
      graph.build({ nodes: 3, switches: [2], links, names: [], routes: [] }).links.map(({ delayPs }) => delayPs),
    ).toEqual([200_000, 2_000_000])
  })

  test('in other units is refused, with those that there are', () => {
    expect(mistakes('topology: {kind: star, hosts: 2, linkDelay: 130ft}')).toEqual([
      'topology.linkDelay: expected a duration with its unit, such as "2us", or a length of cable, such as "40m", received "130ft" (units are ps, ns, us, ms, s, m, km)',
    ])
    expect(mistakes('topology: {kind: graph, nodes: 3, switches: [2], links: [0 2 1Gbps 40ft, 1 2 1Gbps 1m]}')).toEqual(
      ['topology.links.0: expected a delay such as 2us, or a length of cable such as 40m, received "40ft"'],
    )
  })

  test('is the only duration with lengths: elsewhere m is no unit', () => {
    expect(mistakes('topology: {kind: star, hosts: 2}\nqp: {ackTimeout: 4m}')).toEqual([
      'qp.ackTimeout: expected a duration with its unit, such as "2us", or off, received "4m" (units are ps, ns, us, ms, s)',
    ])
  })

  test('is known to editors', () => {
    const schema = scenarioJsonSchema()
    const having = (linkDelay: string, ackTimeout: string) => ({
      name: 'x',
      topology: { kind: 'star', hosts: 2, linkDelay },
      qp: { ackTimeout },
      workload: [{ kind: 'permutation', messageSize: '1KB', messages: 1 }],
    })
    expect(schemaMistakes(schema, having('40m', '4ms'))).toEqual([])
    expect(schemaMistakes(schema, having('40ft', '4m'))).not.toEqual([])
  })
})

describe('a share of a buffer', () => {
  const alphaOf = (text: string): unknown => {
    const { buffer } = parseScenario(
      `name: x\ntopology: {kind: star, hosts: 2}\nswitch: {buffer: {kind: shared-buffer, alpha: ${text}}}\n${WORK}`,
    ).switch
    return 'alpha' in buffer ? buffer.alpha : undefined
  }
  const having = (buffer: string): string => `topology: {kind: star, hosts: 2}\nswitch: {buffer: {${buffer}}}`

  test.each([
    ['2^-3', 1 / 8],
    ['"2 ^ -6"', 1 / 64],
    ['2^0', 1],
    ['2^7', 128],
    ['1/16', 1 / 16],
  ])('alpha %s is %f', (text, alpha) => {
    expect(alphaOf(text)).toBe(alpha)
  })

  test.each(['2^-31', '3^-2', '2^-1/2', '2^'])('%s is no share', (text) => {
    expect(mistakes(having(`kind: shared-buffer, alpha: ${text}`))).toEqual([
      `switch.buffer.alpha: expected a number from 0 to 128, received "${text}"`,
    ])
  })

  test('is dynamicTh at a memory manager, as SONiC writes it', () => {
    const text = `name: x\n${having('kind: memory-manager, dynamicTh: -3')}\n${WORK}`
    expect(parseScenario(text).switch.buffer).toMatchObject({ alpha: null, dynamicTh: -3 })
  })

  test('that is written as SONiC writes it in place of alpha names the way to write it', () => {
    expect(mistakes(having('kind: shared-buffer, alpha: -3'))).toEqual([
      "switch.buffer.alpha: expected a number from 0 to 128, received -3 (SONiC's -3 is written 2^-3)",
    ])
  })
})
