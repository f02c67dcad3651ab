import { describe, expect, test } from 'vitest'
import { createSimulation } from '../lab/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { outlineOf } from './outline.ts'

describe('notes on a scenario', () => {
  const notesOf = (...sets: string[]): readonly string[] => {
    const text = 'name: n\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: incast, senders: 2}]\n'
    const scenario = parseScenario(text, { sets })
    const simulation = createSimulation(scenario)
    return outlineOf(scenario, simulation).notes
  }
  const LOSS = 'faults=[{kind: bernoulli, probability: 0.01}]'

  test.each([
    [['pfc.classes=[]'], 'class 3 has no PFC'],
    [['recovery=irn', 'pfc.classes=[]'], 'class 3 has no PFC'],
    [['workload.0.trafficClass=5'], 'class 5 has no PFC'],
    [['switch.wred.classes=[3]'], 'WRED drops in class 3'],
    [['workload=[{kind: trace, flows: [0 1 1KB 0us, 0 1 1KB 0us class=4]}]'], 'class 4 has no PFC'],
    [[LOSS, 'pfc.classes=[]'], 'class 3 has no PFC; links have faults'],
  ])('with %j a loss may never be repaired', (sets, why) => {
    const note = `packets may be lost (${why}) and there is no timeout: flows may stall; set qp.ackTimeout`
    expect(notesOf(...sets)).toEqual([note])
    expect(notesOf(...sets, 'qp.ackTimeout=320us')).toEqual([])
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
      expect.stringMatching(
        /^class 3 is paused by PFC and may still lose packets: [\d.]+ KB can arrive after XOFF on links of 100 Gbps and 1.00 us, and 10.0 KB are kept for it; set switch.buffer.headroom=off to have it computed$/,
      ),
    ])
    expect(notesOf(buffer('kind: input-queued, portBuffer: 240KB, xoff: 220KB'))).toEqual([
      expect.stringMatching(/and 20.0 KB are left above xoff; set switch.buffer.xoff lower$/),
    ])
    expect(notesOf(buffer('kind: input-queued, portBuffer: 240KB, xoff: 100KB'))).toEqual([])
    expect(
      notesOf(buffer('kind: shared-buffer, size: 8MB, headroom: 10KB'), 'pfc.classes=[]', 'qp.ackTimeout=1ms'),
    ).toEqual([])
  })

  test('trimmed headers that the recovery ignores, or that fill the link', () => {
    const sets = ['switch.trimming.of=lossy', 'pfc.classes=[]', 'qp.ackTimeout=320us']
    const unmarked = (recovery: string): string =>
      `switches trim packets, and ${recovery} ignores their headers, so that each is recovered like any loss`
    expect(notesOf(...sets, 'recovery=irn')).toEqual([])
    expect(notesOf(...sets)).toEqual([
      `${unmarked('go-back-n')}; set recovery.trimmed to use them as loss notifications`,
    ])
    expect(notesOf(...sets, 'recovery={kind: go-back-n, trimmed: nak}')).toEqual([])
    expect(notesOf(...sets, 'recovery={kind: irn, resend: rewind}')).toEqual([unmarked('irn')])
    expect(notesOf(...sets, 'recovery=iwarp')).toEqual([unmarked('iwarp')])
    // Headers of 64 bytes in frames of 1086, both with 20 around them.
    const full = [...sets, 'recovery=irn', 'topology.hosts=15']
    expect(notesOf(...full)).toEqual([expect.stringMatching(/^headers of trimmed packets .* those of 14 senders /)])
    for (const set of ['topology.hosts=14', 'switch.strictClasses=[6]', 'switch.trimming.class=5'])
      expect(notesOf(...full, set)).toEqual([])
    expect(notesOf(...full, 'switch.trimming.size=300B')).toEqual([expect.stringMatching(/those of 4 senders /)])
  })

  test('more data classes than the buffer sets reserves aside for', () => {
    // Three ports, three classes with data of which one has its reserve in the buffer's size.
    const more = 'workload=[{kind: trace, flows: [0 1 1KB 0us, 0 1 1KB 0us class=4, 1 2 1KB 0us class=5]}]'
    const sets = ['pfc.classes=[3, 4, 5]', more]
    const buffer = (rest: string): string => `switch.buffer={kind: shared-buffer, size: 2MB, ${rest}}`
    expect(notesOf(...sets, buffer('reserve: 40KB'))).toEqual([
      'data has 3 classes and the buffer sets reserves aside for 1: a switch of 3 ports may hold 240 KB (12 %) more than its size; set switch.buffer.reservedClasses=3',
    ])
    expect(notesOf(...sets, buffer('reserve: 40KB, reservedClasses: 3'))).toEqual([])
    expect(notesOf(...sets, buffer('reserve: 4KiB'))).toEqual([])
    expect(notesOf(buffer('reserve: 40KB'))).toEqual([])
  })

  test('pauses that expire and are not refreshed', () => {
    expect(notesOf('pfc.refresh=0')).toEqual([expect.stringMatching(/^pauses expire and are not refreshed/)])
    expect(notesOf('pfc.refresh=0', 'pfc.expiry=false')).toEqual([])
  })

  test.each([
    ['swift', 'baseTarget', '1us', '1.00 us', ''],
    ['swift', 'baseTarget', '2us', '2.00 us', ''],
    ['timely', 'tHigh', '3us', '3.00 us', ', tLow: 1us'],
    ['patched-timely', 'referenceRtt', '3us', '3.00 us', ''],
  ])(
    '%s with a %s of %s, below the RTT of an idle path, may come to a standstill',
    (control, name, value, text, beside) => {
      const sets = ['topology.linkDelay=1us', `congestion={kind: ${control}, ${name}: ${value}${beside}}`]
      const [note] = notesOf(...sets)
      expect(note).toMatch(
        new RegExp(
          `^${control} slows down above an RTT of ${text}, and the longest path takes 4.* us .*raise congestion.${name}$`,
        ),
      )
      expect(notesOf('topology.linkDelay=1us', `congestion={kind: ${control}, ${name}: 50us}`)).toEqual([])
    },
  )

  test('reordering, under a recovery that treats it as loss', () => {
    const spine = 'topology={kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}'
    const timed = 'qp.ackTimeout=1ms'
    const of = (recovery: string, ...more: string[]) =>
      notesOf(spine, `recovery=${recovery}`, 'balance=spray', timed, ...more)
    for (const kind of ['go-back-0', 'go-back-n', 'send-twice', 'check-epsn', 'improved-gbn']) {
      expect(of(kind)).toEqual([
        `packets of a flow overtake each other under balance spray, and ${kind} discards out-of-order packets and sends them all again; recovery irn keeps it`,
      ])
    }
    expect(of('{kind: irn, resend: go-back-n}')).toEqual([expect.stringContaining('irn discards')])
    expect(of('irn')).toEqual([expect.stringMatching(/irn asks for a packet again .* recovery.nackThreshold/)])
    expect(of('{kind: irn, nackThreshold: 8}')).toEqual([])
    expect(of('iwarp')).toEqual([expect.stringContaining('iwarp takes 3 packets that overtake one for its loss')])
    expect(of('mp-rdma', 'congestion=mp-rdma', 'qp.ecnEcho=ack')).toEqual([])
    expect(notesOf(spine, 'balance=ecmp')).toEqual([])
    expect(notesOf(spine, 'balance=spray')).toEqual([
      'packets may be lost (packets overtake each other under balance spray, which go-back-n takes for losses) and there is no timeout: flows may stall; set qp.ackTimeout',
      expect.stringContaining('go-back-n discards'),
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
    for (const note of notes)
      expect(note).toMatch(/packets( of a flow)? overtake each other under (balance )?(flowlet|adaptive)/)
    expect(notesOf(spine, `balance=${balance}`, 'recovery={kind: irn, nackThreshold: 8}', 'qp.ackTimeout=1ms')).toEqual(
      [],
    )
  })

  test('a timeout that expires before an ACK can arrive', () => {
    const [note] = notesOf('topology.linkDelay=1us', 'qp.ackTimeout=3us')
    expect(note).toMatch(/^the retransmission timeout of 3.00 us expires .* takes 4.* us .*raise qp.ackTimeout$/)
    expect(notesOf('topology.linkDelay=1us', 'qp.ackTimeout=30us')).toEqual([])
  })

  test('ACKs that are delayed beyond the timeout of their sender', () => {
    const [note] = notesOf('recovery=tcp', 'congestion=cubic', 'recovery.rtoMin=5ms')
    expect(note).toMatch(
      /^receivers delay ACKs by 40.0 ms .* as little as 5.00 ms .*lower recovery.delayedAck or raise recovery.rtoMin$/,
    )
    expect(notesOf('recovery=tcp', 'congestion=cubic', 'recovery.rtoMin=5ms', 'recovery.delayedAck=1ms')).toEqual([])
    expect(notesOf('recovery=tcp', 'congestion=cubic')).toEqual([])
  })

  test('data in a class that switches do not mark', () => {
    const workload = '[{kind: incast, senders: 2}, {kind: incast, senders: 2, trafficClass: 5}]'
    const both = [`workload=${workload}`, 'pfc.classes=[3, 5]']
    const [note, ...others] = notesOf('congestion=dcqcn', ...both)
    expect(note).toBe(
      'switches mark nothing in class 5, which has data: dcqcn gets no signal from it; add it to switch.ecn.classes',
    )
    expect(others).toEqual([])
    expect(notesOf('congestion=none', ...both)).toEqual([])
    expect(notesOf('congestion=dcqcn', ...both, 'switch.ecn.classes=[3, 5]')).toEqual([])
    expect(notesOf('congestion=qcn', ...both, 'switch.qcn.classes=[3]')).toEqual([
      'switches have no congestion point in class 5, which has data: qcn gets no signal from it; add it to switch.qcn.classes',
    ])
    const ldcp = ['congestion=ldcp', 'qp.ecnEcho=ack', 'switch.ecn.classes=[3, 5]', 'switch.wred.classes=[3]']
    const early =
      'switches drop nothing early in class 5, which has data: ldcp gets no signal from it; add it to switch.wred.classes'
    expect(notesOf(...ldcp, ...both)).toContain(early)
    expect(notesOf('congestion={kind: ldcp, incapableStart: false}', ...ldcp.slice(1), ...both)).not.toContain(early)
  })

  test('QCN messages in a lossless class may deadlock two switches, not one', () => {
    const sets = ['congestion=qcn', 'classes.cnpAtSwitch=3']
    const [note, ...others] = notesOf('topology=dumbbell', ...sets)
    expect(note).toMatch(
      /^qcn messages are sent back by switches in class 3, which is paused by PFC: .*; set classes\.cnpAtSwitch to/,
    )
    expect(others).toEqual([])
    expect(notesOf(...sets)).toEqual([])
    expect(notesOf('topology=dumbbell', 'congestion=qcn')).toEqual([])
    expect(notesOf('topology=dumbbell', ...sets, 'pfc.classes=[4]', 'qp.ackTimeout=1ms')).toEqual([])
  })
})
