/**
 * Lossless: what keeps packets of lossless classes, and counters that show it. Headroom by length of cable, and half of it;
 * bursts without and with DCQCN, without headroom, and with bit errors; tags and DSCP over two subnets; a PXE boot; and as
 * many lossless classes as a buffer has headroom for.
 * Source: [MS-Scale] sections 2, 3 and 5.2. Traffic is ours. Seeds shift flows where nothing else is drawn.
 */
import { MS } from '../../../core/base/index.ts'
import { headroomPlan, topologyOf } from '../../../lab/index.ts'
import { exactCount, humanNumber } from '../../../show/index.ts'
import { numbersOf, type Result, tableOfKind, textsOf } from '../../../core/results/index.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { defineExperiment } from '../../core/experiment.ts'
import {
  ABOVE_ZERO,
  bracket,
  type Claim,
  claim,
  equalTo,
  exact,
  meanCountText,
  readingOf,
} from '../../core/findings.ts'
import { pointsAt, product } from '../../core/grid.ts'
import { dropsOf } from '../../core/measures.ts'
import type { Measures, Point } from '../../core/plan.ts'
import { Runs, type Where } from '../../core/runs.ts'
import { label, means, rangeText, tableAt } from '../../core/tables.ts'
import { type Counted, type CountedDevices, countersAt } from '../counted.ts'

export const HEADROOM = product({ part: ['headroom'], metres: [2, 20, 100, 300], headroom: ['needed', 'half'] })
/** Without headroom, and with bit errors as well, the counters have to show it. */
const CUT = ', headroom: 0B'
/** By state: what is unlike a lossless network without congestion control. */
const STATES: Readonly<
  Record<string, { readonly congestion?: string; readonly buffer?: string; readonly faults?: string }>
> = {
  none: {},
  dcqcn: { congestion: 'dcqcn' },
  'no headroom': { buffer: CUT },
  'no headroom, bit errors': { buffer: CUT, faults: '{kind: corruption, bitErrorRatio: 1e-7, links: leaf 1}' },
}
export const BURSTS = product({ part: ['bursts'], state: Object.keys(STATES) })
const HEALTHY = BURSTS.slice(0, 2)
const TAGS = product({ part: ['tags'], classify: ['pcp', 'dscp'] })
const BOOT = product({ part: ['boot'], ports: ['trunk', 'access'] })
/** Headroom for 300 m at 40 Gb/s: of Trident 2 by SONiC's pg_profile_lookup.ini, or as the simulated parts need it. */
export const CLASSES = product({
  part: ['classes'],
  ports: [40, 64],
  bufferMb: [9, 12],
  headroom: ['hardware', 'simulated'],
})
const TRIDENT_BYTES = 62_816
const LINK_300M = 'linkRate: 40Gbps, linkDelay: 1500ns'

/** By then all is delivered, and counters are read; a run ends with its last message, which comes later. */
const POLL_MS = 10

/** Twice the delay of the cable, 200 ns to react and two full frames, at 5 bytes a nanosecond. */
const leastBytes = (metres: number): number => 5 * (2 * metres * 5 + 200) + 2 * 1086

/** Headroom of a class at a port, as the simulated parts need it for 300 m. */
function simulatedBytes(): number {
  const scenario = parseScenario(`
name: headroom-of-a-class
topology: {kind: star, hosts: 2, ${LINK_300M}}
workload: [{kind: trace, flows: [0 1 1KB 0us]}]
`)
  return headroomPlan(scenario, topologyOf(scenario))!.kinds[0]!.givenBytes
}

/** The most classes, of eight, for which a buffer has headroom at all its ports; one more is refused before the run. */
const mostClasses = (bufferMb: number, ports: number, bytes: number): number =>
  Math.min(8, Math.ceil((bufferMb * 1e6) / (ports * bytes)) - 1)

