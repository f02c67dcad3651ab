/** Mistakes that an implementation of verbs could make, to be planted: the order checker must catch each. */
import { DUPLICATE, IN_ORDER, type Place, SelectiveRepeatReceiver } from '../../src/transport/index.ts'
import { InboundCheck } from '../../src/verbs/inbound-check.ts'
import { MemoryRegion } from '../../src/verbs/memory-region.ts'
import type { VerbsPacket } from '../../src/verbs/packet.ts'
import { PrematureCompletions } from '../../src/verbs/premature-completions.ts'
import { ReadTracker } from '../../src/verbs/read-tracker.ts'
import { Requester } from '../../src/verbs/requester.ts'
import { ResponseQueue } from '../../src/verbs/response-queue.ts'
import type { SendWqe } from '../../src/verbs/send-queue.ts'
import {
  READ_REQUEST_OPCODE,
  READ_RESPONSE_LAST,
  READ_RESPONSE_ONLY,
  SEND_FIRST,
  SEND_LAST_IMMEDIATE,
} from '../../src/wire/index.ts'

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Result

export interface PlantedBug {
  readonly name: string
  /** Plants it and returns how to take it away. */
  readonly plant: () => () => void
}

/** Puts another method in the place of one. */
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
}
type OpenQueue = { readonly slots: readonly Slot[]; executeAtomic(slot: Slot): void }
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
  bug<ResponseQueue, [], number>(
    'an atomic is executed when it arrives',
    ResponseQueue.prototype,
    'nextPsn',
    (original) =>
      function (this: ResponseQueue): number {
        return original.call(this) === Infinity ? Infinity : -1
      },
  ),
  bug<SelectiveRepeatReceiver, [number], Place>(
    'a packet that was taken before is taken again',
    SelectiveRepeatReceiver.prototype,
    'place',
    (original) =>
      function (this: SelectiveRepeatReceiver, psn: number): Place {
        const place = original.call(this, psn)
        return place === DUPLICATE ? IN_ORDER : place
      },
  ),
  bug<OpenQueue, [number], void>(
    'an atomic that comes again is executed again',
    ResponseQueue.prototype,
    'replay',
    (original) =>
      function (this: OpenQueue, psn: number): void {
        for (const slot of this.slots) {
          if (slot.psn === psn && slot.opcode !== READ_REQUEST_OPCODE && slot.sn >= 0) this.executeAtomic(slot)
        }
        original.call(this, psn)
      },
  ),
  bug<Requester, [SendWqe, number], boolean>(
    'a fence is not minded',
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
  bug<ReadTracker, [Readonly<VerbsPacket>], unknown>(
    'a READ is done when its last response is there',
    ReadTracker.prototype,
    'onSeparateResponse',
    (original) =>
      function (this: ReadTracker, packet: Readonly<VerbsPacket>): unknown {
        const verdict = original.call(this, packet)
        const isLast = packet.opcode === READ_RESPONSE_LAST || packet.opcode === READ_RESPONSE_ONLY
        if (isLast && this.done < this.issued) this.done++
        return verdict
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
