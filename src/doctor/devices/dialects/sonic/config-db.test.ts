/**
 * Configurations of SONiC: what a port has from maps, profiles and ranges, what absence means, and which names lead nowhere.
 */
import { expect, test } from 'vitest'
import { type Facts, readFile } from '../index.ts'

type Tables = Record<string, Record<string, Record<string, string>>>

/** A switch of two ports, on which class 3 is lossless, as a file of its own would have it. */
const WHOLE: Tables = {
  DEVICE_METADATA: { localhost: { hostname: 'leaf1', hwsku: 'X-32', buffer_model: 'traditional' } },
  PORT: {
    Ethernet0: { speed: '100000', mtu: '9100', admin_status: 'up', fec: 'rs' },
    Ethernet4: { speed: '100000', admin_status: 'down' },
  },
  CABLE_LENGTH: { AZURE: { Ethernet0: '40m', Ethernet4: 'long' } },
  DEVICE_NEIGHBOR: { Ethernet0: { name: 'host1', port: 'eth0' } },
  DSCP_TO_TC_MAP: { D: { '26': '3', '48': '6' } },
  TC_TO_PRIORITY_GROUP_MAP: { G: { '0': '0', '3': '4', '6': '0' } },
  TC_TO_QUEUE_MAP: { Q: { '0': '0', '3': '5', '6': '6' } },
  MAP_PFC_PRIORITY_TO_QUEUE: { P: { '3': '5' } },
  PORT_QOS_MAP: {
    Ethernet0: {
      dscp_to_tc_map: 'D',
      tc_to_pg_map: 'G',
      tc_to_queue_map: 'Q',
      pfc_to_queue_map: 'P',
      pfc_enable: '3',
      pfcwd_sw_enable: '3',
    },
  },
  BUFFER_POOL: {
    in: { type: 'ingress', mode: 'dynamic', size: '1000000', xoff: '50000' },
    out: { type: 'egress', mode: 'static', size: '2000000' },
  },
  BUFFER_PROFILE: {
    lossless: { pool: 'in', size: '1248', dynamic_th: '-4', xoff: '30000', xon: '0', xon_offset: '2496' },
    lossy: { pool: 'in', size: '0', dynamic_th: '3' },
    free: { pool: 'out', size: '0', static_th: '2000000' },
    tight: { pool: 'out', size: '0', static_th: '1999999' },
  },
  BUFFER_PG: { 'Ethernet0|4': { profile: 'lossless' }, 'Ethernet0|0': { profile: 'lossy' } },
  BUFFER_QUEUE: { 'Ethernet0|5': { profile: 'free' }, 'Ethernet0|0-4': { profile: 'tight' } },
  WRED_PROFILE: {
    W: {
      ecn: 'ecn_all',
      green_min_threshold: '1000',
      green_max_threshold: '2000',
      green_drop_probability: '5',
    },
  },
  SCHEDULER: { dwrr: { type: 'DWRR', weight: '20' }, first: { type: 'STRICT' } },
  QUEUE: {
    'Ethernet0|5': { scheduler: 'dwrr', wred_profile: 'W' },
    'Ethernet0|6': { scheduler: 'first' },
  },
  PFC_WD: {
    GLOBAL: { POLL_INTERVAL: '200' },
    Ethernet0: { action: 'drop', detection_time: '400', restoration_time: '600' },
  },
}

const nested = (tables: object): string => JSON.stringify(tables, undefined, 2)
const flat = (tables: Tables, wrap: (value: object) => object = (value) => value): string =>
  nested(
    Object.fromEntries(
      Object.entries(tables).flatMap(([table, rows]) =>
        Object.entries(rows).map(([key, value]) => [`${table}|${key}`, wrap(value)]),
      ),
    ),
  )

