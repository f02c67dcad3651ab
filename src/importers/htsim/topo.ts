/**
 * htsim's .topo files: a header (Nodes, Tiers, Podsize), then a block per tier, 0 being the ToRs.
 * Units: speeds in whole Gbit/s, latencies in whole ns. Link keys of a tier apply to its downlinks.
 * htsim splits lines at single spaces, so that a second space between key and value is an error in both tools. Unknown
 * keys are skipped as in htsim, with a note.
 * Source: datacenter/fat_tree_topology of csg-htsim and uet-htsim; sizes follow from its rules and must agree with
 * every given radix.
 */
import { foundAt, importFindings } from '../../core/findings/index.ts'
import { quote, shortened } from '../importer.ts'
import { parseWhole, type ImportLog, type Location } from '../text-input.ts'

export interface HtsimTier {
  readonly speedGbps: number
  readonly latencyNs: number
  readonly radixDown: number
  /** 0 at the top. */
  readonly radixUp: number
  /** Downlinks per uplink, by capacity. */
  readonly oversubscribed: number
  /** Parallel links to each switch below. */
  readonly bundle: number
  readonly switchLatencyNs: number
}

export interface HtsimTopo {
  readonly hosts: number
  readonly podCount: number
  readonly torsPerPod: number
  /** Per pod; the spines when there are two tiers. */
  readonly aggsPerPod: number
  readonly coreCount: number
  /** Two or three, ToRs first. */
  readonly tiers: readonly HtsimTier[]
}

const TIER_KEYS = [
  'downlink_speed_gbps',
  'downlink_latency_ns',
  'radix_down',
  'radix_up',
  'oversubscribed',
  'bundle',
  'switch_latency_ns',
  'queue_up',
  'queue_down',
] as const
type TierKey = (typeof TIER_KEYS)[number]
const HEADER_KEYS = ['nodes', 'tiers', 'podsize'] as const

/** Limit that keeps a mistyped number from exhausting memory. */
const MOST_HOSTS = 1 << 20

interface Setting {
  readonly value: number
  readonly location: Location
}

/** Settings of the header or of a tier, whose block begins at `location`. */
class Settings extends Map<string, Setting> {
  readonly location: Location
  constructor(location: Location) {
    super()
    this.location = location
  }
}

/** Reads a topology, or adds issues and returns undefined. */
export function readHtsimTopo(file: string, text: string, log: ImportLog): HtsimTopo | undefined {
  const header = new Settings({ file, line: 1, column: 1 })
  const blocks: (Settings | undefined)[] = [undefined, undefined, undefined]
  let block: Settings | undefined
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '')
    if (line === '' || line.startsWith('#')) continue
    const location: Location = { file, line: index + 1, column: 1 }
    const [word = ''] = line.split(' ')
    const key = word.toLowerCase()
    const keys: readonly string[] = block === undefined ? HEADER_KEYS : TIER_KEYS
    const known = key === 'tier' || keys.includes(key)
    if (!known) {
      log.note(
        foundAt(
          importFindings.importKeyUnknown,
          { file, line: location.line },
          {
            words: shortened(line),
            keysOf: block === undefined ? 'the header' : 'a tier',
            ignoredThere: true,
            forkSets: null,
          },
        ),
      )
      continue
    }
    const value = readValue(line, word, location, log)
    if (value === undefined) continue
    if (key === 'tier') block = openBlock(blocks, value, location, log)
    else put(block ?? header, key, { value, location }, log)
  }
  return derive(file, header, blocks, log)
}

/** The number after a key and one space. */
function readValue(line: string, word: string, location: Location, log: ImportLog): number | undefined {
  const rest = line.slice(word.length + 1)
  const at = { ...location, column: word.length + 2 }
  if (/^\s/.test(rest)) {
    log.issue(at, word, 'exactly one space between key and value', quote(line), 'htsim splits lines at single spaces')
    return undefined
  }
  const [value = '', ...more] = rest.trimEnd().split(/\s+/)
  if (more.length > 0)
    log.note(
      foundAt(
        importFindings.importTextIgnored,
        { file: location.file, line: location.line },
        { words: shortened(more.join(' ')), count: 1, of: 'value', ignoredThere: true },
      ),
    )
  const number = parseWhole(value)
  if (number === undefined) log.issue(at, word, 'a whole number', quote(value))
  return number
}

