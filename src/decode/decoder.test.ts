/**
 * Findings in small captures: each fault is planted in a clean exchange and found, with its PSN; the clean exchange has none.
 * Hostile captures never break the decoder.
 */
import { describe, expect, test } from 'vitest'
import { fc } from '../../tests/support/properties.ts'
import { InputError } from '../base/issue.ts'
import { CAPTURE } from '../findings/kinds/captures/index.ts'
import { CaptureReader } from '../wire/index.ts'
import { Decoder } from './decoder.ts'
import { limitsOf } from './limits.ts'
import { Script } from './script.test-data.ts'

const MS = 1e9
const script = (): Script => new Script()
/** PSNs 1 to 3, answered. */
const begun = (): Script => script().write(1).ack(1, 1).write(2).ack(2, 2).write(3).ack(3, 3)
const aeth = { aeth: { syndrome: 0x1f, msn: 4 } }
const response = (one: Script, psn: number, opcode = 16, bytes = 256): Script =>
  one.answer(opcode, psn, opcode === 14 ? {} : aeth, { bytes })

/** Events, and what is found. */
const PLANTED: readonly (readonly [string, Script, readonly string[]])[] = [
  ['a clean exchange', begun().read(4, 256), []],
  [
    'a packet lost behind this point, NAK',
    begun().write(4).write(5).ack(4, 3, 0x60).write(4).write(5).ack(5, 5),
    ['loss-after 4', 'retransmission-nak 4'],
  ],
  [
    'a packet lost before this point, NAK',
    begun().write(5).ack(4, 3, 0x60).write(4).write(5).ack(5, 5),
    ['loss-before 4', 'retransmission-nak 4'],
  ],
  ['a packet out of order', begun().write(5).write(4).write(6).ack(6, 6), ['reordered 4']],
  [
    'a timeout',
    begun()
      .write(4)
      .wait(67 * MS)
      .write(4)
      .ack(4, 4),
    ['retransmission-timeout 4'],
  ],
  [
    'an answer lost behind this point',
    begun()
      .write(4)
      .ack(4, 4)
      .wait(67 * MS)
      .write(4)
      .ack(4, 4),
    ['retransmission-answered 4'],
  ],
  ['the same packet twice', begun().write(4).copy().ack(4, 4), ['duplicated 4']],
  ['packets that the capture missed', begun().write(7).ack(7, 7), ['packets-missing 4']],
  [
    'a partner that is dead',
    begun()
      .write(4)
      .wait(67 * MS)
      .write(4)
      .wait(67 * MS)
      .write(4),
    ['peer-silent 4', 'retransmission-timeout 4'],
  ],
  [
    'a stall',
    begun()
      .write(4)
      .wait(40 * MS)
      .ack(4, 4),
    ['stall 4'],
  ],
  [
    'a receiver without receives',
    begun().request(4, 4).ack(4, 3, 0x2c).wait(MS).request(4, 4).ack(4, 4),
    ['rnr 4', 'retransmission-rnr 4'],
  ],
  [
    'a receiver without receives, given up',
    begun().request(4, 4).ack(4, 3, 0x2c).wait(MS).request(4, 4).ack(4, 3, 0x2c),
    ['rnr-last 4', 'rnr 4', 'retransmission-rnr 4'],
  ],
  ['a request that contradicts itself', begun().write(4).ack(4, 3, 0x61), ['nak-invalid-request 4']],
  ['a key that is not known', begun().write(4).ack(4, 3, 0x62), ['nak-remote-access 4']],
  ['an operation that fails', begun().request(4, 4).ack(4, 3, 0x63), ['nak-remote-operation 4']],
  ['a syndrome that does not exist', begun().write(4).ack(4, 3, 0x45), ['syndrome-reserved 4']],
  [
    'a READ again',
    response(
      begun()
        .read(4, 256)
        .wait(67 * MS)
        .read(4, 256),
      4,
    ),
    ['retransmission-timeout 4', 'read-repeated 4'],
  ],
  [
    'READ responses that lack',
    response(
      response(
        begun()
          .request(6, 4, { reth: { address: 0n, key: 7, lengthBytes: 2048 } })
          .request(8, 5)
          .ack(5, 4)
          .read(6, 4096),
        6,
        13,
        1024,
      ),
      9,
      15,
      1024,
    ),
    ['responses-missing 7'],
  ],
  [
    'a READ response that nobody asked for',
    response(response(begun().read(4, 256), 4).write(5), 5),
    ['response-outside-read 5'],
  ],
  [
    'an atomic operation carried out twice',
    begun()
      .atomic(4)
      .answer(18, 4, { ...aeth, original: 1n })
      .wait(67 * MS)
      .atomic(4)
      .answer(18, 4, { ...aeth, original: 2n }),
    ['atomic-answered-twice 4', 'retransmission-answered 4', 'atomic-repeated 4'],
  ],
  [
    'an atomic operation answered again',
    begun()
      .atomic(4)
      .answer(18, 4, { ...aeth, original: 1n })
      .answer(18, 4, { ...aeth, original: 1n }),
    ['atomic-answered-again 4'],
  ],
  ['an atomic operation beside its 8 bytes', begun().atomic(4, 4097n), ['length-wrong 4']],
  ['a MIDDLE without FIRST', begun().request(7, 4).ack(4, 3), ['opcode-order 4']],
  [
    'a length other than that of the RETH',
    begun()
      .request(6, 4, { reth: { address: 0n, key: 7, lengthBytes: 4000 } })
      .request(8, 5)
      .ack(5, 4),
    ['length-wrong 5'],
  ],
  ['an opcode that does not exist', begun().request(31, 4), ['opcode-unknown 4']],
  ['an MSN that goes back', begun().write(4).ack(4, 2), ['msn-back 4']],
  ['an ACK of what was not sent', begun().ack(9, 3).wait(MS).write(4), ['ack-unsent 9']],
  ['a wrong ICRC', begun().write(4, { isDamaged: true }).write(5), ['icrc-wrong 4']],
  [
    'wrong ICRCs everywhere',
    [1, 2, 3, 4].reduce((one, psn) => one.write(psn, { isDamaged: true }), script()),
    ['icrc-all-wrong 1'],
  ],
  ['marks without CNP', begun().write(4, { ecn: 3 }).ack(4, 4), ['ce-without-cnp', 'ce']],
  ['CNPs without marks', begun().cnp(), ['cnp', 'cnp-without-ce']],
  ['marks and CNPs', begun().write(4, { ecn: 3 }).cnp().ack(4, 4), ['ce', 'cnp']],
  ['pauses', begun().pause(100).wait(MS).pause(0), ['pauses']],
  ['a pause without an end', begun().pause(100), ['pause-not-ended']],
  ['a gap in an unreliable connection', script().request(0x24, 1).request(0x24, 4), ['unreliable-gap 2']],
  ['two interfaces', begun().at(1).copy(), ['copies-joined']],
  ['DSCP 0', script().write(1, { dscp: 0 }), ['dscp-zero']],
  ['more connections than are listed', begun().write(1, { qp: 40 }).write(1, { qp: 41 }), ['connections-unlisted']],
  ['no ECN', script().write(1, { ecn: 0 }), ['not-ect']],
  ['another class for answers', script().write(1).answer(17, 1, aeth, { dscp: 0 }), ['classes-differ']],
  ['one source port', [21, 22, 23, 24].reduce((one, qp) => one.write(1, { qp }), script()), ['source-port-constant']],
  [
    'a small MTU on a link with long frames',
    begun().request(0, 4).request(2, 5).ack(5, 4).request(4, 1, {}, { qp: 40, bytes: 4096 }),
    ['mtu-small'],
  ],
]

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

