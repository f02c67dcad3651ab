/** Small captures, each with a fault that is planted in a clean exchange, and the findings that it has to have. */
import { Script } from './script.test-data.ts'

export const MS = 1e9
export const script = (): Script => new Script()
/** PSNs 1 to 3, answered. */
export const begun = (): Script => script().write(1).ack(1, 1).write(2).ack(2, 2).write(3).ack(3, 3)
const aeth = { aeth: { syndrome: 0x1f, msn: 4 } }
export const response = (one: Script, psn: number, opcode = 16, bytes = 256): Script =>
  one.answer(opcode, psn, opcode === 14 ? {} : aeth, { bytes })

const original = (one: Script, psn: number): Script => one.answer(18, psn, { ...aeth, original: BigInt(psn) })

/** Events, and what is found. */
export const PLANTED: readonly (readonly [string, Script, readonly string[]])[] = [
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
  [
    'a timer that ran out too early',
    begun()
      .write(4)
      .wait(4 * MS)
      .write(4)
      .ack(4, 4)
      .ack(4, 4),
    ['retransmission-spurious 4'],
  ],
  [
    'an answer that was in flight when the timer ran out',
    begun()
      .write(4)
      .wait(4 * MS)
      .ack(4, 4)
      .write(4)
      .ack(4, 4),
    ['stall 4', 'retransmission-spurious 4'],
  ],
  [
    'requests alone, sent again',
    script().write(1).write(2).write(1).write(2).write(3),
    ['retransmission-unexplained 1'],
  ],
  ['requests alone, one late', script().write(1).write(3).write(2).write(4), ['late 2']],
  ['answers alone, NAK 60', script().ack(1, 1).ack(2, 1, 0x60).ack(2, 1, 0x60), ['missed 2']],
  ['answers alone, NAK 62', script().ack(1, 1).ack(2, 1, 0x62), ['nak-remote-access 2']],
  ['answers alone, RNR NAKs', script().ack(1, 1).ack(2, 1, 0x2c).ack(2, 1, 0x2c), ['rnr 2']],
  [
    'a SEND with a PSN of a READ',
    response(begun().request(0, 4).request(2, 5).ack(5, 4).read(6, 2048), 6, 13, 1024).request(4, 7),
    ['psn-reused 7'],
  ],
  [
    'two copies of each packet, some behind later ones',
    script().write(1).write(2).write(3).write(4).copyOf(4).copyOf(4).copyOf(4).copyOf(4).ack(4, 4).copy(),
    ['mirrored 1', 'mirrored 4'],
  ],
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
    'requests alone, the last of them three times, after another that was answered',
    new Script()
      .write(1)
      .wait(67 * MS)
      .write(1)
      .write(2)
      .wait(67 * MS)
      .write(2)
      .wait(67 * MS)
      .write(2),
    ['retransmission-unexplained 1'],
  ],
  [
    'a READ response lost behind this point, asked for at a later one',
    response(response(response(response(begun().read(4, 256).read(5, 256), 4), 5).read(4, 256), 4), 5),
    ['retransmission-response 4', 'read-repeated 4'],
  ],
  [
    'the answer to an atomic operation lost before this point, asked for at a later one',
    original(original(original(begun().atomic(4).atomic(5), 5).atomic(4), 4), 5),
    ['retransmission-response 4', 'responses-missing 4', 'atomic-repeated 4', 'atomic-answered-again 5'],
  ],
  [
    'an RNR NAK for the second packet of a message, which is sent again from the first',
    begun().request(0, 4).request(2, 5).ack(5, 3, 0x2c).wait(MS).request(0, 4).request(2, 5).ack(5, 4),
    ['retransmission-rnr 4', 'rnr 5'],
  ],
  ['READ responses out of order', response(response(begun().read(4, 256).read(5, 256).read(6, 256), 5), 4), []],
  [
    'a READ lost before this point, where the MTU is not known',
    begun().read(4, 512).read(8, 512).read(10, 512).ack(6, 4, 0x60).read(6, 512).read(8, 512),
    ['retransmission-nak 6', 'loss-before 6', 'read-repeated 8'],
  ],
  [
    'a NAK before any other answer, for a packet that did not pass',
    new Script().write(1).write(3).ack(2, 1, 0x60).write(2).write(3).ack(3, 3),
    ['retransmission-nak 2', 'loss-before 2'],
  ],
  [
    'a timer among packets that are sent again',
    begun()
      .write(4)
      .write(5)
      .write(6)
      .ack(5, 4, 0x60)
      .write(5)
      .ack(5, 5)
      .wait(67 * MS)
      .write(6)
      .ack(6, 6),
    ['retransmission-timeout 6', 'retransmission-nak 5', 'loss-after 5'],
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
  ['a pause that is renewed to the end', begun().pause(100).pause(100), ['pause-not-ended']],
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
