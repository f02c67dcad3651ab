/** mlnx_qos: layouts of several releases, cut output, and values that must not be taken for others. */
import { describe, expect, test } from 'vitest'
import { readFile } from '../../index.ts'
import { leftOver, port, said } from '../read.test-data.ts'

const CLASSES = `tc: 0 ratelimit: unlimited, tsa: ets, bw: 40%
\t priority:  0
\t priority:  1
\t priority:  2
\t priority:  4
\t priority:  6
\t priority:  7
tc: 1 ratelimit: 20.0 Gbps, tsa: ets, bw: 60%
\t priority:  3
tc: 2 ratelimit: unlimited, tsa: strict
\t priority:  5
`
const PFC = `PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   1   0   0   0   
`
const head = (trust: string): string => `DCBX mode: OS controlled\nPriority trust state: ${trust}\n`
const WHOLE = `${head('dscp')}dscp2prio mapping:
\tprio:0 dscp:01,00,
\tprio:3 dscp:26,
default priority:
Receive buffer size (bytes): 20016,156096,0,0,0,0,0,0,total_size=4063232
Cable len: 7
${PFC}\tbuffer      0   0   0   1   1   0   0   0   
${CLASSES}`

describe('a whole output', () => {
  test('has trust, map, PFC, buffers, and the schedule of each priority', () => {
    const values = port(WHOLE, 'eth4', 'mlnx_qos -i eth4')
    expect(values).toMatchObject({
      'nic.dcbx': 'os',
      trust: 'dscp',
      'dscpToClass.1': 0,
      'dscpToClass.26': 3,
      'nic.bufferBytes': [20016, 156096, 0, 0, 0, 0, 0, 0],
      cableM: 7,
      pfcClasses: [3, 4],
      'nic.bufferOfClass': [0, 0, 0, 1, 1, 0, 0, 0],
      'classes.3.queue': 1,
      'classes.3.schedule': 60,
      'classes.5.schedule': 'strict',
      'classes.7.schedule': 40,
    })
    expect(values['dscpToClass.2?']).toBeUndefined()
    expect(said(WHOLE).facts.truncated).toBeNull()
    expect(leftOver(said(WHOLE))).toEqual([])
  })

  test('says that lldpad runs only where it warns of it', () => {
    const warning = '****** WARNING: lldpad service is running and may overwrite your settings ******\n\n'
    expect(port(warning + WHOLE)['nic.hasLldpad']).toBe(true)
    expect(port(WHOLE)['nic.hasLldpad']).toBeUndefined()
  })

  test('reads the same with CRLF and without tabs', () => {
    const spaces = WHOLE.replaceAll('\t', '  ').replaceAll('\n', '\r\n')
    expect(port(spaces)).toEqual(port(WHOLE))
  })
})

describe('older releases', () => {
  test('have no buffers, and classes of their own without a schedule', () => {
    const old = `${head('pcp')}Cable len: 7\n${PFC}tc: 0 ratelimit: unlimited, tsa: vendor\n\t priority:  1\n`
    const values = port(old)
    expect(values['classes.1.queue']).toBe(0)
    expect(values['classes.1.schedule']).toBeUndefined()
    expect(values['nic.bufferBytes']).toBeUndefined()
  })

  test('trust DSCPs without a map: eight for each priority', () => {
    const values = port(`${head('dscp')}${PFC}${CLASSES}`)
    expect(values).toMatchObject({ 'dscpToClass.26?': 3, 'dscpToClass.63?': 7 })
    expect(port(`${head('pcp')}${PFC}${CLASSES}`)['dscpToClass.26?']).toBeUndefined()
  })
})

describe('cut output', () => {
  test('does not know PFC where its row is cut', () => {
    const cut = said(WHOLE.slice(0, WHOLE.indexOf('enabled') + 20))
    expect(cut.facts.truncated?.line.number).toBe(11)
    expect(cut.ports['']).toMatchObject({ trust: 'dscp', 'dscpToClass.26': 3, pfcClasses: 'unknown' })
  })

  test('behind the trust does not tell that there is no map', () => {
    expect(port(head('dscp'))).toEqual({ 'nic.dcbx': 'os', trust: 'dscp' })
    expect(port(`${head('dscp')}dscp2prio mapping:\n`)['dscpToClass.0?']).toBeUndefined()
  })

  test('in the classes is seen', () => {
    expect(said(WHOLE.slice(0, WHOLE.indexOf('tc: 2'))).facts.truncated).not.toBeNull()
  })
})

test('a session with several commands has each output under its own port', () => {
  const { parts } = readFile(
    'log',
    `[root@gpu1 ~]# mlnx_qos -i eth1\n${WHOLE}[root@gpu1 ~]# ip link show eth1\n4: eth1: <UP> mtu 9000 state UP\n`,
  )
  expect(parts.map(({ dialect, facts }) => [dialect.name, [...facts.ports.keys()]])).toEqual([
    ['mlnx_qos', ['eth1']],
    ['ip-link', ['eth1']],
  ])
})

test('ports whose names nobody has written down are not mixed', () => {
  const { parts } = readFile('log', `${WHOLE}${WHOLE.replace('3 dscp:26', '5 dscp:26')}`)
  expect(parts.map(({ facts }) => facts.ports.get('')?.values.get('dscpToClass.26'))).toMatchObject([
    { value: 3 },
    { value: 5 },
  ])
})

test('numbers out of range are no values', () => {
  const odd = said(WHOLE.replace('dscp:26,', 'dscp:26,64,99,').replace('priority:  5', 'priority:  12'))
  expect(odd.ports['']).not.toHaveProperty(['dscpToClass.64'])
  expect(odd.ports['']).not.toHaveProperty(['classes.1.strict'])
  expect(odd.ports['']?.['classes.1.schedule']).toBe(40)
  expect(odd.facts.truncated).not.toBeNull()
})

test('a mode of DCBX that is neither of the two is not known', () => {
  const modes = ['OS controlled', 'Firmware controlled', 'not supported'].map((mode) => {
    const text = WHOLE.replace('OS controlled', mode)
    return port(text)['nic.dcbx']
  })
  expect(modes).toEqual(['os', 'firmware', 'unknown'])
})
