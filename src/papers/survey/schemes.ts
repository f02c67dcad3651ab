/**
 * Descriptions of schemes in the terms of the survey's Tables I to III. A scheme with a row there is described as that row
 * prints it, also if the survey's text or this program differs; a note at the cell says so. Other schemes are described in
 * the same terms, with words of ours where the survey has none. A description is optional.
 * Source: [Survey] section VI, Tables I to III.
 */
import { textRows } from './text-rows.ts'

/** The seven rows of the survey's tables. */
export type SurveyRow = 'RoCE' | 'iWARP' | 'DCTCP' | 'TIMELY' | 'DCQCN' | 'MP-RDMA' | 'IRN'

/** A cell of the tables. */
export type SurveyCell =
  | `detection.${'methods' | 'places'}`
  | `notification.${'signals' | 'places'}`
  | `adjustment.${'unit' | 'increase' | 'decrease' | 'places'}`
  | Exclude<keyof Survey, 'row' | 'detection' | 'notification' | 'adjustment' | 'notes'>

/** A footnote. */
interface SurveyNote {
  readonly cell: SurveyCell
  /** contradiction: the survey differs elsewhere; here: this program differs; reading: our interpretation of the entry. */
  readonly kind: 'contradiction' | 'here' | 'reading'
  readonly text: string
}

type Words = readonly string[]

export interface Survey {
  /** The survey's row, or null if it has none and the description is ours. */
  readonly row: SurveyRow | null
  readonly category: string
  readonly detection: { readonly methods: Words; readonly locations: Words }
  readonly notification: { readonly signals: Words; readonly locations: Words }
  readonly adjustment: {
    readonly unit: string
    readonly increase: Words
    readonly decrease: Words
    readonly locations: Words
  }
  readonly granularity: string
  /** Whether a flow starts at full speed. */
  readonly quickStart: boolean
  /** Components that are needed; none: products have it already. */
  readonly implementation: Words
  readonly resources: Words
  readonly pfcDependency: boolean
  readonly notes: readonly SurveyNote[]
}

/**
 * Schemes and their row; Table I: category, detection and where, notification and where; Table II: what is adjusted, up, down
 * and where; Table III: granularity, quick start, implementation, resources, dependency on PFC.
 */
