/**
 * example [NAME]: lists, prints or writes the scenarios that come with the program.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { inputError } from '../../core/base/issue.ts'
import { textTable } from '../../show/index.ts'
import { suggestion } from '../../lab/scenario/text/wording.ts'
import { command, type FlagsOf } from '../command.ts'
import { fileFlag, givenFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { writeText } from '../files/files.ts'
import { packageRoot } from '../package-root.ts'
import { fileText } from '../parsers.ts'

const FOLDER = path.join(packageRoot, 'scenarios')
/** Points editors to the schema, relative to the file. */
const SCHEMA_LINE = /^# yaml-language-server: \$schema=.*\n/

const FLAGS = {
  out: fileFlag('FILE', 'Write the scenario to FILE'),
  force: givenFlag('Replace an existing file'),
}
type ExampleFlags = FlagsOf<typeof FLAGS>

export const example = command({
  brief: 'Print or write an example scenario',
  about: [
    'Without NAME lists the examples; with NAME prints that scenario, with its comments.',
    '',
    'Examples:',
    '  rocelab example',
    '  rocelab example incast-pfc --out incast.yaml && rocelab run incast.yaml',
  ],
  args: [
    {
      brief: 'Name of an example',
      placeholder: 'NAME',
      parse: fileText,
      proposeCompletions: (partial: string) => namesOf().filter((name) => name.startsWith(partial)),
      optional: true,
    },
  ],
  flags: FLAGS,
  run: printExample,
})

function printExample(this: Context, flags: ExampleFlags, name?: string): void {
  const { stdout } = this.process
  const names = namesOf()
  if (name === undefined) {
    if (flags.out !== undefined)
      throw inputError('--out', 'the name of an example too', 'none', 'such as rocelab example incast-pfc --out FILE')
    const rows = names.map((each) => [each, descriptionOf(textOf(each))])
    stdout.write(textTable(['example', 'description'], rows, this.text))
    return
  }
  const wanted = name.replace(/\.yaml$/, '')
  if (!names.includes(wanted)) {
    const hint = suggestion(wanted, names) || 'rocelab example lists them'
    throw inputError('example', 'the name of an example', JSON.stringify(name), hint)
  }
  const target = path.resolve(this.directory, flags.out ?? '-')
  const text = textOf(wanted).replace(SCHEMA_LINE, () => schemaLine(path.dirname(target)))
  if (flags.out === undefined) stdout.write(text)
  else writeText(this.directory, flags.out, text, { force: flags.force === true })
}

function namesOf(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => path.basename(name, '.yaml'))
    .toSorted()
}

function textOf(name: string): string {
  return readFileSync(path.join(FOLDER, `${name}.yaml`), 'utf8')
}

function descriptionOf(text: string): string {
  return /^description: (.*)$/m.exec(text)?.[1] ?? ''
}

function schemaLine(folder: string): string {
  const schema = path.relative(folder, path.join(packageRoot, 'schema', 'scenario.schema.json'))
  return `# yaml-language-server: $schema=${schema.replaceAll(path.sep, '/')}\n`
}
