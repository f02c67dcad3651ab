/** Scenarios whose fabric provably drops nothing lossless, and the single values that end the proof. */
import { expect, test } from 'vitest'
import { createRandomStreams } from '../../core/base/random.ts'
import { parseScenario } from '../scenario/index.ts'
import { buildNetwork } from '../network/network-builder.ts'
import { isProvablyLossless } from './lossless.ts'

function isProven(more = ''): boolean {
  const scenario = parseScenario(`
name: lossless
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2}
workload: [{kind: permutation, messageSize: 10KB}]
${more}`)
  const nothing = (): void => {}
  const sink = { onDelivered: nothing, onAcknowledged: nothing, onFailed: nothing }
  return isProvablyLossless(scenario, buildNetwork(scenario, createRandomStreams(1), sink))
}

test.each([
  ['as it comes', ''],
  ['with pauses that last until they are ended', 'pfc: {expiry: false, refresh: 0}'],
  ['with a peer that reacts late, as the formula knows', 'pfc: {reactionTime: 2us}'],
  ['with a NIC whose receive buffer has headroom for its link', 'nic: {receive: pipeline}'],
  [
    'with input buffers that hold what can come after XOFF, and do not flutter',
    'switch: {buffer: {kind: input-queued, xoff: 100KB, xonOffset: 3KB}}',
  ],
  ['with a change of what has no part in it', 'changes: [{path: switch.scheduler, value: dwrr, at: 1us}]'],
])('proven: %s', (_what, more) => {
  expect(isProven(more)).toBe(true)
})

test.each([
  ['PFC off', 'pfc: {classes: []}'],
  ['any fault', 'faults: [{kind: every-nth, n: 9}]'],
  ['a watchdog', 'switch: {watchdog: broadcom}'],
  ['a watchdog that a change turns on', 'changes: [{path: switch.watchdog, value: broadcom, at: 1us}]'],
  ['PFC that changes', 'changes: [{path: pfc.quanta, value: 100, at: 1us}]'],
  ['a buffer that changes', 'changes: [{path: switch.buffer.alpha, value: 1/64, at: 1us}]'],
  ['PFC at one end of a link only', 'changes: [{path: pfc.classes, value: [], nodes: host 0}]'],
  [
    'a peer that reacts later than this end believes',
    'changes: [{path: pfc.reactionTime, value: 2us, nodes: host 0}]\nswitch: {buffer: {kind: shared-buffer, headroom: 8KB}}',
  ],
  ['a cable that is believed to be short', 'switch: {buffer: {kind: shared-buffer, believedDelay: 0ps}}'],
  ['headroom by hand that is too small', 'switch: {buffer: {kind: shared-buffer, headroom: 1KB}}'],
  ['pauses that end before they are sent again', 'pfc: {refresh: 0}'],
  ['a limit at egress', 'switch: {buffer: {kind: shared-buffer, egressLimit: all}}'],
  ['a pool that is the whole buffer', 'switch: {buffer: {kind: shared-buffer, pool: whole}}'],
  ['an input buffer without room above XOFF', 'switch: {buffer: {kind: input-queued, xoff: 240KB}}'],
  [
    'another class in the input buffers',
    'switch: {buffer: {kind: input-queued, xoff: 100KB}}\nclasses: {ackAtSwitch: 0}',
  ],
  ['cells and pools of hardware', 'switch: {buffer: memory-manager}'],
  ['a NIC that pauses too late', 'nic: {receive: {kind: pipeline, xoff: 262KB}}'],
  ['messages of switches in a lossless class', 'congestion: qcn\nclasses: {cnpAtSwitch: 3}'],
  ['untagged frames at switches that read the tag', 'classes: {classify: pcp}\nswitch: {vlan: {ports: hybrid}}'],
  ['flooded packets in a class of their own', 'switch: {layer2: {kind: tables, floodClass: 3}}'],
  ['a switch with another map of classes', 'changes: [{path: classes.dscpMap, value: ["0-63: 3"], nodes: leaf 0}]'],
  ['a NIC that takes all its packets for one class', 'switch: {vlan: {ports: access}}\nnic: {trust: pcp}'],
])('not proven: %s', (_what, more) => {
  expect(isProven(more)).toBe(false)
})
