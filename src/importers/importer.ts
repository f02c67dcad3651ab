/**
 * Importer: converts another tool's files to a scenario.
 * The scenario is in its object form with quantities as text ("40Gbps"), as if it had been written in YAML.
 * Importers open no files: the caller passes a reader, so that they run anywhere and tests need no disk.
 * Invariant: an import either succeeds and lists in `findings` everything it could not carry over, or throws one InputError
 * with every issue it found, and its findings (StoppedImport).
 */
import { InputError, type Issue } from '../core/base/issue.ts'
import type { Finding } from '../core/findings/index.ts'
import type { Table } from '../core/results/table.ts'

/** A YAML value. */
export type Tree = string | number | boolean | null | readonly Tree[] | { readonly [key: string]: Tree }

/** A YAML map. */
export interface Branch {
  readonly [key: string]: Tree
}

/** An option that the user may give beside the path. Values are text. */
export interface ImportOption {
  /** Name on the command line, without the dashes: "start-unit". */
  readonly name: string
  readonly help: string
  /** The allowed values; absent: any text. */
  readonly choices?: readonly string[]
  /** The value names a file, or is one of the words that `help` explains. */
  readonly file?: boolean
}

/** Input of an import. */
export interface ImportInput {
  /** The file that the user named. Other files are looked up relative to its folder. */
  readonly path: string
  /** Returns the text of a file, or undefined if it does not exist. */
  readonly readFile: (path: string) => string | undefined
  /** Returns the bytes of a file, for formats that are no text, or undefined if it does not exist. Absent: files are texts. */
  readonly readBytes?: (path: string) => Uint8Array | undefined
  /** By option name. */
  readonly options: Readonly<Record<string, string>>
}

/** Result of an import. */
export interface Imported {
  /** Object form of a scenario, for the scenario parser. */
  readonly scenario: Branch
  /** Everything that was assumed, left out or changed, each once. */
  readonly findings: readonly Finding[]
  /** Measurements found beside the input. */
  readonly series?: readonly Table[]
}

export interface Importer {
  readonly name: string
  readonly help: string
  /** Project that defines the format. */
  readonly source: string
  /** Values of the option `dialect`, the first one being the default; absent if there is only one format. */
  readonly dialects?: readonly string[]
  /** All options except `dialect`, which follows from `dialects`. */
  readonly options: readonly ImportOption[]
  /** @throws InputError with all issues. */
  readonly import: (input: ImportInput) => Imported
}

/** An import that ended with issues; its findings may explain them. */
export class StoppedImport extends InputError {
  readonly findings: readonly Finding[]
  constructor(issues: readonly Issue[], findings: readonly Finding[]) {
    super(issues)
    this.findings = findings
  }
}

/** Defines an importer whose options are checked before it runs. List it in importers/index.ts. */
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

/** A received text for an issue: quoted, and shortened when it is long. */
export function quote(text: string): string {
  return `"${shortened(text)}"`
}

/** The beginning of a text that is long. */
export function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
