/** Connection managers and the exchange of their messages. */
import { NEVER_PS, US } from '../../base/params.ts'
import { CompletionQueue } from '../queues/completion-queue.ts'
import { ConnectionManager, type ConnectionManagerOptions, type ConnectionMessage } from './manager.ts'
import { CONNECTION_DEFAULTS } from './values.ts'
import { Device } from '../device.ts'
import type { QueuePair } from '../queue-pair.ts'

const pairs = new WeakMap<ConnectionManager, QueuePair>()

/** One end, by default with a queue pair of its own. */
export function end(own: Partial<ConnectionManagerOptions> = {}, values: Partial<typeof CONNECTION_DEFAULTS> = {}) {
  let orders = 0
  const device = new Device({ draw: () => ++orders })
  const queue = new CompletionQueue(16)
  const pair = device.createQueuePair({
    domain: device.allocateDomain(),
    sendCompletions: queue,
    receiveCompletions: queue,
  })
  const manager = new ConnectionManager({
    pair,
    values: { ...CONNECTION_DEFAULTS, ...values },
    offersIrn: true,
    responseTimeoutPs: 100 * US,
    retries: 15,
    ...own,
  })
  pairs.set(manager, pair)
  return manager
}

export const pairOf = (manager: ConnectionManager): QueuePair => pairs.get(manager)!

/** Carries messages until none is in flight and no deadline is left. */
export function carry(
  active: ConnectionManager,
  passive: ConnectionManager,
  path: (message: ConnectionMessage) => readonly number[] = () => [US],
): void {
  let nowPs = 0
  let flying: { at: number; to: ConnectionManager; message: ConnectionMessage }[] = []
  for (let step = 0; step < 10_000; step++) {
    for (const [from, to] of [
      [active, passive],
      [passive, active],
    ] as const) {
      for (let message = from.poll(); message !== null; message = from.poll()) {
        for (const delayPs of path(message)) flying.push({ at: nowPs + delayPs, to, message })
      }
    }
    const nextPs = Math.min(active.nextTimeoutPs, passive.nextTimeoutPs, ...flying.map(({ at }) => at))
    if (nextPs === NEVER_PS) return
    nowPs = nextPs
    const due = flying.filter(({ at }) => at <= nowPs)
    flying = flying.filter(({ at }) => at > nowPs)
    for (const { to, message } of due) to.onMessage(nowPs, message)
    active.onTimeout(nowPs)
    passive.onTimeout(nowPs)
  }
}
