/**
 * Descriptions of schemes in the terms of the survey's Tables I to III. A scheme with a row there is described as that row
 * prints it, also if the survey's text or this program differs; a note at the cell says so. Other schemes are described in
 * the same terms. A description is optional.
 * Source: [Survey] section VI, Tables I to III.
 */
import { adjusts, note, type Survey } from './words.ts'

const MARKED_AT_SWITCHES = note(
  'detection.places',
  'contradiction',
  '[Survey] VI-A1 says that ECN schemes detect congestion on switches; Table I lists the location that reacts.',
)
const IN_NIC_HERE = note('adjustment.places', 'here', 'Here it is entirely in the NIC.')
/** Table II has steps per round trip and per ACK in one column. */
const STEP_PER_ROUND_TRIP = note(
  'adjustment.increase',
  'reading',
  'The step is per round trip; that of MP-RDMA, in the same column, is per ACK.',
)

/** Go-back recovery with PFC only. */
const ROCE: Survey = {
  row: 'RoCE',
  category: 'traditional RDMA',
  detection: { methods: ['PFC'], locations: ['NIC'] },
  notification: { signals: ['Pause'], locations: ['switch', 'NIC'] },
  adjustment: adjusts('sending rate', ['RESUME frame'], ['PAUSE frame'], 'NIC'),
  granularity: 'per-queue',
  quickStart: true,
  implementation: [],
  resources: ['NIC'],
  pfcDependency: true,
  notes: [
    note('detection.places', 'contradiction', '[Survey] VI-A1 has queues of switches and NICs, Table I only the NIC.'),
  ],
}

/** The schemes of the IGBN paper: RoCE with another NIC. */
const IGBN: Survey = {
  ...ROCE,
  row: null,
  implementation: ['NIC'],
  notes: [note('pfcDependency', 'reading', '[IGBN] II: PFC stays on; it does not prevent bit errors.')],
}

/** Loss recovery, and a control that halves the window. */
const TCP: Survey = {
  row: null,
  category: 'traditional DCN',
  detection: { methods: ['packet loss'], locations: ['kernel'] },
  notification: { signals: ['ACK'], locations: ['kernel'] },
  adjustment: adjusts('congestion window', ['congestion window+1'], ['congestion window/2'], 'kernel'),
  granularity: 'per-flow',
  quickStart: false,
  implementation: [],
  resources: ['kernel'],
  pfcDependency: false,
  notes: [STEP_PER_ROUND_TRIP],
}

/** A scheme in NICs that reacts to marks. */
const IN_NIC = {
  row: null,
  category: 'RDMA-enabled DCN',
  granularity: 'per-flow',
  quickStart: true,
  implementation: ['ECN-enabled switch', 'NIC'],
  resources: ['NIC'],
} satisfies Partial<Survey>

const MP_RDMA: Survey = {
  ...IN_NIC,
  row: 'MP-RDMA',
  detection: { methods: ['ECN', 'PFC'], locations: ['FPGA'] },
  notification: { signals: ['MP-RDMA ACK', 'PFC'], locations: ['NIC+FPGA', 'switch', 'NIC'] },
  adjustment: adjusts(
    'congestion window',
    ['congestion window+1/(congestion window)'],
    ['congestion window-1/2'],
    'FPGA',
  ),
  implementation: ['ECN-enabled switch', 'NIC+FPGA'],
  resources: ['NIC+FPGA'],
  pfcDependency: true,
  notes: [
    MARKED_AT_SWITCHES,
    note('adjustment.increase', 'reading', 'The step is per ACK; those of other schemes are per round trip.'),
  ],
}

const RECOVERIES: Readonly<Record<string, Survey>> = {
  'go-back-n': ROCE,
  'go-back-0': {
    ...ROCE,
    row: null,
    notes: [note('implementation', 'reading', '[Survey] III-A1: the recovery of RoCE before go-back-N.')],
  },
  'send-twice': IGBN,
  'check-epsn': IGBN,
  'improved-gbn': IGBN,
  irn: {
    ...IN_NIC,
    row: 'IRN',
    detection: { methods: ['packet loss'], locations: ['FPGA'] },
    notification: { signals: ['NACK'], locations: ['NIC+FPGA'] },
    adjustment: adjusts(
      'sending rate',
      ['bounded by bandwidth-delay product'],
      ['bounded by bandwidth-delay product'],
      'FPGA',
    ),
    implementation: ['NIC+FPGA'],
    resources: ['NIC+FPGA'],
    pfcDependency: false,
    notes: [
      note('adjustment.unit', 'contradiction', '[Survey] V-D and [IRN] 3.2 bound the packets in flight, not a rate.'),
      note(
        'notification.signals',
        'here',
        '[Survey] V-D resends everything up to the packet that triggered the NACK; IRN resends the missing packets below it ([IRN] 3.1).',
      ),
    ],
  },
  iwarp: {
    ...TCP,
    row: 'iWARP',
    category: 'traditional RDMA',
    detection: { methods: ['packet loss'], locations: ['NIC'] },
    notification: { signals: ['ACK'], locations: ['NIC'] },
    adjustment: { ...TCP.adjustment, locations: ['NIC'] },
    resources: ['NIC'],
  },
  tcp: TCP,
  'mp-rdma': MP_RDMA,
}

