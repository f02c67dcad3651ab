/**
 * Loss recoveries in the words of the survey's Tables I to III, by name.
 * Source: [Survey] section VI, Tables I to III.
 */
import { MARKED_AT_SWITCHES, STEP_PER_ROUND_TRIP, type Survey } from './words.ts'

/** RoCE: go-back recovery with PFC only. */
export const ROCE_SURVEY: Survey = {
  row: 'RoCE',
  category: 'traditional RDMA',
  detection: { methods: ['PFC'], locations: ['NIC'] },
  notification: { signals: ['Pause'], locations: ['switch', 'NIC'] },
  adjustment: { unit: 'sending rate', increase: ['RESUME frame'], decrease: ['PAUSE frame'], locations: ['NIC'] },
  granularity: 'per-queue',
  quickStart: true,
  implementation: [],
  resources: ['NIC'],
  pfcDependency: true,
  notes: [
    {
      cell: 'detection.places',
      kind: 'contradiction',
      text: 'In [Survey] VI-A1 queues of switches or NICs exceed the threshold; Table I lists only the NIC.',
    },
  ],
}

/** The schemes of the IGBN paper: RoCE with another NIC. */
const S0_SURVEY: Survey = {
  ...ROCE_SURVEY,
  row: null,
  implementation: ['NIC'],
  notes: [
    {
      cell: 'pfcDependency',
      kind: 'reading',
      text: '[IGBN] II: PFC stays on. The losses meant are those that it does not prevent, such as bit errors.',
    },
  ],
}

/** TCP's loss recovery and its control that halves the window. */
export const TCP_SURVEY: Survey = {
  row: null,
  category: 'traditional DCN',
  detection: { methods: ['packet loss'], locations: ['kernel'] },
  notification: { signals: ['ACK'], locations: ['kernel'] },
  adjustment: {
    unit: 'congestion window',
    increase: ['congestion window+1'],
    decrease: ['congestion window/2'],
    locations: ['kernel'],
  },
  granularity: 'per-flow',
  quickStart: false,
  implementation: [],
  resources: ['kernel'],
  pfcDependency: false,
  notes: [STEP_PER_ROUND_TRIP],
}

export const MP_RDMA_SURVEY: Survey = {
  row: 'MP-RDMA',
  category: 'RDMA-enabled DCN',
  detection: { methods: ['ECN', 'PFC'], locations: ['FPGA'] },
  notification: { signals: ['MP-RDMA ACK', 'PFC'], locations: ['NIC+FPGA', 'switch', 'NIC'] },
  adjustment: {
    unit: 'congestion window',
    increase: ['congestion window+1/(congestion window)'],
    decrease: ['congestion window-1/2'],
    locations: ['FPGA'],
  },
  granularity: 'per-flow',
  quickStart: true,
  implementation: ['ECN-enabled switch', 'NIC+FPGA'],
  resources: ['NIC+FPGA'],
  pfcDependency: true,
  notes: [
    MARKED_AT_SWITCHES,
    {
      cell: 'adjustment.increase',
      kind: 'reading',
      text: 'The step is per ACK; those of other schemes in the same column are per round trip.',
    },
  ],
}

export const RECOVERY_SURVEYS: Readonly<Record<string, Survey>> = {
  'go-back-n': ROCE_SURVEY,
  'go-back-0': {
    ...ROCE_SURVEY,
    row: null,
    notes: [
      { cell: 'implementation', kind: 'reading', text: '[Survey] III-A1: the recovery of RoCE before go-back-N.' },
    ],
  },
  'send-twice': S0_SURVEY,
  'check-epsn': S0_SURVEY,
  'improved-gbn': S0_SURVEY,
  irn: {
    row: 'IRN',
    category: 'RDMA-enabled DCN',
    detection: { methods: ['packet loss'], locations: ['FPGA'] },
    notification: { signals: ['NACK'], locations: ['NIC+FPGA'] },
    adjustment: {
      unit: 'sending rate',
      increase: ['bounded by bandwidth-delay product'],
      decrease: ['bounded by bandwidth-delay product'],
      locations: ['FPGA'],
    },
    granularity: 'per-flow',
    quickStart: true,
    implementation: ['NIC+FPGA'],
    resources: ['NIC+FPGA'],
    pfcDependency: false,
    notes: [
      {
        cell: 'adjustment.unit',
        kind: 'contradiction',
        text: '[Survey] V-D bounds the packets in flight, as [IRN] 3.2 does; Table II and VI-A2 call that a sending rate.',
      },
      {
        cell: 'notification.signals',
        kind: 'here',
        text: '[Survey] V-D resends everything up to the packet that triggered the NACK; IRN resends the missing packets below it ([IRN] 3.1).',
      },
    ],
  },
  iwarp: {
    row: 'iWARP',
    category: 'traditional RDMA',
    detection: { methods: ['packet loss'], locations: ['NIC'] },
    notification: { signals: ['ACK'], locations: ['NIC'] },
    adjustment: {
      unit: 'congestion window',
      increase: ['congestion window+1'],
      decrease: ['congestion window/2'],
      locations: ['NIC'],
    },
    granularity: 'per-flow',
    quickStart: false,
    implementation: [],
    resources: ['NIC'],
    pfcDependency: false,
    notes: [STEP_PER_ROUND_TRIP],
  },
  tcp: TCP_SURVEY,
  'mp-rdma': MP_RDMA_SURVEY,
}