function openBlock(blocks: (Settings | undefined)[], tier: number, location: Location, log: ImportLog): Settings {
  if (tier > 2) {
    log.issue(location, 'Tier', '0 (ToR), 1 or 2', `${tier}`)
    return new Settings(location)
  }
  const settings = blocks[tier] ?? new Settings(location)
  blocks[tier] = settings
  return settings
}

function put(settings: Settings, key: string, setting: Setting, log: ImportLog): void {
  const before = settings.get(key)
  if (before !== undefined)
    log.issue(setting.location, key, `${key} once (line ${before.location.line})`, 'it again', 'htsim refuses this too')
  settings.set(key, setting)
}

/** Computes the sizes from the settings. */
function derive(
  file: string,
  header: Settings,
  blocks: readonly (Settings | undefined)[],
  log: ImportLog,
): HtsimTopo | undefined {
  const nodes = settingOf(header, 'nodes', log, { max: MOST_HOSTS })
  const tierCount = settingOf(header, 'tiers', log, { min: 2, max: 3 })
  const podSize = settingOf(header, 'podsize', log, { max: MOST_HOSTS })
  if (nodes === undefined || tierCount === undefined || podSize === undefined) return undefined
  const tiers: HtsimTier[] = []
  for (let tier = 0; tier < 3; tier++) {
    const block = blocks[tier]
    if (tier >= tierCount) {
      if (block !== undefined)
        log.note(
          foundAt(
            importFindings.importWithoutEffect,
            { file },
            { names: [`Tier ${tier}`], reason: `Tiers is ${tierCount}` },
          ),
        )
      continue
    }
    if (block === undefined)
      log.issue(header.location, `Tier ${tier}`, `a block "Tier ${tier}" with Tiers ${tierCount}`, 'none')
    else tiers.push(readTier(file, block, tier, tierCount, log))
  }
  if (log.any || tiers.length !== tierCount) return undefined
  return topoOf(file, nodes, podSize, tiers, log)
}

interface Range {
  readonly min?: number
  readonly max?: number
  readonly standard?: number
}

function settingOf(settings: Settings, key: string, log: ImportLog, range: Range, where = ''): number | undefined {
  const setting = settings.get(key)
  const { min = 1, max = MOST_HOSTS, standard } = range
  if (setting === undefined) {
    if (standard === undefined) log.issue(settings.location, key, `${key}${where}`, 'none')
    return standard
  }
  if (setting.value >= min && setting.value <= max) return setting.value
  log.issue(setting.location, key, `${min} to ${max}`, `${setting.value}`)
  return undefined
}

function readTier(file: string, block: Settings, tier: number, tierCount: number, log: ImportLog): HtsimTier {
  const where = ` of Tier ${tier}`
  const top = tier === tierCount - 1
  const number = (key: TierKey, range: Range): number => settingOf(block, key, log, range, where) ?? 1
  const radixUp = block.get('radix_up')
  if (tier === 2 && radixUp !== undefined)
    log.issue(radixUp.location, 'radix_up', 'none, as Tier 2 is the top', `${radixUp.value}`)
  else if (top && radixUp !== undefined)
    log.note(
      foundAt(
        importFindings.importWithoutEffect,
        { file, line: radixUp.location.line },
        { names: ['Radix_Up'], reason: 'of the top tier' },
      ),
    )
  if (block.has('queue_up') || block.has('queue_down')) {
    log.note(
      foundAt(
        importFindings.importNotCarriedOver,
        { file },
        { names: ['Queue_Up', 'Queue_Down'], instead: 'switches of the scenario share one buffer among all ports' },
      ),
    )
  }
  return {
    speedGbps: number('downlink_speed_gbps', { max: 100_000 }),
    latencyNs: number('downlink_latency_ns', { max: 1e9 }),
    radixDown: number('radix_down', {}),
    radixUp: top ? 0 : number('radix_up', {}),
    oversubscribed: number('oversubscribed', { standard: 1 }),
    bundle: number('bundle', { standard: 1 }),
    switchLatencyNs: number('switch_latency_ns', { min: 0, max: 1e6, standard: 0 }),
  }
}

/** Checks that two numbers agree. */
function agree(file: string, log: ImportLog, field: string, expected: number, received: number): boolean {
  if (expected === received) return true
  log.issue(undefined, field, `${expected} in ${file}, from its other numbers`, `${received}`)
  return false
}

