/** Lines that are typed at a device, carried out on its files as the vendors' manuals say. */
import { Configuration, type Words } from './cli.test-data.ts'
import { EOS, NXOS, OS10, SONIC_CLI } from './cli-words.test-data.ts'
import { typeHost } from './hosts.test-data.ts'
import { typeJunos } from './junos.test-data.ts'
import { typeNvue } from './nvue.test-data.ts'
import { typeSonic } from './sonic.test-data.ts'
import type { Texts } from './texts.test-data.ts'

const BLOCKS: Readonly<Record<string, Words>> = { 'nx-os': NXOS, eos: EOS, os10: OS10, 'sonic-cli': SONIC_CLI }
const FILE_OF_BLOCKS = 'running-config.cfg'

/** @returns the files with the lines in force @throws Refused */
export function typed(files: ReadonlyMap<string, string>, language: string, lines: readonly string[]): Texts {
  const texts: Texts = new Map(files)
  const words = BLOCKS[language]
  if (words !== undefined) {
    const configuration = new Configuration(texts.get(FILE_OF_BLOCKS)!, words)
    for (const line of lines) configuration.type(line)
    texts.set(FILE_OF_BLOCKS, configuration.text())
  } else if (language === 'junos') typeJunos(texts, lines)
  else if (language === 'nvue') typeNvue(texts, lines)
  else if (language === 'sonic') for (const line of lines) typeSonic(texts, line)
  else for (const line of lines) typeHost(texts, line)
  return texts
}
