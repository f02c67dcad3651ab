import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../core/base/random.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import { parseScenario } from '../scenario/index.ts'
import { buildNetwork } from '../network/network-builder.ts'
import { firstAlike } from './alike-switches.ts'

/** Sizes of the classes of alike switches in a fat tree of arity 4, in ascending order. */
function classesOf(kindOf = (port: Port): number => port.rateBps): number[] {
  const workload = '[{kind: permutation, messageSize: 1MB}]'
  const text = `name: t\ntopology: {kind: fat-tree, arity: 4}\nworkload: ${workload}`
  const ignore = { onDelivered() {}, onAcknowledged() {}, onFailed() {} }
  const built = buildNetwork(parseScenario(text), createRandomStreams(1), ignore)
  const sizes = new Map<number, number>()
  for (const first of firstAlike(built, kindOf)) if (first >= 0) sizes.set(first, (sizes.get(first) ?? 0) + 1)
  return [...sizes.values()].toSorted((a, b) => a - b)
}

describe('alike switches', () => {
  test('of a fat tree are the two aggregation switches of each pod, and all four cores', () => {
    expect(classesOf()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4])
  })

  test('are parted by one link of another kind, and so are all switches that reach it by one port of two', () => {
    // Node 32 is core 0.0, node 24 aggregation switch 0.0: its links leave the other core of its plane, and the aggregation switches below, alone.
    const odd = classesOf((port) => (port.node === 32 && port.peer.node === 24 ? 1 : 0))
    // Cores: one, its twin, and the two of the other plane, whose aggregation switches differ from those of the first.
    expect(odd).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2])
  })
})
