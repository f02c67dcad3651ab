/**
 * IRN and RoCE at 30, 50 and 90 % load under TIMELY and DCQCN; without congestion control they stand in irn-loads.
 * Source: S3 A.1, Table 3.
 */
import { defineIrnSettings } from './irn-settings.ts'

export const irnUtilization = defineIrnSettings({
  name: 'irn-utilization',
  title: 'loads of 30 to 90 % under TIMELY and DCQCN',
  source: 'S3 A.1, Table 3',
  help: 'The default case of S3 at other loads, under congestion control: the two thirds of Table 3 that irn-loads leaves out.',
  defaultName: '70 %',
  controls: ['timely', 'dcqcn'],
  settings: [30, 50, 70, 90].map((percent) => ({
    name: `${percent} %`,
    sets: () => [`workload.0.load=${percent / 100}`],
  })),
  remarks: ['The load is of payload.'],
})
