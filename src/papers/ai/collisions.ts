/**
 * Picture: collisions of ECMP in an all-reduce, against packet spraying with IRN. A leaf-spine fabric that can carry all of it; ring and
 * halving-doubling, in two orders of ranks, with 1 to 16 channels.
 */
import { connectionPaths } from '../../lab/index.ts'
import { humanDuration } from '../../show/index.ts'
import { atLeast, between, type Claim, claim, nearShare } from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { Measures, Point, Size } from '../core/point.ts'
import type { Runs } from '../core/runs.ts'
import { intervals, label, lineAt, means, tableAt } from '../core/tables.ts'
import {
  ackRoomPs,
  alonePs,
  exchangesOf,
  groupText,
  hostsIn,
  leafSpine,
  lineOf,
  MIB,
  onLinkPs,
  type Order,
  PAYLOAD,
  ringSteps,
  stepPs,
  type Transport,
  TRANSPORTS,
  wireBytes,
} from './times.ts'
import { channelsOf, FLUID_BOUND, overFluid, ringsPs } from './fluid.ts'
import { definePicture } from './picture.ts'

interface CollisionsAt {
  readonly algorithm: 'ring' | 'halving-doubling'
  readonly order: Order
  readonly transport: Transport
  readonly channels: number
  readonly [axis: string]: string | number
}

const SHAPES = { small: { leaves: 4, hosts: 4, mib: 8 }, full: { leaves: 8, hosts: 4, mib: 32 } } as const
const CHANNELS = [1, 4, 8, 16]
const ACROSS: Transport[] = ['ecmp, PFC and DCQCN', 'ecmp, IRN', 'spray, IRN']
const BOTH: Transport[] = ['ecmp, IRN', 'spray, IRN']

const RACKS: CollisionsAt[] = product({
  algorithm: ['ring'],
  order: ['rack by rack'],
  channels: [1],
  transport: BOTH,
})
const RINGS: CollisionsAt[] = product({
  algorithm: ['ring'],
  order: ['across racks'],
  transport: ACROSS,
  channels: CHANNELS,
})
const HALVING: CollisionsAt[] = product({
  algorithm: ['halving-doubling'],
  order: ['rack by rack', 'across racks'],
  transport: BOTH,
  channels: [1],
})

/** Whether partners that differ in this bit are in different racks. */
const crosses = (order: Order, bit: number, size: Size): boolean =>
  order === 'rack by rack' ? 2 ** bit >= SHAPES[size].hosts : 2 ** bit < SHAPES[size].leaves

/** Time in an idle network, ps, by formula. */
function idlePs({ algorithm, order, channels }: CollisionsAt, size: Size): number {
  const { leaves, hosts, mib } = SHAPES[size]
  const n = leaves * hosts
  const [near, far] = [lineOf(2), lineOf(4)]
  if (algorithm === 'halving-doubling') {
    const steps = exchangesOf(mib * MIB, n).map(({ bytes, bit }) =>
      stepPs(bytes, crosses(order, bit, size) ? far : near),
    )
    return 2 * steps.reduce((sum, step) => sum + step, 0)
  }
  const part = (mib * MIB) / n / channels
  const steps = ringSteps(n)
  // A NIC that has the next channel's part to send meanwhile never waits for a step.
  const busyPs = channels * (onLinkPs(part, far) + ackRoomPs(part, far))
  if (channels > 1 && busyPs > stepPs(part, far)) return steps * busyPs + alonePs(part, far) - onLinkPs(part, far)
  // A part meets the edge between two racks at every step, or at each hosts-th; the slowest begins right before one.
  const farSteps = order === 'across racks' ? steps : Math.ceil(steps / hosts)
  return farSteps * stepPs(part, far) + (steps - farSteps) * stepPs(part, near)
}

function estimates({ algorithm, order, transport, channels }: CollisionsAt, { scenario }: Point): Measures {
  const [job] = scenario.workload
  if (algorithm !== 'ring' || transport !== 'ecmp, IRN' || order !== 'across racks' || job?.kind !== 'collective')
    return {}
  const n = job.group.length
  const [line, part] = [lineOf(4), job.size / n / channels]
  const paths = connectionPaths(scenario)
  return { fluidPs: ringsPs(paths, channelsOf(paths), ringSteps(n) * wireBytes(part, line), 86 / (PAYLOAD + 82)) }
}

/** nccl-tests' bus bandwidth of an all-reduce, GB/s. */
const busGBps = (size: Size) => (measures: Measures) => {
  const { leaves, hosts, mib } = SHAPES[size]
  const n = leaves * hosts
  return (((mib * MIB * 2 * (n - 1)) / n / (measures['timePs'] ?? NaN)) * 1e12) / 1e9
}

const at = (transport: Transport, channels: number): CollisionsAt => {
  return { algorithm: 'ring', order: 'across racks', transport, channels }
}

