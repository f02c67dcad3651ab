/**
 * Our queue pairs opposite unmodified programs of Linux in a guest, in both roles. Asserted are what programs print, orders
 * and counts, and never times.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROGRAM_NAMES } from '../../src/live/index.ts'
import { guestObstacle } from './build.ts'
import { Opposite, type Play, type Played } from './opposite.ts'

const obstacle = guestObstacle()
if (obstacle !== null) console.warn(`queue pairs opposite a guest: skipped, ${obstacle}`)

const ROLES = ['server', 'client'] as const
const VARIANTS: readonly (readonly [string, Omit<Play, 'role'>])[] = [
  ...PROGRAM_NAMES.map((program) => [program, { program }] as const),
  ['ibv_rc_pingpong over IPv6', { program: 'ibv_rc_pingpong', isIp6: true }],
  ['ibv_rc_pingpong -s 65536', { program: 'ibv_rc_pingpong', sizeBytes: 65_536 }],
  ['ibv_rc_pingpong -m 256', { program: 'ibv_rc_pingpong', mtuBytes: 256 }],
  ['ib_write_bw over IPv6', { program: 'ib_write_bw', isIp6: true, iterations: 20 }],
  ['ib_write_bw -q 2', { program: 'ib_write_bw', pairs: 2, sizeBytes: 8192 }],
  ['ib_read_bw -q 2', { program: 'ib_read_bw', pairs: 2, sizeBytes: 8192 }],
  ['ib_send_bw -q 2', { program: 'ib_send_bw', pairs: 2, sizeBytes: 3000 }],
  ['ib_atomic_bw -q 2', { program: 'ib_atomic_bw', pairs: 2 }],
  ['ib_read_lat over IPv6, 5000 bytes', { program: 'ib_read_lat', isIp6: true, sizeBytes: 5000 }],
  ['ib_write_lat -s 5000', { program: 'ib_write_lat', sizeBytes: 5000 }],
  ['ib_send_lat -s 5000', { program: 'ib_send_lat', sizeBytes: 5000 }],
]

const told = ({ end, session, guest, endpoint }: Played) => ({
  end,
  failure: session.failure,
  guest: guest?.code,
  drops: endpoint.drops,
  output: guest?.output,
  counts: session.livePairs.map((p) => ({ ...p.counts, again: p.retransmissions, timeouts: p.timeouts })),
})

describe.skipIf(obstacle !== null)('opposite a guest', () => {
  let opposite: Opposite
  beforeAll(async () => {
    opposite = await Opposite.start()
  }, 300_000)
  afterAll(() => opposite?.stop())

  describe.each(ROLES)('our end is the %s', (role) => {
    test.each(VARIANTS)('%s', async (_, play) => {
      const played = await opposite.play({ ...play, role })
      console.log(role, _, JSON.stringify(told(played)))
      expect(played).toMatchObject({ end: 'done', guest: { code: 0 } })
    })

    test('rping', async () => {
      const { session, guest } = await opposite.rping(role, 10, '-v -V')
      console.log(role, session?.rping.pings, session?.rping.failure, session?.connection.state, guest)
      expect(session?.rping).toMatchObject({ pings: 10, failure: null })
    })
  })
})
