/** The findings that tests/tidy/language.test.ts counts, by file: also for a look at one folder while writing. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { commentsOf, proseOf, rowsUnder, stringsOf, wordsOf, type Prose } from './prose.ts'

export const ROOT = path.resolve(import.meta.dirname, '../..')

const GLOSSARY = readFileSync(path.join(ROOT, 'docs/glossary.md'), 'utf8')

/** Phrases with a private sense. */
export const PHRASES: readonly string[] = rowsUnder(GLOSSARY, 'Not used').map(([phrase]) => phrase)

/** Spellings that are not used. */
export const SPELLINGS: readonly string[] = rowsUnder(GLOSSARY, 'One spelling').flatMap(([, not]) =>
  [...not.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
)

/** Words that identifiers do not hold. Of `way` only what is not one-way or two-way. */
const WORDS = 'turn turns told tell tells news place places reckon reckons reckoned deaf cable cables hardware mend'
export const IDENTIFIER_WORDS: ReadonlySet<string> = new Set([...WORDS.split(' '), 'mends', 'mended', 'way', 'ways'])

/** Parameters of scenarios, columns of tables and settings of devices, whose names are in files of users. */
const KEPT_NAMES = new Set(['packetsPerTurn', 'cableM', 'CABLE_LENGTH'])

const PHRASE = new RegExp(`\\b(${PHRASES.map((phrase) => phrase.replaceAll(' ', '\\s+')).join('|')})\\b`, 'i')
const SPELLING = new RegExp(`(?<![\\w-])(${SPELLINGS.join('|')})(?![\\w-])`)
const BEGINS = /^(What|Of)\b(?! course)/

export interface Finding {
  readonly kind: 'phrase' | 'beginning' | 'identifier' | 'spelling'
  readonly where: string
  readonly text: string
}

function proseFindings(name: string, prose: readonly Prose[], mayBegin: (text: string) => boolean): Finding[] {
  return prose.flatMap(({ line, text }) => {
    const where = `${name}:${line}`
    const shown = text.replaceAll('\n', ' ').slice(0, 120)
    const found: Finding[] = []
    const phrase = PHRASE.exec(text)?.[0]
    if (phrase !== undefined) found.push({ kind: 'phrase', where, text: `"${phrase}" in: ${shown}` })
    if (BEGINS.test(text) && !mayBegin(text)) found.push({ kind: 'beginning', where, text: shown })
    return found
  })
}

/** A question may begin with "What". */
const isQuestion = (text: string): boolean => /^What\b[^.]*\?/.test(text)

export function identifierFindings(name: string, text: string): Finding[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const found: Finding[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const where = `${name}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`
      const words = wordsOf(node.text.replace(/(one|two)Way/gi, ''))
      if (!KEPT_NAMES.has(node.text) && words.some((word) => IDENTIFIER_WORDS.has(word))) {
        found.push({ kind: 'identifier', where, text: node.text })
      }
      if (SPELLING.test(node.text)) found.push({ kind: 'spelling', where, text: node.text })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** All findings of a file, by its name below the project and its text. */
export function findingsIn(name: string, text: string): Finding[] {
  if (name.endsWith('.md')) return proseFindings(name, proseOf(text), isQuestion)
  const prose = [...commentsOf(name, text), ...stringsOf(name, text)]
  return [...proseFindings(name, prose, isQuestion), ...identifierFindings(name, text)]
}

/** Source files and pages below a folder; the history of changes is left as it was written. */
export function readable(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name)
    if (entry.isDirectory()) return /^(node_modules|dist.*|api|\..*)$/.test(entry.name) ? [] : readable(name)
    return /\.(ts|md)$/.test(entry.name) && name !== 'docs/glossary.md' ? [name] : []
  })
}
