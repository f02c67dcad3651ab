/** Commands of remedies have the values of their findings. */
import { expect, test } from 'vitest'
import { fabricWords, foundAt } from '../../index.ts'
import { map06 } from './hosts.ts'
import { pfc01 } from './links.ts'

const subject = { device: 'h1', interface: 'eth4' }
const lineOf = (finding: ReturnType<typeof foundAt>): string | undefined => fabricWords(finding)?.lineAt(finding)

test('the classes that the other end has, as one and as flags of all', () => {
  const values = { here: [], there: [4, 5], peer: 'leaf Ethernet0', cited: [] }
  expect(lineOf(foundAt(pfc01, subject, { ...values, dialect: 'mlnx_qos' }))).toBe(
    'mlnx_qos -i eth4 --pfc 0,0,0,0,1,1,0,0',
  )
  expect(lineOf(foundAt(pfc01, subject, { ...values, dialect: 'sonic' }))).toBe(
    'config interface pfc priority eth4 4 on',
  )
})

test('a value that nobody knows stays a word to be filled in', () => {
  const values = { dscp: 0, priority: 0, lossless: [5], dialect: 'mlnx_qos', cited: [] }
  expect(lineOf(foundAt(map06, subject, values))).toMatch(/DSCP of priority 5$/)
})