function factsOf(text: string): Facts {
  const { parts } = readFile('config_db.json', text)
  expect(parts.map(({ dialect }) => dialect.name)).toEqual(['sonic-config-db'])
  return parts[0]!.facts
}
function plain(values: ReadonlyMap<string, { state: string; value?: unknown }> | undefined): Record<string, unknown> {
  return Object.fromEntries([...(values ?? [])].map(([name, value]) => [name, value.value]))
}
const portOf = (text: string, name = 'Ethernet0'): Record<string, unknown> =>
  plain(factsOf(text).ports.get(name)?.values)
const whole = (change: Tables = {}): string => nested({ ...WHOLE, ...change })

test('a class has what its group and its queue have, which maps find', () => {
  expect(portOf(whole())).toMatchObject({
    rateBps: 100e9,
    mtuBytes: 9100,
    isUp: true,
    fec: 'rs',
    cableM: 40,
    trust: 'dscp',
    classifies: true,
    'dscpToClass.26': 3,
    'dscpToClass.48': 6,
    pfcClasses: [3],
    pfcWritten: [3],
    'classes.3.group': 4,
    'classes.3.queue': 5,
    'classes.3.pausedQueue': 5,
    'classes.3.profileName': 'lossless',
    'classes.3.alpha': 1 / 16,
    'classes.3.reserveBytes': 1248,
    'classes.3.headroomBytes': 30_000,
    'classes.3.xonBytes': 0,
    'classes.3.xonOffsetBytes': 2496,
    'classes.3.hasHeadroom': true,
    'classes.3.dropsAtEgress': false,
    'classes.3.marks': true,
    'classes.3.kminBytes': 1000,
    'classes.3.kmaxBytes': 2000,
    'classes.3.pmaxRatio': 0.05,
    'classes.3.schedule': 20,
    'classes.3.isWatched': true,
    'classes.6.isWatched': false,
    'classes.6.hasHeadroom': false,
    'classes.6.schedule': 'strict',
    'classes.6.marks': false,
    'classes.0.dropsAtEgress': true,
  })
})

test('three forms of one database say the same', () => {
  const dump = flat(WHOLE, (value) => ({ type: 'hash', expireat: 1, ttl: -1, value }))
  for (const text of [
    flat(WHOLE),
    dump,
    JSON.stringify(WHOLE),
    whole().replaceAll('\n', '\r\n').replaceAll('  ', '\t'),
  ]) {
    expect(portOf(text)).toEqual(portOf(whole()))
    expect(plain(factsOf(text).device)).toEqual(plain(factsOf(whole()).device))
  }
})

test('a value has the line that decides it: of the profile, of the map, of the port', () => {
  const text = whole()
  const { values } = factsOf(text).ports.get('Ethernet0')!
  const lineOf = (name: string): string => {
    const value = values.get(name)!
    expect(value.state).toBe('set')
    return text.split('\n')[value.state === 'unknown' ? -1 : value.origin!.line - 1]!.trim()
  }
  expect(lineOf('classes.3.alpha')).toBe('"dynamic_th": "-4",')
  expect(lineOf('classes.3.group')).toBe('"3": "4",')
  expect(lineOf('pfcClasses')).toBe('"pfc_enable": "3",')
  const [short] = factsOf(JSON.stringify(WHOLE)).ports.values()
  expect(short!.values.get('pfcClasses')).toMatchObject({ origin: { line: 1 } })
})

test('old references stand in brackets, and old keys list several ports', () => {
  const text = whole({
    BUFFER_PG: { 'Ethernet0,Ethernet4|3-4': { profile: '[BUFFER_PROFILE|lossless]' } },
    BUFFER_PROFILE: { lossless: { pool: '[BUFFER_POOL|in]', size: '0', dynamic_th: '0', xoff: '7' } },
    BUFFER_QUEUE: {},
  })
  expect(portOf(text)).toMatchObject({ 'classes.3.headroomBytes': 7, 'classes.3.alpha': 1 })
  expect(factsOf(text).references).toEqual([])
})

