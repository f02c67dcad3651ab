/** The docs that the program makes from the stored runs, as `rocelab reproduce --docs docs` does. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { claimLines, type Checked, checksOf } from '../../src/papers/core/pages/reproduction.ts'
import { readStored } from '../../src/papers/core/pages/stored-report.ts'
import { docsOf, experiments } from '../../src/papers/index.ts'
import { isThere, read, ROOT } from './pages.ts'

const EXPERIMENTS = 'docs/experiments'

/** Folders of docs/experiments, each called like its experiment. */
export const folders = readdirSync(path.join(ROOT, EXPERIMENTS), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)

const readerOf =
  (folder: string) =>
  (name: string): string | undefined => {
    const file = `${EXPERIMENTS}/${folder}/${name}`
    return isThere(file) ? read(file) : undefined
  }

export const stored = folders.map((folder) => ({ folder, ...readStored(folder, readerOf(folder), experiments) }))

/** The claims with their checks, as they are stored. */
export const checks = checksOf(
  stored
    .filter(({ info, experiment }) => info.size === 'full' && experiment?.plan.claimsOf !== 'ours')
    .map(({ folder, info, claims }): Checked => ({ experiment: folder, claims, isEarlier: info.isEarlier === true })),
)
export const lines = claimLines(checks)

/** Every file that the program makes, by its path in docs/. */
const made = await docsOf({
  folders: folders.map((folder) => ({ folder, name: folder, read: readerOf(folder) })),
  first: read('docs/reproduction.md'),
  experiments,
})

/** Pages of experiments and papers are made for the site (`npm run api`); git has the data they are made from. */
const isPage = (file: string): boolean => /^(experiments|reproduction)\/.*\.md$/.test(file)
export const pagesMade = made.filter(({ path: file }) => isPage(file))
export const kept = made.filter(({ path: file }) => !isPage(file))
