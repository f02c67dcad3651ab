/**
 * Pages: the project's markdown as data: blocks, code fences, links, and what is set in backquotes.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

export const ROOT = path.resolve(import.meta.dirname, '../..')

export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
export const isThere = (file: string): boolean => existsSync(path.join(ROOT, file))

/** Markdown files that these tests keep true. */
export const PAGES: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  ...pagesOf('docs/models'),
  'docs/queue-pairs.md',
  ...pagesOf('docs/guides'),
  ...pagesOf('docs/recipes'),
]

function pagesOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`)
}

/** A code block. */
export interface Fence {
  /** First word of its opening line: "ts". */
  readonly language: string
  /** The rest of the opening line. */
  readonly title: string
  readonly text: string
}

/** The code blocks of a page. */
export function fencesOf(markdown: string): Fence[] {
  return [...markdown.matchAll(/^```(\w*) *(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', title = '', text = '']) => ({
      language,
      title: title.trim(),
      text,
    }),
  )
}

/** Paragraphs, rows of tables and list items, without code blocks. */
export function blocksOf(markdown: string): string[] {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/\n(?=\s*(?:\n|[-|]|\d+\.))/)
}

/** Texts in backquotes. */
export function quotedIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, quoted = '']) => quoted)
}

/** Targets of links to files: without those to the web and to places of the same page. */
export function linksOf(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(https?:|#)/.test(target))
}

/** Commands shown on a page. */
export function stepCountOf(markdown: string): number {
  return fencesOf(markdown)
    .filter(({ language }) => language === 'console')
    .reduce((count, { text }) => count + [...text.matchAll(/^\$ /gm)].length, 0)
}

/** Whether a file defines a function, a method, a getter or a private field of that name. */
export function defines(text: string, name: string): boolean {
  const definition = new RegExp(
    `^\\s*(export )?(async )?(private |protected |override |abstract )*(function |get |readonly )?${name}\\s*(<.*>)?\\s*[(!:=]`,
    'm',
  )
  return definition.test(text)
}
