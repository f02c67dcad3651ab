/**
 * Lossless: headroom, DCQCN, tags and classes behind the statements of [MS-Scale] 2, 3 and 5.2 that nothing is dropped, with
 * the numbers of runs. Runs and measures: runs.ts.
 */
import { exactCount, humanNumber } from '../../../report/index.ts'
import { defineExperiment } from '../../core/experiment.ts'
import {
  ABOVE_ZERO,
  bracket,
  type Claim,
  claim,
  equalTo,
  exact,
  meanCountText,
  readingOf,
} from '../../core/findings.ts'
import type { Measures } from '../../core/plan.ts'
import { Runs, type Where } from '../../core/runs.ts'
import { label, means, rangeText, tableAt } from '../../core/tables.ts'
import { BOOT, BURSTS, CLASSES, HEADROOM, HEALTHY, losslessMeasures, losslessPoints, TAGS } from './runs.ts'

/** For each seed whether it holds in all of these runs. */
const inEachSeed = (runs: Runs, holds: (runs: Runs) => boolean): boolean[] =>
  runs.seeds.map((seed) => holds(new Runs(runs.outcomes.filter((outcome) => outcome.seed === seed))))

function claims(runs: Runs): Claim[] {
  const [pcp, dscp] = [runs.where(TAGS[0]!), runs.where(TAGS[1]!)]
  const lost = (own: Runs): string => `${rangeText(own, 'drops', meanCountText)} lost`
  const faulty = BURSTS.filter((at) => !HEALTHY.includes(at))
  return [
    exact(
      'rce.bg.no-overflow-with-headroom',
      inEachSeed(runs, (own) =>
        HEADROOM.every((at) => (at.headroom === 'needed' ? own.sum('drops', at) === 0 : own.sum('drops', at) > 0)),
      ),
      {
        measured: HEADROOM.map((at) => `${at.metres} m, ${at.headroom}: ${lost(runs.where(at))}`).join('; '),
        reason:
          'Two incasts that cross. With the headroom that each length needs nothing is lost, with half of it packets are.',
      },
    ),
    claim('rce.bg.dcqcn-fewer-pauses', runs.differences('pauseFrames', BURSTS[0]!, BURSTS[1]!), ABOVE_ZERO, {
      unit: ' frames',
      why: `Without DCQCN less with it: of ${humanNumber(runs.mean('pauseFrames', BURSTS[0]!).mean)}.`,
    }),
    bracket(
      'rce.bg.two-lossless-classes',
      CLASSES.map((at) =>
        readingOf(
          `${at.bufferMb} MB, ${at.ports} ports, headroom of ${at.headroom === 'hardware' ? 'hardware' : 'the simulated parts'}`,
          runs.values((m) => (m['drops'] === 0 ? m['classes']! : 0), at),
        ),
      ),
      equalTo(2),
      {
        paperValues: [2],
        unit: ' classes',
        why: 'The most classes that have headroom at all ports, with an incast in each of which nothing is lost. The paper prints neither the ports nor the part of the buffer that has to stay shared.',
      },
    ),
    exact(
      'rce.dscp.vlan-lost-across-subnets',
      inEachSeed(runs, (own) => own.sum('drops', TAGS[0]!) > 0 && own.sum('drops', TAGS[1]!) === 0),
      {
        measured: `by PCP ${lost(pcp)}, by DSCP ${lost(dscp)}`,
        reason:
          'Two senders, one of another subnet, to one server: behind the first router frames are lossless by their DSCP and lossy by their tag.',
      },
    ),
    exact(
      'rce.dscp.vlan-breaks-pxe',
      inEachSeed(runs, (own) => own.sum('finished', BOOT[0]!) === 0 && own.sum('unfinished', BOOT[1]!) === 0),
      {
        measured: BOOT.map(
          (at) =>
            `${at.ports} ports: ${exactCount(runs.sum('finished', at))} messages of boots arrive, ${exactCount(runs.sum('drops', at))} packets are dropped`,
        ).join('; '),
        reason:
          'A server with a NIC without VLAN boots over the network: never with trunk ports, always with access ports and DSCP-based PFC.',
      },
    ),
    countersClaim(runs, faulty),
    exact(
      'rce.mon.zero-rdma-drops',
      HEALTHY.every((at) => runs.sum('dropIn', at) === 0) && faulty.every((at) => runs.range('dropIn', at).least > 0),
      {
        measured: BURSTS.map((at) => `${stateText(at)}: ${rangeText(runs.where(at), 'dropIn', meanCountText)}`).join(
          '; ',
        ),
        reason:
          'Packets of the lossless class that counters show as dropped at ingress: none in any healthy run, and some in every run whose headroom is taken away.',
      },
    ),
  ]
}

