/**
 * Waking: the law that no work is forgotten. Once all events of an instant have run, a queue pair that
 * may start a packet has no port at rest by which it could leave, no control packet waits at such a port, and no receiver
 * owes a reply that it may send.
 */
import { BrokenLaw } from '../../core/base/assert.ts'
import type { Network } from '../../core/fabric/network.ts'
import type { Nic } from '../../core/fabric/nic/nic.ts'

/** Events of one instant, at a time. */
const MOST_EVENTS = 2 ** 20

/** Runs the rest of this instant's events, and throws a Bug for work that is forgotten then. */
export function assertWaking(network: Network): void {
  const { nowPs } = network.fabric.queue
  // A run that has paused goes on in the same instant.
  if (network.hasPaused || network.advance(MOST_EVENTS, nowPs)) return
  // A run that is halted leaves out the rest of its last instant: what may be sent from then on is not forgotten.
  const broken = forgottenWork(network, network.isHalted ? nowPs - 1 : nowPs)
  if (broken.length === 0) return
  throw new BrokenLaw(nowPs, network.events, broken)
}

/** @param duePs of what may be sent since then */
function forgottenWork({ fabric: { transmitter }, nics, reads, pairs }: Network, duePs: number): string[] {
  const broken: string[] = []
  const isForgotten = (nic: Nic, classes: number): boolean =>
    !nic.isDown && transmitter.isForgotten(nic.port.id, reads[nic.position] ?? nic, classes)
  for (const nic of nics) {
    const classes = nic.controlClasses | (reads[nic.position]?.readyClasses ?? 0)
    if (isForgotten(nic, classes))
      broken.push(`NIC ${nic.position}: packets of classes ${classes} wait for a port that is free`)
  }
  for (const pair of pairs) {
    if (pair.isReset) continue
    const { sender, receiver } = pair
    if (receiver.hasReply) broken.push(`QP ${pair.id}: its receiver owes a reply that nothing sends`)
    if (sender.isIdle || sender.isFailed || sender.nextSendPs > duePs) continue
    for (const { from } of pair.nextLanes()) {
      const nic = nics[from]!
      const mayLeave = (nic.options.messageGaps?.untilPs(sender) ?? 0) <= duePs
      if (!mayLeave || reads[from]?.hasRoom(nic.port.id) === false) continue
      // A NIC with a single wake-up does not move it for earlier deadlines (single-wake.ts).
      if (nic.singleWake === null && isForgotten(nic, 1 << pair.trafficClass))
        broken.push(`QP ${pair.id}: may send by NIC ${from}, whose port is free`)
    }
  }
  return broken
}
