/**
 * Findings in small captures: each fault is planted in a clean exchange and found, with its PSN; the clean exchange has none.
 * Hostile captures never break the decoder.
 */
import { describe, expect, test } from 'vitest'
import { CAPTURE } from '../../core/findings/kinds/captures/index.ts'
import { begun, MS, PLANTED, response, script } from './planted.test-data.ts'
import { Script } from './script.test-data.ts'

describe('a fault', () => {
  test.each(PLANTED)('%s', (_name, planted, found) => {
    const options = found.includes('connections-unlisted') ? { listedMax: 2 } : {}
    expect(planted.story({}, options).toSorted()).toEqual(found.toSorted())
  })

  test('of the file itself', () => {
    const damage = { atByte: 7, what: 'a record that is cut off' }
    expect(begun().story({ damage, lostByCapture: 3 }).toSorted()).toEqual(['file-damaged', 'frames-lost'])
  })

  test('is planted for every kind, but for those of connection managers and of the file', () => {
    const planted = new Set(PLANTED.flatMap(([, , found]) => found.map((one) => `capture-${one.split(' ')[0]}`)))
    const rest = CAPTURE.map(({ id }) => id).filter((id) => !planted.has(id))
    expect(rest.toSorted()).toEqual([
      'capture-cm-ready-lost',
      'capture-cm-rejected',
      'capture-cm-repeated',
      'capture-cm-unanswered',
      'capture-file-damaged',
      'capture-findings-unlisted',
      'capture-frames-lost',
    ])
  })
})

test('responses that lack in two places are said at both', () => {
  const reads = begun().read(4, 256).read(5, 256).read(6, 256).read(7, 256).read(8, 256)
  const [missing] = response(response(response(reads, 4), 6), 8).decoded().findings
  expect(missing).toMatchObject({ id: 'capture-responses-missing', values: { packets: 2 } })
  expect(missing!.values['sights']).toMatchObject([{ psn: '000005' }, { psn: '000007' }])
})

test('FLUSH and ATOMIC WRITE are known by name, have a PSN, and are answered by READ responses', () => {
  const later = response(begun().request(0x1c, 4, {}, { bytes: 0 }), 4, 16, 0)
    .write(5)
    .ack(5, 5)
  expect(later.story()).toEqual(['opcode-unknown 4'])
})

describe('a cause', () => {
  const causesOf = (one: Script) => one.decoded().findings.filter(({ id }) => id.startsWith('capture-retransmission'))

  test('of a READ below a refusal is that its response lacks, and of its next repeat the timer', () => {
    const refused = begun().read(4, 256).read(5, 256).ack(5, 3, 0x62).read(4, 256)
    expect(causesOf(refused).map(({ id }) => id)).toEqual(['capture-retransmission-response'])
    const silent = refused
      .wait(1_050 * MS)
      .read(4, 256)
      .wait(1_050 * MS)
      .read(4, 256)
    expect(causesOf(silent)).toMatchObject([
      { id: 'capture-retransmission-response', values: { count: 1 } },
      { id: 'capture-retransmission-timeout', values: { count: 2 } },
    ])
  })

  test('of two that fit is the one that asked: RNR before NAK 60, and a NAK 60 before a timeout, which is named', () => {
    const refused = begun().request(4, 4).request(4, 5).ack(4, 3, 0x2c).ack(4, 3, 0x60).wait(MS).request(4, 4)
    expect(causesOf(refused).map(({ id }) => id)).toEqual(['capture-retransmission-rnr'])
    const late = begun()
      .write(4)
      .write(5)
      .ack(4, 3, 0x60)
      .wait(67 * MS)
      .write(4)
      .write(5)
    const [nak] = causesOf(late)
    expect([nak!.id, nak!.values['timeoutCode'], nak!.values['packets']]).toEqual(['capture-retransmission-nak', 14, 2])
    const [prompt] = causesOf(begun().write(4).write(5).ack(4, 3, 0x60).write(4).write(5))
    expect(prompt!.values['timeoutCode']).toBeNull()
  })

  test('of packets behind one that was lost twice is the NAK for that one, and they did not come late', () => {
    const twice = begun().write(4).write(7).write(8).ack(5, 4, 0x60).write(6).write(8).write(9)
    expect(twice.story().toSorted()).toEqual(['loss-before 6', 'retransmission-nak 6'])
  })
})

