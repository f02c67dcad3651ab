/**
 * The queue pair of the survey's worked examples, which is driven by hand.
 */
import { US } from '../../base/index.ts'
import { ScriptedPair } from '../../lab/index.ts'
import { parseScenario } from '../../scenario/index.ts'

/** Long enough for all packets of an example to leave before the first ACK. */
const RTT_PS = 40 * US

/** A queue pair on a link of a rate in Gb/s, with its schemes as lines of YAML. */
export function pairOf(lines: readonly string[], gbps = 40): ScriptedPair {
  const text = [
    'name: survey-example',
    `topology: {kind: star, hosts: 2, linkRate: ${gbps}Gbps}`,
    'workload: [permutation]',
    ...lines,
  ]
  return new ScriptedPair(parseScenario(text.join('\n')), RTT_PS)
}

/** DCTCP with a window and the packets of a round trip in flight. */
export function dctcpAt(windowPackets: number, flight: number, g: number, alpha: number): ScriptedPair {
  const pair = pairOf([`congestion: {kind: dctcp, g: ${g}}`, 'qp: {ecnEcho: ack}'])
  pair.acknowledge(0, { cumulativePsn: 1, nextPsn: flight })
  Object.assign(pair.control, { windowPackets, alpha })
  return pair
}

/** Its window after the round trip; `marks` has a 1 for each packet that was marked. */
export function windowAfter(windowPackets: number, marks: string, g: number, alpha: number): number {
  const pair = dctcpAt(windowPackets, marks.length, g, alpha)
  for (const [i, mark] of Array.from(marks).entries())
    pair.acknowledge(0, { cumulativePsn: i + 2, nextPsn: i + 1 + marks.length, marked: mark === '1' })
  return pair.control.windowPackets
}
