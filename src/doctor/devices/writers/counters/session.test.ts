/** A session of a terminal is one file that the doctor reads: each command behind a prompt is a form of its own. */
import { expect, test } from 'vitest'
import { fabricOf } from '../../joins/index.ts'
import { stormStory } from '../../../diagnosis/locate/story.test-data.ts'
import { COUNTER_WRITERS, sessionText } from './index.ts'

test.each(COUNTER_WRITERS.map((writer) => [writer.vendor, writer] as const))('of %s', (_, writer) => {
  const name = writer.devices === 'hosts' ? 'host 0' : 'leaf 0'
  const readings = stormStory()
    .readings()
    .filter(({ device }) => device === name)
  const text = sessionText(writer, name, readings)
  const edges = [{ deviceA: name, portA: writer.portName(1), deviceB: 'peer', portB: '1', cableM: NaN }]
  const device = fabricOf([[name, [{ file: 'session', text, command: '', timeNs: NaN }]]], edges).devices.get(name)!
  expect(device.unread).toEqual([])
  const sent = readings.filter((one) => one.name === 'pfcTxFrames' && one.port === '1').at(-1)!
  const frames = ['pfcTxFrames', 'portPfcTxFrames']
  const read = device.readings.find((one) => frames.includes(one.name) && one.port === writer.portName(1))
  expect(read?.value).toBe(sent.value)
})
