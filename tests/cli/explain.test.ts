/**
 * `rocelab explain`: tables, one flow, the difference of two results, results without an autopsy, mistakes, interruption.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExplanationJson, FlowLifeJson } from '../../src/show/index.ts'
import { numbersOf, readCsv } from '../../src/core/results/index.ts'
import { createFolder, ENDLESS, type Ended, inFlight, rocelab, startRocelab } from './program.ts'

/** Four hosts send to host 4, and are paused; host 5 sends to host 6 through the same switch, and is not. */
const CROWD = `name: crowd
topology: {kind: star, hosts: 7, linkRate: 10Gbps}
congestion: none
switch: {buffer: {kind: shared-buffer, size: 200KB}}
workload:
  - {kind: trace, flows: ["0 4 100KB 0us", "1 4 100KB 0us", "2 4 100KB 0us", "3 4 100KB 0us"], tag: crowd}
  - {kind: trace, flows: ["5 6 50KB 0us", "5 6 2KB 100us"], tag: apart}
`

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({ 'crowd.yaml': CROWD, 'endless.yaml': ENDLESS })
  made('run', 'crowd.yaml', '--autopsy', '--out', 'told', '--quiet')
  made('run', 'crowd.yaml', '--out', 'plain', '--quiet')
  made('run', 'crowd.yaml', '--set', 'topology.linkRate=40Gbps', '--autopsy', '--out', 'fast', '--quiet')
})
afterAll(() => at.clear())

function made(...args: string[]): void {
  const { code, stderr } = rocelab(at.folder, ...args)
  if (code !== 0) throw new Error(stderr)
}
const explained = (...args: string[]): Ended => rocelab(at.folder, 'explain', ...args)
const jsonOf = (...args: string[]): unknown => JSON.parse(explained(...args, '--json').stdout)
/** Lines by their first cell; later ones of the same name are further. */
const rowsIn = (text: string): Map<string, string[]> =>
  new Map(
    text
      .split('\n')
      .map((line) => line.split(/ {2,}/))
      .map(([head = '', ...cells]) => [head, cells] as const),
  )

describe('one result', () => {
  test('has the same findings as JSON and as SARIF', () => {
    const { findings } = jsonOf('told') as ExplanationJson
    const { runs } = JSON.parse(explained('told', '--sarif').stdout) as { runs: { results: { ruleId: string }[] }[] }
    expect(findings.length).toBeGreaterThan(0)
    expect(runs[0]!.results.map(({ ruleId }) => ruleId)).toEqual(findings.map(({ id }) => id))
    expect(explained('told', 'fast', '--sarif').code).toBe(2)
  })

  test('is suspected until runs have proved it: text and page name the command that does so', () => {
    expect(explained('told').stdout).toMatch(/rocelab why \w+ /)
    made('report', 'told', '--out', 'told.html')
    expect(readFileSync(path.join(at.folder, 'told.html'), 'utf8')).toMatch(/<code>rocelab why \w+<\/code>/)
  })

  test('is the cause, then a sentence, groups by slowdown, size and tag, and the ports and origins that cost most', () => {
    const { code, stdout, stderr } = explained('told')
    expect([code, stderr]).toEqual([0, ''])
    expect((jsonOf('told') as ExplanationJson).findings.map(({ id }) => id)).toEqual(['incast', 'completion-parts'])
    const heads = stdout.split('\n').filter((line) => /\bflows {2,}(queued|time|slowdown)/.test(line))
    expect(heads.map((line) => line.split(/ {2,}/)[0])).toEqual(['size', 'tag', 'held by', 'port'])
    const rows = rowsIn(stdout)
    expect(rows.get('flows')).toEqual(['6', '3', '3'])
    expect(rows.get('crowd')?.[0]).toBe('4')
    expect(rows.get('apart')?.at(-1)).toContain('own bytes')
    expect(rows.get('switch port 5 to host 4')?.[0]).toBe('4')
  })

  test('as JSON has shares by column, which sum to 1 in each group, and the digest of the run', () => {
    const json = jsonOf('told') as ExplanationJson
    const groups = [json.all, ...json.bySlowdown, ...json.bySize, ...json.byTag]
    expect(groups.map(({ label }) => label)).toEqual([
      'all',
      'fastest half',
      'slowest half',
      'below 10 KB',
      '10 to 100 KB',
      '100 KB to 1 MB',
      'crowd',
      'apart',
    ])
    for (const { shares } of groups)
      expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
    expect(json.digest).toBe(readFileSync(path.join(at.folder, 'told', 'digest.txt'), 'utf8').trim())
    expect(json).toMatchObject({ schemaVersion: 1, name: 'crowd', seed: 1, flows: 6, unfinished: 0 })
  })

  test('--flow tells the life of one flow, from the time it was posted to its last port', () => {
    const json = jsonOf('told', '--flow', '2') as FlowLifeJson
    const flows = readCsv('flows', readFileSync(path.join(at.folder, 'told', 'flows.csv'), 'utf8'))
    const of = (column: string): number => numbersOf(flows, column)[2]!
    expect(json.spanPs).toBe(of('receivedPs') - of('startPs'))
    expect([json.flow, json.source, json.destination]).toEqual([2, of('source'), of('destination')])
    expect(json.hops.map(({ port }) => port)).toEqual([`host ${of('source')} port 1`, 'switch port 5'])
    const { stdout } = explained('told', '--flow', '2')
    expect(stdout).toMatch(/^flow 2: host \d to host 4, 100 KB, posted at 0 ps, complete after /)
    expect(stdout).toMatch(/^\|[a-z]{60}\|$/m)
    expect(stdout).toMatch(/^switch port 5 .* flow \d [\d.]+ us, /m)
  })
})

