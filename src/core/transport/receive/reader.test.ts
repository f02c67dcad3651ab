/**
 * A reader's requests and its response timer. Responses have 1,000 bytes; by default the first timeout is 100 ns and
 * the longest 300.
 */
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

test('requests READs in posting order, with as many response packets as they fill, at least one', () => {
  const { reader } = readerOf()
  for (const bytes of [2500, 0, 1000]) reader.post(bytes)
  const asked = [0, 1, 2].map(() => [reader.takeRequest(0, 0), reader.end, reader.hasRequests])
  expect(asked).toEqual([
    [2500, 3, true],
    [0, 4, true],
    [1000, 5, false],
  ])
})

test('the oldest READ is the one to repeat, until it is complete', () => {
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

  test('is as long as a slow responder took, plus the first timeout', () => {
    const { reader, timers } = readerOf()
    reader.post(2000)
    reader.takeRequest(0, 0)
    reader.onProgress(1000 * NS, 1)
    expect(timers.deadlineOf(ACK_TIMER)).toBe(2100 * NS)
  })

  test('is counted from the last response, not from a request added to those outstanding', () => {
    const { reader, timers } = readerOf()
    reader.post(1000)
    reader.post(2000)
    reader.takeRequest(0, 0)
    reader.takeRequest(500 * NS, 0)
    reader.onProgress(600 * NS, 1)
    expect(timers.deadlineOf(ACK_TIMER)).toBe(1300 * NS)
  })

  test('doubles with each consecutive timeout, up to its maximum', () => {
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
  test('is reached at the timeout after retryLimit consecutive ones', () => {
    const { reader } = readerOf(2)
    expect([1, 2, 3].map(() => reader.mayRetry())).toEqual([true, true, false])
  })

  test('is reset by any response', () => {
    const { reader } = readerOf(2)
    const answers = [reader.mayRetry(), reader.mayRetry()]
    reader.onResponse()
    answers.push(reader.mayRetry(), reader.mayRetry(), reader.mayRetry())
    expect(answers).toEqual([true, true, true, true, false])
  })

  test('is never reached without a limit', () => {
    const { reader } = readerOf(null)
    for (let i = 0; i < 1000; i++) expect(reader.mayRetry()).toBe(true)
  })
})