function losslessPoints(seed: number): Point[] {
  const headroom = pointsAt(HEADROOM, seed, ({ metres, headroom: given }) => {
    return `
name: headroom
topology: {kind: star, hosts: 9, linkRate: 40Gbps, linkDelay: ${metres * 5}ns}
pfc: {reactionTime: 200ns}
qp: {ackTimeout: 1ms, retryLimit: off}
switch: {buffer: {kind: shared-buffer, size: 2MB${given === 'half' ? `, headroom: ${Math.floor(leastBytes(metres) / 2)}B` : ''}}}
workload:
  - {kind: incast, senders: 8, receiver: 8, sizeEach: 300KB}
  - {kind: incast, senders: 8, receiver: 7, sizeEach: 300KB, start: ${70 * seed}ns}
`
  })
  const bursts = pointsAt(BURSTS, seed, ({ state }) => {
    const { congestion = 'none', buffer = '', faults = '' } = STATES[state]!
    return `
name: bursts
topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 8, hostRate: 40Gbps, fabricRate: 40Gbps}
congestion: ${congestion}
qp: {ackTimeout: 1ms, retryLimit: off}
switch: {buffer: {kind: shared-buffer, size: 2MB${buffer}}}
workload:
  - {kind: poisson, load: 0.2, flows: 128, sizes: {kind: fixed, size: 100KB}}
  - {kind: incast, senders: 16, receiver: off, total: 4MB, interval: 300us, repetitions: 2}
  - {kind: trace, flows: [0 1 1KB ${POLL_MS + 1}ms]}
faults: [${faults}]
measure: {end: drain}
observe: [{kind: counters, interval: ${POLL_MS}ms, watermarks: false}]
`
  })
  const tags = pointsAt(TAGS, seed, ({ classify }) => {
    return `
name: tags
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 40Gbps, fabricRate: 40Gbps}
classes: {classify: ${classify}}
qp: {ackTimeout: 200us, retryLimit: off}
switch: {buffer: {kind: shared-buffer, size: 200KB, alpha: 1/4}, vlan: {ports: trunk, layer3At: tor}}
workload: [{kind: trace, flows: ["0 2 2MB 0us", "3 2 2MB ${seed}us"]}]
`
  })
  const boot = pointsAt(BOOT, seed, ({ ports }) => {
    return `
name: boot
topology: {kind: star, hosts: 4}
switch: {vlan: {ports: ${ports}}}
classes: {classify: ${ports === 'access' ? 'dscp' : 'pcp'}}
qp: {ackTimeout: 1ms, retryLimit: 7}
workload: [{kind: boot, server: 0, hosts: [3], trafficClass: 0}]
changes: [{path: nic.vlan, value: untagged, nodes: host 3}]
`
  })
  const simulated = simulatedBytes()
  const classes = pointsAt(CLASSES, seed, ({ ports, bufferMb, headroom: of }) => {
    const bytes = of === 'hardware' ? TRIDENT_BYTES : simulated
    const held = Array.from({ length: mostClasses(bufferMb, ports, bytes) }, (_, c) => c)
    return `
name: lossless-classes
topology: {kind: star, hosts: ${ports}, ${LINK_300M}}
pfc: {classes: [${held.join(', ')}]}
switch: {buffer: {kind: shared-buffer, size: ${bufferMb}MB, headroom: ${bytes}B}}
workload:
${held.map((c) => `  - {kind: incast, senders: ${ports - 1}, receiver: ${c}, sizeEach: 60KB, start: ${seed * c * 70}ns, trafficClass: ${c}}`).join('\n')}
`
  })
  return [...headroom, ...bursts, ...tags, ...boot, ...classes]
}

function losslessMeasures(result: Result, { scenario }: Point): Measures {
  const { counters, flows } = result
  const table = tableOfKind(result, 'counters')
  const statuses = textsOf(flows, 'status')
  return {
    drops: dropsOf(result),
    pauseFrames: counters.pauseFrames,
    unfinished: statuses.filter((status) => status !== 'finished').length,
    finished: statuses.filter((status) => status === 'finished').length,
    classes: scenario.pfc.classes.length,
    ...(table === undefined ? {} : lawOf(countersAt(table, POLL_MS * MS), edgesOf(result))),
  }
}

type End = readonly [device: string, port: string]

/** Both directions of each cable: who sends and who receives. */
function edgesOf(result: Result): (readonly [End, End])[] {
  const table = tableOfKind(result, 'counters/edges')!
  const [deviceA, portA, deviceB, portB] = ['deviceA', 'portA', 'deviceB', 'portB'].map((name) => textsOf(table, name))
  return Array.from({ length: numbersOf(table, 'cableM').length }, (_, row) => {
    const ends: readonly [End, End] = [
      [deviceA![row]!, portA![row]!],
      [deviceB![row]!, portB![row]!],
    ]
    return [ends, [ends[1], ends[0]] as const] as const
  }).flat()
}

