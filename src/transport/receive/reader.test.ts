/** What a reader asks for and how long it waits. Responses have 1,000 bytes; it waits 100 ns at first and 300 at most unless told. */
import { describe, expect, test } from 'vitest'
import { NS } from '../../base/params.ts'
import { Reader } from './reader.ts'
import { longestReadWaitPs } from '../recovery/recovery.ts'
import { ACK_TIMER, Timers } from '../timers.ts'

const TIMEOUT = { firstPs: 100 * NS, mostPs: 300 * NS }

function readerOf(retryLimit: number | null = null, readTimeout: typeof TIMEOUT | null = TIMEOUT) {
  const timers = new Timers({ draw: () => 1 })
  return { timers, reader: new Reader({ timers, payloadBytes: 1000, readTimeout, retryLimit }) }
}

test('asks in the order of its wants, for as many packets as they fill; for no bytes one', () => {
  const { reader } = readerOf()
  for (const bytes of [2500, 0, 1000]) reader.post(bytes)
  const asked = [0, 1, 2].map(() => [reader.takeRequest(0, 0), reader.end, reader.hasRequests])
  expect(asked).toEqual([
    [2500, 3, true],
    [0, 4, true],
    [1000, 5, false],
  ])
})

test('the READ that came first is the one to ask for again, until it is whole', () => {
  const { reader } = readerOf()
  reader.post(2500)
  reader.post(700)
  expect(reader.firstBytes).toBe(0)
  reader.takeRequest(0, 0)
  reader.takeRequest(0, 0)
  expect(reader.firstBytes).toBe(2500)
  reader.onWhole(1)
  expect(reader.firstBytes).toBe(700)
})

describe('the wait', () => {
  test('begins with the request and ends with the last response', () => {
    const { reader, timers } = readerOf()
    reader.post(2000)
    reader.takeRequest(50 * NS, 0)
    expect(timers.deadlineOf(ACK_TIMER)).toBe(150 * NS)
    reader.onProgress(80 * NS, 1)
    expect(timers.deadlineOf(ACK_TIMER)).toBe(180 * NS)
    reader.onProgress(90 * NS, 2)
    expect(timers.isSet(ACK_TIMER)).toBe(false)
  })

  test('is as long as a slow responder took, and the first wait more', () => {
    const { reader, timers } = readerOf()
    reader.post(2000)
    reader.takeRequest(0, 0)
    reader.onProgress(1000 * NS, 1)
    expect(timers.deadlineOf(ACK_TIMER)).toBe(2100 * NS)
  })

  test('is counted from the last response, not from a request that joins those under way', () => {
    const { reader, timers } = readerOf()
    reader.post(1000)
    reader.post(2000)
    reader.takeRequest(0, 0)
    reader.takeRequest(500 * NS, 0)
    reader.onProgress(600 * NS, 1)
    expect(timers.deadlineOf(ACK_TIMER)).toBe(1300 * NS)
  })

  test('doubles with each timeout in a row, up to its longest', () => {
    const { reader, timers } = readerOf()
    reader.post(1000)
    reader.takeRequest(0, 0)
    const waits = Array.from({ length: 12 }, () => {
      expect(reader.mayRetry()).toBe(true)
      reader.arm(0, 0)
      return timers.deadlineOf(ACK_TIMER)
    })
    expect(waits.slice(0, 3)).toEqual([200 * NS, 400 * NS, 800 * NS])
    expect(waits.at(-1)).toBe(longestReadWaitPs(TIMEOUT))
  })

  test('never ends without a timeout', () => {
    const { reader, timers } = readerOf(null, null)
    reader.post(1000)
    reader.takeRequest(0, 0)
    reader.onProgress(10 * NS, 0)
    expect(timers.isSet(ACK_TIMER)).toBe(false)
  })
})

describe('giving up', () => {
  test('comes at the timeout behind so many in a row', () => {
    const { reader } = readerOf(2)
    expect([1, 2, 3].map(() => reader.mayRetry())).toEqual([true, true, false])
  })

  test('is put off by any response', () => {
    const { reader } = readerOf(2)
    const answers = [reader.mayRetry(), reader.mayRetry()]
    reader.onResponse()
    answers.push(reader.mayRetry(), reader.mayRetry(), reader.mayRetry())
    expect(answers).toEqual([true, true, true, true, false])
  })

  test('never comes without a limit', () => {
    const { reader } = readerOf(null)
    for (let i = 0; i < 1000; i++) expect(reader.mayRetry()).toBe(true)
  })
})
