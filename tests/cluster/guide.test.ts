/**
 * docs/guides/cluster.md on a real Slurm: its commands print what the page shows. Numbers of jobs and the random part of names
 * are left out; UPDATE_GUIDE=1 writes the page anew.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fencesOf, read, ROOT } from '../docs/pages.ts'
import { SlurmCluster } from './slurm-cluster.ts'

const PAGE = 'docs/guides/cluster.md'
const isInstalled = SlurmCluster.isInstalled()
if (!isInstalled) console.warn(`${PAGE}: not held, there is no Slurm on this machine`)

/** Without numbers of jobs, the random part of names, and how many points had finished at that moment. */
const plain = (text: string): string =>
  text
    .replaceAll(/job \d+/g, 'job N')
    .replaceAll(/(rocelab-[a-z]+-)[0-9a-f]{8}/g, '$1########')
    .replaceAll(/\d+ of (\d+) points finished, \d+ are with/g, 'N of $1 points finished, N are with')

test.skipIf(!isInstalled)('the guide to clusters shows what its commands print', async () => {
  const cluster = await SlurmCluster.start()
  const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-guide-'))
  try {
    const bin = path.join(folder, 'bin')
    const page = read(PAGE)
    const fences = fencesOf(page)
    writeFileSync(path.join(folder, 'incast.yaml'), fences.find(({ title }) => title === 'incast.yaml')!.text)
    writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' '${path.join(ROOT, 'dist', 'cli', 'main.js')}' "$@"\n`)
    chmodSync(bin, 0o755)
    let fresh = page
    for (const { text, language } of fences) {
      if (language !== 'shell') continue
      const [first = ''] = text.split('\n')
      const command = first.replace(/^\$ rocelab /, '')
      // Between submission and status the first tasks begin.
      if (command.endsWith('--status')) {
        const areRunning = async (): Promise<boolean> =>
          /R\nR\n/.test(await cluster.exec('squeue', '-h', '-t', 'R', '-o', '%t'))
        await cluster.until('tasks run', areRunning)
      }
      const { stdout, stderr } = spawnSync('/bin/sh', ['-c', `'${bin}' ${command}`], {
        cwd: folder,
        env: cluster.env,
        encoding: 'utf8',
      })
      fresh = fresh.replace(text, () => `${first}\n${`${stderr}${stdout}`.trimEnd()}\n`)
    }
    if (process.env['UPDATE_GUIDE'] !== undefined) writeFileSync(path.join(ROOT, PAGE), fresh)
    expect(plain(fresh)).toBe(plain(page))
  } finally {
    await cluster.exec('scancel', '--user=root').catch(() => undefined)
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
