import { describe, expect, test } from 'vitest'
import { formatIssue, InputError } from '../../../core/base/issue.ts'
import { none } from '../../../core/transport/congestion/none.ts'
import { goBackN } from '../../../core/transport/recovery/go-back-n.ts'
import type { Needs, SchemeDefinition } from '../../../core/transport/scheme.ts'
import { parseScenario } from '../parse.ts'
import { NEEDS, type SchemePair } from './needs.ts'
import { refusalsOf } from './scheme-needs.ts'

const TEXT = 'name: small\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: incast, senders: 2}]\n'

/** Messages for a scenario with these settings; empty when it is sound. */
function withSets(...sets: string[]): string[] {
  try {
    parseScenario(TEXT, { sets })
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    // Issues without their file are shorter.
    return error.issues.map((issue) => formatIssue({ ...issue, file: undefined as never }))
  }
}

describe('unmet needs are reported with the setting that meets them', () => {
  test('ECN needs switches that mark the class of the data, and marks echoed in the form that the scheme reads', () => {
    expect(withSets('congestion=dcqcn', 'switch.ecn.classes=[]')).toEqual([
      'switch.ecn.classes: expected a class of data such as 3, as dcqcn needs ECN, received an empty list (set switch.ecn.classes=[3])',
    ])
    expect(withSets('congestion=dcqcn', 'switch.ecn.classes=[5]')).toEqual([
      'switch.ecn.classes: expected a class of data such as 3, as dcqcn needs ECN, received [5] (set switch.ecn.classes=[5, 3])',
    ])
    expect(withSets('congestion=dcqcn', 'switch.ecn.classes=[5]', 'workload.0.trafficClass=5')).toEqual([])
    expect(withSets('congestion=dctcp')).toEqual([
      'qp.ecnEcho: expected ack, as dctcp needs ECN and reads marks in ACKs, received cnp (set qp.ecnEcho=ack)',
    ])
    expect(withSets('congestion=dctcp', 'qp.ecnEcho=ack')).toEqual([])
  })

  test('the same need of both schemes of a queue pair is reported once', () => {
    expect(withSets('recovery=mp-rdma', 'congestion=mp-rdma', 'qp.ackInterval=0')).toEqual([
      'qp.ecnEcho: expected ack, as mp-rdma needs ECN and reads marks in ACKs, received cnp (set qp.ecnEcho=ack)',
      'qp.ackInterval: expected 1, as mp-rdma needs per-packet ACKs, received 0 (set qp.ackInterval=1)',
    ])
  })

  test('messages name the classes that lines of a trace use', () => {
    const trace = (...flows: string[]): string[] =>
      ['switch.ecn.classes=[]', 'switch.qcn.classes=[]'].flatMap((classes, i) =>
        withSets(
          `congestion=${['dcqcn', 'qcn'][i]}`,
          classes,
          `workload=[{kind: trace, flows: ${JSON.stringify(flows)}}]`,
        ),
      )
    const [one = '', two = ''] = trace('0 1 1KB 0us', '1 2 1KB 0us')
    expect(one).toContain('a class of data such as 3, as dcqcn needs ECN')
    expect(one).toContain('set switch.ecn.classes=[3]')
    expect(two).toContain('set switch.qcn.classes=[3]')
    const [several = ''] = trace('0 1 1KB 0us class=4', '1 2 1KB 0us tag=x class=1', '1 2 1KB 1us class=4')
    expect(several).toContain('a class of data such as 4 or 1, as dcqcn needs ECN')
    expect(several).toContain('set switch.ecn.classes=[4, 1]')
    // Marking counts if it affects at least one line of the trace.
    const marked = (line: string): string[] =>
      withSets('congestion=dcqcn', 'switch.ecn.classes=[3]', `workload=[{kind: trace, flows: [${line}]}]`)
    expect(marked('0 1 1KB 0us class=1')[0]).toContain('set switch.ecn.classes=[3, 1]')
    expect(marked('0 1 1KB 0us class=1, 1 2 1KB 0us')).toEqual([])
    expect(
      withSets('congestion=ldcp', 'qp.ecnEcho=ack', 'workload=[{kind: trace, flows: [0 1 1KB 0us]}]')[0],
    ).toContain('switch.wred.classes: expected a class of data such as 3, as ldcp needs WRED')
  })

  test('CNPs can be replaced by marks in ACKs only where there are ACKs', () => {
    expect(withSets('congestion=dcqcn', 'qp.ecnEcho=ack', 'qp.ackInterval=0')).toEqual([
      'qp.ecnEcho: expected cnp where there are no ACKs, as dcqcn needs CNPs, received ack (set qp.ecnEcho=cnp)',
    ])
    expect(withSets('congestion=dcqcn', 'qp.ackInterval=0')).toEqual([])
    expect(withSets('congestion=dcqcn', 'qp.ecnEcho=ack')).toEqual([])
  })

  test('per-packet ACK needs ACKs for all packets, timestamps for some', () => {
    expect(withSets('congestion=dctcp-rate', 'qp.ecnEcho=ack', 'qp.ackInterval=4')).toEqual([
      'qp.ackInterval: expected 1, as dctcp-rate needs per-packet ACKs, received 4 (set qp.ackInterval=1)',
    ])
    expect(withSets('congestion=timely', 'qp.ackInterval=0')).toEqual([
      'qp.ackInterval: expected at least 1, as timely needs timestamps, which ACKs return, received 0 (set qp.ackInterval=1)',
    ])
    expect(withSets('congestion=timely', 'qp.ackInterval=4')).toEqual([])
    expect(withSets('congestion=swift', 'qp.ackInterval=0')).toHaveLength(1)
  })
})

