/**
 * Routing of a mixture of experts: which experts each token goes to, drawn. Experts are on ranks in equal shares, in order.
 * With groups, a token first draws as many of these as it may go to, by the weights of their experts, then experts in them;
 * each without replacement.
 * Source: DeepSeek-V3, "DeepSeek-V3 technical report" (2024), node-limited routing.
 */
import { pow } from '../../../base/math.ts'
import { count, definition, ratio, type ValueOf, variant } from '../../../base/params.ts'
import { type RandomStream, shuffle } from '../../../base/random.ts'

export const skewParam = variant(
  [
    definition({ name: 'none', help: 'all alike', params: {} }),
    definition({
      name: 'zipf',
      help: 'the k-th of them, in an order that is drawn, with weight 1/k^exponent',
      params: { exponent: ratio({ default: 1, max: 10, help: '0: all alike' }) },
    }),
    definition({
      name: 'hot',
      help: 'one is called for more often',
      params: {
        times: ratio({ default: 4, max: 4096, help: 'its tokens over the mean of all experts' }),
        expert: count({ default: 0, max: 4095, help: 'its number' }),
      },
    }),
  ],
  { default: 'none', help: 'how often experts are called for' },
)
export type Skew = ValueOf<typeof skewParam>

export interface RoutingOptions {
  readonly ranks: number
  /** Consecutive ranks of a node. */
  readonly nodeSize: number
  /** By rank. */
  readonly tokens: number
  /** A multiple of ranks and of groups. */
  readonly experts: number
  readonly topK: number
  readonly groups: number
  readonly topGroups: number
  readonly skew: Skew
}

/** Tokens of one layer. */
export interface Routing {
  /** By source and destination rank: tokens for at least one expert there. */
  readonly toRank: readonly number[][]
  /** By source rank and node of the destination: the same for its experts. */
  readonly toNode: readonly number[][]
  /** By rank: how often its experts are called for, once for each token and expert. */
  readonly calls: readonly number[]
}

/** Draws the routing of a layer. */
export function drawRouting(options: RoutingOptions, stream: RandomStream): Routing {
  const { ranks, nodeSize, tokens, experts, topK } = options
  const nodes = Math.ceil(ranks / nodeSize)
  const zeros = (rows: number, columns: number): number[][] =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => 0))
  const [toRank, toNode] = [zeros(ranks, ranks), zeros(ranks, nodes)]
  const calls = Array.from({ length: ranks }, () => 0)
  const router = new Router(options, stream)
  const chosen = new Int32Array(topK)
  // Number of the last token that went there, so that it is counted once.
  const [seenRank, seenNode] = [new Int32Array(ranks), new Int32Array(nodes)]
  const expertsOfRank = experts / ranks
  for (let source = 0; source < ranks; source++) {
    seenRank.fill(-1)
    seenNode.fill(-1)
    for (let token = 0; token < tokens; token++) {
      router.draw(chosen)
      for (const expert of chosen) {
        const rank = Math.floor(expert / expertsOfRank)
        const node = Math.floor(rank / nodeSize)
        calls[rank]!++
        if (seenRank[rank] !== token) toRank[source]![rank]!++
        if (seenNode[node] !== token) toNode[source]![node]!++
        seenRank[rank] = seenNode[node] = token
      }
    }
  }
  return { toRank, toNode, calls }
}

/** Chooses experts of one token after another. */
class Router {
  readonly #options: RoutingOptions
  readonly #stream: RandomStream
  readonly #weights: Float64Array
  readonly #groupWeights: Float64Array
  /** Weights of those that are left to choose from. */
  readonly #open: Float64Array
  readonly #openGroups: Float64Array
  readonly #hot: number
  readonly #hotShare: number

  constructor(options: RoutingOptions, stream: RandomStream) {
    const { experts, groups, skew, topK } = options
    this.#options = options
    this.#stream = stream
    this.#weights = weightsOf(skew, experts, stream)
    this.#open = new Float64Array(experts)
    this.#openGroups = new Float64Array(groups)
    this.#groupWeights = new Float64Array(groups)
    this.#weights.forEach((weight, expert) => (this.#groupWeights[Math.floor((expert * groups) / experts)]! += weight))
    this.#hot = skew.kind === 'hot' ? skew.expert : -1
    this.#hotShare = skew.kind === 'hot' ? (skew.times * topK) / experts : 0
  }

  /** @param out gets topK different experts */
  draw(out: Int32Array): void {
    const { experts, groups, topK, topGroups } = this.#options
    const [stream, hot] = [this.#stream, this.#hot]
    // Drawn by itself, so that its share is exact.
    const isHot = hot >= 0 && stream.uniform() < this.#hotShare
    const size = experts / groups
    this.#open.set(this.#weights)
    if (topGroups < groups) {
      this.#openGroups.set(this.#groupWeights)
      let left = topGroups
      if (isHot) {
        this.#openGroups[Math.floor(hot / size)] = 0
        left--
      }
      for (; left > 0; left--) this.#openGroups[pick(this.#openGroups, stream)] = 0
      for (let group = 0; group < groups; group++) {
        if (this.#openGroups[group]! > 0) this.#open.fill(0, group * size, (group + 1) * size)
      }
    }
    if (hot >= 0) this.#open[hot] = 0
    let at = 0
    if (isHot) out[at++] = hot
    for (; at < topK; at++) {
      const expert = pick(this.#open, stream)
      this.#open[expert] = 0
      out[at] = expert
    }
  }
}

function weightsOf(skew: Skew, experts: number, stream: RandomStream): Float64Array {
  const { kind } = skew
  const weights = Array.from({ length: experts }, (_, k) => (kind === 'zipf' ? 1 / pow(k + 1, skew.exponent) : 1))
  if (kind === 'zipf') shuffle(weights, stream)
  return Float64Array.from(weights)
}

/** One of those with a weight above 0, of which there is one. */
function pick(weights: Float64Array, stream: RandomStream): number {
  let total = 0
  for (let i = 0; i < weights.length; i++) total += weights[i]!
  let left = stream.uniform() * total
  let last = -1
  for (let i = 0; i < weights.length; i++) {
    if (weights[i]! === 0) continue
    last = i
    left -= weights[i]!
    if (left < 0) return i
  }
  return last
}
