import { describe, expect, test } from 'vitest'
import { US } from '../base/params.ts'
import type { Scenario } from '../scenario/index.ts'
import type { Experiment, Outcome } from './experiment.ts'
import type { Claim } from './findings.ts'
import { irnBandwidth } from './irn-bandwidth.ts'
import { irnBuffers } from './irn-buffers.ts'
import { irnParameters } from './irn-parameters.ts'
import { printedRows, printedSetting } from './irn-printed.ts'
import { irnScale } from './irn-scale.ts'
import { irnUtilization } from './irn-utilization.ts'
import { irnWorkload } from './irn-workload.ts'

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
    [irnScale, '54 hosts', '128 hosts', 'RoCE + PFC', ['.topology.arity']],
    [irnUtilization, '70 %', '30 %', 'IRN + PFC', ['.workload.0.load']],
    [irnBuffers, '240 KB', '60 KB', 'RoCE + PFC', ['.switch.buffer.portBuffer', '.switch.buffer.xoff']],
    [irnBuffers, '240 KB', '480 KB', 'IRN', ['.switch.buffer.portBuffer']],
    [irnParameters, 'default', '640 us', 'IRN', ['.qp.ackTimeout']],
    [irnParameters, 'default', 'N = 15', 'IRN', ['.recovery.rtoLowPackets']],
    [irnParameters, 'default', 'cap 440', 'IRN', ['.recovery.cap']],
  ] as const)('of %# differs from the default case in nothing else', (experiment, usual, setting, transport, paths) => {
    const control = experiment === irnUtilization ? 'DCQCN' : 'no control'
    const [before, after] = [usual, setting].map((name) =>
      scenarioOf(experiment, `${transport} | ${name} | ${control}`),
    )
    expect(differences(before, after)).toEqual(paths)
  })

  test('of large flows has no small ones', () => {
    const { workload } = scenarioOf(irnWorkload, 'IRN | 500 KB to 5 MB | TIMELY')
    expect(workload[0]).toMatchObject({ load: 0.7, sizes: { kind: 'uniform', min: 500_000, max: 5_000_000 } })
  })

  test.each([
    ['10 Gb/s', 10, 60_000, 51_000, 28, 80_000],
    ['40 Gb/s', 40, 240_000, 216_000, 110, 20_000],
    ['100 Gb/s', 100, 600_000, 546_000, 275, 8000],
  ])('of %s has the buffers, the headroom and the cap of its BDP', (name, gbps, portBuffer, xoff, cap, generateUs) => {
    const [irn, irnPfc, roce] = ['IRN', 'IRN + PFC', 'RoCE + PFC'].map((transport) =>
      scenarioOf(irnBandwidth, `${transport} | ${name} | DCQCN`),
    )
    for (const scenario of [irn!, irnPfc!, roce!]) {
      expect(scenario.topology).toMatchObject({ linkRate: gbps * 1e9 })
      expect(scenario.switch.buffer).toMatchObject({ kind: 'input-queued', portBuffer })
      expect(scenario.switch.ecn).toMatchObject({ kmin: portBuffer / 48, kmax: (portBuffer * 5) / 6 })
      expect(scenario.measure).toMatchObject({
        generate: generateUs * US,
        warmUp: (generateUs / 10) * US,
        window: generateUs * 0.8 * US,
      })
    }
    for (const scenario of [irn!, irnPfc!]) expect(scenario.recovery).toMatchObject({ kind: 'irn', cap })
    for (const scenario of [irnPfc!, roce!]) {
      expect(scenario.switch.buffer).toMatchObject({ xoff })
      // What arrives after XOFF: two delays of the link, and the frames that are on their way whole.
      expect(portBuffer - xoff).toBeGreaterThan((2 * 2e-6 * gbps * 1e9) / 8 + 3 * 1086)
    }
  })

  test('runs of parameters have one RoCE and one IRN with PFC for all', () => {
    const conditions = irnParameters.plan.points('full', 1).map(({ condition }) => condition)
    expect(conditions.filter((condition) => condition.startsWith('IRN |'))).toHaveLength(8 * 3)
    expect(conditions.filter((condition) => !condition.startsWith('IRN |'))).toHaveLength(2 * 3)
  })
})