test('LDCP needs WRED only if it sends unmarkable packets', () => {
  const wred = ['qp.ecnEcho=ack', 'switch.wred.classes=[]']
  expect(withSets('congestion=ldcp', ...wred)).toEqual([expect.stringContaining('as ldcp needs WRED')])
  expect(withSets('congestion={kind: ldcp, incapableStart: false}', ...wred)).toEqual([])
})

describe('READs', () => {
  /** Messages for a control when a READ comes from an operation or from a line of a trace. */
  const said = (congestion: string, ...sets: string[]): string[] => {
    const reading = ['workload=[{kind: incast, senders: 2, operation: read}]', `congestion=${congestion}`, ...sets]
    const traced = [
      'workload=[{kind: trace, flows: ["0 1 1KB 0us", "0 1 1KB 0us op=read tag=x"]}]',
      ...reading.slice(1),
    ]
    expect(withSets(...traced)).toEqual(withSets(...reading))
    return withSets(...reading)
  }

  test('a control that depends on ACKs is refused with go-back-n READs, with a remedy', () => {
    expect(said('timely')).toEqual([
      'qp.readAcks: expected true where there are READs, as timely needs timestamps, which ACKs return, received false (set qp.readAcks=true)',
    ])
    const echoed = ['qp.ecnEcho=ack', 'switch.wred.classes=[3]']
    for (const name of [
      'timely',
      'patched-timely',
      'dx',
      'swift',
      'aimd',
      'dctcp',
      'dctcp-rate',
      'd2tcp',
      'l2dct',
      'hpcc',
      'ldcp',
    ]) {
      expect(said(name, ...echoed), name).toEqual([
        expect.stringMatching(/qp\.readAcks: expected true .*as \S+ needs .*\(set qp\.readAcks=true\)$/),
      ])
      expect(said(name, ...echoed, 'qp.readAcks=true'), name).toEqual([])
      expect(said(name, ...echoed, 'recovery=irn'), name).toEqual([])
    }
  })

  test('DCQCN with READs is refused where ACKs replace CNPs', () => {
    expect(said('dcqcn', 'qp.ecnEcho=ack')).toEqual([
      expect.stringContaining('as dcqcn needs CNPs, which ACKs replace'),
    ])
    expect(said('dcqcn')).toEqual([])
    expect(said('dcqcn', 'qp.ecnEcho=ack', 'qp.readAcks=true')).toEqual([])
  })

  test('other operations, and controls that need no ACKs, are not refused', () => {
    for (const name of ['none', 'qcn', 'ldcp-pcc'])
      expect(said(name, 'switch.qcn.classes=[5, 3]', 'switch.ecn.classes=[3]').join(' ')).not.toContain('readAcks')
    expect(withSets('congestion=timely', 'workload=[{kind: trace, flows: ["0 1 1KB 0us tag=op=read"]}]')).toEqual([])
    expect(withSets('congestion=timely', 'workload=[{kind: incast, senders: 2, operation: send}]')).toEqual([])
  })
})

/** A copy of a scheme with other needs and offers. */
function like(scheme: SchemeDefinition, change: Partial<SchemeDefinition>): SchemeDefinition {
  return { ...scheme, ...change }
}

