/**
 * Speed beside Linux, printed and not asserted: latency and packets per second between two guests with soft RoCE, and between a
 * guest and ours, as requester and as responder. Runs where ROCELAB_SPEED is set, as it says nothing on a machine that is busy.
 */
import { expect, test } from 'vitest'
import type { ProgramName } from '../../src/live/index.ts'
import { type Ended, guestObstacle, GuestPair, SERVER } from '../../src/live/drivers/guests/index.ts'
import { CACHE } from './cache.ts'
import { Opposite, type Played } from './opposite.ts'
import { LISTENS, waiting } from './story.ts'

const PACKET_BYTES = 1024
const TESTS: readonly (readonly [program: ProgramName, sizeBytes: number, iterations: number])[] = [
  ['ib_write_lat', 2, 1000],
  ['ib_write_lat', 2048, 1000],
  ['ib_send_lat', 2, 1000],
  ['ib_send_lat', 2048, 1000],
  ['ib_write_bw', 1024, 5000],
  ['ib_write_bw', 4096, 2000],
]

/** Median and 99th percentile in microseconds, or packets per second. */
interface Figures {
  readonly p50Us?: number
  readonly p99Us?: number
  readonly packets?: number
}

const isSkipped = process.env['ROCELAB_SPEED'] === undefined || guestObstacle() !== null
test.skipIf(isSkipped)('latency and packets per second', { timeout: 900_000 }, async () => {
  const lines: string[] = []
  const note = (who: string, at: number, { p50Us, p99Us, packets }: Figures): void => {
    const [program, sizeBytes] = TESTS[at]!
    const figures =
      packets === undefined
        ? `p50 ${p50Us?.toFixed(0)} us, p99 ${p99Us?.toFixed(0)} us`
        : `${packets.toFixed(0)} packets/s`
    lines.push(`${program} ${sizeBytes} B, ${who}: ${figures}`)
  }
  const pair = await GuestPair.start({ cache: CACHE })
  for (const [at, [program, sizeBytes, iterations]] of TESTS.entries()) {
    const words = `${program} -F -x 1 -n ${iterations} -s ${sizeBytes}`
    const server = await pair.server.background(`exec ${words}`)
    await pair.server.run(waiting(LISTENS))
    note('Linux to Linux', at, printed(await pair.client.run(`${words} ${SERVER.ip4}`), sizeBytes))
    await server.ended()
  }
  await pair.stop()
  const opposite = await Opposite.start()
  for (const [at, [program, sizeBytes, iterations]] of TESTS.entries())
    for (const role of ['client', 'server'] as const) {
      const played = await opposite.play({ program, role, sizeBytes, iterations })
      expect([program, role, played.end]).toEqual([program, role, 'done'])
      const again = played.session.livePairs[0]!.retransmissions
      const who = role === 'client' ? 'ours to Linux' : 'Linux to ours'
      const figures = role === 'client' ? measured(played, sizeBytes) : printed(played.guest, sizeBytes)
      note(`${who}, ${again} packets sent again by ours`, at, figures)
    }
  await opposite.stop()
  process.stdout.write(`${lines.join('\n')}\n`)
})

function measured({ meter, session }: Played, sizeBytes: number): Figures {
  if (meter.kind === 'latency') {
    const { typicalUs, p99Us } = meter.latency()
    return { p50Us: typicalUs, p99Us }
  }
  return { packets: meter.bandwidth(session.elapsedPs).mpps * 1e6 * Math.ceil(sizeBytes / PACKET_BYTES) }
}

/** From the table that perftest prints: t_typical and 99%, or MsgRate. */
function printed(ended: Ended | null, sizeBytes: number): Figures {
  const row =
    new RegExp(`^ ${sizeBytes} .*$`, 'm')
      .exec(ended?.output ?? '')?.[0]
      .trim()
      .split(/\s+/)
      .map(Number) ?? []
  const isLatency = row.length > 5
  return isLatency
    ? { p50Us: row[4], p99Us: row[7] }
    : { packets: (row[4] ?? NaN) * 1e6 * Math.ceil(sizeBytes / PACKET_BYTES) }
}
