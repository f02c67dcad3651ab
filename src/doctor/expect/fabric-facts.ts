/** Facts of a fabric whose devices have been read: those in which all its hosts agree, as far as their files say it. */
import { knownOf } from '../../core/device-model/index.ts'
import type { Fabric } from '../index.ts'
import type { Facts } from './fabric-line.ts'

/** The value of all that have one; undefined: none has, or they differ. */
function agreed<T>(values: readonly (T | undefined)[]): T | undefined {
  const [first, ...others] = [...new Set(values.filter((value) => value !== undefined))]
  return others.length === 0 ? first : undefined
}

export function factsOfFabric({ links }: Fabric): Facts {
  const ends = links.flatMap(({ ends: both }) => both.filter(({ at }) => at?.config.kind === 'host'))
  const perHost = new Map<string, number>()
  for (const { device } of ends) perHost.set(device, (perHost.get(device) ?? 0) + 1)
  const ports = ends.map(({ config }) => config?.settings)
  const pfcClasses = ports.map((port) => knownOf(port?.pfcClasses))
  const marked = links.flatMap(({ ends: both }) =>
    both.flatMap(({ at, config }) =>
      at?.config.kind === 'switch' ? [config?.settings.classes.some(({ marks }) => knownOf(marks) === true)] : [],
    ),
  )
  const facts: { [name in keyof Facts]: Facts[name] | undefined } = {
    servers: perHost.size === 0 ? undefined : perHost.size,
    nics: agreed([...perHost.values()]),
    rateBps: agreed(ports.map((port) => knownOf(port?.rateBps))),
    mtuBytes: agreed(ports.map((port) => knownOf(port?.nic?.activeMtuBytes))),
    hasPfc: agreed(pfcClasses.map((classes) => (classes === undefined ? undefined : classes.length > 0))),
    // That a class is marked says it; that none is may be what nobody has read.
    hasEcn: marked.includes(true) ? true : undefined,
    link: perHost.size === 0 ? undefined : 'roce',
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}
