/** NVUE: commands and documents of one configuration, and what a switch prints of RoCE at a port. */
import { fc } from '../../../../../tests/support/properties.ts'
import { describe, expect, test } from 'vitest'
import { Facts, readFile } from '../index.ts'
import { portsIn, sizeOf } from './names.ts'

function factsOf(text: string, command = ''): Facts {
  return readFile('f', text, command).parts[0]?.facts ?? new Facts('f')
}

/** Values without their lines, by field, "PORT FIELD" for ports. */
function valuesOf(facts: Facts): Record<string, unknown> {
  const known = (values: Facts['device'], prefix: string): [string, unknown][] =>
    [...values].map(([name, value]) => [prefix + name, 'value' in value ? [value.state, value.value] : value.state])
  return Object.fromEntries([
    ...known(facts.device, ''),
    ...[...facts.ports].flatMap(([port, { values }]) => known(values, `${port} `)),
  ])
}

const read = (...lines: string[]): Record<string, unknown> =>
  valuesOf(factsOf(lines.map((line) => `nv set ${line}`).join('\n')))
const HEAD = ['system hostname leaf', 'interface swp1-2 link mtu 9216']

describe('a configuration', () => {
  test('RoCE alone is lossless on priority 3, with a map, marks and a strict queue', () => {
    const values = read(...HEAD, 'qos roce')
    expect(values).toMatchObject({
      'swp2 mtuBytes': ['set', 9216],
      'swp2 pfcClasses': ['default', [3]],
      'swp2 trust': ['default', 'both'],
      'swp2 dscpToClass.26': ['default', 3],
      'swp2 classes.3.kminBytes': ['default', 150_000],
      'swp2 classes.3.kmaxBytes': ['default', 1_501_500],
      'swp2 classes.6.schedule': ['default', 'strict'],
      'swp2 classes.5.queue': ['default', 0],
      'swp2 classes.3.isWatched': ['default', false],
      'watchdog.kind': ['default', 'off'],
    })
  })

  test('PFC that is written in a lossy mode is not in force', () => {
    const values = read(...HEAD, 'qos roce mode lossy', 'qos pfc default-global switch-priority 3')
    expect(values['swp1 pfcWritten']).toEqual(['set', [3]])
    expect(values['swp1 pfcClasses']).toEqual(['set', []])
  })

  test('without RoCE nothing is lossless and DSCPs decide nothing', () => {
    const values = read(...HEAD)
    expect(values['swp1 pfcClasses']).toEqual(['default', []])
    expect(values['swp1 trust']).toEqual(['default', 'pcp'])
    expect(values).not.toHaveProperty('swp1 dscpToClass.26')
    expect(values['swp1 classes.3.marks']).toEqual(['default', false])
  })

  test('a profile of the port goes before the global one, and that before the preset', () => {
    const values = read(
      ...HEAD,
      'qos roce mode lossless',
      'qos pfc default-global switch-priority 2',
      'qos pfc P switch-priority 4-5',
      'qos pfc P cable-length 25',
      'interface swp2 qos pfc profile P',
      'qos mapping default-global dscp 26 switch-priority 2',
      'qos egress-queue-mapping default-global switch-priority 2 traffic-class 3',
      'qos congestion-control default-global traffic-class 3 min-threshold 40000',
      'interface swp2 qos pfc-watchdog',
      'qos pfc-watchdog polling-interval 200',
      'qos traffic-pool roce-lossless memory-percent 60',
    )
    expect(values).toMatchObject({
      'swp1 pfcClasses': ['set', [2]],
      'swp2 pfcClasses': ['set', [4, 5]],
      'swp2 cableM': ['set', 25],
      'swp1 dscpToClass.26': ['set', 2],
      'swp1 dscpToClass.27': ['set', 3],
      'swp1 classes.2.queue': ['set', 3],
      'swp1 classes.2.pausedQueue': ['set', 3],
      'swp1 classes.2.kminBytes': ['set', 40_000],
      'swp1 classes.2.isWatched': ['default', false],
      'swp2 classes.4.isWatched': ['set', true],
      'watchdog.detectionPs': ['set', 600e9],
      'other.traffic-pool roce-lossless memory-percent': ['set', 60],
    })
  })

  test('pauses in one direction are no lossless class', () => {
    const values = read(...HEAD, 'qos pfc default-global switch-priority 3', 'qos pfc default-global rx disable')
    expect(values['swp1 isPfcAsymmetric']).toEqual(['set', true])
    expect(values['swp1 pfcClasses']).toBe('unknown')
  })

  test('pauses in both directions, or none, are symmetric', () => {
    const both = read(...HEAD, 'qos pfc default-global switch-priority 3')
    expect(both['swp1 isPfcAsymmetric']).toEqual(['set', false])
    const none = ['rx', 'tx'].map((word) => `qos pfc default-global ${word} disable`)
    expect(read(...HEAD, 'qos pfc default-global switch-priority 3', ...none)['swp1 isPfcAsymmetric']).toEqual([
      'set',
      false,
    ])
  })

  test('a link that is written up is up, one that is not written is unknown', () => {
    const values = read(...HEAD, 'interface swp1 link state up', 'interface swp2 link state down')
    expect([values['swp1 isUp'], values['swp2 isUp']]).toEqual([
      ['set', true],
      ['set', false],
    ])
    expect(read(...HEAD)['swp1 isUp']).toBeUndefined()
  })

  test('a part of a configuration has no defaults', () => {
    const values = read('interface swp1 link mtu 9216', 'qos pfc default-global switch-priority 3')
    expect(values['swp1 pfcClasses']).toEqual(['set', [3]])
    expect(Object.values(values).filter((value) => Array.isArray(value) && value[0] === 'default')).toEqual([])
  })

  test('names that lead nowhere, and profiles that no port has', () => {
    const facts = factsOf(
      'nv set system hostname a\nnv set interface swp1 qos pfc profile X\nnv set qos pfc Y switch-priority 3',
    )
    expect(facts.references.map(({ problem, name }) => `${problem} ${name}`)).toEqual(['undefined X', 'unapplied Y'])
  })

  test('what is unset again is absent; a prompt may stand before a command', () => {
    const text =
      'nv set system hostname a\nu@s:~$ nv set interface swp1 link mtu 1500\nnv unset interface swp1 link mtu\n'
    expect(valuesOf(factsOf(text))['swp1 mtuBytes']).toEqual(['default', 9216])
  })

  test('statements of qos that are not understood are kept', () => {
    const facts = factsOf('nv set interface swp1 link mtu 9216\nnv set qos advance-buffer-config default-global x 1')
    expect(facts.remainder.map(({ number }) => number)).toEqual([2])
  })

  test('channels of a split port', () => {
    const values = read(...HEAD, 'interface swp3 link breakout 2x100G')
    expect(values['swp3s1 rateBps']).toEqual(['set', 100e9])
    expect(values).not.toHaveProperty('swp3 mtuBytes')
  })
})

