/**
 * IRN with other parameters: a longer RTO_high, RTO_low for more packets in flight, and a cap above the BDP.
 * Source: [IRN] A.6, Tables 8 and 9; section 3.2 and its note on the BDP.
 */
import { interval95 } from '../../../results/index.ts'
import { bracketClaim, type Claim, seedsClaim } from '../../core/findings.ts'
import { CONTROL_NAMES, METRICS } from '../arms.ts'
import { ratioReadings } from '../cells.ts'
import { ROCE_PFC } from '../readings.ts'
import { defineIrnSettings, type Runs, type Setting } from './settings.ts'

const ofIrn = { isOfIrnAlone: true } as const
const TIMEOUTS: readonly Setting[] = [640, 1280].map((us) => ({
  ...ofIrn,
  name: `${us} us`,
  sets: () => [`qp.ackTimeout=${us}us`],
}))
const FLIGHTS: readonly Setting[] = [10, 15].map((packets) => ({
  ...ofIrn,
  name: `N = ${packets}`,
  sets: () => [`recovery.rtoLowPackets=${packets}`],
}))
const CAPS: readonly Setting[] = [165, 220, 440].map((packets) => ({
  ...ofIrn,
  isPrinted: false,
  name: `cap ${packets}`,
  sets: () => [`recovery.cap=${packets}`],
}))

/** Bound for "very small differences"; the largest in the paper's own tables is 27 %. */
const SMALL_PERCENT = 30

/** Claims that a parameter hardly matters, by the metric that it changes most. */
function insensitive(runs: Runs): Claim[] {
  return [...TIMEOUTS, ...FLIGHTS].flatMap((setting) =>
    runs.controls.map((control) => {
      const byMetric = METRICS.map(({ key }) => runs.overDefault(setting, control, key))
      return seedsClaim({
        id: `irn.441.param-insensitive [${setting.name}, ${CONTROL_NAMES[control]}]`,
        statement: `Change of IRN by ${setting.name}, in the metric that changes most`,
        paper: 'very small',
        values: byMetric[0]!.map((_, seed) => Math.max(...byMetric.map((ratios) => 100 * Math.abs(ratios[seed]! - 1)))),
        band: { low: 0, high: SMALL_PERCENT },
        judge: 'mean',
        unit: ' %',
      })
    }),
  )
}

/** Claims that a larger cap keeps most of IRN's gain over RoCE with PFC, by the metric that keeps least. */
function overestimated(runs: Runs): Claim[] {
  return CAPS.flatMap((setting) =>
    runs.controls.map((control) => {
      const cell = runs.cell(setting, control)
      const byMetric = METRICS.map(({ key }) => ({
        over: ratioReadings(runs.outcomes, cell, ROCE_PFC, key),
        moved: runs.overDefault(setting, control, key),
      }))
      const readings = byMetric[0]!.over.map(({ name }, i) => {
        const shares = byMetric.map(({ over, moved }) =>
          over[i]!.values!.map((ratio, seed) => (100 * (1 - ratio)) / (1 - ratio / moved[seed]!)),
        )
        const values = shares[0]!.map((_, seed) => Math.min(...shares.map((ofMetric) => ofMetric[seed]!)))
        return { name, measured: interval95(values), values }
      })
      return bracketClaim({
        id: `irn.rule.bdp-overestimate [${setting.name}, ${CONTROL_NAMES[control]}]`,
        statement: `Share of its gain over RoCE with PFC that IRN keeps with ${setting.name} instead of 110, in the metric where it is smallest`,
        paper: 'to a large extent',
        readings,
        paperValues: [],
        band: { low: 50, high: Infinity },
        tolerance: 'a half, our choice: the paper gives no number',
        unit: ' %',
      })
    }),
  )
}

export const irnParameters = defineIrnSettings({
  name: 'irn-parameters',
  title: 'IRN with other timeouts, and with larger caps',
  source: '[IRN] A.6, Tables 8 and 9; section 3.2',
  help:
    'The default case of the IRN paper in which IRN has twice and four times its RTO_high, uses RTO_low with up to 10 and 15 packets in flight, and has ' +
    'caps of 1.5, 2 and 4 times the BDP.',
  defaultName: 'default',
  settings: [{ name: 'default', sets: () => [] }, ...TIMEOUTS, ...FLIGHTS, ...CAPS],
  claims: (runs) => [...insensitive(runs), ...overestimated(runs)],
  remarks: [
    'There are no timeouts with PFC, and IRN with PFC and RoCE with PFC have the runs of the default case in every row. Default: RTO_high 320 us, N = 3, a cap of 110 packets.',
  ],
})
