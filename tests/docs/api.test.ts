/**
 * The pages of the library's API: typedoc reads the sources, and every export of the package's root says what it is.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { read, ROOT } from './pages.ts'

const folder = path.join(ROOT, '.tmp', `api-${process.pid}`)

interface Reflection {
  readonly id: number
  readonly name: string
  /** Where two rooms export the same thing: the number of its entry in the other room. */
  readonly target?: number
  readonly comment?: object
  readonly signatures?: readonly Reflection[]
  readonly children?: readonly Reflection[]
}
let rooms: readonly Reflection[]

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  const json = path.join(folder, 'api.json')
  const typedoc = path.join(ROOT, 'node_modules', 'typedoc', 'bin', 'typedoc')
  const args = [typedoc, '--json', json, '--logLevel', 'Error']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`typedoc: ${stdout}${stderr}`)
  rooms = (JSON.parse(readFileSync(json, 'utf8')) as Reflection).children!
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every export of the root says what it is', () => {
  const known = new Map(rooms.flatMap(({ children = [] }) => children.map((each) => [each.id, each] as const)))
  const exported = rooms.find(({ name }) => name === 'rocelab')?.children ?? []
  const children = exported.map((each) => known.get(each.target ?? each.id)!)
  expect(children.map(({ name }) => name)).toEqual(expect.arrayContaining(['run', 'parseScenario', 'summarize']))
  const isSilent = ({ comment, signatures = [] }: Reflection): boolean =>
    comment === undefined && !signatures.some((signature) => signature.comment !== undefined)
  expect(children.filter(isSilent).map(({ name }) => name)).toEqual([])
})

test('the pages have every entry of the package', () => {
  const { entryPoints } = JSON.parse(read('typedoc.json')) as { entryPoints: readonly string[] }
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, string | { default: string }> }
  const sources = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
  )
  expect(sources.length).toBeGreaterThan(10)
  const isShown = (source: string): boolean =>
    entryPoints.some((entry) => entry === source || entry.replace('*', path.basename(path.dirname(source))) === source)
  expect(sources.filter((source) => !isShown(source))).toEqual([])
})
