/**
 * Program key: what a result was made of, so that what another program made is never taken for this one's.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { VERSION } from '../../base/version.ts'
import { packageRoot } from '../package-root.ts'

/** Names what this program makes of a complete scenario: 32 hex digits. */
export function runKey(scenarioText: string): string {
  program ??= programKey()
  return hash(`${program}\n${scenarioText}`)
}

/** 32 hex digits of a text. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

let program: string | undefined

/** The version, and in a checkout the stamp of the build. */
function programKey(): string {
  try {
    return `${VERSION} ${readFileSync(path.join(packageRoot, 'dist', '.stamp'), 'utf8')}`
  } catch {
    return VERSION
  }
}
