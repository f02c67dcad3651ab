/**
 * The page of the doctor's rules has those that there are. After a change of them:
 * `UPDATE_DIGESTS=1 npm test -- tests/docs/doctor` writes its table anew.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { RULES } from '../../src/doctor/diagnosis/rules/index.ts'
import { FINDING_KINDS } from '../../src/core/findings/index.ts'
import { read, ROOT } from './pages.ts'

const ids = new Set(RULES.flatMap(({ kinds }) => kinds.map(({ rule }) => rule.toLowerCase())))
const rules = FINDING_KINDS.filter(({ id }) => ids.has(id)).map(
  ({ id, severity, meaning }) => `| ${id.toUpperCase()} ${severity} | ${meaning.replace(/\.$/, '')} |`,
)

/** The page with other rows in the table below a head. */
function withRows(page: string, head: string, rows: readonly string[]): string {
  const at = page.indexOf(head)
  if (at < 0) throw new Error(`no table ${head}`)
  const begin = page.indexOf('\n', page.indexOf('\n', at) + 1) + 1
  const end = page.slice(begin).search(/^(?!\|)/m)
  return page.slice(0, begin) + rows.map((row) => `${row}\n`).join('') + (end < 0 ? '' : page.slice(begin + end))
}

test.each([['docs/models/doctor-rules.md', '| rule | meaning |', rules]])('%s has them all', (file, head, rows) => {
  const page = read(file)
  const made = withRows(page, head, rows)
  if (process.env['UPDATE_DIGESTS'] !== undefined) writeFileSync(path.join(ROOT, file), made)
  expect(process.env['UPDATE_DIGESTS'] === undefined ? page : made).toBe(made)
})
