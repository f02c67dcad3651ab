import { expect, test } from 'vitest'
import { INTS, Memory } from '../base/memory.ts'
import { EVENT_INTS } from '../engine/event-record.ts'
import * as packetRecord from './packets.ts'
import { KIND_BITS } from './event-codes.ts'
import { IP_ID, ORDINAL, Packets, SIZE } from './packets.ts'

test('packet records are cache-line aligned, leave the low bits of handles for an event kind, and are numbered as they are made', () => {
  const packets = new Packets(new Memory())
  const made = Array.from({ length: 5000 }, () => packets.alloc())
  expect(new Set(made).size).toBe(5000)
  expect(made.filter((packet) => packet % 32 !== 0 || (packet & ((1 << KIND_BITS) - 1)) !== 0)).toEqual([])
  expect(made.map((packet) => INTS[packet | ORDINAL])).toEqual(made.map((_, i) => i))
  packets.free(made[7]!)
  expect([packets.alive, packets.alloc(), packets.alive]).toEqual([4999, made[7], 5000])
})

test('no field overlaps the event in front, another field or the times for hosts', () => {
  const packets = new Packets(new Memory())
  const packet = packets.alloc()
  const { SACK_PSN: sameAsPayload, ...constants } = packetRecord
  const kinds = ['PFC', 'BROADCAST', 'COPY']
  const fields = Object.entries(constants).flatMap(([name, value]) =>
    typeof value === 'number' && !kinds.includes(name) ? [value] : [],
  )
  expect(new Set(fields).size).toBe(fields.length)
  expect([Math.min(...fields), sameAsPayload]).toEqual([EVENT_INTS, packetRecord.PAYLOAD])
  expect([packetRecord.PFC, packetRecord.BROADCAST, packetRecord.COPY]).toEqual([6, 12, 13])
  for (const field of fields) INTS[packet | field] = -field
  packets.setTimes(packet, 2 ** 52 + 1, 2 ** 51 + 1)
  for (const field of fields) expect(INTS[packet | field]).toBe(-field)
  expect([packets.sentPs(packet), packets.delayPs(packet)]).toEqual([2 ** 52 + 1, 2 ** 51 + 1])
  expect([INTS[packet | SIZE], INTS[packet | IP_ID]]).toEqual([-SIZE, -IP_ID])
})
