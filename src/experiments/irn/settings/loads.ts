/**
 * IRN and RoCE at 30, 50, 70 and 90 % load.
 * The number of flows is the same at every load, so that they arrive in 175, 105, 75 and 58 ms.
 * Source: [IRN] A.1, Table 3.
 */
import { defineIrnSettings } from './settings.ts'

export const irnLoads = defineIrnSettings({
  name: 'irn-loads',
  title: 'loads of 30 to 90 %',
  source: '[IRN] A.1, Table 3',
  help:
    'The default case of the IRN paper at other loads: IRN without PFC, IRN with PFC and RoCE with PFC, without congestion control, ' +
    'under TIMELY and under DCQCN.',
  defaultName: '70 %',
  hasBursts: true,
  settings: [30, 50, 70, 90].map((percent) => ({ name: `${percent} %`, load: percent / 100, sets: () => [] })),
  trends: [
    { id: 'irn.441.trend.util', to: 'IRN + PFC', direction: 'falls' },
    { id: 'irn.A1.ratios-decrease', to: 'IRN + PFC', direction: 'falls' },
    { id: 'irn.A1.ratios-decrease', to: 'RoCE + PFC', direction: 'falls' },
  ],
  remarks: [],
})
