/** Findings on how connections are configured: one for all of them, as they mostly have the same. */
import { captureFindings, type Finding, foundAt } from '../../core/findings/index.ts'
import type { ConnectionFacts } from './decoded.ts'

const { connections: kinds } = captureFindings
const MTU_SMALL = 1024
const JUMBO_BYTES = 2200
/** Connections between two addresses from which on one source port is a pattern. */
const SAME_PORT_MIN = 4

export function configurationFindings(all: readonly ConnectionFacts[], longestBytes: number): Finding[] {
  const reliable = all.filter(({ service }) => service === 'rc' || service === 'xrc' || service === 'uc')
  const ofConnections = reliable.length
  const share = (some: readonly ConnectionFacts[]) => ({ connections: some.length, ofConnections })
  const small = reliable.filter(({ mtuBytes }) => mtuBytes !== null && mtuBytes <= MTU_SMALL)
  const zero = reliable.filter(({ directions }) => directions.every(({ dscp }) => dscp === 0))
  const plain = reliable.filter(({ directions }) => directions.every((one) => one.ectPackets + one.cePackets === 0))
  const unequal = reliable.filter(({ directions: [a, b] }) => b !== undefined && a!.dscp !== b.dscp)
  const found: Finding[] = []
  if (small.length > 0 && longestBytes >= JUMBO_BYTES)
    found.push(foundEverywhere(kinds.mtuSmall, { ...share(small), mtuBytes: small[0]!.mtuBytes!, longestBytes }))
  if (zero.length > 0) found.push(foundEverywhere(kinds.dscpZero, share(zero)))
  if (plain.length > 0) found.push(foundEverywhere(kinds.notEct, share(plain)))
  if (unequal.length > 0) {
    const [a, b] = unequal[0]!.directions
    found.push(foundEverywhere(kinds.classesDiffer, { ...share(unequal), dscp: a!.dscp, otherDscp: b!.dscp }))
  }
  return [...found, ...constantPorts(reliable)]
}

/** A finding that is not of one place. */
function foundEverywhere<V extends Parameters<typeof foundAt>[2]>(
  kind: Parameters<typeof foundAt<V>>[0],
  values: V,
): Finding {
  return foundAt(kind, {}, values)
}

function constantPorts(all: readonly ConnectionFacts[]): Finding[] {
  const ports = new Map<string, { connections: number; port: number; isConstant: boolean; ends: [string, string] }>()
  for (const { directions } of all) {
    const { source, destination, sourcePort, sourcePortChanges } = directions[0]!
    const key = `${source}|${destination}`
    const known = ports.get(key) ?? { connections: 0, port: sourcePort, isConstant: true, ends: [source, destination] }
    known.connections++
    known.isConstant &&= known.port === sourcePort && sourcePortChanges === 0
    ports.set(key, known)
  }
  return [...ports.values()]
    .filter(({ connections, isConstant }) => isConstant && connections >= SAME_PORT_MIN)
    .map(({ connections, port, ends: [source, destination] }) =>
      foundAt(kinds.sourcePortConstant, {}, { source, destination, connections, sourcePort: port }),
    )
}
