import { describe, expect, test } from 'vitest'
import { FRAMES } from '../../tests/support/pair.ts'
import { frameSizes } from '../lab/hardware.ts'
import { parseScenario } from '../scenario/index.ts'
import { dataFrameBytes } from './endpoint.ts'
import { FIRST, RETH, SEND } from './segment.ts'

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
  test('the pair of the tests has the same', () => {
    expect(frameSizes(scenarioWith(''))).toEqual(FRAMES)
  })
})
