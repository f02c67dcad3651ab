/** SONiC as it is written says what was read. */
import { describe, expect, test } from 'vitest'
import type { DeviceConfig, PortSettings } from '../../../core/device-model/index.ts'
import { SONIC } from '../../diagnosis/rules/planted/clean.test-data.ts'
import { deviceWith, set } from './drawn.test-data.ts'
import { configOf, deviceIn, differences, readBack, unlike, wordsOf, write } from './read-back.test-data.ts'
import { sonicWriter } from './sonic.ts'

type Tables = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>
const tablesOf = (config: DeviceConfig): Tables => JSON.parse(write(sonicWriter, config, 'nested')[0]!.text) as Tables
const again = (config: DeviceConfig): DeviceConfig => readBack(config, write(sonicWriter, config, 'nested'))

/** A device with other settings at one port. */
function changed(config: DeviceConfig, name: string, change: (settings: PortSettings) => PortSettings): DeviceConfig {
  return {
    ...config,
    ports: config.ports.map((port) => (port.name === name ? { ...port, settings: change(port.settings) } : port)),
  }
}

describe.each(sonicWriter.variants)('%s', (variant) => {
  test.each(['leaf1', 'leaf2', 'spine'])('a clean %s is read as it was', (name) => {
    const config = deviceIn(SONIC, name)
    const files = write(sonicWriter, config, variant)
    expect(files.map(({ file }) => file)).toEqual(['config_db.json', 'pg_profile_lookup.ini'])
    expect(differences(config, readBack(config, files), sonicWriter.cannotSay)).toEqual([])
  })

  test('names that hurt JSON are only names', () => {
    const names = ['__proto__', 'constructor', 'a "b" {', "it's", '\\', 'Ethernet0 # x', 'ünïcode']
    const port = { ...deviceIn(SONIC, 'leaf1').ports[0]!.settings, cableM: set(7) }
    const config = {
      ...deviceWith(
        'sonic',
        {},
        names.map((name) => [name, port]),
      ),
      device: '__proto__"\n{',
    }
    const files = write(sonicWriter, config, variant)
    const read = readBack(config, files)
    expect(read.ports.map(({ name }) => name)).toEqual(names)
    expect(differences(config, read, sonicWriter.cannotSay)).toEqual([])
  })

  test('a switch without ports is a whole configuration', () => {
    const config = deviceWith('sonic', { isHeadroomDynamic: set(false) }, [])
    expect(readBack(config, write(sonicWriter, config, variant)).settings).toMatchObject({
      isHeadroomDynamic: { value: false },
      watchdog: { kind: { value: 'off' } },
    })
  })
})

test('a clean leaf is written word for word, apart from lanes and what nobody reads of egress', () => {
  const NAMES: Readonly<Record<string, string>> = {
    'buffer-pool 1': 'egress_lossless_pool',
    'buffer-pool 2': 'egress_lossy_pool',
    'buffer-pool 3': 'ingress_lossless_pool',
    'lossless-profile': 'pg_lossless_400000_5m_profile',
    'lossless-profile 2': 'pg_lossless_400000_40m_profile',
    'lossy-profile': 'ingress_lossy_profile',
    'lossless-queue-profile': 'egress_lossless_profile',
    'lossy-queue-profile': 'egress_lossy_profile',
    'ecn-profile': 'ECN',
    scheduler: 'W3',
    'scheduler 2': 'S6',
    'cable-lengths': 'AZURE',
    'lossless-parameters': 'AZURE',
  }
  const peers = new Map([
    ['Ethernet0', { device: 'h1', port: 'eth1' }],
    ['Ethernet4', { device: 'h2', port: 'eth1' }],
    ['Ethernet64', { device: 'spine', port: 'Ethernet0' }],
  ])
  const nameOf = (purpose: string): string => NAMES[purpose] ?? 'M'
  const [db, table] = write(sonicWriter, deviceIn(SONIC, 'leaf1'), 'nested', nameOf, peers)
  const [before, after] = [wordsOf(SONIC['leaf1/config_db.json']!), wordsOf(db!.text)]
  const EGRESS = /^BUFFER_PROFILE egress_lossy_profile (?:size|dynamic_th) /
  expect(unlike(before, after, [/^PORT \S+ lanes /, EGRESS])).toEqual([])
  expect(unlike(after, before, [EGRESS])).toEqual([])
  expect(table!.text).toBe(SONIC['leaf1/pg_profile_lookup.ini'])
})