/** Refusals for two schemes that are not registered. */
function reported(pair: Partial<SchemePair>, known: Partial<SchemePair> = {}, sets: string[] = []): string[] {
  const scenario = parseScenario(TEXT, { sets })
  const { recovery = goBackN, congestion = none } = pair
  const listed = {
    recovery: [goBackN, ...[known.recovery ?? []].flat()],
    congestion: [none, ...[known.congestion ?? []].flat()],
  }
  return refusalsOf(scenario, { recovery, congestion }, listed).map((refusal) =>
    formatIssue({ ...refusal, path: refusal.path.join('.') }),
  )
}

describe('two schemes that do not fit each other', () => {
  const striped = like(none, { name: 'striped', needs: { multipath: true }, offers: { multipath: true } })
  const orderless = like(goBackN, { name: 'orderless', needs: { multipath: true }, offers: { multipath: true } })
  const whole = like(goBackN, { name: 'whole', needs: { soleControl: true } })

  test('a control that uses several paths needs a recovery that supports them, and vice versa', () => {
    expect(reported({ recovery: orderless, congestion: striped })).toEqual([])
    expect(reported({ congestion: striped }, { recovery: orderless })).toEqual([
      'recovery: expected a recovery that supports packets on several paths, as striped needs multipath, received go-back-n (set recovery=orderless)',
    ])
    expect(reported({ recovery: orderless }, { congestion: striped })).toEqual([
      'congestion: expected a congestion control that supports packets on several paths, as orderless needs multipath, received none (set congestion=striped)',
    ])
    expect(reported({ congestion: striped })).toEqual([expect.stringContaining('(rocelab has no such recovery)')])
  })

  test('a recovery with built-in congestion control accepts no other control', () => {
    expect(reported({ recovery: whole })).toEqual([])
    expect(reported({ recovery: whole, congestion: striped }, {}, ['qp.ackInterval=4'])).toEqual([
      expect.stringContaining('as striped needs multipath'),
      'congestion: expected a congestion control that sets neither rate nor window, as whole needs sole control, received striped (set congestion=none)',
    ])
  })

  test('telemetry needs ACKs; RTT probes need nothing', () => {
    const informed = like(none, { name: 'informed', needs: { telemetry: true } })
    const probing = like(none, { name: 'probing', needs: { rttProbes: true } })
    expect(reported({ congestion: informed })).toEqual([])
    expect(reported({ congestion: informed }, {}, ['qp.ackInterval=0'])).toEqual([
      'qp.ackInterval: expected at least 1, as informed needs telemetry, which ACKs return, received 0 (set qp.ackInterval=1)',
    ])
    expect(reported({ congestion: probing }, {}, ['qp.ackInterval=0'])).toEqual([])
  })

  test('each refusal names its need, and a setting if one meets it', () => {
    const all = Object.fromEntries(Object.keys(NEEDS).map((need) => [need, true])) as unknown as Needs
    const scenario = parseScenario(TEXT, { sets: ['qp.ackInterval=0', 'switch.ecn.classes=[]'] })
    const greedy = like(none, { name: 'greedy', needs: all })
    const found = refusalsOf(scenario, { recovery: goBackN, congestion: greedy })
    expect(found.map(({ need, setting }) => [need, setting])).toEqual([
      ['ecn', 'switch.ecn.classes=[3]'],
      ['perPacketAck', 'qp.ackInterval=1'],
      ['wred', 'switch.wred.classes=[3]'],
      ['multipath', null],
      ['soleControl', null],
    ])
    expect(found.every(({ expected }) => expected.includes('as greedy needs'))).toBe(true)
  })
})

test('a refusal is located at the name of its scheme if the setting is not in the text', () => {
  const locations = (text: string, ...sets: string[]): string[] => {
    try {
      parseScenario(text, { file: 'a.yaml', sets })
      return []
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      // Issues without their file are shorter.
      return error.issues.map((issue) => formatIssue(issue).replace(/: expected.*/, ''))
    }
  }
  const ldcp = `${TEXT}congestion: ldcp\n`
  expect(locations(ldcp)).toEqual(['a.yaml:4:13: qp.ecnEcho', 'a.yaml:4:13: switch.wred.classes'])
  expect(locations(`${ldcp}qp: {ecnEcho: cnp}\n`)).toEqual([
    'a.yaml:4:13: switch.wred.classes',
    'a.yaml:5:15: qp.ecnEcho',
  ])
  expect(locations(TEXT, 'congestion=ldcp')).toEqual([
    '--set congestion=ldcp: qp.ecnEcho',
    '--set congestion=ldcp: switch.wred.classes',
  ])
  expect(locations(ldcp, 'qp.ecnEcho=cnp')).toEqual([
    'a.yaml:4:13: switch.wred.classes',
    '--set qp.ecnEcho=cnp: qp.ecnEcho',
  ])
})