/** Settings of one configuration: words before the last are keys. */
const STATEMENTS = [
  'qos roce mode lossless',
  'qos roce mode lossy',
  'qos roce cable-length 40',
  'qos pfc default-global switch-priority 3',
  'qos pfc P tx enable',
  'qos pfc P rx disable',
  'qos pfc P switch-priority 3,5',
  'qos mapping default-global trust l3',
  'qos mapping default-global dscp 26 switch-priority 4',
  'qos egress-queue-mapping default-global switch-priority 4 traffic-class 3',
  'qos egress-scheduler default-global traffic-class 2,6 bw-percent 30',
  'qos congestion-control default-global traffic-class 3 max-threshold 200000',
  'interface swp1,31 link mtu 9000',
  'interface swp1 qos pfc profile P',
  'interface swp31 qos pfc-watchdog state enable',
]

function documentOf(statements: readonly string[]): string {
  const tree: Record<string, unknown> = {}
  for (const statement of statements) {
    const words = statement.split(' ')
    let at = tree
    for (const word of words.slice(0, -2)) at = (at[word] ??= {}) as Record<string, unknown>
    const [key, value] = words.slice(-2)
    at[key!] = key === 'switch-priority' && words[1] === 'pfc' ? { [value!]: {} } : value
  }
  const lines = (value: object, indent: string): string[] =>
    Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      typeof inner === 'object' && Object.keys(inner!).length > 0
        ? [`${indent}${key}:`, ...lines(inner!, `${indent}  `)]
        : [`${indent}${key}: ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`],
    )
  return ['- set:', ...lines(tree, '    ')].join('\n')
}