/** Links and switches whose counters do not add up, and sums over all devices. */
function lawOf(devices: CountedDevices, directions: readonly (readonly [End, End])[]): Measures {
  const valueOf = (of: readonly Counted[], names: readonly string[]): number =>
    of.reduce((sum, { name, value }) => (names.includes(name) ? sum + value : sum), 0)
  const at = ([device, port]: End, ...names: string[]): number =>
    valueOf(
      devices.get(device)!.filter((each) => each.port === port),
      names,
    )
  const all = [...devices.values()].flat()
  const unequalLinks = directions.filter(
    ([from, to]) => at(from, 'txPackets', 'pfcTxFrames') !== at(to, 'rxPackets', 'pfcRxFrames', 'crcErrors'),
  )
  // Hosts have no egress queues that drop.
  const switches = [...devices].filter(([, own]) => own.some(({ name }) => name === 'dropOut'))
  const unequalSwitches = switches.filter(
    ([, own]) => valueOf(own, ['rxPackets']) !== valueOf(own, ['txPackets', 'dropIn', 'dropOut']),
  )
  return {
    directions: directions.length,
    unequalLinks: unequalLinks.length,
    switches: switches.length,
    unequalSwitches: unequalSwitches.length,
    sentPackets: valueOf(all, ['txPackets']),
    sentBytes: valueOf(all, ['txBytes']),
    dropIn: valueOf(all, ['dropIn']),
    crcErrors: valueOf(all, ['crcErrors']),
    pauseRxUs: valueOf(all, ['pauseRxUs']),
  }
}

function claims(runs: Runs): Claim[] {
  const [pcp, dscp] = [runs.where(TAGS[0]!), runs.where(TAGS[1]!)]
  const lost = (own: Runs): string => `${rangeText(own, 'drops', meanCountText)} lost`
  const faulty = BURSTS.filter((at) => !HEALTHY.includes(at))
  const held = CLASSES.map((at) => {
    const of = at.headroom === 'hardware' ? 'hardware' : 'the simulated parts'
    const classes = runs.values((m) => (m['drops'] === 0 ? m['classes']! : 0), at)
    return readingOf(`${at.bufferMb} MB, ${at.ports} ports, headroom of ${of}`, classes)
  })
  return [
    exact('rce.bg.no-overflow-with-headroom', {
      holds: runs
        .bySeed()
        .map((own) =>
          HEADROOM.every((at) => (at.headroom === 'needed' ? own.sum('drops', at) === 0 : own.sum('drops', at) > 0)),
        ),
      measured: HEADROOM.map((at) => `${at.metres} m, ${at.headroom}: ${lost(runs.where(at))}`).join('; '),
      reason:
        'Two incasts that cross. With the headroom that each length needs nothing is lost, with half of it packets are.',
    }),
    claim('rce.bg.dcqcn-fewer-pauses', runs.differences('pauseFrames', BURSTS[0]!, BURSTS[1]!), ABOVE_ZERO, {
      unit: ' frames',
      why: `Without DCQCN less with it: of ${humanNumber(runs.mean('pauseFrames', BURSTS[0]!).mean)}.`,
    }),
    bracket('rce.bg.two-lossless-classes', held, equalTo(2), {
      paperValues: [2],
      unit: ' classes',
      why: 'The most classes that have headroom at all ports, with an incast in each of which nothing is lost. The paper prints neither the ports nor the part of the buffer that has to stay shared.',
    }),
    exact('rce.dscp.vlan-lost-across-subnets', {
      holds: runs.bySeed().map((own) => own.sum('drops', TAGS[0]!) > 0 && own.sum('drops', TAGS[1]!) === 0),
      measured: `by PCP ${lost(pcp)}, by DSCP ${lost(dscp)}`,
      reason:
        'Two senders, one of another subnet, to one server: behind the first router frames are lossless by their DSCP and lossy by their tag.',
    }),
    exact('rce.dscp.vlan-breaks-pxe', {
      holds: runs.bySeed().map((own) => own.sum('finished', BOOT[0]!) === 0 && own.sum('unfinished', BOOT[1]!) === 0),
      measured: BOOT.map(
        (at) =>
          `${at.ports} ports: ${exactCount(runs.sum('finished', at))} messages of boots arrive, ${exactCount(runs.sum('drops', at))} packets are dropped`,
      ).join('; '),
      reason:
        'A server with a NIC without VLAN boots over the network: never with trunk ports, always with access ports and DSCP-based PFC.',
    }),
    countersClaim(runs, faulty),
    exact('rce.mon.zero-rdma-drops', {
      holds:
        HEALTHY.every((at) => runs.sum('dropIn', at) === 0) && faulty.every((at) => runs.range('dropIn', at).least > 0),
      measured: BURSTS.map((at) => `${stateText(at)}: ${rangeText(runs.where(at), 'dropIn', meanCountText)}`).join(
        '; ',
      ),
      reason:
        'Packets of the lossless class that counters show as dropped at ingress: none in any healthy run, and some in every run whose headroom is taken away.',
    }),
  ]
}

