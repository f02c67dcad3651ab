/**
 * Rules of `faults`: selections of links that can be read, and times in their order.
 */
import { formatQuantity } from '../../../core/base/units.ts'
import type { Scenario } from '../scenario.ts'
import type { Rule, RuleIssue } from '../text/parse-tree.ts'
import { quote } from '../text/wording.ts'
import { parseLinkPatterns } from './link-pattern.ts'
import { issue, SOUND } from './rule-issue.ts'

type Fault = Scenario['faults'][number]

const time = (value: number): string => formatQuantity('duration', value)

export const faults: Rule<Scenario> = {
  reads: [],
  partsOf: ['faults'],
  check: (scenario, isSound) =>
    scenario.faults.flatMap((fault, i) => {
      const at = `faults.${i}`
      return [
        ...(isSound(`${at}.links`) && 'links' in fault ? linksOf(fault, `${at}.links`) : SOUND),
        ...(isSound(at) ? timesOf(fault, at) : SOUND),
      ]
    }),
}

/** A link goes down in both directions, so that patterns of one direction are refused. */
function linksOf({ kind, links }: Extract<Fault, { links: string }>, path: string): readonly RuleIssue[] {
  const patterns = parseLinkPatterns(links)
  if (kind === 'link-down' || kind === 'link-flap') {
    return patterns !== null && !patterns.some(({ isOneWay }) => isOneWay)
      ? SOUND
      : [issue(path, '"A-B" or "A", nodes by number or name, comma separated', quote(links))]
  }
  return patterns !== null || /^\s*(?:all|hosts|fabric)\s*$/.test(links)
    ? SOUND
    : [issue(path, 'all, hosts, fabric, or "A-B", "A>B" or "A", nodes by number or name', quote(links))]
}

/** A fault begins before it ends. */
function timesOf(fault: Fault, at: string): readonly RuleIssue[] {
  if (fault.kind === 'link-flap' && fault.down >= fault.interval)
    return [issue(`${at}.interval`, `longer than down, ${time(fault.down)}`, time(fault.interval))]
  if ('up' in fault && fault.up !== null && fault.up <= fault.down)
    return [issue(`${at}.up`, `later than down, ${time(fault.down)}, or off`, time(fault.up))]
  if ('until' in fault && fault.until !== null && fault.until <= fault.from)
    return [issue(`${at}.until`, `later than from, ${time(fault.from)}, or off`, time(fault.until))]
  return SOUND
}
