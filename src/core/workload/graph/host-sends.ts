/** Host sends: the messages of a program between hosts, where its ranks are. */
import type { HostSends } from '../operations.ts'
import { nicOf, type Program } from './program.ts'

/** Entries of a rank in a row, one for each nic. */
interface RankHosts {
  readonly hostOf: readonly number[]
  readonly portOf?: readonly number[]
  readonly nics?: number
}

/** Visits all messages that go over the network, those that are alike together. */
export function eachHostSend(
  program: Program,
  { hostOf, portOf, nics = 1 }: RankHosts,
  visit: (sends: HostSends) => void,
): void {
  program.eachSend(({ from, to, sizeBytes, messages, channels: queuePairs, like }) => {
    if (hostOf[from * nics] === hostOf[to * nics]) return
    const nic = nics === 1 ? 0 : nicOf(like) % nics
    const [source, destination] = [hostOf[from * nics + nic]!, hostOf[to * nics + nic]!]
    visit({ source, destination, port: portOf?.[from * nics + nic] ?? -1, sizeBytes, messages, queuePairs, like })
  })
}