test('of ranges that overlap the narrower one holds, wherever it stands', () => {
  const rows = [
    ['Ethernet0|3-4', { profile: 'lossy' }],
    ['Ethernet0|4', { profile: 'lossless' }],
  ] as const
  for (const order of [rows, rows.toReversed()])
    expect(portOf(whole({ BUFFER_PG: Object.fromEntries(order) }))['classes.3.profileName']).toBe('lossless')
})

test('what a whole configuration does not say has its default, a part of one says nothing of it', () => {
  const { values } = factsOf(whole()).ports.get('Ethernet4')!
  for (const [name, value] of [
    ['pfcClasses', []],
    ['classifies', false],
    ['mtuBytes', 9100],
    ['vlanMode', 'untagged'],
    ['isPfcAsymmetric', false],
  ] as const)
    expect(values.get(name)).toMatchObject({ state: 'default', value })
  expect(values.get('isUp')).toMatchObject({ state: 'set', value: false })
  const { PORT_QOS_MAP, QUEUE, SCHEDULER, PORT } = WHOLE
  const part = portOf(nested({ PORT, PORT_QOS_MAP, QUEUE, SCHEDULER }), 'Ethernet4')
  expect(part).toEqual({ rateBps: 100e9, isUp: false })
  // In a part a map may be elsewhere: the name proves that DSCPs classify, and nothing is missing.
  const facts = factsOf(nested({ PORT_QOS_MAP }))
  expect(plain(facts.ports.get('Ethernet0')!.values)).toEqual({
    'names.maps entry': 'Ethernet0',
    trust: 'dscp',
    classifies: true,
    pfcClasses: [3],
    pfcWritten: [3],
  })
  expect(facts.references).toEqual([])
  expect(facts.isComplete).toBe(false)
})

test('buffers alone are those of the class with the number of the group or queue', () => {
  const { BUFFER_PG, BUFFER_POOL, BUFFER_PROFILE, BUFFER_QUEUE } = WHOLE
  const port = portOf(nested({ BUFFER_PG, BUFFER_POOL, BUFFER_PROFILE, BUFFER_QUEUE }))
  expect(port).toMatchObject({ 'classes.4.hasHeadroom': true, 'classes.5.dropsAtEgress': false })
  expect(port).not.toHaveProperty(['classes.3.hasHeadroom'])
})

test('a lossless group without a profile has headroom in the dynamic model, and without an entry none at all', () => {
  const dynamic = whole({
    BUFFER_PG: { 'Ethernet0|4': { profile: 'NULL' } },
    DEFAULT_LOSSLESS_BUFFER_PARAMETER: { AZURE: { default_dynamic_th: '1', over_subscribe_ratio: '2' } },
    DEVICE_METADATA: { localhost: { hostname: 'leaf1', buffer_model: 'dynamic' } },
  })
  expect(portOf(dynamic)).toMatchObject({ 'classes.3.hasHeadroom': true, 'classes.3.alpha': 2 })
  expect(plain(factsOf(dynamic).device)).toMatchObject({ isHeadroomDynamic: true, headroomOversubscription: 2 })
  expect(portOf(whole({ BUFFER_PG: {} }))['classes.3.hasHeadroom']).toBe(false)
})

test('a configuration without any buffers or queues is a part of one, and says nothing of them', () => {
  const names = Object.keys(WHOLE).filter((name) => !/^(?:BUFFER_|QUEUE$|WRED_PROFILE$|SCHEDULER$)/.test(name))
  const port = portOf(nested(Object.fromEntries(names.map((name) => [name, WHOLE[name]!]))))
  expect(port).toMatchObject({ pfcClasses: [3] })
  expect(Object.keys(port).filter((field) => /hasHeadroom|marks/.test(field))).toEqual([])
})

test('headroom that groups share is headroom of a lossless profile, and not of a lossy one', () => {
  const profile = (fields: Record<string, string>): Tables => ({
    BUFFER_PROFILE: { ...WHOLE['BUFFER_PROFILE'], lossless: { pool: 'in', size: '0', dynamic_th: '0', ...fields } },
  })
  expect(portOf(whole(profile({ xon: '2000', xoff: '0' })))['classes.3.hasHeadroom']).toBe(true)
  expect(portOf(whole(profile({})))['classes.3.hasHeadroom']).toBe(false)
})

