/** HOT. A least time and an exponentially distributed part. */
import { duration, SECOND, US } from '../../base/params.ts'
import type { RandomStream } from '../../base/random.ts'
import { defineHostDelay, type HostDelay } from './host-delay.ts'

export class ExponentialDelay implements HostDelay {
  private readonly leastPs: number
  private readonly meanPs: number

  /** @param meanPs mean of what comes on top of `leastPs`; 0: nothing does, and nothing is drawn. */
  constructor(leastPs: number, meanPs: number) {
    this.leastPs = leastPs
    this.meanPs = meanPs
  }

  drawPs(random: RandomStream): number {
    const { leastPs, meanPs } = this
    return meanPs === 0 ? leastPs : leastPs + Math.round(random.exponential(meanPs))
  }
}

export const exponential = defineHostDelay({
  name: 'exponential',
  help: 'a least time and an exponentially distributed part',
  source: 'own',
  params: {
    least: duration({ default: US, max: SECOND, help: 'least time of a packet, in each host and direction' }),
    mean: duration({ default: 0, max: SECOND, help: 'mean of what a packet takes on top of it' }),
  },
  create: ({ least, mean }) => (least + mean === 0 ? null : new ExponentialDelay(least, mean)),
})
