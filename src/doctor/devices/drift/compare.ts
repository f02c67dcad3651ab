/**
 * Differences between two configurations of a device, field by field. A value that is unknown on either side differs from
 * nothing. Ports are the same if their links go to the same device; those without a known cable, if their names are equal.
 */
import { assert } from '../../../core/base/assert.ts'
import { portKey } from '../joins/index.ts'
import type { DeviceConfig, Plain, PortConfig, Value } from '../../../core/device-model/index.ts'
import {
  differingFrom,
  type Differing,
  isCommon,
  isOther,
  keyOf,
  NO_PEER,
  peerOf,
  type Settings,
  settingsIn,
} from './meaning.ts'

/** One value that differs, at a device or at one of its ports. */
export interface Difference extends Omit<Differing, 'key'> {
  readonly config: DeviceConfig
  /** Null: the device. */
  readonly port: PortConfig | null
}

/** All that differs at a device or at one of its ports. */
export interface DifferingAt {
  readonly config: DeviceConfig
  readonly port: PortConfig | null
  readonly found: readonly Differing[]
}

const link = (desired: Value, running: Value): Differing => ({
  key: 'peer',
  field: 'peer',
  slot: null,
  desired,
  running,
})

/** Compares pairs of configurations. Pairs of settings that are shared by many devices are compared once. */
export class Comparing {
  readonly #known = new WeakMap<Settings, WeakMap<Settings, readonly Differing[]>>()
  /** By device: its links are the same at all times. */
  readonly #matched = new Map<string, Matched>()

  /** @param isCompared whether a device is in both sets: links to others are no difference of this one */
  differences(desired: DeviceConfig, running: DeviceConfig, isCompared: (device: string) => boolean): DifferingAt[] {
    const found: DifferingAt[] = []
    const add = (port: PortConfig | null, fields: readonly Differing[]): void => {
      if (fields.length > 0) found.push({ config: running, port, found: fields })
    }
    const isSameLanguage = desired.language === running.language
    add(null, this.#settings(desired.settings, running.settings, isSameLanguage))
    let known = this.#matched.get(running.device)
    if (known === undefined) this.#matched.set(running.device, (known = matched(desired.ports, running.ports)))
    for (const [from, to] of known.pairs) {
      const [wanted, port] = [desired.ports[from]!, running.ports[to]!]
      const peers = [peerOf(wanted), peerOf(port)]
      const isOneSided = peers.includes(undefined)
      if (isOther(wanted.peer, port.peer) && (!isOneSided || peers.some((one) => one !== undefined && isCompared(one))))
        add(port, [link(wanted.peer, port.peer)])
      add(port, this.#settings(wanted.settings, port.settings, isSameLanguage))
    }
    for (const { port, isDesired } of known.alone) {
      if ((isDesired ? running : desired).isPartial === true) continue
      const peer = peerOf(port)
      if (peer !== undefined && isCompared(peer))
        add(port, [isDesired ? link(port.peer, NO_PEER) : link(NO_PEER, port.peer)])
    }
    return found
  }

  #settings(desired: Settings, running: Settings, isSameLanguage: boolean): readonly Differing[] {
    if (desired === running) return []
    let known = this.#known.get(desired)
    if (known === undefined) this.#known.set(desired, (known = new WeakMap()))
    let found = known.get(running)
    if (found === undefined) known.set(running, (found = differing(desired, running, isSameLanguage)))
    return found
  }
}

function differing(desired: Settings, running: Settings, isSameLanguage: boolean): Differing[] {
  const wanted = new Map(settingsIn(desired).map((field) => [keyOf(field), field.value]))
  const fields = settingsIn(running)
  return differingFrom(isSameLanguage ? fields : fields.filter((field) => isCommon(field, running)), wanted)
}

interface Matched {
  /** Indexes of ports. */
  readonly pairs: readonly (readonly [desired: number, running: number])[]
  readonly alone: readonly { readonly port: PortConfig; readonly isDesired: boolean }[]
}

/** Ports of a device on both sides: by name where the cable is the same or unknown, else by cable, else by name. */
function matched(desired: readonly PortConfig[], running: readonly PortConfig[]): Matched {
  const pairs: [number, number][] = []
  const left = new Set(running.keys())
  const pair = (rest: readonly number[], keyOfPort: (port: PortConfig) => Plain | undefined, isByLink: boolean) => {
    const byKey = new Map<Plain, number[]>()
    for (const index of left) {
      const key = keyOfPort(running[index]!)
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), index])
    }
    return rest.filter((index) => {
      const port = desired[index]!
      const key = keyOfPort(port)
      const candidates = key === undefined ? undefined : byKey.get(key)
      const at = candidates?.findIndex((each) => !isByLink || !isOther(port.peer, running[each]!.peer)) ?? -1
      if (at < 0) return true
      const [found] = candidates!.splice(at, 1)
      left.delete(found!)
      pairs.push([index, found!])
      return false
    })
  }
  const nameOf = ({ name }: PortConfig): Plain => portKey(name)
  let rest = pair([...desired.keys()], nameOf, true)
  rest = pair(rest, peerOf, true)
  rest = pair(rest, nameOf, false)
  assert(pairs.length + rest.length === desired.length, 'drift: a desired port is compared twice, or not at all')
  assert(pairs.length + left.size === running.length, 'drift: a running port is compared twice, or not at all')
  return {
    pairs: pairs.toSorted(([, a], [, b]) => a - b),
    alone: [
      ...rest.map((index) => ({ port: desired[index]!, isDesired: true })),
      ...[...left].map((index) => ({ port: running[index]!, isDesired: false })),
    ],
  }
}
