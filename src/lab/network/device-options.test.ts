/** Reserves and headroom that a shared buffer sets aside before the rest is shared. */
import { describe, expect, test } from 'vitest'
import { GBPS, US } from '../../core/base/params.ts'
import { parseScenario } from '../scenario/index.ts'
import { setAsideBytes } from './switch-buffers.ts'
import { frameLimitsOf } from './frames.ts'

const PORTS = [1, 2, 3].map(() => ({ rateBps: 100 * GBPS, delayPs: US }))

/** Bytes set aside in a switch of three ports with these buffer settings. */
function setAside(buffer: string, pfcClasses = '[3]', compat = 'none'): number {
  const scenario = parseScenario(`
name: set aside
compat: ${compat}
topology: {kind: star, hosts: 3}
pfc: {classes: ${pfcClasses}}
switch: {buffer: {kind: shared-buffer, reserve: 1KB, headroom: 20KB${buffer}}}
workload: [{kind: permutation}]
`)
  return setAsideBytes(
    scenario,
    PORTS.map((port) => ({ ...port, values: scenario })),
    frameLimitsOf(scenario),
  )
}

describe('a shared buffer sets aside', () => {
  test('reserve and headroom of each port, and of each lossless class unless a port has one for all', () => {
    expect(setAside('')).toBe(3 * 21_000)
    expect(setAside('', '[3, 4]')).toBe(3 * 41_000)
    expect(setAside(', headroomPer: port', '[3, 4]')).toBe(3 * 21_000)
  })

  test('14,596 bytes for the last port under compat: conweave', () => {
    expect(setAside('', '[3]', 'conweave')).toBe(3 * 1000 + 2 * 20_000 + 14_596)
    expect(setAside('', '[3]', 'hpcc')).toBe(3 * 21_000)
  })

  test('no headroom where nothing is lossless, unless lossy classes have it too', () => {
    expect(setAside('', '[]')).toBe(3 * 1000)
    expect(setAside(', ingressLimit: total', '[]')).toBe(3 * 21_000)
  })
})