const stateText = ({ state }: { readonly state: string }): string =>
  state === 'none' ? 'no congestion control' : state === 'dcqcn' ? 'DCQCN' : state

function countersClaim(runs: Runs, faulty: readonly Where[]): Claim {
  const of = (measure: string): number => runs.sum(measure, { part: 'bursts' })
  const shows = (m: Measures): boolean =>
    ['sentPackets', 'sentBytes', 'pauseRxUs', 'dropIn'].every((name) => m[name]! > 0)
  return exact('rce.mon.counters', {
    holds:
      of('unequalLinks') + of('unequalSwitches') === 0 &&
      faulty.every((at) => runs.where(at).outcomes.every(({ measures }) => shows(measures))) &&
      runs.range('crcErrors', faulty[1]!).least > 0,
    measured:
      `${exactCount(of('unequalLinks'))} of ${exactCount(of('directions'))} link directions and ${exactCount(of('unequalSwitches'))} of ${exactCount(of('switches'))} switches differ, ` +
      `with ${exactCount(of('dropIn'))} drops and ${exactCount(of('crcErrors'))} frames with bit errors`,
    reason:
      'Over each link frames sent are those received and those with bit errors, at each switch those received are those sent and those dropped, by counters of all devices in all runs; and the counters of pauses, packets, bytes and drops move.',
  })
}

const tables = (runs: Runs) => [
  tableAt(runs, HEADROOM, {
    title: 'Headroom: two incasts of eight that cross, by length of the links',
    columns: [
      label('metres', ({ metres }) => metres, 'right'),
      label('headroom', ({ headroom }) => headroom),
      means('packets lost', 'drops', meanCountText),
      means('pause frames', 'pauseFrames', meanCountText),
    ],
  }),
  tableAt(runs, BURSTS, {
    title: 'Bursts in 32 servers, by the counters of all devices',
    columns: [
      label('run', stateText),
      means('pause frames', 'pauseFrames', meanCountText),
      means('held, us', 'pauseRxUs', meanCountText),
      means('packets sent', 'sentPackets', meanCountText),
      means('dropped at ingress', 'dropIn', meanCountText),
      means('bit errors', 'crcErrors', meanCountText),
    ],
  }),
  tableAt(runs, CLASSES, {
    title: 'Lossless classes with headroom for 300 m at all ports',
    columns: [
      label('buffer, MB', ({ bufferMb }) => bufferMb, 'right'),
      label('ports', ({ ports }) => ports, 'right'),
      label('headroom of', ({ headroom }) => headroom),
      means('classes', 'classes', meanCountText),
      means('packets lost', 'drops', meanCountText),
    ],
  }),
]

export const lossless = defineExperiment({
  name: 'ms-scale-lossless',
  title: 'Lossless classes: headroom, DCQCN, tags, and what counters show of them',
  source: '[MS-Scale] sections 2, 3 and 5.2',
  help:
    'Headroom for links of 2 to 300 m, and half of it; bursts without and with DCQCN, without headroom and with bit errors, by the counters of all devices; ' +
    'priorities by VLAN tag and by DSCP over two subnets; a PXE boot over trunk and access ports; and the lossless classes that buffers of 9 and 12 MB have headroom for.',
  sizes: { small: 'up to 64 servers', full: 'up to 64 servers' },
  points: (_, seed) => losslessPoints(seed),
  measure: losslessMeasures,
  conclude: (runs) => ({
    tables: tables(runs),
    claims: claims(runs),
    remarks: [
      'Both sizes have the same runs. Traffic is ours; the paper prints none for these statements.',
      'Headroom "of hardware" is 62,816 B, which SONiC has for a port of Trident 2 at 40 Gb/s and 300 m; the simulated parts need less, as they react faster.',
    ],
  }),
})
