/**
 * The pages of the doctor have the forms and the rules that there are. After a change of them:
 * `UPDATE_DIGESTS=1 npm test -- tests/docs/doctor` writes its tables anew.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  COLLECTED_FROM,
  COLLECTED_LANGUAGES,
  commandsToCollect,
  isOfHosts,
} from '../../src/advice/doctor/commands-to-collect.ts'
import { DIALECTS } from '../../src/ops/dialects/index.ts'
import { RULES } from '../../src/ops/rules/index.ts'
import { FINDING_KINDS } from '../../src/findings/index.ts'
import { read, ROOT } from './pages.ts'

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)
const forms = DIALECTS.map(
  ({ title, leavesOut }) => `| \`${cell(title)}\` | ${cell(leavesOut.join('; ')) || 'nothing'} |`,
)
const ids = new Set(RULES.flatMap(({ kinds }) => kinds.map(({ rule }) => rule.toLowerCase())))
const rules = FINDING_KINDS.filter(({ id }) => ids.has(id)).map(
  ({ id, severity, meaning }) => `| ${id.toUpperCase()} ${severity} | ${meaning.replace(/\.$/, '')} |`,
)

/** Commands of hosts or of switches, by language. */
const commandRows = (isHost: boolean): string[] =>
  COLLECTED_LANGUAGES.filter((language) => isOfHosts(language) === isHost).map((language) => {
    const commands = commandsToCollect([language]).map(({ command }) => `\`${cell(command)}\``)
    return `| ${COLLECTED_FROM[language]} (${language}) | ${commands.join(', ')} |`
  })

/** The page with other rows in the table below a head. */
function withRows(page: string, head: string, rows: readonly string[]): string {
  const at = page.indexOf(head)
  if (at < 0) throw new Error(`no table ${head}`)
  const begin = page.indexOf('\n', page.indexOf('\n', at) + 1) + 1
  const end = page.slice(begin).search(/^(?!\|)/m)
  return page.slice(0, begin) + rows.map((row) => `${row}\n`).join('') + (end < 0 ? '' : page.slice(begin + end))
}

test.each([
  ['docs/models/doctor-forms.md', '| form | not read |', forms],
  ['docs/models/doctor-rules.md', '| rule | meaning |', rules],
  ['docs/guides/doctor.md', '| host | command |', commandRows(true)],
  ['docs/guides/doctor.md', '| switch | command |', commandRows(false)],
])('%s has them all', (file, head, rows) => {
  const page = read(file)
  const made = withRows(page, head, rows)
  if (process.env['UPDATE_DIGESTS'] !== undefined) writeFileSync(path.join(ROOT, file), made)
  expect(process.env['UPDATE_DIGESTS'] === undefined ? page : made).toBe(made)
})
