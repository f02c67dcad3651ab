/**
 * Statements of the LDCP draft that define a rule. Unit tests cover them; no run decides them.
 */
import type { FindingsTable } from '../core/findings.ts'

/** Claims with the file and the name of their test. */
export const RULES = [
  ['ldcp.mark.below, ldcp.mark.linear, ldcp.mark.above', 'src/fabric/formulas.test.ts', 'T-RED-1'],
  ['ldcp.mark.linear (frequency)', 'src/fabric/link/ecn.test.ts', 'is used in between'],
  ['ldcp.pawa.increase, ldcp.pawa.decrease', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-1'],
  ['ldcp.pawa.delayed', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-2'],
  ['ldcp.pawa.delayed (receiver)', 'src/transport/receive/held-ack.test.ts', 'T-LDCP-2'],
  ['ldcp.sub1.timer, ldcp.sub1.increase, ldcp.sub1.decrease', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-3'],
  ['ldcp.fs.iw', 'src/transport/congestion/ldcp.test.ts', 'as many packets as the first window has leave'],
  ['ldcp.fs.drop-over-K', 'src/fabric/link/ecn.test.ts', 'T-WRED-1: a packet that cannot be marked is dropped'],
  [
    'ldcp.fs.ecn-fields, ldcp.fs.stable-drop-only-full',
    'src/fabric/link/ecn.test.ts',
    'T-WRED-1: an ECN-capable packet is marked from the threshold on, and kept',
  ],
  ['ldcp.unic.last-ecn-capable', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-4'],
  [
    'ldcp.fs.cw-estimate, ldcp.unic.transition-loss',
    'src/transport/congestion/ldcp.test.ts',
    'T-LDCP-5: the loss of PSN 37',
  ],
  ['ldcp.unic.transition-full', 'src/transport/congestion/ldcp.test.ts', 'T-LDCP-5: without a loss'],
  ['ldcp.unic.second-rtt-ecn', 'src/transport/congestion/ldcp.test.ts', 'the window slides while it lasts'],
  ['ldcp.pcc.md-per-cnp, ldcp.pcc.ai-per-rtt', 'src/transport/congestion/ldcp-pcc.test.ts', 'T-LDCP-6'],
  [
    'ldcp.pcc.ai-per-rtt (requests)',
    'src/transport/congestion/ldcp-pcc.test.ts',
    'the first is sent with the first packet, the next at the response',
  ],
] as const

export function rulesTable(): FindingsTable {
  return {
    title: 'Rules of the draft that unit tests cover',
    columns: [{ head: 'claim' }, { head: 'file' }, { head: 'test' }],
    rows: RULES.map(([claim, file, test]) => [claim, file, test]),
  }
}
