import { describe, expect, test } from 'vitest'
import { createSimulation, run } from '../lab/index.ts'
import { numbersOf } from '../results/index.ts'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { type Outline, outlineOf } from './outline.ts'

function outline(scenario: Scenario): Outline {
  const simulation = createSimulation(scenario)
  return outlineOf(scenario, simulation.longestRttPs(), simulation.bufferCircle())
}

test.each([
  'recovery: go-back-n',
  'classes: {classify: pcp}',
  'recovery: {kind: irn, extraHeader: 16B}',
  'recovery: iwarp',
])('with %s as many messages are told as a run posts, where headers count as load', (more) => {
  const scenario = parseScenario(`
name: outline
topology: {kind: star, hosts: 3, linkRate: 1Gbps}
frames: {payload: 64B}
workload: [{kind: poisson, load: 0.9, loadBasis: wire, sizes: {kind: fixed, size: 640B}}]
measure: {generate: 2ms, stop: 2ms}
${more}`)
  const [expected] = outline(scenario).workloads
  expect(expected?.how).toBe('exact')
  expect(expected?.messages).toBeGreaterThan(100)
  expect(expected?.messages).toBe(run(scenario).flows.rowCount)
})

describe('what is perhaps not meant', () => {
  const notesOf = (...sets: string[]): readonly string[] =>
    outline(
      parseScenario('name: n\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: incast, senders: 2}]\n', { sets }),
    ).notes
  const LOSS = 'faults=[{kind: bernoulli, probability: 0.01}]'

  test.each([
    [['pfc.classes=[]'], 'class 3 has no PFC'],
    [['recovery=irn', 'pfc.classes=[]'], 'class 3 has no PFC'],
    [['workload.0.trafficClass=5'], 'class 5 has no PFC'],
    [['switch.wred.classes=[3]'], 'WRED drops in class 3'],
    [['workload=[{kind: trace, flows: [0 1 1KB 0us, 0 1 1KB 0us class=4]}]'], 'class 4 has no PFC'],
    [[LOSS, 'pfc.classes=[]'], 'class 3 has no PFC; links have faults'],
  ])('with %j a loss may stay a loss', (sets, why) => {
    const note = `packets may be lost (${why}) and there is no timeout: flows may stall; set qp.ackTimeout`
    expect(notesOf(...sets)).toEqual([note])
    expect(notesOf(...sets, 'qp.ackTimeout=320us')).toEqual([])
  })

  test.each([[[]], [['recovery=iwarp', 'pfc.classes=[]', LOSS]], [['workload.0.trafficClass=5', 'pfc.classes=[5]']]])(
    'with %j there is nothing to note',
    (sets) => {
      expect(notesOf(...sets)).toEqual([])
    },
  )

  test('a class that is paused too late is not lossless', () => {
    const buffer = (text: string): string => `switch.buffer={${text}}`
    expect(notesOf(buffer('kind: shared-buffer, size: 8MB, headroom: 10KB'))).toEqual([
      expect.stringMatching(
        /^class 3 is paused and may lose packets all the same: [\d.]+ KB can arrive after XOFF on links of 100 Gbps and 1.00 us, and 10.0 KB are kept for it; switch.buffer.headroom: off reckons what it takes$/,
      ),
    ])
    expect(notesOf(buffer('kind: input-queued, portBuffer: 240KB, xoff: 220KB'))).toEqual([
      expect.stringMatching(/and 20.0 KB are above xoff; set switch.buffer.xoff lower$/),
    ])
    expect(notesOf(buffer('kind: input-queued, portBuffer: 240KB, xoff: 100KB'))).toEqual([])
    expect(
      notesOf(buffer('kind: shared-buffer, size: 8MB, headroom: 10KB'), 'pfc.classes=[]', 'qp.ackTimeout=1ms'),
    ).toEqual([])
  })

  test('what is kept and what is left to share is told kind by kind of link', () => {
    const scenario = parseScenario(`
name: plan
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, fabricRate: 400Gbps}
switch: {buffer: {kind: shared-buffer, size: 8MB}}
workload: [{kind: incast, senders: 2}]
`)
    const plan = outline(scenario).headroom!
    expect(plan.links.map(({ rateBps, links }) => [rateBps / 1e9, links])).toEqual([
      [100, 4],
      [400, 4],
    ])
    expect(plan.links.every(({ neededBytes, givenBytes }) => givenBytes === neededBytes)).toBe(true)
    // A leaf has two ports of each kind, and 8 reserves a port.
    const { reserve, reservedClasses } = scenario.switch.buffer as { reserve: number; reservedClasses: number }
    const kept = plan.links.reduce((sum, { givenBytes }) => sum + 2 * givenBytes, 4 * reservedClasses * reserve)
    const spine = 2 * plan.links[1]!.givenBytes + 2 * reservedClasses * reserve
    expect(plan.poolBytes).toBe(8_000_000 - Math.max(kept, spine))
  })

  test('pauses that end by themselves and are not sent again', () => {
    expect(notesOf('pfc.refresh=0')).toEqual([
      expect.stringMatching(/^pauses end by themselves and are not sent again/),
    ])
    expect(notesOf('pfc.refresh=0', 'pfc.expiry=false')).toEqual([])
  })

  test.each([
    ['swift', 'baseTarget', '1us', '1.00 us', ''],
    ['swift', 'baseTarget', '2us', '2.00 us', ''],
    ['timely', 'tHigh', '3us', '3.00 us', ', tLow: 1us'],
    ['patched-timely', 'referenceRtt', '3us', '3.00 us', ''],
  ])('%s with a %s of %s below the idle path may stand still', (control, name, value, text, beside) => {
    const sets = ['topology.linkDelay=1us', `congestion={kind: ${control}, ${name}: ${value}${beside}}`]
    const [note] = notesOf(...sets)
    expect(note).toMatch(
      new RegExp(
        `^${control} slows down above a round trip of ${text}, and the longest path takes 4.* us .*raise congestion.${name}$`,
      ),
    )
    expect(notesOf('topology.linkDelay=1us', `congestion={kind: ${control}, ${name}: 50us}`)).toEqual([])
  })

  test('packets that overtake each other, under a recovery that does not wait for them', () => {
    const spine = 'topology={kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}'
    const timed = 'qp.ackTimeout=1ms'
    const of = (recovery: string, ...more: string[]) =>
      notesOf(spine, `recovery=${recovery}`, 'balance=spray', timed, ...more)
    for (const kind of ['go-back-0', 'go-back-n', 'send-twice', 'check-epsn', 'improved-gbn']) {
      expect(of(kind)).toEqual([
        `packets of a flow overtake each other under balance spray, and ${kind} throws away what comes out of order and sends it all again; recovery irn keeps it`,
      ])
    }
    expect(of('{kind: irn, resend: go-back-n}')).toEqual([expect.stringContaining('irn throws away')])
    expect(of('irn')).toEqual([expect.stringMatching(/irn asks for a packet again .* recovery.nackThreshold/)])
    expect(of('{kind: irn, nackThreshold: 8}')).toEqual([])
    expect(of('iwarp')).toEqual([expect.stringContaining('iwarp takes 3 packets that overtake one for its loss')])
    expect(of('mp-rdma', 'congestion=mp-rdma', 'qp.ecnEcho=ack')).toEqual([])
    expect(notesOf(spine, 'balance=ecmp')).toEqual([])
    expect(notesOf(spine, 'balance=spray')).toEqual([
      'packets may be lost (packets overtake each other under spray, which go-back-n takes for losses) and there is no timeout: flows may stall; set qp.ackTimeout',
      expect.stringContaining('go-back-n throws away'),
    ])
    expect(notesOf('topology={kind: star, hosts: 3}', 'balance=spray')).toEqual([])
  })

  test('a timeout that is over before an answer can come', () => {
    const [note] = notesOf('topology.linkDelay=1us', 'qp.ackTimeout=3us')
    expect(note).toMatch(/^the retransmission timeout of 3.00 us is over .* takes 4.* us .*raise qp.ackTimeout$/)
    expect(notesOf('topology.linkDelay=1us', 'qp.ackTimeout=30us')).toEqual([])
  })

  test('data in a class that nobody marks, beside data that are', () => {
    const workload = '[{kind: incast, senders: 2}, {kind: incast, senders: 2, trafficClass: 5}]'
    const both = [`workload=${workload}`, 'pfc.classes=[3, 5]']
    const [note, ...others] = notesOf('congestion=dcqcn', ...both)
    expect(note).toBe(
      'switches mark nothing in class 5, which has data: dcqcn does not hold for it; add it to switch.ecn.classes',
    )
    expect(others).toEqual([])
    expect(notesOf('congestion=none', ...both)).toEqual([])
    expect(notesOf('congestion=dcqcn', ...both, 'switch.ecn.classes=[3, 5]')).toEqual([])
  })

  test('messages of QCN in a paused class may lock two switches, not one', () => {
    const sets = ['congestion=qcn', 'classes.cnpAtSwitch=3']
    const [note, ...others] = notesOf('topology=dumbbell', ...sets)
    expect(note).toMatch(
      /^messages of qcn turn back at switches, in class 3, which is paused: .*; set classes\.cnpAtSwitch to/,
    )
    expect(others).toEqual([])
    expect(notesOf(...sets)).toEqual([])
    expect(notesOf('topology=dumbbell', 'congestion=qcn')).toEqual([])
    expect(notesOf('topology=dumbbell', ...sets, 'pfc.classes=[4]', 'qp.ackTimeout=1ms')).toEqual([])
  })
})