describe('a result without an autopsy', () => {
  test('is run again, which is said, and is the same run', () => {
    const { code, stdout, stderr } = explained('plain')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'rocelab: plain has no autopsy: running its scenario again with it\n',
    })
    // Commands name the folder.
    const ofPlain = (text: string): string => text.replaceAll(/rocelab why \w+/g, 'rocelab why plain')
    expect(stdout).toBe(ofPlain(explained('told').stdout))
    expect(jsonOf('plain')).toEqual(JSON.parse(ofPlain(JSON.stringify(jsonOf('told')))))
  })

  test('that another version made gets a word about its digest', () => {
    made('run', 'crowd.yaml', '--out', 'older', '--quiet')
    const { digest } = jsonOf('told') as ExplanationJson
    for (const name of ['result.json', 'digest.txt', 'summary.json']) {
      const file = path.join(at.folder, 'older', name)
      // Edited on purpose: without checksums.
      const text = readFileSync(file, 'utf8').replace(/,\s*"sha256": \{[^}]*\}/, '')
      writeFileSync(file, text.replaceAll(digest, '0123456789abcdef'))
    }
    expect(explained('older').stderr).toContain(
      `older was made by another version: its digest is 0123456789abcdef, now ${digest}\n`,
    )
  })

  test.skipIf(process.platform === 'win32')(
    'and is interrupted explains nothing, with the exit code of the signal',
    async () => {
      const run = startRocelab(at.folder, 'run', 'endless.yaml', '--out', 'cut', '--quiet')
      await inFlight(run.child)
      run.child.kill('SIGINT')
      expect((await run.ended).code).toBe(130)
      const { child, ended } = startRocelab(at.folder, 'explain', 'cut', 'plain')
      await inFlight(child)
      child.kill('SIGTERM')
      const { code, stdout, stderr } = await ended
      expect([code, stdout]).toEqual([143, ''])
      expect(stderr.split('\n')).toEqual([
        'rocelab: cut has no autopsy: running its scenario again with it',
        expect.stringContaining('stopping'),
        'rocelab: nothing is explained: the run of cut was interrupted',
        '',
      ])
    },
  )
})

describe('two results', () => {
  test('are compared part by part, the largest difference first', () => {
    const { code, stdout, stderr } = explained('told', 'fast')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^A told\nB fast\nflows that finished in both: 6\n/)
    const rows = [...rowsIn(stdout)].slice(6).filter(([, cells]) => cells.length === 4)
    const shares = rows.map(([, cells]) => Number(cells[3]!.replace(' %', '')))
    expect(shares.length).toBeGreaterThan(2)
    expect(shares).toEqual(shares.toSorted((a, b) => Math.abs(b) - Math.abs(a)))
  })

  test('as JSON: means of parts whose differences add up to that of the completion times', () => {
    interface Json {
      readonly nameA: string
      readonly nameB: string
      readonly meanCompletionAPs: number
      readonly meanCompletionBPs: number
      readonly parts: readonly { readonly column: string; readonly meanAPs: number; readonly meanBPs: number }[]
    }
    const { nameA, nameB, meanCompletionAPs, meanCompletionBPs, parts } = jsonOf('told', 'fast') as Json
    expect([nameA, nameB]).toEqual(['told', 'fast'])
    const changePs = parts.reduce((sum, { meanAPs, meanBPs }) => sum + meanBPs - meanAPs, 0)
    expect(changePs).toBeCloseTo(meanCompletionBPs - meanCompletionAPs, 3)
    expect(changePs).toBeLessThan(0)
  })

  test('that are the same run do not differ', () => {
    const rows = [...rowsIn(explained('told', 'plain').stdout)].filter(([, cells]) => cells.length >= 3).slice(1)
    expect(rows.length).toBeGreaterThan(3)
    expect(new Set(rows.map(([, cells]) => cells[2]).filter((cell) => !/^(─|B - A$)/.test(cell!)))).toEqual(
      new Set(['+0 ps']),
    )
  })
})

describe('mistakes end with code 2 and one line each', () => {
  test.each([
    [
      'no such folder, twice',
      ['none', 'nowhere'],
      /^none: expected a result folder.*\nnowhere: expected a result folder/,
    ],
    ['a scenario', ['crowd.yaml'], /^crowd.yaml: expected a result folder, received a path through a file/],
    ['a flow beyond the last', ['told', '--flow', '6'], /^--flow: expected a number from 0 to 5, received 6/],
    [
      'a flow beyond the last, before anything runs',
      ['plain', '--flow', '6'],
      /^--flow: expected a number from 0 to 5/,
    ],
    ['a flow that is no number', ['told', '--flow', '-1'], /whole number/],
    ['a flow of two results', ['told', 'fast', '--flow', '1'], /^--flow: expected one result, received two/],
    ['three results', ['told', 'fast', 'plain'], /Too many arguments, expected 2/],
    ['no result', [], /Expected at least 1 argument/],
  ])('%s', (_, args, message) => {
    const { code, stdout, stderr } = explained(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n').length).toBe(args[0] === 'none' ? 2 : 1)
  })

  test('a sweep, with what to do instead', () => {
    made('sweep', 'crowd.yaml', '--param', 'congestion=none,dcqcn', '--out', 'swept', '--quiet')
    expect(explained('swept')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'swept: expected the folder of a result, received a sweep (rocelab run with the values of one of its points, and --autopsy)\n',
    })
  })
})