test('the map of DSCPs may hold for all ports of the switch', () => {
  const text = whole({ PORT_QOS_MAP: { global: { dscp_to_tc_map: 'D' }, Ethernet0: { pfc_enable: '' } } })
  expect(portOf(text)).toMatchObject({ trust: 'dscp', 'dscpToClass.26': 3, pfcClasses: [] })
  expect(factsOf(text).ports.has('global')).toBe(false)
})

test('a map that nothing defines classifies nothing', () => {
  const facts = factsOf(whole({ DSCP_TO_TC_MAP: {} }))
  expect(plain(facts.ports.get('Ethernet0')!.values)['classifies']).toBe(false)
  expect(facts.references).toMatchObject([
    { problem: 'undefined', what: 'DSCP_TO_TC_MAP', name: 'D', port: 'Ethernet0' },
  ])
})

test('an egress queue may drop if its share is below 128 pools, and a static one if it is below its pool', () => {
  const drops = (fields: Record<string, string>): unknown =>
    portOf(whole({ BUFFER_PROFILE: { ...WHOLE['BUFFER_PROFILE'], free: { pool: 'out', size: '0', ...fields } } }))[
      'classes.3.dropsAtEgress'
    ]
  expect(drops({ dynamic_th: '6' })).toBe(true)
  expect(drops({ dynamic_th: '7' })).toBe(false)
  expect(drops({ static_th: '5' })).toBe(true)
  expect(drops({})).toBe(undefined)
})

test('a profile that marks no green packets marks nothing of RoCE', () => {
  for (const fields of [{ ecn: 'ecn_none' }, { ecn: 'ecn_yellow' }, {}, { ecn: 'ecn_all', wred_green_enable: 'false' }])
    expect(portOf(whole({ WRED_PROFILE: { W: fields as Record<string, string> } }))['classes.3.marks']).toBe(false)
})

test('the watchdog is that of the switch where its ports agree, and that of the ports otherwise', () => {
  expect(plain(factsOf(whole()).device)).toMatchObject({
    'watchdog.kind': 'sonic',
    'watchdog.action': 'drop',
    'watchdog.detectionPs': 400e9,
    'watchdog.restorationPs': 600e9,
    'watchdog.pollPs': 200e9,
  })
  const two = whole({
    PFC_WD: {
      Ethernet0: { action: 'drop', detection_time: '400' },
      Ethernet4: { action: 'drop', detection_time: '200' },
    },
  })
  expect(plain(factsOf(two).device)).toMatchObject({ 'watchdog.action': 'drop', 'watchdog.restorationPs': 'never' })
  expect(factsOf(two).device.get('watchdog.detectionPs')).toEqual({ state: 'unknown' })
  expect(portOf(two)['other.PFC_WD.detection_time']).toBe('400')
})

test('without an entry of the watchdog nothing is watched; without its classes neither', () => {
  const none = whole({ PFC_WD: { GLOBAL: { POLL_INTERVAL: '200' } } })
  expect(plain(factsOf(none).device)['watchdog.kind']).toBe('off')
  expect(portOf(none)['classes.3.isWatched']).toBe(false)
  const { pfcwd_sw_enable: _, ...maps } = WHOLE['PORT_QOS_MAP']!['Ethernet0']!
  expect(portOf(whole({ PORT_QOS_MAP: { Ethernet0: maps } }))['classes.3.isWatched']).toBe(false)
})

