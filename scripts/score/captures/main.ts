/**
 * Score of captures: how often what `decode` finds in a capture with known truth is right. `npm run score -- captures`, with
 *   --seeds 1501-2000  drawn captures; those of scoring if none are given, 1 to 1500 for tuning
 *   --guests 151-200   captures of Linux guests, likewise, 10000 and above for tuning; "none"
 *   --keep FOLDER      writes the captures of guests as FOLDER/SEED.pcapng
 *   --json             scores as JSON
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { guestObstacle, GuestPair } from '../../../src/live/drivers/guests/index.ts'
import { wilson } from '../../../src/doctor/diagnosis/pingmesh/index.ts'
import { humanShare, textTable } from '../../../src/show/index.ts'
import { writePcapng } from '../../../src/core/wire/index.ts'
import { draw } from './drawn.ts'
import { guestCapture, planOf } from './guests.ts'
import { mistakesIn } from './one.ts'
import type { KnownCapture } from './truth.ts'

/** Reserved: nobody looks at one of these captures to change a rule. */
const SCORED = '1501-2000'
const SCORED_GUESTS = '151-200'
/** Where the tests have their guests, too. */
const CACHE = 'node_modules/.cache/rocelab-guests'

export interface CaptureScore {
  readonly seed: number
  readonly from: 'drawn' | 'guests'
  readonly fault: string
  /** Program, view and what else was drawn. */
  readonly drawn: string
  readonly mistakes: readonly string[]
}

export function scoreOfDrawn(seed: number): CaptureScore {
  const drawn = draw(seed)
  const { program, recovery, view, fault } = drawn
  const mistakes = mistakesIn(drawn, recovery === 'irn')
  return { seed, from: 'drawn', fault, drawn: `${program} ${recovery} ${view}`, mistakes }
}

export async function scoreOfGuests(pair: GuestPair, seed: number, keep?: string): Promise<CaptureScore> {
  const capture = await guestCapture(pair, planOf(seed))
  const { plan, unknown, acted } = capture
  if (keep !== undefined) writeFileSync(path.join(keep, `${seed}.pcapng`), fileOf(capture))
  // A script that did nothing, or a sender whose reasons nobody knows, is no known truth.
  const doubts = [
    ...(acted === 0 && plan.fault !== 'none' ? ['the script never acted'] : []),
    ...(unknown > 0 ? [`${unknown} packets were sent again for an unknown cause`] : []),
  ]
  const drawn = `${plan.program} ${plan.view} ${plan.view === 'mirrored' ? '' : plan.point}`.trim()
  return { seed, from: 'guests', fault: plan.fault, drawn, mistakes: [...doubts, ...mistakesIn(capture)] }
}

export async function captureScores(args: readonly string[]): Promise<number> {
  const valueOf = (name: string): string | undefined =>
    args.includes(name) ? (args[args.indexOf(name) + 1] ?? '') : undefined
  const seeds = rangeOf(valueOf('--seeds') ?? (args.includes('--guests') ? 'none' : SCORED))
  const guests = rangeOf(valueOf('--guests') ?? (args.includes('--seeds') ? 'none' : SCORED_GUESTS))
  if (seeds === null || guests === null) {
    process.stderr.write('score: expected --seeds 1-60, --guests 10001-10010\n')
    return 2
  }
  const scores: CaptureScore[] = []
  const note = (score: CaptureScore): void => {
    scores.push(score)
    process.stderr.write(`\r${scores.length} of ${seeds.length + guests.length} captures`)
  }
  for (const seed of seeds) note(scoreOfDrawn(seed))
  const obstacle = guests.length === 0 ? null : guestObstacle()
  if (obstacle !== null) process.stderr.write(`\nscore: no guests, ${obstacle}`)
  else if (guests.length > 0) await ofGuests(guests, valueOf('--keep'), note)
  process.stderr.write('\n')
  process.stdout.write(args.includes('--json') ? `${JSON.stringify(scores)}\n` : textOf(scores))
  return obstacle === null ? 0 : 1
}

async function ofGuests(
  seeds: readonly number[],
  keep: string | undefined,
  note: (score: CaptureScore) => void,
): Promise<void> {
  if (keep !== undefined) mkdirSync(keep, { recursive: true })
  const pair = await GuestPair.start({ cache: CACHE })
  try {
    for (const seed of seeds) note(await scoreOfGuests(pair, seed, keep))
  } finally {
    await pair.stop()
  }
}

function fileOf({ records }: KnownCapture): Uint8Array {
  const one = { rateBps: 0, snapBytes: 0, fcsBytes: 0, seen: 0, leftOut: 0 }
  const interfaces = ['first', 'second'].map((name) => ({ name, ...one }))
  return writePcapng({ application: '', comment: '', interfaces }, records.length, (i) => ({
    ...records[i]!,
    direction: 'in',
  }))
}

function rangeOf(text: string): number[] | null {
  if (text === 'none') return []
  const [from, to = from] = text.split('-').map(Number)
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from! < 0 || from! > to!) return null
  return Array.from({ length: to! - from! + 1 }, (_, i) => from! + i)
}

function textOf(scores: readonly CaptureScore[]): string {
  const kinds = [...new Set(scores.map(({ from, fault }) => `${from} ${fault}`))]
  const rows = kinds.map((kind) => {
    const those = scores.filter(({ from, fault }) => `${from} ${fault}` === kind)
    return [kind, `${those.filter(({ mistakes }) => mistakes.length === 0).length}`, `${those.length}`]
  })
  const heads = ['captures', 'right', 'of'].map((head, i) => ({ head, ...(i > 0 && { align: 'right' as const }) }))
  const wrong = scores
    .filter(({ mistakes }) => mistakes.length > 0)
    .map(({ seed, from, fault, drawn, mistakes }) => `${from} ${seed} (${fault}; ${drawn}): ${mistakes.join('; ')}\n`)
  return textTable(heads, rows) + `\n${shareText(scores, 'drawn')}${shareText(scores, 'guests')}${wrong.join('')}`
}

function shareText(scores: readonly CaptureScore[], from: CaptureScore['from']): string {
  const those = scores.filter((one) => one.from === from)
  if (those.length === 0) return ''
  const right = those.filter(({ mistakes }) => mistakes.length === 0).length
  const { low, high } = wilson(right, those.length)
  return `${from}: ${right} of ${those.length}, ${humanShare(right / those.length)} (${humanShare(low)} to ${humanShare(high)})\n`
}
