/**
 * The default case of [IRN] section 4.1 with RoCE, IRN and its variants, or iWARP: 54 hosts in a fat tree of 6-port
 * switches, 40 Gb/s and 2 us per link, input-queued switches with 240 KB per port, ECMP, heavy-tailed flows at 70 % load.
 * The paper leaves open how long flows arrive, how sizes are distributed and which bytes the load counts. At 70 % these
 * decide all completion times, since the network is not stationary there. Our reading: 956 flows per host (75 ms at 70 %
 * of 40 Gb/s; some 52,000 in all), sizes log-uniform below 200 KB and uniform up to 3 MB, load in bytes on the wire, every
 * flow run to its end. It was inferred from the paper's cells for IRN alone at 30 and 70 % without congestion control,
 * which are therefore inputs (docs/experiments/README.md).
 */
import { parseScenario, type Scenario } from '../../lab/scenario/index.ts'

export type Traffic = keyof typeof TRAFFIC
export type Pfc = keyof typeof FLOW_CONTROL
export type Control = keyof typeof CONGESTION
export type Transport = keyof typeof TRANSPORTS

const DEFAULT_LOAD = 0.7
/** Milliseconds in which the flows of the default case arrive. */
const ARRIVALS_MS = 75

/**
 * The full traffic and two shorter ones. Runs with 5 ms of arrivals stop after 40 ms and leave out unfinished flows; runs
 * with 2 ms, for schemes that finish in any case, leave out nothing.
 */
const TRAFFIC = {
  'irn-default': { arrivalsMs: ARRIVALS_MS, measure: 'end: drain' },
  'irn-default-5-ms': { arrivalsMs: 5, measure: 'warmUp: 500us, window: 4ms, end: drain, stop: 40ms' },
  'irn-default-2-ms': { arrivalsMs: 2, measure: 'warmUp: 200us, window: 1600us, end: drain' },
} as const

const iwarp = (settings: string, rtoInitial = '320us', rtoMin = '320us'): string =>
  `{kind: iwarp, ${settings}, rtoInitial: ${rtoInitial}, rtoMin: ${rtoMin}}`

/**
 * RoCE, IRN, its variants of sections 4.3 and 6.3, and iWARP with the settings that section 4.6 leaves open.
 * Timeouts of INET: 3 s before the first RTT sample, at least 1 s (TCPBaseAlg of INET 2). Name for people, and recovery.
 */
const TRANSPORTS = {
  roce: ['RoCE', '{kind: go-back-n, nakInterval: off}'],
  irn: ['IRN', '{kind: irn, cap: 110}'],
  'irn-with-go-back-n': ['IRN with go-back-N', '{kind: irn, cap: 110, resend: go-back-n}'],
  'irn-without-sacks': ['IRN without SACKs', '{kind: irn, cap: 110, resend: oldest}'],
  'irn-with-dynamic-timeouts': ['IRN with dynamic timeouts', '{kind: irn, cap: 110, timeout: dynamic}'],
  'irn-without-bdp-fc': ['IRN without BDP-FC', '{kind: irn, bdpFlowControl: false}'],
  'irn-with-overheads': ['IRN, 2 us and 16 B', '{kind: irn, cap: 110, fetchDelay: 2us, extraHeader: 16B}'],
  'irn-with-fetch-delay': ['IRN, 2 us', '{kind: irn, cap: 110, fetchDelay: 2us}'],
  'irn-with-longer-headers': ['IRN, 16 B', '{kind: irn, cap: 110, extraHeader: 16B}'],
  iwarp: ['iWARP', iwarp('initialWindow: 4')],
  'iwarp-with-window-2': ['iWARP, initial window 2', iwarp('initialWindow: 2')],
  'iwarp-with-window-10': ['iWARP, initial window 10', iwarp('initialWindow: 10')],
  'iwarp-with-newreno': ['iWARP, NewReno', iwarp('flavour: newreno, initialWindow: 4')],
  'iwarp-with-timeouts-of-inet': ['iWARP, timeouts of INET', iwarp('initialWindow: 4', '3s', '1s')],
} as const

/**
 * TIMELY's paper has segments of 16 packets; per packet is a reading of the IRN paper. With back-off a loss halves the
 * rate; section 4.3 tried back-off with go-back-N and does not give the factor. Name for people, and congestion control.
 */
const CONGESTION = {
  none: ['no control', 'none'],
  timely: ['TIMELY by 16 KB', 'timely'],
  dcqcn: ['DCQCN', 'dcqcn'],
  aimd: ['AIMD', 'aimd'],
  dctcp: ['DCTCP', 'dctcp'],
  'timely-per-packet': ['TIMELY', '{kind: timely, segment: 1024B}'],
  'timely-per-packet-with-back-off': ['TIMELY with back-off', '{kind: timely, segment: 1024B, lossCut: 0.5}'],
  'dcqcn-with-back-off': ['DCQCN with back-off', '{kind: dcqcn, lossCut: 0.5}'],
} as const

/**
 * Marking threshold of DCTCP, which [IRN] 4.4.4 does not give: 65 packets of 1,086 bytes, the DCTCP paper's value for
 * 10 Gb/s. Its rule RTT * C / 7 would give 17 KB.
 */
const DCTCP_MARKS = '{kmin: 70KB, kmax: 70KB, pmax: 1}'