test('commands, YAML and JSON say the same', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom(...STATEMENTS), { minLength: 1, selector: (one) => one.replace(/ \S+$/, '') }),
      (some) => {
        const statements = ['system hostname leaf', ...some]
        const commands = valuesOf(factsOf(statements.map((one) => `nv set ${one}`).join('\n')))
        expect(valuesOf(factsOf(documentOf(statements)))).toEqual(commands)
        expect(valuesOf(factsOf(documentOf(statements).replaceAll('\n', '\r\n')))).toEqual(commands)
      },
    ),
  )
})

test('a document has its lines, and its header makes it whole', () => {
  const facts = factsOf(
    '- header:\n    model: m\n- set:\n    interface:\n      swp1:\n        link:\n          mtu: 9000\n',
  )
  expect(facts.isComplete).toBe(true)
  expect(facts.ports.get('swp1')!.values.get('mtuBytes')).toMatchObject({ value: 9000, origin: { line: 7 } })
  expect(factsOf('{"header": 1, "set": {"interface": {"swp1": {"link": {"mtu": 9000}}}}}').ports.size).toBe(1)
})

test.each([
  ['swp1,31', ['swp1', 'swp31']],
  ['swp1-swp3,swp6', ['swp1', 'swp2', 'swp3', 'swp6']],
  ['swp1s0-1', ['swp1s0', 'swp1s1']],
  ['br_default', ['br_default']],
])('ports of %s', (text, ports) => {
  expect(portsIn(text, 9)).toEqual(ports)
})

test.each([
  ['146.48 KB', 150_000],
  ['1.43 MB', 1_501_500],
  ['153.00 KB', 156_672],
  ['0 Bytes', 0],
  ['inf', undefined],
])('size %s', (text, bytes) => {
  expect(sizeOf(text, [150_000, 1_501_500])).toBe(bytes)
})

const STATUS = `                    operational    applied  description
------------------  -------------  -------  -----------------------------
congestion-control
  congestion-mode   ecn, absolute           Congestion config mode
  enabled-tc        0,3                     Congestion config enabled Traffic Class
  max-threshold     1.43 MB                 Congestion config max-threshold
  min-threshold     146.48 KB               Congestion config min-threshold
  probability       100
pfc
  pfc-priority      3                       switch-prio on which PFC is enabled
  rx-enabled        yes                     PFC Rx Enabled status
  tx-enabled        yes                     PFC Tx Enabled status
trust
  trust-mode        pcp,dscp                Trust Setting

RoCE PCP/DSCP->SP mapping configurations
===========================================
          pcp  dscp  switch-prio
    ----  ---  ----  -----------
    roce  3    26    3

RoCE SP->TC mapping and ETS configurations
=============================================
          switch-prio  traffic-class  scheduler-weight
    ----  -----------  -------------  ----------------
    cnp   6            6              strict priority
    roce  3            3              dwrr-50%

RoCE Pool Status
===================
        name                   mode     pool-id  switch-priorities  traffic-class  size      current-usage  max-usage
    --  ---------------------  -------  -------  -----------------  -------------  --------  -------------  ---------
    0   roce-reserved-ingress  DYNAMIC  3        3                  -              15.16 MB  0 Bytes        2.30 MB
    1   roce-reserved-egress   DYNAMIC  14       -                  3              inf       0 Bytes        2.41 MB
`
const SHOW_STATUS = 'nv show interface swp1 qos roce status'

