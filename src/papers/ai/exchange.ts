/**
 * Picture: an all-to-all under PFC. All messages at once, or a step at a time; posted in turn around the group, or by all to
 * the same host first with messages sent whole, as naive programs and NICs do: an incast that moves from host to host.
 * On one switch, and on a leaf-spine fabric with ECMP.
 */
import { humanDuration } from '../../show/index.ts'
import { ABOVE_ONE, ABOVE_ZERO, atLeast, BELOW_ONE, type Claim, claim, equalTo, nearShare } from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { Size } from '../core/point.ts'
import type { Runs } from '../core/runs.ts'
import { intervals, label, tableAt } from '../core/tables.ts'
import {
  ackPs,
  ackRoomPs,
  alonePs,
  leafSpine,
  lineOf,
  MIB,
  onLinkPs,
  PAYLOAD,
  starOf,
  stepPs,
  TRANSPORTS,
} from './times.ts'
import { definePicture } from './picture.ts'

const EXCHANGES = {
  full: 'algorithm: full',
  shift: 'algorithm: shift',
  pairwise: 'algorithm: pairwise',
  'one host after the other': 'algorithm: full, order: ascending',
} as const
type Exchange = keyof typeof EXCHANGES
const NAIVE: Exchange = 'one host after the other'
const ORDERED: Exchange[] = ['full', 'shift', 'pairwise']

type ExchangeAt = {
  readonly network: 'one switch' | 'leaf-spine'
  readonly exchange: Exchange
  readonly transport: 'ecmp, PFC alone' | 'ecmp, PFC and DCQCN'
}

const HOSTS = 16
/** From each host to each other. */
const PART_MIB = { small: 1, full: 4 } as const
const GRID: ExchangeAt[] = product({
  network: ['one switch', 'leaf-spine'],
  exchange: [...ORDERED, NAIVE],
  transport: ['ecmp, PFC alone', 'ecmp, PFC and DCQCN'],
})

/** On one idle switch, ps. */
function idlePs(exchange: Exchange, size: Size): number {
  const [part, line] = [PART_MIB[size] * MIB, lineOf(2)]
  if (exchange === 'shift' || exchange === 'pairwise')
    return (HOSTS - 1) * stepPs(part, line) + (HOSTS - 2) * ackPs(line)
  const busy = onLinkPs(part, line) + ackRoomPs(part, line)
  return (HOSTS - 1) * busy + alonePs(part, line) - onLinkPs(part, line)
}

function claims(runs: Runs, size: Size): Claim[] {
  const ordered = GRID.filter(({ network, exchange }) => network === 'one switch' && exchange !== NAIVE)
  const at = (network: ExchangeAt['network'], exchange: Exchange, transport: ExchangeAt['transport']): ExchangeAt => {
    return { network, exchange, transport }
  }
  const [pfc, dcqcn] = ['ecmp, PFC alone', 'ecmp, PFC and DCQCN'] as const
  const naive = at('one switch', NAIVE, pfc)
  const across = (kind: Exchange): ExchangeAt => at('leaf-spine', kind, pfc)
  return [
    ...ordered.flatMap((of) => [
      claim('step-time.exchange', runs.mean('timePs', of, 1 / idlePs(of.exchange, size)), nearShare(1, 0.01), {
        check: `${of.exchange}, ${of.transport}`,
        statement: 'On one switch an all-to-all in turn takes its formula: no host ever receives more than its link',
        paper: '1 times the formula',
        tolerance: '1 %',
      }),
      claim('step-time.exchange-pauses', runs.mean('pauses', of), equalTo(0), {
        check: `${of.exchange}, ${of.transport}`,
        statement: 'Nor is anybody paused',
        paper: '0 pauses',
        tolerance: 'exactly',
      }),
    ]),
    claim('step-time.incast', runs.mean('timePs', naive, 1 / idlePs(NAIVE, size)), atLeast(2), {
      statement: 'All to one host after the other is an incast, and PFC makes all wait for its receiver',
      paper: 'at least 2 times the formula',
      tolerance: 'a floor: twice is what endless buffers cost; PFC costs up to as many times as there are hosts',
    }),
    claim('step-time.incast-pauses', runs.mean('pauses', naive), ABOVE_ZERO, {
      statement: 'The incast pauses senders',
      paper: 'more than 0 pauses',
      tolerance: 'the sign',
    }),
    claim('step-time.incast-dcqcn', runs.ratio('pausedPs', at('one switch', NAIVE, dcqcn), naive), BELOW_ONE, {
      statement: 'DCQCN shortens the pauses of the incast',
      paper: 'less than 1 times the paused time',
      tolerance: 'the sign',
    }),
    ...(['shift', 'pairwise'] as const).map((exchange) =>
      claim('step-time.exchange-collisions', runs.ratio('timePs', across(exchange), across('full')), ABOVE_ONE, {
        check: exchange,
        statement: 'Under ECMP steps cost time: each waits for its worst collision, where all at once average them',
        paper: 'more than 1 times all at once',
        tolerance: 'the sign',
      }),
    ),
  ]
}

export const exchange = definePicture<ExchangeAt>({
  name: 'exchange',
  points: () => GRID,
  textOf: (
    { network, exchange: kind, transport },
    size,
  ) => `${network === 'one switch' ? starOf(HOSTS) : leafSpine(4, 4)}
frames: {payload: ${PAYLOAD}B}
${TRANSPORTS[transport]}
${kind === NAIVE ? 'nic: {packetsPerTurn: 1000000}' : ''}
workload: [{kind: collective, operation: all-to-all, ${EXCHANGES[kind]}, size: ${HOSTS * PART_MIB[size]}MiB}]
`,
  conclude: (runs, size) => ({
    tables: [
      tableAt(runs, GRID, {
        title: `All-to-all of ${HOSTS} hosts, ${PART_MIB[size]} MiB from each to each`,
        columns: [
          label('network', ({ network }) => network),
          label('exchange', (of) => of.exchange),
          label('transport', ({ transport }) => transport),
          intervals('time, us', 'timePs', 1e-6),
          label(
            'idle, by formula',
            (of) => (of.network === 'one switch' ? humanDuration(idlePs(of.exchange, size)) : '-'),
            'right',
          ),
          intervals('pauses', 'pauses'),
          intervals('paused, all ports, us', 'pausedPs', 1e-6),
          intervals('CNPs', 'cnps'),
        ],
      }),
    ],
    claims: claims(runs, size),
    remarks: [
      'Exchange. Round robin among queue pairs, all in step, is what keeps the full exchange free of queues on one switch. On the leaf-spine fabric collisions make queues, and pauses with them.',
    ],
  }),
})
