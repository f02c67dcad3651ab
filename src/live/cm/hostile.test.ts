/** Spoilt messages: no error, and no connection that nobody asked for. ROCELAB_BUDGET multiplies their number. */
import { expect, test } from 'vitest'
import { type AnyConnectionMad, MAD_BYTES, readConnectionMad } from '../../core/wire/index.ts'
import { drawOf, End, HERE, MS, Pipe, PORT, THERE } from './pipe.test-data.ts'

const BUDGET = Math.max(0.01, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const COUNT = Math.round(100_000 * BUDGET)

/** One message of each kind, as two agents sent them. */
function samples(): Uint8Array[] {
  const found = new Map<AnyConnectionMad['kind'], Uint8Array>()
  const pipe = new Pipe()
  const collect = (end: End, other: End): void => {
    for (let next = end.agent.pollMad(0); next !== null; next = end.agent.pollMad(0)) {
      found.set(readConnectionMad(next.mad)!.kind, next.mad)
      other.agent.onMad(0, { ip: end.ip, port: 1 }, next.mad)
    }
  }
  const exchange = (): void => {
    for (let round = 0; round < 4; round++) {
      collect(pipe.active, pipe.passive)
      collect(pipe.passive, pipe.active)
    }
  }
  const connection = pipe.connect()
  exchange()
  pipe.active.agent.disconnect(0, connection)
  exchange()
  pipe.passive.answer = () => ({ reason: 28 })
  pipe.connect()
  exchange()
  return [...found.values()]
}

test('spoilt messages of all kinds', { timeout: 60_000 * Math.max(1, BUDGET) }, () => {
  const draw = drawOf(7)
  const mads = samples()
  expect(mads.map((mad) => readConnectionMad(mad)?.kind)).toEqual(['REQ', 'REP', 'RTU', 'DREQ', 'DREP', 'REJ'])
  const idle = new End(THERE, 3)
  const listening = new End(THERE, 4)
  listening.agent.listen(PORT)
  // A pair costs more than a message: the host takes one of a hundred requests.
  listening.answer = () => (listening.requests % 100 === 0 ? listening.offer() : { reason: 28 })
  const asking = new End(HERE, 5)
  const wanted = asking.agent.connect(0, THERE, PORT, asking.offer())
  let nowPs = 0
  for (let count = 0; count < COUNT; count++) {
    const mad = mads[draw(mads.length)]!.slice(0, draw(50) === 0 ? draw(MAD_BYTES) : MAD_BYTES)
    for (let spoilt = draw(4); spoilt > 0 && mad.length > 0; spoilt--) mad[draw(mad.length)] = draw(256)
    // Attributes are drawn too, so that the content of one message comes as another.
    if (draw(8) === 0 && mad.length > 18) mad[17] = 0x10 + draw(8)
    nowPs += MS
    for (const end of [idle, listening, asking]) {
      const ip = end === asking ? THERE : HERE
      end.agent.onMad(nowPs, { ip, port: draw(65_536) }, mad)
      end.agent.onTime(nowPs)
      while (end.agent.pollMad(nowPs) !== null);
    }
  }
  expect([idle.agent.count, idle.requests, idle.states]).toEqual([0, 0, []])
  expect(listening.requests).toBeGreaterThan(COUNT / 100)
  expect(listening.states).not.toContain('connected')
  expect(listening.agent.count).toBeLessThanOrEqual(64 + 4096)
  expect(['requested', 'closed']).toContain(wanted.state)
})
