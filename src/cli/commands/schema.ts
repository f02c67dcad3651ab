/**
 * schema: the JSON Schema of scenario files, for editors.
 */
import { scenarioJsonSchema } from '../../lab/scenario/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { fileFlag, givenFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { writeText } from '../files/files.ts'

const FLAGS = {
  out: fileFlag('FILE', 'Write the schema to FILE'),
  force: givenFlag('Replace an existing file that is not a scenario schema'),
}
type SchemaFlags = FlagsOf<typeof FLAGS>

export const schema = command({
  brief: 'Print the JSON Schema of scenario files',
  about: [
    'With the schema, editors complete keys, show help while typing and underline most mistakes. In VS Code with the YAML',
    'extension, begin the scenario with this line:',
    '  # yaml-language-server: $schema=PATH/scenario.schema.json',
  ],
  flags: FLAGS,
  run: function printSchema(this: Context, flags: SchemaFlags) {
    const text = `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`
    if (flags.out === undefined) this.process.stdout.write(text)
    else writeText(this.directory, flags.out, text, { force: flags.force === true, isOurs: isSchema })
  },
})

/** Whether a text is a scenario schema, of any version. */
function isSchema(text: string): boolean {
  try {
    const { title } = scenarioJsonSchema() as { readonly title?: unknown }
    const there = JSON.parse(text) as { readonly title?: unknown } | null
    return title !== undefined && there?.title === title
  } catch {
    return false
  }
}
