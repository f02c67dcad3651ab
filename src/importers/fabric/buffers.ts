/**
 * Buffers of switches: pools, and thresholds of ports. Where files tell none, those of the simulator hold.
 */
import { knownOf } from '../../core/device-model/index.ts'
import type { ClassConfig, PoolConfig, Value } from '../../doctor/index.ts'
import type { Branch, Tree } from '../importer.ts'
import type { NetworkDevice, NetworkPort } from './network.ts'
import type { Held } from './spread.ts'
import { classAtPort, losslessClassOf, spotOf, settingsOf, size, type SwitchInput } from './switch-input.ts'

const NOT_IN_FILES = 'thresholds are not in these files'

/** Values of ports, one path each. */
type PortField = readonly [path: string, otherwise: string | number, of: (port: NetworkPort, c: number) => Tree]

export function bufferOf(input: SwitchInput): Branch {
  const { network, spread } = input
  const pools = network.switches.map((at) => ({ at, ...poolsOf(input, at) }))
  const bySwitch = (key: string, of: (one: (typeof pools)[number]) => Tree, otherwise: Tree): Tree =>
    spread.over(
      `switch.buffer.${key}`,
      pools.map((one) => ({ node: one.at.name, port: null, value: of(one) })),
      otherwise,
    )
  const ports = network.switches.flatMap((at) => at.ports)
  const lossless = ports.flatMap((port) => {
    const c = losslessClassOf(input, port)
    return c === undefined ? [] : [{ port, c }]
  })
  const byPort = Object.fromEntries(
    fieldsOf(input).map(([path, otherwise, of]) => {
      const held = lossless.map(({ port, c }): Held => ({ node: port.node, port, value: of(port, c) }))
      return [path, spread.over(`switch.buffer.${path}`, held, otherwise)]
    }),
  )
  return {
    kind: 'memory-manager',
    size: bySwitch('size', ({ sizeBytes }) => sizeBytes, 'off'),
    cell: bySwitch('cell', ({ cell }) => cell, '208B'),
    ingressPool: bySwitch('ingressPool', ({ ingressPool }) => ingressPool, 'off'),
    headroomPool: bySwitch('headroomPool', ({ headroomPool }) => headroomPool, 'off'),
    ...byPort,
    lossy: lossyOf(input, ports),
    queues: bySwitch('queues', ({ at }) => queuesOf(input, at), []),
  }
}

function fieldsOf(input: SwitchInput): readonly PortField[] {
  const { page } = input
  const sized =
    (key: 'xonBytes' | 'xonOffsetBytes' | 'reserveBytes', path: string, otherwise: string) =>
    (port: NetworkPort, c: number): string => {
      const value = classAtPort(port, c)[key]
      const unsaid = { value: otherwise, reason: NOT_IN_FILES }
      const bytes = page.take(`switch.buffer.${path}`, port, value, unsaid, size)
      return typeof bytes === 'string' ? bytes : size(bytes)
    }
  return [
    ['alpha', 'off', (port, c) => alphaOf(input, port, c)],
    ['staticTh', 'off', (port, c) => staticOf(classAtPort(port, c))],
    ['headroom', 'off', (port, c) => headroomOf(input, port, c)],
    ['reserve', '1248B', sized('reserveBytes', 'reserve', '1248B')],
    ['xon', '1248B', sized('xonBytes', 'xon', '1248B')],
    ['xonOffset', '2496B', sized('xonOffsetBytes', 'xonOffset', '2496B')],
  ]
}

const staticOf = ({ staticBytes, xoffBytes, alpha }: ClassConfig): string => {
  const bytes = knownOf(staticBytes) ?? knownOf(xoffBytes)
  return bytes === undefined || knownOf(alpha) !== undefined ? 'off' : size(bytes)
}

const ALPHA_MOST = 128

function alphaOf({ page }: SwitchInput, port: NetworkPort, c: number): Tree {
  const { alpha, staticBytes, xoffBytes } = classAtPort(port, c)
  const key = 'switch.buffer.alpha'
  const own = knownOf(alpha)
  if (own !== undefined) {
    page.read(key, port, alpha, own)
    return Math.min(own, ALPHA_MOST)
  }
  const fixed = [staticBytes, xoffBytes].find((value) => knownOf(value) !== undefined)
  if (fixed === undefined) page.assumed(key, port, 1 / 16, NOT_IN_FILES)
  else page.read('switch.buffer.staticTh', port, fixed, size(knownOf(fixed)!))
  return 'off'
}

