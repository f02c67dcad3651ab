/** Junos written and read again: a clean leaf, ports that differ, and drawn values, in both layouts. */
import { describe, expect, test } from 'vitest'
import { MIXED } from '../rules/planted/mixed.test-data.ts'
import { junosWriter } from './junos.ts'
import { lostOf, optionsOf, readFiles, troublesOf } from './round-trip.test-data.ts'

const CLEAN = readFiles('leaf-j', [{ file: 'running.conf', text: MIXED['leaf-j/running.conf']! }]).config

describe.each(junosWriter.variants)('%s', (variant) => {
  test('a clean leaf', () => {
    const { lost, device } = lostOf(junosWriter, CLEAN, optionsOf(variant))
    expect(lost).toEqual([])
    expect(troublesOf(device)).toEqual([])
    expect(device.isComplete).toBe(true)
    expect(device.config.ports.map(({ name }) => name)).toEqual(['et-0/0/10', 'et-0/0/63'])
  })
})
