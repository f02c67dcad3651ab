/**
 * Switches: their hardware, marking, schedulers, watchdogs and MTUs, for the ports that are in the network.
 */
import { knownOf } from '../../core/device-model/index.ts'
import { formatQuantity } from '../../core/base/units.ts'
import { usualOf } from '../../doctor/diagnosis/rules/look.ts'
import type { Branch, Tree } from '../importer.ts'
import { bufferOf } from './buffers.ts'
import type { FabricClasses } from './classes.ts'
import type { NetworkDevice, NetworkPort } from './network.ts'
import { type Page } from './page.ts'
import type { Held } from './spread.ts'
import type { Asic } from '../../doctor/platforms/platforms.ts'
import { classAtPort, losslessClassOf, spotOf, settingsOf, size, type SwitchInput } from './switch-input.ts'

const duration = (ps: number): string => formatQuantity('duration', Math.max(0, Math.round(ps)))

export function switchGroup(input: SwitchInput): Branch {
  const { network, spread } = input
  if (network.switches.length === 0) return {}
  const buffer = bufferOf(input)
  const family = spread.over(
    'switch.family',
    network.switches.map((at) => ({ node: at.name, port: null, value: familyOf(input, at)?.family ?? 'off' })),
    'off',
  )
  return {
    buffer,
    family,
    ...schedulersOf(input),
    ecn: marksOf(input),
    watchdog: watchdogsOf(input),
    mtu: mtusOf(input),
  }
}

function familyOf({ asicOf, page }: SwitchInput, at: NetworkDevice): Asic | null {
  const { platform } = settingsOf(at)
  const name = knownOf(platform)
  const asic = name === undefined ? null : asicOf(name)
  if (asic !== null) page.read('switch.family', spotOf(at), platform, asic.family, name)
  else page.assumed('switch.family', spotOf(at), 'off', name === undefined ? 'no file tells the platform' : name)
  return asic
}

/** No queue is so long: where single ports do not mark. */
const NEVER_BYTES = 1e12

interface Thresholds {
  readonly kmin: number
  readonly kmax: number
  readonly pmax: number
}

/** Null: it marks nothing. @param usual of ports that tell it */
function marksAt(input: SwitchInput, port: NetworkPort, usual: Thresholds | undefined): Thresholds | null {
  const { classes, page } = input
  const { marks, kminBytes, kmaxBytes, pmaxRatio, kminRatio } = classAtPort(port, classes.data)
  const key = 'switch.ecn'
  if (knownOf(marks) === undefined) {
    page.assumed(key, port, null, 'no file tells whether it marks')
    return null
  }
  if (knownOf(marks) === false) {
    page.read(key, port, marks, null)
    return null
  }
  const own = thresholdsOf(port, classes.data)
  if (own !== undefined) {
    page.read(key, port, kminBytes, `${size(own.kmin)} to ${size(own.kmax)}, ${own.pmax}`)
    return own
  }
  if (knownOf(kminRatio) !== undefined)
    page.leftOut('classes.kminRatio', port, kminRatio, 'shares of a queue whose size no file tells')
  const unsaid = [kminBytes, kmaxBytes, pmaxRatio].some((value) => knownOf(value) === undefined)
  const reason = unsaid ? 'no file tells its thresholds in bytes' : 'it would begin above its end'
  page.assumed(key, port, usual === undefined ? null : 'as most ports', reason)
  return usual ?? null
}

function thresholdsOf(port: NetworkPort, c: number): Thresholds | undefined {
  const own = classAtPort(port, c)
  const [kmin, kmax, pmax] = [knownOf(own.kminBytes), knownOf(own.kmaxBytes), knownOf(own.pmaxRatio)]
  if (knownOf(own.marks) !== true || kmin === undefined || kmax === undefined || kmin > kmax) return undefined
  return { kmin, kmax, pmax: Math.min(1, Math.max(0, pmax ?? 1)) }
}

/** Whether any queue marks the class of the data. */
export const hasMarks = ({ network, classes }: Pick<SwitchInput, 'network' | 'classes'>): boolean =>
  network.switches.some(({ ports }) => ports.some((port) => thresholdsOf(port, classes.data) !== undefined))

