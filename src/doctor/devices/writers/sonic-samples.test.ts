/**
 * Files of real and made-up switches, read and written again, word for word: SONiC and NVUE. They are no part of the project
 * and read from a folder beside the checkout, or from the one that ROCELAB_SHARED names. Without it these tests are skipped,
 * with a warning.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { nvueWriter } from './nvue.ts'
import { configOf, plainName, unlike, wordsOf, write } from './read-back.test-data.ts'
import { sonicWriter } from './sonic.ts'
import type { Peer } from './writer.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../../shared')
const DATA = path.join(SHARED, 'data')
const missing = !existsSync(DATA)
if (missing) console.warn(`samples of switches: skipped, missing ${DATA}`)

const read = (file: string): string => readFileSync(path.join(DATA, file), 'utf8')

const AZURE = {
  'dscp-map': 'AZURE',
  'group-map': 'AZURE',
  'queue-map': 'AZURE',
  'paused-queue-map': 'AZURE',
  'cable-lengths': 'AZURE',
  'lossless-parameters': 'AZURE',
  'ecn-profile': 'AZURE_LOSSLESS',
  'lossy-profile': 'ingress_lossy_profile',
  'lossless-queue-profile': 'egress_lossless_profile',
  'lossy-queue-profile': 'egress_lossy_profile',
  scheduler: 'scheduler.0',
  'scheduler 2': 'scheduler.1',
  'buffer-pool 1': 'egress_lossless_pool',
  'buffer-pool 2': 'ingress_lossless_pool',
}
const POOLS3 = { 'buffer-pool 2': 'egress_lossy_pool', 'buffer-pool 3': 'ingress_lossless_pool' }
const POOLS4 = { ...POOLS3, 'buffer-pool 4': 'ingress_lossy_pool' }
const POD = {
  ...AZURE,
  'dscp-map': 'M',
  'group-map': 'M',
  'queue-map': 'M',
  'paused-queue-map': 'M',
  'ecn-profile': 'ECN',
  'lossless-profile': 'pg_lossless_400000_5m_profile',
  'lossless-profile 2': 'pg_lossless_400000_40m_profile',
  scheduler: 'scheduler.3',
  'scheduler 2': 'scheduler.6',
  ...POOLS3,
}

interface Sample {
  readonly file: string
  readonly names: Readonly<Record<string, string>>
  /** "TABLE KEY FIELD VALUE" of what the sample has and is not written: no rule depends on it. */
  readonly lost: readonly RegExp[]
  /** The same of what is written and the sample does not have. */
  readonly added: readonly RegExp[]
}

/** Hardware, and what no rule asks for. */
const LOST = [
  /^(?:SNMP|SNMP_COMMUNITY|VERSIONS) /,
  /^DEVICE_METADATA localhost (?!hostname|hwsku|buffer_model)/,
  /^PORT \S+ (?:lanes|alias|index|description) /,
  /^WRED_PROFILE \S+ (?:wred_)?(?:yellow|red)_/,
  /^(?:BUFFER_PORT_(?:IN|E)GRESS_PROFILE_LIST|LOSSLESS_TRAFFIC_PATTERN) /,
]
/** It is known whether egress queues may drop, and no more of them. */
const EGRESS =
  /^BUFFER_PROFILE (?:egress_lossless|egress_lossy|q_lossy)_profile (?:pool|size|mode|dynamic_th|static_th) /
const DEVICE = /^DEVICE_METADATA localhost hostname /

/** Without the table of the watchdog nobody knows whether it is on. */
const WATCHED = /^PORT_QOS_MAP \S+ pfcwd_sw_enable /
const GLOBAL = /^PORT_QOS_MAP global /
/** Pools of egress with a fixed limit are static. */
const MODE = /^BUFFER_POOL (?:egress_lossless|ingress_zero)_pool mode /
const UNUSED = [/^SCHEDULER scheduler.0 /]
const FABRIC_PORTS_UNUSED = /^BUFFER_PROFILE ingress_lossless_profile /
/** Profiles that differ in a share below any that drops, or pools that hold nothing. */
const ZERO = [
  /^BUFFER_PROFILE (?:(?:in|e)gress_loss(?:less|y)_zero|ingress_lossy_pg_zero)_profile /,
  / profile (?:egress_loss(?:less|y)_zero|ingress_lossy_pg_zero)_profile$/,
]

