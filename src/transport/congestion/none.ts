/** No congestion control: line rate always (S3 4.1, with PFC or a window as the only brakes). */
import { ROCE_SURVEY } from '../survey.ts'
import { CongestionControl, defineCongestion } from './congestion.ts'

class LineRate extends CongestionControl {}

export const none = defineCongestion({
  name: 'none',
  help: 'line rate always',
  source: 'S3 4.1',
  needs: {},
  offers: { soleControl: true },
  survey: {
    ...ROCE_SURVEY,
    notes: [
      {
        cell: 'pfcDependency',
        kind: 'reading',
        text: 'With a recovery of RoCE, which this is the other half of. Another recovery may bear losses.',
      },
    ],
  },
  params: {},
  create: (_values, context) => new LineRate(context),
  cnpIntervalPs: () => 0,
})
