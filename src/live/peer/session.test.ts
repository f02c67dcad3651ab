/** Programs at both ends of a pipe, quiet and with faults: all end, and every byte is where it belongs. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { drawOf, type Fate, IPV4, IPV6, Pipe } from './pipe.test-bench.ts'
import { PROGRAM_NAMES, type ProgramName, PROGRAMS } from './programs.ts'
import { offsetOf, patternAt } from './worker.ts'

const planOf = (program: ProgramName, sizeBytes: number, iterations = 20, pairs = 1) => ({
  program,
  sizeBytes: program.startsWith('ib_atomic') ? 8 : sizeBytes,
  iterations,
  pairs,
  mtuBytes: 1024,
  memoryBytes: 65_536,
  receives: 100,
})
const isRoce = (frame: Uint8Array): boolean => frame.length > 60 && (frame[23] === 17 || frame[20] === 17)

/** Memory that one end wrote into the other's, or read from it, and what was sent. */
function bytesMoved({ sessions }: Pipe, name: ProgramName, sizeBytes: number): [moved: number[], sent: number[]][] {
  const { behaviour, exchange } = PROGRAMS[name]
  if (behaviour === 'watch' || exchange === 'pingpong') return []
  return sessions[0].workers.map((client, n) => {
    const server = sessions[1].workers[n]!
    if (name.startsWith('ib_atomic')) return [[server.open.bytes![0]!], [client.completions.sends & 0xff]]
    const isRead = name.startsWith('ib_read')
    const moved = [...(isRead ? client.own.bytes! : server.open.bytes!).subarray(0, sizeBytes)]
    const start = isRead ? offsetOf(client.completions.sends - 1, sizeBytes) : 0
    return [moved, moved.map((_, at) => patternAt(start + at))]
  })
}

describe.each(PROGRAM_NAMES)('%s', (name) => {
  test.each([
    ['IPv4', IPV4],
    ['IPv6', IPV6],
  ] as const)('ends at both ends over %s, with nothing sent again', (_, ips) => {
    const pipe = new Pipe(planOf(name, 5000), ips)
    pipe.run()
    expect(pipe.sessions.map(({ failure, isDone }) => [failure, isDone])).toEqual([
      [null, true],
      [null, true],
    ])
    for (const [moved, sent] of bytesMoved(pipe, name, 5000)) expect(moved).toEqual(sent)
    expect(pipe.sessions.flatMap(({ livePairs }) => livePairs.map(({ retransmissions }) => retransmissions))).toEqual([
      0, 0,
    ])
  })

  test('ends where every 9th frame is lost', () => {
    let n = 0
    const pipe = new Pipe(planOf(name, 3000), IPV4, (frame) => (isRoce(frame) && ++n % 9 === 0 ? [] : [0]))
    pipe.run()
    expect(pipe.sessions.map(({ failure, isDone }) => [failure, isDone])).toEqual([
      [null, true],
      [null, true],
    ])
    for (const [moved, sent] of bytesMoved(pipe, name, 3000)) expect(moved).toEqual(sent)
  })
})

/** Recoveries, and how often each sends the end of a message again although nothing is lost. */
const RECOVERIES = { 'go-back-n': 0, 'go-back-0': 0, 'check-epsn': 0, irn: 0, 'improved-gbn': 1, 'send-twice': 1 }
test.each(Object.entries(RECOVERIES))(
  'with %s nothing that was not lost is sent again, though an end may not run for 40 ms',
  (kind, copies) => {
    for (const name of PROGRAM_NAMES) {
      const pipe = new Pipe({ ...planOf(name, 5000), schemes: { recovery: { kind } } }, IPV6, () => [20e9])
      pipe.run()
      const isSender = [true, PROGRAMS[name].behaviour !== 'stream']
      expect([name, ...pipe.sessions.map(({ isDone, livePairs }) => [isDone, livePairs[0]!.retransmissions])]).toEqual([
        name,
        ...isSender.map((sends) => [true, sends ? 20 * copies : 0]),
      ])
    }
  },
)

test('several queue pairs of one program run beside each other', () => {
  for (const name of ['ib_write_bw', 'ib_read_bw', 'ib_send_bw', 'ib_atomic_bw'] as const) {
    const pipe = new Pipe(planOf(name, 2000, 30, 4), IPV4)
    pipe.run()
    expect([name, pipe.isDone, pipe.sessions[0].workers.map(({ completions }) => completions.sends)]).toEqual([
      name,
      true,
      [30, 30, 30, 30],
    ])
  }
})

test('a WRITE of 1 MB leaves nothing to be sent again', () => {
  const pipe = new Pipe({ ...planOf('ib_write_bw', 2 ** 20, 1), memoryBytes: 2 ** 20 }, IPV4)
  pipe.run()
  expect([pipe.isDone, pipe.sessions[0].livePairs[0]!.retransmissions]).toEqual([true, 0])
  for (const [moved, sent] of bytesMoved(pipe, 'ib_write_bw', 2 ** 20)) expect(moved).toEqual(sent)
})

test('a server without receives answers RNR NAKs, and nothing completes', () => {
  const pipe = new Pipe({ ...planOf('ib_send_bw', 500, 50), receives: 0 }, IPV4)
  pipe.run(1e12)
  const [client, server] = pipe.sessions
  expect([pipe.isDone, client.workers[0]!.completions.sends]).toEqual([false, 0])
  expect(server.livePairs[0]!.counts.rnrNaksSent).toBeGreaterThan(50)
})

test('under loss, doubling and reordering by any seed, all programs end with the right bytes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PROGRAM_NAMES),
      fc.integer({ min: 1, max: 1e6 }),
      fc.integer({ min: 1, max: 9000 }),
      (name, seed, size) => {
        const draw = drawOf(seed)
        const fate: Fate = (frame) => {
          if (!isRoce(frame)) return [0]
          const dice = draw(20)
          if (dice === 0) return []
          if (dice === 1) return [0, draw(3e9)]
          return [dice === 2 ? draw(2e9) : 0]
        }
        const pipe = new Pipe(planOf(name, size, 10), IPV4, fate, seed)
        pipe.run()
        expect(pipe.sessions.map(({ failure, isDone }) => [failure, isDone])).toEqual([
          [null, true],
          [null, true],
        ])
        for (const [moved, sent] of bytesMoved(pipe, name, size)) expect(moved).toEqual(sent)
      },
    ),
  )
})
