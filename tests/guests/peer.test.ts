/**
 * Our queue pairs opposite unmodified programs of Linux in a guest, in both roles, quiet and with the fault scripts that come
 * with rocelab between them. Asserted are what programs print, orders and counts, and never times.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROGRAM_NAMES, PROGRAMS } from '../../src/live/index.ts'
import { guestObstacle } from '../../src/live/drivers/guests/index.ts'
import { Opposite, type Play } from './opposite.ts'

const obstacle = guestObstacle()
if (obstacle !== null) console.warn(`queue pairs opposite a guest: skipped, ${obstacle}`)

type Variant = Omit<Play, 'role'>
const VARIANTS: readonly (readonly [string, Variant])[] = [
  ...PROGRAM_NAMES.map((program) => [program, { program }] as const),
  ['ibv_rc_pingpong over IPv6', { program: 'ibv_rc_pingpong', isIp6: true }],
  ['ibv_rc_pingpong -s 65536', { program: 'ibv_rc_pingpong', sizeBytes: 65_536, iterations: 20 }],
  ['ibv_rc_pingpong -m 256', { program: 'ibv_rc_pingpong', mtuBytes: 256 }],
  ['ibv_rc_pingpong -n 1000', { program: 'ibv_rc_pingpong', iterations: 1000 }],
  ['ib_write_bw over IPv6', { program: 'ib_write_bw', isIp6: true, iterations: 20 }],
  ['ib_write_bw -q 2', { program: 'ib_write_bw', pairs: 2, sizeBytes: 8192 }],
  ['ib_read_bw -q 2', { program: 'ib_read_bw', pairs: 2, sizeBytes: 8192 }],
  ['ib_send_bw -q 2', { program: 'ib_send_bw', pairs: 2, sizeBytes: 3000 }],
  ['ib_atomic_bw -q 2', { program: 'ib_atomic_bw', pairs: 2 }],
  ['ib_read_lat over IPv6, 5000 bytes', { program: 'ib_read_lat', isIp6: true, sizeBytes: 5000 }],
  ['ib_write_lat -s 5000', { program: 'ib_write_lat', sizeBytes: 5000 }],
  ['ib_send_lat -s 5000', { program: 'ib_send_lat', sizeBytes: 5000 }],
]
const ROLES = ['server', 'client'] as const
const MB = 2 ** 20
const DONE = { end: 'done', guest: { code: 0 } }

/** The line of a program's output that says what it has done. */
function lineOf({ program, iterations = 100, pairs = 1, sizeBytes }: Variant): RegExp {
  if (program === 'ibv_rc_pingpong') return new RegExp(`^${iterations} iters in`, 'm')
  return new RegExp(`^ ${sizeBytes ?? PROGRAMS[program].sizeBytes} +${iterations * pairs} `, 'm')
}

