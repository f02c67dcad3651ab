/**
 * Page assets: style and script of reports, which the build makes (scripts/page.mjs), with their hashes.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { PageAssets } from '../../show/html/index.ts'
import { packageRoot } from '../package-root.ts'

export function pageAssets(): PageAssets {
  const textOf = (name: string): string => readFileSync(path.join(packageRoot, 'dist', 'show', 'html', name), 'utf8')
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')
  const [style, script] = [textOf('page.css'), textOf('page.js')]
  return { style, styleHash: hashOf(style), script, scriptHash: hashOf(script) }
}
