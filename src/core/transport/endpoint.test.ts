import { describe, expect, test } from 'vitest'
import { FRAMES } from '../../../tests/support/pair.ts'
import { frameSizes } from '../../lab/network/frames.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { controlFrameBytes, dataFrameBytes } from './endpoint.ts'
import { ACK, CNP, FIRST, NAK, READ_REQUEST, RETH, RTT_REQUEST, RTT_RESPONSE, SACK, SEND } from './segment.ts'

const scenarioWith = (text: string) =>
  parseScenario(`
name: frames
topology: {kind: star, hosts: 2}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
${text}`)

describe('frames', () => {
  test('0.3: 1024 bytes of payload make 1086, with a RETH 1102; an ACK 66, a CNP 78', () => {
    const frames = frameSizes(scenarioWith(''))
    expect([dataFrameBytes(frames, 1024, SEND | FIRST), dataFrameBytes(frames, 1024, FIRST | RETH)]).toEqual([
      1086, 1102,
    ])
    expect([frames.ackBytes, frames.cnpBytes, frames.gapBytes]).toEqual([66, 78, 20])
  })
  test('none is shorter than 64 bytes', () => {
    const frames = frameSizes(scenarioWith(''))
    expect([0, 1, 2, 3].map((payload) => dataFrameBytes(frames, payload, 0))).toEqual([64, 64, 64, 65])
  })
  test('a VLAN tag is in all of them', () => {
    const frames = frameSizes(scenarioWith('classes: {classify: pcp}'))
    expect([dataFrameBytes(frames, 1024, 0), frames.ackBytes, frames.cnpBytes]).toEqual([1090, 70, 82])
  })
  test('each kind of control packet has its own size', () => {
    const frames = { ...frameSizes(scenarioWith('')), rttProbeBytes: 90, sackAckBytes: 74, readRequestBytes: 82 }
    const bytes = ([CNP, READ_REQUEST, RTT_REQUEST, RTT_RESPONSE, ACK, NAK] as const).map((kind) =>
      controlFrameBytes(frames, kind, 0),
    )
    expect(bytes).toEqual([78, 82, 90, 90, 66, 66])
    expect([ACK, NAK].map((kind) => controlFrameBytes(frames, kind as typeof ACK, SACK))).toEqual([74, 74])
  })
  test('and none of them is shorter than 64 bytes', () => {
    const frames = { ...frameSizes(scenarioWith('')), ackBytes: 60 }
    expect(controlFrameBytes(frames, ACK, 0)).toBe(64)
  })
  test('the pair of the tests has the same', () => {
    expect(frameSizes(scenarioWith(''))).toEqual(FRAMES)
  })
})
