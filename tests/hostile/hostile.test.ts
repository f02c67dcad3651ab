/**
 * An attacker on the path of live queue pairs. Two endpoints have honest traffic of all kinds in both directions; the attacker
 * sees each frame and adds changed copies at the same instant, before and after it. ROCELAB_BUDGET multiplies the number of
 * frames: 100 makes 10^7 of them. The laws are those of user.ts, which knows nothing of queue pairs.
 */
import { expect, test } from 'vitest'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FORGERY_NAMES, forge, type Knowledge, partsOf, type Roce, SPOILT, SPOILT_NAMES } from './forge.ts'
import { type Attacker, drawOf, type Frame, World } from './world.ts'

const BUDGET = Math.max(0.01, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FRAMES = Math.round(50_000 * BUDGET)
const SEED = Number(process.env['ROCELAB_SEED'] ?? 1)
const TIMEOUT_MS = 120_000 * Math.max(1, BUDGET)

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void
const heapBytes = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

const none: Attacker = () => [[], []]

/** All that an end has, which an attacker who sees everything may know. */
function knowledgeOf(world: World, end: 0 | 1): Knowledge {
  const users = world.links.map(({ users: both }) => both[end])
  const targets = users.flatMap(({ regions }) => Object.values(regions))
  return { targets, qps: users.map(({ live }) => live?.number ?? 0) }
}

/** Frames of the last moments, to be changed. */
class Recent {
  readonly #frames: { readonly roce: Roce; readonly to: 0 | 1 }[] = []

  add({ bytes, to }: Frame): void {
    const roce = partsOf(bytes)
    if (roce === null) return
    this.#frames.push({ roce, to })
    if (this.#frames.length > 64) this.#frames.shift()
  }

  pick(draw: (below: number) => number): { readonly roce: Roce; readonly to: 0 | 1 } | undefined {
    // The newest are the likeliest: their PSNs are those that are expected.
    const age = draw(2) === 0 ? 1 : 1 + draw(this.#frames.length)
    return this.#frames.at(-age)
  }
}

/** An attacker who makes `count` frames for each honest one. */
function attacking(
  seed: number,
  count: number,
  make: (
    base: { readonly roce: Roce; readonly to: 0 | 1 },
    world: World,
    draw: (below: number) => number,
  ) => Uint8Array,
): Attacker {
  const draw = drawOf(seed)
  const recent = new Recent()
  return (frame, world) => {
    recent.add(frame)
    const both: [Frame[], Frame[]] = [[], []]
    for (let n = 0; n < count; n++) {
      const base = recent.pick(draw)
      if (base === undefined) break
      both[draw(2)]!.push({ bytes: make(base, world, draw), to: base.to, isForged: true })
    }
    return both
  }
}

const spoiling = (seed: number, counts: Record<string, number>): Attacker =>
  attacking(seed, 4, ({ roce, to }, world, draw) => {
    const frame = forge(FORGERY_NAMES[draw(FORGERY_NAMES.length)]!, roce, draw, knowledgeOf(world, to))
    const name = SPOILT_NAMES[draw(SPOILT_NAMES.length)]!
    counts[name] = (counts[name] ?? 0) + 1
    return SPOILT[name]!(frame, draw)
  })

/** Completions of sends and of receives, by user. In which order the two come depends on the round of the loop. */
const logsOf = ({ links }: World): string[][] =>
  links.flatMap(({ users }) =>
    users.flatMap(({ log }) => ['send', 'receive'].map((kind) => log.filter((line) => line.startsWith(kind)))),
  )

/** What each queue pair lost, sent again or refused. */
const troubles = ({ links }: World): number[] =>
  links.flatMap(({ users }) =>
    users.flatMap(({ live }) => [
      live!.retransmissions,
      live!.timeouts,
      live!.counts.naksSent,
      live!.counts.naksReceived,
    ]),
  )

test('frames that nobody may believe change nothing at all', { timeout: TIMEOUT_MS }, () => {
  const counts: Record<string, number> = {}
  const rounds = Math.max(1, Math.round(BUDGET))
  let forged = 0
  for (let round = 0; round < rounds; round++) {
    const seed = SEED + round
    const attacked = new World({ seed, connections: 3, attacker: spoiling(seed, counts) })
    attacked.run(FRAMES / rounds)
    attacked.finish()
    const alone = new World({ seed, connections: 3, attacker: none })
    alone.run(attacked.honest)
    const [seen, wanted] = [logsOf(attacked), logsOf(alone)]
    const lengths = seen.map(({ length }, at) => Math.min(length, wanted[at]!.length))
    forged += attacked.forged
    expect(attacked.broken).toBeNull()
    expect(seen.map((log, at) => log.slice(0, lengths[at]))).toEqual(wanted.map((log, at) => log.slice(0, lengths[at])))
    expect(Math.min(...lengths)).toBeGreaterThan(100)
    expect(troubles(attacked)).toEqual(troubles(attacked).map(() => 0))
    expect(attacked.endpoints.map(({ drops }) => Object.values(drops).reduce((a, b) => a + b) > 0)).toEqual([
      true,
      true,
    ])
  }
  expect(Object.keys(counts).sort()).toEqual([...SPOILT_NAMES].sort())
  console.log(forged, counts)
})

/** What a packet may have changed at the user that it was for: from then on bytes that it reads may be forged. */
function taint(world: World, to: 0 | 1, frame: Uint8Array): void {
  const parts = partsOf(frame)
  if (parts === null) return
  const view = new DataView(parts.packet.buffer, parts.packet.byteOffset, parts.packet.byteLength)
  if (view.byteLength < 12) return
  const user = world.userOf(to, view.getUint32(4) & 0xffffff)
  if (user !== undefined) user.isTainted = true
}

test(
  'packets that look right: no byte outside, no completion too many, and errors that say so',
  { timeout: TIMEOUT_MS },
  () => {
    const counts: Record<string, number> = {}
    const times: number[] = []
    const attacker = attacking(SEED + 1, 1, ({ roce, to }, world, draw) => {
      const name = FORGERY_NAMES[draw(FORGERY_NAMES.length)]!
      counts[name] = (counts[name] ?? 0) + 1
      const frame = forge(name, roce, draw, knowledgeOf(world, to))
      taint(world, to, frame)
      return frame
    })
    const world = new World({
      seed: SEED,
      connections: 4,
      attacker,
      lifetime: 4000,
      onFrameTime: (ns) => times.push(ns),
    })
    world.run(FRAMES / 5)
    const before = heapBytes()
    world.run(FRAMES)
    world.checkAll()
    expect(world.broken).toBeNull()
    const after = heapBytes()
    times.sort((a, b) => a - b)
    console.log(
      world.made,
      world.completions,
      world.forged,
      world.honest,
      after - before,
      [0.5, 0.99, 0.999, 1].map((q) => times[Math.min(times.length - 1, Math.floor(q * times.length))]),
    )
    expect(Object.keys(counts).sort()).toEqual([...FORGERY_NAMES].sort())
    expect(world.made).toBeGreaterThan(10)
  },
)
