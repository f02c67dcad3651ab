/**
 * HOT. Quantiles: times by points of their cumulative distribution, with straight lines between points; the form in which
 * measured latencies are published.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { list, SECOND, text } from '../../base/params.ts'
import type { RandomStream } from '../../base/random.ts'
import { formatQuantity, parseQuantity } from '../../base/units.ts'
import { defineHostDelay, type HostDelay } from './host-delay.ts'

interface Point {
  readonly share: number
  readonly timePs: number
}

class QuantileDelay implements HostDelay {
  private readonly shares: Float64Array
  private readonly timesPs: Float64Array

  constructor(points: readonly Point[]) {
    this.shares = Float64Array.from(points, ({ share }) => share)
    this.timesPs = Float64Array.from(points, ({ timePs }) => timePs)
  }

  drawPs(random: RandomStream): number {
    const { shares, timesPs } = this
    const share = random.uniform()
    // Most draws are below the first few points.
    let at = 1
    while (shares[at]! <= share) at++
    const [from, to] = [shares[at - 1]!, shares[at]!]
    const lowPs = timesPs[at - 1]!
    return Math.round(lowPs + ((share - from) / (to - from)) * (timesPs[at]! - lowPs))
  }
}

export const quantiles = defineHostDelay({
  name: 'quantiles',
  help: 'times by points of their cumulative distribution, linear between points',
  source: 'the form of published latencies',
  params: {
    points: list(
      text({ help: '"PERCENT TIME": percent of the packets that take at most that time, for example "99 50us"' }),
      {
        minItems: 2,
        help: 'points from 0 to 100 percent; percents ascend, and times do not fall',
      },
    ),
  },
  create: ({ points }) => new QuantileDelay(readPoints(points)),
})

function readPoints(lines: readonly string[]): Point[] {
  const issues: Issue[] = []
  const wrong = (index: number, expected: string, received: string, hint = ''): void => {
    issues.push({ path: `points.${index}`, expected, received, hint })
  }
  const read = lines.map(parsePoint)
  read.forEach((point, index) => {
    if (point === undefined) {
      const hint = 'for example "99 50us"'
      wrong(index, '"PERCENT TIME" with percent 0 to 100 and a time up to 1s', `"${lines[index]!}"`, hint)
      return
    }
    const before = read[index - 1]
    if (before === undefined) return
    const percent = (share: number): string => `${share * 100}`
    if (point.share <= before.share) {
      wrong(index, `percent above ${percent(before.share)} of the point before`, percent(point.share))
    }
    if (point.timePs < before.timePs) {
      const [least, found] = [before.timePs, point.timePs].map((timePs) => formatQuantity('duration', timePs))
      wrong(index, `a time of at least ${least} of the point before`, found!)
    }
  })
  const [first, last] = [read[0], read.at(-1)]
  if (first !== undefined && first.share !== 0) {
    wrong(0, '0 percent at the first point', `${first.share * 100}`, 'begin with the least time and 0')
  }
  if (last !== undefined && last.share !== 1) {
    wrong(lines.length - 1, '100 percent at the last point', `${last.share * 100}`, 'end with the longest time and 100')
  }
  if (issues.length > 0) throw new InputError(issues)
  return read.filter((point) => point !== undefined)
}

function parsePoint(line: string): Point | undefined {
  const [percentText, timeText, ...rest] = line.trim().split(/\s+/)
  if (percentText === undefined || timeText === undefined || rest.length > 0) return undefined
  const percent = /^\d+(\.\d+)?$/.test(percentText) ? Number(percentText) : NaN
  const timePs = parseQuantity('duration', timeText)
  if (!(percent <= 100) || timePs === undefined || !(timePs >= 0 && timePs <= SECOND)) return undefined
  return { share: percent / 100, timePs }
}