function claims(runs: Runs, size: Size): Claim[] {
  const overIdle = (of: CollisionsAt) => runs.mean('timePs', of, 1 / idlePs(of, size))
  const slower = (transport: Transport, channels: number) =>
    runs.ratio('timePs', at(transport, channels), at('ecmp, IRN', channels))
  return [
    ...RACKS.map((of) =>
      claim('step-time.racks', overIdle(of), nearShare(1, 0.01), {
        check: of.transport,
        statement: 'A ring rack by rack has one flow on each uplink: no path choice matters, and the formula holds',
        paper: '1 times the formula',
        tolerance: '1 %',
      }),
    ),
    ...[...CHANNELS.map((channels) => at('spray, IRN', channels)), ...HALVING.slice(1).filter(isSprayed)].map((of) =>
      claim('step-time.spray', overIdle(of), between(0.995, 1.1), {
        check: `${of.algorithm} ${of.order}, ${of.channels} channels`,
        statement: 'Spraying with IRN takes what an idle network takes, but for short queues',
        paper: '1 to 1.1 times the formula',
        tolerance:
          'nine tenths of the capacity, as in the experiment paths; half a percent below for rounding of the formula',
      }),
    ),
    ...CHANNELS.map((channels) =>
      claim('step-time.ecmp-fluid', runs.values(overFluid, at('ecmp, IRN', channels)), between(1, 1.1), {
        check: `${channels} channels`,
        statement: 'Under ECMP a ring goes at the pace of its most loaded link',
        paper: '1 to 1.1 times the fluid time of its paths',
        why: FLUID_BOUND,
      }),
    ),
    claim('step-time.spray-over-ecmp', runs.ratio('timePs', at('ecmp, IRN', 1), at('spray, IRN', 1)), atLeast(1.7), {
      statement: 'With one channel spraying saves what adaptive routing and split queue pairs did elsewhere',
      paper: 'at least 1.7 times as fast',
      tolerance: 'a floor; +70 % are reported of a cluster (cluster-readiness-engine, issue 287)',
    }),
    claim('step-time.channels', runs.ratio('timePs', at('ecmp, IRN', 1), at('ecmp, IRN', 16)), atLeast(1.2), {
      statement: 'Sixteen channels spread over the uplinks better than one',
      paper: 'at least 1.2 times as fast',
      tolerance: 'a floor; balls in bins: the fullest of 4 links has 2 to 3 of 4 flows, but some 23 of 64',
    }),
    ...CHANNELS.map((channels) =>
      claim('step-time.dcqcn', slower('ecmp, PFC and DCQCN', channels), atLeast(1), {
        check: `${channels} channels`,
        statement: 'Congestion control does not resolve collisions: no faster than windows on the same paths',
        paper: 'at least 1 times',
        tolerance: 'a floor',
      }),
    ),
  ]
}
const isSprayed = ({ transport }: CollisionsAt): boolean => transport === 'spray, IRN'

export const collisions = definePicture<CollisionsAt>({
  name: 'collisions',
  points: () => [...RACKS, ...RINGS, ...HALVING],
  textOf({ algorithm, order, transport, channels }, size) {
    const { leaves, hosts, mib } = SHAPES[size]
    return `${leafSpine(leaves, hosts)}
frames: {payload: ${PAYLOAD}B}
${TRANSPORTS[transport]}
workload:
  - {kind: collective, operation: all-reduce, algorithm: ${algorithm}, size: ${mib}MiB, channels: ${channels}, group: ${groupText(hostsIn(order, leaves, hosts))}}
`
  },
  more: estimates,
  conclude: (runs, size) => ({
    tables: [
      tableAt(runs, [...RACKS, ...RINGS, ...HALVING], {
        title: `All-reduce of ${SHAPES[size].mib} MiB over ${SHAPES[size].leaves * SHAPES[size].hosts} hosts`,
        columns: [
          label('algorithm', (of) => of.algorithm),
          label('ranks', (of) => of.order),
          label('fabric', (of) => of.transport),
          label('channels', (of) => of.channels, 'right'),
          intervals('time, us', 'timePs', 1e-6),
          label('idle, by formula', (of) => humanDuration(idlePs(of, size)), 'right'),
          means('fluid on its paths', 'fluidPs', humanDuration),
          intervals('busbw, GB/s', busGBps(size)),
        ],
      }),
    ],
    figures: [
      {
        name: 'collisions',
        lines: {
          title: 'Ring all-reduce by channels',
          subtitle: 'means over seeds with 95 % intervals',
          xLabel: 'channels',
          yLabel: 'busbw (GB/s)',
          xScale: 'log',
          fromZero: true,
          lines: ACROSS.map((transport) =>
            lineAt(
              runs,
              transport,
              CHANNELS.map((channels) => at(transport, channels)),
              ({ channels }) => channels,
              busGBps(size),
            ),
          ),
        },
      },
    ],
    claims: claims(runs, size),
    remarks: [
      'Collisions. The fluid time knows the paths that the hashes chose and nothing of packets: in a ring all edges have the same rate, since a rank passes on only what it received, so that the fullest link holds up all. Ranks in the order of the racks have one flow on each uplink, and nothing to choose; halving and doubling is best with ranks across racks, as its large parts then stay within them. ' +
        'With one channel a step waits for the slowest of all its messages, and random spraying leaves queues of some packets, which is a part of a message; with several channels the NIC sends meanwhile, and the formula is that of a NIC that never waits. Halving and doubling rack by rack fills every uplink with data and the ACKs of the other direction: queues grow up to the window, and partners that come late delay the next step; seeds differ by 30 %.',
    ],
  }),
})
