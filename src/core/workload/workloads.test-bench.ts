/**
 * Shared by workload tests: the outline of a network, and taking messages from a source.
 */
import { InputError } from '../base/issue.ts'
import { GBPS, NEVER_PS } from '../base/params.ts'
import { createRandomStreams } from '../base/random.ts'
import type { Message, Source, WorkloadContext } from './index.ts'

/** Racks of equal size, 40 Gb/s hosts. */
export function context(racks: number, hostsPerRack: number, more: Partial<WorkloadContext> = {}): WorkloadContext {
  const hostCount = racks * hostsPerRack
  const hostsOf = Array.from({ length: racks }, (_, rack) =>
    Array.from({ length: hostsPerRack }, (__, host) => rack * hostsPerRack + host),
  )
  return {
    hostCount,
    portCounts: Array.from({ length: hostCount }, () => 1),
    hostRateBps: Array.from({ length: hostCount }, () => 40 * GBPS),
    racks: hostsOf,
    groups: [hostsOf],
    payloadBytes: 1024,
    overheadBytes: 82,
    writeOverheadBytes: 16,
    generateUntilPs: NEVER_PS,
    random: createRandomStreams(1),
    ...more,
  }
}
export const blank = (): Message => ({
  startPs: -1,
  source: -1,
  destination: -1,
  sizeBytes: -1,
  operation: 'write',
  isWork: false,
  connection: -2,
  port: -2,
  trafficClass: -2,
  sourcePort: -2,
  destinationPort: -2,
  tag: '?',
})
export function take(source: Source): Message {
  const message = blank()
  const startPs = source.nextStartPs
  if (startPs === NEVER_PS) throw new Error('nothing to take')
  source.take(message)
  // Not expect(): it would take most of the time of a hundred thousand messages.
  if (message.startPs !== startPs) throw new Error('a message starts at the time announced')
  return message
}
/** Messages that a source posts while none is reported as finished, up to `most`. */
export function drain(source: Source, most = Infinity): Message[] {
  const messages: Message[] = []
  while (source.nextStartPs !== NEVER_PS && messages.length < most) messages.push(take(source))
  return messages
}
export const issuesOf = (create: () => unknown): string[] => {
  try {
    create()
  } catch (error) {
    if (error instanceof InputError)
      return error.issues.map((issue) => `${issue.path}: ${issue.expected}, ${issue.received}`)
    throw error
  }
  return []
}
