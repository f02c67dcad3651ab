/**
 * HOT. ECMP: Murmur3-32 over source address, destination address and ports, so a QP keeps its path.
 * The hash reads three little-endian 32-bit words: sip, dip, sport | dport << 16; the seed is the switch's.
 * Each direction of a QP is hashed separately: ACKs have the swapped tuple and may take another path.
 * A packet with a virtual path is hashed with that as its UDP source port, in both directions ([Survey] V-C: "its UDP
 * header encodes the same virtual path ID"); a network without virtual paths has a class that does not look for them.
 * Source: [MS-Scale] section 2; hash and word order as in the HPCC fork (docs/models/ecmp.md has test values).
 */
import { type Assignment, readAssignments } from '../../base/assignments.ts'
import { InputError } from '../../base/issue.ts'
import { INTS } from '../../base/memory.ts'
import { choice, list, text } from '../../base/params.ts'
import { defineBalance, type Balance, type BalanceContext, type FlowTuple } from './balance.ts'
import { PATH_PORT, PATH_SHIFT } from '../../transport/segment.ts'
import { FLAGS, DIRECTION } from '../packets.ts'

const ints = INTS

const C1 = 0xcc9e2d51
const C2 = 0x1b873593

function scrambled(word: number): number {
  const k = Math.imul(word, C1)
  return Math.imul((k << 15) | (k >>> 17), C2)
}

function mixed(hash: number, scrambledWord: number): number {
  const h = hash ^ scrambledWord
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0
}

/** The hash of three words that are already scrambled; signed. */
function finished(seed: number, a: number, b: number, c: number): number {
  let h = mixed(mixed(mixed(seed, a), b), c) ^ 12
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** Murmur3-32 of a flow's tuple, unsigned. */
export function ecmpHash(seed: number, tuple: FlowTuple): number {
  const hash = finished(
    seed,
    scrambled(tuple.sourceAddress),
    scrambled(tuple.destinationAddress),
    scrambled(tuple.sourcePort | (tuple.destinationPort << 16)),
  )
  return hash >>> 0
}

class Ecmp implements Balance {
  protected readonly seeds: Int32Array
  /** Three scrambled words per flow. */
  protected words = new Int32Array(3 * 256)

  constructor(seeds: Int32Array) {
    this.seeds = seeds
  }

  addFlow(flow: number, tuple: FlowTuple): void {
    const at = flow * 3
    if (at + 3 > this.words.length) {
      const larger = new Int32Array(Math.max(at + 3, this.words.length * 2))
      larger.set(this.words)
      this.words = larger
    }
    this.words[at] = scrambled(tuple.sourceAddress)
    this.words[at + 1] = scrambled(tuple.destinationAddress)
    this.words[at + 2] = scrambled(tuple.sourcePort | (tuple.destinationPort << 16))
  }

  choose(node: number, packet: number, candidates: number): number {
    const at = ints[packet | DIRECTION]! * 3
    const words = this.words
    const hash = finished(this.seeds[node]!, words[at]!, words[at + 1]!, words[at + 2]!)
    return remainder(hash, candidates)
  }
}

/** ECMP of packets that carry a virtual path. */
class PathEcmp extends Ecmp {
  /** Destination port of each QP, in the upper half. */
  private ports = new Int32Array(256)

  override addFlow(flow: number, tuple: FlowTuple): void {
    super.addFlow(flow, tuple)
    const pair = flow >> 1
    if (pair >= this.ports.length) {
      const larger = new Int32Array(Math.max(pair + 1, this.ports.length * 2))
      larger.set(this.ports)
      this.ports = larger
    }
    // Ports of the forward direction; the reverse direction has them swapped.
    if ((flow & 1) === 0) this.ports[pair] = tuple.destinationPort << 16
  }

  override choose(node: number, packet: number, candidates: number): number {
    const path = ints[packet | FLAGS]! >> PATH_SHIFT
    if (path === 0) return super.choose(node, packet, candidates)
    const flow = ints[packet | DIRECTION]!
    const words = this.words
    const ports = scrambled((PATH_PORT + path) | this.ports[flow >> 1]!)
    return remainder(finished(this.seeds[node]!, words[flow * 3]!, words[flow * 3 + 1]!, ports), candidates)
  }
}

/**
 * Remainder of the hash as an unsigned number. With 2^17 candidates at most, the quotient is an integer or at least
 * 1 / candidates below the next one, so rounding to a double keeps its integer part. `%` on doubles is 20 times slower.
 */
export function remainder(hash: number, candidates: number): number {
  const quotient = ((hash >>> 0) / candidates) | 0
  return (hash - Math.imul(quotient, candidates)) | 0
}

/**
 * Seeds by node id.
 * @throws InputError with every line that cannot be read.
 */
export function readSeeds(lines: readonly string[]): Assignment<number>[] {
  return readAssignments(lines, 'seeds', {
    form: '"NODE: SEED" with SEED 0..4294967295, such as "54: 7"',
    noun: 'node',
    read: (seed) => (/^\d{1,10}$/.test(seed) && Number(seed) < 2 ** 32 ? Number(seed) : undefined),
  })
}

export const ecmp = defineBalance({
  name: 'ecmp',
  help: 'Murmur3-32 over addresses and ports: a QP keeps its path',
  source: '[MS-Scale] section 2; HPCC fork',
  params: {
    seed: choice(['node', 'random', 'same'], {
      default: 'random',
      help: 'hash seed of a switch: its node id, a random number, or 0 everywhere (which polarises)',
    }),
    seeds: list(text({ help: '"NODE: SEED", for example "54: 7"' }), {
      default: [],
      help: 'hash seeds of single switches, by node id: whole numbers of 32 bits; the other switches follow `seed`',
    }),
  },
  paths: () => 'known',
  create(values, context: BalanceContext) {
    const seeds = new Int32Array(context.nodeCount)
    const random = context.random.stream('ecmp')
    for (let node = 0; node < seeds.length; node++)
      seeds[node] = values.seed === 'node' ? node : values.seed === 'same' ? 0 : random.uint32()
    const given = readSeeds(values.seeds)
    const issues = given
      .filter(({ to }) => !context.isSwitch(to))
      .map(({ line, to }) => {
        const received = to < context.nodeCount ? `node ${to}, a host` : `node ${to} of ${context.nodeCount}`
        return { path: `seeds.${line}`, expected: 'the node id of a switch', received, hint: '' }
      })
    if (issues.length > 0) throw new InputError(issues)
    for (const { to, value } of given) seeds[to] = value
    return context.hasPaths ? new PathEcmp(seeds) : new Ecmp(seeds)
  },
})