const SAMPLES: readonly Sample[] = [
  { file: 'doctor/pod-a/leaf-s/config_db.json', names: POD, lost: UNUSED, added: [] },
  {
    file: 'doctor/pod-a/spine-s/config_db.json',
    names: { ...POD, 'lossless-profile': POD['lossless-profile 2'] },
    // A port without a watchdog names the classes that it would watch.
    lost: [...UNUSED, /^BUFFER_PROFILE pg_lossless_400000_5m_profile /, /^PORT_QOS_MAP Ethernet20 pfcwd_sw_enable /],
    added: [],
  },
  {
    file: 'operations/config_db-dellemc-z9264f-t1.json',
    names: {
      ...AZURE,
      'lossless-profile': 'pg_lossless_100000_40m_profile',
      'lossless-profile 2': 'pg_lossless_10000_40m_profile',
    },
    lost: [],
    added: [],
  },
  {
    file: 'operations/config_db-flat-acs-msn4700-t1-dynamic.json',
    names: { ...AZURE, ...POOLS4, 'lossy-queue-profile': 'q_lossy_profile' },
    lost: [MODE, FABRIC_PORTS_UNUSED],
    added: [MODE],
  },
  { file: 'operations/qos-arista7260-t0.json', names: AZURE, lost: [WATCHED, GLOBAL], added: [DEVICE] },
  { file: 'operations/qos-dell6100-t0.json', names: AZURE, lost: [WATCHED, GLOBAL], added: [DEVICE] },
  {
    file: 'operations/qos-mellanox4600c-c64-t1-tunnelremap.json',
    names: { ...AZURE, 'dscp-map': 'AZURE_UPLINK', 'dscp-map 2': 'AZURE' },
    lost: [WATCHED, GLOBAL],
    added: [DEVICE],
  },
  { file: 'operations/buffers-dell6100-t0.json', names: { ...AZURE, ...POOLS3 }, lost: [], added: [DEVICE] },
  {
    file: 'operations/buffers-mellanox4600c-t0.json',
    names: {
      ...AZURE,
      ...POOLS3,
      'buffer-pool 4': 'ingress_zero_pool',
      'lossy-queue-profile': 'q_lossy_profile',
      'lossy-profile 2': 'ingress_lossy_pg_zero_profile',
    },
    lost: [MODE, FABRIC_PORTS_UNUSED, ...ZERO],
    added: [DEVICE, MODE, ZERO[0]!, /^BUFFER_QUEUE \S+ profile q_lossy_profile$/],
  },
  {
    file: 'operations/buffers-mellanox4600c-t0-dynamic.json',
    names: { ...AZURE, ...POOLS3, 'lossy-queue-profile': 'q_lossy_profile' },
    lost: [MODE, FABRIC_PORTS_UNUSED],
    added: [DEVICE, /^DEVICE_METADATA localhost buffer_model /, MODE],
  },
]

type Tables = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

function peersIn(text: string): Map<string, Peer> {
  const rows = Object.entries((JSON.parse(text) as Tables)['DEVICE_NEIGHBOR'] ?? {})
  return new Map(rows.map(([port, peer]) => [port, { device: peer['name']!, port: peer['port']! }]))
}

describe.skipIf(missing)('SONiC', () => {
  test.each(SAMPLES)('$file', ({ file, names, lost, added }) => {
    const sample = read(file)
    const hostname = /"hostname": "([^"]*)"/.exec(sample)?.[1] ?? 'sonic'
    const [written] = write(
      sonicWriter,
      configOf(hostname, { [path.basename(file)]: sample }),
      'nested',
      (purpose) => names[purpose] ?? plainName(purpose),
      peersIn(sample),
    )
    const [before, after] = [wordsOf(sample), wordsOf(written!.text)]
    expect(before.size).toBeGreaterThan(100)
    expect(unlike(before, after, [...LOST, EGRESS, ...lost])).toEqual([])
    expect(unlike(after, before, [EGRESS, ...added])).toEqual([])
  })
})

const TABLES = [
  'spc1-msn2700',
  'spc2-msn3700',
  'spc3-msn4700',
  'spc3-sn4600c-d24c52-shp',
  'spc4-sn5600',
  'td2-gen',
  'th-gen',
  'th2-arista7260',
  'th3-dell-z9332f',
  'th5-arista7060x6',
]

/** "SPEED LENGTH" of the rows; their sizes are read of profiles alone. */
const pairsIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /^\s*\d/.test(line))
    .map((line) => line.trim().split(/\s+/).slice(0, 2).join(' '))

describe.skipIf(missing)('pg_profile_lookup.ini', () => {
  test.each(TABLES)('%s', (name) => {
    const sample = read(`operations/pg_profile_lookup.${name}.ini`)
    const files = write(sonicWriter, configOf('sonic', { 'pg_profile_lookup.ini': sample }), 'nested')
    expect(pairsIn(files[1]!.text)).toEqual([...new Set(pairsIn(sample))])
  })
})

describe.skipIf(missing)('NVUE', () => {
  test.each([
    ['yaml', 'nvue.yaml'],
    ['commands', 'nvue-commands.txt'],
  ])('%s', (variant, file) => {
    const sample = read(`doctor/pod-a/leaf-c/${file}`)
    const [written] = write(nvueWriter, configOf('leaf-c', { [file]: sample }), variant)
    expect(written?.text).toBe(sample)
  })
})
