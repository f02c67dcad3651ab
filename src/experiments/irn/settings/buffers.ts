/**
 * IRN and RoCE with input buffers of 60 to 480 KB.
 * Source: [IRN] A.5, Table 7.
 */
import { BELOW_ONE, type Claim, seedsClaim } from '../../core/findings.ts'
import { armName } from '../arms.ts'
import { defineIrnSettings, type Runs, type Setting } from './settings.ts'
import { ratiosOf } from '../../core/old/over-seeds.ts'

/** Headroom above the paper's threshold, and above the early one, which adds frames that have begun transmission. */
const HEADROOM_KB = { PFC: 20, 'PFC early': 24 } as const

const ofSize = (bufferKb: number): Setting => ({
  name: `${bufferKb} KB`,
  pauseKb: { PFC: bufferKb - HEADROOM_KB.PFC, 'PFC early': bufferKb - HEADROOM_KB['PFC early'] },
  sets: ({ pfc }) => [
    `switch.buffer.portBuffer=${bufferKb}KB`,
    ...(pfc === 'no PFC' ? [] : [`switch.buffer.xoff=${bufferKb - HEADROOM_KB[pfc]}KB`]),
  ],
})

/** Lower thresholds in the default buffer, for IRN with PFC only. */
const THRESHOLDS: readonly Setting[] = [60, 120, 180].map((kb) => ({
  name: `pause at ${kb} KB`,
  isPrinted: false,
  isOfIrnPfcAlone: true,
  sets: () => [`switch.buffer.xoff=${kb}KB`],
}))

/** The claim that lowering only the threshold has the effect of smaller buffers: IRN with PFC gets worse. */
function thresholdClaims({ outcomes }: Runs): Claim[] {
  const irnPfc = { transport: 'irn', pfc: 'PFC', control: 'none' } as const
  const steps = [...THRESHOLDS.map(({ name }) => name), '']
  return steps.slice(1).map((name, i) => {
    const lower = steps[i]!
    return seedsClaim({
      id: `irn.A5.threshold-like-buffer [${lower} to ${name === '' ? 'at 220 KB' : name}]`,
      statement: `Average slowdown of IRN with PFC, ${name === '' ? 'pause at 220 KB' : name} over ${lower}`,
      paper: 'below 1',
      values: ratiosOf(outcomes, { of: armName(irnPfc, name), to: armName(irnPfc, lower) }, (m) => m['meanSlowdown']!),
      band: BELOW_ONE,
      judge: 'mean',
      unit: ' x',
    })
  })
}

export const irnBuffers = defineIrnSettings({
  name: 'irn-buffers',
  title: 'input buffers of 60, 120, 240 and 480 KB',
  source: '[IRN] A.5, Table 7',
  help:
    'The default case of the IRN paper with a half, one, two and four times the BDP in each input buffer. Smaller buffers cause more pauses, which ' +
    'spread; larger buffers allow longer queues with RoCE, while the cap of IRN keeps them short.',
  defaultName: '240 KB',
  settings: [...[60, 120, 240, 480].map(ofSize), ...THRESHOLDS],
  claims: thresholdClaims,
  trends: [
    { id: 'irn.441.trend.buf', to: 'IRN + PFC', direction: 'rises' },
    { id: 'irn.A5.roce-gap-grows-with-buffer', to: 'IRN + PFC', direction: 'rises' },
    { id: 'irn.A5.roce-gap-grows-with-buffer', to: 'RoCE + PFC', direction: 'falls' },
  ],
  remarks: [
    'PFC pauses 20 and 24 KB below the buffer size in all of them; three more thresholds are run in the default buffer. The paper derives its timeout of 320 us from the buffer; it stays the same here, since Table 8 shows how little it matters.',
  ],
})
