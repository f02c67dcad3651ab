/** Hosts written and read again: a clean one, ports that differ, and drawn values, in each language. */
import { describe, expect, test } from 'vitest'
import { host } from '../../rules/planted/clean.test-data.ts'
import { filesOf, lostOf, optionsOf, readFiles, troublesOf } from '../round-trip.test-data.ts'
import { HOST_WRITERS } from './index.ts'

const CLEAN = filesOf(
  Object.fromEntries(Object.entries(host('h1', 'leaf1', 'Ethernet0')).map(([file, text]) => [file.slice(3), text])),
)
const ALL = HOST_WRITERS.flatMap((writer) =>
  writer.variants.map((variant) => [`${writer.language} ${variant}`, writer, variant] as const),
)

describe.each(ALL)('%s', (_, writer, variant) => {
  test('a clean host', () => {
    const before = readFiles('h1', CLEAN, ['eth1']).config
    const config = { ...before, ports: before.ports.filter(({ name }) => name === 'eth1') }
    const { lost, device } = lostOf(
      writer,
      config,
      optionsOf(variant, { eth1: { device: 'leaf1', port: 'Ethernet0' } }),
    )
    expect(lost).toEqual([])
    expect(troublesOf(device)).toEqual([])
    expect(device.config.language).toBe(writer.language)
    expect(device.config.ports.map(({ name }) => name)).toEqual(['eth1'])
    expect(device.neighbours).toMatchObject([{ port: 'eth1', peerDevice: 'leaf1', peerPort: 'Ethernet0' }])
  })
})