describe('status of RoCE', () => {
  test('says what is in force', () => {
    const facts = factsOf(STATUS, SHOW_STATUS)
    expect(facts.truncated).toBeNull()
    expect(valuesOf(facts)).toMatchObject({
      'swp1 pfcClasses': ['operational', [3]],
      'swp1 trust': ['operational', 'both'],
      'swp1 dscpToClass.26': ['operational', 3],
      'swp1 classes.3.kminBytes': ['operational', 150_000],
      'swp1 classes.3.kmaxBytes': ['operational', 1_501_500],
      'swp1 classes.3.schedule': ['operational', 50],
      'swp1 classes.6.schedule': ['operational', 'strict'],
      'swp1 classes.6.marks': ['operational', false],
      'pools.0.sizeBytes': ['operational', 15_896_412],
      'pools.1.side': ['operational', 'egress'],
    })
  })

  test('one direction alone is not lossless, none is off', () => {
    const one = valuesOf(factsOf(STATUS.replace('rx-enabled        yes', 'rx-enabled        no '), SHOW_STATUS))
    expect([one['swp1 pfcClasses'], one['swp1 isPfcAsymmetric']]).toEqual(['unknown', ['operational', true]])
    const none = valuesOf(factsOf(STATUS.replaceAll('-enabled        yes', '-enabled        no '), SHOW_STATUS))
    expect(none['swp1 pfcClasses']).toEqual(['operational', []])
  })

  test('a table that is cut is noted', () => {
    expect(factsOf(STATUS.slice(0, STATUS.indexOf('RoCE Pool')), SHOW_STATUS).truncated).not.toBeNull()
  })
})

const COUNTERS = `                               operational   applied  description
-----------------------------  ------------  -------  ------------------------------------------------------
rx-stats
  rx-pfc-stats
    pause-duration             2900                   Rx PFC pause duration for RoCE traffic
    pause-packets              900                    Rx PFC pause packets for RoCE traffic
  rx-roce-stats
    no-buffer-discard          7                      Rx buffer discards for RoCE traffic
    pg-max-usage               512.00 KB              Max PG-buffer usage for RoCE traffic
tx-stats
  tx-pfc-stats
    pause-packets              5                      Tx PFC pause packets for RoCE traffic
  tx-roce-stats
    unicast-no-buffer-discard  66                     Tx buffer discards for RoCE traffic
`

describe('counters of RoCE', () => {
  const countsOf = (text: string): string[] =>
    factsOf(text, 'nv show interface swp1 qos roce counters').counts.map(
      ({ port, priority, name, value, bits }) => `${port} ${priority} ${name} ${value} ${bits}`,
    )

  test('have neutral names, by the direction in which they were counted', () => {
    expect(countsOf(COUNTERS)).toEqual([
      'swp1 3 pfcRxFrames 900 64',
      'swp1 3 dropIn 7 64',
      'swp1 3 sharedMax 524288 64',
      'swp1 3 pfcTxFrames 5 64',
      'swp1 3 dropOut 66 64',
    ])
  })

  test('a number at the end of a cut file is not one', () => {
    const cut = COUNTERS.slice(0, COUNTERS.indexOf('66') + 1)
    expect(countsOf(cut).filter((count) => count.includes('dropOut'))).toEqual([])
  })
})

test('neighbours', () => {
  const facts = factsOf(`Interface  Speed  Type  Remote Host      Remote Port
---------  -----  ----  ---------------  -----------------
eth0       1G     eth   oob              swp10
swp31      400G   swp   spine            Ethernet16
`)
  expect(facts.neighbours.map(({ port, peerDevice, peerPort }) => [port, peerDevice, peerPort])).toEqual([
    ['swp31', 'spine', 'Ethernet16'],
  ])
})

test('damaged texts never throw', () => {
  const whole = [STATUS, COUNTERS, documentOf(STATEMENTS), STATEMENTS.map((one) => `nv set ${one}`).join('\n')]
  const pieces = whole.flatMap((text) => text.split(/(?<=\n)/))
  fc.assert(
    fc.property(
      fc.constantFrom(...whole),
      fc.nat(3000),
      fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string())),
      (text, cut, parts) => {
        expect(() => readFile('f', text.slice(0, cut) + parts.join(''))).not.toThrow()
        expect(() => readFile('f', parts.join('') + text.slice(cut))).not.toThrow()
      },
    ),
  )
})

test.each([
  ['ranges', 'nv set interface swp0-9999 link mtu 9216\n'.repeat(20_000)],
  ['lists', `nv set interface ${'swp1-9999,'.repeat(50_000)} link mtu 9216\n`],
  ['dashes', `                operational\n${'-- '.repeat(100_000)}\n${'a\n'.repeat(10_000)}`],
  ['indents', `nv set x\n${' \n'.repeat(200_000)}`],
])('%s are read in time', (_, text) => {
  const start = performance.now()
  readFile('f', text)
  expect(performance.now() - start).toBeLessThan(20_000)
})
