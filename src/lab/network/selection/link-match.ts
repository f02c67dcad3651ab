/**
 * Link match: whether a pattern of link-pattern.ts matches a link of a topology, and the issue where it matches none.
 */
import { type DeviceNames, isNamed } from '../../../core/base/device-names.ts'
import type { Issue } from '../../../core/base/issue.ts'
import type { LinkPattern } from '../../scenario/rules/link-pattern.ts'
import { quote, suggestion } from '../../scenario/text/wording.ts'
import type { Topology } from '../../../core/topology/topology.ts'

/** Whether the pattern matches the link in the direction from `sender` to `receiver`. */
export function meansLink(
  { from, to, isOneWay }: LinkPattern,
  devices: DeviceNames,
  sender: number,
  receiver: number,
): boolean {
  const is = (node: number, word: string): boolean => isNamed(word, node, devices)
  if (to === null) return is(sender, from) || is(receiver, from)
  return (is(sender, from) && is(receiver, to)) || (!isOneWay && is(sender, to) && is(receiver, from))
}

/** The issue for a pattern that matches no link. */
export function noLinkIssue({ text, from, to }: LinkPattern, topology: Topology, path: string): Issue {
  const { names } = topology
  const nodeCount = topology.nodeCount - topology.writtenAs.size
  const isThere = (word: string): boolean => names.some((_, node) => isNamed(word, node, topology))
  const missing = [from, to].find((word) => word !== null && !isThere(word))
  const received = quote(text)
  if (missing === undefined || missing === null)
    return { path, expected: 'nodes that a link joins', received, hint: '' }
  const hint =
    suggestion(missing, names) || `there are ${names[0]} to ${names[nodeCount - 1]}, node 0 to node ${nodeCount - 1}`
  return { path, expected: 'nodes of this network', received, hint }
}
