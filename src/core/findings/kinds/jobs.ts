/**
 * Findings on jobs: workloads whose messages wait for each other. What held their steps, who is late, and what never began.
 */
import { exactCount, humanDuration, humanNumber, humanRate, humanShare } from '../../base/format.ts'
import { shownName } from '../../base/control-characters.ts'
import { defineFinding, type Values } from '../finding.ts'
import { counted, timesText } from '../words.ts'

const SOURCE = 'docs/models/step-time.md'

interface Held extends Values {
  readonly iteration: number
  readonly step: number
  readonly rank: number
  readonly rankName: string
  readonly operation: string
  readonly spanPs: number
  readonly idealPs: number
  readonly excessPs: number
  /** Excess of all messages of the chain, no more than the job is longer than idle, and its share of the job's time. */
  readonly pathExcessPs: number
  readonly messages: number
  readonly share: number
  /** Label of the part with most of the excess, its origin and the flow that went before; null: not known. */
  readonly cause: string | null
  readonly origin: string | null
  readonly culpritFlow: number | null
  readonly culpritTag: string | null
}

export const stepHeld = defineFinding<Held>({
  id: 'step-held',
  severity: 'warning',
  meaning: 'Messages on the critical path of a job took longer than in its idle run, and the job with them.',
  formula:
    'excess of the messages on the critical path over the idle run, and time of the job beyond its idle time, >= 5 % of its time',
  source: SOURCE,
  remedy: 'rocelab explain says for each of these messages where its time went',
  evidence: ['flows'],
  text(values, { workload = '', flow }) {
    const { messages, pathExcessPs, share, operation, excessPs, iteration, cause, origin, culpritFlow, culpritTag } =
      values
    const round = iteration < 0 ? '' : ` of iteration ${iteration + 1}`
    const why = cause === null ? '' : `: ${cause}${origin === null ? '' : ` at ${origin}`}`
    const who =
      culpritFlow === null
        ? ''
        : `, behind flow ${culpritFlow}${culpritTag === null ? '' : ` of ${shownName(culpritTag)}`}`
    return (
      `${counted(messages, 'message')} on the critical path of ${shownName(workload)} took ${humanDuration(pathExcessPs)} longer ` +
      `than idle, ${humanShare(share)} of its time; for example flow ${flow}, ${operation}${round} from rank ${values.rank} ` +
      `(${values.rankName}), ${humanDuration(excessPs)}${why}${who}`
    )
  },
})

export const straggler = defineFinding<{
  rank: number
  by: 'compute' | 'network'
  times: number
  rounds: number
  latePs: number
  share: number
}>({
  id: 'straggler',
  severity: 'warning',
  meaning:
    'A rank is late again and again, and the others wait for it: it computes longer, or its messages come later.',
  formula:
    "compute time over the median rank's >= 5 % of the job; or last in 60 % of the rounds, 5 % behind the median",
  source: SOURCE,
  remedy:
    'look at this host: its clocks and temperature if it computes longer, its port and path if its messages are late',
  evidence: ['flows'],
  text({ rank, by, times, rounds, latePs, share }, { workload = '', device = '', port }) {
    const who = `rank ${rank} of ${shownName(workload)} (${device}${port === undefined ? '' : `, at ${port}`})`
    const late = `${humanDuration(latePs)}, ${humanShare(share)} of the step time`
    return by === 'compute'
      ? `${who} computes longer than the median rank: ${late} in each step, and the others wait for it`
      : `${who} was last ${timesText(times)} in ${exactCount(rounds)}, behind the median rank by ${late}`
  },
  advice: ({ by }) =>
    by === 'compute' ? 'look at what the host computes, its clocks and temperature' : 'look at its port and its path',
  weight: ({ latePs }) => latePs,
})

export const operationsUnstarted = defineFinding<{
  ranks: number
  rank: number
  operation: string
  waitsFor: string
}>({
  id: 'operations-unstarted',
  severity: 'error',
  meaning: 'Operations of a job never began, as what they wait for was not done.',
  source: SOURCE,
  remedy: 'look at the operation that is waited for: a receive without its message, or a run that stopped earlier',
  text: ({ ranks, rank, operation, waitsFor }, { workload = '', device = '' }) =>
    `operations of ${counted(ranks, 'rank')} of ${shownName(workload)} never began; first rank ${rank} (${device}): ` +
    `${operation} waits for ${waitsFor}`,
  advice: () => '',
})

export const slowLink = defineFinding<{
  rank: number | null
  rateBps: number | null
  usualBps: number | null
  /** Step time over the idle one with all links at the usual rate; share of the path's excess at the port. */
  ratio: number
  excessShare: number | null
}>({
  id: 'slow-link',
  severity: 'warning',
  meaning:
    'One link holds a job: it is slower than those of the other ranks, or all that messages lost they lost there.',
  formula: 'rate below the median of the ranks; or >= 80 % of the excess on the critical path at one port',
  source: SOURCE,
  remedy: 'look at this link: its speed, its optics, and who else uses it',
  evidence: ['links'],
  text({ rank, rateBps, usualBps, ratio, excessShare }, { workload = '', device = '', port }) {
    const times = `its steps take ${humanNumber(ratio)} times what they would take`
    return rateBps !== null && usualBps !== null
      ? `the link of rank ${rank} of ${shownName(workload)} (${device} to ${port}) has ${humanRate(rateBps)} where the others ` +
          `have ${humanRate(usualBps)}: ${times} at that rate`
      : `${humanShare(excessShare ?? 1)} of what held the critical path of ${shownName(workload)} was at ${device}: ` +
          `${times} alone in the network`
  },
})
