import { describe, expect, test } from 'vitest'
import { US } from '../../../core/base/params.ts'
import type { Scenario } from '../../../lab/scenario/index.ts'
import type { Claim } from '../../core/findings.ts'
import { keyOf } from '../../core/plan.ts'
import { measuresAt, outcomesWith } from '../../core/run-here.test-run.ts'
import { type Arm, arm, DEFAULT } from '../arms.ts'
import type { Control, Pfc } from '../default-case.ts'
import { irn } from '../irn.ts'
import { printedTable, printedValues } from '../printed.ts'
import { irnSettings } from './list.ts'

const named = (name: string) => irnSettings.find((experiment) => experiment.name === name)!

function scenarioOf(name: string, at: Arm): Scenario {
  return named(name)
    .points('full', 1)
    .find((point) => keyOf(point.at) === keyOf(at))!.scenario
}
const irnAt = (setting: string, pfc: Pfc = 'no-pfc', control: Control = 'none'): Arm =>
  arm('irn', pfc, control, 1, setting)
const roceAt = (setting: string, pfc: Pfc = 'pfc', control: Control = 'none'): Arm =>
  arm('roce', pfc, control, 1, setting)

/** Paths at which two scenarios differ, names aside. */
function differences(a: unknown, b: unknown, path = ''): string[] {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b ? [] : [path]
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys]
    .filter((key) => !(path === '' && key === 'name'))
    .flatMap((key) =>
      differences((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], `${path}.${key}`),
    )
}

describe('a setting', () => {
  test.each([
    ['irn-scale', roceAt('128-hosts', 'pfc-early'), ['.topology.arity']],
    ['irn-loads', irnAt('30-percent', 'pfc'), ['.workload.0.load', '.measure.generate']],
    ['irn-buffers', roceAt('buffer-60-kb'), ['.switch.buffer.portBuffer', '.switch.buffer.xoff']],
    ['irn-buffers', irnAt('buffer-480-kb'), ['.switch.buffer.portBuffer']],
    ['irn-parameters', irnAt('rto-high-640-us'), ['.qp.ackTimeout']],
    ['irn-parameters', irnAt('rto-low-n-15'), ['.recovery.rtoLowPackets']],
    ['irn-parameters', irnAt('cap-440'), ['.recovery.cap']],
  ] as const)('%# differs from the default case only in its own parameters', (name, at, paths) => {
    expect(differences(scenarioOf(name, { ...at, setting: DEFAULT }), scenarioOf(name, at))).toEqual(paths)
  })

  test('shares its default case, by axes and scenario, with the experiment irn', () => {
    const usual = new Map(irn.points('full', 1).map(({ at, scenario }) => [keyOf(at), scenario]))
    for (const { name, points } of irnSettings) {
      const shared = points('full', 1).filter(({ at }) => at['setting'] === DEFAULT)
      expect(shared.length, name).toBeGreaterThanOrEqual(15)
      for (const { at, scenario } of shared) expect(scenario, keyOf(at)).toEqual(usual.get(keyOf(at)))
    }
  })

  test('of large flows has no small ones', () => {
    const { workload } = scenarioOf('irn-workload', irnAt('large-flows', 'no-pfc', 'timely-per-packet'))
    expect(workload[0]).toMatchObject({ load: 0.7, sizes: { kind: 'uniform', min: 500_000, max: 5_000_000 } })
  })

  test.each([
    ['10-gbps', 10, 60_000, 51_000, 28, 300],
    [DEFAULT, 40, 240_000, 216_000, 110, 75],
    ['100-gbps', 100, 600_000, 546_000, 275, 30],
  ])('%s has the buffers, the headroom and the cap of its BDP', (setting, gbps, portBuffer, xoff, cap, arrivalsMs) => {
    const at = (each: Arm): Scenario => scenarioOf('irn-bandwidth', each)
    const irnAlone = at(irnAt(setting, 'no-pfc', 'dcqcn'))
    const irnPfc = at(irnAt(setting, 'pfc-early', 'dcqcn'))
    const roce = at(roceAt(setting, 'pfc-early', 'dcqcn'))
    for (const scenario of [irnAlone, irnPfc, roce]) {
      expect(scenario.topology).toMatchObject({ linkRate: gbps * 1e9 })
      expect(scenario.switch.buffer).toMatchObject({ kind: 'input-queued', portBuffer })
      expect(scenario.switch.ecn).toMatchObject({ kmin: portBuffer / 48, kmax: (portBuffer * 5) / 6 })
      expect(scenario.measure).toMatchObject({ generate: arrivalsMs * 1000 * US })
    }
    for (const scenario of [irnAlone, irnPfc]) expect(scenario.recovery).toMatchObject({ kind: 'irn', cap })
    for (const scenario of [irnPfc, roce]) expect(scenario.switch.buffer).toMatchObject({ xoff })
    // Data that arrives after XOFF: two link delays, and the frames that have begun transmission.
    expect(portBuffer - xoff).toBeGreaterThan((2 * 2e-6 * gbps * 1e9) / 8 + 3 * 1086)
    expect(at(roceAt(setting, 'pfc', 'dcqcn')).switch.buffer).toMatchObject({ xoff: xoff + 4000 })
  })

  test.each([
    ['30-percent', 0.3],
    [DEFAULT, 0.7],
    ['90-percent', 0.9],
  ])('%s has its load, and the number of flows of the others', (setting, load) => {
    const { measure, workload } = scenarioOf('irn-loads', irnAt(setting))
    expect(workload[0]).toMatchObject({ load })
    expect((measure.generate! * load) / (0.7 * 75e9)).toBeCloseTo(1, 6)
  })

  test('that changes IRN only shares one RoCE and one IRN with PFC', () => {
    const ats = named('irn-parameters')
      .points('full', 1)
      .map(({ at }) => at['pfc'])
    expect(ats.filter((pfc) => pfc === 'no-pfc')).toHaveLength(8 * 3)
    expect(ats.filter((pfc) => pfc !== 'no-pfc')).toHaveLength(4 * 3)
  })
})

