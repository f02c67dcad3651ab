/** Scripts as stories: which frames of a conversation arrive, in what form and order. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { readFrame } from '../../core/wire/index.ts'
import { ackOf, frameOf, QP, sendOf } from './frames.test-data.ts'
import { type FaultEvent, FaultLine } from './fault-line.ts'
import { DIRECTIONS, type Direction } from './line.ts'
import { readFaultScript } from './read-script.ts'
import { see, type Seen } from './seen.ts'

const MS = 1e9

/** A line with its clock, and what arrived. */
class Stage {
  readonly events: FaultEvent[] = []
  readonly arrived: { readonly direction: Direction; readonly frame: Uint8Array; readonly atPs: number }[] = []
  readonly line: FaultLine
  nowPs = 0

  constructor(script: string) {
    const empty = { seed: 1, rules: [], peer: undefined }
    this.line = new FaultLine(script === '' ? empty : readFaultScript(script, 'script'), (event) =>
      this.events.push(event),
    )
  }

  send(direction: Direction, ...frames: readonly Uint8Array[]): void {
    for (const frame of frames) {
      this.line.onFrame(this.nowPs, direction, frame)
      this.#poll()
    }
  }

  /** Lets time pass, from one instant at which something is due to the next. */
  wait(durationPs: number): void {
    const endPs = this.nowPs + durationPs
    while (this.line.nextPs <= endPs) {
      this.nowPs = Math.max(this.nowPs, this.line.nextPs)
      this.#poll()
    }
    this.nowPs = endPs
  }

  seen(direction: Direction): Seen[] {
    return this.arrived.filter((each) => each.direction === direction).map(({ frame }) => see(frame)!)
  }

  psns(direction: Direction = 'out'): number[] {
    return this.seen(direction).map(({ bth }) => bth.psn)
  }

  #poll(): void {
    for (const direction of DIRECTIONS)
      for (let frame = this.line.pollFrame(this.nowPs, direction); frame !== null;) {
        this.arrived.push({ direction, frame, atPs: this.nowPs })
        frame = this.line.pollFrame(this.nowPs, direction)
      }
  }
}

const sends = (count: number, first = 1): Uint8Array[] => Array.from({ length: count }, (_, i) => sendOf(first + i))
const isRight = (frame: Uint8Array): boolean => {
  const read = readFrame(frame)
  return read?.kind === 'roce' && read.isIcrcRight
}

/** Ten packets of data through a script: the PSNs that arrive. */
function psnsAfter(script: string): number[] {
  const stage = new Stage(script)
  stage.send('out', ...sends(10))
  stage.wait(1000 * MS)
  return stage.psns()
}

