/**
 * Console: blocks of commands and what they print, run again in a folder that holds the files of their page.
 * `npm start -- ARGS` is the built program, `node FILE` a script that imports the package, `npx tsc` the compiler, `cat FILE` a
 * file, `tshark ARGS` Wireshark's reader; where that is not installed, what the page shows is taken as it is, which is said. A
 * line `...` stands for lines that are not shown. Left out is what differs without a reason: the cost of a run, and the folder
 * of a sweep, whose name tells builds of the program apart. On the page that a newcomer types from top to bottom, commands in
 * the prose, in shells' blocks and in the table of commands are run too, at their places: they have to end well.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { TSHARK } from '../capture/tshark.ts'
import { createFolder } from '../cli/program.ts'
import type { Commands } from '../support/commands.ts'
import { fencesOf, linksOf, read, ROOT } from './pages.ts'

interface Step {
  readonly command: string
  /** Lines on standard output. */
  readonly output: readonly string[]
}

export interface Shown {
  readonly page: readonly Step[]
  readonly program: readonly Step[]
  /** The page with what the program printed. */
  readonly markdown: string
  /** Figures that the commands drew to the very place, relative to the page, that the page links. */
  readonly figures: readonly Figure[]
}

interface Figure {
  /** From the root of the repository. */
  readonly path: string
  /** Output on the page, empty if it is not there yet. */
  readonly shown: string
  readonly drawn: string
}

/** Runs all commands of a page with the package below `packageRoot`. */
export async function rerun(page: string, packageRoot: string, commands: Commands): Promise<Shown> {
  const markdown = read(page)
  const { folder, clear } = folderOf(markdown, packageRoot)
  try {
    const shown: Step[] = []
    const now: Step[] = []
    let fresh = markdown
    for (const { text, typed } of page === TYPED ? partsOf(markdown) : blocksOf(markdown)) {
      for (const command of typed) await outputOf(folder, wordsOf(command), packageRoot, commands)
      const steps = stepsOf(text)
      const again: Step[] = []
      for (const { command, output } of steps) {
        const isHeld = TSHARK !== undefined || !command.startsWith('tshark ')
        if (!isHeld) console.warn(`${page}: not held, there is no tshark on this machine: ${command}`)
        const held = async (): Promise<string[]> =>
          partOf(linesOf(await outputOf(folder, wordsOf(command), packageRoot, commands)), output)
        again.push({ command, output: isHeld ? await held() : output })
      }
      shown.push(...steps)
      now.push(...again)
      if (text !== '') fresh = fresh.replace(text, () => textOf(again))
    }
    return { page: shown, program: now, markdown: fresh, figures: figuresOf(page, markdown, folder) }
  } finally {
    clear()
  }
}

function figuresOf(page: string, markdown: string, folder: string): Figure[] {
  const drawn = linksOf(markdown).filter((link) => link.endsWith('.svg') && existsSync(path.join(folder, link)))
  return [...new Set(drawn)].map((link) => {
    const target = path.join(path.dirname(page), link)
    const there = path.join(ROOT, target)
    const shown = existsSync(there) ? readFileSync(there, 'utf8') : ''
    return { path: target, shown, drawn: readFileSync(path.join(folder, link), 'utf8') }
  })
}

/** A page's folder: its fences that have a file name, and the folders of the repository that commands name. */
function folderOf(markdown: string, packageRoot: string): { folder: string; clear: () => void } {
  const files = fencesOf(markdown).filter(({ title }) => /^[\w-]+\.(yaml|mjs|ts|txt|log)$/.test(title))
  const made = createFolder(Object.fromEntries(files.map(({ title, text }) => [title, text])))
  for (const name of ['scenarios', 'tests']) symlinkSync(path.join(ROOT, name), path.join(made.folder, name), 'dir')
  mkdirSync(path.join(made.folder, 'node_modules'))
  symlinkSync(packageRoot, path.join(made.folder, 'node_modules', 'rocelab'), 'dir')
  writeFileSync(path.join(made.folder, 'package.json'), '{ "type": "module" }\n')
  return made
}

