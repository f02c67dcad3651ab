/**
 * An attacker on the path of live queue pairs. Two endpoints have honest traffic of all kinds in both directions; the attacker
 * sees each frame and adds changed copies at the same instant, before and after it. ROCELAB_BUDGET multiplies the number of
 * frames: 100 makes 10^7 of them. The laws are those of user.ts, which knows nothing of queue pairs.
 */
import { expect, test } from 'vitest'
import { FORGERY_NAMES, forge, type Knowledge, partsOf, type Roce, SPOILT, SPOILT_NAMES } from './forge.ts'
import { breathe, heapBytes } from './heap.ts'
import { drawOf } from '../../src/live/peer/pipe.test-bench.ts'
import { type Attacker, type Frame, World } from './world.ts'

const BUDGET = Math.max(0.01, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FRAMES = Math.round(40_000 * BUDGET)
const SEED = Number(process.env['ROCELAB_SEED'] ?? 1)
const TIMEOUT_MS = 120_000 * Math.max(1, BUDGET)

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

/** Numbers of losses, repetitions and refusals of each queue pair. */
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
  if (BUDGET > 1) console.log(forged, counts)
})

const isResponse = (opcode: number): boolean => (opcode >= 0x0d && opcode <= 0x10) || opcode === 0x12

/** Notes at the user for which a packet is what it may make him believe. */
function taint(world: World, to: 0 | 1, frame: Uint8Array): void {
  const parts = partsOf(frame)
  if (parts === null || parts.packet.length < 12) return
  const view = new DataView(parts.packet.buffer, parts.packet.byteOffset, parts.packet.byteLength)
  const user = world.userOf(to, view.getUint32(4) & 0xffffff)
  if (user === undefined) return
  const opcode = view.getUint8(0)
  if (isResponse(opcode)) user.forged.responses = true
  else if (opcode === 0x11) user.forged.acks = true
  else if (opcode < 0x20) user.forged.requests = true
}

interface Figures {
  made: number
  completions: number
  forged: number
  honest: number
  readonly kinds: Record<string, number>
  readonly timesNs: number[]
  grownBytes: number
}

/** Runs a world under attack by these kinds of forgery. */
async function figuresOf(names: readonly string[], frames: number, seed: number): Promise<Figures> {
  const kinds: Record<string, number> = {}
  const timesNs: number[] = []
  const attacker = attacking(seed + 1, 1, ({ roce, to }, world, draw) => {
    const name = names[draw(names.length)]!
    kinds[name] = (kinds[name] ?? 0) + 1
    const frame = forge(name, roce, draw, knowledgeOf(world, to))
    if (name !== SAME) taint(world, to, frame)
    return frame
  })
  const onFrameTime = (ns: number): void => void (timesNs.length < 1e6 && timesNs.push(ns))
  const world = new World({ seed, connections: 4, attacker, lifetime: 4000, onFrameTime })
  let heap = 0
  for (let part = 0; part < PARTS && world.broken === null; part++) {
    const end = ((part + 1) * frames) / PARTS
    for (; world.honest + world.forged < end && world.broken === null; await breathe()) world.run(5000)
    if (part === 1) heap = await heapBytes()
  }
  world.checkAll()
  expect(world.broken).toBeNull()
  for (const { pairs, device, station } of world.endpoints) {
    expect([pairs.length, device.regionCount <= 28, station.neighbourCount]).toEqual([4, true, 2])
  }
  const { made, completions, forged, honest } = world
  return { made, completions, forged, honest, kinds, timesNs, grownBytes: (await heapBytes()) - heap }
}

const PARTS = 5
const SAME = 'sent again'
const ANSWERS = [SAME, 'an ACK', 'a NAK', 'a CNP']

function show(what: string, { made, completions, forged, honest, timesNs, grownBytes }: Figures): void {
  timesNs.sort((a, b) => a - b)
  const times = [0.5, 0.99, 0.999, 1].map(
    (part) => timesNs[Math.min(timesNs.length - 1, Math.floor(part * timesNs.length))],
  )
  if (BUDGET > 1) console.log(what, { made, completions, forged, honest, timesNs: times, grownBytes })
}

test('packets that come again, at once or much later, change nothing', { timeout: TIMEOUT_MS }, async () => {
  const figures = await figuresOf([SAME], FRAMES / 5, SEED)
  show('again', figures)
  // Connections are made anew when they are old, not because they failed.
  expect(figures.made).toBeLessThanOrEqual(4 + figures.completions / 4000)
})

test('forged ACKs and NAKs: what was read is what was there', { timeout: TIMEOUT_MS }, async () => {
  const figures = await figuresOf(ANSWERS, FRAMES / 5, SEED)
  show('answers', figures)
  expect(figures.made).toBeGreaterThan(4)
})

test(
  'forged packets of all kinds: no byte outside, no completion too many, errors that say so, no growth',
  { timeout: TIMEOUT_MS },
  async () => {
    const figures = await figuresOf(FORGERY_NAMES, FRAMES, SEED)
    show('all', figures)
    expect(Object.keys(figures.kinds).sort()).toEqual([...FORGERY_NAMES].sort())
    expect(figures.made).toBeGreaterThan(10)
    expect(figures.grownBytes).toBeLessThan(4e6)
  },
)
