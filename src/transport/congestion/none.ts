/** No congestion control: line rate always (S3 4.1, with PFC or a window as the only brakes). */
import { defineCongestion, type CongestionControl } from './congestion.ts'

class LineRate implements CongestionControl {
  readonly rateBps: number
  constructor(lineRateBps: number) {
    this.rateBps = lineRateBps
  }
  onAck(): void {}
  onCnp(): void {}
  onSent(): void {}
  onTimer(): void {}
}

export const none = defineCongestion({
  name: 'none',
  help: 'line rate always',
  source: 'S3 4.1',
  needs: {},
  params: {},
  create: (_values, context) => new LineRate(context.lineRateBps),
  cnpIntervalPs: () => 0,
})
