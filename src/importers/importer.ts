/**
 * What an importer is: a value that turns another tool's files into a scenario.
 * The scenario comes out in its object form, quantities as text ("40Gbps"), as if somebody had written the YAML.
 * Nothing here opens a file: the caller hands in a reader, so that importers run anywhere and tests need no disk.
 * Invariant: an import either succeeds and says in `notes` whatever it could not carry over, or throws one InputError
 * with every issue it found.
 */
import { InputError, type Issue } from '../base/issue.ts'
import type { Table } from '../results/table.ts'

/** A tree as YAML knows it. */
export type Tree = string | number | boolean | null | readonly Tree[] | { readonly [key: string]: Tree }

/** A branch of a tree. */
export interface Branch {
  readonly [key: string]: Tree
}

/** Something the user may say beside the path, always as text. */
export interface ImportOption {
  /** As on a command line without the dashes: "start-unit". */
  readonly name: string
  readonly help: string
  /** The only values there are; without it any text. */
  readonly choices?: readonly string[]
  /** True when the value names a file (or is one of the words `help` explains). */
  readonly file?: boolean
}

/** What an import starts from. */
export interface ImportInput {
  /** The file the user named. Other files are looked for relative to its folder. */
  readonly path: string
  /** Text of a file, or undefined when there is none. */
  readonly readFile: (path: string) => string | undefined
  /** By option name. */
  readonly options: Readonly<Record<string, string>>
}

/** What an import gives. */
export interface Imported {
  /** Object form of a scenario, for the scenario parser. */
  readonly scenario: Branch
  /** What was assumed, left out or changed on the way; said aloud to the user. */
  readonly notes: readonly string[]
  /** Measurements found beside the input, if any. */
  readonly series?: readonly Table[]
}

export interface Importer {
  readonly name: string
  readonly help: string
  /** Where the format is defined. */
  readonly source: string
  /** Values of the option `dialect`, the first one being taken when nothing is said; absent: there is one format only. */
  readonly dialects?: readonly string[]
  /** Without `dialect`, which follows from `dialects`. */
  readonly options: readonly ImportOption[]
  /** @throws InputError with all issues. */
  readonly import: (input: ImportInput) => Imported
}

/** Gives an importer its type and checks the options before it sees them. List it in importers/index.ts. */
export function defineImporter(importer: Importer): Importer {
  return {
    ...importer,
    import(input) {
      checkOptions(importer, input.options)
      return importer.import(input)
    },
  }
}

function checkOptions(importer: Importer, given: Readonly<Record<string, string>>): void {
  const known = new Map(importer.options.map((option) => [option.name, option.choices]))
  if (importer.dialects !== undefined) known.set('dialect', importer.dialects)
  const issues: Issue[] = []
  for (const [name, value] of Object.entries(given)) {
    const choices = known.get(name)
    if (!known.has(name)) {
      const names = [...known.keys()].join(', ')
      issues.push({
        path: name,
        expected: `an option of the ${importer.name} importer: ${names}`,
        received: name,
        hint: '',
      })
    } else if (choices !== undefined && !choices.includes(value)) {
      issues.push({ path: name, expected: choices.join(' or '), received: quote(value), hint: '' })
    }
  }
  if (issues.length > 0) throw new InputError(issues)
}

/** A received text for an issue: quoted, and cut when it is long. */
export function quote(text: string): string {
  return text.length > 60 ? `"${text.slice(0, 57)}..."` : `"${text}"`
}