/** Runs of three seeds, each with the metric that `valueOf` gives it. */
function claimsOf(experiment: Experiment, valueOf: (condition: string, seed: number) => number): Map<string, Claim> {
  const outcomes = [1, 2, 3].flatMap((seed) =>
    experiment.plan.points('full', seed).map(({ condition }): Outcome => {
      const value = valueOf(condition, seed)
      return { condition, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
    }),
  )
  return new Map(experiment.plan.conclude(outcomes, 'full').claims.map((claim) => [claim.id, claim]))
}

describe('claims', () => {
  test('of bandwidth: a gap that does not shrink in one seed is not reproduced', () => {
    const gaps: Record<string, number> = { '10 Gb/s': 4, '40 Gb/s': 3, '100 Gb/s': 2 }
    const claims = claimsOf(irnBandwidth, (condition, seed) => {
      const [transport, name] = condition.split(' | ') as [string, string]
      if (transport === 'IRN') return 1
      return name === '100 Gb/s' && transport === 'RoCE + PFC' && seed === 2 ? 3.5 : gaps[name]!
    })
    const verdict = (to: string, steps: string): string | undefined =>
      claims.get(`irn.441.trend.bw [IRN over ${to}, ${steps}]`)?.verdict
    expect(verdict('IRN + PFC', '10 Gb/s to 40 Gb/s')).toBe('reproduced')
    expect(verdict('IRN + PFC', '40 Gb/s to 100 Gb/s')).toBe('reproduced')
    expect(verdict('RoCE + PFC', '10 Gb/s to 40 Gb/s')).toBe('reproduced')
    expect(verdict('RoCE + PFC', '40 Gb/s to 100 Gb/s')).toBe('not reproduced')
    // Two settings beside the default case, three controls, nine cells.
    expect([...claims.keys()].filter((id) => id.startsWith('irn.table4.cells'))).toHaveLength(2 * 3 * 9)
    expect(claims.get('irn.441.trend.bw [IRN over IRN + PFC, 10 Gb/s to 40 Gb/s]')?.paper).toBe('above 1; 1.38')
  })

  test('of buffers: with larger ones IRN comes nearer to IRN with PFC, and leaves RoCE behind', () => {
    const claims = claimsOf(irnBuffers, (condition) => {
      const [transport, name] = condition.split(' | ') as [string, string]
      const kb = Number.parseInt(name, 10)
      return transport === 'IRN' ? 1 : transport === 'IRN + PFC' ? 1 + 60 / kb : kb
    })
    const trends = [...claims].filter(([id]) => /trend|A5/.test(id))
    expect(trends).toHaveLength(9)
    expect(new Set(trends.map(([, claim]) => claim.verdict))).toEqual(new Set(['reproduced']))
  })

  test('of parameters: what moves little, and what a larger cap leaves of the gain', () => {
    const values: Record<string, number> = { '640 us': 1.1, '1280 us': 1.4, 'cap 165': 1.2, 'cap 440': 1.6 }
    const claims = claimsOf(irnParameters, (condition) => {
      const [transport, name] = condition.split(' | ') as [string, string]
      return transport === 'IRN' ? (values[name] ?? 1) : 2
    })
    const rowOf = (id: string): Pick<Claim, 'verdict' | 'measured'> => {
      const { verdict, measured } = claims.get(`${id}, DCQCN]`)!
      return { verdict, measured }
    }
    const every = 'holds in 3 of 3 seeds'
    const row = (verdict: string, measured: string): object => ({
      verdict,
      measured: expect.stringMatching(measured) as string,
    })
    expect(rowOf('irn.441.param-insensitive [640 us')).toEqual(row('reproduced', `^10\\.0 %.*${every}$`))
    expect(rowOf('irn.441.param-insensitive [1280 us')).toEqual(row('not reproduced', '^40\\.0 %'))
    expect(rowOf('irn.441.param-insensitive [N = 15')).toEqual(row('reproduced', '^0 %'))
    // RoCE has 2 and IRN 1: of a gain of 1 there are 0.8 and 0.4 left.
    expect(rowOf('irn.rule.bdp-overestimate [cap 165')).toEqual(row('reproduced', '^80\\.0 %'))
    expect(rowOf('irn.rule.bdp-overestimate [cap 440')).toEqual(row('not reproduced', '^40\\.0 %'))
  })
})

test('what the paper printed: a row of each table', () => {
  expect(printedSetting('90 %').table).toBe(3)
  expect(printedRows('10 Gb/s', 'none')[2]).toEqual([59.5e9, 0.458, 0.274])
  expect(printedRows('250 hosts', 'timely per packet')[0]).toEqual([4.48, 1, 0.651])
  expect(printedRows('500 KB to 5 MB', 'dcqcn')[1]).toEqual([10.9e9, 0.988, 0.553])
  expect(printedRows('60 KB', 'timely')[2]).toEqual([21.3e9, 0.596, 0.579])
  expect(printedSetting('N = 15').table).toBe(9)
  expect(() => printedSetting('15 %')).toThrow('S3 has no setting 15 %')
})
