/** Outputs that do not say of which port they are: whatever tells it, and nothing where nothing does. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { FOREIGN_LINES } from '../dialects/foreign-lines.test-data.ts'
import type { Value } from '../../../core/device-model/index.ts'
import { deviceOf } from './device.ts'
import type { Device } from './index.ts'

/** mlnx_qos of a port with PFC on one class. */
const qos = (pfcClass: number): string =>
  `DCBX mode: OS controlled\nPriority trust state: pcp\nPFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     ${Array.from(
    { length: 8 },
    (_, i) => (i === pfcClass ? '1   ' : '0   '),
  ).join(
    '',
  )}\n${Array.from({ length: 8 }, (_, i) => `tc: ${i} ratelimit: unlimited, tsa: vendor\n\t priority:  ${i}\n`).join('')}`

type Files = Readonly<Record<string, string>>
const deviceIn = (files: Files, knownPorts: readonly string[] = [], command = ''): Device =>
  deviceOf(
    'gpu1',
    Object.entries(files).map(([file, text]) => ({ file: `gpu1/${file}`, text, command, timeNs: NaN })),
    knownPorts,
  )
const classesOf = ({ config }: Device): Record<string, unknown> =>
  Object.fromEntries(config.ports.map(({ name, settings: { pfcClasses } }) => [name, plain(pfcClasses)]))
const plain = (value: Value): unknown => ('value' in value ? value.value : null)
const TWO = { eth2: [2], eth3: [3] }

describe('the port of an output is known', () => {
  test.each<[string, Files]>([
    ['the name of its file', { 'mlnx_qos_eth2.txt': qos(2), 'mlnx_qos-eth3': qos(3) }],
    ['a folder above it', { 'eth2/qos.txt': qos(2), 'eth3/qos.txt': qos(3) }],
    ['headings', { qos: `== eth2 ==\n${qos(2)}\n== eth3 ==\n${qos(3)}` }],
    ['headings of other kinds', { qos: `### gpu1 eth2\n${qos(2)}eth3:\n${qos(3)}` }],
    [
      'a heading with the command',
      { qos: `##### mlnx_qos -i eth2 #####\n${qos(2)}--- mlnx_qos -i eth3 ---\n${qos(3)}` },
    ],
    ['a trace', { log: `+ for i in eth2 eth3\n+ mlnx_qos -i eth2\n${qos(2)}+ sudo mlnx_qos -i eth3\n${qos(3)}` }],
    [
      'a command inside others',
      {
        log: `root@gpu1:~# kubectl exec -n net -it nic-agent-x2 -- mlnx_qos -i eth2\n${qos(2)}root@gpu1:~# ssh -o A=b root@gpu1 'sudo -n mlnx_qos -i eth3'\n${qos(3)}`,
      },
    ],
    [
      'a command in a name space',
      {
        log: `$ sudo ip netns exec gpu mlnx_qos -i eth2\n${qos(2)}$ nsenter -t 1 -n /usr/bin/mlnx_qos -i eth3\n${qos(3)}`,
      },
    ],
    ['a loop at the prompt', { log: `[root@gpu1 ~]# for i in eth2 eth3; do mlnx_qos -i $i; done\n${qos(2)}${qos(3)}` }],
  ])('by %s', (_, files) => {
    const device = deviceIn(files)
    expect(classesOf(device)).toEqual(TWO)
    expect(device.conflicts).toEqual([])
  })

  test('by a name of the list of links that is like no other', () => {
    const files = { 'qos-rail0.txt': qos(2), 'qos-rail1.txt': qos(3) }
    expect(classesOf(deviceIn(files, ['rail0', 'rail1']))).toEqual({ rail0: [2], rail1: [3] })
  })

  test('by the only port that there is', () => {
    expect(classesOf(deviceIn({ 'qos.txt': qos(2) }, ['eth2']))).toEqual({ eth2: [2] })
  })
})

describe('the port of an output is not known', () => {
  test.each<[string, Files, readonly string[], readonly number[]]>([
    ['of four in one file', { 'qos.txt': [2, 3, 4, 5].map(qos).join('') }, ['eth2', 'eth3', 'eth4', 'eth5'], [4]],
    ['of two in one file beside one port', { 'qos.txt': qos(2) + qos(3) }, ['eth2'], [2]],
    ['of two that differ', { 'a.txt': qos(2), 'b.txt': qos(3) }, [], [1, 1]],
    [
      'of one beside a port of the list and another of a file',
      { 'a.txt': qos(2), 'eth3.txt': 'Pause parameters for eth3:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n' },
      ['eth2'],
      [1],
    ],
    ['of one beside two ports', { 'a.txt': qos(2) }, ['eth2', 'eth3'], [1]],
  ])('%s: they are of no port, and said', (_, files, ports, counts) => {
    const device = deviceIn(files, ports)
    expect(Object.values(classesOf(device)).filter(Boolean)).toEqual([])
    expect(device.conflicts).toEqual([])
    expect(device.unread.map(({ why, count, form }) => [why, count, form])).toEqual(
      counts.map((count) => ['port', count, 'mlnx_qos -i IF']),
    )
  })
})

test('of one session the later output holds, and what stands before the first prompt counts', () => {
  const log = `${qos(1)}gpu1:~$ mlnx_qos -i eth2\n${qos(2)}gpu1:~$ date\nSun Nov 29\ngpu1:~$ \ngpu1:~$ mlnx_qos -i eth2 --pfc 0,0,0,1,0,0,0,0\n${qos(3)}gpu1:~$ `
  const device = deviceIn({ log })
  expect(classesOf(device)).toEqual({ eth2: [3] })
  expect(device.unread.map(({ line, text }) => [line, text])).toEqual([[45, 'Sun Nov 29']])
  expect(device.forms.flatMap(({ remainder, truncated }) => [...remainder, ...(truncated ? [truncated] : [])])).toEqual(
    [],
  )
})

describe('a line of a logger or a pager', () => {
  test('at any place loses nothing', () => {
    const text = `gpu1:~$ mlnx_qos -i eth2\n${qos(2)}`
    const lines = text.split('\n')
    const sane = deviceIn({ log: text })
    fc.assert(
      fc.property(fc.constantFrom(...FOREIGN_LINES), fc.nat(lines.length - 1), (foreign, at) => {
        const device = deviceIn({ log: lines.toSpliced(at, 0, foreign).join('\n') })
        expect(classesOf(device)).toEqual(classesOf(sane))
        expect(device.forms.map(({ remainder, truncated }) => [remainder, truncated])).toEqual([[[], null]])
        expect(device.unread).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
