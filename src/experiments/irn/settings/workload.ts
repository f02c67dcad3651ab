/**
 * IRN and RoCE with large storage flows only: 500 KB to 5 MB, uniform.
 * Source: [IRN] A.4, Table 6.
 */
import { defineIrnSettings } from './settings.ts'

export const irnWorkload = defineIrnSettings({
  name: 'irn-workload',
  title: 'heavy-tailed flows, and large flows only',
  source: '[IRN] A.4, Table 6',
  help:
    'The default case of the IRN paper with its heavy-tailed flows of 32 B to 3 MB, and with flows of 500 KB to 5 MB: storage and ' +
    'background traffic without short messages.',
  defaultName: '32 B to 3 MB',
  settings: [
    { name: '32 B to 3 MB', sets: () => [] },
    { name: '500 KB to 5 MB', sets: () => ['workload.0.sizes={kind: uniform, min: 500KB, max: 5MB}'] },
  ],
  remarks: ['The load is 70 % of payload in both.'],
})
