/**
 * Picture: a neighbour. A job has half of the hosts of each rack, another job the other half; the fabric has room for both.
 * They meet on links between switches only: ECMP puts them on the same, spraying spreads both over all.
 */
import { ABOVE_ONE, atMost, type Claim, claim } from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { Size } from '../core/point.ts'
import type { Runs } from '../core/runs.ts'
import { intervals, label, tableAt, texts } from '../core/tables.ts'
import { groupText, hostsIn, leafSpine, PAYLOAD, TRANSPORTS } from './times.ts'
import { definePicture } from './picture.ts'

type TenantAt = {
  readonly transport: 'ecmp, PFC and DCQCN' | 'ecmp, IRN' | 'spray, IRN'
  readonly neighbour: 'none' | 'all-to-all'
}

/** Tag of the job whose time is taken. */
export const JOB = 'job'
const [LEAVES, HOSTS] = [4, 4]
const MIB_OF = { small: 8, full: 64 } as const
const ROUNDS = 8
const NEIGHBOURS = ['none', 'all-to-all'] as const
const GRID: TenantAt[] = product({
  transport: ['ecmp, PFC and DCQCN', 'ecmp, IRN', 'spray, IRN'],
  neighbour: NEIGHBOURS,
})

function textOf({ transport, neighbour }: TenantAt, size: Size): string {
  const mib = MIB_OF[size]
  const hosts = hostsIn('across racks', LEAVES, HOSTS)
  const half = hosts.length / 2
  const other = `
  - {kind: collective, operation: all-to-all, size: ${mib / 2}MiB, iterations: ${ROUNDS}, group: ${groupText(hosts.slice(half))}, tag: neighbour}`
  return `${leafSpine(LEAVES, HOSTS)}
frames: {payload: ${PAYLOAD}B}
${TRANSPORTS[transport]}
workload:
  - {kind: collective, operation: all-reduce, size: ${mib}MiB, channels: 4, group: ${groupText(hosts.slice(0, half))}, tag: ${JOB}}${neighbour === 'none' ? '' : other}
`
}

function claims(runs: Runs): Claim[] {
  const slowdown = (transport: TenantAt['transport']) =>
    runs.ratio('timePs', { transport, neighbour: 'all-to-all' }, { transport, neighbour: 'none' })
  return [
    claim('step-time.neighbour-spray', slowdown('spray, IRN'), atMost(1.05), {
      statement: 'Under spraying a neighbour costs next to nothing: no link between switches is full',
      paper: 'at most 1.05 times the time alone',
      tolerance: 'a twentieth for its packets in the queues',
    }),
    ...(['ecmp, IRN', 'ecmp, PFC and DCQCN'] as const).map((transport) =>
      claim('step-time.neighbour-ecmp', slowdown(transport), ABOVE_ONE, {
        check: transport,
        statement: 'Under ECMP a neighbour slows the job, though the fabric has room for both',
        paper: 'more than 1 times the time alone',
        tolerance: 'the sign',
      }),
    ),
  ]
}

export const tenant = definePicture<TenantAt>({
  name: 'neighbour',
  points: () => GRID,
  textOf,
  conclude: (runs, size) => ({
    tables: [
      tableAt(runs, GRID, {
        title: `All-reduce of ${MIB_OF[size]} MiB over 8 of 16 hosts, beside a neighbour`,
        columns: [
          label('transport', ({ transport }) => transport),
          label('neighbour', ({ neighbour }) => neighbour),
          intervals('time, us', 'timePs', 1e-6),
          texts('times alone', (own, { transport }) =>
            (own.mean('timePs').mean / runs.mean('timePs', { transport, neighbour: 'none' }).mean).toFixed(2),
          ),
          intervals('pauses', 'pauses'),
        ],
      }),
    ],
    claims: claims(runs),
    remarks: [
      'Neighbour. The two jobs share no host; all they have in common are the links between leaves and spines.',
    ],
  }),
})
