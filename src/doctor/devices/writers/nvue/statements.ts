/**
 * Statements of NVUE as paths of words, written as "nv set" commands or as the document of "nv config show". Ports with the
 * same statements stand together; profiles with the same content are one.
 * Source: NVIDIA Cumulus Linux User Guide, "NVUE".
 */
import { dump } from 'js-yaml'

export type Words = readonly string[]
/** Branches by their word; one without branches is a value. */
type Tree = Map<string, Tree>

export class Statements {
  readonly #device: Words[] = []
  readonly #ports = new Map<string, Words[]>()
  readonly #nameOf: (purpose: string) => string
  /** Profiles by kind and content. */
  readonly #profiles = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  constructor(nameOf: (purpose: string) => string) {
    this.#nameOf = nameOf
  }

  device(...words: Words): void {
    this.#device.push(words)
  }

  /** A port is there even without any statement. */
  port(name: string, ...words: Words): void {
    const own = this.#ports.get(name) ?? []
    this.#ports.set(name, own)
    if (words.length > 0) own.push(words)
  }

  /** Gives a port a profile with these settings, if there are any. @param kind "pfc", "egress-scheduler" */
  profile(port: string, kind: string, settings: readonly Words[]): void {
    if (settings.length === 0) return
    const content = JSON.stringify([kind, settings])
    let name = this.#profiles.get(content)
    if (name === undefined) {
      const count = (this.#counts.get(kind) ?? 0) + 1
      this.#counts.set(kind, count)
      name = this.#nameOf(count === 1 ? `${kind}-profile` : `${kind}-profile ${count}`)
      this.#profiles.set(content, name)
      for (const words of settings) this.device('qos', kind, name, ...words)
    }
    this.port(port, 'qos', kind, 'profile', name)
  }

  commands(): string {
    return this.#all()
      .map((words) => `nv set ${words.map(quoted).join(' ')}\n`)
      .join('')
  }

  /** @param model hardware; undefined: unknown */
  document(model: string | undefined): string {
    const root: Tree = new Map()
    for (const words of this.#all()) {
      let tree = root
      for (const word of words) {
        let next = tree.get(word)
        if (next === undefined) tree.set(word, (next = new Map()))
        tree = next
      }
    }
    const header = { ...(model === undefined ? {} : { model }), 'nvue-api-version': 'nvue_v1' }
    return dump([{ header }, { set: plainOf(root) }], { lineWidth: -1 })
  }

  #all(): Words[] {
    const groups = new Map<string, { ports: string[]; statements: readonly Words[] }>()
    for (const [port, statements] of this.#ports) {
      const content = JSON.stringify(statements)
      const group = groups.get(content)
      if (group === undefined) groups.set(content, { ports: [port], statements })
      else group.ports.push(port)
    }
    return [
      ...this.#device,
      ...[...groups.values()].flatMap(({ ports, statements }) =>
        (statements.length === 0 ? [[]] : statements).map((words) => ['interface', portList(ports), ...words]),
      ),
    ]
  }
}

/** "swp1-4,31": the first of ports with one beginning has it, the others have their number. */
export function portList(ports: readonly string[]): string {
  const parts = ports.map((port) => {
    const [, base = '', digits = ''] = /^(swp(?:\d{1,3}s)?)(\d{1,3})$/.exec(port) ?? []
    return { port, base, number: Number(digits) }
  })
  parts.sort((a, b) => (a.base === b.base ? a.number - b.number : a.base < b.base ? -1 : 1))
  const runs: { base: string; first: string; count: number; number: number }[] = []
  for (const { port, base, number } of parts) {
    const run = runs.at(-1)
    if (base !== '' && run?.base === base && run.number + run.count === number) run.count++
    else runs.push({ base, first: base !== '' && run?.base === base ? String(number) : port, count: 1, number })
  }
  return runs
    .flatMap(({ first, count, number }) =>
      count === 1 ? [first] : count === 2 ? [first, String(number + 1)] : [`${first}-${number + count - 1}`],
    )
    .join(',')
}

/** A word that the shell and the reader take as it is. */
const SAFE = /^[\w.,:/-]+$/

function quoted(word: string): string {
  if (SAFE.test(word)) return word
  const text = word.replaceAll(/\s/g, ' ')
  return text.includes('"') ? `'${text.replaceAll("'", '')}'` : `"${text}"`
}

function plainOf(tree: Tree): unknown {
  const [only] = tree.keys()
  if (tree.size === 1 && tree.get(only!)!.size === 0) return /^(?:0|[1-9]\d{0,14})$/.test(only!) ? Number(only) : only
  return Object.fromEntries([...tree].map(([word, inner]) => [word, plainOf(inner)]))
}