const DCQCN: Survey = {
  ...IN_NIC,
  row: 'DCQCN',
  detection: { methods: ['ECN', 'PFC'], locations: ['NIC'] },
  notification: { signals: ['CNP', 'PFC'], locations: ['switch', 'NIC'] },
  adjustment: adjusts('sending rate', ['QCN'], ['congestion severity α'], 'NIC'),
  pfcDependency: true,
  notes: [
    MARKED_AT_SWITCHES,
    note(
      'notification.signals',
      'contradiction',
      '[Survey] V-B repeats CNPs until an echo arrives; no CNP is echoed. At most one CNP per interval is sent while marks arrive.',
    ),
  ],
}

const TIMELY: Survey = {
  row: 'TIMELY',
  category: 'traditional DCN',
  detection: { methods: ['RTT gradient', 'PFC'], locations: ['application'] },
  notification: { signals: ['PFC'], locations: ['switch', 'NIC'] },
  adjustment: adjusts(
    'sending rate',
    ['additive increase', 'gradient-based decrease', 'multiplicative increase'],
    ['gradient-based decrease', 'multiplicative decrease'],
    'application',
  ),
  granularity: 'per-flow',
  quickStart: true,
  implementation: ['application', 'NIC', 'switch'],
  resources: ['application', 'NIC'],
  pfcDependency: true,
  notes: [
    note('notification.signals', 'contradiction', 'By [Survey] IV-C and Fig. 9 ACKs measure the round-trip time.'),
    note('adjustment.increase', 'contradiction', '[Survey] IV-C has one increase, the additive one.'),
    IN_NIC_HERE,
  ],
}

const DCTCP: Survey = {
  ...TCP,
  row: 'DCTCP',
  detection: { methods: ['ECN', 'packet loss'], locations: ['kernel'] },
  notification: { signals: ['ECN-marked ACK'], locations: ['kernel'] },
  adjustment: adjusts('congestion window', ['congestion window+1'], ['congestion severity α'], 'kernel'),
  implementation: ['ECN-enabled switch', 'kernel'],
  notes: [
    MARKED_AT_SWITCHES,
    STEP_PER_ROUND_TRIP,
    IN_NIC_HERE,
    note('quickStart', 'here', 'A full window, as in [IRN] 4.4.4; with slowStart that of TCP, as in the survey.'),
    note('pfcDependency', 'contradiction', '[Survey] VI-C2 first says that it needs PFC, then that it does not.'),
  ],
}

