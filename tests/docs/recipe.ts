/**
 * Recipe: a page that adds a source file. Its code blocks are written into a copy of the sources, which is then compiled.
 * A block `ts src/ROOM/NAME.ts` is a new file; a block `diff src/ROOM/index.ts` changes a list: `...` stands for what is
 * there, a line `+import` goes before the first import, and a line `-` is replaced by the line `+` after it.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fencesOf, ROOT } from './pages.ts'

export function isRecipe(markdown: string): boolean {
  return fencesOf(markdown).some(({ language, title }) => language === 'ts' && title.startsWith('src/'))
}

/** A copy of the program with recipes in it. */
export interface Kitchen {
  /** Its package root. */
  readonly root: string
  /** Messages of the compiler; empty if there are none. */
  readonly complaints: string
  readonly clear: () => void
}

/** Copies the sources, adds what the pages add, and compiles with types checked. Lies in the repository, for its packages. */
export function cook(pages: readonly string[]): Kitchen {
  const root = path.join(ROOT, '.tmp', `recipes-${process.pid}`)
  const clear = (): void => rmSync(root, { recursive: true, force: true })
  clear()
  const isProgram = (file: string): boolean => !/\.test(-[\w-]+)?\.ts$/.test(file)
  cpSync(path.join(ROOT, 'src'), path.join(root, 'src'), { recursive: true, filter: isProgram })
  cpSync(path.join(ROOT, 'package.json'), path.join(root, 'package.json'))
  for (const markdown of pages) addTo(root, markdown)
  const config = {
    extends: '../../tsconfig.build.json',
    compilerOptions: { noCheck: false, declaration: false, rootDir: 'src', outDir: 'dist' },
    include: ['src', '../../types'],
    exclude: ['src/show/html/client'],
  }
  writeFileSync(path.join(root, 'tsconfig.json'), JSON.stringify(config))
  const tsc = path.join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '--pretty', 'false', '-p', root], { encoding: 'utf8' })
  // As compiled, the program has its assertions.
  symlinkSync('dist', path.join(root, 'dist-checked'))
  return { root, complaints: `${stdout}${stderr}`.trim(), clear }
}

function addTo(root: string, markdown: string): void {
  for (const { language, title, text } of fencesOf(markdown)) {
    if (!title.startsWith('src/')) continue
    const file = path.join(root, title)
    if (language === 'diff') writeFileSync(file, patched(readFileSync(file, 'utf8'), text))
    else {
      if (existsSync(file)) throw new Error(`${title} is there already`)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
}

/** A file with the lines of a diff; throws when it does not fit. */
export function patched(before: string, diff: string): string {
  let text = before
  const lines = diff.trimEnd().split('\n')
  lines.forEach((line, i) => {
    const next = lines[i + 1] ?? ''
    if (line.startsWith('+import ')) text = text.replace(/^import /m, () => `${line.slice(1)}\nimport `)
    else if (line.startsWith('-') && next.startsWith('+')) {
      const [start = '', end = ''] = line.slice(1).split('...')
      const from = text.indexOf(start)
      const to = text.indexOf(end, from + start.length)
      if (from < 0 || to < 0) throw new Error(`no line like ${line.slice(1)}`)
      const there = text
        .slice(from + start.length, to)
        .trim()
        .replace(/,$/, '')
      text = text.slice(0, from) + next.slice(1).replace('...', () => there) + text.slice(to + end.length)
    } else if (!line.startsWith('+')) throw new Error(`not understood: ${line}`)
  })
  return text
}
