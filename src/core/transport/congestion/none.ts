/** No congestion control: line rate always ([IRN] 4.1, limited only by PFC or a window). */
import { CongestionControl, defineCongestion } from './congestion.ts'

class LineRate extends CongestionControl {}

export const none = defineCongestion({
  name: 'none',
  help: 'line rate always',
  source: '[IRN] 4.1',
  needs: {},
  offers: { soleControl: true },
  params: {},
  create: (_values, context) => new LineRate(context),
  cnpIntervalPs: () => 0,
})