test('long bursts of a QP delay short messages, most if hosts are paused', () => {
  /** On 16 hosts with small buffers, for a millisecond and a half. */
  const sets = [
    'topology.arity=4',
    'switch.buffer.portBuffer=60KB',
    'switch.buffer.xoff=36KB',
    'measure.generate=1500us',
  ]
  const slowdownAt = (at: Arm): number => measuresAt(named('irn-loads').plan, 'full', at, sets)['meanSlowdown']!
  const longer = (at: Arm): number => slowdownAt({ ...at, burst: 64 }) / slowdownAt(at)
  expect(longer(roceAt(DEFAULT))).toBeGreaterThan(1.1)
  expect(longer(roceAt(DEFAULT))).toBeGreaterThan(longer(irnAt(DEFAULT)))
})

/** Claims by id and check, from three seeds in which all measures of a point are one number. */
function claimsOf(name: string, valueOf: (at: Arm, seed: number) => number): Map<string, Claim> {
  const { plan, findings } = named(name)
  const { claims } = findings('full', outcomesWith(plan, [1, 2, 3], valueOf))
  return new Map(claims.map((claim) => [`${claim.id} [${claim.check}]`, claim]))
}
/** The verdicts of all checks of a claim whose text begins so. */
function verdictsIn(claims: Map<string, Claim>, id: string): string[] {
  return [...claims].filter(([key]) => key.startsWith(id)).map(([, { verdict }]) => verdict)
}
const isIrn = ({ transport, pfc }: Arm): boolean => transport === 'irn' && pfc === 'no-pfc'

