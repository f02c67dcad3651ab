/**
 * htsim's .topo files: a header (Nodes, Tiers, Podsize), then a block per tier, 0 being the ToRs.
 * Units: speeds in whole Gbit/s, latencies in whole ns. Link keys of a tier apply to its downlinks.
 * htsim splits lines at single spaces, so that a second space between key and value is an error in both tools. Unknown
 * keys are skipped as in htsim, with a note.
 * Source: datacenter/fat_tree_topology of csg-htsim and uet-htsim; sizes follow from its rules and must agree with
 * every given radix.
 */
import { quote } from '../importer.ts'
import { parseWhole, plural, type Findings, type Location } from '../text-input.ts'

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
export function readHtsimTopo(file: string, text: string, findings: Findings): HtsimTopo | undefined {
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
      findings.note(
        `${file}:${location.line}: ${quote(line)} is not a key ${block === undefined ? 'of the header' : 'of a tier'}; ignored, as in htsim`,
      )
      continue
    }
    const value = readValue(line, word, location, findings)
    if (value === undefined) continue
    if (key === 'tier') block = openBlock(blocks, value, location, findings)
    else put(block ?? header, key, { value, location }, findings)
  }
  return derive(file, header, blocks, findings)
}

/** The number after a key and one space. */
function readValue(line: string, word: string, location: Location, findings: Findings): number | undefined {
  const rest = line.slice(word.length + 1)
  const at = { ...location, column: word.length + 2 }
  if (/^\s/.test(rest)) {
    findings.issue(
      at,
      word,
      'exactly one space between key and value',
      quote(line),
      'htsim splits lines at single spaces',
    )
    return undefined
  }
  const [value = '', ...more] = rest.trimEnd().split(/\s+/)
  if (more.length > 0)
    findings.note(`${location.file}:${location.line}: ${quote(more.join(' '))} after the value is ignored, as in htsim`)
  const number = parseWhole(value)
  if (number === undefined) findings.issue(at, word, 'a whole number', quote(value))
  return number
}

function openBlock(blocks: (Settings | undefined)[], tier: number, location: Location, findings: Findings): Settings {
  if (tier > 2) {
    findings.issue(location, 'Tier', '0 (ToR), 1 or 2', `${tier}`)
    return new Settings(location)
  }
  const settings = blocks[tier] ?? new Settings(location)
  blocks[tier] = settings
  return settings
}

function put(settings: Settings, key: string, setting: Setting, findings: Findings): void {
  const before = settings.get(key)
  if (before !== undefined)
    findings.issue(
      setting.location,
      key,
      `${key} once (line ${before.location.line})`,
      'it again',
      'htsim refuses this too',
    )
  settings.set(key, setting)
}

/** Computes the sizes from the settings. */
function derive(
  file: string,
  header: Settings,
  blocks: readonly (Settings | undefined)[],
  findings: Findings,
): HtsimTopo | undefined {
  const nodes = settingOf(header, 'nodes', findings, { max: MOST_HOSTS })
  const tierCount = settingOf(header, 'tiers', findings, { min: 2, max: 3 })
  const podSize = settingOf(header, 'podsize', findings, { max: MOST_HOSTS })
  if (nodes === undefined || tierCount === undefined || podSize === undefined) return undefined
  const tiers: HtsimTier[] = []
  for (let tier = 0; tier < 3; tier++) {
    const block = blocks[tier]
    if (tier >= tierCount) {
      if (block !== undefined) findings.note(`${file}: Tier ${tier} is not used, with Tiers ${tierCount}`)
      continue
    }
    if (block === undefined)
      findings.issue(header.location, `Tier ${tier}`, `a block "Tier ${tier}" with Tiers ${tierCount}`, 'none')
    else tiers.push(readTier(file, block, tier, tierCount, findings))
  }
  if (findings.any || tiers.length !== tierCount) return undefined
  return tierCount === 2
    ? twoTiers(file, nodes, podSize, tiers, findings)
    : threeTiers(file, nodes, podSize, tiers, findings)
}

interface Range {
  readonly min?: number
  readonly max?: number
  readonly standard?: number
}

function settingOf(settings: Settings, key: string, findings: Findings, range: Range, where = ''): number | undefined {
  const setting = settings.get(key)
  const { min = 1, max = MOST_HOSTS, standard } = range
  if (setting === undefined) {
    if (standard === undefined) findings.issue(settings.location, key, `${key}${where}`, 'none')
    return standard
  }
  if (setting.value >= min && setting.value <= max) return setting.value
  findings.issue(setting.location, key, `${min} to ${max}`, `${setting.value}`)
  return undefined
}

