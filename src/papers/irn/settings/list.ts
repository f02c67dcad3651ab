/**
 * The experiments on the IRN paper's Tables 3 to 9: IRN without PFC, IRN with PFC and RoCE with PFC under each congestion
 * control, in the default case and in settings that differ from it in one parameter. The default case's own cells are
 * judged in the experiment irn. Not in the paper: larger caps, and lower thresholds in the default buffer.
 * Source: [IRN] appendix A; caps: section 3.2 and its note on the BDP.
 */
import { defineExperiment, type Experiment } from '../../core/experiment.ts'
import type { Claim } from '../../core/findings.ts'
import type { Plan, Point, Size } from '../../core/plan.ts'
import type { Runs } from '../../core/runs.ts'
import { type Arm, arm, CONTROLS, DEFAULT, irnMeasures, LONG_BURST, SIDES } from '../arms.ts'
import { cellClaims, cellTables, IRN_PFC, ROCE_PFC } from '../cells.ts'
import { type Control, controlName, DEFAULT_GBPS, fabricAt, irnDefault, PAUSE_KB, pauseKbOf } from '../default-case.ts'
import {
  cellOf,
  isPrinted,
  parameterClaims,
  type Setting,
  similar,
  thresholds,
  type Trend,
  trendClaims,
} from './claims.ts'

interface SettingsPlan extends Pick<Plan, 'name' | 'title' | 'source' | 'help'> {
  /** In the order of the paper's table. */
  readonly settings: readonly Setting[]
  /** Also runs the longer burst. */
  readonly hasBursts?: boolean
  readonly trends?: readonly Trend[]
  /** Further claims on more than one cell, at full size only. */
  readonly claims?: (runs: Runs, settings: readonly Setting[]) => readonly Claim[]
  readonly remarks?: readonly string[]
}

function settingsExperiment(plan: SettingsPlan): Experiment<Plan<Arm>> {
  const { settings, trends = [], claims = () => [], remarks = [], hasBursts = false, ...head } = plan
  const controlsOf = (size: Size): readonly Control[] => (size === 'full' ? CONTROLS : ['none'])
  const usual = settings.find(({ id }) => id === DEFAULT)!
  return defineExperiment({
    ...head,
    sizes: {
      small: '2 ms of arrivals, no control',
      full: `956 flows per host, run to their end; ${CONTROLS.map((control) => controlName(control)).join(', ')}`,
    },
    points: (size, seed) =>
      controlsOf(size).flatMap((control) =>
        settings.flatMap((setting) =>
          armsIn(setting, control, hasBursts && size === 'full').map((at) => pointOf(setting, at, size, seed)),
        ),
      ),
    measure: irnMeasures,
    conclude(runs, size) {
      const controls = controlsOf(size)
      const cells = settings.filter(isPrinted).flatMap((setting) => controls.map((control) => cellOf(setting, control)))
      const others = cells.filter(({ setting }) => setting !== DEFAULT)
      const all = (): Claim[] => [
        ...trends.flatMap((trend) => trendClaims(runs, settings, trend)),
        ...claims(runs, settings),
        ...others.flatMap((cell) => cellClaims(runs, cell)),
      ]
      return {
        tables: cellTables(runs, cells),
        claims: size === 'small' ? [] : all(),
        remarks: [
          ...remarks,
          `The setting "${usual.name}" is the default case, whose cells the experiment irn judges. In every setting PFC is run at the printed threshold, and 4 KB below it, where nothing is lost.`,
          ...(size === 'small' ? ['This size is cut short: nothing is judged.'] : []),
        ],
      }
    },
  })
}

function armsIn({ id, only }: Setting, control: Control, hasBursts: boolean): Arm[] {
  if (only === 'irn-pfc') return control === 'none' ? [arm('irn', 'pfc', control, 1, id)] : []
  const sides = only === 'irn' ? SIDES.slice(0, 1) : SIDES
  const bursts = hasBursts ? [1, LONG_BURST] : [1]
  return bursts.flatMap((burst) => sides.map(({ transport, pfc }) => arm(transport, pfc, control, burst, id)))
}

function pointOf({ id, name, load, sets = () => [] }: Setting, at: Arm, size: Size, seed: number): Point<Arm> {
  const [traffic, arrivalsMs] = size === 'full' ? (['irn-default', 75] as const) : (['irn-default-2-ms', 2] as const)
  const setting = id === DEFAULT ? '' : name
  return { at, seed, scenario: irnDefault({ ...at, setting, sets: sets(at, arrivalsMs), load, traffic, seed }) }
}

const usual = (name: string): Setting => ({ id: DEFAULT, name })

const load = (percent: number): Setting => ({ id: `${percent}-percent`, name: `${percent} %`, load: percent / 100 })

const rate = (gbps: number): Setting => ({
  id: `${gbps}-gbps`,
  name: `${gbps} Gb/s`,
  pauseKb: (PAUSE_KB * gbps) / DEFAULT_GBPS,
  sets: (own, arrivalsMs) => [
    ...fabricAt(gbps, own),
    `measure.generate=${(arrivalsMs * 1000 * DEFAULT_GBPS) / gbps}us`,
  ],
})

const changed = (id: string, name: string, set: string, only?: Setting['only']): Setting => ({
  id,
  name,
  only,
  sets: () => [set],
})
const hosts = (count: number, arity: number): Setting =>
  changed(`${count}-hosts`, `${count} hosts`, `topology.arity=${arity}`)