const ROWS = `
go-back-n, none | RoCE | traditional RDMA | PFC | NIC | Pause | switch, NIC | sending rate | RESUME frame | PAUSE frame | NIC | per-queue | yes | - | NIC | yes
go-back-0 | - | traditional RDMA | PFC | NIC | Pause | switch, NIC | sending rate | RESUME frame | PAUSE frame | NIC | per-queue | yes | - | NIC | yes
send-twice, check-epsn, improved-gbn | - | traditional RDMA | PFC | NIC | Pause | switch, NIC | sending rate | RESUME frame | PAUSE frame | NIC | per-queue | yes | NIC | NIC | yes
irn | IRN | RDMA-enabled DCN | packet loss | FPGA | NACK | NIC+FPGA | sending rate | bounded by bandwidth-delay product | bounded by bandwidth-delay product | FPGA | per-flow | yes | NIC+FPGA | NIC+FPGA | no
iwarp | iWARP | traditional RDMA | packet loss | NIC | ACK | NIC | congestion window | congestion window+1 | congestion window/2 | NIC | per-flow | no | - | NIC | no
tcp, newreno | - | traditional DCN | packet loss | kernel | ACK | kernel | congestion window | congestion window+1 | congestion window/2 | kernel | per-flow | no | - | kernel | no
mp-rdma | MP-RDMA | RDMA-enabled DCN | ECN, PFC | FPGA | MP-RDMA ACK, PFC | NIC+FPGA, switch, NIC | congestion window | congestion window+1/(congestion window) | congestion window-1/2 | FPGA | per-flow | yes | ECN-enabled switch, NIC+FPGA | NIC+FPGA | yes
dcqcn | DCQCN | RDMA-enabled DCN | ECN, PFC | NIC | CNP, PFC | switch, NIC | sending rate | QCN | congestion severity α | NIC | per-flow | yes | ECN-enabled switch, NIC | NIC | yes
dcqcn-connectx4, dcqcn-hpcc | - | RDMA-enabled DCN | ECN, PFC | NIC | CNP, PFC | switch, NIC | sending rate | QCN | congestion severity α | NIC | per-flow | yes | ECN-enabled switch, NIC | NIC | yes
timely | TIMELY | traditional DCN | RTT gradient, PFC | application | PFC | switch, NIC | sending rate | additive increase, gradient-based decrease, multiplicative increase | gradient-based decrease, multiplicative decrease | application | per-flow | yes | application, NIC, switch | application, NIC | yes
patched-timely | - | traditional DCN | RTT gradient, PFC | application | ACK, PFC | NIC, switch | sending rate | additive increase | gradient-based decrease, multiplicative decrease | application | per-flow | yes | application, NIC, switch | application, NIC | yes
dctcp | DCTCP | traditional DCN | ECN, packet loss | kernel | ECN-marked ACK | kernel | congestion window | congestion window+1 | congestion severity α | kernel | per-flow | no | ECN-enabled switch, kernel | kernel | no
dctcp-rate | - | RDMA-enabled DCN | ECN | NIC | ECN-marked ACK | NIC | sending rate | sending rate+constant | congestion severity α | NIC | per-flow | yes | ECN-enabled switch, NIC | NIC | yes
d2tcp | - | traditional DCN | ECN, packet loss | kernel | ECN-marked ACK | kernel | congestion window | congestion window+1 | congestion severity α, priority factor | kernel | per-flow | no | ECN-enabled switch, kernel | kernel | no
l2dct | - | traditional DCN | ECN, packet loss | kernel | ECN-marked ACK | kernel | congestion window | congestion window+priority factor | congestion severity α, priority factor | kernel | per-flow | no | ECN-enabled switch, kernel | kernel | no
aimd | - | RDMA-enabled DCN | packet loss | NIC | NACK | NIC | congestion window | congestion window+1 | congestion window/2 | NIC | per-flow | yes | NIC | NIC | no
cubic | - | traditional DCN | packet loss | kernel | ACK | kernel | congestion window | cubic function of time | congestion window*0.7 | kernel | per-flow | no | - | kernel | no
dx | - | traditional DCN | queueing delay | kernel, NIC | ACK | NIC | congestion window | congestion window+1 | queueing delay | kernel, NIC | per-flow | yes | kernel, NIC | kernel, NIC | no
swift | - | traditional DCN | RTT, packet loss | application | ACK, NACK | NIC | congestion window | congestion window+1 | multiplicative decrease | application | per-flow | yes | application, NIC | application, NIC | no
hpcc | - | RDMA-enabled DCN | telemetry | NIC | ACK with telemetry | switch, NIC | congestion window | multiplicative increase, additive increase | multiplicative decrease | NIC | per-flow | yes | telemetry-enabled switch, NIC | NIC | yes
qcn | - | traditional DCN | queue feedback | switch | CNM | switch | sending rate | QCN | queue feedback | NIC | per-flow | yes | QCN-enabled switch, NIC | NIC | yes
ldcp | - | RDMA-enabled DCN | ECN, packet loss | NIC | ECN-marked ACK | NIC | congestion window | congestion window+1/(congestion window) | congestion window-1/2 | NIC | per-flow | yes | ECN-enabled switch, NIC | NIC | no
ldcp-pcc | - | RDMA-enabled DCN | ECN | NIC | CNP, RTT response | NIC | sending rate | congestion window+1 | congestion window-1/2 | NIC | per-flow | yes | ECN-enabled switch, NIC | NIC | no
`

