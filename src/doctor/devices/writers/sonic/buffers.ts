/**
 * Buffers in config_db.json: pools, and a profile for each content that priority groups or queues of ports have.
 * Sources: sonic-yang-models (sonic-buffer-*); saibuffer.h (shares are powers of two).
 */
import {
  knownOf,
  type ClassConfig,
  type PoolConfig,
  type PortConfig,
  type SwitchSettings,
} from '../../../../core/device-model/index.ts'
import { firstKnown, whole, written } from '../known.ts'
import type { Numbers } from './maps.ts'
import { ranges, type Tables } from './tables.ts'

/** In place of a profile: the switch computes it from speed and cable. */
const DYNAMIC = 'NULL'
/** With this exponent a queue may fill its pool; with the other it drops long before. */
const UNLIMITED_TH = 7
const LIMITED_TH = 3

type Written = Readonly<Record<string, string | undefined>>

interface Pool {
  readonly name: string
  readonly config: PoolConfig
}

/** Fields of a group's profile, of the classes that share the group: the first known value. */
interface Profile {
  readonly hasHeadroom: boolean | undefined
  readonly alpha: number | undefined
  readonly sizes: Written
  /** Headroom of its own. */
  readonly headroomBytes: number
}

export class Buffers {
  readonly #tables: Tables
  readonly #pools: readonly Pool[]
  readonly #isDynamic: boolean
  /** Share of groups without a profile, where the switch computes them. */
  readonly #usualAlpha: number | undefined