/** Page whose commands are all typed. */
const TYPED = 'README.md'
/** Why a command of that page is not. */
export const UNTYPED: Readonly<Record<string, string>> = {
  'perf write --bw HOST': 'needs another end',
  'ping HOST': 'needs another end',
  'box --ports 9001:9002,9003:9004 --script scenarios/faults/last-ack-lost.yaml': 'waits for two machines',
  'reproduce irn': 'takes minutes',
}
const PREFIX = 'npm start -- '

/** A block of commands with what they print, or commands that are only run. */
interface Part {
  readonly text: string
  readonly typed: readonly string[]
}

function blocksOf(markdown: string): Part[] {
  return fencesOf(markdown)
    .filter(({ language }) => language === 'console')
    .map(({ text }) => ({ text, typed: [] }))
}

/** Blocks, and all other commands of a page, in its order. In the table's first cells they stand without their beginning. */
export function partsOf(markdown: string): Part[] {
  const parts = /^```(\w*)[^\n]*\n([\s\S]*?)^```$|^\| (`[^|]*) \||`npm start -- ([^`\n]+)`/gm
  return [...markdown.matchAll(parts)].flatMap(([, language, text = '', cell = '', inline]): Part[] => {
    if (language === 'console') return [{ text, typed: [] }]
    const lines = language === 'sh' ? text.split('\n').filter((line) => line.startsWith(PREFIX)) : []
    const typed = [
      // Fewer seeds print other numbers, which nobody looks at here.
      ...lines.map((line) => line.replace(/--seeds \d+/, '--seeds 1')),
      ...[...cell.matchAll(/`([^`]+)`/g)].map(([, command = '']) => `${PREFIX}${command}`),
      ...(inline === undefined ? [] : [`${PREFIX}${inline}`]),
    ]
    return [{ text: '', typed: typed.filter((command) => !Object.hasOwn(UNTYPED, command.slice(PREFIX.length))) }]
  })
}

function stepsOf(text: string): Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.replace(/\n+$/, '').split('\n')
      return { command, output }
    })
}

function textOf(steps: readonly Step[]): string {
  return steps.map(({ command, output }) => [`$ ${command}`, ...output, ''].join('\n')).join('')
}

/** A command as a shell takes it apart: at white space, but not between single quotes. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''))
}

/** Lines of an output, without the cost of the run. */
function linesOf(output: string): string[] {
  const lines = output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => !/^cost {2}|^sweep in results\//.test(line))
  while (lines.at(-1) === '') lines.pop()
  return lines
}

/** Exit code of a command that is done and has findings. */
const FINDINGS = 3

/** Standard output of a command that ends well. */
async function outputOf(
  cwd: string,
  [program, ...words]: readonly string[],
  packageRoot: string,
  commands: Commands,
): Promise<string> {
  if (program === 'cat') return readFileSync(path.join(cwd, words[0] ?? ''), 'utf8')
  const command = [program, ...words].join(' ')
  if (program === 'npm') {
    const main = path.join(packageRoot, 'dist', 'cli', 'main.js')
    const { code, stdout, stderr } = await commands.run(cwd, words.slice('start --'.split(' ').length), { main })
    if (code !== 0 && code !== FINDINGS) throw new Error(`${command}: exit code ${code}\n${stderr}`)
    return stdout
  }
  const file = program === 'tshark' ? TSHARK! : process.execPath
  // `npx tsc` is the compiler of this project.
  const given = program === 'npx' ? [TSC, ...words.slice(1)] : words
  const { status, stdout, stderr } = spawnSync(file, given, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command}: exit code ${status}\n${stdout}${stderr}`)
  return stdout
}

const TSC = path.join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc')

/** The shown part of `lines`: all of them, or those that `shown` names by their first cell between its `...`. */
export function partOf(lines: readonly string[], shown: readonly string[]): string[] {
  if (!shown.includes('...')) return [...lines]
  const cell = (line: string): string => line.trim().split(/ {2,}/)[0] ?? ''
  return shown.map((line) => {
    const found = line === '...' ? line : lines.find((each) => cell(each) === cell(line))
    if (found === undefined) throw new Error(`no line that begins with "${cell(line)}" in:\n${lines.join('\n')}`)
    return found
  })
}