test.each([
  ['{kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 32}', ['0 host 0-127', '1 leaf 128-131', '2 spine 132-133']],
  ['{kind: dumbbell, leftHosts: 2, rightHosts: 2}', ['0 host 0-3', '1 left, right 4-5']],
  [
    '{kind: graph, nodes: 5, switches: [1, 2], links: ["0 1 1Gbps 1us", "1 2 1Gbps 1us", "2 3 1Gbps 1us", "4 1 1Gbps 1us"]}',
    ['0 host 0-0 3-4', '1 switch 1-2'],
  ],
])('the nodes of %s have the numbers that faults take', (topology, told) => {
  const scenario = parseScenario(`{name: n, topology: ${topology}, workload: [{kind: incast, senders: 1}]}`)
  const runs = outline(scenario).nodes.map(({ tier, name, ids }) => [
    tier,
    name,
    ...ids.map(([first, last]) => `${first}-${last}`),
  ])
  expect(runs.map((parts) => parts.join(' '))).toEqual(told)
})

describe('what IRN adds to a NIC', () => {
  const FAR = `
name: far
topology: {kind: dumbbell, leftHosts: 2, rightHosts: 1, bottleneckDelay: 9us}
recovery: irn
qp: {ackTimeout: 1ms}
workload: [{kind: trace, flows: [0 2 4MB 0us, 1 2 4MB 0us]}]
observe: [{kind: rates, interval: 1us}]
`

  test('is counted for the packets that a queue pair has in flight at most', () => {
    const scenario = parseScenario(FAR)
    const irn = outline(scenario).irnState!
    const { series } = run(scenario)
    const [una, nxt] = ['una', 'nxt'].map((name) => numbersOf(series[0]!, name))
    expect(Math.max(...nxt!.map((psn, row) => psn - una![row]!))).toBe(irn.capPackets)
    // S3 6.1: 160 bits of variables, and five bitmaps.
    expect(irn.capPackets).toBeGreaterThan(128)
    // As long as a power of two that holds the cap.
    expect(irn.bitmapPackets).toBe(2 ** Math.ceil(Math.log2(irn.capPackets)))
    expect(irn.state.variableBits + irn.state.bitmapBits).toBe(160 + 5 * irn.bitmapPackets)
  })

  test('is that of the paper in its network, and follows the cap', () => {
    const of = (...sets: string[]) => outline(parseScenario(FAR, { sets })).irnState
    expect(of('topology.bottleneckDelay=1us')).toMatchObject({
      bitmapPackets: 128,
      state: { bitmapBits: 640, wqeBytes: 3 },
    })
    expect(of('recovery.cap=110')).toMatchObject({ capPackets: 110, bitmapPackets: 128 })
    expect(of('recovery.cap=600')).toMatchObject({ capPackets: 600, state: { bitmapBits: 5120 } })
  })

  test.each(['recovery=go-back-n', 'recovery.resend=go-back-n', 'recovery.bdpFlowControl=false'])(
    'is not told with %s',
    (set) => {
      expect(outline(parseScenario(FAR, { sets: [set] })).irnState).toBeNull()
    },
  )
})
