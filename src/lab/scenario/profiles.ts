/**
 * Profiles: `nic: {profile: connectx-7}` and `switch: {profile: tomahawk-5}` stand for plain keys, which are filled in where the
 * text has none; the scenario has those, and not the name. A part of which nobody has published anything is left as it is
 * without a profile; `check` lists it.
 */
import { formatQuantity } from '../../core/base/units.ts'
import { type Known, type NicProfile, nics, type SwitchProfile, switches } from '../../core/hardware/index.ts'
import { congestions } from '../../core/transport/congestion/index.ts'
import { recoveries } from '../../core/transport/recovery/index.ts'
import { topologies } from '../../core/topology/index.ts'
import { isRecord } from './text/read.ts'

type Tree = Readonly<Record<string, unknown>>

/** A key of a profile, and the parameter that it is, as a text has it. */
interface Part<P> {
  /** null: nobody has published it of any. */
  readonly of: Exclude<keyof P, 'name' | 'help'> | null
  readonly path: string
  readonly text: (value: never) => unknown
}

const bytes = (value: number): string => formatQuantity('size', value)
const rate = (value: number): string => formatQuantity('rate', value)
const asIs = (value: unknown): unknown => value
const ms = (value: number): string => formatQuantity('duration', Math.round(value * 1e9))

const NIC_PARTS: readonly Part<NicProfile>[] = [
  { of: 'rateBps', path: 'topology.hostRate', text: rate },
  { of: 'rateBps', path: 'topology.linkRate', text: rate },
  { of: 'congestion', path: 'congestion.kind', text: asIs },
  { of: 'lossCut', path: 'congestion.lossCut', text: asIs },
  {
    of: 'retryMs',
    path: 'qp.retry',
    text: ({ steps, floor, factor }: NonNullable<NicProfile['retryMs']>['value']) => ({
      kind: 'steps',
      steps: steps.map(ms),
      floor: ms(floor),
      factor,
    }),
  },
  {
    of: 'workRequestGapNs',
    path: 'nic.send.workRequestGap',
    text: (value: number) => formatQuantity('duration', Math.round(value * 1e3)),
  },
  { of: null, path: 'nic.receive', text: asIs },
]

const SWITCH_PARTS: readonly Part<SwitchProfile>[] = [
  { of: 'family', path: 'switch.family', text: asIs },
  { of: 'cellBytes', path: 'switch.buffer.cell', text: bytes },
  { of: 'sharedPoolBytes', path: 'switch.buffer.ingressPool', text: bytes },
  { of: 'headroomPoolBytes', path: 'switch.buffer.headroomPool', text: bytes },
  { of: 'losslessTh', path: 'switch.buffer.dynamicTh', text: asIs },
  { of: 'lossyEgressAlpha', path: 'switch.buffer.egressAlpha', text: asIs },
  { of: 'kminBytes', path: 'switch.ecn.kmin', text: bytes },
  { of: 'kmaxBytes', path: 'switch.ecn.kmax', text: bytes },
  { of: 'pmax', path: 'switch.ecn.pmax', text: asIs },
  { of: null, path: 'switch.latency', text: asIs },
]

/** Kinds that have the keys below them; null: any. */
const HAVING: Readonly<Record<string, ReadonlySet<string>>> = {
  'topology.hostRate': kindsWith(topologies, 'hostRate'),
  // All links of a star are of hosts.
  'topology.linkRate': new Set(['star']),
  'congestion.lossCut': kindsWith(congestions, 'lossCut'),
}

function kindsWith(
  definitions: readonly { readonly name: string; readonly params: object }[],
  key: string,
): ReadonlySet<string> {
  return new Set(definitions.filter(({ params }) => Object.hasOwn(params, key)).map(({ name }) => name))
}

export interface ProfileUse {
  readonly at: 'nic' | 'switch'
  readonly name: string
  /** Parameters that it has filled in. */
  readonly sets: readonly string[]
  /** Parameters that it knows and has not filled in: the text gives them, or has no use for them. */
  readonly left: readonly string[]
  /** Parameters of which nothing is known. */
  readonly unknown: readonly string[]
}

interface Filled {
  readonly tree: unknown
  readonly uses: readonly ProfileUse[]
}

/** The tree of a text with the keys that its profiles stand for. */
export function withProfiles(tree: unknown): Filled {
  if (!isRecord(tree)) return { tree, uses: [] }
  const first = filled(tree, 'nic', nics, NIC_PARTS)
  const second = filled(first.tree, 'switch', switches, SWITCH_PARTS)
  return { tree: second.tree, uses: [...first.uses, ...second.uses] }
}

function filled<P extends { readonly name: string }>(
  tree: Tree,
  at: ProfileUse['at'],
  profiles: readonly P[],
  parts: readonly Part<P>[],
): { readonly tree: Tree; readonly uses: readonly ProfileUse[] } {
  const group = tree[at]
  const profile = isRecord(group) ? profiles.find(({ name }) => name === group['profile']) : undefined
  if (profile === undefined) return { tree, uses: [] }
  const lists = { sets: [] as string[], left: [] as string[], unknown: [] as string[] }
  let result = tree
  for (const { of, path, text } of parts) {
    const known = of === null ? undefined : (profile[of] as Known<never> | undefined)
    const next = known !== undefined && mayHave(result, path) ? put(result, path.split('.'), text(known.value)) : null
    lists[known === undefined ? 'unknown' : next === null ? 'left' : 'sets'].push(path)
    result = next ?? result
  }
  return { tree: result, uses: [{ at, name: profile.name, ...lists }] }
}

/** Whether the kind that is chosen has the key, and the text all that the key needs. */
function mayHave(tree: Tree, path: string): boolean {
  const kinds = HAVING[path]
  if (kinds !== undefined) return kinds.has(kindOf(tree[path.split('.')[0]!]))
  // The buffer of a profile is a memory manager: another one that is asked for keeps its own sizes.
  if (path.startsWith('switch.buffer.')) {
    const { switch: at } = tree
    return ['', 'memory-manager'].includes(kindOf(isRecord(at) ? at['buffer'] : undefined))
  }
  if (path !== 'qp.retry') return true
  // The timeout is the application's; without one, or with a recovery that has waits of its own, nothing is sent again by it.
  const { qp } = tree
  const hasTimeout = isRecord(qp) && qp['ackTimeout'] !== undefined && qp['ackTimeout'] !== 'off'
  const kind = kindOf(tree['recovery'])
  const own = recoveries.find(({ name }) => name === kind)
  return hasTimeout && (kind === '' || (own !== undefined && !('hasOwnWaits' in own)))
}

const kindOf = (value: unknown): string =>
  typeof value === 'string' ? value : isRecord(value) && typeof value['kind'] === 'string' ? value['kind'] : ''

/** The tree with a value at a path; null: it has one there. A word is the kind of a group. */
function put(tree: Tree, [step, ...rest]: readonly string[], value: unknown): Tree | null {
  const current = tree[step!]
  if (rest.length === 0) return current === undefined ? { ...tree, [step!]: value } : null
  const below = isRecord(current) ? current : current === undefined ? {} : { kind: current }
  const isBuffer = step === 'buffer' && below['kind'] === undefined
  const next = put(isBuffer ? { ...below, kind: 'memory-manager' } : below, rest, value)
  return next === null ? null : { ...tree, [step!]: next }
}

/** Names that a scenario may give. */
export const NIC_PROFILES = ['none', ...nics.map(({ name }) => name)]
export const SWITCH_PROFILES = ['none', ...switches.map(({ name }) => name)]
