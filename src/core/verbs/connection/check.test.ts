/** Values that a connection can have, and the messages about all others. */
import { expect, test } from 'vitest'
import { connectionIssues, expectConnectionValues } from './check.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from './values.ts'

const GOOD: ConnectionValues = { ...CONNECTION_DEFAULTS, remoteQp: 5 }
const { selectiveRepeat } = CONNECTION_DEFAULTS

/** Issues of values with these changes, as printed. */
function said(changes: object): string[] {
  return connectionIssues({ ...GOOD, ...changes }).map(
    ({ path, expected, received, hint }) => `${path}: ${expected}; ${received}${hint === '' ? '' : ` (${hint})`}`,
  )
}

const irn = (changes: object): object => ({ mode: 'irn', selectiveRepeat: { ...selectiveRepeat, ...changes } })

/** Smallest and largest valid value. */
const RANGES: readonly (readonly [keyof ConnectionValues, number, number])[] = [
  ['remoteQp', 0, 16_777_215],
  ['mtuBytes', 1, 65_535],
  ['sendPsn', 0, 16_777_215],
  ['receivePsn', 0, 16_777_215],
  ['readsOut', 0, 255],
  ['readsIn', 0, 255],
  ['rnrTimerCode', 0, 31],
  ['capPackets', 1, 8_388_608],
  ['lsnWindowBytes', 1, 2_147_483_647],
]

test.each(RANGES)('%s is a whole number from %d to %d', (name, least, most) => {
  for (const value of [least, most]) expect(said({ [name]: value })).toEqual([])
  for (const value of [least - 1, most + 1, least + 0.5, NaN]) {
    expect(said({ [name]: value })).toEqual([`${name}: a whole number, from ${least} to ${most}; ${value}`])
  }
})

test.each([
  ['retryLimit', 0],
  ['rnrRetryLimit', 0],
  ['ackInterval', 1],
  ['initialCredits', 0],
] as const)('%s is a whole number, %d or more', (name, least) => {
  for (const value of [least, 2 ** 53 - 1]) expect(said({ [name]: value })).toEqual([])
  for (const value of [least - 1, least + 0.5, Infinity]) {
    expect(said({ [name]: value })).toEqual([`${name}: a whole number, ${least} or more; ${value}`])
  }
})

test('without limits it retries forever, and without a timeout it waits forever', () => {
  const without = { retryLimit: null, rnrRetryLimit: null, ackTimeoutPs: null, lsnWindowBytes: null }
  expect(said(without)).toEqual([])
  expect(said({ ackTimeoutPs: 1 })).toEqual([])
  for (const ackTimeoutPs of [0, -1, Infinity, NaN]) {
    expect(said({ ackTimeoutPs })).toEqual([`ackTimeoutPs: a time above 0, ps; ${ackTimeoutPs} (null: no timeouts)`])
  }
})

test('a string in place of a number is quoted; mode and flags name their values', () => {
  expect(said({ mode: 'iwarp', readsIn: '16', hasCredits: 'yes' })).toEqual([
    'mode: irn or roce; "iwarp"',
    'readsIn: a whole number, from 0 to 255; "16"',
    'hasCredits: true or false; "yes"',
  ])
})

test('the values of selectiveRepeat are checked in IRN mode only', () => {
  expect(said(irn({}))).toEqual([])
  const wrong = {
    capPackets: 0,
    bitmapBits: 0,
    rtoLowPackets: -1,
    nackThreshold: 0,
    rtoLowPs: 0,
    rtoHighPs: 0,
    fetchDelayPs: -1,
  }
  expect(said({ ...irn(wrong), mode: 'roce' })).toEqual([])
  expect(said(irn(wrong))).toEqual([
    'selectiveRepeat.rtoLowPs: a time above 0, ps; 0',
    'selectiveRepeat.rtoHighPs: a time above 0, ps; 0',
    'selectiveRepeat.fetchDelayPs: a time from 0 on, ps; -1',
    'selectiveRepeat.bitmapBits: a whole number, from 1 to 8388608; 0',
    'selectiveRepeat.capPackets: a whole number, from 1 to 8388608; 0',
    'selectiveRepeat.rtoLowPackets: a whole number, 0 or more; -1',
    'selectiveRepeat.nackThreshold: a whole number, 1 or more; 0',
  ])
  for (const none of [null, undefined, 7]) {
    expect(said({ mode: 'irn', selectiveRepeat: none })).toEqual([
      `selectiveRepeat: its values, as IRN needs them; ${none}`,
    ])
  }
})

test('IRN values that contradict each other are reported', () => {
  expect(said(irn({ capPackets: 128, bitmapBits: 128, rtoLowPs: 320e6 }))).toEqual([])
  expect(said(irn({ capPackets: 129 }))).toEqual(['selectiveRepeat.capPackets: at most bitmapBits, 128; 129'])
  expect(said(irn({ rtoLowPs: 320e6 + 1 }))).toEqual([
    'selectiveRepeat.rtoLowPs: at most rtoHighPs, 320000000; 320000001',
  ])
  // Without timeouts their lengths do not matter.
  expect(said(irn({ rtoLowPs: null, rtoHighPs: 0 }))).toEqual([])
  expect(said({ ...irn({}), lsnWindowBytes: 10_000 })).toEqual([
    'lsnWindowBytes: null, as IRN has no byte sequence numbers; 10000 (or mode roce)',
  ])
})

test('all mistakes are thrown at once, and valid values pass', () => {
  expect(() => expectConnectionValues(GOOD)).not.toThrow()
  expect(() => expectConnectionValues({ ...GOOD, mtuBytes: 0, readsOut: 256 })).toThrow(
    'mtuBytes: expected a whole number, from 1 to 65535, received 0\n' +
      'readsOut: expected a whole number, from 0 to 255, received 256',
  )
})