describe('claims', () => {
  test('on loads: a falling trend is undecided if the ratio rises in one reading of PFC', () => {
    const claimsWith = (earlyAt90: number): Map<string, Claim> =>
      claimsOf('irn-loads', (at) => {
        if (isIrn(at)) return 1
        if (at.setting === '90-percent') return at.pfc === 'pfc-early' ? earlyAt90 : 90
        return at.setting === DEFAULT ? 70 : Number.parseInt(at.setting, 10)
      })
    const falling = claimsWith(90)
    // Nine steps of trends; in three settings, under three controls, statements of each and nine cells.
    expect(falling.size).toBe(9 + 3 * (2 + 3 + 3) + 3 * 3 * 9)
    expect(new Set(verdictsIn(falling, 'irn.A1.ratios-decrease'))).toEqual(new Set(['reproduced']))
    const last = 'irn.A1.ratios-decrease [IRN over RoCE + PFC, 70 % to 90 %]'
    expect(claimsWith(60).get(last)!.verdict).toBe('undecided')
  })

  test('are none at the small size, which has the tables of its runs', () => {
    const { plan, findings } = named('irn-loads')
    const { claims, tables } = findings(
      'small',
      outcomesWith(plan, [1], () => 1),
    )
    expect([claims.length, ...tables.map(({ rows }) => rows.length)]).toEqual([0, 4, 4, 4])
  })

  test('on bandwidth are undecided if the gap does not shrink in one seed', () => {
    const gaps: Record<string, number> = { '10-gbps': 4, [DEFAULT]: 3, '100-gbps': 2 }
    const claims = claimsOf('irn-bandwidth', (at, seed) => {
      if (isIrn(at)) return 1
      return at.setting === '100-gbps' && at.transport === 'roce' && seed === 2 ? 3.5 : gaps[at.setting]!
    })
    const trends = ['reproduced', 'reproduced', 'reproduced', 'undecided']
    expect(verdictsIn(claims, 'irn.441.trend.bw')).toEqual(trends)
    // Two settings beside the default case, three controls, nine cells.
    expect(verdictsIn(claims, 'irn.table4.cells')).toHaveLength(2 * 3 * 9)
  })

  test('on scale: a larger network is similar if the ratio changes by less than a tenth', () => {
    const verdictsWith = (at250: number): Set<string> => {
      const claims = claimsOf('irn-scale', (at) => (isIrn(at) ? 1 : at.setting === '250-hosts' ? at250 : 2))
      return new Set(verdictsIn(claims, 'irn.A3.scale-similar [250'))
    }
    // Ratios 0.5 and 0.45, then 0.5 and 0.25.
    expect(verdictsWith(1 / 0.45)).toEqual(new Set(['reproduced']))
    expect(verdictsWith(4)).toEqual(new Set(['not reproduced']))
  })

  test('on buffers: with larger ones IRN approaches IRN with PFC, and its gap to RoCE grows', () => {
    const kbOf: Record<string, number> = {
      [DEFAULT]: 240,
      'buffer-60-kb': 60,
      'buffer-120-kb': 120,
      'buffer-480-kb': 480,
    }
    // A lower threshold is worse, as a smaller buffer is.
    const lowered: Record<string, number> = { 'pause-at-60-kb': 6, 'pause-at-120-kb': 5, 'pause-at-180-kb': 4 }
    const claims = claimsOf('irn-buffers', (at) => {
      const kb = kbOf[at.setting]!
      return isIrn(at) ? 1 : (lowered[at.setting] ?? (at.transport === 'irn' ? 1 + 60 / kb : kb))
    })
    const reproduced = (count: number): string[] => Array.from({ length: count }, () => 'reproduced')
    expect(verdictsIn(claims, 'irn.441.trend.buf')).toEqual(reproduced(3))
    expect(verdictsIn(claims, 'irn.A5.roce-gap-grows-with-buffer')).toEqual(reproduced(6))
    expect(verdictsIn(claims, 'irn.A5.threshold-like-buffer')).toEqual(reproduced(3))
  })

  test('on parameters: small changes, and the gain that a larger cap keeps', () => {
    const values: Record<string, number> = {
      'rto-high-640-us': 1.1,
      'rto-high-1280-us': 1.4,
      'cap-165': 1.2,
      'cap-440': 1.6,
    }
    const claims = claimsOf('irn-parameters', (at) => (isIrn(at) ? (values[at.setting] ?? 1) : 2))
    const rowOf = (key: string) => {
      const { verdict, range } = claims.get(`${key}, DCQCN]`)!
      return [verdict, Math.round(range!.mean)]
    }
    expect(rowOf('irn.441.param-insensitive [640 us')).toEqual(['reproduced', 10])
    expect(rowOf('irn.441.param-insensitive [1280 us')).toEqual(['not reproduced', 40])
    expect(rowOf('irn.441.param-insensitive [N = 15')).toEqual(['reproduced', 0])
    // RoCE has 2 and IRN 1: of a gain of 1 there are 0.8 and 0.4 left.
    expect(rowOf('irn.rule.bdp-overestimate [cap 165')).toEqual(['reproduced', 80])
    expect(rowOf('irn.rule.bdp-overestimate [cap 440')).toEqual(['not reproduced', 40])
  })
})

test('printed values: a row of each table', () => {
  expect(['90-percent', 'rto-low-n-15', 'cap-165'].map(printedTable)).toEqual([3, 9, undefined])
  expect(printedValues('10-gbps', 'none', 2)).toEqual([59.5, 0.458, 0.274])
  expect(printedValues('250-hosts', 'timely-per-packet', 0)).toEqual([4.48, 1, 0.651])
  expect(printedValues('large-flows', 'dcqcn', 1)).toEqual([10.9, 0.988, 0.553])
  expect(printedValues('buffer-60-kb', 'timely', 2)).toEqual([21.3, 0.596, 0.579])
})
