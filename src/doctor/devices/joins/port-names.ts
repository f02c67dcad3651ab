/**
 * Names of ports that an output does not name: by the heading or the file of the output, by the port of an RDMA device or at
 * a PCI address, and else the only port that there is. Where none of these tells, the output is of no port: two that stand
 * for different ports would contradict each other.
 */
import type { ReadPart } from '../dialects/index.ts'
import type { Value } from '../../../core/device-model/index.ts'
import { portKey } from './names.ts'

export interface PartPorts {
  /** Undefined: of a port that nothing names. */
  nameOf(port: string, part: ReadPart): string | undefined
  /** Outputs of ports that nothing names. */
  readonly nameless: readonly ReadPart[]
}

/** Beginnings of names that are none of ports, and the field that says which port has them. */
const PREFIXES: Readonly<Record<string, string>> = { 'rdma:': 'nic.rdmaDevice', 'pci:': 'nic.pciName' }

/** "rdma:" of "rdma:mlx5_1"; undefined: the name of a port. */
const prefixOf = (name: string): string | undefined => Object.keys(PREFIXES).find((prefix) => name.startsWith(prefix))

/** Names that Linux gives to ports, and drivers to RDMA devices. */
const TYPICAL =
  /(?<![A-Za-z0-9])(?:(?:eth|en[opsxP]|ib|roce|rdma|hsn|bond|swp)[A-Za-z0-9]{0,12}\d[A-Za-z0-9]{0,12}|(?:mlx5|bnxt_re|ionic|irdma)_?\d{1,3})(?![A-Za-z0-9])/g
/** Longer names are in no heading and no name of a file. */
const NAME_CHARS_MAX = 64
const RDMA = /^(?:mlx5_|bnxt_re|ionic_|irdma)\d/

interface PartAt extends ReadPart {
  /** NaN: unknown. */
  readonly timeNs: number
}

/** @param knownPorts ports of the list of links, which decides what there is; without it files do */
export function partPortsOf(parts: readonly PartAt[], knownPorts: readonly string[]): PartPorts {
  const named = new Set<string>()
  const aliases = new Map<string, string>()
  const unnamed = new Map<string, Set<string>>()
  for (const {
    facts: { ports },
  } of parts)
    for (const [name, { values }] of ports) {
      const prefix = prefixOf(name)
      if (prefix !== undefined) unnamed.set(prefix, (unnamed.get(prefix) ?? new Set()).add(name))
      if (name === '' || prefix !== undefined) continue
      named.add(name)
      for (const [start, field] of Object.entries(PREFIXES)) {
        const alias = values.get(field)
        if (alias !== undefined && 'value' in alias && typeof alias.value === 'string')
          aliases.set(`${start}${alias.value}`, name)
      }
    }
  const spelled = new Map([...knownPorts, ...named].map((name) => [portKey(name), name]))
  const hints = new Hints([...spelled.values()])
  const hinted = new Map<ReadPart, string | undefined>(
    parts.filter(({ facts }) => facts.ports.has('')).map((part) => [part, hints.of(part)]),
  )
  const cabled =
    knownPorts.length > 0 ? knownPorts : parts.flatMap((part) => part.facts.neighbours.map(({ port }) => port))
  const known = [...new Set(cabled.length > 0 ? cabled : [...named, ...hinted.values()])].filter(Boolean)
  const [first = '', ...more] = known
  // A list that names another port than the files may mean either.
  const ofFiles = [...named, ...hinted.values()].filter((name) => name !== undefined)
  const isClear = ofFiles.length === 0 || ofFiles.some((name) => portKey(name) === portKey(first))
  const only = more.length === 0 && isClear ? first : ''
  const nameless = withoutPort(
    parts.filter((part) => hinted.has(part) && hinted.get(part) === undefined),
    isClear ? known.length : Math.max(2, known.length),
  )
  const resolve = (name: string): string => {
    const prefix = prefixOf(name)
    if (prefix === undefined) return spelled.get(portKey(name)) ?? name
    const isAlone =
      only !== '' && unnamed.get(prefix)?.size === 1 && ![...aliases.keys()].some((alias) => alias.startsWith(prefix))
    return aliases.get(name) ?? (isAlone ? only : name.slice(prefix.length))
  }
  return {
    nameless: [...nameless],
    nameOf: (port, part) => {
      if (port !== '') return resolve(port)
      const hint = hinted.get(part)
      return hint === undefined ? (nameless.has(part) ? undefined : only) : resolve(hint)
    },
  }
}

/** Ports that the heading of an output or the name of its file tells. */
class Hints {
  readonly #known: readonly (readonly [name: string, pattern: RegExp])[]

  constructor(known: readonly string[]) {
    this.#known = known
      .filter(({ length }) => length <= NAME_CHARS_MAX)
      .map((name) => {
        // No letter for a sign: with one, a name of many signs would be searched for without end.
        const letters = name.replaceAll(/[^A-Za-z0-9]+/g, (signs) => `[^A-Za-z0-9]{0,${signs.length}}`)
        return [name, new RegExp(`(?<![A-Za-z0-9])${letters}(?![A-Za-z0-9])`, 'i')]
      })
  }

  /** Undefined: nothing tells one. */
  of({ heading, facts: { file } }: ReadPart): string | undefined {
    for (const text of [heading, ...file.split('/').slice(1).toReversed()]) {
      const name = this.#in(text)
      if (name !== undefined) return name
    }
    return file.includes('/') ? undefined : this.#in(file)
  }

  #in(text: string): string | undefined {
    const known = this.#known.filter(([, pattern]) => pattern.test(text)).map(([name]) => name)
    // "eth1" is in "eth1.100", too.
    const longest = known.filter((name) => !known.some((other) => other !== name && other.includes(name)))
    if (longest.length > 0) return longest.length === 1 ? longest[0] : undefined
    const names = [...new Set(text.match(TYPICAL) ?? [])]
    return names.length !== 1 ? undefined : RDMA.test(names[0]!) ? `rdma:${names[0]!}` : names[0]
  }
}

const plainText = (value: Value): string => JSON.stringify('value' in value ? value.value : null)

/** Those of several ports, or of one of several. */
function withoutPort(parts: readonly PartAt[], portCount: number): Set<ReadPart> {
  if (portCount > 1) return new Set(parts)
  const nameless = new Set<ReadPart>()
  const seen = new Map<string, PartAt>()
  for (const part of parts)
    for (const [field, value] of part.facts.ports.get('')!.values) {
      const other = seen.get(`${part.dialect.name} ${field}`)
      seen.set(`${part.dialect.name} ${field}`, part)
      if (other === undefined) continue
      const isSameFile = other.facts.file === part.facts.file
      const isTimed = !Number.isNaN(part.timeNs - other.timeNs) && part.timeNs !== other.timeNs
      const isSame = plainText(other.facts.ports.get('')!.values.get(field)!) === plainText(value)
      if (isSameFile || (portCount === 0 && !isTimed && !isSame)) for (const each of [other, part]) nameless.add(each)
    }
  return nameless
}
