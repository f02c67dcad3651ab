/**
 * Decoder with many connections and damaged captures: order of what is listed, what is left out, memory.
 */
import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { InputError } from '../../core/base/issue.ts'
import { CaptureReader } from '../../core/wire/index.ts'
import { Decoder } from './decoder.ts'
import { limitsOf } from './limits.ts'
import { Script } from './script.test-data.ts'

const script = (): Script => new Script()
const begun = (): Script => script().write(1).ack(1, 1).write(2).ack(2, 2).write(3).ack(3, 3)

test('connections with findings come first, then those with most bytes', () => {
  const { connections } = script()
    .write(1, { qp: 20, bytes: 1024 })
    .write(1, { qp: 21, bytes: 512 })
    .write(1, { qp: 22, bytes: 256 })
    .write(1, { qp: 23, bytes: 256 })
    .request(0x24, 1, {}, { qp: 24, bytes: 16 })
    .request(0x24, 4, {}, { qp: 24, bytes: 16 })
    .decoded()
  expect(connections.map(({ directions }) => directions[0]!.destinationQp)).toEqual([24, 20, 21, 22, 23])
})

test('frames of TCP and those that no switch passes say nothing of the MTU', () => {
  const jumbo = begun().request(0, 4).request(2, 5).ack(5, 4).request(4, 1, {}, { qp: 40, bytes: 20_000 })
  expect(jumbo.story()).toEqual([])
})

test('of many connections those idle for longest are closed and stay listed', () => {
  const many = script()
  for (let qp = 100; qp < 160; qp++) many.write(1, { qp, sourcePort: qp })
  expect(many.decoded({ directionsMax: 10 }).connections).toHaveLength(60)
})

test('connections with most bytes are listed, whenever they were closed; the others are counted', () => {
  const many = script()
  for (let qp = 100; qp < 140; qp++) many.write(1, { qp, bytes: qp === 120 ? 1024 : 256 })
  const { connections, connectionsUnlisted } = many.decoded({ directionsMax: 10, listedMax: 3 })
  expect(connections.map(({ directions }) => directions[0]!.destinationQp)).toEqual([120, 100, 101])
  expect(connectionsUnlisted).toBe(37)
})

test('the gravest findings are listed, and those left out are counted by kind', () => {
  const many = script()
  for (let qp = 100; qp < 130; qp++)
    many
      .request(31, 1, {}, { qp })
      .request(31, 2, {}, { qp })
      .request(10, 3, { reth: { address: 4096n, key: 7, lengthBytes: 8 } }, { qp })
  const { findings } = many.decoded({ findingsMax: 40 })
  const countOf = (id: string): number => findings.filter((one) => one.id === `capture-${id}`).length
  expect([countOf('length-wrong'), countOf('opcode-unknown')]).toEqual([30, 10])
  const [more] = findings.filter(({ id }) => id === 'capture-findings-unlisted')
  expect(more!.values).toEqual({
    findings: 20,
    kinds: [{ id: 'capture-opcode-unknown', findings: 20, times: 40 }],
  })
})

test('memory of many directions is a share of a fixed amount', () => {
  expect(limitsOf(1)).toEqual({ intervals: 256, requests: 256, sights: 8 })
  const all = limitsOf(100_000)
  expect(all.intervals * 100_000).toBeLessThan(2 ** 20)
  expect(all.requests * 100_000).toBeLessThan(2 ** 21)
  expect(all.sights).toBe(1)
})

test('damaged captures never break the decoder', () => {
  const damaged = begun().pause(9).read(4, 4096).cnp().atomic(9).ack(9, 2, 0x60).write(7).ack(9, 1, 0x25)
  const file = damaged.file()
  expect(damaged.records).toHaveLength(13)
  const change = fc.tuple(fc.nat(file.length - 1), fc.nat(255))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), fc.nat(file.length), (changes, cut) => {
      const bytes = file.slice(0, cut % 4 === 0 ? cut : file.length)
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
      const decoder = new Decoder()
      const reader = new CaptureReader((record) => decoder.add(record))
      try {
        reader.push(bytes)
        for (const { kind, values, subject } of decoder.end(reader.end()).findings) kind.text(values, subject)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
      }
    }),
    { numRuns: Math.round(10_000 * Number(process.env['ROCELAB_BUDGET'] ?? 1)) },
  )
})
