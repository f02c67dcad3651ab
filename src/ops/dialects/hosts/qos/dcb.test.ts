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
