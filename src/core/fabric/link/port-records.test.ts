import { expect, test } from 'vitest'
import { DOUBLES, INTS, Memory } from '../../base/memory.ts'
import { EVENT_INTS, EVENT_ORDER, EVENT_PS, POOLED } from '../../engine/event-record.ts'
import * as codes from '../event-codes.ts'
import * as fields from './port-records.ts'
import { PortRecords } from './port-records.ts'

test("a port's event is the front of its record, and no other field lies on it or on another field", () => {
  expect([fields.BUSY_PS, fields.BUSY_ORDER]).toEqual([EVENT_PS, EVENT_ORDER])
  const doubles = [fields.SENT_BYTES, fields.SENT_FRAMES, fields.DELAY_PS]
  const ints = [fields.STATE, fields.TABLE, fields.MARK_FROM, fields.PEER]
  const indexes = [...doubles.flatMap((at) => [2 * at, 2 * at + 1]), ...ints]
  expect(new Set(indexes).size).toBe(indexes.length)
  expect(indexes.filter((at) => at < EVENT_INTS || at >= 16)).toEqual([])
})

test('records of ports are adjacent and do not overlap', () => {
  const { base } = new PortRecords(5, new Memory())
  for (let port = 0; port < 5; port++) {
    const record = base | (port << 4)
    expect(record).toBe(base + 16 * port)
    INTS[record | fields.PEER] = port
    DOUBLES[(record >> 1) | fields.DELAY_PS] = -port
  }
  const peers = [0, 1, 2, 3, 4].map((port) => INTS[base | (port << 4) | fields.PEER])
  expect(peers).toEqual([0, 1, 2, 3, 4])
})

test('only events whose owner may have several take a slot of the queue', () => {
  const own = [codes.EVENT_ARRIVAL, codes.EVENT_PORT_END, codes.EVENT_FORWARD]
  const several = [codes.EVENT_NIC_WAKE, codes.EVENT_TIMER, codes.EVENT_PFC, codes.EVENT_ACTOR]
  expect(own.filter((kind) => (kind & POOLED) !== 0)).toEqual([])
  expect(several.filter((kind) => (kind & POOLED) === 0)).toEqual([])
  expect(new Set([...own, ...several]).size).toBe(7)
  expect(Math.max(...own, ...several)).toBeLessThanOrEqual(codes.KIND_MASK)
})