describe('which frames a rule chooses', () => {
  test.each([
    ['nth: 3', [1, 2, 4, 5, 6, 7, 8, 9, 10]],
    ['every: 3', [1, 2, 4, 5, 7, 8, 10]],
    ['from: 3, to: 9', [1, 2, 10]],
    ['after: 4', [1, 2, 3, 4]],
    ['every: 2, times: 2', [1, 3, 5, 6, 7, 8, 9, 10]],
    ['psn: 7', [1, 2, 3, 4, 5, 6, 8, 9, 10]],
    ['qp: 19', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['direction: in', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['opcode: 4', []],
    ['chance: 1', []],
  ])('%s', (choice, left) => {
    expect(psnsAfter(`- {match: data, ${choice}, do: drop}`)).toEqual(left)
  })

  test('the first that chooses a frame acts; each counts by itself', () => {
    const stage = new Stage(
      '- {match: data, nth: 3, do: drop}\n- {match: any, nth: 4, do: duplicate}\n- {match: nak, do: drop}',
    )
    stage.send('out', ...sends(4))
    expect(stage.psns()).toEqual([1, 2, 4, 4])
    expect(stage.line.counts).toEqual([
      { fitted: 4, acted: 1 },
      { fitted: 4, acted: 1 },
      { fitted: 0, acted: 0 },
    ])
  })

  test('kinds by opcode and syndrome', () => {
    const kindOf = (frame: Uint8Array): string | undefined => [...see(frame)!.kinds].at(-1)
    const rest = new Uint8Array(28)
    const of = (opcode: number) => kindOf(frameOf('out', { opcode, psn: 1, rest }))
    expect([4, 7, 12, 13, 14, 18, 19, 20, 0x81].map(of)).toEqual([
      'data',
      'data',
      'read-request',
      'read-response',
      'read-response',
      'atomic-response',
      'atomic',
      'atomic',
      'cnp',
    ])
    expect([0x1f, 0x00, 0x2c, 0x60, 0x62].map((syndrome) => kindOf(ackOf(1, 'in', syndrome)))).toEqual([
      'ack',
      'ack',
      'rnr',
      'nak',
      'nak',
    ])
  })

  test('the ACK of the last packet of a message, and not of one in its middle', () => {
    const stage = new Stage('- {match: ack, last: true, do: drop}')
    stage.send('out', frameOf('out', { opcode: 0, psn: 1 }), frameOf('out', { opcode: 2, psn: 2 }))
    stage.send('in', ackOf(1), ackOf(2), ackOf(3))
    expect(stage.psns('in')).toEqual([1, 3])
  })
})

describe('what becomes of a frame', () => {
  test('late, behind others, twice, and after a pause in their order', () => {
    const late = new Stage('- {match: data, nth: 1, do: {delay: 5ms}}')
    late.send('out', ...sends(2))
    late.wait(10 * MS)
    expect(late.arrived.map(({ frame, atPs }) => [see(frame)!.bth.psn, atPs])).toEqual([
      [2, 0],
      [1, 5 * MS],
    ])
    expect(psnsAfter('- {match: data, nth: 2, do: {reorder: 2}}')).toEqual([1, 3, 4, 2, 5, 6, 7, 8, 9, 10])
    expect(psnsAfter('- {match: data, nth: 10, do: reorder}')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(psnsAfter('- {match: data, nth: 9, do: {duplicate: 2}}').slice(-4)).toEqual([9, 9, 9, 10])
    const paused = new Stage('- {match: data, nth: 2, do: {pause: 300ms}}')
    paused.send('out', ...sends(3))
    paused.send('in', ackOf(1))
    expect(paused.arrived).toHaveLength(1)
    paused.wait(300 * MS)
    expect([paused.psns('out'), paused.psns('in')]).toEqual([[1, 2, 3], [1]])
    expect(paused.arrived.at(-1)!.atPs).toBe(300 * MS)
  })

  test('after a peer has vanished nothing passes, in no direction', () => {
    const stage = new Stage('- {match: data, after: 2, do: vanish}')
    stage.send('out', ...sends(4))
    stage.send('in', ackOf(2))
    stage.send('out', Uint8Array.of(1, 2, 3))
    expect([stage.psns('out'), stage.arrived.length]).toEqual([[1, 2], 2])
    expect(stage.line.counts).toEqual([{ fitted: 3, acted: 1 }])
  })

  test.each([
    ['corrupt-payload', true],
    ['corrupt-icrc', false],
    ['truncate', true],
    ['mark-ce', true],
    ['{set: {psn: 77, dscp: 9, partition: 5}}', true],
  ])('%s gives another frame whose ICRC is right: %s', (action, isIcrcRight) => {
    const stage = new Stage(`- {match: data, do: ${action}}`)
    stage.send('out', sendOf(1))
    const { frame } = stage.arrived[0]!
    expect(frame).not.toEqual(sendOf(1))
    expect(isRight(frame)).toBe(isIcrcRight)
  })

  test('the values that were asked for', () => {
    const one = (action: string, frame = sendOf(1)): Seen => {
      const stage = new Stage(`- {match: any, do: ${action}}`)
      stage.send('out', frame)
      return stage.seen('out')[0]!
    }
    expect(one('mark-ce').roce.ip.ecn).toBe(3)
    expect(one('truncate', sendOf(1, 'out', new Uint8Array(10)))).toMatchObject({
      payloadBytes: 5,
      bth: { padBytes: 3 },
    })
    expect(one('{set: {psn: 77, dscp: 9, qp: 5}}')).toMatchObject({
      bth: { psn: 77, destinationQp: 5, opcode: 4 },
      roce: { ip: { dscp: 9, ecn: 0 } },
    })
    const nak = one('{set: {syndrome: 0x62, msn: 1}}', ackOf(4, 'out'))
    expect([...nak.kinds, nak.view.getUint32(nak.aethAt)]).toEqual(['any', 'nak', 0x62000001])
  })

  test('an action fits no frame that it cannot change', () => {
    const stage = new Stage('- {match: any, nth: 1, do: corrupt-payload}\n- {match: any, do: {set: {syndrome: 0x60}}}')
    stage.send('in', ackOf(1))
    stage.send('out', sendOf(1))
    expect(stage.line.counts).toEqual([
      { fitted: 1, acted: 1 },
      { fitted: 1, acted: 1 },
    ])
  })
})

describe('answers in the name of a peer', () => {
  /** The queue pair of the sender is known by an ACK. */
  const acquainted = (script: string): Stage => {
    const stage = new Stage(script)
    stage.send('out', sendOf(1))
    stage.send('in', ackOf(1))
    return stage
  }

  test('a request is refused twice, what follows it is discarded, then it is taken', () => {
    const stage = acquainted('- {match: data, nth: 2, do: {rnr: 2, timer: 16}}')
    stage.send('out', sendOf(2), sendOf(3), sendOf(2), sendOf(3), sendOf(2), sendOf(3))
    expect(stage.psns('out')).toEqual([1, 2, 3])
    const naks = stage.seen('in').slice(1)
    expect(naks.map(({ bth, view, aethAt }) => [bth.psn, bth.destinationQp, view.getUint32(aethAt)])).toEqual([
      [2, QP.in, 0x30000009],
      [2, QP.in, 0x30000009],
    ])
    expect(stage.arrived.every(({ frame }) => isRight(frame))).toBe(true)
    expect(stage.line.counts).toEqual([{ fitted: 4, acted: 1 }])
  })

  test('after NAK 62 the queue pair is silent, and others are not', () => {
    const stage = acquainted('- {match: data, nth: 2, do: {nak: 62}}')
    stage.send('out', sendOf(2), sendOf(3), frameOf('out', { opcode: 4, psn: 9, qp: 99 }))
    stage.send('in', ackOf(3))
    expect(stage.psns('out')).toEqual([1, 9])
    expect(stage.seen('in').map(({ bth, view, aethAt }) => [bth.psn, view.getUint8(aethAt)])).toEqual([
      [1, 0x1f],
      [2, 0x62],
    ])
  })

  test('NAK 60 asks again', () => {
    const stage = acquainted('- {match: data, nth: 2, do: {nak: 60}}')
    stage.send('out', sendOf(2), sendOf(2))
    expect(stage.psns('out')).toEqual([1, 2])
    expect(stage.psns('in')).toEqual([1, 2])
  })

  test('nobody is answered whose queue pair is not known', () => {
    const stage = new Stage('- {match: data, do: {nak: 62}}')
    stage.send('out', sendOf(1))
    expect([stage.psns('out'), stage.psns('in'), stage.line.counts]).toEqual([[1], [], [{ fitted: 1, acted: 0 }]])
  })

  test('CNPs at once and at a rate', () => {
    const stage = acquainted(
      '- {match: data, nth: 2, do: {cnp: 3}}\n- {match: data, nth: 3, do: {cnp: {rate: 1000/s, for: 5ms}}}',
    )
    stage.send('out', sendOf(2))
    expect(stage.seen('in').filter(({ kinds }) => kinds.has('cnp'))).toHaveLength(3)
    stage.send('out', sendOf(3))
    stage.wait(20 * MS)
    const cnps = stage.seen('in').filter(({ kinds }) => kinds.has('cnp'))
    expect(cnps.map(({ bth }) => bth.destinationQp)).toEqual(Array.from({ length: 8 }, () => QP.in))
    expect(stage.psns('out')).toEqual([1, 2, 3])
  })

  test('a REQ is rejected: REJ goes back with its transaction, the ID of the requester, and the reason', () => {
    const datagram = new Uint8Array(8 + 256)
    const view = new DataView(datagram.buffer)
    datagram.set([1, 7, 2, 3], 8)
    view.setUint32(8 + 8, 0xabcd)
    view.setUint16(8 + 16, 0x10)
    view.setUint32(8 + 24, 0x1234)
    const request = frameOf('out', { opcode: 0x64, psn: 1, qp: 1, rest: datagram })
    const stage = new Stage('- {match: {mad: REQ}, do: {reject: 8}}')
    stage.send('out', request)
    expect(stage.seen('out')).toEqual([])
    const [answer] = stage.seen('in')
    expect(answer).toMatchObject({ mad: { kind: 'REJ', remoteId: 0x1234, reason: 8 }, bth: { destinationQp: 1 } })
    const at = 12 + 8
    expect([8, 24, 28].map((offset) => answer!.view.getUint32(at + offset))).toEqual([0xabcd, 0, 0x1234])
  })
})

const anyFrame = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  fc.integer({ min: 0, max: 99 }).map((psn) => sendOf(psn)),
  fc.integer({ min: 0, max: 99 }).map((psn) => ackOf(psn, 'out')),
)
const traffic = fc.array(fc.tuple(fc.constantFrom(...DIRECTIONS), anyFrame), { maxLength: 40 })

describe('for all traffic', () => {
  test('without rules nothing changes', () => {
    fc.assert(
      fc.property(traffic, (frames) => {
        const stage = new Stage('')
        for (const [direction, frame] of frames) stage.send(direction, frame)
        expect(stage.arrived.map(({ direction, frame }) => [direction, frame])).toEqual(frames)
        expect(stage.line.nextPs).toBe(Infinity)
      }),
    )
  })

  test('each action keeps, drops or adds as many frames as it says', () => {
    const added: readonly (readonly [string, number])[] = [
      ['drop', -1],
      ['{duplicate: 3}', 3],
      ['{delay: 5ms}', 0],
      ['{reorder: 2}', 0],
      ['corrupt-icrc', 0],
      ['corrupt-payload', 0],
      ['truncate', 0],
      ['mark-ce', 0],
      ['{set: {hopLimit: 3}}', 0],
      ['{pause: 2ms}', 0],
      ['close', 0],
    ]
    fc.assert(
      fc.property(
        traffic,
        fc.constantFrom(...added),
        fc.integer({ min: 1, max: 3 }),
        (frames, [action, each], every) => {
          const stage = new Stage(`- {match: any, every: ${every}, do: ${action}}`)
          for (const [direction, frame] of frames) stage.send(direction, frame)
          stage.wait(1000 * MS)
          expect(stage.arrived).toHaveLength(frames.length + each * stage.line.counts[0]!.acted)
        },
      ),
    )
  })

  test('the same seed gives the same faults, another one others', () => {
    const run = (seed: number): FaultEvent[] => {
      const stage = new Stage(`{seed: ${seed}, faults: [{chance: 0.3, do: drop}, {chance: 0.3, do: corrupt-payload}]}`)
      stage.send('out', ...sends(40))
      return stage.events
    }
    expect(run(5)).toEqual(run(5))
    expect(run(5)).not.toEqual(run(6))
  })
})
