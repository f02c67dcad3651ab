import { describe, expect, test } from 'vitest'
import { FABRIC_FINDINGS } from '../../../core/findings/index.ts'
import { createSimulation } from '../../index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { outlineOf } from '../outline.ts'

/** A note without its words: id and values. */
type Fact = readonly [id: string, values: Readonly<Record<string, unknown>>]

const noted = (id: string, values: Readonly<Record<string, unknown>> = {}): unknown => [
  id,
  expect.objectContaining(values),
]

describe('notes on a scenario', () => {
  const notesOf = (...sets: string[]): readonly Fact[] => {
    const text = 'name: n\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: incast, senders: 2}]\n'
    const scenario = parseScenario(text, { sets })
    const simulation = createSimulation(scenario)
    const { findings } = outlineOf(scenario, simulation)
    return findings.filter(({ kind }) => !FABRIC_FINDINGS.includes(kind)).map(({ id, values }) => [id, values])
  }
  const LOSS = 'faults=[{kind: bernoulli, probability: 0.01}]'

  test.each([
    [['pfc.classes=[]'], ['no-pfc']],
    [['recovery=irn', 'pfc.classes=[]'], ['no-pfc']],
    [['workload.0.trafficClass=5'], ['no-pfc']],
    [['switch.wred.classes=[3]'], ['wred']],
    [['workload=[{kind: trace, flows: [0 1 1KB 0us, 0 1 1KB 0us class=4]}]'], ['no-pfc']],
    [
      [LOSS, 'pfc.classes=[]'],
      ['no-pfc', 'faults'],
    ],
    [[LOSS], ['faults']],
    [['faults=[{kind: pause-storm, hosts: host 0}]'], ['pause-storms']],
  ])('with %j a loss may never be repaired', (sets, causes) => {
    const lossNotes = (...all: string[]) => notesOf(...all).filter(([id]) => id === 'loss-without-timeout')
    expect(lossNotes(...sets)).toEqual([noted('loss-without-timeout', { causes })])
    expect(lossNotes(...sets, 'qp.ackTimeout=320us')).toEqual([])
  })

  test.each([[[]], [['recovery=iwarp', 'pfc.classes=[]', LOSS]], [['workload.0.trafficClass=5', 'pfc.classes=[5]']]])(
    'with %j there are no notes',
    (sets) => {
      expect(notesOf(...sets)).toEqual([])
    },
  )

  test('a lossless class with too little headroom may lose packets', () => {
    const buffer = (text: string): string => `switch.buffer={${text}}`
    expect(notesOf(buffer('kind: shared-buffer, size: 8MB, headroom: 10KB'))).toEqual([
      noted('headroom-below-need', { givenBytes: 10_000, delayPs: 1_000_000, ports: 3 }),
    ])
    expect(notesOf(buffer('kind: input-queued, portBuffer: 240KB, xoff: 220KB'))).toEqual([
      noted('headroom-below-need', { givenBytes: 20_000 }),
    ])
    expect(notesOf(buffer('kind: input-queued, portBuffer: 240KB, xoff: 100KB'))).toEqual([])
    expect(
      notesOf(buffer('kind: shared-buffer, size: 8MB, headroom: 10KB'), 'pfc.classes=[]', 'qp.ackTimeout=1ms'),
    ).toEqual([])
  })

  test('trimmed headers that the recovery ignores, or that fill the link', () => {
    const sets = ['switch.trimming.of=lossy', 'pfc.classes=[]', 'qp.ackTimeout=320us']
    const ignored = (recovery: string): unknown[] => [noted('trimming-ignored', { recovery })]
    expect(notesOf(...sets, 'recovery=irn')).toEqual([])
    expect(notesOf(...sets)).toEqual(ignored('go-back-n'))
    expect(notesOf(...sets, 'recovery={kind: go-back-n, trimmed: nak}')).toEqual([])
    expect(notesOf(...sets, 'recovery=irn', 'compat=conweave')).toEqual(ignored('irn'))
    expect(notesOf(...sets, 'recovery=iwarp')).toEqual(ignored('iwarp'))
    // Headers of 64 bytes in frames of 1086, both with 20 around them.
    const full = [...sets, 'recovery=irn', 'topology.hosts=15']
    expect(notesOf(...full)).toEqual([noted('trimmed-headers-fill-link', { senders: 14 })])
    for (const set of ['topology.hosts=14', 'switch.strictClasses=[6]', 'switch.trimming.class=5'])
      expect(notesOf(...full, set)).toEqual([])
    expect(notesOf(...full, 'switch.trimming.size=300B')).toEqual([noted('trimmed-headers-fill-link', { senders: 4 })])
  })

  test('more data classes than the buffer sets reserves aside for', () => {
    // Three ports, three classes with data of which one has its reserve in the buffer's size.
    const more = 'workload=[{kind: trace, flows: [0 1 1KB 0us, 0 1 1KB 0us class=4, 1 2 1KB 0us class=5]}]'
    const sets = ['pfc.classes=[3, 4, 5]', more]
    const buffer = (rest: string): string => `switch.buffer={kind: shared-buffer, size: 2MB, ${rest}}`
    expect(notesOf(...sets, buffer('reserve: 40KB'))).toEqual([
      noted('reserves-beyond-buffer', { dataClasses: 3, reservedClasses: 1, beyondBytes: 240_000 }),
    ])
    expect(notesOf(...sets, buffer('reserve: 40KB, reservedClasses: 3'))).toEqual([])
    expect(notesOf(...sets, buffer('reserve: 4KiB'))).toEqual([])
    expect(notesOf(buffer('reserve: 40KB'))).toEqual([])
  })

  test('pauses that expire and are not refreshed', () => {
    expect(notesOf('pfc.refresh=0')).toEqual([noted('pauses-expire')])
    expect(notesOf('pfc.refresh=0', 'pfc.expiry=false')).toEqual([])
  })

  test.each([
    ['swift', 'baseTarget', 1, ''],
    ['swift', 'baseTarget', 2, ''],
    ['timely', 'tHigh', 3, ', tLow: 1us'],
    ['patched-timely', 'referenceRtt', 3, ''],
  ])('%s with a %s of %i us, below the RTT of an idle path, may come to a standstill', (control, name, us, beside) => {
    const sets = ['topology.linkDelay=1us', `congestion={kind: ${control}, ${name}: ${us}us${beside}}`]
    const [[id, values] = ['none', {}]] = notesOf(...sets)
    expect([id, values['targetPs']]).toEqual(['target-below-idle-rtt', us * 1_000_000])
    expect(values['longestRttPs']).toBeGreaterThan(4_000_000)
    expect(notesOf('topology.linkDelay=1us', `congestion={kind: ${control}, ${name}: 50us}`)).toEqual([])
  })

  test('reordering, under a recovery that treats it as loss', () => {
    const spine = 'topology={kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}'
    const timed = 'qp.ackTimeout=1ms'
    const of = (recovery: string, ...more: string[]) =>
      notesOf(spine, `recovery=${recovery}`, 'balance=spray', timed, ...more)
    for (const recovery of ['go-back-0', 'go-back-n', 'send-twice', 'check-epsn', 'improved-gbn', 'irn', 'iwarp'])
      expect(of(recovery)).toEqual([noted('reordering-taken-for-loss', { recovery })])
    expect(of('{kind: irn, resend: go-back-n}')).toHaveLength(1)
    expect(of('{kind: irn, nackThreshold: 8}')).toEqual([])
    expect(of('mp-rdma', 'congestion=mp-rdma', 'qp.ecnEcho=ack')).toEqual([])
    expect(notesOf(spine, 'balance=ecmp')).toEqual([])
    expect(notesOf(spine, 'balance=spray')).toEqual([
      noted('loss-without-timeout', { causes: ['overtaking'] }),
      noted('reordering-taken-for-loss', { recovery: 'go-back-n' }),
    ])
    expect(notesOf('topology={kind: star, hosts: 3}', 'balance=spray')).toEqual([])
  })

  test.each([
    ['flowlet', 2],
    ['adaptive', 2],
    ['{kind: adaptive, per: flowlet}', 2],
    ['{kind: adaptive, per: flow}', 0],
  ])('balance %s reorders packets, unless a flow keeps its port', (balance, count) => {
    const spine = 'topology={kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}'
    const notes = notesOf(spine, `balance=${balance}`)
    expect(notes).toHaveLength(count)
    expect(notesOf(spine, `balance=${balance}`, 'recovery={kind: irn, nackThreshold: 8}', 'qp.ackTimeout=1ms')).toEqual(
      [],
    )
  })

  test('a timeout that expires before an ACK can arrive', () => {
    expect(notesOf('topology.linkDelay=1us', 'qp.ackTimeout=3us')).toEqual([
      noted('timeout-below-rtt', { timeoutPs: 3_000_000 }),
    ])
    expect(notesOf('topology.linkDelay=1us', 'qp.ackTimeout=30us')).toEqual([])
  })

  test('ACKs that are delayed beyond the timeout of their sender', () => {
    expect(notesOf('recovery=tcp', 'congestion=cubic', 'recovery.rtoMin=5ms')).toEqual([
      noted('delayed-ack-beyond-timeout', { delayPs: 40_000_000_000, leastPs: 5_000_000_000 }),
    ])
    expect(notesOf('recovery=tcp', 'congestion=cubic', 'recovery.rtoMin=5ms', 'recovery.delayedAck=1ms')).toEqual([])
    expect(notesOf('recovery=tcp', 'congestion=cubic')).toEqual([])
  })

  test('data in a class that switches do not mark', () => {
    const workload = '[{kind: incast, senders: 2}, {kind: incast, senders: 2, trafficClass: 5}]'
    const both = [`workload=${workload}`, 'pfc.classes=[3, 5]']
    expect(notesOf('congestion=dcqcn', ...both)).toEqual([
      noted('class-without-signal', { signal: 'ecn', congestion: 'dcqcn', listedClasses: [3] }),
    ])
    expect(notesOf('congestion=none', ...both)).toEqual([])
    expect(notesOf('congestion=dcqcn', ...both, 'switch.ecn.classes=[3, 5]')).toEqual([])
    expect(notesOf('congestion=qcn', ...both, 'switch.qcn.classes=[3]')).toEqual([
      noted('class-without-signal', { signal: 'qcn' }),
    ])
    const ldcp = ['congestion=ldcp', 'qp.ecnEcho=ack', 'switch.ecn.classes=[3, 5]', 'switch.wred.classes=[3]']
    const early = noted('class-without-signal', { signal: 'wred', congestion: 'ldcp' })
    expect(notesOf(...ldcp, ...both)).toContainEqual(early)
    expect(notesOf('congestion={kind: ldcp, incapableStart: false}', ...ldcp.slice(1), ...both)).not.toContainEqual(
      early,
    )
  })

  test('QCN messages in a lossless class may deadlock two switches, not one', () => {
    const sets = ['congestion=qcn', 'classes.cnpAtSwitch=3']
    expect(notesOf('topology=dumbbell', ...sets)).toEqual([noted('notifications-in-lossless-class')])
    expect(notesOf(...sets)).toEqual([])
    expect(notesOf('topology=dumbbell', 'congestion=qcn')).toEqual([])
    expect(notesOf('topology=dumbbell', ...sets, 'pfc.classes=[]', 'qp.ackTimeout=1ms')).toEqual([])
  })
})
