/**
 * Pauses of a run as a timeline needs them: by stage (who is paused by whom: "tor paused by host"), by port, in bins of time.
 */
import { findColumn, numbersOf, type Result, type Table, textsOf } from '../../../results/index.ts'

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
  /** By their first pause. */
  readonly ports: readonly PortPauses[]
}

const NEEDED = ['startPs', 'endPs', 'node', 'nodeName', 'port', 'peerNode', 'peerName', 'tier', 'peerTier']

/** The table of pauses that says who paused whom; undefined: the run has none, or is an older one. */
export function pauseTableOf({ series }: Result): Table | undefined {
  return series.find((table) => NEEDED.every((name) => findColumn(table, name) !== undefined))
}

/** Stages in the order in which they begin: that of the spread, away from where it started. */
export function stagesOf(table: Table): PauseStage[] {
  const [startPs, endPs, port, tier, peerTier] = (['startPs', 'endPs', 'port', 'tier', 'peerTier'] as const).map(
    (name) => numbersOf(table, name),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]
  const [nodes, nodeNames, peerNames] = [
    numbersOf(table, 'node'),
    textsOf(table, 'nodeName'),
    textsOf(table, 'peerName'),
  ]
  const words = new Map<number, Set<string>>()
  const note = (of: number, name: string): void => {
    words.set(of, (words.get(of) ?? new Set()).add(kindOf(name)))
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
    return known.length === 1 ? known[0]! : of === 0 ? 'host' : `tier ${of}`
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
      return { label: `${wordOf(stage.tier)}, paused by ${wordOf(stage.peerTier)}`, firstPs: ports[0]!.firstPs, ports }
    })
    .sort((a, b) => a.firstPs - b.firstPs)
}

/** The name of a node without its number: "tor 0.1" is a "tor". */
export function kindOf(name: string): string {
  return name.replace(/(\sport)?\s[\d.]+$/, '').replace(/\s[\d.]+$/, '')
}

/** By bin of `count` equal ones: share of it in which the port was paused. Classes that are paused together count once. */
export function sharesOf({ spans }: PortPauses, fromPs: number, toPs: number, count: number): Float64Array {
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