test('tags come from VLANs, of the port or of its port-channel, and routed ports do not flood', () => {
  const text = whole({
    PORTCHANNEL_MEMBER: { 'PortChannel1|Ethernet4': {} },
    VLAN_MEMBER: {
      'Vlan10|PortChannel1': { tagging_mode: 'tagged' },
      'Vlan20|Ethernet0': { tagging_mode: 'untagged' },
    },
  })
  expect(portOf(text)['vlanMode']).toBe('untagged')
  expect(portOf(text, 'Ethernet4')['vlanMode']).toBe('tagged')
  expect(plain(factsOf(text).device)).not.toHaveProperty('floodsLossless')
  expect(plain(factsOf(whole()).device)['floodsLossless']).toBe(false)
  const flooding = { localhost: { hostname: 'leaf1', hwsku: 'ACS-SN2700', platform: 'x86_64-mlnx_msn2700-r0' } }
  const VLAN_MEMBER = { 'Vlan20|Ethernet0': { tagging_mode: 'untagged' } }
  const { device } = factsOf(whole({ VLAN_MEMBER, DEVICE_METADATA: flooding }))
  expect(plain(device)).toMatchObject({ floodsLossless: true, 'watchdog.kind': 'nvidia' })
})

test('names that nothing has, and profiles that nothing uses', () => {
  const facts = factsOf(
    whole({
      BUFFER_PG: { 'Ethernet0|4': { profile: 'losless' } },
      QUEUE: {},
      BUFFER_QUEUE: { 'Ethernet9|3': { profile: 'free' } },
    }),
  )
  expect(facts.references.map(({ problem, what, name, port }) => [problem, what, name, port])).toEqual([
    ['undefined', 'PORT', 'Ethernet9', ''],
    ['undefined', 'BUFFER_PROFILE', 'losless', 'Ethernet0'],
    ['unapplied', 'WRED_PROFILE', 'W', ''],
  ])
})

test('a value that cannot be read is unknown, and its line remains', () => {
  const facts = factsOf(whole())
  expect(facts.remainder.map(({ text }) => text.trim())).toEqual(['"Ethernet4": "long"'])
  expect(facts.ports.get('Ethernet4')!.values.get('cableM')).toEqual({ state: 'unknown' })
  const odd = factsOf(whole({ PORT_QOS_MAP: { Ethernet0: { pfc_enable: '3,9' } }, PFC_PLUS: { x: { y: 'z' } } }))
  expect(odd.ports.get('Ethernet0')!.values.get('pfcClasses')).toEqual({ state: 'unknown' })
  expect(odd.remainder).toHaveLength(3)
})

test('of a file that ends too early, what is closed is read, and nothing has a default', () => {
  const text = whole()
  const facts = factsOf(text.slice(0, text.indexOf('"BUFFER_POOL"') + 30))
  expect(facts.truncated).not.toBe(null)
  expect(facts.isComplete).toBe(false)
  expect(plain(facts.ports.get('Ethernet0')!.values)).toMatchObject({ pfcClasses: [3], 'classes.3.group': 4 })
  expect(plain(facts.ports.get('Ethernet4')!.values)).not.toHaveProperty('pfcClasses')
})

test('a file of swssconfig is a list of entries', () => {
  const entries = Object.entries(JSON.parse(flat(WHOLE)) as Record<string, object>)
  const list = entries.map(([key, value]) => ({ [key]: value, OP: 'SET' }))
  expect(portOf(nested(list))).toEqual(portOf(whole()))
})

test('text around the configuration does not matter', () => {
  const text = `Running configuration:\n${whole()}\nadmin@leaf1:~$ `
  expect(factsOf(text).isComplete).toBe(true)
  expect(portOf(text)).toEqual(portOf(whole()))
  const value = factsOf(text).ports.get('Ethernet0')!.values.get('pfcClasses')!
  const line = value.state === 'unknown' ? 0 : value.origin!.line
  expect(text.split('\n')[line - 1]).toContain('pfc_enable')
})

test('neighbours are written down in a table', () => {
  const { neighbours } = factsOf(whole())
  expect(neighbours).toMatchObject([{ port: 'Ethernet0', peerDevice: 'host1', peerPort: 'eth0', source: 'table' }])
})