const CONGESTIONS: Readonly<Record<string, Survey>> = {
  none: {
    ...ROCE,
    notes: [note('pfcDependency', 'reading', 'With the recovery of RoCE; others may tolerate losses.')],
  },
  dcqcn: DCQCN,
  'dcqcn-connectx4': { ...DCQCN, row: null },
  'dcqcn-hpcc': { ...DCQCN, row: null },
  timely: TIMELY,
  'patched-timely': {
    ...TIMELY,
    row: null,
    notification: { signals: ['ACK', 'PFC'], locations: ['NIC', 'switch'] },
    adjustment: { ...TIMELY.adjustment, increase: ['additive increase'] },
    notes: [IN_NIC_HERE],
  },
  dctcp: DCTCP,
  'dctcp-rate': {
    ...IN_NIC,
    detection: { methods: ['ECN'], locations: ['NIC'] },
    notification: { signals: ['ECN-marked ACK'], locations: ['NIC'] },
    adjustment: adjusts('sending rate', ['sending rate+constant'], ['congestion severity α'], 'NIC'),
    pfcDependency: true,
    notes: [MARKED_AT_SWITCHES],
  },
  d2tcp: {
    ...DCTCP,
    row: null,
    adjustment: { ...DCTCP.adjustment, decrease: ['congestion severity α', 'priority factor'] },
  },
  l2dct: {
    ...DCTCP,
    row: null,
    adjustment: adjusts(
      'congestion window',
      ['congestion window+priority factor'],
      ['congestion severity α', 'priority factor'],
      'kernel',
    ),
  },
  aimd: {
    ...IN_NIC,
    detection: { methods: ['packet loss'], locations: ['NIC'] },
    notification: { signals: ['NACK'], locations: ['NIC'] },
    adjustment: adjusts('congestion window', ['congestion window+1'], ['congestion window/2'], 'NIC'),
    implementation: ['NIC'],
    pfcDependency: false,
    notes: [STEP_PER_ROUND_TRIP],
  },
  newreno: TCP,
  cubic: {
    ...TCP,
    adjustment: adjusts('congestion window', ['cubic function of time'], ['congestion window*0.7'], 'kernel'),
    notes: [],
  },
  dx: {
    ...TCP,
    detection: { methods: ['queueing delay'], locations: ['kernel', 'NIC'] },
    notification: { signals: ['ACK'], locations: ['NIC'] },
    adjustment: adjusts('congestion window', ['congestion window+1'], ['queueing delay'], 'kernel', 'NIC'),
    quickStart: true,
    implementation: ['kernel', 'NIC'],
    resources: ['kernel', 'NIC'],
    notes: [
      STEP_PER_ROUND_TRIP,
      IN_NIC_HERE,
      note('adjustment.decrease', 'reading', '[Survey] IV-C: "reduces by 1 - Q/V" is read as multiplied by it.'),
      note('quickStart', 'here', 'The survey does not say how DX starts; here with a full window.'),
    ],
  },
  swift: {
    ...TIMELY,
    row: null,
    detection: { methods: ['RTT', 'packet loss'], locations: ['application'] },
    notification: { signals: ['ACK', 'NACK'], locations: ['NIC'] },
    adjustment: adjusts('congestion window', ['congestion window+1'], ['multiplicative decrease'], 'application'),
    implementation: ['application', 'NIC'],
    pfcDependency: false,
    notes: [STEP_PER_ROUND_TRIP, IN_NIC_HERE],
  },
  hpcc: {
    ...IN_NIC,
    detection: { methods: ['telemetry'], locations: ['NIC'] },
    notification: { signals: ['ACK with telemetry'], locations: ['switch', 'NIC'] },
    adjustment: adjusts(
      'congestion window',
      ['multiplicative increase', 'additive increase'],
      ['multiplicative decrease'],
      'NIC',
    ),
    implementation: ['telemetry-enabled switch', 'NIC'],
    pfcDependency: true,
    notes: [note('pfcDependency', 'reading', 'PFC stays as a safety net; queues are meant to stay empty.')],
  },
  qcn: {
    ...IN_NIC,
    category: 'traditional DCN',
    detection: { methods: ['queue feedback'], locations: ['switch'] },
    notification: { signals: ['CNM'], locations: ['switch'] },
    adjustment: adjusts('sending rate', ['QCN'], ['queue feedback'], 'NIC'),
    implementation: ['QCN-enabled switch', 'NIC'],
    pfcDependency: true,
    notes: [],
  },
  ldcp: {
    ...IN_NIC,
    detection: { methods: ['ECN', 'packet loss'], locations: ['NIC'] },
    notification: { signals: ['ECN-marked ACK'], locations: ['NIC'] },
    adjustment: { ...MP_RDMA.adjustment, locations: ['NIC'] },
    pfcDependency: false,
    notes: [MARKED_AT_SWITCHES],
  },
  'ldcp-pcc': {
    ...IN_NIC,
    detection: { methods: ['ECN'], locations: ['NIC'] },
    notification: { signals: ['CNP', 'RTT response'], locations: ['NIC'] },
    adjustment: adjusts('sending rate', ['congestion window+1'], ['congestion window-1/2'], 'NIC'),
    pfcDependency: false,
    notes: [MARKED_AT_SWITCHES, STEP_PER_ROUND_TRIP],
  },
  'mp-rdma': MP_RDMA,
}

/** The description of a recovery or a congestion control; undefined for one that has none. */
export function surveyOf(kind: 'recovery' | 'congestion', name: string): Survey | undefined {
  const rows = kind === 'recovery' ? RECOVERIES : CONGESTIONS
  return Object.hasOwn(rows, name) ? rows[name] : undefined
}
