/**
 * Console: blocks of commands and what they print, run again in a folder that holds the files of their page.
 * `npm start -- ARGS` is the built program, `node FILE` a script that imports the package. A line `...` stands for lines
 * that are not shown. What a run cost differs from run to run and is not compared.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createFolder, rocelab } from '../cli/program.ts'
import { type Fence, fencesOf, ROOT } from './pages.ts'

export interface Step {
  readonly command: string
  /** Lines on standard output. */
  readonly output: readonly string[]
}

/** A page's folder: its fences that have a file name, and the folders of the repository that commands name. */
export function folderOf(markdown: string): { folder: string; clear: () => void } {
  const files = fencesOf(markdown).filter(({ title }) => /^[\w-]+\.(yaml|mjs|txt)$/.test(title))
  const made = createFolder(Object.fromEntries(files.map(({ title, text }) => [title, text])))
  for (const name of ['scenarios', 'tests']) symlinkSync(path.join(ROOT, name), path.join(made.folder, name), 'dir')
  mkdirSync(path.join(made.folder, 'node_modules'))
  symlinkSync(ROOT, path.join(made.folder, 'node_modules', 'rocelab'), 'dir')
  writeFileSync(path.join(made.folder, 'package.json'), '{ "type": "module" }\n')
  return made
}

export function stepsOf({ text }: Fence): Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.replace(/\n+$/, '').split('\n')
      return { command, output }
    })
}

/** Standard output of a command that ends well, as lines without the cost of the run. */
export function printed(folder: string, command: string): string[] {
  const [program, ...words] = command.split(/\s+/)
  const ended =
    program === 'node'
      ? nodeScript(folder, words)
      : rocelab(folder, ...words.slice(words[0] === 'start' && words[1] === '--' ? 2 : words.length))
  if (ended.code !== 0) throw new Error(`${command}: exit code ${ended.code}\n${ended.stderr}`)
  const lines = ended.stdout.split('\n').map((line) => line.trimEnd())
  const kept = lines.filter((line) => !/^cost  /.test(line))
  while (kept.at(-1) === '') kept.pop()
  return kept
}

function nodeScript(cwd: string, words: readonly string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

/** What is shown of `lines`: all of them, or those that `shown` names by their first cell between its `...`. */
export function shownOf(lines: readonly string[], shown: readonly string[]): string[] {
  if (!shown.includes('...')) return [...lines]
  const cell = (line: string): string => line.trim().split(/ {2,}/)[0] ?? ''
  return shown.map((line) => (line === '...' ? line : (lines.find((each) => cell(each) === cell(line)) ?? 'no such line')))
}
