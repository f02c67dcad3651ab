/** Imports of the HPCC family in tests: scenario and findings, or the message of a refusal. */
import { InputError } from '../../core/base/issue.ts'
import { hpcc } from './hpcc.ts'
import type { Imported, ImportInput } from '../importer.ts'
import { edited } from '../samples.test-files.ts'

/** The sample's configuration with some of its text replaced. */
export const config = (...edits: readonly (readonly [string | RegExp, string])[]) => edited('run/config.txt', ...edits)

export const importing = (input: ImportInput): Imported => hpcc.import(input)

export function refusal(input: ImportInput): string {
  try {
    hpcc.import(input)
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
  return 'none'
}
