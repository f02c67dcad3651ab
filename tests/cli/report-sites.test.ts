/**
 * report of sweeps and reproductions: which folders go together, what a page says of a sweep that did not end, and what
 * a site may replace.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { claimSite } from '../../src/cli/report/site-folder.ts'
import { litterIn, photograph, stableTreeOf } from './killed.ts'
import { createFolder, rocelab, ROOT, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
const file = (...names: string[]): string => path.join(at.folder, ...names)
const namesIn = (folder: string): string[] => readdirSync(file(folder)).toSorted()

beforeAll(() => {
  at = createFolder({ 'small.yaml': SMALL })
  const sweep = ['sweep', 'small.yaml', '--seeds', '2', '--quiet', '--param', 'workload.0.senders=1,2']
  rocelab(at.folder, ...sweep, '--set', 'congestion=dcqcn', '--out', 'sweep')
  rocelab(at.folder, 'run', 'small.yaml', '--out', 'one', '--quiet')
  for (const name of ['rollout', 'livelock', 'pfc-roce']) {
    cpSync(path.join(ROOT, 'docs', 'experiments', name), file('all', name), { recursive: true })
  }
})
afterAll(() => at.clear())

/** Text of a page without its tags. */
const shownIn = (name: string): string =>
  readFileSync(file(name), 'utf8')
    .replaceAll(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

describe('folders', () => {
  test('of several kinds are each named with what they hold, and nothing is written', () => {
    const { code, stdout, stderr } = rocelab(
      at.folder,
      'report',
      'one',
      'sweep',
      'all/rollout',
      'all',
      '--out',
      'x.html',
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const expected = 'expected folders of one kind: results, or one sweep, or reproductions'
    expect(stderr.trimEnd().split('\n')).toEqual([
      `one: ${expected}, received a result (make a report of each kind)`,
      `sweep: ${expected}, received a sweep (make a report of each kind)`,
      `all/rollout: ${expected}, received a reproduction (make a report of each kind)`,
      `all: ${expected}, received a folder of reproductions (make a report of each kind)`,
    ])
    expect(existsSync(file('x.html'))).toBe(false)
  })

  test('of two sweeps have no page together', () => {
    const { code, stderr } = rocelab(at.folder, 'report', 'sweep', 'sweep/../sweep')
    expect(code).toBe(2)
    expect(stderr).toBe('sweep: expected one sweep, received 2 sweeps (each sweep has a report of its own)\n')
  })

  test('that are not there, or hold a damaged reproduction, are reported', () => {
    expect(rocelab(at.folder, 'report', 'gone').stderr).toBe(
      'gone: expected a result folder, received no such file or folder\n',
    )
    cpSync(file('all', 'rollout'), file('damaged', 'rollout'), { recursive: true })
    writeFileSync(file('damaged', 'rollout', 'rollout-claims.csv'), 'claim,check\n"a')
    const { code, stderr } = rocelab(at.folder, 'report', 'damaged/rollout', '--out', 'damaged.html')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^damaged\/rollout:\d+/)
  })
})

describe('a sweep', () => {
  test('keeps its scenario, settings and digests for its page', () => {
    const { code, stdout, stderr } = rocelab(at.folder, 'report', 'sweep', '--out', 'sweep.html', '--json')
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '{"schemaVersion":1,"file":"sweep.html"}\n',
      stderr: '',
    })
    const shown = shownIn('sweep.html')
    expect(shown).toContain('all 4 runs ended.')
    expect(shown).toContain(
      'rocelab sweep small.yaml --set congestion=dcqcn --param workload.0.senders=1,2 --seeds 1,2 --out sweep-again',
    )
    expect(shown).toContain('The digests of all 4 runs')
  })

  test('is made again by the command on its page, with the same digests', () => {
    const [, command = ''] = /rocelab (sweep [^<]*)<\/code>/.exec(readFileSync(file('sweep.html'), 'utf8')) ?? []
    expect(rocelab(at.folder, ...command.split(' '), '--quiet').code).toBe(0)
    const digests = (folder: string): unknown =>
      (JSON.parse(readFileSync(file(folder, 'sweep.json'), 'utf8')) as { rows: { digests: unknown }[] }).rows.map(
        (row) => row.digests,
      )
    expect(digests('sweep-again')).toEqual(digests('sweep'))
  })

  test('that did not end says so on standard error and on its page', () => {
    const stored = JSON.parse(readFileSync(file('sweep', 'sweep.json'), 'utf8')) as { rows: object[] }
    const rows = [stored.rows[0], { ...stored.rows[1], seeds: 0, stopped: 1, metrics: {} }]
    const failed = [{ values: { 'workload.0.senders': '2' }, seed: 2, isInput: false, message: 'rocelab: a bug' }]
    const changed = { ...stored, rows, failed, partial: true, pointLimit: { packetHops: 7 } }
    mkdirSync(file('partial'))
    writeFileSync(file('partial', 'sweep.json'), JSON.stringify(changed))
    const { code, stderr } = rocelab(at.folder, 'report', 'partial', '--out', 'partial.html')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'rocelab: partial is partial: the sweep was interrupted\n' })
    const shown = shownIn('partial.html')
    expect(shown).toContain('of 4 runs 2 ended, 1 was stopped at the limit of 7 packet-hops and 1 failed.')
    expect(shown).toContain('The run at workload.0.senders=2, seed 2 failed: a bug')
    expect(shown).toContain('--point-limit 7hops')
  })

  test('of an earlier program says that it kept neither scenario nor digests', () => {
    const stored = JSON.parse(readFileSync(file('sweep', 'sweep.json'), 'utf8')) as {
      rows: object[]
      scenario: unknown
    }
    const rows = stored.rows.map((row) => ({ ...row, digests: undefined }))
    mkdirSync(file('older'))
    writeFileSync(file('older', 'sweep.json'), JSON.stringify({ ...stored, rows, scenario: undefined }))
    expect(rocelab(at.folder, 'report', 'older', '--out', 'older.html').code).toBe(0)
    const shown = shownIn('older.html')
    expect(shown).toContain('from its scenario, which was not kept: rocelab sweep SCENARIO --param')
    expect(shown).toContain('Digests are in points.jsonl of the folder.')
  })
})