describe('a cause', () => {
  const causesOf = (one: Script) => one.decoded().findings.filter(({ id }) => id.startsWith('capture-retransmission'))

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
    expect([unknown.id, unknown.values['isRateKnown']]).toEqual(['capture-pause-not-ended', false])
    expect(pausedIn(begun().pause(1000).write(4), 1e9).id).toBe('capture-pause-not-ended')
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

test('of many connections those idle for longest are closed and stay listed', () => {
  const many = script()
  for (let qp = 100; qp < 160; qp++) many.write(1, { qp, sourcePort: qp })
  expect(many.decoded({ directionsMax: 10 }).connections).toHaveLength(60)
})

test('connections with most bytes are listed, whenever they were closed; the others are counted', () => {
  const many = script()
  for (let qp = 100; qp < 140; qp++) many.write(1, { qp, bytes: qp === 120 ? 1024 : 256 })
  const { connections, connectionsUnlisted } = many.decoded({ directionsMax: 10, listedMax: 3 })
  expect(connections.map(({ directions }) => directions[0]!.destinationQp)).toEqual([120, 100, 101])
  expect(connectionsUnlisted).toBe(37)
})

test('the gravest findings are listed, and those left out are counted by kind', () => {
  const many = script()
  for (let qp = 100; qp < 130; qp++)
    many
      .request(31, 1, {}, { qp })
      .request(31, 2, {}, { qp })
      .request(10, 3, { reth: { address: 4096n, key: 7, lengthBytes: 8 } }, { qp })
  const { findings } = many.decoded({ findingsMax: 40 })
  const countOf = (id: string): number => findings.filter((one) => one.id === `capture-${id}`).length
  expect([countOf('length-wrong'), countOf('opcode-unknown')]).toEqual([30, 10])
  const [more] = findings.filter(({ id }) => id === 'capture-findings-unlisted')
  expect(more!.values).toEqual({
    findings: 20,
    kinds: [{ id: 'capture-opcode-unknown', findings: 20, times: 40 }],
  })
})

test('memory of many directions is a share of a fixed amount', () => {
  expect(limitsOf(1)).toEqual({ intervals: 256, requests: 256, sights: 8 })
  const all = limitsOf(100_000)
  expect(all.intervals * 100_000).toBeLessThan(2 ** 20)
  expect(all.requests * 100_000).toBeLessThan(2 ** 21)
  expect(all.sights).toBe(1)
})

test('damaged captures never break the decoder', () => {
  const damaged = begun().pause(9).read(4, 4096).cnp().atomic(9).ack(9, 2, 0x60).write(7).ack(9, 1, 0x25)
  const file = damaged.file()
  expect(damaged.records).toHaveLength(13)
  const change = fc.tuple(fc.nat(file.length - 1), fc.nat(255))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), fc.nat(file.length), (changes, cut) => {
      const bytes = file.slice(0, cut % 4 === 0 ? cut : file.length)
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
      const decoder = new Decoder()
      const reader = new CaptureReader((record) => decoder.add(record))
      try {
        reader.push(bytes)
        for (const { kind, values, subject } of decoder.end(reader.end()).findings) kind.text(values, subject)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
      }
    }),
    { numRuns: Math.round(10_000 * Number(process.env['ROCELAB_BUDGET'] ?? 1)) },
  )
})
