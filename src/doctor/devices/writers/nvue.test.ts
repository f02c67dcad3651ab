/** NVUE as it is written says what was read. */
import { describe, expect, test } from 'vitest'
import type { DeviceConfig, PortSettings } from '../../../core/device-model/index.ts'
import { MIXED } from '../../diagnosis/rules/planted/mixed.test-data.ts'
import { deviceWith, set } from './drawn.test-data.ts'
import { nvueWriter } from './nvue.ts'
import { portList } from './nvue/statements.ts'
import { configOf, deviceIn, differences, readBack, write } from './read-back.test-data.ts'

const COMMANDS = `nv set system hostname leaf-c
nv set qos roce mode lossless
nv set qos roce cable-length 40
nv set interface swp1,31 link mtu 9216
nv set interface swp1,31 qos pfc-watchdog state enable
`
/** Profiles of all kinds, and ports that differ. */
const EXPLICIT = `nv set system hostname leaf-x
nv set qos egress-queue-mapping default-global switch-priority 3 traffic-class 4
nv set qos pfc lossless switch-priority 3,4
nv set qos pfc lossless cable-length 50
nv set qos pfc lossless xoff-threshold 18000
nv set qos pfc lossless xon-threshold 9000
nv set qos pfc lossless port-buffer 25000
nv set qos pfc one-way switch-priority 3
nv set qos pfc one-way rx disable
nv set qos mapping l3 trust l3
nv set qos mapping l3 dscp 26 switch-priority 3
nv set qos mapping fixed trust port
nv set qos mapping fixed port-default-sp 2
nv set qos congestion-control marks traffic-class 4,5 min-threshold 40000
nv set qos congestion-control marks traffic-class 4,5 max-threshold 200000
nv set qos congestion-control marks traffic-class 4 probability 10
nv set qos congestion-control none traffic-class 0 ecn disable
nv set qos egress-scheduler turns traffic-class 4 mode strict
nv set qos egress-scheduler turns traffic-class 0,1 bw-percent 30
nv set qos link-pause both tx enable
nv set qos traffic-pool default-lossless memory-percent 40
nv set qos pfc-watchdog polling-interval 200
nv set qos pfc-watchdog robustness 4
nv set router adaptive-routing enable on
nv set interface swp1-3 qos pfc profile lossless
nv set interface swp1-3 qos mapping profile l3
nv set interface swp1-3 qos congestion-control profile marks
nv set interface swp1-3 qos egress-scheduler profile turns
nv set interface swp1-2 qos pfc-watchdog state enable
nv set interface swp4 qos pfc profile one-way
nv set interface swp4 qos congestion-control profile none
nv set interface swp5 qos mapping profile fixed
nv set interface swp5 qos link-pause profile both
nv set interface swp6s0-1 link speed 100G
nv set interface swp6s0 link state down
nv set interface swp6s1 link state up
nv set interface swp6s1 link fec baser
nv set interface swp6s1 bridge domain br_default untagged none
`

const pair = (config: DeviceConfig): DeviceConfig[] =>
  nvueWriter.variants.map((variant) => readBack(config, write(nvueWriter, config, variant)))

test('the preset for RoCE is one statement, in the words of the document and of commands', () => {
  const config = deviceIn(MIXED, 'leaf-c')
  expect(write(nvueWriter, config, 'yaml')).toEqual([{ file: 'nvue.yaml', text: MIXED['leaf-c/nvue.yaml'] }])
  expect(write(nvueWriter, config, 'commands')).toEqual([{ file: 'nvue-commands.txt', text: COMMANDS }])
  for (const again of pair(config)) expect(differences(config, again, nvueWriter.cannotSay)).toEqual([])
})

test('the hardware stands in the header of a document', () => {
  const config = deviceIn(MIXED, 'leaf-c')
  expect(readBack(config, write(nvueWriter, config, 'yaml')).settings).toMatchObject({ platform: { value: 'x' } })
})

