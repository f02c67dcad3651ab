/**
 * Picture: servers with eight ports. An all-reduce in which port r of a server sends to port r of the next, an eighth of the buffer on each:
 * on rails, where all of a ring is below one leaf, and on a fat tree with the same 128 ports, where two edges of a ring in
 * three and more run through the tiers above.
 */
import { connectionPaths } from '../../lab/index.ts'
import { humanDuration } from '../../show/index.ts'
import { between, type Claim, claim, nearShare } from '../core/findings.ts'
import type { Measures, Point, Size } from '../core/point.ts'
import type { Runs } from '../core/runs.ts'
import { intervals, label, means, tableAt } from '../core/tables.ts'
import { groupText, lineOf, LINK_GBPS, MIB, PAYLOAD, ringSteps, stepPs, TRANSPORTS, wireBytes } from './times.ts'
import { FLUID_BOUND, overFluid, ringsPs } from './fluid.ts'
import { definePicture } from './picture.ts'

type RailsAt = {
  readonly fabric: 'rails' | 'fat tree'
  readonly transport: 'ecmp, PFC and DCQCN' | 'ecmp, IRN' | 'spray, IRN'
}

const SERVERS = 16
const PORTS = 8
const MIB_OF = { small: 8, full: 64 } as const

const POINTS: RailsAt[] = [
  { fabric: 'rails', transport: 'ecmp, PFC and DCQCN' },
  { fabric: 'rails', transport: 'ecmp, IRN' },
  { fabric: 'fat tree', transport: 'ecmp, PFC and DCQCN' },
  { fabric: 'fat tree', transport: 'ecmp, IRN' },
  { fabric: 'fat tree', transport: 'spray, IRN' },
]
const [RAILS_ROCE, RAILS, , TREE_ECMP, TREE_SPRAY] = POINTS as [RailsAt, RailsAt, RailsAt, RailsAt, RailsAt]

function idlePs({ fabric }: RailsAt, size: Size): number {
  const part = (MIB_OF[size] * MIB) / PORTS / SERVERS
  const steps = ringSteps(SERVERS)
  if (fabric === 'rails') return steps * stepPs(part, lineOf(2))
  // Two servers are below the same two edge switches of a pod: from one pod to the next by turns.
  return (steps / 2) * (stepPs(part, lineOf(4)) + stepPs(part, lineOf(6)))
}

function estimates(at: RailsAt, { scenario }: Point): Measures {
  const [job] = scenario.workload
  if (at !== TREE_ECMP || job?.kind !== 'collective') return {}
  const paths = connectionPaths(scenario)
  const bytes = ringSteps(SERVERS) * wireBytes(job.size / SERVERS, lineOf(6))
  const ringOf = paths.connections.map(({ source }) => source % PORTS)
  return { fluidPs: ringsPs(paths, ringOf, bytes, 86 / (PAYLOAD + 82)) }
}

const ring = (mib: number, more: string): string =>
  `  - {kind: collective, operation: all-reduce, algorithm: ring, size: ${mib}MiB, ${more}}`

/** Channel r of a job of servers has queue pairs on rail r; on the fat tree each ring is a job of its own. */
function textOf({ fabric, transport }: RailsAt, size: Size): string {
  const mib = MIB_OF[size]
  const rings = Array.from({ length: PORTS }, (_, r) => {
    const hosts = Array.from({ length: SERVERS }, (_each, server) => server * PORTS + r)
    return ring(mib / PORTS, `group: ${groupText(hosts)}, tag: ring ${r}`)
  })
  const rates = `hostRate: ${LINK_GBPS}Gbps, hostDelay: 1us`
  const [topology, workload] =
    fabric === 'rails'
      ? [
          `{kind: rails, rails: ${PORTS}, groups: 1, hostsPerGroup: ${SERVERS}, spines: 0, ${rates}}`,
          ring(mib, `channels: ${PORTS}`),
        ]
      : [`{kind: fat-tree, arity: 8, linkRate: ${LINK_GBPS}Gbps, linkDelay: 1us}`, rings.join('\n')]
  return `topology: ${topology}
frames: {payload: ${PAYLOAD}B}
${TRANSPORTS[transport]}
workload:
${workload}
`
}

function claims(runs: Runs, size: Size): Claim[] {
  const overIdle = (at: RailsAt) => runs.mean('timePs', at, 1 / idlePs(at, size))
  return [
    ...[RAILS, RAILS_ROCE].map((at) =>
      claim('step-time.rails', overIdle(at), nearShare(1, 0.01), {
        check: at.transport,
        statement: 'On rails a ring meets no other: the formula of an idle switch holds, whatever the transport',
        paper: '1 times the formula',
        tolerance: '1 %',
      }),
    ),
    claim('step-time.tree-fluid', runs.values(overFluid, TREE_ECMP), between(1, 1.1), {
      statement: 'On the fat tree ECMP goes at the pace of the most loaded link of each ring',
      paper: '1 to 1.1 times the fluid time of its paths',
      why: FLUID_BOUND,
    }),
    claim('step-time.tree-spray', overIdle(TREE_SPRAY), between(1, 1.1), {
      statement: 'On the fat tree spraying with IRN takes what an idle network takes, but for short queues',
      paper: '1 to 1.1 times the formula',
      tolerance: 'nine tenths of the capacity, as in the experiment paths',
    }),
  ]
}

export const rails = definePicture<RailsAt>({
  name: 'rails',
  points: () => POINTS,
  textOf,
  more: estimates,
  conclude: (runs, size) => ({
    tables: [
      tableAt(runs, POINTS, {
        title: `All-reduce of ${MIB_OF[size]} MiB over ${SERVERS} servers with ${PORTS} ports`,
        columns: [
          label('fabric', ({ fabric }) => fabric),
          label('transport', ({ transport }) => transport),
          intervals('time, us', 'timePs', 1e-6),
          label('idle, by formula', (at) => humanDuration(idlePs(at, size)), 'right'),
          means('fluid on its paths', 'fluidPs', humanDuration),
          intervals('times rails', (m) => m['timePs']! / runs.mean('timePs', RAILS).mean),
        ],
      }),
    ],
    claims: claims(runs, size),
    remarks: [
      'Rails. The eight rings have a leaf each. On the fat tree they meet above the edge switches, and every step of a ring waits for its worst collision; spraying leaves only queues, which count more the shorter the messages are (16 packets here at the small size).',
    ],
  }),
})