/** With PFC there are no timeouts. The paper pauses at 220 KB; pfc-early at 216 KB, so that nothing is lost. */
const FLOW_CONTROL = {
  pfc: { buffer: '{kind: input-queued, portBuffer: 240KB, xoff: 220KB}', classes: '[3]', timeout: 'off' },
  'pfc-early': { buffer: '{kind: input-queued, portBuffer: 240KB, xoff: 216KB}', classes: '[3]', timeout: 'off' },
  'no-pfc': { buffer: '{kind: input-queued, portBuffer: 240KB}', classes: '[]', timeout: '320us' },
} as const

/** RoCE with PFC has no ACKs except under TIMELY, which needs one per segment. All others have one ACK per packet. */
function ackIntervalOf(transport: Transport, pfc: Pfc, control: Control): number {
  if (transport !== 'roce' || pfc === 'no-pfc') return 1
  if (control === 'timely-per-packet') return 1
  return control === 'timely' ? 16 : 0
}

/** Recovery, congestion control, buffers, pauses and queue pairs of a transport, as lines of a scenario. */
export function fabricOf(o: { readonly transport: Transport; readonly pfc: Pfc; readonly control: Control }): string {
  const { buffer, classes, timeout } = FLOW_CONTROL[o.pfc]
  const isDctcp = o.control === 'dctcp'
  const ackInterval = ackIntervalOf(o.transport, o.pfc, o.control)
  return `recovery: ${TRANSPORTS[o.transport][1]}
congestion: ${CONGESTION[o.control][1]}
switch: {buffer: ${buffer}${isDctcp ? `, ecn: ${DCTCP_MARKS}` : ''}}
pfc: {classes: ${classes}}
qp: {ackInterval: ${ackInterval}, ackTimeout: ${timeout}, retryLimit: off${isDctcp ? ', ecnEcho: ack' : ''}}`
}

export const transportName = (transport: Transport): string => TRANSPORTS[transport][0]
export const controlName = (control: Control): string => CONGESTION[control][0]

interface IrnDefault {
  readonly traffic: Traffic
  readonly transport: Transport
  readonly pfc: Pfc
  readonly control: Control
  readonly seed: number
  /** Packets that a QP may send before the NIC serves the next one (`nic.packetsPerTurn`). */
  readonly burst?: number
  /** Share of the hosts' links. The number of flows stays the same, so they arrive faster or slower. */
  readonly load?: number | undefined
  /** Name of a setting that differs from the default case; `sets` are its changes as "path=value". */
  readonly setting?: string
  readonly sets?: readonly string[]
}

/** The default case. DCQCN has its paper's parameters; ECN marks from 5 KB, 1 % at 200 KB. */
export function irnDefault(o: IrnDefault): Scenario {
  const { traffic, transport, pfc, control, seed, burst = 1, load = DEFAULT_LOAD, setting = '', sets = [] } = o
  const bursts = burst === 1 ? '' : `bursts of ${burst}`
  const name = `${traffic} ${transport} ${pfc} ${control} ${setting} ${bursts}`.trim()
  const { arrivalsMs, measure } = TRAFFIC[traffic]
  // Without PFC go-back-N resends the same packets for seconds; no other recovery needs a fifth of that time.
  const goesBack = transport === 'roce' || transport === 'irn-with-go-back-n'
  const isEndless = goesBack && pfc === 'no-pfc' && traffic === 'irn-default'
  const generateNs = Math.round((arrivalsMs * 1e6 * DEFAULT_LOAD) / load)
  return parseScenario(
    `
name: ${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}
seed: ${seed}
topology: {kind: fat-tree, arity: 6, linkRate: ${DEFAULT_GBPS}Gbps, linkDelay: 2us}
${fabricOf({ transport, pfc, control })}
nic: {packetsPerTurn: ${burst}}
workload: [{kind: poisson, load: ${load}, loadBasis: wire, sizes: heavy-tailed-finite}]
measure: {generate: ${generateNs}ns, ${measure}${isEndless ? ', stop: 1s' : ''}}
`,
    { sets },
  )
}

export const DEFAULT_GBPS = 40
/** Threshold of PFC in KB, as printed; the early one is 4 KB lower, by the frames that have begun transmission. */
export const PAUSE_KB = 220
const ROUNDING_KB = 4
export const pauseKbOf = (pfc: Exclude<Pfc, 'no-pfc'>, printedKb = PAUSE_KB): number =>
  pfc === 'pfc' ? printedKb : printedKb - ROUNDING_KB

/** Buffers of the default case, its thresholds of RED with DCQCN, and the cap. */
const BUFFER_KB = 240
const MARK_KB = { kmin: 5, kmax: 200 }
const CAP_PACKETS = 110

/**
 * Changes to a scenario for links of a rate. Scaled are the values that section 4.1 derives from it: the cap (the BDP),
 * buffers of twice the BDP, and the headroom above PFC's threshold (the BDP of one link); and the marking thresholds.
 */
export function fabricAt(gbps: number, { transport, pfc }: { transport: Transport; pfc: Pfc }): readonly string[] {
  const scale = gbps / DEFAULT_GBPS
  return [
    `topology.linkRate=${gbps}Gbps`,
    `switch.buffer.portBuffer=${BUFFER_KB * scale}KB`,
    ...Object.entries(MARK_KB).map(([name, kb]) => `switch.ecn.${name}=${kb * 1000 * scale}B`),
    ...(pfc === 'no-pfc' ? [] : [`switch.buffer.xoff=${pauseKbOf(pfc, PAUSE_KB * scale)}KB`]),
    ...(transport === 'irn' ? [`recovery.cap=${Math.round(CAP_PACKETS * scale)}`] : []),
  ]
}
