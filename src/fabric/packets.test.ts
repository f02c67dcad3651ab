import { expect, test } from 'vitest'
import { Packets } from './packets.ts'

test('a packet whose handle no event could name is not made', () => {
  const packets = new Packets()
  const length = 2 ** 28
  Object.assign(packets, { data: { length }, used: length })
  expect(() => packets.alloc()).toThrow('more than 16 million packets at a time')
})