describe('a site', () => {
  beforeEach(() => {
    rocelab(at.folder, 'report', 'all', '--out', 'site')
  })

  test('goes into report/ by default, and several folders make one', () => {
    const { code, stdout } = rocelab(at.folder, 'report', 'all/rollout', 'all/livelock')
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${path.join('report', 'index.html')}\n` })
    expect(namesIn('report')).toEqual(['index.html', 'livelock.html', 'rollout.html'])
  })

  test('replaces an earlier site with all its pages, and leaves files of others', () => {
    writeFileSync(file('site', 'CNAME'), 'example.org\n')
    writeFileSync(file('site', 'notes.html'), '<p>mine</p>')
    expect(namesIn('site')).toContain('pfc-roce.html')
    expect(rocelab(at.folder, 'report', 'all/rollout', 'all/livelock', '--out', 'site').code).toBe(0)
    expect(namesIn('site')).toEqual(['CNAME', 'index.html', 'livelock.html', 'notes.html', 'rollout.html'])
  })

  test('does not replace anything else without --force, and no folder with it', () => {
    mkdirSync(file('mine'))
    writeFileSync(file('mine', 'index.html'), '<p>mine</p>')
    const refused = rocelab(at.folder, 'report', 'all', '--out', 'mine')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toBe(
      '--out: expected a new folder, or that of an earlier report, received something else in mine (name another folder; --force adds the pages to what is there)\n',
    )
    expect(namesIn('mine')).toEqual(['index.html'])
    mkdirSync(file('mine', 'rollout.html'))
    const blocked = rocelab(at.folder, 'report', 'all', '--out', 'mine', '--force')
    expect(blocked.code).toBe(2)
    expect(blocked.stderr).toContain('received something else called rollout.html (name another folder)')
    expect(readFileSync(file('mine', 'index.html'), 'utf8')).toBe('<p>mine</p>')
    const forced = rocelab(at.folder, 'report', 'all/livelock', 'all/pfc-roce', '--out', 'mine', '--force')
    expect(forced.code).toBe(0)
    expect(namesIn('mine')).toEqual(['index.html', 'livelock.html', 'pfc-roce.html', 'rollout.html'])
  })

  test('does not replace a file of others beside an earlier site', () => {
    rocelab(at.folder, 'report', 'all/rollout', 'all/livelock', '--out', 'few')
    writeFileSync(file('few', 'pfc-roce.html'), '<p>mine</p>')
    const { code, stderr } = rocelab(at.folder, 'report', 'all', '--out', 'few')
    expect(code).toBe(2)
    expect(stderr).toBe(
      '--out: expected a page of an earlier report, or nothing, received something else called pfc-roce.html (--force replaces it)\n',
    )
  })

  test('that is killed while it is written leaves a whole one, or one that the next run completes', () => {
    const old = stableTreeOf(file('site'))
    const photos = photograph(at.folder, 'report', 'all/rollout', 'all/livelock', '--out', 'site')
    try {
      const young = stableTreeOf(file('site'))
      expect(Object.keys(old)).not.toEqual(Object.keys(young))
      const seen = new Set<string>()
      for (const folder of photos.folders) {
        const site = path.join(folder, 'site')
        const visible = Object.fromEntries(
          Object.entries(stableTreeOf(site)).filter(([name]) => !/(?:^|\/)\.|\.lock$/.test(name)),
        )
        // Where there is an index, all its pages are there.
        const isWhole = existsSync(path.join(site, 'index.html'))
        expect([old, young]).toContainEqual(isWhole ? visible : old)
        claimSite(folder, 'site', false)
        const settled = stableTreeOf(site)
        expect([old, young]).toContainEqual(settled)
        expect(litterIn(site)).toEqual([])
        seen.add(JSON.stringify(settled))
      }
      expect(seen.size).toBe(2)
    } finally {
      photos.clear()
    }
  })
})