test('ports with the same settings share maps and profiles; one that differs has its own', () => {
  const clean = deviceIn(SONIC, 'leaf1')
  expect(Object.keys(tablesOf(clean)['DSCP_TO_TC_MAP']!)).toEqual(['dscp_map'])
  const config = changed(clean, 'Ethernet4', (settings) => ({
    ...settings,
    dscpToClass: settings.dscpToClass.map((value, dscp) => (dscp === 26 ? set(1) : value)),
    classes: settings.classes.map((own, index) => (index === 3 ? { ...own, kminBytes: set(5000) } : own)),
  }))
  const tables = tablesOf(config)
  const maps = Object.entries(tables['PORT_QOS_MAP']!).map(([port, fields]) => [port, fields['dscp_to_tc_map']])
  expect(maps).toEqual([
    ['Ethernet0', 'dscp_map'],
    ['Ethernet4', 'dscp_map_2'],
    ['Ethernet64', 'dscp_map'],
  ])
  expect(tables['QUEUE']!['Ethernet4|3']).toMatchObject({ wred_profile: 'ecn_profile_2' })
  expect(tables['QUEUE']!['Ethernet64|3']).toMatchObject({ wred_profile: 'ecn_profile' })
  expect(differences(config, again(config), sonicWriter.cannotSay)).toEqual([])
})

test('each name that is asked for stands in the file', () => {
  const names: string[] = []
  const nameOf = (purpose: string): string => {
    names.push(`own-${purpose.replaceAll(' ', '-')}`)
    return names.at(-1)!
  }
  const [db] = write(sonicWriter, deviceIn(SONIC, 'leaf1'), 'nested', nameOf)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(db!.text).toContain(`"${name}"`)
})

test('watchdogs with times of their own stay at their ports', () => {
  const text = SONIC['leaf1/config_db.json']!.replace('"detection_time":"400"', '"detection_time":"600"')
  const config = configOf('leaf1', { 'config_db.json': text })
  expect(config.ports[0]!.settings.other['PFC_WD.detection_time']).toMatchObject({ value: '600' })
  expect(differences(config, again(config), sonicWriter.cannotSay)).toEqual([])
  expect(tablesOf(config)['PFC_WD']!['Ethernet4']!['detection_time']).toBe('400')
})

test('a watchdog that is stopped as a whole is off, and says what it would watch', () => {
  const text = SONIC['leaf1/config_db.json']!.replace(
    '"POLL_INTERVAL":"200"',
    '"POLL_INTERVAL":"200","BIG_RED_SWITCH":"enable"',
  )
  const config = configOf('leaf1', { 'config_db.json': text })
  expect(config.settings).toMatchObject({ watchdog: { kind: { value: 'off' } } })
  expect(differences(config, again(config), sonicWriter.cannotSay)).toEqual([])
})

test.each([
  [true, 'nvidia'],
  [true, 'generic'],
  [false, 'cisco'],
] as const)('flooding of lossless packets: %s, by %s', (floods, kind) => {
  const { settings } = deviceWith('sonic', {}, [])
  const watchdog = { ...('watchdog' in settings ? settings.watchdog : {}), kind: set(kind) }
  for (const modes of [['tagged', 'both'], ['untagged']]) {
    const config = deviceWith(
      'sonic',
      { platform: set('some-hardware'), floodsLossless: set(floods), watchdog: watchdog as never },
      modes.map((mode, index) => [`Ethernet${index}`, { vlanMode: set(mode) }]),
    )
    expect(differences(config, again(config), sonicWriter.cannotSay)).toEqual([])
  }
})

test('groups of the dynamic model have no profile, unless their share is another', () => {
  const clean = deviceIn(SONIC, 'leaf1')
  const computed = (exponent: number) => (settings: PortSettings) => ({
    ...settings,
    classes: settings.classes.map((own, index) =>
      index !== 3
        ? own
        : {
            ...own,
            alpha: set(2 ** exponent),
            hasHeadroom: set(true),
            ...Object.fromEntries(
              (['reserveBytes', 'headroomBytes', 'xonBytes', 'xonOffsetBytes'] as const).map((field) => [
                field,
                { state: 'unknown' as const },
              ]),
            ),
          },
    ),
  })
  let config: DeviceConfig = { ...clean, settings: { ...clean.settings, isHeadroomDynamic: set(true) } as never }
  config = changed(config, 'Ethernet0', computed(-1))
  config = changed(config, 'Ethernet4', computed(-2))
  const tables = tablesOf(config)
  expect(tables['BUFFER_PG']!['Ethernet0|3']).toEqual({ profile: 'NULL' })
  expect(tables['DEFAULT_LOSSLESS_BUFFER_PARAMETER']).toMatchObject({
    lossless_parameters: { default_dynamic_th: '-1' },
  })
  expect(tables['BUFFER_PG']!['Ethernet4|3']).not.toEqual({ profile: 'NULL' })
  expect(differences(config, again(config), sonicWriter.cannotSay)).toEqual([])
})
