/**
 * Link rates: the lines of `topology.rates`, which set the rate of single links, in both directions.
 *
 *     A-B: RATE        the links between A and B
 *     A: RATE          every link of A
 *
 * Nodes and lists of patterns are written as in link-pattern.ts. Units: bits per second.
 */
import { InputError, type Issue } from '../../../core/base/issue.ts'
import { KBPS } from '../../../core/base/params.ts'
import { parseQuantity } from '../../../core/base/units.ts'
import { type LinkPattern, parseLinkPatterns } from './link-pattern.ts'
import { quote } from '../text/wording.ts'

interface LinkRate {
  /** Index of the line in the list. */
  readonly line: number
  readonly patterns: readonly LinkPattern[]
  readonly rateBps: number
}

/**
 * Reads the list.
 * @throws InputError with every line that cannot be read.
 */
export function readLinkRates(lines: readonly string[]): LinkRate[] {
  const issues: Issue[] = []
  const rates = lines.flatMap((text, line): LinkRate[] => {
    const [, links = '', rateText = ''] = /^(.*):\s*(\S+)\s*$/.exec(text) ?? []
    const patterns = parseLinkPatterns(links)
    const rateBps = parseQuantity('rate', rateText)
    const path = `topology.rates.${line}`
    if (patterns === null || patterns.some(({ isOneWay }) => isOneWay)) {
      const expected = '"A-B: RATE" or "A: RATE", such as "leaf 0-spine 1: 40Gbps"'
      issues.push({ path, expected, received: quote(text), hint: 'A and B are nodes by number or name' })
      return []
    }
    if (rateBps === undefined || rateBps < KBPS) {
      issues.push({ path, expected: 'a rate of at least 1Kbps after the colon', received: quote(rateText), hint: '' })
      return []
    }
    return [{ line, patterns, rateBps }]
  })
  if (issues.length > 0) throw new InputError(issues)
  return rates
}
