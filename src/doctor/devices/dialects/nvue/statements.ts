/**
 * Statements of NVUE, as "nv set" commands or as a YAML or JSON document: one tree from both. Lists and ranges of
 * interfaces are one statement for each.
 * Source: NVIDIA Cumulus Linux User Guide, "NVUE" (nv config show, nv config show -o commands).
 */
import { readYaml } from '../../../../core/notation/index.ts'
import type { Line, Part } from '../text.ts'
import { Branch, growPath, PATH_LENGTH_MAX } from '../tree.ts'
import { PORTS_MAX, portsIn } from './names.ts'

export interface Configuration {
  readonly root: Branch
  readonly form: 'commands' | 'document'
  /** Where a document breaks off; null: it does not. */
  readonly broken: Line | null
  readonly strange: readonly Line[]
}

/** A command, behind a shell's prompt or not. */
const COMMAND = /^[ \t]*(?:\S*[#$>][ \t]*)?(?:sudo[ \t]+)?nv[ \t]+(set|unset)[ \t]+(.*)$/
export const COMMANDS = /^[ \t]*(?:\S*[#$>][ \t]*)?(?:sudo[ \t]+)?nv[ \t]+(?:set|unset)[ \t]/m
export const DOCUMENT = /^(?:- )?set:[ \t]*(?:\{.*)?$|"set": ?\{/m

class Builder {
  readonly root: Branch
  #order = 0
  #left = PORTS_MAX * 64

  constructor(line: Line) {
    this.root = new Branch('', line, 0)
  }

  /** One statement per interface. */
  add(words: readonly string[], line: Line): void {
    for (const path of this.#paths(words)) growPath(this.root, path, line, ++this.#order)
  }

  remove(words: readonly string[]): void {
    for (const path of this.#paths(words)) {
      const parent = path
        .slice(0, -1)
        .reduce<Branch | undefined>((branch, word) => branch?.children.get(word), this.root)
      parent?.children.delete(path.at(-1) ?? '')
    }
  }

  #paths(words: readonly string[]): string[][] {
    if (words[0] !== 'interface' || words[1] === undefined) return [[...words]]
    const ports = portsIn(words[1], Math.min(PORTS_MAX, Math.max(1, this.#left)))
    this.#left -= ports.length - 1
    return ports.map((port) => ['interface', port, ...words.slice(2)])
  }
}

export function configurationOf(part: Part): Configuration {
  return COMMANDS.test(part.text) ? commands(part) : document(part)
}

function commands({ lines }: Part): Configuration {
  const builder = new Builder(lines[0]!)
  for (const line of lines) {
    const [, verb, text] = COMMAND.exec(line.text) ?? []
    if (verb === undefined) continue
    const words = [...text!.matchAll(/"([^"]*)"|'([^']*)'|[^\s"']+|["']/g)].map(([all, a, b]) => a ?? b ?? all)
    if (verb === 'set') builder.add(words.slice(0, PATH_LENGTH_MAX), line)
    else builder.remove(words.slice(0, PATH_LENGTH_MAX))
  }
  return { root: builder.root, form: 'commands', broken: null, strange: [] }
}

/** First line of a document: what stands above it is a greeting. */
const FIRST = /^(?:---|[{[]|- |[\w-]+:)/

function document({ lines }: Part): Configuration {
  const builder = new Builder(lines[0]!)
  const first = lines.findIndex((line) => FIRST.test(line.text))
  const yaml = readYaml(lines.map((line, i) => (i < first ? '' : line.text)).join('\n'))
  const lineAt = (path: readonly (string | number)[]): Line =>
    lines[(yaml.locate(path, 'key')?.line ?? 1) - 1] ?? lines[0]!
  const broken = yaml.readable ? null : (lines[(yaml.issues[0]?.position?.line ?? lines.length) - 1] ?? lines.at(-1)!)
  const strange: Line[] = []
  const walk = (value: unknown, path: (string | number)[], words: string[]): void => {
    if (words.length > PATH_LENGTH_MAX) return
    const entries = isMap(value) ? Object.entries(value) : []
    if (Array.isArray(value)) for (const [i, item] of value.entries()) walk(item, [...path, i], words)
    else if (entries.length > 0) for (const [key, inner] of entries) walk(inner, [...path, key], [...words, key])
    else {
      const word =
        typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []
      if (words.length > 0) builder.add([...words, ...word], lineAt(path))
    }
  }
  const top = yaml.value
  for (const [index, item] of (Array.isArray(top) ? top : [top]).entries()) {
    const base = Array.isArray(top) ? [index] : []
    if (!isMap(item)) continue
    for (const [key, inner] of Object.entries(item))
      if (key === 'set') walk(inner, [...base, key], [])
      else if (key === 'header') walk(inner, [...base, key], ['header'])
      else if (key === 'unset') strange.push(lineAt([...base, key]))
  }
  return { root: builder.root, form: 'document', broken, strange }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