test.each([
  ['the threshold of a class', 3, { kminBytes: set(160_000) }],
  ['the queue of a class', 3, { queue: set(2), pausedQueue: set(2) }],
  ['the schedule of a class', 6, { schedule: set(10) }],
])('%s that is not the preset’s is written with all others', (_, at, change) => {
  const clean = deviceIn(MIXED, 'leaf-c')
  const ports = clean.ports.map((port) => ({
    ...port,
    settings: {
      ...port.settings,
      classes: port.settings.classes.map((own, index) => (index === at ? { ...own, ...change } : own)),
    },
  }))
  const config: DeviceConfig = { ...clean, ports }
  expect(write(nvueWriter, config, 'commands')[0]!.text).not.toContain('roce')
  // Classes of one queue have the same threshold.
  for (const again of pair(config)) {
    const unlike = differences(config, again, nvueWriter.cannotSay)
    expect(unlike.filter((each) => !/classes\.(?:marks|k|pmax|schedule)/.test(each))).toEqual([])
  }
})

test('links of several lengths stand in profiles beside the preset', () => {
  const clean = deviceIn(MIXED, 'leaf-c')
  const ports = clean.ports.map((port, index) => ({
    ...port,
    settings: { ...port.settings, cableM: set(5 + index) },
  }))
  const config: DeviceConfig = { ...clean, ports }
  const [commands] = write(nvueWriter, config, 'commands')
  expect(commands!.text).toContain('qos roce mode lossless')
  expect(commands!.text).toContain('nv set qos pfc pfc_profile_2 cable-length 6\n')
  for (const again of pair(config)) expect(differences(config, again, nvueWriter.cannotSay)).toEqual([])
})

test('profiles of all kinds are read as they were', () => {
  const config = configOf('leaf-x', { 'nvue.txt': EXPLICIT })
  expect(config.ports).toHaveLength(7)
  for (const again of pair(config)) expect(differences(config, again, nvueWriter.cannotSay)).toEqual([])
})

test('words of a configuration are those that were read', () => {
  const [commands] = write(nvueWriter, configOf('leaf-x', { 'nvue.txt': EXPLICIT }), 'commands', (purpose) =>
    purpose.replace('-profile', '').replace(' ', '_'),
  )
  for (const line of [
    'qos egress-queue-mapping default-global switch-priority 3 traffic-class 4',
    'qos pfc pfc switch-priority 3,4',
    'qos pfc pfc xoff-threshold 18000',
    'qos mapping mapping trust l3',
    'qos mapping mapping_2 port-default-sp 2',
    'qos traffic-pool default-lossless memory-percent 40',
    'qos pfc-watchdog robustness 4',
    'interface swp1-3 qos pfc profile pfc',
  ])
    expect(commands!.text.replaceAll('swp1,2 ', 'swp1-3 ')).toContain(`nv set ${line}\n`)
})

test('ports stand in lists and ranges', () => {
  expect(portList(['swp1', 'swp31'])).toBe('swp1,31')
  expect(portList(['swp10', 'swp2', 'swp3', 'swp4'])).toBe('swp2-4,10')
  expect(portList(['swp2s1', 'swp1', 'swp2s0', 'other'])).toBe('other,swp1,swp2s0,1')
})

describe.each(nvueWriter.variants)('%s', (variant) => {
  test('names that hurt are only names', () => {
    const settings: Partial<PortSettings> = { mtuBytes: set(4200), trust: set('dscp') }
    const names = ['__proto__', 'a "b"', "it's: {x}", '- [', '3', 'null', 'swp1']
    const config = {
      ...deviceWith(
        'nvue',
        {},
        names.map((name) => [name, settings]),
      ),
      device: '__proto__: "\n',
    }
    const read = readBack(config, write(nvueWriter, config, variant))
    expect(read.ports.map(({ name }) => name)).toEqual(['swp1'])
    expect(read.ports[0]!.settings).toMatchObject({ mtuBytes: { value: 4200 }, trust: { value: 'dscp' } })
  })

  test('each name that is asked for stands in the file', () => {
    const names: string[] = []
    const nameOf = (purpose: string): string => {
      names.push(`own-${purpose.replaceAll(' ', '-')}`)
      return names.at(-1)!
    }
    const [file] = write(nvueWriter, configOf('leaf-x', { 'nvue.txt': EXPLICIT }), variant, nameOf)
    expect(names.length).toBeGreaterThan(5)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(file!.text).toContain(name)
  })
})
