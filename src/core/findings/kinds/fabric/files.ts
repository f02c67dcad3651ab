/** Rules about the files themselves. */
import { defineRuleFinding } from './define.ts'

export const trn01 = defineRuleFinding<{ form: string; expected: string }>({
  rule: 'TRN01',
  severity: 'warning',
  meaning: 'A file ends before its form does.',
  consequence: 'what is missing is unknown, so that some findings cannot be made',
  remedy: 'collect the file again',
  source: '',
  text: ({ form, expected }) => `the output of ${form} ends before ${expected}`,
})

export const src01 = defineRuleFinding<{ field: string }>({
  rule: 'SRC01',
  severity: 'warning',
  meaning: 'Two files of one device say different things of one setting, and nothing tells which is newer.',
  consequence: 'one of them is old',
  remedy: 'collect all files of a device in one go, or list their times in collected.tsv',
  source: '',
  text: ({ field }) => `files differ in ${field}`,
})

export const lnk01 = defineRuleFinding<{ known: readonly string[]; isSure: boolean }>({
  rule: 'LNK01',
  severity: 'error',
  meaning: 'The list of links names a port that its device does not have.',
  consequence: 'rules about both ends of its link cannot be asked',
  remedy: 'write the name in edges.csv as the device does',
  source: '',
  text: ({ known, isSure }) =>
    `${isSure ? 'the device has no such port' : 'no file of the device knows the port'}, it has ${namesText(known)}`,
})

/** Names that are written out. */
const NAMES_MOST = 6

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MOST).join(', ')
  return names.length > NAMES_MOST ? `${shown} and ${names.length - NAMES_MOST} more` : shown
}

export const lld01 = defineRuleFinding<{ peers: readonly string[] }>({
  rule: 'LLD01',
  severity: 'warning',
  meaning: 'The list of links, LLDP and tables of neighbours name different peers of one port.',
  consequence: 'rules about both ends would compare the wrong ports',
  remedy: 'check the cabling, then correct the list',
  text: ({ peers }) => `it is said to lead to ${peers.join(' and to ')}`,
})