describe.skipIf(obstacle !== null)('opposite a guest', () => {
  let opposite: Opposite
  beforeAll(async () => {
    opposite = await Opposite.start()
  }, 300_000)
  afterAll(() => opposite?.stop())

  describe.each(ROLES)('our end is the %s', (role) => {
    test.each(VARIANTS)('%s', async (_name, variant) => {
      const played = await opposite.play({ ...variant, role })
      expect(played).toMatchObject(DONE)
      expect(played.session.failure).toBeNull()
      // Servers of perftest print no line of their own for some operations.
      const isPrinted = role === 'server' || variant.program === 'ibv_rc_pingpong'
      expect(played.guest?.output).toMatch(isPrinted ? lineOf(variant) : /./)
      expect(played.endpoint.drops).toMatchObject({ icrc: 0, source: 0, packet: 0, full: 0 })
    })

    test('WRITEs of 1 MB: nothing is lost, so that only a late answer can have anything sent again', async () => {
      const played = await opposite.play({ program: 'ib_write_bw', role, sizeBytes: MB, iterations: 10 })
      expect(played).toMatchObject(DONE)
      const [{ counts, retransmissions, timeouts }] = played.session.livePairs as [
        (typeof played.session.livePairs)[number],
      ]
      expect([counts.naksReceived, counts.naksSent]).toEqual([0, 0])
      expect(retransmissions).toBeLessThanOrEqual(32 * timeouts)
      expect(role === 'client' ? counts.sent : counts.received).toBeGreaterThanOrEqual((10 * MB) / 1024)
    })

    test('rping', async () => {
      const { session, guest } = await opposite.rping(role, 10, '-v -V')
      expect(session?.rping).toMatchObject({ pings: 10, failure: null })
      expect(guest).not.toBeNull()
      expect(guest?.output).toContain('ping data: rdma-ping-9:')
    })

    describe('and a script acts', () => {
      test.each([
        'middle-packet-lost',
        'last-ack-lost',
        'every-tenth-lost',
        'bad-icrc',
        'reordered',
        'everything-twice',
        'receiver-not-ready',
        'receiver-never-ready',
        'nak-late',
        'pause',
        'congestion-marks',
        'cnps',
      ])('%s: both ends finish', async (script) => {
        const played = await opposite.play({ program: 'ibv_rc_pingpong', role, script })
        expect(played).toMatchObject(DONE)
        expect(played.guest?.output).toMatch(lineOf({ program: 'ibv_rc_pingpong' }))
        expect(played.counts.every(({ acted }) => acted > 0)).toBe(true)
      })

      test.each([
        ['remote-access-error', 10, 'remote access error (10)'],
        ['remote-operation-error', 11, 'remote operation error (11)'],
      ] as const)('%s: the sender has status %i, the other end waits', async (script, status, words) => {
        const { end, session, guest } = await opposite.play({ program: 'ibv_rc_pingpong', role, script })
        const { failure } = session
        const printed = { code: 1, output: expect.stringContaining(words) }
        // A guest that was late repeats packets, so the 50th is not always the client's.
        const isOurs = session.livePairs[0]!.counts.naksReceived > 0
        expect({ end, failure, guest }).toEqual(
          isOurs
            ? { end: 'failed', failure: { kind: 'status', status }, guest: null }
            : { end: 'silent', failure: null, guest: printed },
        )
      })

      test('truncated: NAK 61, and the sender has status 9', async () => {
        const { end, session, guest } = await opposite.play({ program: 'ib_write_bw', role, script: 'truncated' })
        const { naksSent, naksReceived } = session.livePairs[0]!.counts
        expect([end, session.failure, naksSent, naksReceived]).toEqual(
          role === 'client'
            ? ['failed', { kind: 'status', status: 9 }, 0, 1]
            : ['failed', { kind: 'closed', waitingFor: 'a barrier' }, 1, 0],
        )
        expect(guest?.output ?? '').toMatch(role === 'server' ? /status 9/ : /^/)
      })

      test('peer-vanishes: ours ends, and Linux asks for ever', async () => {
        const { end, session, guest } = await opposite.play({
          program: 'ibv_rc_pingpong',
          role,
          script: 'peer-vanishes',
        })
        // The 21st packet is the server's.
        expect([end, session.failure, guest]).toEqual(
          role === 'server' ? ['failed', { kind: 'status', status: 12 }, null] : ['silent', null, null],
        )
      })

      test('read-response-lost: the READ is asked for again', async () => {
        const variant = { program: 'ib_read_lat', sizeBytes: 4096, script: 'read-response-lost' } as const
        const played = await opposite.play({ ...variant, role })
        expect(played).toMatchObject({ ...DONE, counts: [{ acted: 1 }] })
      })

      test('atomic-response-lost: each addition is done once', async () => {
        const played = await opposite.play({ program: 'ib_atomic_lat', role, script: 'atomic-response-lost' })
        expect(played).toMatchObject({ ...DONE, counts: [{ acted: 1 }] })
        expect(played.session.failure).toBeNull()
        expect(played.session.workers[0]!.open.bytes![0]).toBe(role === 'server' ? 100 : 0)
      })

      test('payload-changed: the client, which compares, finds it', async () => {
        const { session, guest } = await opposite.rping(role, 10, '-v -V', 'payload-changed')
        const found = { code: 255, output: expect.stringContaining('data mismatch!') }
        expect(role === 'client' ? session?.rping.failure : guest).toEqual(role === 'client' ? 'data' : found)
      })

      test('ready-to-use-lost: the connection is there all the same', async () => {
        const { session, counts } = await opposite.rping(role, 3, '-v', 'ready-to-use-lost')
        expect(counts[0]!.acted).toBe(1)
        expect(session?.rping).toMatchObject({ pings: 3, failure: null })
      })

      test('connection-rejected: the client knows the reason', async () => {
        const { session, guest } = await opposite.rping(role, 3, '-v', 'connection-rejected')
        const printed = { code: 255, output: expect.stringMatching(/REJECTED|error 28/) }
        expect(role === 'client' ? session?.connection.end : guest).toMatchObject(
          role === 'client' ? { cause: 'rejected', reason: 28 } : printed,
        )
      })
    })
  })
})
