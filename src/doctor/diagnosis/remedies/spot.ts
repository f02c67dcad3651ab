/** A finding's place, and what remedies ask of the fabric around it. */
import type { Values } from '../../../core/findings/index.ts'
import { type Device, type End, type Fabric, type Link, otherEnd, portKey } from '../../devices/joins/index.ts'
import { knownOf, type Plain, type PortConfig, type Value } from '../../../core/device-model/index.ts'
import { linksUp, usualOf } from '../rules/look.ts'
import type { RuleContext } from '../rules/rule.ts'
import type { Change } from './change.ts'

export class RemedySpot {
  readonly context: RuleContext
  readonly device: string
  readonly port: string
  readonly values: Values

  constructor(context: RuleContext, device: string, port: string, values: Values) {
    this.context = context
    this.device = device
    this.port = port
    this.values = values
  }

  get fabric(): Fabric {
    return this.context.fabric
  }

  get at(): Device | undefined {
    return this.fabric.devices.get(this.device)
  }

  get link(): Link | undefined {
    const key = portKey(this.port)
    return this.fabric.linksOf(this.device).find(({ ends }) => ends.some((end) => this.#isHere(end, key)))
  }

  get config(): PortConfig | undefined {
    const key = portKey(this.port)
    return this.at?.config.ports.find(({ name }) => portKey(name) === key)
  }

  /** The other end of the link. */
  get peer(): End | undefined {
    const key = portKey(this.port)
    const own = this.link?.ends.find((end) => this.#isHere(end, key))
    return own === undefined ? undefined : otherEnd(this.link!, own)
  }

  /** The same finding, seen from the other end of the link. */
  atPeer(): RemedySpot {
    const { device, port } = this.peer!
    return new RemedySpot(this.context, device, port, this.values)
  }

  number(name: string): number {
    return this.values[name] as number
  }

  set(field: string, value: Plain): Change {
    return { device: this.device, port: this.port, field, value }
  }

  setDevice(field: string, value: Plain): Change {
    return { device: this.device, port: '', field, value }
  }

  /** The value of most ports of such devices that are not this one, as far as one of them pleases; undefined: none does. */
  usual<T extends Plain>(field: string, isGood: (value: T) => boolean): T | undefined {
    const role = this.at?.config.role
    return this.#usual(field, isGood, ({ config }) => config.role === role)
  }

  /** That of most ports of switches, whatever their role. */
  usualAnywhere(field: string): number | undefined {
    return this.#usual<number>(
      field,
      () => true,
      ({ config }) => config.kind === 'switch',
    )
  }

  #usual<T extends Plain>(
    field: string,
    isGood: (value: T) => boolean,
    isLike: (device: Device) => boolean,
  ): T | undefined {
    // Lists are compared by what is in them.
    const texts = [...this.fabric.devices.values()]
      .filter(isLike)
      .flatMap(({ config }) => config.ports)
      .flatMap((port) => {
        const value = port === this.config ? undefined : (valueAt(port, field) as T | undefined)
        return value !== undefined && isGood(value) ? [JSON.stringify(value)] : []
      })
    const usual = usualOf(texts)
    return usual === undefined ? undefined : (JSON.parse(usual) as T)
  }

  #isHere({ device, port }: End, key: string): boolean {
    return device === this.device && portKey(port) === key
  }
}

/** The value of a port by the path of its field; undefined: unknown. */
export function valueAt(port: PortConfig, field: string): Plain | undefined {
  const found = field
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], port.settings)
  return knownOf(found as Value | undefined)
}

/** Sets of lossless classes that most ends of links have: several where they are as frequent. */
export function usualPfcClasses(fabric: Fabric): (readonly number[])[] {
  const counts = new Map<string, number>()
  for (const { ends } of linksUp(fabric))
    for (const { config } of ends) {
      const own = knownOf(config?.settings.pfcClasses)
      if (own !== undefined && own.length > 0) {
        const key = JSON.stringify(own)
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
    }
  const most = Math.max(...counts.values())
  return [...counts].filter(([, count]) => count === most).map(([key]) => JSON.parse(key) as number[])
}

/** Changes that take a finding away at one place. */
export type Remedy = (spot: RemedySpot) => readonly Change[]

/** Several, of which each takes it away, where nothing tells which one is meant; null: that is clear. */
export type Choices = (spot: RemedySpot) => readonly (readonly Change[])[] | null
