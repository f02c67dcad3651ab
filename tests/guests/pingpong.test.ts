/** Two Linux guests with soft RoCE and a hub between them: unmodified programs speak RDMA. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guestObstacle } from './build.ts'
import { IP4, Lan } from './lan.ts'

const obstacle = guestObstacle()
if (obstacle !== null) console.warn(`guests: skipped, ${obstacle}`)

describe.skipIf(obstacle !== null)('two guests', () => {
  let lan: Lan
  beforeAll(async () => {
    lan = await Lan.start()
  }, 300_000)
  afterAll(() => lan?.stop())

  test('ibv_rc_pingpong passes', async () => {
    const server = await lan.second.background('ibv_rc_pingpong -g 1')
    await lan.first.run('sleep 1')
    const client = await lan.first.run(`ibv_rc_pingpong -g 1 ${IP4[1]}`)
    expect(client).toMatchObject({ code: 0, output: expect.stringContaining('1000 iters') })
    expect((await server.ended()).code).toBe(0)
  })
})
