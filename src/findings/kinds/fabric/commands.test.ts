/** Commands of remedies have the values of their findings. */
import { describe, expect, test } from 'vitest'
import {
  fabricBuffers,
  fabricCounts,
  fabricFiles,
  fabricHosts,
  type FabricKind,
  fabricLinks,
  fabricPaths,
  fabricSwitches,
  fabricWords,
  foundAt,
} from '../../index.ts'
import { buf12, ecn03 } from './buffers.ts'
import { hst02, map03, map06 } from './hosts.ts'
import { map02, mtu02, pfc01 } from './links.ts'

const subject = { device: 'h1', interface: 'eth4' }
const lineOf = (finding: ReturnType<typeof foundAt>): string | undefined => fabricWords(finding)?.lineAt(finding)

test('the classes that the other end has, as one and as flags of all', () => {
  const values = { here: [], there: [4, 5], peer: 'leaf Ethernet0', odd: [4, 5], use: 'used' as const, cited: [] }
  expect(lineOf(foundAt(pfc01, subject, { ...values, dialect: 'mlnx_qos' }))).toBe(
    'mlnx_qos -i eth4 --pfc 0,0,0,0,1,1,0,0',
  )
  expect(lineOf(foundAt(pfc01, subject, { ...values, dialect: 'sonic' }))).toBe(
    'config interface pfc priority eth4 4 on',
  )
})

test('the DSCP and the class of the other end, and none that loses packets', () => {
  const trust = { trust: 'pcp', peerTrust: 'dscp', peer: 'leaf Ethernet0', dscp: 26, there: 5, cited: [] }
  const commandOf = (isMapped: boolean, dialect: string): string | undefined =>
    lineOf(foundAt(map03, subject, { ...trust, isMapped, dialect }))
  expect(commandOf(false, 'host')).toBe('dcb app add dev eth4 dscp-prio 26:5')
  expect(commandOf(true, 'mlnx_qos')).toBe('mlnx_qos -i eth4 --trust dscp')
  expect(commandOf(false, 'mlnx_qos')).toBe('mlnx_qos -i eth4 --trust dscp; mlnx_qos -i eth4 --dscp2prio set,26,5')
  const lossy = { dscp: 26, priority: 3, lossless: [5], there: 5, dialect: 'mlnx_qos', cited: [] }
  expect(lineOf(foundAt(map06, subject, lossy))).toBe('mlnx_qos -i eth4 --dscp2prio set,26,5')
  const unlike = { dscp: 26, here: 3, there: 0, isThereLossless: false, peer: 'leaf', dialect: 'mlnx_qos', cited: [] }
  expect(lineOf(foundAt(map02, subject, unlike))).toBe('')
})

test('all lossless classes leave the buffer of the others', () => {
  const buffer = { priority: 4, lossless: [4, 5], sizeBytes: 896, needBytes: null, isLeast: true, isShared: true }
  expect(lineOf(foundAt(hst02, subject, { ...buffer, dialect: 'mlnx_qos', cited: [] }))).toContain(
    '--prio2buffer 0,0,0,0,1,1,0,0 ',
  )
})

test('a queue of NX-OS by its group, whatever its class is called, and payloads in whole bytes', () => {
  expect(lineOf(foundAt(ecn03, subject, { priority: 3, dialect: 'nx-os', cited: [] }))).toContain('qos-group 3 ')
  const payloads = { activeBytes: 1024, usualBytes: 4096, dialect: '', cited: [] }
  expect(mtu02.text(payloads, subject).match(/\b\d{4}\b/g)).toEqual(['1024', '4096'])
})

test('a length of a cable that no list has', () => {
  const values = { defaultM: 100, dialect: 'junos', cited: [] }
  expect(lineOf(foundAt(buf12, subject, { ...values, cableM: 120 }))).toMatch(/cable-length 120$/)
  expect(lineOf(foundAt(buf12, subject, { ...values, cableM: null }))).toMatch(/cable-length METRES$/)
})

test('a value that nobody knows stays a word to be filled in', () => {
  const values = { dscp: 0, priority: 0, lossless: [5], there: null, dialect: 'mlnx_qos', cited: [] }
  expect(lineOf(foundAt(map06, subject, values))).toMatch(/DSCP of priority 5$/)
})

describe.each(['eth2;touch${IFS}pwned', '$(id)', '`id`', 'a b', 'a\nb', 'a\u001B[m', '-A', '| sh', '!'])(
  'the name %j of a stranger',
  (name) => {
    const at = { device: name, interface: name, file: name, line: 1 }
    const classes = { here: [3], there: [3], lossless: [3], written: [3], unwatched: [3], withHeadroom: [3] }
    const values = { ...classes, priority: 3, dscp: 26, cableM: 5, peer: name, profile: name, what: name, name }
    const kinds = [fabricBuffers, fabricCounts, fabricFiles, fabricHosts, fabricLinks, fabricPaths, fabricSwitches]
    const all = kinds.flatMap((each) => Object.values(each) as FabricKind[])
    const dialects = ['mlnx_qos', 'host', 'sonic', 'eos', 'nx-os', 'os10', 'junos', 'nvue', 'nicctl', '']

    test('is in no command, and the remedy that would have it says so', () => {
      for (const kind of all)
        for (const dialect of dialects) {
          const own = { ...values, dialect, cited: [] }
          const [line, plain] = [kind.line(own, at), kind.line(own, subject)]
          expect([kind.rule, dialect, line.includes(name)]).toEqual([kind.rule, dialect, false])
          const isRefused = line === '' && kind.advice!(own, at).includes('not one that a command line takes safely')
          expect([kind.rule, dialect, isRefused || !plain.includes('eth4')]).toEqual([kind.rule, dialect, true])
        }
    })
  },
)
