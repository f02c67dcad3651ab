/**
 * Laws of a configuration, whoever made it, on which rules, drift and writers rely.
 */
import { assert } from '../base/assert.ts'
import { type DeviceConfig, knownOf, type PortConfig, type Value } from './device-config.ts'
import { CLASS_COUNT, DSCP_COUNT } from './unknown.ts'

export function expectConfig({ kind, settings, ports }: DeviceConfig): void {
  assert('watchdog' in settings === (kind === 'switch'), 'configuration: a device has settings of another kind')
  assert(new Set(ports.map(({ name }) => name)).size === ports.length, 'configuration: two ports have one name')
  // Ports with the same values share them.
  for (const port of ports) expectPort(port)
}

function expectPort({ settings: { nic, ...own } }: PortConfig): void {
  assert(own.classes.length === CLASS_COUNT, 'configuration: a port has more or fewer than 8 classes')
  assert(own.dscpToClass.length === DSCP_COUNT, 'configuration: a map has more or fewer than 64 DSCPs')
  assert(
    own.dscpToClass.every((one) => isBelow(CLASS_COUNT, one)),
    'configuration: a DSCP has a class beyond 7',
  )
  const lists = [own.pfcClasses, own.pfcWritten, own.peerPfcClasses, nic?.npClasses, nic?.rpClasses]
  assert(
    lists.every((one) => areAscending(one)),
    'configuration: classes are not ascending from 0 to 7',
  )
  const dscps = knownOf(nic?.dataDscps) ?? []
  assert(
    dscps.every((dscp) => dscp >= 0 && dscp < DSCP_COUNT),
    'configuration: data have a DSCP beyond 63',
  )
  assert(isBelow(DSCP_COUNT, nic?.cnpDscp), 'configuration: CNPs have a DSCP beyond 63')
  assert(isBelow(CLASS_COUNT, nic?.cnpClass), 'configuration: CNPs have a class beyond 7')
  const ratios = own.classes.flatMap(({ kminRatio, kmaxRatio, pmaxRatio }) => [kminRatio, kmaxRatio, pmaxRatio])
  assert(ratios.every(isShare), 'configuration: a share is not from 0 to 1')
}

const isBelow = (end: number, one: Value<number> | undefined): boolean => {
  const value = knownOf(one)
  return value === undefined || (Number.isInteger(value) && value >= 0 && value < end)
}

const areAscending = (list: Value<readonly number[]> | undefined): boolean =>
  (knownOf(list) ?? []).every((each, i, all) => each >= 0 && each < CLASS_COUNT && (i === 0 || all[i - 1]! < each))

const isShare = (one: Value<number>): boolean => {
  const value = knownOf(one)
  return value === undefined || (value >= 0 && value <= 1)
}
