/**
 * Drawn captures: what was lost, where and who noticed is right, or said to be unknown, in 98 of 100. ROCELAB_BUDGET multiplies
 * their number.
 */
import { expect, test } from 'vitest'
import { draw } from '../../scripts/score/captures/drawn.ts'
import { scoreOfDrawn } from '../../scripts/score/captures/main.ts'
import { findingsOf } from '../../scripts/score/captures/one.ts'
import { mistakesOf } from '../../scripts/score/captures/truth.ts'

const CASES = Math.max(20, Math.round(60 * Number(process.env['ROCELAB_BUDGET'] ?? 1)))
const FIRST = Number(process.env['ROCELAB_SEED'] ?? 1)
const WRONG_SHARE_MAX = 0.02

test('are reported rightly', { timeout: 600_000 }, () => {
  const scores = Array.from({ length: CASES }, (_, i) => scoreOfDrawn(FIRST + i))
  const wrong = scores.filter(({ mistakes }) => mistakes.length > 0)
  for (const { seed, fault, drawn, mistakes } of wrong)
    console.warn(`${seed} ${fault}, ${drawn}: ${mistakes.slice(0, 3).join('; ')}`)
  expect(new Set(scores.map(({ fault }) => fault)).size).toBeGreaterThan(5)
  expect(wrong.length / CASES).toBeLessThanOrEqual(WRONG_SHARE_MAX)
})

/** Findings whose lack the exam has to notice in some capture, and those whose presence where nothing happened. */
const NEEDED = [
  'loss-before',
  'loss-after',
  'reordered',
  'duplicated',
  'responses-missing',
  'rnr',
  'nak-remote-access',
  'retransmission-nak',
  'retransmission-rnr',
  'retransmission-response',
]
const FALSE = [...NEEDED, 'retransmission-timeout', 'retransmission-answered', 'packets-missing', 'peer-silent']

test('the exam notices what is left out, and what is made up', () => {
  const drawn = Array.from({ length: 200 }, (_, i) => draw(1 + i)).filter(({ view }) => view === 'both')
  const read = drawn.map((one) => ({ one, findings: findingsOf(one, one.recovery === 'irn') }))
  const noticed = NEEDED.filter((name) =>
    read.some(({ one, findings }) => {
      const rest = findings.filter(({ id }) => id !== `capture-${name}`)
      return rest.length < findings.length && mistakesOf(one, rest).length > mistakesOf(one, findings).length
    }),
  )
  expect(noticed).toEqual(NEEDED)
  const quiet = read.find(({ one }) => one.fault === 'none' && one.recovery === 'go-back-n')!
  const sights = [{ frame: 1, psn: quiet.one.packets[0]!.psn.toString(16) }]
  expect(mistakesOf(quiet.one, quiet.findings)).toEqual([])
  for (const name of FALSE) {
    const made = { ...read.flatMap(({ findings }) => findings)[0]!, id: `capture-${name}`, values: { sights } }
    expect(mistakesOf(quiet.one, [...quiet.findings, made]), name).not.toEqual([])
  }
})