function marksOf(input: SwitchInput): Tree {
  const { network, classes, spread } = input
  const ports = network.switches.flatMap((at) => at.ports)
  const texts = ports.flatMap((port) => {
    const own = thresholdsOf(port, classes.data)
    return own === undefined ? [] : [JSON.stringify(own)]
  })
  const most = usualOf(texts)
  // Cast: written three lines above.
  const usual = most === undefined ? undefined : (JSON.parse(most) as Thresholds)
  const held = ports.map((port): Held => {
    const own = marksAt(input, port, usual)
    const { kmin, kmax, pmax } = own ?? { kmin: NEVER_BYTES, kmax: NEVER_BYTES, pmax: 0 }
    const value = { classes: markedClasses(classes), kmin: size(kmin), kmax: size(kmax), pmax }
    return { node: port.node, port, value }
  })
  if (usual === undefined) return { classes: [] }
  // Schemes that need marks ask the scenario's own values: those of a port that marks.
  const never = size(NEVER_BYTES)
  return spread.over('switch.ecn', held, { classes: [] }, (value) => (value as { kmin: string }).kmin !== never)
}

/** All classes that hosts send in. */
const markedClasses = ({ data, ofHost }: FabricClasses): number[] =>
  [...new Set([data, ...ofHost.values()])].toSorted((a, b) => a - b)

/** A share below it would keep a queue for ever. */
const WEIGHT_LEAST = 0.01
const WEIGHT_MOST = 1000

function schedulersOf({ network, page, spread }: SwitchInput): Branch {
  const ports = network.switches.flatMap((at) => at.ports)
  const plans = ports.map((port) => {
    const all = Array.from({ length: 8 }, (_, c) => classAtPort(port, c).schedule)
    const plain = all.map(knownOf)
    const first = all.find((value) => value.state !== 'unknown')
    if (first === undefined) {
      page.assumed('switch.strictClasses', port, [6, 7], 'no file tells how its queues are served')
      return { port, strict: [6, 7], weights: null }
    }
    const strict = plain.flatMap((own, c) => (own === 'strict' ? [c] : []))
    // Queues that nobody uses have a share of 0, which says nothing of the others.
    const shares = plain.filter((own) => typeof own === 'number' && own > 0)
    const least = shares.reduce((a: number, b) => Math.min(a, Number(b)), Infinity)
    const bounded = (weight: number): number => Math.min(WEIGHT_MOST, Math.max(WEIGHT_LEAST, weight))
    const weights =
      shares.length === 0 ? null : plain.map((own) => (typeof own === 'number' ? bounded(own / least) : 1))
    page.read('switch.strictClasses', port, first, strict)
    if (weights !== null)
      page.read('switch.weights', port, first, weights, 'the smallest share above 0, and queues without one, are 1')
    return { port, strict, weights }
  })
  const over = (path: string, of: (plan: (typeof plans)[number]) => Tree, otherwise: Tree): Tree =>
    spread.over(
      `switch.${path}`,
      plans.map((plan) => ({ node: plan.port.node, port: plan.port, value: of(plan) })),
      otherwise,
    )
  return {
    strictClasses: over('strictClasses', ({ strict }) => strict, [6, 7]),
    scheduler: over('scheduler', ({ weights }) => (weights === null ? 'round-robin' : 'dwrr'), 'round-robin'),
    weights: over('weights', ({ weights }) => weights ?? [1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1]),
  }
}

/** Rules of detection by the words of the model; of others nobody says what they look at. Source: docs/models/watchdog.md. */
const RULES: readonly string[] = ['generic', 'broadcom', 'nvidia', 'teralynx', 'cisco', 'paper']
const ACTIONS: readonly string[] = ['drop', 'forward', 'alert']
const RULE_OF: Readonly<Record<string, string>> = { sonic: 'broadcom' }

