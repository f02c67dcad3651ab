/**
 * Conformance, classification: C1 to C4 of the cases that sonic-mgmt puts to real switches.
 * C4 (remapping between a tunnel's inner and outer header) is not applicable: the fabric has no tunnels.
 */
import { expect, test } from 'vitest'
import { AZURE_DSCP, AZURE_GROUPS, Device } from './vocabulary.ts'

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7]

test('C1 DSCP to queue: the queue counters of all 64 DSCPs are exact', () => {
  const device = new Device().block(2)
  const queues = (): number[] => CLASSES.map((c) => device.queueCells(2, c))
  for (let dscp = 0; dscp < 64; dscp++) {
    const before = queues()
    device.send(1, 2, 5, { codepoint: dscp })
    const moved = queues().map((cells, c) => cells - before[c]!)
    expect(moved, `DSCP ${dscp}`).toEqual(CLASSES.map((c) => (c === AZURE_DSCP[dscp] ? 5 : 0)))
  }
})

test('C2 DSCP to priority group: of each of the 64 DSCPs, only the use of the mapped group moves', () => {
  const device = new Device().block(2)
  const groups = [0, 3, 4, 7]
  const used = (): number[] => groups.map((group) => device.groupCells(1, group))
  for (let dscp = 0; dscp < 64; dscp++) {
    const before = used()
    device.send(1, 2, 5, { codepoint: dscp })
    const mapped = AZURE_GROUPS[AZURE_DSCP[dscp]!]
    expect(
      used().map((cells, i) => cells - before[i]!),
      `DSCP ${dscp}`,
    ).toEqual(groups.map((group) => (group === mapped ? 5 : 0)))
  }
  // Other ports saw nothing.
  expect(groups.map((group) => device.groupCells(3, group))).toEqual([0, 0, 0, 0])
})

test('C3 dot1p to queue: the queue counters of all 8 priority code points are exact', () => {
  const device = new Device({ classes: '{classify: pcp}' }).block(2)
  for (const pcp of CLASSES) {
    const before = device.queueCells(2, pcp)
    const all = (): number => CLASSES.reduce((sum, c) => sum + device.queueCells(2, c), 0)
    const total = all()
    device.send(1, 2, 5, { codepoint: pcp })
    expect([device.queueCells(2, pcp) - before, all() - total]).toEqual([5, 5])
  }
})
