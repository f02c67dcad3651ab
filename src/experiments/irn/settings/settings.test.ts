import { describe, expect, test } from 'vitest'
import { US } from '../../../base/params.ts'
import type { Scenario } from '../../../scenario/index.ts'
import type { Experiment } from '../../core/old/plan.ts'
import type { Outcome } from '../../core/old/plan.ts'
import type { Claim } from '../../core/findings.ts'
import { irn } from '../irn.ts'
import { irnBandwidth } from './bandwidth.ts'
import { irnBuffers } from './buffers.ts'
import { irnParameters } from './parameters.ts'
import { printedRows, printedTable } from '../printed.ts'
import { irnScale } from './scale.ts'
import { irnLoads } from './loads.ts'
import { irnWorkload } from './workload.ts'

const scenarioOf = (experiment: Experiment, condition: string): Scenario =>
  experiment.plan.points('full', 1).find((point) => point.condition === condition)!.scenario

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
    [irnScale, '128 hosts', 'roce | PFC early', ['.topology.arity']],
    [irnLoads, '30 %', 'irn | PFC', ['.workload.0.load', '.measure.generate']],
    [irnBuffers, '60 KB', 'roce | PFC', ['.switch.buffer.portBuffer', '.switch.buffer.xoff']],
    [irnBuffers, '480 KB', 'irn | no PFC', ['.switch.buffer.portBuffer']],
    [irnParameters, '640 us', 'irn | no PFC', ['.qp.ackTimeout']],
    [irnParameters, 'N = 15', 'irn | no PFC', ['.recovery.rtoLowPackets']],
    [irnParameters, 'cap 440', 'irn | no PFC', ['.recovery.cap']],
  ] as const)('%# differs from the default case only in its own parameters', (experiment, setting, side, paths) => {
    const [before, after] = ['', ` | ${setting}`].map((name) => scenarioOf(experiment, `${side} | none${name}`))
    expect(differences(before, after)).toEqual(paths)
  })

  test('shares its default case, by condition and scenario, with the experiment irn', () => {
    const usual = new Map(irn.plan.points('full', 1).map(({ condition, scenario }) => [condition, scenario]))
    for (const experiment of [irnLoads, irnBandwidth, irnScale, irnWorkload, irnBuffers, irnParameters]) {
      const shared = experiment.plan.points('full', 1).filter(({ condition }) => usual.has(condition))
      expect(shared.length, experiment.name).toBeGreaterThanOrEqual(15)
      for (const { condition, scenario } of shared) expect(scenario, condition).toEqual(usual.get(condition))
    }
  })

  test('of large flows has no small ones', () => {
    const { workload } = scenarioOf(irnWorkload, 'irn | no PFC | timely per packet | 500 KB to 5 MB')
    expect(workload[0]).toMatchObject({ load: 0.7, sizes: { kind: 'uniform', min: 500_000, max: 5_000_000 } })
  })

  test.each([
    [' | 10 Gb/s', 10, 60_000, 51_000, 28, 300],
    ['', 40, 240_000, 216_000, 110, 75],
    [' | 100 Gb/s', 100, 600_000, 546_000, 275, 30],
  ])('of%s has the buffers, the headroom and the cap of its BDP', (name, gbps, portBuffer, xoff, cap, arrivalsMs) => {
    const [irnAlone, irnPfc, roce, printed] = ['irn | no PFC', 'irn | PFC early', 'roce | PFC early', 'roce | PFC'].map(
      (side) => scenarioOf(irnBandwidth, `${side} | dcqcn${name}`),
    )
    for (const scenario of [irnAlone!, irnPfc!, roce!]) {
      expect(scenario.topology).toMatchObject({ linkRate: gbps * 1e9 })
      expect(scenario.switch.buffer).toMatchObject({ kind: 'input-queued', portBuffer })
      expect(scenario.switch.ecn).toMatchObject({ kmin: portBuffer / 48, kmax: (portBuffer * 5) / 6 })
      expect(scenario.measure).toMatchObject({ generate: arrivalsMs * 1000 * US })
    }
    for (const scenario of [irnAlone!, irnPfc!]) expect(scenario.recovery).toMatchObject({ kind: 'irn', cap })
    for (const scenario of [irnPfc!, roce!]) {
      expect(scenario.switch.buffer).toMatchObject({ xoff })
      // Data that arrives after XOFF: two link delays, and the frames that have begun transmission.
      expect(portBuffer - xoff).toBeGreaterThan((2 * 2e-6 * gbps * 1e9) / 8 + 3 * 1086)
    }
    expect(printed!.switch.buffer).toMatchObject({ xoff: xoff + 4000 })
  })

  test('that changes IRN only shares one RoCE and one IRN with PFC', () => {
    const conditions = irnParameters.plan.points('full', 1).map(({ condition }) => condition)
    expect(conditions.filter((condition) => condition.startsWith('irn | no PFC |'))).toHaveLength(8 * 3)
    expect(conditions.filter((condition) => !condition.startsWith('irn | no PFC |'))).toHaveLength(4 * 3)
  })
})

