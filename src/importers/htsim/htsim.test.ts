import { describe, expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { htsim } from './htsim.ts'
import { adapted, assumed, found } from '../findings.test-bench.ts'
import type { Branch, ImportInput } from '../importer.ts'
import { edited, sample, SAMPLES } from '../samples.test-files.ts'

const importing = (input: ImportInput) => htsim.import(input)

function refusal(input: ImportInput): string {
  try {
    htsim.import(input)
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
  return 'none'
}

const topo = (...edits: readonly (readonly [string | RegExp, string])[]): ImportInput =>
  sample('leaf-spine.topo', {}, edited('leaf-spine.topo', ...edits))
const matrix = (text: string, options: Record<string, string> = {}): ImportInput =>
  sample('my.cm', options, { 'my.cm': text })

describe('a topology', () => {
  test('of two tiers becomes a leaf-spine, with a default workload', () => {
    const { scenario, findings } = importing(topo())
    expect(scenario).toMatchObject({
      name: 'leaf-spine',
      topology: {
        kind: 'leaf-spine',
        leaves: 4,
        spines: 2,
        hostsPerLeaf: 4,
        hostRate: '100Gbps',
        fabricRate: '100Gbps',
        hostDelay: '500ns',
        fabricDelay: '800ns',
      },
      recovery: { kind: 'go-back-n' },
      congestion: { kind: 'none' },
      switch: { latency: '0ps' },
      workload: [{ kind: 'permutation' }],
    })
    expect(findings).toContainEqual(found('read', { counts: { host: 16, ToR: 4, spine: 2 } }))
    const colour = { words: 'Colour 7', keysOf: 'a tier' }
    expect(findings).toContainEqual(found('key-unknown', colour, { file: 'leaf-spine.topo', line: 17 }))
    expect(findings).toContainEqual(assumed('transport', { congestion: 'none', payloadBytes: 4096, pfcClass: 3 }))
  })

  test('of three equal tiers becomes a fat tree', () => {
    const { scenario } = importing(sample('some.cm', { 'start-unit': 'us' }))
    expect(scenario).toMatchObject({ topology: { kind: 'fat-tree', arity: 4, linkRate: '100Gbps', linkDelay: '1us' } })
  })

  test('with bundles becomes a graph with parallel links, in the order of ports', () => {
    const { scenario, findings } = importing(sample('bundles.topo'))
    const graph = scenario['topology'] as Branch
    expect(graph).toMatchObject({ kind: 'graph', nodes: 20, switches: { length: 12 } })
    const links = graph['links'] as string[]
    expect(links).toHaveLength(8 + 8 + 16)
    expect(links.slice(8, 12)).toEqual(['8 12 200Gbps 1us', '8 13 200Gbps 1us', '9 12 200Gbps 1us', '9 13 200Gbps 1us'])
    // Aggregation switch 0 has two links each to cores 0 and 2, aggregation switch 1 to cores 1 and 3.
    expect(links.slice(16, 22)).toEqual([
      '12 16 100Gbps 1us',
      '12 16 100Gbps 1us',
      '12 18 100Gbps 1us',
      '12 18 100Gbps 1us',
      '13 17 100Gbps 1us',
      '13 17 100Gbps 1us',
    ])
    expect(findings).toContainEqual(adapted('bundles'))
  })

  test('needs exactly one space between key and value', () => {
    expect(refusal(topo(['Radix_Down 4', 'Radix_Down  4']))).toContain(
      'leaf-spine.topo:8:12: Radix_Down: expected exactly one space between key and value',
    )
  })

  test('must give every number once, in its block', () => {
    expect(refusal(topo(['Podsize 16\n', '']))).toContain(
      'leaf-spine.topo:1:1: podsize: expected podsize, received none',
    )
    expect(refusal(topo(['Radix_Down 4', 'Radix_Down 4\nRadix_Down 4']))).toContain('radix_down once (line 8)')
    expect(refusal(topo(['Radix_Up 2\n', '']))).toContain(
      'leaf-spine.topo:6:1: radix_up: expected radix_up of Tier 0, received none',
    )
    expect(refusal(topo(['Tiers 2', 'Tiers 4']))).toContain('leaf-spine.topo:3:1: tiers: expected 2 to 3, received 4')
    expect(refusal(topo(['tier 1', 'tier 9']))).toContain('Tier: expected 0 (ToR), 1 or 2, received 9')
    expect(refusal(topo(['_Gbps 100', '_Gbps fast']))).toContain('a whole number, received "fast"')
    const second = edited('bundles.topo', ['Radix_Down 4\nDownlink', 'Radix_Up 1\nRadix_Down 4\nDownlink'])
    expect(refusal(sample('bundles.topo', {}, second))).toContain('none, as Tier 2 is the top')
  })

  test('must have consistent numbers', () => {
    expect(refusal(topo(['Nodes 16', 'Nodes 18']))).toContain('Nodes / Podsize: expected a whole number')
    expect(refusal(topo(['Oversubscribed 2', 'Oversubscribed 4']))).toContain('Oversubscribed of Tier 0: expected 400')
    expect(refusal(topo(['Radix_Down 4\nDownlink_Latency_ns 800', 'Radix_Down 5\nDownlink_Latency_ns 800']))).toContain(
      'Radix_Down of Tier 1: expected 4 in leaf-spine.topo, from its other numbers, received 5',
    )
    const bundle = edited('bundles.topo', ['Bundle 2', 'Bundle 3'])
    expect(refusal(sample('bundles.topo', {}, bundle))).toContain('Radix_Up of Tier 1 / Bundle of Tier 2')
  })

  test('must have the same switch latency at all tiers', () => {
    const one = topo(
      ['Oversubscribed 2', 'Oversubscribed 2\nSwitch_Latency_ns 300'],
      ['Colour 7', 'Switch_Latency_ns 300'],
    )
    expect(importing(one).scenario).toMatchObject({ switch: { latency: '300ns' } })
    expect(refusal(topo(['Oversubscribed 2', 'Oversubscribed 2\nSwitch_Latency_ns 300']))).toContain(
      'the same at all tiers',
    )
  })

  test('with queue sizes gets a note that they are left out', () => {
    const { findings } = importing(topo(['Oversubscribed 2', 'Oversubscribed 2\nQueue_Up 100']))
    expect(findings).toContainEqual(found('not-carried-over', { names: ['Queue_Up', 'Queue_Down'] }))
  })
})

describe('a connection matrix', () => {
  test('needs the unit of its start times, and its flows are sorted by them', () => {
    expect(refusal(sample('some.cm'))).toContain(
      'some.cm:4:17: start: expected --start-unit ps or --start-unit us, received start 2.5'.replace(':17', ':1'),
    )
    const flows = (unit: string) => importing(sample('some.cm', { 'start-unit': unit })).scenario['workload']
    expect(flows('us')).toEqual([{ kind: 'trace', flows: ['0 5 2MB 0ps', '3 4 100B 2.5us', '15 0 4MB 16us'] }])
    expect(flows('ps')).toEqual([{ kind: 'trace', flows: ['0 5 2MB 0ps', '3 4 100B 3ps', '15 0 4MB 16ps'] }])
  })

  test('is combined with a topology, whichever of the two the path names', () => {
    const both = importing(sample('some.cm', { topo: 'leaf-spine.topo', 'start-unit': 'us' }))
    expect(both.scenario).toMatchObject({ topology: { kind: 'leaf-spine' }, workload: [{ kind: 'trace' }] })
    expect(importing(sample('leaf-spine.topo', { cm: 'some.cm', 'start-unit': 'us' })).scenario).toEqual(both.scenario)
    expect(importing(sample('', { topo: 'leaf-spine.topo', cm: 'some.cm', 'start-unit': 'us' })).scenario).toEqual(
      both.scenario,
    )
    expect(refusal(sample(''))).toContain('a .topo or a .cm file')
    expect(refusal(sample('some.cm', { cm: 'other.cm' }))).toContain('one connection matrix')
    expect(refusal(sample('some.cm', { topo: 'none.topo' }))).toContain(
      'none.topo: expected a topology, received no such file',
    )
  })

  test('has at most the hosts of its topology', () => {
    expect(refusal(matrix('Nodes 17\nConnections 1\n0->1 start 0 size 1\n', { topo: 'leaf-spine.topo' }))).toContain(
      'at most the 16 hosts',
    )
    expect(
      importing(matrix('Nodes 8\nConnections 1\n0->1 start 0 size 1\n', { topo: 'leaf-spine.topo' })).findings,
    ).toContainEqual(found('hosts-idle', { nodes: 8, hosts: 16 }))
    expect(refusal(matrix('Nodes 17\nConnections 1\n0->1 start 0 size 1\n'))).toContain('the size of a fat tree')
  })

  test('must have exact counts in its header', () => {
    const text = SAMPLES['some.cm'] ?? ''
    expect(refusal(matrix(text.replace('Connections 3', 'Connections 4')))).toContain(
      'Connections: expected 4 as the header of my.cm declares, received 3',
    )
    expect(refusal(matrix('Nodes 4\nConnections 0\nTriggers 1\n'))).toContain('Triggers: expected 1')
    expect(refusal(matrix('Nodes 16\nConnections 0\n'))).toContain('at least one connection')
  })

  test('has all issues of its lines reported at once', () => {
    const message = refusal(
      matrix(
        'Nodes 16\nConnections 6\n0->1 start 0\n1->2 size 5\n2->2 begin 0\n3->x start 0 size 1\n4->5 start 0 size 3000000000\nhello\n',
      ),
    )
    expect(message.split('\n')).toHaveLength(6)
    expect(message).toContain(
      'my.cm:3:1: size: expected a size in bytes, 1 or more, received none (without one, and with 0, the connection never ends in htsim; give the bytes that it is to send)',
    )
    expect(message).toContain('my.cm:4:1: start: expected a start or a trigger, received neither')
    expect(message).toContain('my.cm:5:6: expected one of start, trigger, size, id,')
    expect(message).toContain('a whole number 1 to 2147483647, received "3000000000"')
    const ends = refusal(matrix('Nodes 16\nConnections 2\n0->16 start 0 size 1\n2->2 start 0 size 1\n'))
    expect(ends).toContain('hosts 0 to 15, received "0->16"')
    expect(ends).toContain('two different hosts')
  })

  test('has one queue pair for all messages of a connection', () => {
    const { scenario, findings } = importing(sample('messages.cm'))
    expect(scenario['workload']).toEqual([
      { kind: 'trace', flows: ['0 1 4086B 0ps connection=0', '0 1 86B 0ps connection=0'] },
    ])
    expect(findings).toContainEqual(adapted('several-messages', { connections: 1 }))
  })

  test('with failures has the failed uplinks down from the start', () => {
    const { scenario } = importing(sample('failed.cm'))
    // Hosts 0-15, ToRs 16-23, aggregation switches 24-31, cores 32-35: switch 3 is the second of its pod.
    expect(scenario).toMatchObject({
      topology: { kind: 'graph' },
      faults: [{ kind: 'link-down', links: '27-35', down: '0ps' }],
    })
    const failed = (from: string, to: string) => refusal(sample('failed.cm', {}, edited('failed.cm', [from, to])))
    expect(failed('AGG', 'TOR')).toContain('switch_type: expected AGG, received TOR')
    expect(failed('switch_id 3', 'switch_id 8')).toContain('switch_id: expected 0 to 7')
    expect(failed('link_id 1', 'link_id 2')).toContain('link_id: expected 0 to 1')
  })
})

test('a test plan is refused at its first command, with a hint that names its connection matrix', () => {
  const plan = 'connection_matrices/one.cm \n!Param -end 1000\n!tailFCT 180\nconnection_matrices/bidir.cm\n!FCT a 5\n'
  expect(refusal(sample('validate.txt', {}, { 'validate.txt': plan }))).toBe(
    'validate.txt:2:1: test plan: expected a topology (.topo) or a connection matrix (.cm), received "!Param -end 1000" of a test plan, ' +
      'which is not supported (import the connection matrices it names one by one, such as connection_matrices/one.cm)',
  )
})
