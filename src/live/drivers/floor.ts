/** Floor: round trips of UDP datagrams within this process, below which no tool on sockets can measure. */
import { createSocket } from 'node:dgram'
import { quantile } from '../../core/results/quantiles.ts'

const ROUNDS = 300
const BYTES = 80

export interface Floor {
  readonly address: '::1' | '127.0.0.1'
  readonly p50Us: number
  readonly p99Us: number
}

/** On ::1, or on 127.0.0.1 where there is no IPv6. Rejects with the error of Node where there is neither. */
export async function measureFloor(): Promise<Floor> {
  return floorOn('::1').catch(() => floorOn('127.0.0.1'))
}

async function floorOn(address: Floor['address']): Promise<Floor> {
  const type = address === '::1' ? ('udp6' as const) : ('udp4' as const)
  const [near, far] = [createSocket(type), createSocket(type)]
  try {
    for (const socket of [near, far])
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.bind(0, address, () => resolve())
      })
    far.on('message', (bytes, { port }) => far.send(bytes, port, address))
    const times: number[] = []
    const to = far.address().port
    for (let round = 0; round < ROUNDS; round++) {
      const startNs = process.hrtime.bigint()
      // A datagram that is lost is none of the floor.
      const isBack = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), 1000)
        near.once('message', () => {
          clearTimeout(timer)
          resolve(true)
        })
        near.send(new Uint8Array(BYTES), to, address)
      })
      if (isBack) times.push(Number(process.hrtime.bigint() - startNs) / 1000)
    }
    return { address, p50Us: quantile(times, 0.5), p99Us: quantile(times, 0.99) }
  } finally {
    near.close()
    far.close()
  }
}
