/**
 * Random streams by name: a draw added to one stream changes no other.
 * Generator: xoshiro128** (Blackman and Vigna), seeded by splitmix64 over the scenario seed and an FNV-1a hash
 * of the stream's name. State is four 32-bit words; a draw allocates nothing.
 */
import { assert } from './assert.ts'
import { ln } from './math.ts'

export interface RandomStream {
  /** Uniform 32-bit integer, 0 .. 2^32-1. */
  uint32(): number
  /** Uniform real in [0, 1), 53 bits. */
  uniform(): number
  /** Uniform integer in [0, bound); bound 1 .. 2^32. */
  below(bound: number): number
  /** Exponential with the given mean (base/math logarithm, so equal on every engine). */
  exponential(mean: number): number
}

export interface RandomStreams {
  /** The stream of that name; the same name gives the same object. */
  stream(name: string): RandomStream
}

const TWO_32 = 4294967296
const MASK_64 = (1n << 64n) - 1n

/**
 * All streams of one scenario seed. The seed is an integer 0 .. 2^53-1; every seed and name gives a sequence of its own.
 */
export function createRandomStreams(seed: number): RandomStreams {
  assert(Number.isSafeInteger(seed) && seed >= 0, 'a random seed is an integer from 0 to 2^53-1')
  const streams = new Map<string, RandomStream>()
  return {
    stream(name) {
      let stream = streams.get(name)
      if (stream === undefined) {
        stream = seededStream(seed, name)
        streams.set(name, stream)
      }
      return stream
    },
  }
}

/** Brings a list into an order of which each is equally likely (Fisher and Yates). */
export function shuffle(list: unknown[], stream: RandomStream): void {
  for (let last = list.length - 1; last > 0; last--) {
    const other = stream.below(last + 1)
    const kept = list[last]
    list[last] = list[other]
    list[other] = kept
  }
}

/** A stream that starts from these four words of state (32-bit integers, not all zero). */
export function createXoshiro128(state: readonly [number, number, number, number]): RandomStream {
  return new Xoshiro128(state[0], state[1], state[2], state[3])
}

/** HOT: no allocation per draw; BigInt only while a stream is made. */
class Xoshiro128 implements RandomStream {
  private s0: number
  private s1: number
  private s2: number
  private s3: number

  constructor(s0: number, s1: number, s2: number, s3: number) {
    assert((s0 | s1 | s2 | s3) !== 0, 'xoshiro128 never leaves the all-zero state')
    this.s0 = s0 | 0
    this.s1 = s1 | 0
    this.s2 = s2 | 0
    this.s3 = s3 | 0
  }

  uint32(): number {
    const s1 = this.s1
    const product = Math.imul(s1, 5)
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0
    const s2 = this.s2 ^ this.s0
    const s3 = this.s3 ^ s1
    this.s1 = s1 ^ s2
    this.s0 ^= s3
    this.s2 = s2 ^ (s1 << 9)
    this.s3 = (s3 << 11) | (s3 >>> 21)
    return result
  }

  uniform(): number {
    const high = this.uint32() >>> 5
    const low = this.uint32() >>> 6
    return (high * 67108864 + low) / 9007199254740992
  }

  below(bound: number): number {
    assert(bound >= 1 && bound <= TWO_32 && Math.floor(bound) === bound, 'a random bound is an integer from 1 to 2^32')
    // Draws from the incomplete last round are refused, so that every value is equally likely.
    const limit = TWO_32 - (TWO_32 % bound)
    let draw = this.uint32()
    while (draw >= limit) draw = this.uint32()
    return draw % bound
  }

  exponential(mean: number): number {
    return -mean * ln(1 - this.uniform())
  }
}

function seededStream(seed: number, name: string): RandomStream {
  let state = splitmix64(BigInt(seed)) ^ fnv1a64(name)
  const words: number[] = []
  for (let i = 0; i < 2; i++) {
    state = (state + SPLITMIX_GAMMA) & MASK_64
    const z = splitmix64Mix(state)
    words.push(Number(z & 0xffffffffn), Number(z >> 32n))
  }
  // Two successive splitmix64 outputs are never both zero: the mix is a bijection and the states differ.
  return new Xoshiro128(words[0]!, words[1]!, words[2]!, words[3]!)
}

/** 2^64 divided by the golden ratio, odd (Steele, Lea, Flood 2014). */
const SPLITMIX_GAMMA = 0x9e3779b97f4a7c15n

/** First output of splitmix64 for that seed. */
function splitmix64(seed: bigint): bigint {
  return splitmix64Mix((seed + SPLITMIX_GAMMA) & MASK_64)
}

function splitmix64Mix(state: bigint): bigint {
  let z = state
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK_64
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK_64
  return z ^ (z >> 31n)
}

/** FNV-1a, 64 bits, over the UTF-16 code units, low byte first. */
function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    hash = ((hash ^ BigInt(unit & 0xff)) * 0x100000001b3n) & MASK_64
    hash = ((hash ^ BigInt(unit >>> 8)) * 0x100000001b3n) & MASK_64
  }
  return hash
}