const buffer = (kb: number): Setting => ({
  id: `buffer-${kb}-kb`,
  name: `${kb} KB`,
  pauseKb: kb - 20,
  sets: ({ pfc }) => [
    `switch.buffer.portBuffer=${kb}KB`,
    ...(pfc === 'no-pfc' ? [] : [`switch.buffer.xoff=${pauseKbOf(pfc, kb - 20)}KB`]),
  ],
})

const PLANS: readonly SettingsPlan[] = [
  {
    name: 'irn-loads',
    title: 'loads of 30 to 90 %',
    source: '[IRN] A.1, Table 3',
    help: 'The default case of the IRN paper at other loads, with the same number of flows: they arrive in 175, 105, 75 and 58 ms.',
    hasBursts: true,
    settings: [load(30), load(50), usual('70 %'), load(90)],
    trends: [
      { id: 'irn.441.trend.util', to: IRN_PFC, direction: 'falls' },
      { id: 'irn.A1.ratios-decrease', to: IRN_PFC, direction: 'falls' },
      { id: 'irn.A1.ratios-decrease', to: ROCE_PFC, direction: 'falls' },
    ],
  },
  {
    name: 'irn-bandwidth',
    title: 'links of 10, 40 and 100 Gb/s',
    source: '[IRN] A.2, Table 4',
    help: 'The default case of the IRN paper over slower and faster links, on which a loss is worth fewer and more packets.',
    settings: [rate(10), usual('40 Gb/s'), rate(100)],
    trends: [
      { id: 'irn.441.trend.bw', to: IRN_PFC, direction: 'rises' },
      { id: 'irn.441.trend.bw', to: ROCE_PFC, direction: 'rises' },
    ],
    remarks: [
      "Buffers are twice the BDP, PFC pauses a link's BDP below that, and the cap is the BDP, as section 4.1 defines them: 60, 240 and 600 KB; 28, 110 and 275 packets. Appendix A.2 does not say whether they scale with the rate. " +
        'The marking thresholds scale with the buffers: at 10 Gb/s marking from 5 to 200 KB would be too rare for DCQCN to react. ' +
        'Flows arrive in 300, 75 and 30 ms: the same number at every rate.',
    ],
  },
  {
    name: 'irn-scale',
    title: 'fat trees of 54, 128 and 250 hosts',
    source: '[IRN] A.3, Table 5',
    help: 'The default case of the IRN paper in larger networks, with the same number of flows per host.',
    settings: [usual('54 hosts'), hosts(128, 8), hosts(250, 10)],
    claims: similar,
    remarks: [
      'The longest path has six links in each of these trees, so that cap and buffers stay the same. So does the timeout, which the paper derives from the number of ports: Table 8 shows how little it matters.',
    ],
  },
  {
    name: 'irn-workload',
    title: 'heavy-tailed flows, and large flows only',
    source: '[IRN] A.4, Table 6',
    help: 'The default case of the IRN paper with its heavy-tailed flows of 32 B to 3 MB, and with flows of 500 KB to 5 MB.',
    settings: [
      usual('32 B to 3 MB'),
      changed('large-flows', '500 KB to 5 MB', 'workload.0.sizes={kind: uniform, min: 500KB, max: 5MB}'),
    ],
  },
  {
    name: 'irn-buffers',
    title: 'input buffers of 60, 120, 240 and 480 KB',
    source: '[IRN] A.5, Table 7',
    help: 'The default case of the IRN paper with a half, one, two and four times the BDP in each input buffer.',
    settings: [
      buffer(60),
      buffer(120),
      usual('240 KB'),
      buffer(480),
      ...[60, 120, 180].map((kb) =>
        changed(`pause-at-${kb}-kb`, `pause at ${kb} KB`, `switch.buffer.xoff=${kb}KB`, 'irn-pfc'),
      ),
    ],
    trends: [
      { id: 'irn.441.trend.buf', to: IRN_PFC, direction: 'rises' },
      { id: 'irn.A5.roce-gap-grows-with-buffer', to: IRN_PFC, direction: 'rises' },
      { id: 'irn.A5.roce-gap-grows-with-buffer', to: ROCE_PFC, direction: 'falls' },
    ],
    claims: thresholds,
    remarks: [
      'PFC pauses 20 and 24 KB below the buffer size. The timeout, which the paper derives from the buffer, stays the same: Table 8 shows how little it matters.',
    ],
  },
  {
    name: 'irn-parameters',
    title: 'IRN with other timeouts, and with larger caps',
    source: '[IRN] A.6, Tables 8 and 9; section 3.2',
    help: 'The default case of the IRN paper in which IRN has other timeouts, uses RTO_low up to more packets in flight, and has larger caps.',
    settings: [
      usual('default'),
      ...[640, 1280].map((us) => changed(`rto-high-${us}-us`, `${us} us`, `qp.ackTimeout=${us}us`, 'irn')),
      ...[10, 15].map((n) => changed(`rto-low-n-${n}`, `N = ${n}`, `recovery.rtoLowPackets=${n}`, 'irn')),
      ...[165, 220, 440].map((cap) => changed(`cap-${cap}`, `cap ${cap}`, `recovery.cap=${cap}`, 'irn')),
    ],
    claims: parameterClaims,
    remarks: [
      'IRN with PFC and RoCE with PFC have the runs of the default case in every row. Default: RTO_high 320 us, N = 3, a cap of 110 packets.',
    ],
  },
]

export const irnSettings = PLANS.map(settingsExperiment)
