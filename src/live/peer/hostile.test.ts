/** Hostile packets: damaged, forged and drawn frames at an endpoint with an open connection. */
import { expect, test } from 'vitest'
import { icrcOf } from '../../wire/icrc.ts'
import { drawOf, endpointOf, IPV4, Pipe } from './pipe.test-bench.ts'

const FRAMES = Math.round(1e5 * Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1)))
const IP_START = 14
const UDP_START = 34

/** The ICRC is made right, so that what is below it is reached. */
function seal(frame: Uint8Array): void {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const lengthBytes = view.getUint16(IP_START + 2)
  if (lengthBytes < 60 || IP_START + lengthBytes > frame.length) return
  const packet = frame.subarray(IP_START, IP_START + lengthBytes)
  view.setUint32(IP_START + lengthBytes - 4, icrcOf(packet.subarray(0, -4), 20), true)
}

/** All frames of a run, by the end that sent them. */
function recorded(): { readonly pipe: Pipe; readonly frames: readonly Uint8Array[] } {
  const frames: Uint8Array[] = []
  const plan = { program: 'ib_write_bw', sizeBytes: 2000, iterations: 4, pairs: 1, mtuBytes: 1024 } as const
  const pipe = new Pipe({ ...plan, memoryBytes: 8192, receives: 4 }, IPV4, (frame, from) => {
    if (from === 0) frames.push(frame.slice())
    return [0]
  })
  pipe.run()
  return { pipe, frames }
}

test('packets that are damaged below a right ICRC throw nothing, write nothing outside their region and complete nothing', () => {
  const { pipe, frames } = recorded()
  const [, server] = pipe.endpoints
  const domain = server.device.allocateDomain()
  const secret = server.device.register(domain, 1, new Uint8Array(64).fill(0xa5))
  const worker = pipe.sessions[1].workers[0]!
  const before = { ...worker.completions }
  const draw = drawOf(99)
  let sent = 0
  for (let n = 0; n < FRAMES; n++) {
    const frame = frames[draw(frames.length)]!.slice()
    for (let k = draw(4); k >= 0; k--) {
      // Addresses and lengths are kept in most, so that the endpoint looks at them.
      const at = draw(8) === 0 ? draw(frame.length) : UDP_START + 8 + draw(Math.min(40, frame.length - UDP_START - 8))
      frame[at] = draw(256)
    }
    if (draw(10) > 0) seal(frame)
    server.onFrame(pipe.nowPs + n, draw(50) === 0 ? frame.subarray(0, draw(frame.length)) : frame)
    if (n % 16 === 0) while (server.pollFrame(pipe.nowPs + n) !== null) sent++
  }
  expect([...secret.bytes!]).toEqual(Array<number>(64).fill(0xa5))
  expect(worker.completions).toEqual(before)
  expect([server.pairs.length, sent < FRAMES]).toEqual([1, true])
}, 120_000)

test('a packet from another address than that of the partner is dropped without an answer', () => {
  const { pipe, frames } = recorded()
  const [, server] = pipe.endpoints
  const stranger = frames.find((frame) => frame[UDP_START + 8] === 10 || frame[UDP_START + 8] === 6)!.slice()
  stranger[IP_START + 15] = 77
  // The header checksum follows: one's complement sum over the change.
  const view = new DataView(stranger.buffer)
  const sum = view.getUint16(IP_START + 10) - (77 - 1)
  view.setUint16(IP_START + 10, sum < 0 ? sum + 0xffff : sum)
  seal(stranger)
  server.onFrame(pipe.nowPs, stranger)
  expect([server.drops.source, server.pollFrame(pipe.nowPs)]).toEqual([1, null])
})

test('packets for queue pairs that are not there make no queue pair and get no answer', () => {
  const { frames } = recorded()
  const lonely = endpointOf(1)
  for (const frame of frames) lonely.onFrame(0, frame)
  let polled = 0
  for (let frame = lonely.pollFrame(0); frame !== null; frame = lonely.pollFrame(0)) polled++
  // The only answer is that to ARP.
  expect([lonely.pairs.length, polled, lonely.drops['queue pair'] > 0]).toEqual([0, 1, true])
})
