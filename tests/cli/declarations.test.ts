import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './program.ts'

/** Declaration files reachable from one, itself included, and the packages that they import. */
function reachOf(entry: string): { readonly files: Set<string>; readonly packages: string[] } {
  const files = new Set([entry])
  const packages: string[] = []
  for (const file of files) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)) {
      if (name.startsWith('.')) files.add(path.resolve(path.dirname(file), name.replace(/\.ts$/, '.d.ts')))
      else packages.push(`${path.relative(ROOT, file)}: ${name}`)
    }
  }
  return { files, packages }
}

test('the declarations of every room import no package, whose own types may be missing', () => {
  const { exports } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  const entries = Object.values(exports).flatMap((room) => (typeof room === 'string' ? [] : [room.types]))
  const reached = entries.map((types) => reachOf(path.join(ROOT, types)))
  const packages = reached.flatMap((each) => each.packages)
  // Drivers are for programs of Node, which have its types.
  expect(packages.filter((one) => !/^dist\/live\/drivers\/.*: node:/.test(one))).toEqual([])
  expect(reached.every(({ files }) => files.size > 1 && [...files].every((file) => existsSync(file)))).toBe(true)
})
