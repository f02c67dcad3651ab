/**
 * Pauses of a run as a timeline needs them: by stage (who is paused by whom: "tor paused by host"), by port, in bins of time.
 */
import { kindOfName } from '../../core/base/device-names.ts'
import { numberColumns, numbersOf, type Table, textsOf } from '../../core/results/index.ts'

/** Pauses of one port, all classes together. */
export interface PortPauses {
  /** "tor 0 port 3, by leaf 1". */
  readonly label: string
  readonly firstPs: number
  readonly totalPs: number
  /** Starts and ends, in pairs. */
  readonly spans: readonly (readonly [fromPs: number, toPs: number])[]
}

/** Ports of one kind that devices of one kind pause. */
export interface PauseStage {
  /** "tor, paused by host". */
  readonly label: string
  readonly firstPs: number
  /** Start of the first pause that lasts at least half as long as the longest one: short pauses of ordinary traffic do not count. */
  readonly heldPs: number
  /** By their first pause. */
  readonly ports: readonly PortPauses[]
}

/**
 * Stages in the order in which their long pauses begin: that of the spread, away from where it started, also where ordinary
 * traffic was paused for moments before.
 */
export function stagesOf(table: Table): PauseStage[] {
  const [startPs, endPs, port, tier, peerTier] = numberColumns(table, ['startPs', 'endPs', 'port', 'tier', 'peerTier'])
  const [nodes, nodeNames, peerNames] = [
    numbersOf(table, 'node'),
    textsOf(table, 'nodeName'),
    textsOf(table, 'peerName'),
  ]
  const words = new Map<number, Set<string>>()
  const note = (of: number, name: string): void => {
    words.set(of, (words.get(of) ?? new Set()).add(kindOfName(name)))
  }
  const stages = new Map<string, { tier: number; peerTier: number; rows: Map<string, number[]> }>()
  for (let row = 0; row < table.rowCount; row++) {
    note(tier[row]!, nodeNames[row]!)
    note(peerTier[row]!, peerNames[row]!)
    const key = `${tier[row]!} ${peerTier[row]!}`
    const stage = stages.get(key) ?? { tier: tier[row]!, peerTier: peerTier[row]!, rows: new Map<string, number[]>() }
    stages.set(key, stage)
    const at = `${nodes[row]!} ${port[row]!}`
    const rows = stage.rows.get(at)
    if (rows === undefined) stage.rows.set(at, [row])
    else rows.push(row)
  }
  const wordOf = (of: number): string => {
    const known = [...words.get(of)!]
    if (known.length !== 1) return of === 0 ? 'host' : `tier ${of}`
    // In a graph all switches have one name.
    const isOfOthersToo = [...words].some(([other, names]) => other !== of && names.has(known[0]!))
    return isOfOthersToo ? `${known[0]!} of tier ${of}` : known[0]!
  }
  return [...stages.values()]
    .map((stage): PauseStage => {
      const ports = [...stage.rows.values()]
        .map((rows): PortPauses => {
          const spans = rows.map((row) => [startPs[row]!, endPs[row]!] as const)
          const [row] = rows as [number]
          return {
            label:
              stage.tier === 0
                ? `${nodeNames[row]!}, by ${peerNames[row]!}`
                : `${nodeNames[row]!} port ${port[row]!}, by ${peerNames[row]!}`,
            firstPs: startPs[row]!,
            totalPs: spans.reduce((sum, [fromPs, toPs]) => sum + (toPs - fromPs), 0),
            spans,
          }
        })
        .sort((a, b) => a.firstPs - b.firstPs)
      const label = `${wordOf(stage.tier)}, paused by ${wordOf(stage.peerTier)}`
      return { label, firstPs: ports[0]!.firstPs, heldPs: heldFrom(ports), ports }
    })
    .sort((a, b) => a.heldPs - b.heldPs)
}

function heldFrom(ports: readonly PortPauses[]): number {
  const { fromPs, toPs } = longestOf(ports)
  let heldPs = Infinity
  for (const { spans } of ports) {
    for (const [startPs, endPs] of spans) if (endPs - startPs >= (toPs - fromPs) / 2) heldPs = Math.min(heldPs, startPs)
  }
  return heldPs
}

/** The longest pause of these ports, among equals the first. */
export function longestOf(ports: readonly PortPauses[]): {
  readonly label: string
  readonly fromPs: number
  readonly toPs: number
} {
  let longest = { label: '', fromPs: 0, toPs: -1 }
  for (const { label, spans } of ports) {
    for (const [fromPs, toPs] of spans)
      if (toPs - fromPs > longest.toPs - longest.fromPs) longest = { label, fromPs, toPs }
  }
  return longest
}

/** Most ports that are paused at one time; classes of a port that are paused together count once. */
export function mostAtOnce(ports: readonly PortPauses[]): number {
  const steps = ports
    .flatMap(({ spans }, port) =>
      spans.flatMap(([fromPs, toPs]) => [
        { atPs: fromPs, port, by: 1 },
        { atPs: toPs, port, by: -1 },
      ]),
    )
    .sort((a, b) => a.atPs - b.atPs || a.by - b.by)
  const classes = new Int32Array(ports.length)
  let [paused, most] = [0, 0]
  for (const { port, by } of steps) {
    const before = classes[port]!
    classes[port] = before + by
    if (before === 0 && by > 0) paused++
    if (before === 1 && by < 0) paused--
    most = Math.max(most, paused)
  }
  return most
}

/** By bin of `count` equal ones: share of it in which the port was paused. Classes that are paused together count once. */
export function sharesOf(
  { spans }: Pick<PortPauses, 'spans'>,
  fromPs: number,
  toPs: number,
  count: number,
): Float64Array {
  const shares = new Float64Array(count)
  const binPs = (toPs - fromPs) / count
  for (const [startPs, endPs] of spans) {
    const first = Math.max(0, (startPs - fromPs) / binPs)
    const last = Math.min(count, (endPs - fromPs) / binPs)
    for (let bin = Math.floor(first); bin < last; bin++) {
      shares[bin]! += Math.min(last, bin + 1) - Math.max(first, bin)
    }
  }
  return shares.map((share) => Math.min(1, share))
}

/** From the start to shortly after the last change, where most of the run is without any. */
export function changesOf(stages: readonly PauseStage[], endPs: number): readonly [fromPs: number, toPs: number] {
  let first = endPs
  let last = 0
  for (const { ports } of stages) {
    for (const { spans } of ports) {
      for (const [startPs, stopPs] of spans) {
        first = Math.min(first, startPs)
        last = Math.max(last, startPs, stopPs < endPs ? stopPs : 0)
      }
    }
  }
  const toPs = last < 0.6 * endPs ? Math.min(endPs, last + 0.25 * (last - first) + 1) : endPs
  return [first > 0.5 * toPs ? first - 0.1 * (toPs - first) : 0, Math.max(toPs, 1)]
}