const stateText = ({ state }: { readonly state: string }): string =>
  state === 'none' ? 'no congestion control' : state === 'dcqcn' ? 'DCQCN' : state

function countersClaim(runs: Runs, faulty: readonly Where[]): Claim {
  const of = (measure: string): number => runs.sum(measure, { part: 'bursts' })
  const shows = (m: Measures): boolean =>
    ['sentPackets', 'sentBytes', 'pauseRxUs', 'dropIn'].every((name) => m[name]! > 0)
  return exact(
    'rce.mon.counters',
    of('unequalLinks') + of('unequalSwitches') === 0 &&
      faulty.every((at) => runs.where(at).outcomes.every(({ measures }) => shows(measures))) &&
      runs.range('crcErrors', faulty[1]!).least > 0,
    {
      measured:
        `${exactCount(of('unequalLinks'))} of ${exactCount(of('directions'))} link directions and ${exactCount(of('unequalSwitches'))} of ${exactCount(of('switches'))} switches differ, ` +
        `with ${exactCount(of('dropIn'))} drops and ${exactCount(of('crcErrors'))} frames with bit errors`,
      reason:
        'Over each link frames sent are those received and those with bit errors, at each switch those received are those sent and those dropped, by counters of all devices in all runs; and the counters of pauses, packets, bytes and drops move.',
    },
  )
}

const tables = (runs: Runs) => [
  tableAt(runs, HEADROOM, {
    title: 'Headroom: two incasts of eight that cross, by length of the links',
    columns: [
      label('metres', ({ metres }) => metres, 'right'),
      label('headroom', ({ headroom }) => headroom),
      means('packets lost', 'drops', meanCountText),
      means('pause frames', 'pauseFrames', meanCountText),
    ],
  }),
  tableAt(runs, BURSTS, {
    title: 'Bursts in 32 servers, by the counters of all devices',
    columns: [
      label('run', stateText),
      means('pause frames', 'pauseFrames', meanCountText),
      means('held, us', 'pauseRxUs', meanCountText),
      means('packets sent', 'sentPackets', meanCountText),
      means('dropped at ingress', 'dropIn', meanCountText),
      means('bit errors', 'crcErrors', meanCountText),
    ],
  }),
  tableAt(runs, CLASSES, {
    title: 'Lossless classes with headroom for 300 m at all ports',
    columns: [
      label('buffer, MB', ({ bufferMb }) => bufferMb, 'right'),
      label('ports', ({ ports }) => ports, 'right'),
      label('headroom of', ({ headroom }) => headroom),
      means('classes', 'classes', meanCountText),
      means('packets lost', 'drops', meanCountText),
    ],
  }),
]

export const lossless = defineExperiment({
  name: 'ms-scale-lossless',
  title: 'Lossless classes: headroom, DCQCN, tags, and what counters show of them',
  source: '[MS-Scale] sections 2, 3 and 5.2',
  help:
    'Headroom for links of 2 to 300 m, and half of it; bursts without and with DCQCN, without headroom and with bit errors, by the counters of all devices; ' +
    'priorities by VLAN tag and by DSCP over two subnets; a PXE boot over trunk and access ports; and the lossless classes that buffers of 9 and 12 MB have headroom for.',
  sizes: { small: 'up to 64 servers', full: 'up to 64 servers' },
  points: (_, seed) => losslessPoints(seed),
  measure: losslessMeasures,
  conclude: (runs) => ({
    tables: tables(runs),
    figures: [],
    claims: claims(runs),
    remarks: [
      'Both sizes have the same runs. Traffic is ours; the paper prints none for these statements.',
      'Headroom "of hardware" is 62,816 B, which SONiC has for a port of Trident 2 at 40 Gb/s and 300 m; the simulated parts need less, as they react faster.',
    ],
  }),
})