/** The claims from runs of three seeds whose metrics are all `valueOf`. */
function claimsOf(experiment: Experiment, valueOf: (condition: string, seed: number) => number): Map<string, Claim> {
  const outcomes = [1, 2, 3].flatMap((seed) =>
    experiment.plan.points('full', seed).map(({ condition }): Outcome => {
      const value = valueOf(condition, seed)
      return { condition, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
    }),
  )
  return new Map(experiment.plan.conclude(outcomes, 'full').claims.map((claim) => [claim.id, claim]))
}

/** The setting of a condition; the default case has the name that is given. */
const settingOf = (condition: string, usual: string): string => condition.split(' | ')[3] ?? usual
const isIrn = (condition: string): boolean => condition.startsWith('irn | no PFC')

test('a larger network is similar if the ratio changes by less than a tenth', () => {
  const verdicts = (at250: number): Set<string> => {
    const claims = claimsOf(irnScale, (condition) =>
      isIrn(condition) ? 1 : settingOf(condition, '') === '250 hosts' ? at250 : 2,
    )
    const rows = [...claims.values()].filter(({ id }) => id.startsWith('irn.A3.scale-similar [250'))
    return new Set(rows.map(({ verdict }) => verdict))
  }
  // Ratios 0.5 and 0.45, then 0.5 and 0.25.
  expect(verdicts(1 / 0.45)).toEqual(new Set(['reproduced']))
  expect(verdicts(4)).toEqual(new Set(['not reproduced']))
})

describe('claims', () => {
  test('on bandwidth are undecided if the gap does not shrink in one seed', () => {
    const gaps: Record<string, number> = { '10 Gb/s': 4, '40 Gb/s': 3, '100 Gb/s': 2 }
    const claims = claimsOf(irnBandwidth, (condition, seed) => {
      const name = settingOf(condition, '40 Gb/s')
      if (isIrn(condition)) return 1
      return name === '100 Gb/s' && condition.startsWith('roce') && seed === 2 ? 3.5 : gaps[name]!
    })
    const verdict = (to: string, steps: string): string | undefined =>
      claims.get(`irn.441.trend.bw [IRN over ${to}, ${steps}]`)?.verdict
    expect(verdict('IRN + PFC', '10 Gb/s to 40 Gb/s')).toBe('reproduced')
    expect(verdict('IRN + PFC', '40 Gb/s to 100 Gb/s')).toBe('reproduced')
    expect(verdict('RoCE + PFC', '10 Gb/s to 40 Gb/s')).toBe('reproduced')
    expect(verdict('RoCE + PFC', '40 Gb/s to 100 Gb/s')).toBe('undecided')
    // Two settings beside the default case, three controls, nine cells.
    expect([...claims.keys()].filter((id) => id.startsWith('irn.table4.cells'))).toHaveLength(2 * 3 * 9)
    expect(claims.get('irn.441.trend.bw [IRN over IRN + PFC, 10 Gb/s to 40 Gb/s]')?.paper).toBe(
      'above 1; 1.38 in its table',
    )
  })

  test('on buffers: with larger ones IRN approaches IRN with PFC, and its gap to RoCE grows', () => {
    const claims = claimsOf(irnBuffers, (condition) => {
      const setting = settingOf(condition, '240 KB')
      // A lower threshold is worse, as a smaller buffer is.
      if (setting.startsWith('pause at')) return 1000 / Number.parseInt(setting.slice(9), 10)
      const kb = Number.parseInt(setting, 10)
      return isIrn(condition) ? 1 : condition.startsWith('irn') ? 1 + 60 / kb : kb
    })
    const trends = [...claims].filter(([id]) => /trend|A5\.roce/.test(id))
    expect(trends).toHaveLength(9)
    expect(new Set(trends.map(([, claim]) => claim.verdict))).toEqual(new Set(['reproduced']))
    expect(trends[0]![1].reason).toContain('96 KB, bursts of one packet')
    const thresholds = [...claims].filter(([id]) => id.startsWith('irn.A5.threshold-like-buffer'))
    expect(thresholds.map(([, { verdict }]) => verdict)).toEqual(['reproduced', 'reproduced', 'reproduced'])
  })

  test('on parameters: small changes, and the gain that a larger cap keeps', () => {
    const values: Record<string, number> = { '640 us': 1.1, '1280 us': 1.4, 'cap 165': 1.2, 'cap 440': 1.6 }
    const claims = claimsOf(irnParameters, (condition) =>
      isIrn(condition) ? (values[settingOf(condition, 'default')] ?? 1) : 2,
    )
    const rowOf = (id: string): string => {
      const { verdict, measured } = claims.get(`${id}, DCQCN]`)!
      return `${verdict}: ${measured.split(' (')[0]!}`
    }
    expect(rowOf('irn.441.param-insensitive [640 us')).toBe('reproduced: 10.0 %')
    expect(rowOf('irn.441.param-insensitive [1280 us')).toBe('not reproduced: 40.0 %')
    expect(rowOf('irn.441.param-insensitive [N = 15')).toBe('reproduced: 0 %')
    // RoCE has 2 and IRN 1: of a gain of 1 there are 0.8 and 0.4 left.
    expect(rowOf('irn.rule.bdp-overestimate [cap 165')).toBe('reproduced: 80.0 to 80.0 %')
    expect(rowOf('irn.rule.bdp-overestimate [cap 440')).toBe('not reproduced: 40.0 to 40.0 %')
  })
})

test('printed values: a row of each table', () => {
  expect(printedTable('90 %')).toBe(3)
  expect(printedRows('10 Gb/s', 'none')[2]).toEqual([59.5e9, 0.458, 0.274])
  expect(printedRows('250 hosts', 'timely per packet')[0]).toEqual([4.48, 1, 0.651])
  expect(printedRows('500 KB to 5 MB', 'dcqcn')[1]).toEqual([10.9e9, 0.988, 0.553])
  expect(printedRows('60 KB', 'timely')[2]).toEqual([21.3e9, 0.596, 0.579])
  expect(printedTable('N = 15')).toBe(9)
  expect(() => printedTable('15 %')).toThrow('the IRN paper has no setting 15 %')
})
