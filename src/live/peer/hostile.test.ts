/** Packets of strangers at an endpoint. What an attacker on the path reaches, tests/hostile tries. */
import { expect, test } from 'vitest'
import { icrcOf } from '../../core/wire/icrc.ts'
import { endpointOf, IPV4, Pipe } from './pipe.test-bench.ts'

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
