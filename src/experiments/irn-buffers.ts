/**
 * IRN and RoCE with input buffers of 60 to 480 KB.
 * Source: S3 A.5, Table 7.
 */
import { defineIrnSettings, type Setting } from './irn-settings.ts'

/** The paper's threshold leaves 20 KB above it; the earlier one has room for packets on their way whole. */
const HEADROOM_KB = { PFC: 20, 'PFC early': 24 } as const

const ofSize = (bufferKb: number): Setting => ({
  name: `${bufferKb} KB`,
  pauseKb: { PFC: bufferKb - HEADROOM_KB.PFC, 'PFC early': bufferKb - HEADROOM_KB['PFC early'] },
  sets: ({ pfc }) => [
    `switch.buffer.portBuffer=${bufferKb}KB`,
    ...(pfc === 'no PFC' ? [] : [`switch.buffer.xoff=${bufferKb - HEADROOM_KB[pfc]}KB`]),
  ],
})

export const irnBuffers = defineIrnSettings({
  name: 'irn-buffers',
  title: 'input buffers of 60, 120, 240 and 480 KB',
  source: 'S3 A.5, Table 7',
  help:
    'The default case of S3 with a half, one, two and four times the BDP in each input buffer. With less there are more pauses, which ' +
    'spread; with more RoCE has longer queues, which the cap of IRN keeps short.',
  defaultName: '240 KB',
  settings: [60, 120, 240, 480].map(ofSize),
  trends: [
    { id: 'irn.441.trend.buf', to: 'IRN + PFC', way: 'rises' },
    { id: 'irn.A5.roce-gap-grows-with-buffer', to: 'IRN + PFC', way: 'rises' },
    { id: 'irn.A5.roce-gap-grows-with-buffer', to: 'RoCE + PFC', way: 'falls' },
  ],
  remarks: [
    'PFC pauses 24 KB below the buffer in all of them. S3 reckons its timeout of 320 us from the buffer; it stays here, as Table 8 shows how little it matters.',
  ],
})
