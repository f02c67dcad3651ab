import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFolder, rocelab, ROOT } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'mine.yaml': 'name: mine\n' })
})
afterEach(() => at.clear())

const shipped = readdirSync(path.join(ROOT, 'scenarios'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => path.basename(name, '.yaml'))

test('every scenario of the package is listed with its description', () => {
  const lines = rocelab(at.folder, 'example').stdout.trimEnd().split('\n').slice(2)
  expect(lines.map((line) => line.split(/ {2,}/)[0]).toSorted()).toEqual(shipped.toSorted())
  for (const line of lines) expect(line.split(/ {2,}/)[1], line).toMatch(/\w+ \w+/)
})

test('an example is written to --out, and runs from there', () => {
  const written = rocelab(at.folder, 'example', 'link-down', '--out', 'cut.yaml')
  expect(written).toMatchObject({ code: 0, stdout: '', stderr: '' })
  const text = readFileSync(path.join(at.folder, 'cut.yaml'), 'utf8')
  const [, schema = ''] = /^# yaml-language-server: \$schema=(.*)$/m.exec(text) ?? []
  expect(existsSync(path.resolve(at.folder, schema)), schema).toBe(true)
  expect(rocelab(at.folder, 'check', 'cut.yaml').code).toBe(0)
})

test('without --out an example is printed, with its comments', () => {
  const { stdout } = rocelab(at.folder, 'example', 'incast-pfc')
  const shown = readFileSync(path.join(ROOT, 'scenarios', 'incast-pfc.yaml'), 'utf8')
  const withoutFirst = (text: string): string => text.slice(text.indexOf('\n'))
  expect(withoutFirst(stdout)).toBe(withoutFirst(shown))
})

test('an existing file is not replaced without --force, and an unknown name is reported', () => {
  const kept = rocelab(at.folder, 'example', 'incast-pfc', '--out', 'mine.yaml')
  expect(kept).toMatchObject({ code: 2, stdout: '' })
  expect(readFileSync(path.join(at.folder, 'mine.yaml'), 'utf8')).toBe('name: mine\n')
  expect(rocelab(at.folder, 'example', 'incast-pfc', '--out', 'mine.yaml', '--force').code).toBe(0)
  const wrong = rocelab(at.folder, 'example', 'incast-pcf')
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean incast-pfc?') as string })
})
