/**
 * Settings that hold everywhere and limit traffic: windows, caps, host delays, receive queues, PFC that is off, small buffers.
 * Each is asked only where the run shows its sign; the cure is the value that limits nothing.
 */
import { formatQuantity } from '../../../../core/base/units.ts'
import { printAt } from '../../../scenario/changes.ts'
import { hasSendCosts } from '../../../../core/fabric/params.ts'
import { dataClasses, type Scenario } from '../../../scenario/index.ts'
import type { Topology } from '../../../../core/topology/index.ts'
import { flowText, GOES_BACK, kindOfPath, type Suspect, type SuspectKind } from '../suspect.ts'

/** Signs of a run. */
export interface Signs {
  /** By part of the completion time: its share in the time of the slow messages; null: the run has no autopsy. */
  readonly parts: ReadonlyMap<string, number> | null
  /** By reason. */
  readonly drops: Readonly<Record<string, number>>
  readonly timeouts: number
}

/** A setting, the value that takes its limit away, and how strong its sign is, 0 to 1; 0: it is not asked. */
interface Limit {
  readonly path: string
  readonly kind?: SuspectKind
  /** Undefined: it does not limit here. */
  readonly relief: (scenario: Scenario, topology: Topology) => string | undefined
  readonly sign: (signs: Signs) => number
}

/** Share of the slow messages' time from which a part is a sign. */
const SIGN = 0.05
/** A switch that cannot hold this much of what its ports bring is shallow: today's chips hold 20 us and more (docs/models/hardware.md). */
const SHALLOW_PS = 20e6
const DEEPER = 8

/** Without an autopsy each is asked. */
const inParts =
  (...columns: readonly string[]) =>
  ({ parts }: Signs): number => {
    if (parts === null) return SIGN
    const share = columns.reduce((sum, column) => sum + (parts.get(column) ?? 0), 0)
    return share >= SIGN ? share : 0
  }
const dropped =
  (...reasons: readonly string[]) =>
  ({ drops }: Signs): number =>
    reasons.some((reason) => (drops[reason] ?? 0) > 0) ? 1 : 0
const always = (): number => 0.3

const RATES = ['ratePs', 'windowPs', 'capPs', 'answerPs']

const LIMITS: readonly Limit[] = [
  {
    path: 'balance.seed',
    relief: ({ balance }) => ('seed' in balance && balance.seed === 'same' ? 'random' : undefined),
    sign: always,
  },
  {
    path: 'balance.seeds',
    relief: ({ balance }) => ('seeds' in balance && balance.seeds.length > 0 ? '[]' : undefined),
    sign: always,
  },
  {
    path: 'qp.window',
    relief: ({ qp }) => unless(qp.window, null, 'off'),
    sign: inParts(...RATES),
  },
  {
    path: 'recovery.cap',
    relief: ({ recovery }) => ('cap' in recovery ? unless(recovery.cap, null, 'off') : undefined),
    sign: inParts(...RATES),
  },
  {
    path: 'qp.hostDelay',
    relief: ({ qp }) => (qp.hostDelay.kind === 'none' ? undefined : 'none'),
    sign: always,
  },
  {
    path: 'qp.receiveQueue',
    relief: ({ qp }) => unless(qp.receiveQueue, null, 'off'),
    sign: inParts('rnrPs', 'creditsPs'),
  },
  {
    path: 'verbs.receives',
    relief: ({ verbs }) => `${DEEPER * verbs.receives}`,
    sign: ({ parts }) => (parts === null ? 0 : inParts('rnrPs', 'creditsPs')({ parts, drops: {}, timeouts: 0 })),
  },
  {
    path: 'pfc.classes',
    relief: (scenario) => {
      const { pfc, recovery } = scenario
      // Others are made for networks that drop.
      if (!GOES_BACK.has(recovery.kind)) return undefined
      const data = dataClasses(scenario)
      return data.every((each) => pfc.classes.includes(each))
        ? undefined
        : flowText([...new Set([...pfc.classes, ...data])].toSorted((a, b) => a - b))
    },
    sign: dropped('buffer full'),
  },
  {
    path: 'switch.buffer.size',
    kind: 'small-buffer',
    relief: ({ switch: { buffer } }, topology) => {
      if (!('size' in buffer) || buffer.size === null) return undefined
      return buffer.size < shallowBytes(topology) ? formatQuantity('size', DEEPER * buffer.size) : undefined
    },
    sign: dropped('buffer full', 'WRED'),
  },
  { path: 'switch.watchdog', relief: (s) => unless(s.switch.watchdog.kind, 'off', 'off'), sign: dropped('watchdog') },
  { path: 'switch.mtu', relief: (s) => unless(s.switch.mtu, null, 'off'), sign: dropped('frame too long') },
  { path: 'nic.mtu', relief: ({ nic }) => unless(nic.mtu, null, 'off'), sign: dropped('frame too long') },
  {
    path: 'nic.send',
    kind: 'rate-cap',
    relief: ({ nic: { send } }) => (hasSendCosts(send) ? FREE_SENDS : undefined),
    sign: always,
  },
  { path: 'nic.receive', relief: ({ nic }) => unless(nic.receive.kind, 'unlimited', 'unlimited'), sign: always },
  { path: 'classes.dscpMap', relief: ({ classes }) => (classes.dscpMap.length > 0 ? '[]' : undefined), sign: always },
  {
    path: 'qp.ackTimeout',
    kind: 'setting',
    relief: ({ qp }) => unless(qp.ackTimeout, null, 'off'),
    // Nothing was lost.
    sign: ({ drops, timeouts }) => (timeouts > 0 && Object.values(drops).every((count) => count === 0) ? 1 : 0),
  },
]

/** Costs of sending that hold nothing up. */
const FREE_SENDS = '{}'

/** Bytes that all ports of the largest switch bring in the time that is shallow. */
function shallowBytes({ links, tiers }: Topology): number {
  const sums = new Map<number, number>()
  for (const { a, b, rateBps } of links)
    for (const node of [a, b]) if (tiers[node]! > 0) sums.set(node, (sums.get(node) ?? 0) + rateBps)
  return (Math.max(0, ...sums.values()) * SHALLOW_PS) / 8e12
}

function unless<T>(value: T, free: T, relief: string): string | undefined {
  return value === free ? undefined : relief
}

export function limitingSettings(scenario: Scenario, topology: Topology, signs: Signs): Suspect[] {
  return LIMITS.flatMap(({ path, kind, relief, sign }): Suspect[] => {
    const usual = relief(scenario, topology)
    const strength = sign(signs)
    if (usual === undefined || strength === 0) return []
    return [
      {
        kind: kind ?? kindOfPath(path),
        subject: { path },
        others: [],
        stage: 'limit',
        sides: new Set(['declared']),
        now: flowText(printAt(scenario, path)),
        usual: usual === FREE_SENDS ? 'none' : usual,
        sets: () => [`${path}=${usual}`],
        nodes: [],
        weight: 1.5 * strength,
      },
    ]
  })
}
