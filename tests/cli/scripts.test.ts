/** Scripts behind `npm run ...` report a wrong argument like the program: one line, no stack, exit code 2. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './program.ts'

test.each([
  'nonsense',
  'src/core/transport/nonsense.ts',
  'src/core/engine/event-queue.ts',
  'src/core/transport/../engine/event-queue.ts',
])('mutation of %s is refused', (name) => {
  const script = path.join(ROOT, 'scripts', 'mutation.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, name], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(new RegExp(`^${path.posix.normalize(name)}: expected a file or folder [^\\n]*\\n$`))
})

test('npm test and npm run test:all have each file of tests once between them', () => {
  const filesOf = (suite: string): string[] => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'list', '--filesOnly'],
      { cwd: ROOT, encoding: 'utf8', env: { ...process.env, ROCELAB_SUITE: suite } },
    )
    expect(status).toBe(0)
    return stdout.split('\n').filter((line) => line.endsWith('.test.ts'))
  }
  const [first, rest] = [filesOf('first'), filesOf('rest')]
  expect([...first, ...rest].toSorted()).toEqual(filesOf('').toSorted())
  expect(Math.min(first.length, rest.length)).toBeGreaterThan(50)
})