  constructor(tables: Tables, settings: SwitchSettings, ports: readonly PortConfig[], groups: Numbers) {
    this.#tables = tables
    this.#pools = poolsOf(tables, settings.pools)
    this.#isDynamic = knownOf(settings.isHeadroomDynamic) === true
    const computed = ports
      .flatMap((port) => [...groups.slots(port.settings).values()].map(profileOf))
      .filter((profile) => this.#isComputed(profile))
    this.#usualAlpha = computed.find(({ alpha }) => alpha !== undefined)?.alpha
    this.#writePools()
    const ratio = knownOf(settings.headroomOversubscription)
    const share = this.#usualAlpha
    if (ratio !== undefined || share !== undefined)
      tables.put('DEFAULT_LOSSLESS_BUFFER_PARAMETER', tables.name('lossless-parameters'), {
        default_dynamic_th: share === undefined ? undefined : exponentOf(share),
        over_subscribe_ratio: ratio === undefined ? undefined : whole(ratio),
      })
  }

  writePort({ name, settings }: PortConfig, groups: Numbers, queues: Numbers): void {
    const ofGroups = new Map<number, string>()
    for (const [group, classes] of groups.slots(settings)) {
      const profile = this.#groupProfile(profileOf(classes))
      if (profile !== undefined) ofGroups.set(group, profile)
    }
    const ofQueues = new Map<number, string>()
    for (const [queue, classes] of queues.slots(settings)) {
      const drops = firstKnown(classes.map(({ dropsAtEgress }) => dropsAtEgress))
      if (drops !== undefined) ofQueues.set(queue, this.#queueProfile(drops))
    }
    for (const [range, profile] of ranges(ofGroups)) this.#tables.put('BUFFER_PG', `${name}|${range}`, { profile })
    for (const [range, profile] of ranges(ofQueues)) this.#tables.put('BUFFER_QUEUE', `${name}|${range}`, { profile })
  }

  #isComputed({ hasHeadroom, sizes }: Profile): boolean {
    return this.#isDynamic && hasHeadroom === true && Object.keys(sizes).length === 0
  }

  /** Name of the profile; undefined: the group has none. */
  #groupProfile(profile: Profile): string | undefined {
    const { hasHeadroom, alpha, sizes, headroomBytes } = profile
    if (hasHeadroom !== true && alpha === undefined && Object.keys(sizes).length === 0) return undefined
    if (this.#isComputed(profile) && alpha === this.#usualAlpha) return DYNAMIC
    const isLossless = 'xoff' in sizes || 'xon' in sizes
    const isShared = (pool: Pool | undefined): boolean =>
      (pool && (knownOf(pool.config.sharedHeadroomBytes) ?? 0) > 0) === true
    const ingress = this.#pools.filter(({ config }) => knownOf(config.side) !== 'egress')
    const filled = ingress.filter(({ config }) => knownOf(config.sizeBytes) !== 0)
    const pools = filled.length > 0 ? filled : ingress
    const own = pools.find((pool) => !isShared(pool))
    const shared = pools.find(isShared)
    const pool = isLossless ? (hasHeadroom === false ? own : (shared ?? own)) : pools.at(-1)
    const hasSome = headroomBytes > 0 || (isLossless && isShared(pool))
    return this.#named(isLossless ? 'lossless-profile' : 'lossy-profile', {
      pool: (pool ?? shared)?.name,
      ...sizes,
      dynamic_th: alpha === undefined ? undefined : exponentOf(alpha),
      headroom_type: hasHeadroom === true && !hasSome ? 'dynamic' : undefined,
    })
  }

  #queueProfile(drops: boolean): string {
    const pools = this.#pools.filter(({ config }) => knownOf(config.side) !== 'ingress')
    if (drops)
      return this.#named('lossy-queue-profile', { pool: pools.at(-1)?.name, size: '0', dynamic_th: String(LIMITED_TH) })
    const bytes = pools[0] === undefined ? undefined : knownOf(pools[0].config.sizeBytes)
    return this.#named('lossless-queue-profile', {
      pool: pools[0]?.name,
      size: '0',
      ...(bytes === undefined ? { dynamic_th: String(UNLIMITED_TH) } : { static_th: whole(bytes) }),
    })
  }

  #named(purpose: string, fields: Written): string {
    return this.#tables.named('BUFFER_PROFILE', purpose, definite(fields))
  }

  #writePools(): void {
    const isFixed = (pool: Pool): boolean =>
      pool === this.#pools.find(({ config }) => knownOf(config.side) === 'egress') &&
      knownOf(pool.config.sizeBytes) !== undefined
    for (const pool of this.#pools) {
      const size = knownOf(pool.config.sizeBytes)
      const shared = this.#isDynamic
        ? knownOf(pool.config.sharedHeadroomBytes)
        : written(pool.config.sharedHeadroomBytes, 0)
      this.#tables.put('BUFFER_POOL', pool.name, {
        type: knownOf(pool.config.side),
        mode: isFixed(pool) ? 'static' : 'dynamic',
        size: size === undefined ? undefined : whole(size),
        xoff: shared === undefined ? undefined : whole(shared),
      })
    }
  }
}

const exponentOf = (share: number): string => whole(Math.log2(share))

function definite(fields: Written): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])))
}

/** Pools are known by the order of their names. */
function poolsOf(tables: Tables, configs: readonly PoolConfig[]): Pool[] {
  const names = configs.map((_, index) => tables.name(`buffer-pool ${index + 1}`)).sort((a, b) => (a < b ? -1 : 1))
  return configs.map((config, index) => ({ name: names[index]!, config }))
}

function profileOf(classes: readonly ClassConfig[]): Profile {
  const first = (field: 'reserveBytes' | 'xonBytes' | 'xonOffsetBytes' | 'staticBytes'): string | undefined => {
    const bytes = firstKnown(classes.map((own) => own[field]))
    return bytes === undefined ? undefined : whole(bytes)
  }
  const headroom = firstKnown(classes.map(({ headroomBytes }) => headroomBytes))
  return {
    hasHeadroom: firstKnown(classes.map(({ hasHeadroom }) => hasHeadroom)),
    alpha: firstKnown(classes.map(({ alpha }) => alpha)),
    headroomBytes: typeof headroom === 'number' ? headroom : 0,
    sizes: definite({
      size: first('reserveBytes'),
      xon: first('xonBytes'),
      xon_offset: first('xonOffsetBytes'),
      xoff: typeof headroom === 'number' ? whole(headroom) : undefined,
      static_th: first('staticBytes'),
    }),
  }
}
