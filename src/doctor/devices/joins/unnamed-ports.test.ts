/** Ports that tools call by an RDMA device or a PCI address get the names that other files join with these. */
import { expect, test } from 'vitest'
import { deviceOf } from './device.ts'

const qos = (address: string, bitmap: string, list: string): string =>
  `NIC : 1 (${address})\nPort : 2\n  Classification type : DSCP\n  PFC :\n    PFC priority bitmap : ${bitmap}\n    PFC no-drop priorities : ${list}\n    0  DWRR  1  N/A\n`
const NICS = qos('0000:06:00.0', '0x8', '3') + qos('0000:07:00.0', '0x10', '4')
const LINKS = ['6', '7']
  .map(
    (one) =>
      `${one}: eth${one}: <BROADCAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP\n    link/ether parentbus pci parentdev 0000:0${one}:00.0\n`,
  )
  .join('')
const pfcOf = (texts: readonly string[], knownPorts: readonly string[] = []): Record<string, unknown> => {
  const files = texts.map((text, i) => ({ file: `${i}`, text, command: '', timeNs: 0 }))
  const { config } = deviceOf('gpu1', files, knownPorts)
  return Object.fromEntries(
    config.ports.map(({ name, settings: { pfcClasses } }) => [name, 'value' in pfcClasses ? pfcClasses.value : null]),
  )
}

test('a PCI address becomes the interface that has it', () => {
  expect(pfcOf([NICS, LINKS])).toEqual({ eth6: [3], eth7: [4] })
})

test('several NICs are not the one port of a list', () => {
  expect(pfcOf([NICS], ['eth6'])['eth6'] ?? null).toBeNull()
  expect(pfcOf([qos('0000:06:00.0', '0x8', '3')], ['eth6'])).toEqual({ eth6: [3] })
})