describe('pauses', () => {
  const pausedIn = (one: Script, rateBps?: number) =>
    one.decoded(rateBps === undefined ? {} : { rateBps }).findings.find(({ id }) => id.startsWith('capture-pause'))!

  test('expire after their quanta where the rate is known', () => {
    // 1000 quanta of 512 bits at 1 Gb/s are 512 us; the last one reaches beyond the file.
    const expired = pausedIn(begun().pause(1000).wait(MS).pause(500).wait(MS).write(4), 1e9)
    expect(expired.id).toBe('capture-pauses')
    expect(expired.values).toMatchObject({ count: 2, expired: 2, isRateKnown: true, pausedPs: 768e6, longestPs: 512e6 })
    const unknown = pausedIn(begun().pause(1000).wait(MS).write(4))
    expect([unknown.id, unknown.values['isRateKnown'], unknown.values['isOpen']]).toEqual([
      'capture-pauses',
      false,
      true,
    ])
    // A capture that ends within the quanta has no end of the pause.
    const within = pausedIn(begun().pause(1000).write(4), 1e9)
    expect(within).toMatchObject({ id: 'capture-pauses', values: { isOpen: true, pausedPs: 10e6, expired: 0 } })
    expect(pausedIn(begun().pause(1000).pause(1000).write(4), 1e9).id).toBe('capture-pause-not-ended')
  })

  test('that are renewed are one, and the same frame at the other end of a link counts once', () => {
    const renewed = pausedIn(begun().pause(1000).pause(1000).pause(0), 1e9)
    expect(renewed.values).toMatchObject({ count: 2, resumes: 1, expired: 0, pausedPs: 20e6 })
    const both = begun().pause(100).at(1).copy().at(0).wait(MS).pause(0).at(1).copy().decoded()
    expect(both.findings.find(({ id }) => id === 'capture-pauses')!.values).toMatchObject({ count: 1, resumes: 1 })
    expect([both.counts.copies, both.counts.macControl]).toEqual([2, 2])
  })
})

test('that the file is not whole comes before the gravest finding', () => {
  const damage = { atByte: 7, what: 'a record that is cut off' }
  const [first, second] = begun().write(4).ack(4, 3, 0x62).story({ damage })
  expect([first, second]).toEqual(['file-damaged', 'nak-remote-access 4'])
})

describe('figures', () => {
  test('a timeout has the code that fits, a NAK of refused memory its request', () => {
    const [timeout] = begun()
      .write(4)
      .wait(67 * MS)
      .write(4)
      .ack(4, 4)
      .decoded().findings
    expect(timeout!.values).toMatchObject({ timeoutCode: 14, packets: 1, count: 1, frame: 8, psn: '000004' })
    const [refused] = begun().write(4).ack(4, 3, 0x62).write(5).decoded().findings
    expect(refused!.values).toMatchObject({
      request: 'RDMA WRITE Only',
      address: '0x1000',
      key: '0x7',
      lengthBytes: 256,
      usedFrom: '0x1000',
      packetsAfter: 1,
    })
  })

  test('most open counts from the first packet on, and is 0 without any answer', () => {
    const openOf = (one: Script) => one.decoded().connections[0]!.directions[0]!.outstandingMax
    const burst = (): Script => [1, 2, 3, 4, 5].reduce((one, psn) => one.write(psn), script())
    expect([openOf(burst().ack(2, 2).ack(5, 5)), openOf(burst())]).toEqual([5, 0])
  })

  test('a rate is that between the first packet and the last, which does not count', () => {
    const [one] = script().write(1).write(2).write(3).ack(3, 3).decoded().connections
    expect(one!.directions.map(({ goodputBps }) => goodputBps)).toEqual([(2 * 256 * 8e12) / 20e6, null])
  })

  test('an endless rnr_retry is known by the number of RNR NAKs, with the messages that were received', () => {
    const refused = begun()
    for (let i = 0; i < 12; i++) refused.request(4, 4).ack(4, 3, 0x2c).wait(MS)
    const { findings } = refused.decoded()
    const [last] = findings
    expect([last!.id, last!.values['attempts'], last!.values['received']]).toEqual(['capture-rnr-last', 12, 3])
    expect(last!.kind.advice!(last!.values, {})).not.toContain('rnr_retry')
    expect(findings.some(({ id }) => id === 'capture-retransmission-timeout')).toBe(false)
  })

  test('round trips leave out what was sent twice', () => {
    const [one] = begun()
      .write(4)
      .wait(67 * MS)
      .write(4)
      .ack(4, 4)
      .decoded().connections
    expect(one!.directions[0]!.roundTrips).toMatchObject({ count: 3, minPs: 10e6, maxPs: 10e6 })
  })

  test('PSNs wrap', () => {
    const wrapping = script().write(0xfffffe).ack(0xfffffe, 1).write(0xffffff).write(0).ack(0, 3)
    expect([wrapping.story(), wrapping.decoded().connections[0]!.directions[0]!.requestsAgain]).toEqual([[], 0])
  })

  test('directions are joined by a guess where PSNs fit, and not where two requesters fit', () => {
    const [one] = begun().decoded().connections
    expect([one!.joinedBy, one!.directions.length]).toEqual(['psns', 2])
    const unclear = script().write(1, { qp: 20 }).write(1, { qp: 21 }).ack(1).decoded().connections
    expect(unclear.map(({ joinedBy }) => joinedBy)).toEqual([null, null, null])
  })
})
