/**
 * Conformance, classification: C1 to C4 of the cases that sonic-mgmt puts to real switches.
 * C4 (remapping between a tunnel's inner and outer header) is not applicable: the fabric has no tunnels.
 */
import { expect, test } from 'vitest'
import { MemoryManager, type MemoryManagerOptions } from '../../src/core/fabric/buffer/memory-manager.ts'
import { Switch } from '../../src/core/fabric/switch/switch.ts'
import { tagged } from '../../src/core/fabric/vlan/codepoints.ts'
import { asGiven, failsWith, passes, wrong } from '../support/planted.ts'
import { AZURE_DSCP, AZURE_GROUPS, Device } from './vocabulary.ts'

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7]

function c1(): void {
  const device = new Device().block(2)
  const queues = (): number[] => CLASSES.map((c) => device.queueCells(2, c))
  for (let dscp = 0; dscp < 64; dscp++) {
    const before = queues()
    device.send(1, 2, 5, { codepoint: dscp })
    const moved = queues().map((cells, c) => cells - before[c]!)
    expect(moved, `DSCP ${dscp}`).toEqual(CLASSES.map((c) => (c === AZURE_DSCP[dscp] ? 5 : 0)))
  }
}

test('C1 DSCP to queue: the queue counters of all 64 DSCPs are exact', c1)
failsWith(
  'C1',
  'DSCP 46 goes to queue 6',
  wrong(Switch.prototype, 'receive', (self, right, packet, input) => {
    const classOf: Uint8Array = Reflect.get(self, 'classOf')
    classOf[46] = 6
    right(packet, input)
  }),
  c1,
)

function c2(): void {
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
}

test('C2 DSCP to priority group: of each of the 64 DSCPs, only the use of the mapped group moves', c2)
failsWith(
  'C2',
  'class 6 is charged to group 7',
  wrong<MemoryManager, readonly [MemoryManagerOptions]>(MemoryManager.prototype, 'configure', (_self, right, options) =>
    right({ ...options, groupOf: options.groupOf.map((group, c) => (c === 6 ? 7 : group)) }),
  ),
  c2,
)

/** Frames whose tag and DSCP name different classes. */
function c3(classify: string): void {
  const device = new Device({ classes: `{classify: ${classify}}`, at: 'vlan: {ports: trunk}' }).block(2)
  const queues = (): number[] => CLASSES.map((c) => device.queueCells(2, c))
  for (const pcp of CLASSES) {
    const before = queues()
    device.send(1, 2, 5, { codepoint: tagged((pcp + 3) % 8, pcp) })
    expect(queues().map((cells, c) => cells - before[c]!)).toEqual(CLASSES.map((c) => (c === pcp ? 5 : 0)))
  }
}

passes('C3 dot1p to queue: the queue counters of all 8 priority code points are exact, whatever the DSCP says', () =>
  c3('pcp'),
)
failsWith('C3', 'the class is that of the DSCP', asGiven, () => c3('dscp'))
