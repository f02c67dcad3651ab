/**
 * Counters of NICs, before and after a run: lines "NAME VALUE" or "NAME: VALUE" of ethtool -S, rdma statistic and hw_counters.
 * Where a name stands twice the first is before; a word "before" or "after" in front of it says so, too.
 */
import { LINE_MAX, linesOf, type CounterReading, type Log } from '../readings.ts'

/** Those that say something of a rate, and what their growth is evidence of. */
export const EVIDENCE: Readonly<
  Record<string, 'loss' | 'slow-restart' | 'marks' | 'pauses' | 'receiver' | 'timeouts'>
> = {
  packet_seq_err: 'loss',
  out_of_sequence: 'loss',
  rx_discards_phy: 'receiver',
  rx_out_of_buffer: 'receiver',
  rnr_nak_retry_err: 'receiver',
  out_of_buffer: 'receiver',
  local_ack_timeout_err: 'timeouts',
  roce_adp_retrans: 'loss',
  roce_slow_restart: 'slow-restart',
  roce_slow_restart_cnps: 'slow-restart',
  np_ecn_marked_roce_packets: 'marks',
  ...Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 7].map((i) => [`rx_prio${i}_pause`, 'pauses'] as const)),
  ...Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 7].map((i) => [`tx_prio${i}_pause`, 'receiver'] as const)),
}
/** Known names that alone say nothing: slow restart raises them without a mark (docs/models/expect.md). */
const BESIDE = new Set(['rp_cnp_handled', 'np_cnp_sent', 'rp_cnp_ignored', 'port_xmit_data', 'port_rcv_data'])

const LINE = /^\s*(?:(before|after)\s*:?\s+)?(?:\S+\/)?([a-z][\w]*)\s*[:=]?\s+(\d{1,15})\s*$/i
/** rdma statistic prints a port in a line. */
const PAIR = /\b([a-z][a-z_]+) (\d{1,15})\b/g

export function readCounters(file: string, text: string): Log | undefined {
  const found = new Map<string, { line: number; before: number | null; after: number }>()
  const note = (line: number, name: string, value: number, when = ''): void => {
    if (EVIDENCE[name] === undefined && !BESIDE.has(name)) return
    const known = found.get(name)
    if (when.toLowerCase() === 'before') found.set(name, { line, before: value, after: known?.after ?? value })
    else found.set(name, { line, before: known === undefined ? null : (known.before ?? known.after), after: value })
  }
  for (const { line, text: words } of linesOf(text)) {
    if (words.length > LINE_MAX) continue
    const one = LINE.exec(words)
    if (one !== null) note(line, one[2]!, Number(one[3]), one[1])
    else if (words.startsWith('link ')) {
      for (const [, name, value] of words.matchAll(PAIR)) note(line, name!, Number(value))
    }
  }
  const readings = [...found].map(([name, at]): CounterReading => ({ kind: 'counter', file, name, ...at }))
  return readings.length === 0 ? undefined : { file, readings, unread: [], untested: [] }
}
