/** Tests that compare runs under two versions of Node need a second one that works. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { SECOND_NODE } from './second-node.ts'

test.skipIf(SECOND_NODE === undefined)('the second Node runs and is of another version', () => {
  const version = execFileSync(SECOND_NODE!, ['--version'], { encoding: 'utf8' }).trim()
  expect(version).toMatch(/^v24\./)
  expect(version).not.toBe(process.version)
})

test('the second Node is never found before the first', () => {
  expect(execFileSync('node', ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version)
})
