/** Bugs of a verbs implementation, to be planted: the order checker must catch each. */
import { Arrivals, DUPLICATE, IN_ORDER, type Position } from '../../src/core/transport/arrivals.ts'
import { InboundCheck } from '../../src/core/verbs/responder/inbound-check.ts'
import { MemoryRegion } from '../../src/core/verbs/memory-region.ts'
import type { VerbsPacket } from '../../src/core/verbs/packet.ts'
import { PrematureCompletions } from '../../src/core/verbs/queues/premature-completions.ts'
import { Requester } from '../../src/core/verbs/requester/requester.ts'
import { ResponseReceiver } from '../../src/core/verbs/requester/response-receiver.ts'
import { ResponseSender } from '../../src/core/verbs/responder/response-sender.ts'
import type { SendWqe } from '../../src/core/verbs/queues/send-queue.ts'
import {
  READ_REQUEST_OPCODE,
  READ_RESPONSE_LAST,
  READ_RESPONSE_ONLY,
  SEND_FIRST,
  SEND_LAST_IMMEDIATE,
} from '../../src/core/wire/index.ts'

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Result

export interface PlantedBug {
  readonly name: string
  /** Plants the bug and returns a function that removes it. */
  readonly plant: () => () => void
}

/** Replaces a method. */
function bug<This extends object, Args extends unknown[], Result>(
  name: string,
  prototype: object,
  member: string,
  make: (original: Method<This, Args, Result>) => Method<This, Args, Result>,
): PlantedBug {
  return {
    name,
    plant() {
      const original = Object.getOwnPropertyDescriptor(prototype, member)!
      const isGetter = 'get' in original && original.value === undefined
      const before = (isGetter ? Reflect.get(original, 'get') : original.value) as Method<This, Args, Result>
      const after = make(before)
      Object.defineProperty(prototype, member, { ...original, ...(isGetter ? { get: after } : { value: after }) })
      return () => Object.defineProperty(prototype, member, original)
    },
  }
}

interface Slot {
  readonly sn: number
  readonly psn: number
  readonly opcode: number
  readonly address: number
  readonly region: MemoryRegion | null
}
type OpenSender = { readonly slots: readonly Slot[] }
type OpenReceiver = { deliveredMessages: number; readonly issued: number }
type OpenCheck = { address: number; receiveSn: number; readonly host: { readonly receives: { readonly head: number } } }

export const BUGS: readonly PlantedBug[] = [
  bug<PrematureCompletions, [number], number>(
    'a CQE is released when its last packet arrives',
    PrematureCompletions.prototype,
    'psnOf',
    (original) =>
      function (this: PrematureCompletions, sn: number): number {
        return original.call(this, sn) === Infinity ? Infinity : -1
      },
  ),
  bug<OpenCheck, [Readonly<VerbsPacket>, boolean], number>(
    'SENDs are placed one byte off',
    InboundCheck.prototype,
    'judge',
    (original) =>
      function (this: OpenCheck, packet: Readonly<VerbsPacket>, isInOrder: boolean): number {
        const verdict = original.call(this, packet, isInOrder)
        if (verdict === 0 && packet.opcode <= SEND_LAST_IMMEDIATE && packet.messageOffset > 0) this.address--
        return verdict
      },
  ),
  bug<ResponseSender, [], number>(
    'an atomic is executed when it arrives',
    ResponseSender.prototype,
    'nextPsn',
    (original) =>
      function (this: ResponseSender): number {
        return original.call(this) === Infinity ? Infinity : -1
      },
  ),
  bug<Arrivals, [number], Position>(
    'a packet that was accepted before is accepted again',
    Arrivals.prototype,
    'position',
    (original) =>
      function (this: Arrivals, psn: number): Position {
        const position = original.call(this, psn)
        return position === DUPLICATE ? IN_ORDER : position
      },
  ),
  bug<OpenSender, [number, number, VerbsPacket], void>(
    'a repeated atomic is executed again',
    ResponseSender.prototype,
    'sendAgainFrom',
    (original) =>
      function (this: OpenSender, nowPs: number, response: number, packet: VerbsPacket): void {
        for (const { sn, opcode, region, address } of this.slots) {
          if (sn < 0 || opcode === READ_REQUEST_OPCODE || region === null) continue
          region.setWord(address, region.high(address), (region.low(address) + 1) % 2 ** 32)
        }
        original.call(this, nowPs, response, packet)
      },
  ),
  bug<Requester, [SendWqe, number], boolean>(
    'a fence is ignored',
    Requester.prototype,
    'mayBegin',
    (original) =>
      function (this: Requester, wqe: SendWqe, psn: number): boolean {
        const { isFenced } = wqe
        wqe.isFenced = false
        const may = original.call(this, wqe, psn)
        wqe.isFenced = isFenced
        return may
      },
  ),
  bug<OpenReceiver, [number, number, Readonly<VerbsPacket>], void>(
    'a READ is completed when its last response has arrived',
    ResponseReceiver.prototype,
    'onTaken',
    (original) =>
      function (this: OpenReceiver, nowPs: number, psn: number, packet: Readonly<VerbsPacket>): void {
        original.call(this, nowPs, psn, packet)
        const isLast = packet.opcode === READ_RESPONSE_LAST || packet.opcode === READ_RESPONSE_ONLY
        if (isLast && this.deliveredMessages < this.issued) this.deliveredMessages++
      },
  ),
  bug<MemoryRegion, [number, Uint8Array, number], void>(
    'now and then a byte is not written',
    MemoryRegion.prototype,
    'write',
    (original) =>
      function (this: MemoryRegion, address: number, source: Uint8Array, count: number): void {
        original.call(this, address, source, address % 97 === 5 ? count - 1 : count)
      },
  ),
  bug<OpenCheck, [Readonly<VerbsPacket>], boolean>(
    'Receive WQEs are taken in the order of arrival',
    InboundCheck.prototype,
    'findReceive',
    (original) =>
      function (this: OpenCheck, packet: Readonly<VerbsPacket>): boolean {
        const good = original.call(this, packet)
        if (good && packet.opcode !== SEND_FIRST) this.receiveSn = this.host.receives.head
        return good
      },
  ),
]