/** `a / b` if it is a whole number; otherwise an issue. */
function divide(file: string, log: ImportLog, field: string, a: number, b: number): number | undefined {
  if (a % b === 0 && a / b >= 1) return a / b
  log.issue(undefined, field, `a whole number in ${file}`, `${a} / ${b}`)
  return undefined
}

/** ToRs and their links up and down, which are the same for two and three tiers. */
function lowerTiers(file: string, nodes: number, podSize: number, tiers: readonly HtsimTier[], log: ImportLog) {
  const [tor, agg] = tiers
  if (tor === undefined || agg === undefined) return undefined
  if (tor.bundle !== 1)
    log.issue(undefined, 'Bundle', '1 at Tier 0: hosts of htsim have one link only', `${tor.bundle}`)
  const podCount = divide(file, log, 'Nodes / Podsize', nodes, podSize)
  const torsPerPod = divide(file, log, 'Podsize / Radix_Down of Tier 0', podSize, tor.radixDown)
  const aggsPerPod = divide(file, log, 'Radix_Up of Tier 0 / Bundle of Tier 1', tor.radixUp, agg.bundle)
  if (podCount === undefined || torsPerPod === undefined || aggsPerPod === undefined) return undefined
  agree(file, log, 'Radix_Down of Tier 1', torsPerPod * agg.bundle, agg.radixDown)
  const uplinks = tor.radixUp * agg.speedGbps * tor.oversubscribed
  agree(
    file,
    log,
    'Radix_Up * Downlink_speed_Gbps of Tier 1 * Oversubscribed of Tier 0',
    tor.radixDown * tor.speedGbps,
    uplinks,
  )
  return { podCount, torsPerPod, aggsPerPod, agg }
}

function topoOf(
  file: string,
  nodes: number,
  podSize: number,
  tiers: readonly HtsimTier[],
  log: ImportLog,
): HtsimTopo | undefined {
  const lower = lowerTiers(file, nodes, podSize, tiers, log)
  if (lower === undefined) return undefined
  const core = tiers[2]
  const { podCount, torsPerPod, aggsPerPod, agg } = lower
  if (core === undefined) {
    agree(file, log, 'Podsize (with Tiers 2)', nodes, podSize)
    return log.any ? undefined : { hosts: nodes, podCount, torsPerPod, aggsPerPod, coreCount: 0, tiers }
  }
  agree(file, log, 'Radix_Down of Tier 2', podCount * core.bundle, core.radixDown)
  const coresPerAgg = divide(file, log, 'Radix_Up of Tier 1 / Bundle of Tier 2', agg.radixUp, core.bundle)
  const uplinks = agg.radixUp * core.speedGbps * agg.oversubscribed
  agree(
    file,
    log,
    'Radix_Up * Downlink_speed_Gbps of Tier 2 * Oversubscribed of Tier 1',
    agg.radixDown * agg.speedGbps,
    uplinks,
  )
  if (coresPerAgg === undefined || log.any) return undefined
  return { hosts: nodes, podCount, torsPerPod, aggsPerPod, coreCount: aggsPerPod * coresPerAgg, tiers }
}

/** htsim's topology without a file: a fat tree of equal switches; undefined if the number of hosts is not k^3/4. */
export function defaultHtsimTopo(hosts: number, speedGbps: number, latencyNs: number): HtsimTopo | undefined {
  let k = 2
  while ((k * k * k) / 4 < hosts) k += 2
  if ((k * k * k) / 4 !== hosts) return undefined
  const half = k / 2
  const tier = (radixDown: number, radixUp: number): HtsimTier => ({
    speedGbps,
    latencyNs,
    radixDown,
    radixUp,
    oversubscribed: 1,
    bundle: 1,
    switchLatencyNs: 0,
  })
  const tiers = [tier(half, half), tier(half, half), tier(k, 0)]
  return { hosts, podCount: k, torsPerPod: half, aggsPerPod: half, coreCount: half * half, tiers }
}

/** How many of what it has. */
export function countsOfHtsimTopo(topo: HtsimTopo): Readonly<Record<string, number>> {
  const { hosts, podCount, torsPerPod, aggsPerPod, coreCount } = topo
  const tors = torsPerPod * podCount
  const aggs = aggsPerPod * podCount
  if (coreCount === 0) return { host: hosts, ToR: tors, spine: aggs }
  return { host: hosts, pod: podCount, ToR: tors, 'aggregation switch': aggs, core: coreCount }
}
