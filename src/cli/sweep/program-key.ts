/**
 * Program key: identifies scenario and program of a result, so that results of another version are never reused.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { VERSION } from '../../core/base/version.ts'
import { packageRoot } from '../package-root.ts'

/** Key of a run by this program: 32 hex digits. @param scenarioText the complete scenario. */
export function runKey(scenarioText: string): string {
  return hash(`${programText()}\n${scenarioText}`)
}

/** Key of this program: 32 hex digits. */
export function programKey(): string {
  return hash(programText())
}

/** First 32 hex digits of the text's SHA-256. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

let program: string | undefined

/** The version, and in a checkout also the stamp of the build; as it was when first asked for. */
function programText(): string {
  if (program !== undefined) return program
  try {
    program = `${VERSION} ${readFileSync(path.join(packageRoot, 'dist', '.stamp'), 'utf8')}`
  } catch {
    program = VERSION
  }
  return program
}