/** Schemes, cell, kind and text. Those of one scheme stand in the order of their footnotes. */
const NOTES = `
mp-rdma, dcqcn, dcqcn-connectx4, dcqcn-hpcc, dctcp, dctcp-rate, d2tcp, l2dct, ldcp, ldcp-pcc | detection.places | contradiction | [Survey] VI-A1 says that ECN schemes detect congestion on switches; Table I lists the location that reacts.
iwarp, tcp, dctcp, d2tcp, l2dct, aimd, newreno, dx, swift, ldcp-pcc | adjustment.increase | reading | The step is per round trip; that of MP-RDMA, in the same column, is per ACK.
timely | notification.signals | contradiction | By [Survey] IV-C and Fig. 9 ACKs measure the round-trip time.
timely | adjustment.increase | contradiction | [Survey] IV-C has one increase, the additive one.
timely, patched-timely, dctcp, d2tcp, l2dct, dx, swift | adjustment.places | here | Here it is entirely in the NIC.
go-back-n | detection.places | contradiction | [Survey] VI-A1 has queues of switches and NICs, Table I only the NIC.
go-back-0 | implementation | reading | [Survey] III-A1: the recovery of RoCE before go-back-N.
send-twice, check-epsn, improved-gbn | pfcDependency | reading | [IGBN] II: PFC stays on; it does not prevent bit errors.
irn | adjustment.unit | contradiction | [Survey] V-D and [IRN] 3.2 bound the packets in flight, not a rate.
irn | notification.signals | here | [Survey] V-D resends everything up to the packet that triggered the NACK; IRN resends the missing packets below it ([IRN] 3.1).
mp-rdma | adjustment.increase | reading | The step is per ACK; those of other schemes are per round trip.
none | pfcDependency | reading | With the recovery of RoCE; others may tolerate losses.
dcqcn, dcqcn-connectx4, dcqcn-hpcc | notification.signals | contradiction | [Survey] V-B repeats CNPs until an echo arrives; no CNP is echoed. At most one CNP per interval is sent while marks arrive.
dctcp, d2tcp, l2dct | quickStart | here | A full window, as in [IRN] 4.4.4; with slowStart that of TCP, as in the survey.
dctcp, d2tcp, l2dct | pfcDependency | contradiction | [Survey] VI-C2 first says that it needs PFC, then that it does not.
dx | adjustment.decrease | reading | [Survey] IV-C: "reduces by 1 - Q/V" is read as multiplied by it.
dx | quickStart | here | The survey does not say how DX starts; here with a full window.
hpcc | pfcDependency | reading | PFC stays as a safety net; queues are meant to stay empty.
`

const listOf = (cell = ''): string[] => (cell === '-' ? [] : cell.split(', '))
const notes = textRows(NOTES)

function readRow(name: string, cells: readonly string[]): Survey {
  const [row, category = '', methods, at, signals, signalsAt, unit = '', up, down, adjustedAt, ...table3] = cells
  const [granularity = '', quickStart, implementation, resources, pfcDependency] = table3
  return {
    row: row === '-' ? null : (row as SurveyRow),
    category,
    detection: { methods: listOf(methods), locations: listOf(at) },
    notification: { signals: listOf(signals), locations: listOf(signalsAt) },
    adjustment: { unit, increase: listOf(up), decrease: listOf(down), locations: listOf(adjustedAt) },
    granularity,
    quickStart: quickStart === 'yes',
    implementation: listOf(implementation),
    resources: listOf(resources),
    pfcDependency: pfcDependency === 'yes',
    notes: notes.flatMap(([names, cell, kind, text = '']) =>
      listOf(names).includes(name) ? [{ cell: cell as SurveyCell, kind: kind as SurveyNote['kind'], text }] : [],
    ),
  }
}

const SURVEYS = new Map(
  textRows(ROWS).flatMap(([names, ...cells]) => listOf(names).map((name) => [name, readRow(name, cells)] as const)),
)

/** The description of a recovery or a congestion control; undefined for one that has none. */
export const surveyOf = (name: string): Survey | undefined => SURVEYS.get(name)