function watchdogsOf(input: SwitchInput): Tree {
  const { network, spread } = input
  const held = network.switches.map((at) => ({ node: at.name, port: null, value: watchdogAt(input, at) }))
  return spread.over('switch.watchdog', held, 'off')
}

function watchdogAt(input: SwitchInput, at: NetworkDevice): Tree {
  const { page } = input
  const { watchdog } = settingsOf(at)
  const spot = spotOf(at)
  const key = 'switch.watchdog'
  const name = page.take(key, spot, watchdog.kind, { value: 'off', reason: 'no file tells of one' })
  if (name === 'off') return 'off'
  const kind = RULES.includes(name) ? name : (RULE_OF[name] ?? 'generic')
  if (kind !== name) page.assumed(`${key} rule`, spot, kind, `no file tells what the watchdog of ${name} looks at`)
  const action = knownOf(watchdog.action)
  const ports = watchedPorts(input, at)
  const times = [
    ['detectionTime', watchdog.detectionPs] as const,
    ['restorationTime', watchdog.restorationPs] as const,
    ['pollInterval', watchdog.pollPs] as const,
  ].flatMap(([field, value]) => {
    const shown = (own: number | string): string => (typeof own === 'number' ? duration(Math.max(1e6, own)) : 'off')
    const unsaid = { value: null, reason: 'as switches usually have it' }
    const own = page.take<number | string, null>(`${key}.${field}`, spot, value, unsaid, shown)
    return own === null ? [] : [[field, shown(own)] as const]
  })
  const isKnown = action !== undefined && ACTIONS.includes(action) && !(kind === 'cisco' && action === 'forward')
  if (isKnown) page.read(`${key}.action`, spot, watchdog.action, action)
  else page.assumed(`${key}.action`, spot, 'drop', 'as switches usually do')
  return { kind, ...Object.fromEntries(times), action: isKnown ? action : 'drop', ports }
}

/** Ports that are watched, by the other end: hosts, fabric, all. */
function watchedPorts(input: SwitchInput, at: NetworkDevice): string {
  const { page } = input
  const key = 'switch.watchdog.ports'
  const written = settingsOf(at).watchdog.ports
  if (knownOf(written) !== undefined) return page.take(key, spotOf(at), written, { value: 'hosts', reason: '' })
  const stated = at.ports.flatMap((port) => {
    const c = losslessClassOf(input, port)
    const value = c === undefined ? undefined : classAtPort(port, c).isWatched
    return knownOf(value) === undefined ? [] : [{ port, value: value!, isWatched: knownOf(value)! }]
  })
  const some = stated.filter(({ isWatched }) => isWatched)
  const [hosts, fabric] = [true, false].map((isHost) => some.some(({ port }) => port.peer.isHost === isHost))
  const ports = hosts && fabric ? 'all' : fabric ? 'fabric' : 'hosts'
  if (some.length === 0) page.assumed(key, spotOf(at), ports, 'no file tells which ports it watches')
  else page.read(key, spotOf(at), some[0]!.value, ports)
  for (const { port, value, isWatched } of stated)
    if (!isWatched && (ports === 'all' || (ports === 'hosts') === port.peer.isHost))
      page.leftOut(key, port, value, 'it is watched, as others of the switch are')
  return ports
}

const MTU_LEAST = 64
const MTU_MOST = 16_384

/** Text of an MTU, for ports of switches and of hosts. */
export function mtuText(page: Page, key: string, port: NetworkPort): string {
  const shown = (own: number | string): string =>
    typeof own !== 'number' || own > MTU_MOST ? 'off' : size(Math.max(MTU_LEAST, own))
  const unsaid = { value: null, reason: 'no file tells it: any length' }
  const own = page.take(key, port, port.end.config?.settings.mtuBytes, unsaid, shown)
  return own === null ? 'off' : shown(own)
}

function mtusOf({ network, page, spread }: SwitchInput): Tree {
  const ports = network.switches.flatMap((at) => at.ports)
  const held = ports.map((port): Held => ({ node: port.node, port, value: mtuText(page, 'switch.mtu', port) }))
  return spread.over('switch.mtu', held, 'off')
}
