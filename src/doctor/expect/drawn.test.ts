/** Drawn fabrics, each with one limit, and noise of 2 %: the limit is named, no healthy part is, and what is withheld is missed. */
import { expect, test } from 'vitest'
import { drawCase, ncclLog, perftestLog, randomOf } from './drawn.test-data.ts'
import { expectationOf, readLog } from './index.ts'

const SEED = Number(process.env['ROCELAB_SEED'] ?? 7000)
const BUDGET = Number(process.env['ROCELAB_BUDGET'] ?? 1)
const COUNT = 200 * BUDGET

test(`of ${COUNT} drawn cases at least 85 % name the planted part, and at most 3 % a healthy one`, () => {
  const tally = { right: 0, accused: 0, blind: 0 }
  const missed: string[] = []
  for (let i = 0; i < COUNT; i++) {
    const drawn = drawCase(SEED + i)
    const { answers } = expectationOf({ groups: drawn.groups, fabric: drawn.fabric })
    const { verdict, part } = answers.find(({ files }) => files.includes(drawn.file))!
    const isRight = drawn.isOpen
      ? verdict === 'cannot-tell'
      : part === null
        ? drawn.parts.length === 0 && verdict !== 'as-expected'
        : drawn.parts.includes(part)
    if (isRight) tally.right++
    else missed.push(`${SEED + i} ${drawn.planted}: ${verdict} ${part ?? 'nothing'} (${drawn.fabric})`)
    if (part !== null && drawn.healthy.includes(part)) tally.accused++
    if (drawn.isOpen && verdict !== 'cannot-tell') tally.blind++
  }
  if (process.env['ROCELAB_SHOW'] !== undefined)
    process.stderr.write(`${JSON.stringify(tally)}\n${missed.join('\n')}\n`)
  expect(tally.blind).toBe(0)
  expect(tally.accused / COUNT, missed.join('\n')).toBeLessThanOrEqual(0.03)
  expect(tally.right / COUNT, missed.join('\n')).toBeGreaterThanOrEqual(0.85)
})

/** One change of a text, as copying, cutting and terminals make them. */
function spoilt(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length)
  const to = at + Math.floor(random() * 40)
  const digit = String(Math.floor(random() * 10))
  return [
    () => text.slice(0, at),
    () => text.slice(0, at) + text.slice(to),
    () => text.slice(0, at) + text.slice(at, to) + text.slice(at),
    () => text.slice(0, at) + digit + text.slice(at + 1),
    () => text.slice(0, at) + '\n' + text.slice(at),
    () => text.slice(0, at) + '\u0000\u001b[31m' + text.slice(at),
    () => text.replaceAll('\n', random() < 0.5 ? '\r\n' : ' '),
    () => text.slice(at) + text.slice(0, at),
  ][Math.floor(random() * 8)]!()
}

/** Rows of a log whose line does not say twice what was read of it. */
function misread(file: string, text: string): unknown[] {
  return readLog(file, text).readings.flatMap((reading): unknown[] => {
    if (reading.kind === 'collective')
      return reading.rows.filter(
        ({ sizeBytes, timesUs }) => !text.includes(`${sizeBytes}`) || !timesUs.every((us) => text.includes(`${us}`)),
      )
    if (reading.kind !== 'perftest') return []
    return reading.rows.filter(({ sizeBytes, messagesPerSecond, rateBps }) => {
      if (rateBps === null || messagesPerSecond === null) return false
      return Math.abs(sizeBytes * 8 * messagesPerSecond - rateBps) > 0.02 * rateBps + 1e7 + sizeBytes * 8
    })
  })
}

test('of spoilt logs nothing is read that their lines do not say twice', () => {
  const random = randomOf(SEED)
  for (let i = 0; i < 2000 * BUDGET; i++) {
    const { file, text: whole } = drawCase(SEED + (i % 400)).groups[0]![0]!
    let text = whole
    for (let changes = 0; changes <= random() * 3; changes++) text = spoilt(text, random)
    expect(misread(file, text), text).toEqual([])
  }
}, 600_000)

test('a planted digit in a rate is seen: size, rate and bandwidth differ', () => {
  const log = perftestLog(380, 16_384, 4096, 1)
  const { readings, unread } = readLog('w.log', log.replace('380.00', '880.00'))
  expect(readings).toEqual([])
  expect(unread.map(({ reason }) => reason)).toHaveLength(1)
})

test('two tables in a log are two answers, and two runs of one table are one', () => {
  const [one, other] = [8, 16].map((busGBs) => ncclLog(16, 8, 'NVIDIA H100', [{ bytes: 2 ** 30, busGBs }]))
  const begin = '# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 2(factor)\n'
  expect(readLog('log', `${begin}${one!}${begin}${other!}`).readings).toHaveLength(2)
  const twice = expectationOf({
    groups: [[{ file: 'log', text: `${one!}${one!}` }]],
    fabric: '8x400G RoCE x 2 servers',
  })
  expect(twice.answers.map(({ seen }) => seen.filter(({ id }) => id === 'dip'))).toEqual([[]])
})

test('a megabyte of the longest lines, and of the most rows, is read', () => {
  const row = ncclLog(16, 8, 'NVIDIA H100', [{ bytes: 2 ** 30, busGBs: 300 }]).split('\n')[16]!
  expect(readLog('log', `${row} `.repeat(8000)).readings[0]).toMatchObject({ rows: { length: 8000 } })
  for (const line of [
    '# Rank 0 on '.repeat(80_000),
    'a/'.repeat(500_000),
    'A : '.repeat(250_000),
    'rtt '.repeat(250_000),
  ])
    expect(readLog('log', line).readings).toEqual([])
})
