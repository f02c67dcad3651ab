/**
 * LDCP and the controls it is compared with: switch, queue pairs and congestion control of each, as lines of a scenario.
 * Without PFC a port holds 1 MB and drops all further packets (the draft's buf_max), and the timeout is 320 us. With PFC
 * buffers are large enough for all headrooms, and nothing is lost.
 * The draft gives no marking thresholds. Ours: 20 KB, 60 KB, 10 %, and early drop at 60 KB; DCQCN has its paper's 5 KB,
 * 200 KB, 1 %. TIMELY and DCQCN have the parameters of their papers.
 */

/** Payload bytes that fill 40 Gb/s during the round trip of 24 us. */
export const BDP_BYTES = 110 * 1024
/** Our values for the draft's K_min and K_max. */
export const KMIN_BYTES = 20_000
export const KMAX_BYTES = 60_000

const LOSSY_BUFFER = '{kind: shared-buffer, size: 4GB, reserve: 0B, alpha: 1, egressReserve: 1MB, egressAlpha: 0}'
const MARKS = 'ecn: {kmin: 20KB, kmax: 60KB, pmax: 0.1}'

/** A window-based control on a lossy network. All packets are ECN-capable except those that LDCP wants dropped early. */
function windowed(congestion: string, threshold = '60KB', coalescing = 1): (w: Wish) => string {
  return ({ initialWindow }) => {
    const first = initialWindow === undefined ? '' : `, initialWindow: ${initialWindow}`
    const wred = congestion.startsWith('ldcp') ? `, wred: {classes: [3], threshold: ${threshold}}` : ''
    const echo = congestion.startsWith('aimd') ? 'cnp' : 'ack'
    const coalesced = coalescing === 1 ? '' : `, ackCoalescing: ${coalescing}`
    return `
pfc: {classes: []}
switch: {buffer: ${LOSSY_BUFFER}, ${MARKS}${wred}}
qp: {ecnEcho: ${echo}, ackTimeout: 320us, retryLimit: off${coalesced}}
congestion: {kind: ${congestion}${first}}`
  }
}

/** A rate-based control on a lossy network: every packet is acknowledged, and there is a timeout. */
function lossy(congestion: string, marks = ''): (w: Wish) => string {
  return () => `
pfc: {classes: []}
switch: {buffer: ${LOSSY_BUFFER}${marks}}
qp: {ackTimeout: 320us, retryLimit: off}
congestion: ${congestion}`
}

/** A rate-based control with PFC: an ACK for 16 packets, no timeout. */
function lossless(congestion: string, marks = ''): (w: Wish) => string {
  return ({ bufferMb }) => `
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: ${bufferMb}MB}${marks}}
qp: {ackInterval: 16, retryLimit: off}
congestion: ${congestion}`
}

/** Parameters that differ between families of runs. */
interface Wish {
  /** Buffer of a switch with PFC. */
  readonly bufferMb: number
  /** Packets; the control's default unless given. */
  readonly initialWindow?: number
}

export const CONTROLS = {
  LDCP: windowed('ldcp'),
  'LDCP, capable start': windowed('ldcp, incapableStart: false'),
  'LDCP, no early drop': windowed('ldcp', '1GB'),
  'LDCP, last incapable': windowed('ldcp, lastCapable: false'),
  'LDCP, gamma 1/16': windowed('ldcp, minWindow: 0.0625'),
  'LDCP, window of 1 at least': windowed('ldcp, minWindow: 1'),
  'LDCP, an ACK for 2': windowed('ldcp', '60KB', 2),
  'LDCP, an ACK for 4': windowed('ldcp', '60KB', 4),
  'LDCP, an ACK for 8': windowed('ldcp', '60KB', 8),
  'LDCP, an ACK for 16': windowed('ldcp', '60KB', 16),
  'LDCP-PCC': lossy('ldcp-pcc', `, ${MARKS}`),
  'LDCP-PCC with PFC': lossless('ldcp-pcc', `, ${MARKS}`),
  DCTCP: windowed('dctcp'),
  'DCTCP, slow start': windowed('dctcp, slowStart: true, initialWindow: 10'),
  // The first mark of a round trip halves the window, whatever the share of marks (RFC 3168).
  'ECN-TCP': windowed('dctcp, g: 0, cutOnFirstEce: true'),
  TCP: windowed('aimd'),
  'DCQCN with PFC': lossless('dcqcn'),
  'DCQCN without PFC': lossy('dcqcn'),
  'TIMELY with PFC': lossless('timely'),
  'TIMELY without PFC': lossy('timely'),
} as const

export type Control = keyof typeof CONTROLS
