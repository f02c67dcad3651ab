import { describe, expect, test } from 'vitest'
import type { Outcome } from '../core/plan.ts'
import { measuresAt } from '../core/run-here.test-run.ts'
import { hostsIn } from './times.ts'
import { stepTime } from './step-time.ts'

const { plan } = stepTime
const ring = { picture: 'collisions', algorithm: 'ring', order: 'across racks', channels: 1 }

describe('a ring across racks', () => {
  const ecmp = measuresAt(plan, 'small', { ...ring, transport: 'ecmp, IRN' })
  const spray = measuresAt(plan, 'small', { ...ring, transport: 'spray, IRN' })

  test('loses nothing and resends nothing', () => {
    for (const each of [ecmp, spray]) expect([each['drops'], each['resent']]).toEqual([0, 0])
  })

  test('goes at the pace of its most loaded link under ECMP, and faster when sprayed', () => {
    expect(ecmp['timePs']! / ecmp['fluidPs']!).toBeGreaterThan(0.999)
    expect(ecmp['timePs']! / ecmp['fluidPs']!).toBeLessThan(1.1)
    expect(ecmp['timePs']! / spray['timePs']!).toBeGreaterThan(1.2)
  })
})

test('one slow NIC of eight doubles the time of a large ring, and two do not make it worse', () => {
  const [none, one, two] = [0, 1, 2].map(
    (slowHosts) => measuresAt(plan, 'small', { picture: 'slow-nic', slowHosts, kib: 8192 })['timePs']!,
  ) as [number, number, number]
  expect(one / none).toBeGreaterThan(1.9)
  expect(Math.abs(two / one - 1)).toBeLessThan(0.01)
})

test('ranks across racks are each in another rack than the one before', () => {
  const hosts = hostsIn('across racks', 4, 4)
  expect(hosts.toSorted((a, b) => a - b)).toEqual(hostsIn('rack by rack', 4, 4))
  hosts.forEach((host, p) => expect(Math.floor(host / 4)).not.toBe(Math.floor(hosts[(p + 1) % 16]! / 4)))
})

/** Claims that do not hold if all runs have the same measures. */
function failing(measures: Outcome['measures']): Set<string> {
  const outcomes = [1, 2].flatMap((seed) =>
    stepTime.points('small', seed).map(({ at }) => ({ at, seed, digest: '', measures })),
  )
  const { claims } = stepTime.findings('small', outcomes)
  return new Set(claims.flatMap(({ id, verdict }) => (verdict === 'reproduced' ? [] : [id.slice('step-time.'.length)])))
}

test('expectations can fail', () => {
  const failed = failing({ timePs: 1e12, fluidPs: 5e11, pauses: 1, pausedPs: 1, cnps: 0 })
  for (const id of ['racks', 'spray', 'ecmp-fluid', 'slow-nic', 'rails', 'tree-fluid', 'exchange', 'exchange-pauses'])
    expect(failed).toContain(id)
  for (const id of ['spray-over-ecmp', 'channels', 'incast-dcqcn', 'exchange-collisions', 'neighbour-ecmp'])
    expect(failed).toContain(id)
  expect(failing({ timePs: 1e12, fluidPs: 1e12, pauses: 0, pausedPs: 0, cnps: 0 })).toContain('incast-pauses')
})