function headroomOf({ page }: SwitchInput, port: NetworkPort, c: number): Tree {
  const { headroomBytes, hasHeadroom } = classAtPort(port, c)
  const key = 'switch.buffer.headroom'
  const bytes = knownOf(headroomBytes)
  if (typeof bytes === 'number') {
    page.read(key, port, headroomBytes, size(bytes))
    return size(bytes)
  }
  if (knownOf(hasHeadroom) === false) {
    page.read(key, port, hasHeadroom, '0B')
    return '0B'
  }
  page.assumed(
    key,
    port,
    null,
    bytes === undefined ? 'all that arrives after a pause: no file tells it' : `by the formula ${bytes}`,
  )
  return 'off'
}

/** Limits of classes without PFC: those of the lowest such class that has any. */
function lossyOf({ classes, page, spread }: SwitchInput, ports: readonly NetworkPort[]): Tree {
  const held = ports.flatMap((port): Held[] => {
    const lossless = classes.lossless.get(port)!
    const c = [0, 1, 2, 3, 4, 5, 6, 7].find((own) => !lossless.includes(own) && knownOf(classAtPort(port, own).alpha))
    if (c === undefined) return []
    const { alpha } = classAtPort(port, c)
    page.read('switch.buffer.lossy.alpha', port, alpha, knownOf(alpha)!)
    return [{ node: port.node, port, value: { alpha: Math.min(knownOf(alpha)!, ALPHA_MOST) } }]
  })
  return spread.over('switch.buffer.lossy', held, {})
}

/** A lossless class whose queue may drop has the limit of lossy queues. */
function queuesOf(input: SwitchInput, at: NetworkDevice): Tree {
  for (const port of at.ports) {
    const c = losslessClassOf(input, port)
    if (c === undefined) continue
    const { dropsAtEgress } = classAtPort(port, c)
    if (knownOf(dropsAtEgress) !== true) continue
    input.page.read('switch.buffer.queues', spotOf(at), dropsAtEgress, true, 'with the limit of lossy queues')
    return [{ classes: [c], alpha: 1 }]
  }
  return []
}

interface Pools {
  readonly sizeBytes: Tree
  readonly cell: Tree
  readonly ingressPool: Tree
  readonly headroomPool: Tree
}

function poolsOf({ asicOf, page }: SwitchInput, at: NetworkDevice): Pools {
  const { pools, platform } = settingsOf(at)
  const spot = spotOf(at)
  const asic = asicOf(knownOf(platform) ?? '')
  const cell = asic === null ? '208B' : size(asic.cellBytes)
  page.assumed('switch.buffer.cell', spot, cell, asic === null ? 'as of Tomahawk 2' : `as of ${asic.family}`)
  const isIngress = ({ side }: PoolConfig): boolean => knownOf(side) !== 'egress'
  const largest = (of: (pool: PoolConfig) => Value<number>): Value<number> | undefined =>
    pools
      .filter((pool) => isIngress(pool) && (knownOf(of(pool)) ?? 0) > 0)
      .map(of)
      .toSorted((a, b) => knownOf(b)! - knownOf(a)!)[0]
  const pool = largest(({ sizeBytes }) => sizeBytes)
  const headroom = largest(({ sharedHeadroomBytes }) => sharedHeadroomBytes)
  for (const [index, { side, sizeBytes }] of pools.entries())
    if (knownOf(sizeBytes) !== undefined && sizeBytes !== pool)
      page.leftOut(
        `pools.${index}`,
        spot,
        sizeBytes,
        `a further pool (${knownOf(side) ?? 'of both sides'}): all else is shared`,
      )
  if (pool === undefined) {
    const value = asic === null ? null : size(asic.bufferBytes)
    page.assumed(
      'switch.buffer.size',
      spot,
      value,
      asic === null ? 'as large as it has to be' : `that of ${asic.family}`,
    )
  } else {
    page.read('switch.buffer.ingressPool', spot, pool, size(knownOf(pool)!))
    page.assumed('switch.buffer.size', spot, null, 'as large as its pools need')
  }
  if (headroom !== undefined) page.read('switch.buffer.headroomPool', spot, headroom, size(knownOf(headroom)!))
  return {
    sizeBytes: pool === undefined && asic !== null ? size(asic.bufferBytes) : 'off',
    cell,
    ingressPool: pool === undefined ? 'off' : size(knownOf(pool)!),
    headroomPool: headroom === undefined ? 'off' : size(knownOf(headroom)!),
  }
}
