/**
 * Workloads as suspects: each beside others is absent in the run without it, and those others are the victims. Who it is: a
 * crowd that sends to one host at a time, few hosts that send one without end, or another tenant.
 */
import { crowdsOf, SLOW } from '../../../../show/index.ts'
import { completionsOf, numbersOf, type Result, textsOf } from '../../../../core/results/index.ts'
import type { Topology } from '../../../../core/topology/index.ts'
import type { Scenario } from '../../../scenario/index.ts'
import type { Suspect, SuspectKind } from '../suspect.ts'

/** Share of the bytes of a workload that go to one host from which that is where they go. */
const MOST = 0.6
/** More senders are no single neighbours. */
const FEW = 4

export function otherWorkloads(scenario: Scenario, topology: Topology, result: Result): Suspect[] {
  const { workload } = scenario
  const active = workload.flatMap((one, row) => (one.kind === 'none' ? [] : [row]))
  if (active.length < 2) return []
  return active.flatMap((row) => {
    const { tag, kind } = workload[row]!
    // Another one behind it with its kind and tag would draw its numbers.
    if (workload.some((other, at) => at > row && other.tag === tag && other.kind === kind)) return []
    const seen = shapeOf(tag, result)
    if (seen.bytes === 0) return []
    return [suspectOf(row, tag, seen, topology)]
  })
}

interface Shape {
  readonly kind: SuspectKind
  readonly bytes: number
  /** Hosts. */
  readonly senders: readonly number[]
  /** The one that gets most of it; null: there is none. */
  readonly receiver: number | null
}

function shapeOf(tag: string, result: Result): Shape {
  const { flows } = result
  const [source, destination] = [numbersOf(flows, 'source'), numbersOf(flows, 'destination')]
  const sizes = numbersOf(flows, 'sizeBytes')
  const tags = textsOf(flows, 'tag')
  const [to, from] = [new Map<number, number>(), new Map<number, number>()]
  const { slowdown } = completionsOf(result)
  let [bytes, ownSlow, otherSlow] = [0, 0, 0]
  tags.forEach((one, row) => {
    const isSlow = !(slowdown[row]! < SLOW)
    if (one !== tag) {
      otherSlow += Number(isSlow)
      return
    }
    ownSlow += Number(isSlow)
    bytes += sizes[row]!
    to.set(destination[row]!, (to.get(destination[row]!) ?? 0) + sizes[row]!)
    from.set(source[row]!, (from.get(source[row]!) ?? 0) + sizes[row]!)
  })
  const [receiver, most] = [...to].reduce((best, one) => (one[1] > best[1] ? one : best), [-1, 0])
  const isAtOne = most >= MOST * bytes
  const senders = [...from.keys()]
  const isCrowd = isAtOne && senders.length >= FEW && crowdsOf(result).has(receiver)
  // A workload that has most of the slow messages is the load, and no neighbour of the others.
  const isOther = (!isAtOne && senders.length >= FEW) || ownSlow > otherSlow
  const kind = isOther ? 'other-tenant' : isCrowd ? 'incast' : 'noisy-neighbour'
  return { kind, bytes, senders, receiver: isAtOne ? receiver : null }
}

function suspectOf(row: number, tag: string, shape: Shape, topology: Topology): Suspect {
  const { names, hostPorts, endpoints, links } = topology
  const nodeOf = (host: number): number => endpoints[hostPorts[host]![0]!]!
  const { kind, senders, receiver } = shape
  const target = receiver === null ? null : nodeOf(receiver)
  const above = (node: number): number => {
    const { a, b } = links.find((link) => link.a === node || link.b === node)!
    return a === node ? b : a
  }
  const at =
    kind === 'incast'
      ? { device: names[target!]! }
      : kind === 'other-tenant'
        ? {}
        : senders.length === 1
          ? { device: names[nodeOf(senders[0]!)]! }
          : target === null
            ? { device: names[nodeOf(senders[0]!)]! }
            : { device: names[above(target)]!, port: names[target]! }
  return {
    kind,
    subject: { ...at, workload: tag, path: `workload.${row}` },
    others: [],
    stage: 'load',
    sides: new Set(['declared']),
    now: '',
    usual: '',
    sets: () => [`workload.${row}=none`],
    nodes: target === null ? [] : [target],
    weight: kind === 'other-tenant' ? 0.5 : 1,
  }
}
