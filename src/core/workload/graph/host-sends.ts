/** Host sends: the messages of a program between hosts, where its ranks are. */
import type { HostSends } from '../operations.ts'
import { nicOf, type Program } from './program.ts'

/** The ranks of a program on hosts and their ports. */
export interface RankHosts {
  /** Host of each rank, and the port of it that the rank's queue pairs have as home; -1, or absent: each the next one. */
  readonly hostOf: readonly number[]
  readonly portOf?: readonly number[]
  /**
   * Entries of a rank in a row, one for each nic; a message has the sender's nic at both ends, which its channel
   * says. Absent: one.
   */
  readonly nics?: number
  /** Port of its host by which a message on a channel to a rank leaves, whoever sends it; absent: that of the sender. */
  readonly railOf?: ((channel: number, to: number) => number) | undefined
}

/** Visits all messages that go over the network, those that are alike together. */
export function eachHostSend(
  program: Program,
  { hostOf, portOf, nics = 1, railOf }: RankHosts,
  visit: (sends: HostSends) => void,
): void {
  program.eachSend(({ from, to, sizeBytes, messages, channels: queuePairs, like, channel = 0 }) => {
    if (hostOf[from * nics] === hostOf[to * nics]) return
    const nic = nics === 1 ? 0 : nicOf(like) % nics
    const [source, destination] = [hostOf[from * nics + nic]!, hostOf[to * nics + nic]!]
    const port = railOf?.(channel, to) ?? portOf?.[from * nics + nic] ?? -1
    visit({ source, destination, port, sizeBytes, messages, queuePairs, like })
  })
}
