/** Sites: names of pages, and claims that several experiments check. */
import { expect, test } from 'vitest'
import type { CheckVerdict, ReportedReproduction } from '../../../show/index.ts'
import { siteOf } from './site.ts'

function reportOf(folder: string, more: Partial<ReportedReproduction> = {}): ReportedReproduction {
  return {
    name: 'x',
    folder,
    title: 'X',
    source: '[IRN] Figure 1',
    help: [],
    size: 'full',
    seeds: '1',
    version: '1.0.0',
    command: '',
    isOurs: false,
    claims: [],
    tables: [],
    figures: [],
    remarks: [],
    runsCsv: '',
    storedWhy: '',
    ...more,
  }
}
function claimOf(id: string, ...verdicts: CheckVerdict[]): ReportedReproduction['claims'][number] {
  const checks = verdicts.map((verdict) => ({ check: '', statement: '', paper: '', measured: '', verdict, reason: '' }))
  return { id, state: 'reproduced', checks }
}

test('pages have the names of folders, made safe and unique whatever the case', () => {
  const { pages } = siteOf(
    ['.'],
    ['a/irn', 'b/IRN/', 'c/index', 'd/<p> 1', '..'].map((folder) => reportOf(folder)),
  )
  expect(pages.map(({ file }) => file)).toEqual(['irn.html', 'IRN-2.html', 'index-2.html', 'p-1.html', 'x.html'])
})

test('a claim that two experiments check counts once, by all its checks', () => {
  const { papers } = siteOf(
    ['.'],
    [
      reportOf('a', { claims: [claimOf('irn.1', 'reproduced'), claimOf('irn.2', 'reproduced')] }),
      reportOf('b', { claims: [claimOf('irn.1', 'not reproduced')] }),
    ],
  )
  expect(papers).toMatchObject([
    {
      name: 'IRN',
      claims: [
        { file: 'a.html', claim: { id: 'irn.1', state: 'partly' } },
        { file: 'a.html', claim: { id: 'irn.2', state: 'reproduced' } },
      ],
    },
  ])
})

test('runs of small size count only for a paper without others, and own expectations apart', () => {
  const { papers } = siteOf(
    ['.'],
    [
      reportOf('a', { claims: [claimOf('irn.1', 'reproduced')] }),
      reportOf('b', { claims: [claimOf('irn.1', 'other direction')], size: 'small' }),
      reportOf('c', { claims: [claimOf('gbn.1', 'direction only')], size: 'small', source: '[IGBN] Figure 2' }),
      reportOf('d', { claims: [claimOf('paths.1', 'reproduced')], source: 'no paper', isOurs: true }),
    ],
  )
  expect(papers.map(({ name, isOurs, claims }) => [name, isOurs, ...claims.map(({ claim }) => claim.state)])).toEqual([
    ['IRN', false, 'reproduced'],
    ['IGBN', false, 'direction only'],
    ['Own expectations', true, 'reproduced'],
  ])
})