function readTier(file: string, block: Settings, tier: number, tierCount: number, findings: Findings): HtsimTier {
  const where = ` of Tier ${tier}`
  const top = tier === tierCount - 1
  const number = (key: TierKey, range: Range): number => settingOf(block, key, findings, range, where) ?? 1
  const radixUp = block.get('radix_up')
  if (tier === 2 && radixUp !== undefined)
    findings.issue(radixUp.location, 'radix_up', 'none, as Tier 2 is the top', `${radixUp.value}`)
  else if (top && radixUp !== undefined)
    findings.note(`${file}:${radixUp.location.line}: Radix_Up of the top tier is not used`)
  if (block.has('queue_up') || block.has('queue_down')) {
    findings.note(
      `${file}: Queue_Up and Queue_Down are not carried over: switches of the scenario share one buffer among all ports`,
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
function agree(file: string, findings: Findings, field: string, expected: number, received: number): boolean {
  if (expected === received) return true
  findings.issue(undefined, field, `${expected} in ${file}, from its other numbers`, `${received}`)
  return false
}

/** `a / b` if it is a whole number; otherwise an issue. */
function divide(file: string, findings: Findings, field: string, a: number, b: number): number | undefined {
  if (a % b === 0 && a / b >= 1) return a / b
  findings.issue(undefined, field, `a whole number in ${file}`, `${a} / ${b}`)
  return undefined
}

/** ToRs and their links up and down, which are the same for two and three tiers. */
function lowerTiers(file: string, nodes: number, podSize: number, tiers: readonly HtsimTier[], findings: Findings) {
  const [tor, agg] = tiers
  if (tor === undefined || agg === undefined) return undefined
  if (tor.bundle !== 1)
    findings.issue(undefined, 'Bundle', '1 at Tier 0: hosts of htsim have one link only', `${tor.bundle}`)
  const podCount = divide(file, findings, 'Nodes / Podsize', nodes, podSize)
  const torsPerPod = divide(file, findings, 'Podsize / Radix_Down of Tier 0', podSize, tor.radixDown)
  const aggsPerPod = divide(file, findings, 'Radix_Up of Tier 0 / Bundle of Tier 1', tor.radixUp, agg.bundle)
  if (podCount === undefined || torsPerPod === undefined || aggsPerPod === undefined) return undefined
  agree(file, findings, 'Radix_Down of Tier 1', torsPerPod * agg.bundle, agg.radixDown)
  const uplinks = tor.radixUp * agg.speedGbps * tor.oversubscribed
  agree(
    file,
    findings,
    'Radix_Up * Downlink_speed_Gbps of Tier 1 * Oversubscribed of Tier 0',
    tor.radixDown * tor.speedGbps,
    uplinks,
  )
  return { podCount, torsPerPod, aggsPerPod, agg }
}

function twoTiers(
  file: string,
  nodes: number,
  podSize: number,
  tiers: readonly HtsimTier[],
  findings: Findings,
): HtsimTopo | undefined {
  const lower = lowerTiers(file, nodes, podSize, tiers, findings)
  if (lower === undefined) return undefined
  agree(file, findings, 'Podsize (with Tiers 2)', nodes, podSize)
  const { podCount, torsPerPod, aggsPerPod } = lower
  return findings.any ? undefined : { hosts: nodes, podCount, torsPerPod, aggsPerPod, coreCount: 0, tiers }
}

function threeTiers(
  file: string,
  nodes: number,
  podSize: number,
  tiers: readonly HtsimTier[],
  findings: Findings,
): HtsimTopo | undefined {
  const lower = lowerTiers(file, nodes, podSize, tiers, findings)
  const core = tiers[2]
  if (lower === undefined || core === undefined) return undefined
  const { podCount, torsPerPod, aggsPerPod, agg } = lower
  agree(file, findings, 'Radix_Down of Tier 2', podCount * core.bundle, core.radixDown)
  const coresPerAgg = divide(file, findings, 'Radix_Up of Tier 1 / Bundle of Tier 2', agg.radixUp, core.bundle)
  const uplinks = agg.radixUp * core.speedGbps * agg.oversubscribed
  agree(
    file,
    findings,
    'Radix_Up * Downlink_speed_Gbps of Tier 2 * Oversubscribed of Tier 1',
    agg.radixDown * agg.speedGbps,
    uplinks,
  )
  if (coresPerAgg === undefined || findings.any) return undefined
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

/** Text for notes: "1024 hosts in 16 pods: 128 ToRs, 128 aggregation switches, 64 cores". */
export function describeHtsimTopo(topo: HtsimTopo): string {
  const tors = plural(topo.torsPerPod * topo.podCount, 'ToR')
  const aggs = topo.aggsPerPod * topo.podCount
  if (topo.coreCount === 0) return `${plural(topo.hosts, 'host')}, ${tors}, ${plural(aggs, 'spine')}`
  return `${plural(topo.hosts, 'host')} in ${plural(topo.podCount, 'pod')}: ${tors}, ${aggs} aggregation switches, ${plural(topo.coreCount, 'core')}`
}
