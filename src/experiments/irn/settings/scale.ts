/**
 * IRN and RoCE in fat trees of 54, 128 and 250 hosts.
 * Source: [IRN] A.3, Table 5.
 */
import { bracketClaim, type Claim } from '../../core/findings.ts'
import { CONTROL_NAMES } from '../arms.ts'
import { combinedReadings, IRN, IRN_PFC, ratiosIn, ROCE_PFC } from '../readings.ts'
import { defineIrnSettings, type Runs, type Setting } from './settings.ts'
import { sideName } from '../tables.ts'

const DEFAULT_ARITY = 6

const SETTINGS: readonly Setting[] = [DEFAULT_ARITY, 8, 10].map((arity) => ({
  name: `${arity ** 3 / 4} hosts`,
  sets: () => [`topology.arity=${arity}`],
}))

/** Change of a ratio that counts as similar. */
const NEAR = 0.1

function similarClaims(runs: Runs): Claim[] {
  const [usual, ...larger] = SETTINGS
  return larger.flatMap((setting) =>
    runs.controls.flatMap((control) =>
      [IRN_PFC, ROCE_PFC].map((to) => {
        const of = (each: Setting) =>
          ratiosIn(runs.outcomes, { of: IRN, to, at: runs.cell(each, control).at }, (m) => m['meanSlowdown']!)
        return bracketClaim({
          id: `irn.A3.scale-similar [${setting.name}, ${CONTROL_NAMES[control]}, over ${sideName(to)}]`,
          statement: `Average slowdown of IRN over that of ${sideName(to)}, with ${setting.name} less with ${usual!.name}`,
          paper: 'similar',
          readings: combinedReadings(of(setting), of(usual!), (ratio, usualRatio) => ratio - usualRatio),
          paperValues: [],
          band: { low: -NEAR, high: NEAR },
          tolerance: `${NEAR}`,
        })
      }),
    ),
  )
}

export const irnScale = defineIrnSettings({
  name: 'irn-scale',
  title: 'fat trees of 54, 128 and 250 hosts',
  source: '[IRN] A.3, Table 5',
  help:
    'The default case of the IRN paper in fat trees of switches with 6, 8 and 10 ports and the same number of flows per host: do the results for 54 hosts ' +
    'hold for larger networks?',
  defaultName: '54 hosts',
  settings: SETTINGS,
  claims: similarClaims,
  remarks: [
    'The longest path has six links in each of these trees, so that cap and buffers stay the same. The paper derives its timeout of 320 us from the number of ports of a switch, which is larger here; it stays the same too, since Table 8 shows how little it matters.',
  ],
})
