/** dcb -j: objects alone, in one, and below each other; trust follows from the table of applications. */
import { describe, expect, test } from 'vitest'
import { leftOver, port, said } from '../read.test-data.ts'

const PFC = '{"pfc_cap":8,"macsec_bypass":false,"delay":0,"prio_pfc":[false,false,false,true,false,false,false,false]}'
const APP = '{"dscp_prio":[[26,3," "],[48,6," "]]}'
const BUFFER = '{"prio_buffer":[0,0,0,1,0,0,0,0],"buffer_size":[20016,156096,0,0,0,0,0,0],"total_size":4063232}'
const ETS =
  '{"prio_tc":[0,0,0,3,0,0,6,0],"tc_tsa":["ets","ets","ets","ets","ets","ets","strict","ets"],"tc_bw":[50,0,0,50,0,0,0,0]}'
const EXPECTED = {
  pfcClasses: [3],
  trust: 'dscp',
  'dscpToClass.26': 3,
  'dscpToClass.48': 6,
  'nic.bufferOfClass': [0, 0, 0, 1, 0, 0, 0, 0],
  'nic.bufferBytes': [20016, 156096, 0, 0, 0, 0, 0, 0],
  'classes.3.queue': 3,
  'classes.3.schedule': 50,
  'classes.6.schedule': 'strict',
}

test.each([
  ['in one object', `{"pfc":${PFC},"app":${APP},"buffer":${BUFFER},"ets":${ETS}}`],
  ['below each other', [PFC, APP, BUFFER, ETS].join('\n')],
])('outputs %s give the same values', (_, text) => {
  const values = port(text)
  expect(values).toMatchObject(EXPECTED)
  // DSCPs without an entry have the priority that the kernel gives them.
  expect(values['dscpToClass.0']).toBeUndefined()
})

test('the command names the port, and each value has its line', () => {
  const text = `{\n"dscp_prio":\n[[24,3," "],\n[26,4," "]]}`
  const { facts, ports } = said(text, 'dcb -j app show dev eth2')
  expect(ports['eth2']).toMatchObject({ 'dscpToClass.24': 3, 'dscpToClass.26': 4 })
  expect(facts.ports.get('eth2')?.values.get('dscpToClass.26')).toMatchObject({ origin: { line: 4 } })
})

describe('trust', () => {
  test('is in PCP where no DSCP has a priority', () => {
    expect(port(`{"pfc":${PFC},"app":{}}`)['trust']).toBe('pcp')
    expect(port('{}', 'eth0', 'dcb -j app show dev eth0')['trust']).toBe('pcp')
  })

  test('is unknown where DSCPs were not asked for', () => {
    expect(port(PFC)['trust']).toBeUndefined()
    expect(port('{"default_prio":[0]}', 'eth0', 'dcb -j app show dev eth0 default-prio')['trust']).toBeUndefined()
  })

  test.each([
    ['["pcp","dscp"]', 'both'],
    ['["dscp"]', 'dscp'],
    ['["pcp"]', 'pcp'],
  ])('follows the order %s', (order, trust) => {
    expect(port(`{"app":${APP},"apptrust":{"order":${order}}}`)['trust']).toBe(trust)
  })
})

test('lists that are not of eight are unknown, not none', () => {
  const short = said('{"prio_pfc":[false,true]}')
  expect(short.ports['']).toEqual({ pfcClasses: 'unknown' })
  expect(leftOver(short)).toEqual([1])
})

test('a cut text says nothing but that it is cut', () => {
  const cut = said(`{"pfc":${PFC},"app":`)
  expect(cut.facts.truncated).not.toBeNull()
  expect(cut.ports['']).toEqual({})
})

test('objects under other names are no port of this file', () => {
  expect(port(`{"eth0":{"pfc":${PFC}},"eth1":{"pfc":${PFC}}}`)).toEqual({})
})

const TEXT = `pfc-cap 8 macsec-bypass off delay 0
prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
default-prio 0
dscp-prio AF31:3 48:6
prio-buffer 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0
buffer-size 0:20016b 1:156096b 2:0b 3:0b 4:0b 5:0b 6:0b 7:0b
total-size 4063232b
willing on ets-cap 8 cbs off
tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0
tc-tsa 0:ets 1:ets 2:ets 3:ets 4:ets 5:ets 6:strict 7:ets
prio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 7:0
`

describe('text', () => {
  test('says the same as JSON, each value with its line', () => {
    // Each command begins an output of its own.
    const [others, ets] = TEXT.split(/^(?=willing)/m)
    expect({ ...port(others!), ...port(ets!) }).toMatchObject(EXPECTED)
    const { facts } = said(TEXT, 'dcb app show dev eth2')
    expect(facts.ports.get('eth2')?.values.get('dscpToClass.26')).toMatchObject({ value: 3, origin: { line: 4 } })
  })

  test('of the table of applications without DSCPs is trust in PCP', () => {
    expect(port('default-prio 0\n', 'eth0', 'dcb app show dev eth0')['trust']).toBe('pcp')
    expect(port('order dscp pcp\n')['trust']).toBe('dscp')
  })

  test('of eight that are not there is unknown, and of another port without a name is left', () => {
    const short = said('prio-pfc 0:off 1:on\n')
    expect(short.ports['']).toEqual({ pfcClasses: 'unknown' })
    const row = (on: number): string =>
      `prio-pfc ${Array.from({ length: 8 }, (_, i) => `${i}:${i === on ? 'on' : 'off'}`).join(' ')}\n`
    const two = said(row(3) + row(4))
    expect([two.ports['']?.['pfcClasses'], leftOver(two)]).toEqual([[3], [2]])
  })

  test('has sizes in units of 1,024', () => {
    const sizes = port('buffer-size 0:20Kb 1:1.5Mb 2:0b 3:0b 4:0b 5:0b 6:0b 7:0b\n')['nic.bufferBytes']
    expect(sizes).toEqual([20_480, 1_572_864, 0, 0, 0, 0, 0, 0])
  })
})
